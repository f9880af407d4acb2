"""What two people do to a pot, each with their own PIN: schedule, correct, transfer, receive (rules 4.7, 4.8, 4.10)."""

from __future__ import annotations

from controller.core import inputs as do
from controller.core.draft import Draft
from controller.core.events import CorrectionRecorded, TransferRecorded
from controller.core.inputs import PotAnswer
from controller.core.messages import msg
from controller.core.money import Minor, Units, to_units
from controller.core.params import PLENTY, apply_change
from controller.core.pot import respond
from controller.core.potwords import Amend, Change, Empty, Fill, Plan
from controller.core.refusals import Refusal
from controller.core.settling import move


def schedule(d: Draft, act: do.Schedule, authors: tuple[str, ...]) -> None:
    """New parameters for the pot, from its next seeding or transfer (4.8)."""
    pot = d.state.pot
    params = apply_change(pot.planned or pot.params, d.state.setup, act.key, act.value)
    if isinstance(params, Refusal):
        d.refuse(params)
    else:
        _ask(d, "plan", Plan(params, Change(act.key, act.value, authors)))


def correct(d: Draft, act: do.Correct) -> None:
    """A documented correction of a pot (4.7). One that was closed and moved away has nothing left to correct."""
    if not (_idle(d) and _live(d)):
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
