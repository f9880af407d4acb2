"""Parts that fail, seats that close and reopen (rules 2.6, 2.10, the fault table of 8.5)."""

from __future__ import annotations

from controller.core.betting import give_back, lock, try_seal, working_sources
from controller.core.deadlines import NOISE_NS, deadlines
from controller.core.draft import Draft
from controller.core.events import (
    LampChanged,
    NoiseCounted,
    PartBroke,
    PartWorks,
    PrizeHeld,
    SeatClosed,
    SeatReopened,
    SeatTested,
    SourceCompleted,
)
from controller.core.inputs import Deadline, Timeout
from controller.core.panel import lamp_on, valid_bet
from controller.core.state import Cause
from hal.port import LampSensed, NoisePulse, Part, PartFailed, PartMended

NOISE_A_MINUTE = 10
"""More noise pulses than this in a minute close the seat (fault table)."""

NOISE_APART_NS = 1_000_000_000
"""Of a line that is known to be noisy one pulse in this time is counted: it may chatter for hours, and a card wears."""

CLOSING: dict[Part, Cause] = {"lamp": "lamp", "button": "button", "slot": "slot", "node": "node", "noise": "noise"}
"""The parts whose failure closes their seat."""

SHOWS_THE_BET = ("lamp", "node")
"""The parts without which a lamp is not seen lit, so that a bet's light cannot be awaited any longer."""


def lamp_sensed(d: Draft, s: LampSensed) -> None:
    """A lamp went on or out, whatever was commanded."""
    if d.seat(s.seat).sensed == s.lit:
        return
    commanded = lamp_on(d.state, s.seat - 1)
    round = d.state.round
    confirms = (
        s.lit and commanded and round is not None and not d.bet(s.seat).confirmed
        and valid_bet(d.state, d.bet(s.seat))
    )  # fmt: skip
    forgets = not s.lit and round is not None and d.bet(s.seat).confirmed and not d.bet(s.seat).bet
    d.emit(LampChanged(s.seat, s.lit, s.at, confirms, forgets))
    go_on_testing(d, s.seat)
    try_seal(d)


def go_on_testing(d: Draft, seat: int) -> None:
    """Take a lamp test to its next stage: lit when commanded on, then dark when commanded off (2.10)."""
    s = d.seat(seat)
    if s.testing == "lit" and s.sensed:
        d.emit(SeatTested(seat, "dark"))
    elif s.testing == "dark" and not s.sensed:
        if "lamp" in s.failed:
            d.emit(PartWorks(seat, "lamp"))
        d.emit(SeatReopened(seat))


def part_failed(d: Draft, s: PartFailed) -> None:
    """The hardware found a part bad."""
    if s.part == "edges":
        d.emit(PartBroke(s.seat, "edges"))
        d.alarm("edges-lost", s.seat)
    elif s.seat == 0:
        if s.part not in d.state.failed:
            d.emit(PartBroke(0, s.part))
            d.alarm(f"{s.part}-failed")
            if s.part == "key" and d.state.round is not None and d.state.round.phase == "betting":
                lock(d, s.at, working_sources(d.state))  # contacts that disagree count as locked
    else:
        fail(d, s.seat, s.part)
    try_seal(d)


def part_mended(d: Draft, s: PartMended) -> None:
    """A failed part is seen working again; the seat stays closed until a technician reopens it (2.10)."""
    failed = d.state.failed if s.seat == 0 else d.seat(s.seat).failed
    if s.part in failed:
        d.emit(PartWorks(s.seat, s.part))


def noise(d: Draft, s: NoisePulse) -> None:
    """A pulse that is no chip and no press: metered; too many a minute close the seat."""
    seat, since = d.seat(s.seat), s.at.ns - NOISE_NS
    recent = tuple(at for at in seat.noise if at.boot == s.at.boot and at.ns > since)
    if "noise" in seat.failed and recent and s.at.ns - recent[-1].ns < NOISE_APART_NS:
        return
    d.emit(NoiseCounted(s.seat, (*recent, s.at)[-NOISE_A_MINUTE - 1 :]))
    if len(recent) + 1 > NOISE_A_MINUTE:
        fail(d, s.seat, "noise")


def timeout(d: Draft, s: Timeout) -> None:
    """A deadline ran out. One that no longer runs is stale and ignored."""
    if s.deadline not in deadlines(d.state):
        return
    if s.deadline.what == "seal":
        _sources_silent(d)
    elif s.deadline.what == "noise":
        d.emit(PartWorks(s.deadline.seat, "noise"))
    else:
        _lamp_timed_out(d, s.deadline)
    try_seal(d)


def _sources_silent(d: Draft) -> None:
    """Sources that did not report up to the lock's edge count as failed (2.8)."""
    for source in d.round.waiting:
        fail(d, source, "node")


def _lamp_timed_out(d: Draft, deadline: Deadline) -> None:
    seat = d.seat(deadline.seat)
    if seat.testing:
        d.emit(SeatTested(seat.seat, "failed"))
        d.alarm("lamp-test-failed", seat.seat)
    else:
        fail(d, seat.seat, "lamp")


def fail(d: Draft, seat: int, part: Part) -> None:
    """A part of a seat is bad: meter it once, close the seat, and decide what becomes of its bet."""
    if part not in d.seat(seat).failed:
        d.emit(PartBroke(seat, part))
    round = d.state.round
    if part == "node" and round is not None and seat in round.waiting:
        d.emit(SourceCompleted(seat))
    if d.seat(seat).closed in (None, "dealer") and part in CLOSING:
        close(d, seat, CLOSING[part])
        d.alarm(f"{part}-failed", seat)
    elif part in SHOWS_THE_BET:
        _fate_of_bet(d, seat, CLOSING[part])


def close(d: Draft, seat: int, cause: Cause) -> None:
    """Close a seat. Before the lock its bet goes back; after it the bet stands, and its prize needs approval (2.10)."""
    d.emit(SeatClosed(seat, cause, approval=_stands(d, seat, cause)))
    _fate_of_bet(d, seat, cause)
    _hold_prize(d, seat)


def _hold_prize(d: Draft, seat: int) -> None:
    """The prize of a seat that closed needs approval, also one that needed none when it was fixed (2.10, 5.11)."""
    round, settlement = d.state.round, d.state.settlement
    if round is None or round.phase != "paying" or settlement is None:
        return
    if any(p.seat == seat and p.status == "payable" and not p.approved_by for p in settlement.prizes):
        d.emit(PrizeHeld(seat))


def _fate_of_bet(d: Draft, seat: int, cause: Cause) -> None:
    round = d.state.round
    if round is None or not round.bets[seat - 1].bet or _stands(d, seat, cause):
        return
    if not round.sealed:
        give_back(d, seat, "lamp" if cause == "lamp" else "closing")


def _stands(d: Draft, seat: int, cause: Cause) -> bool:
    """Whether a bet outlives the closing of its seat: it was valid at the lock (2.6, 2.10).

    A lamp that was never seen lit for this bet, or was dark already at the edge, means that it was not. One that went
    dark after the edge was lit until then. After a restart all that is known is whether it was ever lit for this bet.
    """
    round = d.state.round
    if round is None or round.phase == "betting" or not round.bets[seat - 1].bet:
        return False
    if round.sealed or cause not in SHOWS_THE_BET:
        return True
    lamp = d.seat(seat)
    assert round.edge is not None
    if lamp.sensed or lamp.sensed_at is None:
        return round.bets[seat - 1].confirmed
    return lamp.sensed_at > round.edge
