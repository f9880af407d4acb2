"""Settling, approving, paying, voiding, and undoing (rules 5.9–5.15), and the pot's answers to all of it."""

from __future__ import annotations

from msgspec.structs import replace

from controller.core import inputs as do
from controller.core.betting import give_back
from controller.core.draft import Draft
from controller.core.events import (
    PotMoved,
    PrizeApproved,
    PrizeDenied,
    PrizePaid,
    RoundEnded,
    RoundSettled,
    RoundUnsettled,
)
from controller.core.hands import not_sealed
from controller.core.inputs import PotAnswer
from controller.core.messages import msg
from controller.core.money import WHOLE, Units
from controller.core.pot import add
from controller.core.potwords import Award, PotMeters, Release, Return, Undo
from controller.core.prizes import claim_of, prizes_of
from controller.core.refusals import Refusal
from controller.core.state import Bet, Hit, Prize, Settlement, Table

HITS = 25
"""How many hits are remembered (8.2)."""


# --- settling and undoing --------------------------------------------------------------------------------


def settle(d: Draft, act: do.Settle) -> None:
    """Fix all prizes, move the money, seed: one step (5.15)."""
    refusal = not_sealed(d.state)
    if refusal is not None:
        return d.refuse(refusal)
    return d.ask("claim", claim_of(d.round, d.state.pot.params))


def _no_round() -> Refusal:
    return Refusal("not-settled", "5.15", msg("There is no settled round here; nothing can be done about its prizes."))


def _settled(d: Draft, s: PotAnswer) -> None:
    """The pot fixed the prizes: record them, and end the round if there are none."""
    table, round, answer = d.state, d.round, s.answer
    prizes = prizes_of(table, answer.awards)
    before = table.pot
    move(d, s)
    changed = answer.params is not None
    hits = (*table.hits, *(Hit(round.number, p.seat, p.hand, p.amount, p.before, p.after) for p in prizes))
    settlement = Settlement(
        round=round.number,
        prizes=prizes,
        moves=answer.moves,
        seeded_reserve=answer.seeded_reserve,
        seeded_house=answer.seeded_house,
        params_before=before.params if changed else None,
        planned_before=before.planned if changed else None,
        scheduled_before=before.scheduled if changed else (),
        displaced=hits[:-HITS],
        undo=round,
        round_before=table.settlement.round if table.settlement is not None else 0,
        prizes_before=table.settlement.prizes if table.settlement is not None else (),
    )
    counts: dict[str, int] = {}
    for prize in prizes:
        counts[prize.hand.value] = counts.get(prize.hand.value, 0) + 1
    d.emit(RoundSettled(settlement, hits[-HITS:], counts))
    if not prizes:
        d.emit(RoundEnded(round.number, "settled"))


def unsettle(d: Draft, act: do.Unsettle) -> None:
    """Undo a settlement of which nothing is paid (5.15)."""
    refusal = _not_undoable(d.state)
    if refusal is not None:
        return d.refuse(refusal)
    return _ask_undo(d, "undo")


def _not_undoable(table: Table) -> Refusal | None:
    settlement = table.settlement
    if settlement is None or settlement.undo is None:
        return _no_round()
    if any(prize.status == "paid" for prize in settlement.prizes):
        return Refusal("not-allowed", "5.15", msg("A prize of this round is paid already; the settlement stands."))
    if table.service or any(seat.testing for seat in table.seats):
        return Refusal("not-allowed", "10.2", msg("A test or service mode is on; end it before the round comes back."))
    return None


def _ask_undo(d: Draft, kind: str) -> None:
    s = d.state.settlement
    assert s is not None
    d.ask(kind, Undo(s.moves, s.params_before, s.planned_before, s.scheduled_before))


