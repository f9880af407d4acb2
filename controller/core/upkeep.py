"""What is done by hand around the play: credits, chips handed back, seats, service mode (rules 2.2, 2.4, 2.10, 10)."""

from __future__ import annotations

from controller.core import inputs as do
from controller.core.draft import Draft
from controller.core.events import (
    AlarmsSeen,
    ChipsHandedBack,
    CreditsCashed,
    CreditsLoaded,
    SeatReopened,
    SeatTested,
    ServiceChanged,
)
from controller.core.faults import close, go_on_testing
from controller.core.messages import msg
from controller.core.panel import owed
from controller.core.refusals import Refusal

MOST_CREDITS = 999_999
"""A seat's counter holds no more credits; a larger load is a typing mistake."""


def load(d: Draft, act: do.Load) -> None:
    """Credits bought with chips are loaded on a seat (2.2)."""
    seat, args = d.seat(act.seat), {"seat": str(act.seat)}
    if d.state.setup.acceptor != "credits":
        d.refuse(Refusal("wrong-acceptor", "2.3", msg("Seat {seat} takes chips; there are no credits to load."), args))
    elif seat.closed is not None:
        d.refuse(Refusal("seat-closed", "2.10", msg("Seat {seat} is closed; it must be reopened first."), args))
    elif not 1 <= act.credits <= MOST_CREDITS - seat.credits:
        d.refuse(
            Refusal(
                "over-maximum", "2.2", msg("A seat holds 1 to {most} credits; load fewer."), {"most": str(MOST_CREDITS)}
            )
        )
    else:
        d.emit(CreditsLoaded(act.seat, act.credits, seat.credits + act.credits))


def cash_out(d: Draft, act: do.CashOut) -> None:
    """All unspent credits are paid back; a bet is never touched (2.2, 2.8)."""
    credits = d.seat(act.seat).credits
    if credits == 0:
        d.refuse(Refusal("no-credits", "2.2", msg("Seat {seat} has no credits to cash out."), {"seat": str(act.seat)}))
    else:
        d.emit(CreditsCashed(act.seat, credits))


def acknowledge(d: Draft, act: do.Ack) -> None:
    """What was owed at a seat has been handed back (2.4); without a seat, the alarms have been seen (10)."""
    if act.seat == 0:
        if d.state.alarms:
            d.emit(AlarmsSeen(len(d.state.alarms)))
        else:
            d.refuse(Refusal("nothing-owed", "10", msg("There is no alarm to acknowledge.")))
        return
    amount = owed(d.seat(act.seat))
    if amount:
        d.emit(ChipsHandedBack(act.seat, amount))
    else:
        d.refuse(Refusal("nothing-owed", "2.4", msg("Nothing is owed at seat {seat}."), {"seat": str(act.seat)}))


def close_seat(d: Draft, act: do.Close) -> None:
    """The dealer closes a seat (2.10)."""
    if d.seat(act.seat).closed is not None:
        d.refuse(Refusal("seat-closed", "2.10", msg("Seat {seat} is closed already."), {"seat": str(act.seat)}))
    else:
        close(d, act.seat, "dealer")


def reopen(d: Draft, act: do.Reopen) -> None:
    """Reopen a seat: at once what the dealer closed; after a fault, when the failed part has passed its test (2.10)."""
    seat, args = d.seat(act.seat), {"seat": str(act.seat)}
    if seat.closed is None:
        d.refuse(Refusal("seat-open", "2.10", msg("Seat {seat} is open already."), args))
        return
    bad = [part for part in seat.failed if part != "lamp"]
    if bad:
        d.refuse(
            Refusal(
                "not-allowed",
                "2.10",
                msg("At seat {seat} this part is still bad: {part}. Mend it first."),
                {**args, "part": bad[0]},
            )
        )
    elif "lamp" not in seat.failed:
        d.emit(SeatReopened(act.seat))
    elif d.state.round is not None:
        d.refuse(
            Refusal(
                "not-allowed",
                "10.2",
                msg("The lamp of seat {seat} cannot be tested in a live round; wait for its end."),
                args,
            )
        )
    else:
        d.emit(SeatTested(act.seat, "lit"))
        go_on_testing(d, act.seat)


def service(d: Draft, act: do.Service) -> None:
    """Enter or leave service mode, between rounds only (10.2)."""
    if act.on == d.state.service:
        d.refuse(Refusal("not-allowed", "10.2", msg("Service mode is like that already.")))
    elif d.state.round is not None:
        d.refuse(Refusal("not-allowed", "10.2", msg("Service mode waits for the end of the round.")))
    else:
        d.emit(ServiceChanged(act.on))
