"""Credits, chips handed back, seats by hand, service mode, and the acts of two people (rules 2.2, 2.4, 2.10, 4, 10)."""

from __future__ import annotations

from controller.core import inputs as do
from controller.core.draft import Draft
from controller.core.events import (
    AlarmsSeen,
    ChipsHandedBack,
    CorrectionRecorded,
    CreditsCashed,
    CreditsLoaded,
    SeatReopened,
    SeatTested,
    ServiceChanged,
    TransferRecorded,
)
from controller.core.faults import close, go_on_testing
from controller.core.inputs import PotAnswer
from controller.core.messages import msg
from controller.core.money import Minor, Units, to_units
from controller.core.panel import owed
from controller.core.params import PLENTY, apply_change
from controller.core.pot import respond
from controller.core.potwords import Amend, Change, Empty, Fill, Plan
from controller.core.refusals import Refusal
from controller.core.settling import move

MOST_CREDITS = 999_999
"""A seat's counter holds no more credits; a larger load is a typing mistake."""


# --- at a seat -------------------------------------------------------------------------------------------


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
                "part-failed",
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


# --- the pot, by two people ------------------------------------------------------------------------------


def schedule(d: Draft, act: do.Schedule, authors: tuple[str, ...]) -> None:
    """New parameters for the pot, from its next seeding or transfer (4.8)."""
    pot = d.state.pot
    params = apply_change(pot.planned or pot.params, d.state.setup, act.key, act.value)
    if isinstance(params, Refusal):
        d.refuse(params)
    else:
        _ask(d, "plan", Plan(params, Change(act.key, act.value, authors)))


def correct(d: Draft, act: do.Correct) -> None:
    """A documented correction of a pot (4.7)."""
    if not _idle(d):
        return
    zero = Minor(0)
    main, reserve = (act.amount, zero) if act.pot == "main" else (zero, act.amount)
    if _too_much(d, to_units(main), to_units(reserve)):
        d.refuse(Refusal("over-maximum", "4.7", msg("No pot holds that much; look for extra zeros.")))
        return
    _ask(d, "amend", Amend(main, reserve))


def transfer(d: Draft, act: do.Transfer) -> None:
    """Close the pot and move its exact contents to another (4.10)."""
    if _idle(d) and _live(d):
        _ask(d, "empty", Empty())


def receive(d: Draft, act: do.Receive) -> None:
    """Take in the exact contents of a closed pot (4.10)."""
    if not _idle(d):
        return
    if act.main < 0 or act.reserve < 0:
        d.refuse(Refusal("over-maximum", "4.10", msg("A pot's contents are zero or more.")))
        return
    if _too_much(d, act.main, act.reserve):
        d.refuse(Refusal("over-maximum", "4.10", msg("No pot holds that much; look for extra zeros.")))
        return
    _ask(d, "fill", Fill(Units(act.main), Units(act.reserve)))


def _ask(d: Draft, kind: str, ask: Plan | Amend | Empty | Fill) -> None:
    """Put the question, after making sure that the pot will not decline it: a refused command leaves no trace but
    its refusal."""
    refusal = respond(d.state.pot, ask).refusal
    if refusal is not None:
        d.refuse(refusal)
    else:
        d.ask(kind, ask)


def _too_much(d: Draft, main: int, reserve: int) -> bool:
    """Whether `main` and `reserve`, in pot units, would make a pot larger than any is."""
    most = to_units(Minor(PLENTY))
    return d.state.pot.main + main >= most or d.state.pot.reserve + reserve >= most


def _idle(d: Draft) -> bool:
    if d.state.round is not None:
        d.refuse(Refusal("not-settled", "10.2", msg("This waits for the end of the round.")))
    return d.state.round is None


def _live(d: Draft) -> bool:
    if d.state.pot.closed:
        d.refuse(Refusal("out-of-service", "4.10", msg("The pot of this table was closed and moved away.")))
    return not d.state.pot.closed


KINDS = frozenset({"plan", "amend", "empty", "fill"})
"""The questions whose answers belong here."""


def answered(d: Draft, s: PotAnswer) -> None:
    """The pot answered one of the questions above."""
    before, moves = d.state.pot, s.answer.moves
    move(d, s)
    if s.key[2] == "empty":
        d.emit(TransferRecorded("out", before.main, before.reserve))
    elif s.key[2] == "fill":
        d.emit(TransferRecorded("in", moves.transfers_in_main, moves.transfers_in_reserve))
    elif s.key[2] == "amend":
        main, reserve = moves.corrections_main // to_units(Minor(1)), moves.corrections_reserve // to_units(Minor(1))
        d.emit(CorrectionRecorded(Minor(main), Minor(reserve)))