def _unsettled(d: Draft, answer: PotAnswer) -> None:
    s = d.state.settlement
    assert s is not None
    assert s.undo is not None
    bets = tuple(_as_now(d.state, seat, bet) for seat, bet in enumerate(s.undo.bets, start=1))
    move(d, answer)
    counts: dict[str, int] = {}
    for prize in s.prizes:
        if prize.status != "denied":
            counts[prize.hand.value] = counts.get(prize.hand.value, 0) - 1
    hits = _hits_without(d.state, s, frozenset(prize.seat for prize in s.prizes))
    d.emit(RoundUnsettled(replace(s.undo, bets=bets), hits, counts, _settled_before(s)))


def _settled_before(s: Settlement) -> Settlement | None:
    """The last settled round, once `s` is undone: its prizes can be read, and that is all."""
    if not s.round_before:
        return None
    nothing = Units(0)
    return Settlement(s.round_before, s.prizes_before, PotMeters(), nothing, nothing)


def _hits_without(table: Table, s: Settlement, seats: frozenset[int]) -> tuple[Hit, ...]:
    """The last hits as if `seats` had won nothing in the settlement: those that theirs had displaced are back (8.2)."""
    older = (hit for hit in s.displaced if hit not in table.hits)
    kept = (hit for hit in table.hits if hit.round != s.round or hit.seat not in seats)
    return (*older, *kept)[-HITS:]


def _as_now(table: Table, seat: int, bet: Bet) -> Bet:
    """A bet of a settlement that is undone; that its seat has closed since is not undone (2.10)."""
    marked = table.round is not None and table.round.bets[seat - 1].approval
    closed = bool(bet.bet) and table.seats[seat - 1].closed is not None
    return replace(bet, approval=bet.approval or marked or closed)


# --- prizes ----------------------------------------------------------------------------------------------


def _prize(d: Draft, seat: int) -> Prize | None:
    """The seat's prize that waits in the settlement under way; else says why there is none."""
    round, settlement = d.state.round, d.state.settlement
    if round is None or round.phase != "paying" or settlement is None:
        d.refuse(_no_round())
        return None
    for prize in settlement.prizes:
        if prize.seat == seat and prize.status in ("unapproved", "payable"):
            return prize
    d.refuse(Refusal("no-prize", "5.11", msg("Seat {seat} has no prize that waits to be paid."), {"seat": str(seat)}))
    return None


def approve(d: Draft, act: do.Approve, by: str) -> None:
    """A supervisor approves a prize (5.11)."""
    prize = _prize(d, act.seat)
    if prize is None:
        return
    if prize.status != "unapproved":
        d.refuse(
            Refusal(
                "approved", "5.11", msg("The prize of seat {seat} needs no approval any more."), {"seat": str(act.seat)}
            )
        )
    else:
        d.emit(PrizeApproved(act.seat, by))


def paid(d: Draft, act: do.Paid) -> None:
    """The dealer confirms a payment; seat 1 upward, none before its approval (5.11)."""
    prize = _prize(d, act.seat)
    if prize is None:
        return
    settlement = d.state.settlement
    assert settlement is not None
    for other in settlement.prizes:
        if other.seat < act.seat and other.status in ("unapproved", "payable"):
            d.refuse(
                Refusal(
                    "out-of-order",
                    "5.11",
                    msg("Seat {seat} is paid first; prizes go from seat 1 upward."),
                    {"seat": str(other.seat)},
                )
            )
            return
    if prize.status == "unapproved":
        d.refuse(
            Refusal(
                "unapproved",
                "5.11",
                msg("The prize of seat {seat} needs the supervisor's approval first."),
                {"seat": str(act.seat)},
            )
        )
        return
    d.emit(PrizePaid(act.seat, prize.amount))
    _end_if_done(d)


def _end_if_done(d: Draft) -> None:
    settlement = d.state.settlement
    assert settlement is not None
    if all(prize.status in ("paid", "denied") for prize in settlement.prizes):
        d.emit(RoundEnded(d.round.number, "paid"))


