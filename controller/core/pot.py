"""The pot: an aggregate that is asked and answers; nobody edits it (rules 3.2–4.10).

A question (`Ask`) carries everything that the pot needs to know of a table; the answer (`Moved`) everything that
moved, and what the pots then hold. A local pot answers at once through `respond`; a shared one will answer later,
with the same words. Whoever asks keeps the key (table, round, kind, n), so that no question counts twice.

Amounts are pot units unless they are called ``Minor``.
"""

from __future__ import annotations

from msgspec import Struct
from msgspec.structs import asdict, replace

from controller.core.cards import Hand
from controller.core.messages import msg
from controller.core.money import UNITS, WHOLE, Minor, Units, part_of_bet, share_of_pot, to_units, whole
from controller.core.potwords import (
    Amend,
    Ask,
    Award,
    Change,
    Claim,
    Contribute,
    Empty,
    Fill,
    FixedClaim,
    Params,
    Plan,
    Pot,
    PotMeters,
    Release,
    Return,
    ShareClaim,
    Undo,
)
from controller.core.refusals import Refusal


class Moved(Struct, frozen=True):
    """A pot's answer. `moves` holds each meter's increase; None fields did not change.

    `refusal` is set when the pot declined; then nothing moved.
    """

    main: Units
    reserve: Units
    moves: PotMeters = PotMeters()
    awards: tuple[Award, ...] = ()
    overflowed: Units = Units(0)
    seeded_reserve: Units = Units(0)
    seeded_house: Units = Units(0)
    params: Params | None = None
    planned: Params | None = None
    scheduled: tuple[Change, ...] | None = None
    closed: bool | None = None
    refusal: Refusal | None = None


class PotError(Exception):
    """An identity of 3.3 does not hold; the message says which and by how much. Nothing may be committed."""


# --- what must always hold -------------------------------------------------------------------------------


def main_of(m: PotMeters) -> int:
    """The main pot that the meters `m` amount to (3.3)."""
    return (
        m.opening_main + m.to_main + m.seed_reserve + m.seed_house - m.paid_from_main - m.overflow
        + m.corrections_main + m.transfers_in_main - m.transfers_out_main
    )  # fmt: skip


def reserve_of(m: PotMeters) -> int:
    """The reserve pot that the meters `m` amount to (3.3)."""
    return (
        m.opening_reserve + m.to_reserve + m.overflow - m.seed_reserve - m.reserve_cover
        + m.corrections_reserve + m.transfers_in_reserve - m.transfers_out_reserve
    )  # fmt: skip


def check(pot: Pot) -> None:
    """Raise PotError unless the identities of 3.3 hold exactly and no pot is negative."""
    m = pot.meters
    if m.bets != m.commission + m.to_reserve + m.to_main:
        raise PotError(f"bets {m.bets} != {m.commission} + {m.to_reserve} + {m.to_main} (3.3)")
    if pot.main != main_of(m):
        raise PotError(f"main pot {pot.main} != {main_of(m)} by its meters (3.3)")
    if pot.reserve != reserve_of(m):
        raise PotError(f"reserve pot {pot.reserve} != {reserve_of(m)} by its meters (3.3)")
    if m.fixed_prizes + m.share_prizes != m.paid_from_main + m.reserve_cover + m.house_cover:
        raise PotError("prizes do not equal what main, reserve and house gave (3.3)")
    if pot.main < 0 or pot.reserve < 0:
        raise PotError(f"a pot is negative: main {pot.main}, reserve {pot.reserve}")


def add(meters: PotMeters, moves: PotMeters) -> PotMeters:
    """Meters after `moves`."""
    gains = {name: value for name, value in asdict(moves).items() if value}
    return replace(meters, **{name: getattr(meters, name) + value for name, value in gains.items()})


def negated(moves: PotMeters) -> PotMeters:
    """The opposite of `moves`."""
    return PotMeters(**{name: Units(-value) for name, value in asdict(moves).items()})


# --- answers ---------------------------------------------------------------------------------------------


def respond(pot: Pot, ask: Ask) -> Moved:
    """The local pot's answer to `ask`. Pure; nothing is refused but what the answer's `refusal` says."""
    match ask:
        case Contribute():
            return _contribute(pot, ask)
        case Return():
            return _return(pot, ask)
        case Claim():
            return _claim(pot, ask)
        case Release():
            return _release(pot, ask)
        case Undo():
            return _undo(pot, ask)
        case Plan():
            return _plan(pot, ask)
        case Amend():
            return _amend(pot, ask)
        case Empty():
            return _empty(pot)
        case Fill():
            return _fill(pot, ask)


