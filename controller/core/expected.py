"""What a command was given for: the amount or the hands that a person had before their eyes (rules 10.1).

Between the look and the decision anything may come: a player's press, another chip, another settlement.
"""

from __future__ import annotations

from controller.core import inputs as do
from controller.core.cards import Hand
from controller.core.inputs import Act
from controller.core.messages import msg
from controller.core.money import Minor, format_minor
from controller.core.panel import owed
from controller.core.refusals import Refusal
from controller.core.state import Table

CAN_EXPECT = (do.CashOut, do.Ack, do.Settle, do.Paid, do.Approve, do.Deny)
"""The acts that do not say by themselves how much they are about."""


def expected(table: Table, act: Act) -> str | None:
    """What `act` is about now, in the words of ``controller.view``: credits, an amount, a number of alarms, hands. None
    when it says so itself, or when there is nothing of the kind (and the act's own refusal says more)."""
    match act:
        case do.CashOut(seat):
            return str(table.seats[seat - 1].credits)
        case do.Ack(0):
            return str(len(table.alarms))
        case do.Ack(seat):
            return format_minor(owed(table.seats[seat - 1]), table.setup.digits)
        case do.Settle():
            return ", ".join(f"{seat} {hand.value}" for seat, hand in hands(table))
        case do.Paid(seat) | do.Approve(seat) | do.Deny(seat):
            amount = _prize(table, seat)
            return None if amount is None else format_minor(amount, table.setup.digits)
    return None


def changed(table: Table, act: Act, meant: str) -> Refusal | None:
    """Why `act`, which its giver took to be about `meant`, is not done as the table stands."""
    now = expected(table, act)
    if now is None or now == meant:
        return None
    args = {"meant": meant, "now": now}
    if not isinstance(act, do.Settle):
        return Refusal("stale", "10.1", msg("That was meant for {meant}; now it is {now}. Look again."), args)
    return Refusal("stale", "10.1", msg("The hands have changed since that was asked. Look again."))


def hands(table: Table) -> tuple[tuple[int, Hand], ...]:
    """The declared hands that are in play, by seat: what settling turns into prizes (5.15)."""
    bets = table.round.bets if table.round is not None else ()
    return tuple(
        (seat, bet.hand)
        for seat, bet in enumerate(bets, start=1)
        if bet.hand is not None and bet.forfeit is None and not bet.void
    )


def _prize(table: Table, seat: int) -> Minor | None:
    for prize in table.settlement.prizes if table.settlement is not None else ():
        if prize.seat == seat:
            return prize.amount
    return None
