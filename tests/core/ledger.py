"""A second bookkeeper, who has never read the code: rules 3–5 once more, in fractions, from acts and not from events.

`Books` are one pot's pots, meters and parameters, in minor units. Each function takes books and returns new ones, so
that "as if it had never been" is what it says: the books from before, with the rest worked out again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from math import floor

from controller.core.cards import HANDS, Hand
from controller.core.potwords import Params, PrizeRule

ALL = 10_000
"""One hundred percent, in hundredths of a percent; also the pot units in a minor unit."""


@dataclass(frozen=True)
class Books:
    """One table's pot: what it holds, what its meters say (3.3), what is in force and what waits (4.8)."""

    main: Fraction
    reserve: Fraction
    params: Params
    meters: Mapping[str, Fraction] = field(default_factory=dict)
    planned: Params | None = None
    scheduled: tuple[tuple[str, str], ...] = ()
    closed: bool = False

    def moved(self, main: Fraction | int = 0, reserve: Fraction | int = 0, **meters: Fraction | int) -> Books:
        """The books after the two pots and some meters have changed by so much."""
        new = dict(self.meters)
        for name, amount in meters.items():
            new[name] = new.get(name, Fraction(0)) + amount
        return replace(self, main=self.main + main, reserve=self.reserve + reserve, meters=new)

    def meter(self, name: str) -> Fraction:
        return self.meters.get(name, Fraction(0))

    def capped(self) -> Books:
        """What exceeds the limit goes to the reserve pot (4.5)."""
        limit = self.params.limit
        over = Fraction(0) if limit is None else max(Fraction(0), self.main - limit)
        return self.moved(-over, over, overflow=over)


@dataclass(frozen=True)
class Won:
    """A prize as it ought to be, and where its money comes from."""

    seat: int
    hand: Hand
    amount: int
    share: bool
    from_main: int
    from_reserve: int = 0
    from_house: int = 0


@dataclass(frozen=True)
class Stake:
    """A declared hand that may win, and its bet."""

    seat: int
    hand: Hand
    bet: int


def opened(params: Params, main: Fraction, reserve: Fraction) -> Books:
    """A new pot (4.2)."""
    return Books(main, reserve, params, {"opening_main": main, "opening_reserve": reserve})


def contributed(books: Books, bets: Iterable[int]) -> Books:
    """A sealed round's bets enter (4.1, 4.5)."""
    total = sum(bets)
    commission = Fraction(total * books.params.commission, ALL)
    reserve = Fraction(total * books.params.reserve, ALL)
    main = total - commission - reserve
    return books.moved(
        main, reserve, bets=total, commission=commission, to_reserve=reserve, to_main=main
    ).capped()  # fmt: skip


def settled(books: Books, stakes: list[Stake]) -> tuple[Books, list[Won]]:
    """All prizes of a round in the order of 5.9, each from where 4.3 and 4.6 say, then the seeding of 4.4."""
    won: list[Won] = []
    if books.params.fixed_prizes == "first":
        books = _fixed(books, stakes, won)
    books, jackpot = _shares(books, stakes, won)
    if books.params.fixed_prizes == "last":
        books = _fixed(books, stakes, won)
    if jackpot:
        if books.planned is not None:
            books = replace(books, params=books.planned, planned=None, scheduled=())
        books = seeded(books)
    return books, sorted(won, key=lambda prize: prize.seat)


def _of(books: Books, want: Callable[[PrizeRule], bool]) -> list[PrizeRule]:
    return [rule for rule in books.params.prizes if want(rule)]


def _fixed(books: Books, stakes: list[Stake], won: list[Won]) -> Books:
    times = {rule.hand: rule.times for rule in _of(books, lambda rule: rule.times is not None)}
    for stake in sorted(stakes, key=lambda stake: stake.seat):
        if (many := times.get(stake.hand)) is not None:
            amount = many * stake.bet
            main = min(amount, floor(books.main))
            reserve = min(amount - main, floor(books.reserve))
            prize = Won(stake.seat, stake.hand, amount, False, main, reserve, amount - main - reserve)
            won.append(prize)
            books = paid_out(books, prize)
    return books


def _shares(books: Books, stakes: list[Stake], won: list[Won]) -> tuple[Books, bool]:
    jackpot = False
    classes = [(rule.share or 0, HANDS.index(rule.hand), rule) for rule in _of(books, lambda r: r.share is not None)]
    for share, _, rule in sorted(classes, key=lambda entry: entry[:2]):
        winners = sorted((stake for stake in stakes if stake.hand is rule.hand), key=lambda stake: stake.seat)
        if not winners:
            continue
        amount = floor(books.main * share / ALL)
        each = amount // len(winners)
        for place, stake in enumerate(winners):
            part = each + (amount - each * len(winners) if place == 0 else 0)
            if rule.cap_times is not None:
                part = min(part, rule.cap_times * stake.bet)
            if part:
                prize = Won(stake.seat, stake.hand, part, True, part)
                won.append(prize)
                books = paid_out(books, prize)
                jackpot = jackpot or share == ALL
    return books, jackpot


def seeded(books: Books) -> Books:
    """A main pot below its base is raised to it: from the reserve as far as it goes, then by the house (4.4)."""
    need = max(Fraction(0), books.params.base - books.main)
    reserve = min(need, books.reserve)
    return books.moved(need, -reserve, seed_reserve=reserve, seed_house=need - reserve).capped()


def paid_out(books: Books, prize: Won, sign: int = 1) -> Books:
    """A prize leaves the three purses; with `sign` -1 it goes back where it came from (5.11)."""
    return books.moved(
        -sign * prize.from_main,
        -sign * prize.from_reserve,
        paid_from_main=sign * prize.from_main,
        reserve_cover=sign * prize.from_reserve,
        house_cover=sign * prize.from_house,
        **{"share_prizes" if prize.share else "fixed_prizes": sign * prize.amount},
    )


def denied(books: Books, before: Books, standing: list[Won], prize: Won) -> Books:
    """A prize is denied (5.11). `before` are the books before the settlement, `standing` what is still to be paid.

    While a 100 % prize stands, the seed only brings the pot up to its base. When the last one is denied, its seeding
    and the parameters that came with it never were; what was scheduled since waits on.
    """
    whole = {rule.hand for rule in before.params.prizes if rule.share == ALL}
    bare = before
    for other in standing:
        bare = paid_out(bare, other)
    if not any(other.hand in whole for other in standing):
        if prize.hand not in whole:
            return paid_out(books, prize, -1)
        return with_schedule_of(bare, books, came_into_force=books.params is not before.params)
    need = max(Fraction(0), books.params.base - bare.main)
    reserve = min(need, books.meter("seed_reserve") - before.meter("seed_reserve"))
    bare = replace(bare, params=books.params, planned=books.planned, scheduled=books.scheduled)
    return bare.moved(need, -reserve, seed_reserve=reserve, seed_house=need - reserve).capped()


def with_schedule_of(old: Books, now: Books, came_into_force: bool) -> Books:
    """`old`, with the changes that were scheduled after it (4.8: a change is recorded, and waits)."""
    if came_into_force:
        return replace(old, planned=now.planned or old.planned, scheduled=(*old.scheduled, *now.scheduled))
    return replace(old, planned=now.planned, scheduled=now.scheduled)