def _split(params: Params, bets: tuple[tuple[int, Minor], ...]) -> tuple[Units, Units, Units, Units]:
    """Bets, commission, reserve share and main share of `bets`, exactly (4.1)."""
    total = Minor(sum(bet for _, bet in bets))
    commission = part_of_bet(total, params.commission)
    reserve = part_of_bet(total, params.reserve)
    return to_units(total), commission, reserve, Units(to_units(total) - commission - reserve)


def _overflow(params: Params, main: int) -> Units:
    """What a main pot holds over its limit (4.5)."""
    return Units(0 if params.limit is None else max(0, main - to_units(params.limit)))


def _answer(pot: Pot, moves: PotMeters) -> Moved:
    """What the pots hold once `moves` is applied; the pot values follow from the identities alone."""
    return Moved(Units(pot.main + main_of(moves)), Units(pot.reserve + reserve_of(moves)), moves)


def _contribute(pot: Pot, ask: Contribute) -> Moved:
    bets, commission, to_reserve, to_main = _split(pot.params, ask.bets)
    over = _overflow(pot.params, pot.main + to_main)
    moves = PotMeters(bets=bets, commission=commission, to_main=to_main, to_reserve=to_reserve, overflow=over)
    return replace(_answer(pot, moves), overflowed=over)


def _return(pot: Pot, ask: Return) -> Moved:
    bets, commission, to_reserve, to_main = _split(pot.params, ask.bets)
    over = Units(min(to_main, ask.overflowed))
    moves = negated(PotMeters(bets=bets, commission=commission, to_main=to_main, to_reserve=to_reserve, overflow=over))
    return replace(_answer(pot, moves), overflowed=Units(-over))


class _Till:
    """The money at hand while a settlement is worked out, step after step (5.9)."""

    def __init__(self, pot: Pot) -> None:
        self.main: int = pot.main
        self.reserve: int = pot.reserve
        self.awards: list[Award] = []

    def fixed(self, claims: tuple[FixedClaim, ...]) -> None:
        """Fixed prizes: the main pot's whole minor units, then the reserve's, then the house (4.3, 4.6)."""
        for claim in claims:
            main = min(claim.amount, whole(Units(self.main)))
            reserve = min(claim.amount - main, whole(Units(self.reserve)))
            self._award(claim.seat, claim.hand, claim.amount, False, main, reserve)

    def share(self, claim: ShareClaim) -> None:
        """One class of share prizes: rounded down once, divided equally, the odd rest to the lowest seat, each
        winner's part capped; what a cap cuts off stays in the pot (3.2, 5.10)."""
        amount = share_of_pot(Units(self.main), claim.share)
        each, odd = divmod(amount, len(claim.winners))
        for n, (seat, cap) in enumerate(sorted(claim.winners)):
            part = each + (odd if n == 0 else 0)
            self._award(seat, claim.hand, min(part, cap) if cap is not None else part, True, None, 0)

    def _award(self, seat: int, hand: Hand, amount: int, share: bool, main: int | None, reserve: int) -> None:
        if amount <= 0:
            return
        main = amount if main is None else main
        before = self.main
        self.main -= main * UNITS
        self.reserve -= reserve * UNITS
        self.awards.append(
            Award(
                seat, hand, Minor(amount), share, Minor(main), Minor(reserve), Minor(amount - main - reserve),
                Units(before), Units(self.main),
            )
        )  # fmt: skip


def _claim(pot: Pot, ask: Claim) -> Moved:
    till = _Till(pot)
    if pot.params.fixed_prizes == "first":
        till.fixed(ask.fixed)
    jackpot = False
    for claim in sorted(ask.shares, key=lambda claim: claim.share):
        count = len(till.awards)
        till.share(claim)
        jackpot = jackpot or (claim.share == WHOLE and len(till.awards) > count)
    if pot.params.fixed_prizes == "last":
        till.fixed(ask.fixed)
    seeded = _seed(pot, till) if jackpot else PotMeters()
    awards = tuple(sorted(till.awards, key=lambda award: award.seat))
    moves = add(_prizes(awards), seeded)
    answer = replace(
        _answer(pot, moves), awards=awards, seeded_reserve=seeded.seed_reserve, seeded_house=seeded.seed_house
    )
    if jackpot and pot.planned is not None:
        answer = replace(answer, params=pot.planned, scheduled=())
    return answer


