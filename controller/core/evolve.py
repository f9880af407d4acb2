"""event → state. Assigns and adds; holds no rule and reads no parameter, so that newer code replays old balances
unchanged.

Raises PotError when an identity of 3.3 would break: a bad event is found here, before it is committed.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from msgspec.structs import replace

from controller.core import events as ev
from controller.core.money import Minor, Units
from controller.core.pot import PotError, add, check
from controller.core.potwords import Pot, PotMeters
from controller.core.state import Answer, Asked, Bet, Increment, Round, Seat, Table

DONE, REFUSED = 256, 32
"""How many answered command ids are remembered of one person, by what became of them: a late retry still doubles
nothing, and nobody's commands, least of all refused ones, can push another's out."""

ALARMS = 50
"""How many alarms wait to be acknowledged at most; the oldest stay, since they name the cause."""


def evolve(table: Table | None, event: ev.Event) -> Table:
    """The table after `event`. `table` is None before the first event, which is `TableOpened`."""
    if table is None:
        assert isinstance(event, ev.TableOpened), f"a journal begins with TableOpened, not {type(event).__name__}"
        return _opened(event)
    return _APPLY[type(event)](table, event)


def _opened(e: ev.TableOpened) -> Table:
    meters = PotMeters(opening_main=e.main, opening_reserve=e.reserve)
    pot = Pot(main=e.main, reserve=e.reserve, meters=meters, params=e.params)
    check(pot)
    seats = tuple(Seat(seat=n) for n in range(1, e.setup.seats + 1))
    return Table(setup=e.setup, pot=pot, seats=seats)


# --- small lenses ----------------------------------------------------------------------------------------


def _seat(t: Table, seat: int, **changes: Any) -> Table:
    i = seat - 1
    return replace(t, seats=(*t.seats[:i], replace(t.seats[i], **changes), *t.seats[seat:]))


def _round(t: Table, **changes: Any) -> Table:
    assert t.round is not None
    return replace(t, round=replace(t.round, **changes))


def _bet(t: Table, seat: int, **changes: Any) -> Table:
    assert t.round is not None
    bets, i = t.round.bets, seat - 1
    return _round(t, bets=(*bets[:i], replace(bets[i], **changes), *bets[seat:]))


def _meters(t: Table, **changes: Any) -> Table:
    return replace(t, meters=replace(t.meters, **changes))


def _prize(t: Table, seat: int, **changes: Any) -> Table:
    s = t.settlement
    assert s is not None
    prizes = tuple(replace(p, **changes) if p.seat == seat else p for p in s.prizes)
    return replace(t, settlement=replace(s, prizes=prizes))


def _counted(counts: dict[str, int], gains: dict[str, int]) -> dict[str, int]:
    return {**counts, **{name: counts.get(name, 0) + gain for name, gain in gains.items()}}


# --- the daemon, people ----------------------------------------------------------------------------------


def _started(t: Table, e: ev.Started) -> Table:
    seats = tuple(replace(s, sensed=False, sensed_at=None, noise=(), testing="") for s in t.seats)
    t = replace(t, boot=e.boot, seats=seats, settings=e.settings or t.settings)
    return t if t.round is None else _round(t, waiting=())


def _remember(t: Table, answer: Answer) -> Table:
    alike = [a for a in t.answers if a.person == answer.person and bool(a.code) == bool(answer.code)]
    most = REFUSED if answer.code else DONE
    kept = t.answers if len(alike) < most else tuple(a for a in t.answers if a is not alike[0])
    return replace(t, answers=(*kept, answer))


def _command_taken(t: Table, e: ev.CommandTaken) -> Table:
    return t if e.answer is None else _remember(t, e.answer)


def _command_refused(t: Table, e: ev.CommandRefused) -> Table:
    if e.access:
        t = _meters(t, refused_access=t.meters.refused_access + 1)
    return t if e.answer is None else _remember(t, e.answer)


def _access_denied(t: Table, e: ev.AccessDenied) -> Table:
    return _meters(t, refused_access=t.meters.refused_access + 1 + e.suppressed)


def _alarm_raised(t: Table, e: ev.AlarmRaised) -> Table:
    return replace(t, alarms=(*t.alarms, e.alarm)[:ALARMS])


def _alarms_seen(t: Table, e: ev.AlarmsSeen) -> Table:
    return replace(t, alarms=())


def _key_moved(t: Table, e: ev.KeyMoved) -> Table:
    return replace(t, key=e.position)


def _service_changed(t: Table, e: ev.ServiceChanged) -> Table:
    return replace(t, service=e.on)


def _service_stopped(t: Table, e: ev.ServiceStopped) -> Table:
    return replace(t, out_of_service=e.reason)


# --- betting ---------------------------------------------------------------------------------------------


def _betting_opened(t: Table, e: ev.BettingOpened) -> Table:
    settlement = t.settlement and replace(t.settlement, undo=None)
    round = Round(number=e.round, phase="betting", bets=(Bet(),) * len(t.seats), opened=e.at)
    return replace(t, rounds=e.round, round=round, settlement=settlement)


def _bet_changed(t: Table, e: ev.BetChanged) -> Table:
    assert t.round is not None
    acts = (*t.round.bets[e.seat - 1].increments, Increment(e.at, e.bet))
    return _bet(_seat(t, e.seat, credits=e.credits), e.seat, bet=e.bet, increments=acts)


def _bet_stripped(t: Table, e: ev.BetStripped) -> Table:
    seat = t.seats[e.seat - 1]
    t = _seat(t, e.seat, credits=e.credits, owed_late=Minor(seat.owed_late + e.late))
    t = _meters(t, late_chips=t.meters.late_chips + e.late_chips)
    return _bet(t, e.seat, bet=e.bet, increments=e.increments)


def _chip_set_aside(t: Table, e: ev.ChipSetAside) -> Table:
    seat, m = t.seats[e.seat - 1], t.meters
    if e.why == "late":
        t = _meters(t, late_chips=m.late_chips + 1)
        return _seat(t, e.seat, owed_late=Minor(seat.owed_late + e.value))
    t = _meters(t, excess_chips=m.excess_chips + 1)
    return _seat(t, e.seat, owed_excess=Minor(seat.owed_excess + e.value))


def _bet_returned(t: Table, e: ev.BetReturned) -> Table:
    seat, m = t.seats[e.seat - 1], t.meters
    t = _seat(t, e.seat, credits=seat.credits + e.credits, owed_returned=Minor(seat.owed_returned + e.owed))
    t = _meters(
        t,
        returned=Minor(m.returned + e.amount),
        turnover=Minor(m.turnover + e.turnover),
        bet_count=m.bet_count + e.bet_count,
    )
    return _bet(t, e.seat, bet=Minor(0), increments=(), confirmed=False, hand=None, cards=())


def _betting_closed(t: Table, e: ev.BettingClosed) -> Table:
    return _round(t, phase="locked", edge=e.edge, waiting=e.waiting)


def _source_completed(t: Table, e: ev.SourceCompleted) -> Table:
    assert t.round is not None
    return _round(t, waiting=tuple(source for source in t.round.waiting if source != e.source))


def _round_sealed(t: Table, e: ev.RoundSealed) -> Table:
    t, m = _round(t, sealed=True), t.meters
    return _meters(t, bet_count=m.bet_count + e.bets, turnover=Minor(m.turnover + e.total))


# --- the pot ---------------------------------------------------------------------------------------------


def _pot_asked(t: Table, e: ev.PotAsked) -> Table:
    return replace(t, asks=e.key[3], asked=Asked(e.key, e.ask))


def _pot_moved(t: Table, e: ev.PotMoved) -> Table:
    pot = replace(t.pot, main=e.main, reserve=e.reserve, meters=add(t.pot.meters, e.moves))
    if e.params is not None:
        pot = replace(pot, params=e.params)
    if e.scheduled is not None:
        pot = replace(pot, scheduled=e.scheduled, planned=e.planned)
    if e.closed is not None:
        pot = replace(pot, closed=e.closed)
    check(pot)
    t = replace(t, pot=pot, asked=None)
    if t.round is None:
        return t
    return _round(t, overflowed=Units(t.round.overflowed + e.overflowed))


def _transfer_recorded(t: Table, e: ev.TransferRecorded) -> Table:
    t = replace(t, settlement=t.settlement and replace(t.settlement, undo=None))
    return _meters(t, transfers=t.meters.transfers + 1)


def _correction_recorded(t: Table, e: ev.CorrectionRecorded) -> Table:
    t = replace(t, settlement=t.settlement and replace(t.settlement, undo=None))
    return _meters(t, corrections=t.meters.corrections + 1)


# --- hands -----------------------------------------------------------------------------------------------


def _hand_forfeited(t: Table, e: ev.HandForfeited) -> Table:
    return _bet(t, e.seat, forfeit=e.why)


def _hand_restored(t: Table, e: ev.HandRestored) -> Table:
    return _bet(t, e.seat, forfeit=None)


def _hand_declared(t: Table, e: ev.HandDeclared) -> Table:
    return _bet(t, e.seat, hand=e.hand, cards=e.cards)


def _hand_undeclared(t: Table, e: ev.HandUndeclared) -> Table:
    return _bet(t, e.seat, hand=None, cards=())


def _board_shown(t: Table, e: ev.BoardShown) -> Table:
    return _round(t, board=e.cards)


def _irregular_deal(t: Table, e: ev.IrregularDeal) -> Table:
    return _round(t, advised_void=True) if e.outcome == "void-round" else t


def _seat_voided(t: Table, e: ev.SeatVoided) -> Table:
    return _bet(t, e.seat, void=True)


# --- settling --------------------------------------------------------------------------------------------


def _round_settled(t: Table, e: ev.RoundSettled) -> Table:
    t = _meters(t, hits=_counted(t.meters.hits, e.counts))
    return replace(_round(t, phase="paying"), settlement=e.settlement, hits=e.hits)


def _round_unsettled(t: Table, e: ev.RoundUnsettled) -> Table:
    t = _meters(t, hits=_counted(t.meters.hits, e.counts))
    return replace(t, settlement=e.settlement, round=e.round, hits=e.hits)


def _prize_approved(t: Table, e: ev.PrizeApproved) -> Table:
    t = _prize(t, e.seat, status="payable", approved_by=e.by)
    assert t.settlement is not None
    number = t.settlement.round
    hits = tuple(replace(h, approved_by=e.by) if (h.round, h.seat) == (number, e.seat) else h for h in t.hits)
    return replace(t, hits=hits)


def _prize_held(t: Table, e: ev.PrizeHeld) -> Table:
    return _prize(t, e.seat, status="unapproved")


def _prize_denied(t: Table, e: ev.PrizeDenied) -> Table:
    t = _prize(t, e.seat, status="denied")
    s = t.settlement
    assert s is not None
    s = replace(s, moves=e.moves, seeded_reserve=e.seeded_reserve, seeded_house=e.seeded_house)
    if e.params_back:
        s = replace(s, params_before=None, planned_before=None, scheduled_before=())
    t = _meters(t, hits=_counted(t.meters.hits, {e.hand: -1}))
    return replace(t, settlement=s, hits=e.hits)


def _prize_paid(t: Table, e: ev.PrizePaid) -> Table:
    return _prize(t, e.seat, status="paid")


def _round_ended(t: Table, e: ev.RoundEnded) -> Table:
    return replace(t, round=None)


# --- seats and parts -------------------------------------------------------------------------------------


def _lamp_changed(t: Table, e: ev.LampChanged) -> Table:
    t = _seat(t, e.seat, sensed=e.lit, sensed_at=e.at)
    return _bet(t, e.seat, confirmed=e.confirms) if e.confirms or e.forgets else t


def _part_broke(t: Table, e: ev.PartBroke) -> Table:
    t = _meters(t, faults=_counted(t.meters.faults, {e.part: 1}))
    if e.part == "edges":
        return t
    if e.seat == 0:
        return t if e.part in t.failed else replace(t, failed=(*t.failed, e.part))
    failed = t.seats[e.seat - 1].failed
    return t if e.part in failed else _seat(t, e.seat, failed=(*failed, e.part))


def _part_works(t: Table, e: ev.PartWorks) -> Table:
    if e.seat == 0:
        return replace(t, failed=tuple(part for part in t.failed if part != e.part))
    failed = t.seats[e.seat - 1].failed
    return _seat(t, e.seat, failed=tuple(part for part in failed if part != e.part))


def _noise_counted(t: Table, e: ev.NoiseCounted) -> Table:
    t = _meters(t, faults=_counted(t.meters.faults, {"pulse": 1}))
    return _seat(t, e.seat, noise=e.recent)


def _seat_closed(t: Table, e: ev.SeatClosed) -> Table:
    t = _seat(t, e.seat, closed=e.cause, testing="")
    return _bet(t, e.seat, approval=True) if e.approval else t


def _seat_tested(t: Table, e: ev.SeatTested) -> Table:
    return _seat(t, e.seat, testing="" if e.stage == "failed" else e.stage)


def _seat_reopened(t: Table, e: ev.SeatReopened) -> Table:
    return _seat(t, e.seat, closed=None, testing="")


def _credits_loaded(t: Table, e: ev.CreditsLoaded) -> Table:
    t = _meters(t, credits_in=t.meters.credits_in + e.count)
    return _seat(t, e.seat, credits=e.credits)


def _credits_cashed(t: Table, e: ev.CreditsCashed) -> Table:
    t = _meters(t, credits_out=t.meters.credits_out + e.count)
    return _seat(t, e.seat, credits=t.seats[e.seat - 1].credits - e.count)


def _chips_handed_back(t: Table, e: ev.ChipsHandedBack) -> Table:
    return _seat(t, e.seat, owed_returned=Minor(0), owed_late=Minor(0), owed_excess=Minor(0))


_APPLY: dict[type[ev.Event], Callable[[Table, Any], Table]] = {
    ev.Started: _started,
    ev.CommandTaken: _command_taken,
    ev.CommandRefused: _command_refused,
    ev.AccessDenied: _access_denied,
    ev.AlarmRaised: _alarm_raised,
    ev.AlarmsSeen: _alarms_seen,
    ev.KeyMoved: _key_moved,
    ev.ServiceChanged: _service_changed,
    ev.ServiceStopped: _service_stopped,
    ev.BettingOpened: _betting_opened,
    ev.BetChanged: _bet_changed,
    ev.BetStripped: _bet_stripped,
    ev.ChipSetAside: _chip_set_aside,
    ev.BetReturned: _bet_returned,
    ev.BettingClosed: _betting_closed,
    ev.SourceCompleted: _source_completed,
    ev.RoundSealed: _round_sealed,
    ev.PotAsked: _pot_asked,
    ev.PotMoved: _pot_moved,
    ev.TransferRecorded: _transfer_recorded,
    ev.CorrectionRecorded: _correction_recorded,
    ev.HandForfeited: _hand_forfeited,
    ev.HandRestored: _hand_restored,
    ev.HandDeclared: _hand_declared,
    ev.HandUndeclared: _hand_undeclared,
    ev.BoardShown: _board_shown,
    ev.IrregularDeal: _irregular_deal,
    ev.SeatVoided: _seat_voided,
    ev.RoundSettled: _round_settled,
    ev.RoundUnsettled: _round_unsettled,
    ev.PrizeApproved: _prize_approved,
    ev.PrizeHeld: _prize_held,
    ev.PrizeDenied: _prize_denied,
    ev.PrizePaid: _prize_paid,
    ev.RoundEnded: _round_ended,
    ev.LampChanged: _lamp_changed,
    ev.PartBroke: _part_broke,
    ev.PartWorks: _part_works,
    ev.NoiseCounted: _noise_counted,
    ev.SeatClosed: _seat_closed,
    ev.SeatTested: _seat_tested,
    ev.SeatReopened: _seat_reopened,
    ev.CreditsLoaded: _credits_loaded,
    ev.CreditsCashed: _credits_cashed,
    ev.ChipsHandedBack: _chips_handed_back,
}


def check_table(t: Table) -> None:
    """Raise PotError unless what must hold at every table holds: no amount below zero, and the gross meters
    agree with the net ones (3.3)."""
    m = t.meters
    if (m.turnover - m.returned) * 10_000 != t.pot.meters.bets and t.asked is None:
        raise PotError(f"turnover {m.turnover} less returned {m.returned} is not bets {t.pot.meters.bets} (3.3)")
    for seat in t.seats:
        if seat.credits < 0 or seat.owed_returned < 0:
            raise PotError(f"seat {seat.seat} has less than nothing: {seat.credits} credits")