def deny(d: Draft, act: do.Deny) -> None:
    """A supervisor denies a prize: it goes back where it came from (5.11)."""
    prize = _prize(d, act.seat)
    settlement = d.state.settlement
    if prize is None or settlement is None:
        return
    jackpots = {rule.hand for rule in (settlement.params_before or d.state.pot.params).prizes if rule.share == WHOLE}
    left = prize.hand not in jackpots or any(
        other.hand in jackpots and other.status != "denied" and other is not prize for other in settlement.prizes
    )
    award = Award(
        prize.seat,
        prize.hand,
        prize.amount,
        prize.share,
        prize.from_main,
        prize.from_reserve,
        prize.from_house,
        prize.before,
        prize.after,
    )
    d.ask(
        f"deny-{act.seat}",
        Release(
            award=award,
            jackpot_left=left,
            seeded_reserve=settlement.seeded_reserve,
            seeded_house=settlement.seeded_house,
            overflowed=settlement.moves.overflow,
            params_before=settlement.params_before,
            planned_before=settlement.planned_before,
            scheduled_before=settlement.scheduled_before,
        ),
    )


def _denied(d: Draft, seat: int, s: PotAnswer) -> None:
    answer, settlement = s.answer, d.state.settlement
    assert settlement is not None
    prize = next(prize for prize in settlement.prizes if prize.seat == seat)
    move(d, s)
    d.emit(
        PrizeDenied(
            seat=seat,
            hand=prize.hand,
            hits=_hits_without(d.state, settlement, frozenset({seat})),
            moves=add(settlement.moves, answer.moves),
            seeded_reserve=Units(settlement.seeded_reserve + answer.seeded_reserve),
            seeded_house=Units(settlement.seeded_house + answer.seeded_house),
            params_back=answer.params is not None,
        )
    )
    _end_if_done(d)


# --- voiding ---------------------------------------------------------------------------------------------


def void(d: Draft, act: do.Void) -> None:
    """The round is void: every side bet goes back, and both pots stand as before it (5.13, 3.3)."""
    round = d.state.round
    if round is None:
        d.refuse(Refusal("not-locked", "5.13", msg("There is no round to void.")))
        return
    if round.phase == "paying":
        refusal = _not_undoable(d.state)
        if refusal is not None:
            d.refuse(refusal)
        else:
            _ask_undo(d, "undo-void")
    else:
        _return_all(d)


def _return_all(d: Draft) -> None:
    bets = tuple((seat, bet.bet) for seat, bet in enumerate(d.round.bets, start=1) if bet.bet)
    if bets and d.round.sealed:
        d.ask("void", Return(bets, d.round.overflowed))
    else:
        _voided(d)


def _voided(d: Draft) -> None:
    """Every bet goes back; a forfeited one too, for the round never was."""
    for seat, bet in enumerate(d.round.bets, start=1):
        if bet.bet:
            give_back(d, seat, "void")
    d.emit(RoundEnded(d.round.number, "void"))


# --- the pot's answers -----------------------------------------------------------------------------------


def move(d: Draft, s: PotAnswer) -> None:
    """Take in what a pot's answer moved."""
    answer = s.answer
    d.emit(
        PotMoved(
            key=s.key,
            moves=answer.moves,
            main=answer.main,
            reserve=answer.reserve,
            overflowed=answer.overflowed,
            params=answer.params,
            planned=answer.planned,
            scheduled=answer.scheduled,
            closed=answer.closed,
        )
    )


def _returned(d: Draft, s: PotAnswer) -> None:
    """The pot let go of the bets that it was asked to return: they go back to their seats (2.1, 5.13)."""
    asked = d.state.asked
    assert asked is not None
    assert isinstance(asked.ask, Return)
    move(d, s)
    for seat, _ in asked.ask.bets:
        give_back(d, seat, "irregular")


def answered(d: Draft, s: PotAnswer) -> None:
    """The pot answered a question about the round."""
    kind = s.key[2]
    if kind == "contribute":
        move(d, s)
    elif kind == "claim":
        _settled(d, s)
    elif kind == "undo":
        _unsettled(d, s)
    elif kind == "undo-void":
        _unsettled(d, s)
        _return_all(d)
    elif kind == "void":
        move(d, s)
        _voided(d)
    elif kind == "return":
        _returned(d, s)
    elif kind.startswith("deny-"):
        _denied(d, int(kind.removeprefix("deny-")), s)