def _prizes(awards: tuple[Award, ...]) -> PotMeters:
    """What `awards` move from the three purses."""
    return PotMeters(
        paid_from_main=Units(sum(a.from_main for a in awards) * UNITS),
        reserve_cover=Units(sum(a.from_reserve for a in awards) * UNITS),
        house_cover=Units(sum(a.from_house for a in awards) * UNITS),
        fixed_prizes=Units(sum(a.amount for a in awards if not a.share) * UNITS),
        share_prizes=Units(sum(a.amount for a in awards if a.share) * UNITS),
    )


def _seed(pot: Pot, till: _Till) -> PotMeters:
    """Raise a main pot below its base, by the reserve as far as it goes, then the house; scheduled parameters
    take effect just before (4.4), and their limit at once (4.5)."""
    params = pot.planned or pot.params
    need = max(0, to_units(params.base) - till.main)
    from_reserve = min(need, till.reserve)
    return PotMeters(
        seed_reserve=Units(from_reserve),
        seed_house=Units(need - from_reserve),
        overflow=_overflow(params, till.main + need),
    )


def _release(pot: Pot, ask: Release) -> Moved:
    back = _prizes((ask.award,))
    params, seeded, overflowed = pot.params, ask.seeded_reserve + ask.seeded_house, ask.overflowed
    if ask.jackpot_left:
        # As if the denied prize had never been in the settlement: the seed only brings the pot up to its base.
        seeded = min(seeded, max(0, pot.main + back.paid_from_main - to_units(params.base)))
        overflowed = Units(0)
    elif ask.params_before is not None:
        params = ask.params_before
    house = min(seeded, ask.seeded_house)
    seed = PotMeters(seed_house=Units(house), seed_reserve=Units(seeded - house), overflow=overflowed)
    moves = negated(add(back, seed))
    over = _overflow(params, pot.main + main_of(moves))
    answer = _answer(pot, add(moves, PotMeters(overflow=over)))
    answer = replace(answer, seeded_reserve=Units(-seed.seed_reserve), seeded_house=Units(-seed.seed_house))
    return answer if ask.jackpot_left else _params_back(pot, answer, ask)


def _undo(pot: Pot, ask: Undo) -> Moved:
    return _params_back(pot, _answer(pot, negated(ask.moves)), ask)


def _params_back(pot: Pot, answer: Moved, ask: Release | Undo) -> Moved:
    """The parameters that a settlement had brought wait again, and so does what was scheduled upon them since."""
    if ask.params_before is None:
        return answer
    return replace(
        answer,
        params=ask.params_before,
        planned=pot.planned or ask.planned_before,
        scheduled=(*ask.scheduled_before, *pot.scheduled),
    )


def _plan(pot: Pot, ask: Plan) -> Moved:
    limit, waiting = ask.params.limit, (pot.planned or pot.params).limit
    if limit is not None and limit != waiting and to_units(limit) < pot.main:
        return Moved(pot.main, pot.reserve, refusal=_limit_below())
    return Moved(pot.main, pot.reserve, planned=ask.params, scheduled=(*pot.scheduled, ask.change))


def _limit_below() -> Refusal:
    return Refusal(
        "limit-below-pot", "4.5", msg("The limit would lie below what the pot holds now; choose a higher one.")
    )


def _amend(pot: Pot, ask: Amend) -> Moved:
    main, reserve = to_units(ask.main), to_units(ask.reserve)
    if pot.main + main < 0 or pot.reserve + reserve < 0:
        return Moved(
            pot.main,
            pot.reserve,
            refusal=Refusal(
                "over-maximum", "4.7", msg("The correction takes more than the pot holds; correct by less.")
            ),
        )
    over = _overflow(pot.params, pot.main + main)
    return _answer(pot, PotMeters(corrections_main=main, corrections_reserve=reserve, overflow=over))


def _empty(pot: Pot) -> Moved:
    moves = PotMeters(transfers_out_main=pot.main, transfers_out_reserve=pot.reserve)
    answer = replace(_answer(pot, moves), closed=True)
    return answer if pot.planned is None else replace(answer, params=pot.planned, scheduled=())


def _fill(pot: Pot, ask: Fill) -> Moved:
    over = _overflow(pot.params, pot.main + ask.main)
    moves = PotMeters(transfers_in_main=ask.main, transfers_in_reserve=ask.reserve, overflow=over)
    return replace(_answer(pot, moves), closed=False)
