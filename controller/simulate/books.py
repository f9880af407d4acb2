"""A second bookkeeper: what the meters must say, from what players and dealer did and never from events (rules 3–5).

Amounts are pot units (3.2) where nothing else is said. Parameters do not change while a simulation runs.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from controller.core.cards import Hand
from controller.core.events import TableOpened
from controller.core.messages import msg
from controller.core.money import UNITS, WHOLE
from controller.core.potwords import PrizeRule
from controller.core.state import Table
from controller.simulate.findings import AuditError

MOVES = (
    "bets", "commission", "to_main", "to_reserve", "overflow", "seed_reserve", "seed_house", "paid_from_main",
    "reserve_cover", "house_cover", "fixed_prizes", "share_prizes",
)  # fmt: skip
"""The meters of the pot that a simulation moves."""

COUNTED = ("bet_count", "turnover", "returned", "credits_in", "credits_out", "late_chips", "excess_chips")
"""The table's own meters that a simulation moves."""

AMOUNTS = ("turnover", "returned")
"""Those of them that are amounts, in minor units."""


class Claim(NamedTuple):
    """A hand that was not forfeited, and its bet in minor units."""

    hand: Hand
    bet: int


class Books:
    """The books of one table, from its opening on."""

    def __init__(self, opening: TableOpened) -> None:
        self.params = opening.params
        self.main: int = opening.main
        self.reserve: int = opening.reserve
        self.moved = dict.fromkeys(MOVES, 0)
        self.counted = dict.fromkeys(COUNTED, 0)
        self.hits: dict[str, int] = {}
        self.credits = dict.fromkeys(range(1, opening.setup.seats + 1), 0)

    # --- what happens ------------------------------------------------------------------------------------

    def sealed(self, bets: list[int]) -> None:
        """The bets of a round, in minor units, enter the pot (4.1, 4.5)."""
        total, params = sum(bets), self.params
        to_main = total * (WHOLE - params.commission - params.reserve)
        self._add(bets=total * UNITS, commission=total * params.commission)
        self._add(to_main=to_main, to_reserve=total * params.reserve)
        self.main += to_main
        self.reserve += total * params.reserve
        self._limit()
        self.counted["bet_count"] += sum(bet > 0 for bet in bets)
        self.counted["turnover"] += total

    def under_minimum(self, bet: int) -> None:
        """A bet goes back at the lock (2.5): it was turnover, and none of the pot's."""
        self.counted["turnover"] += bet
        self.counted["returned"] += bet

    def settled(self, claims: Mapping[int, Claim]) -> dict[int, int]:
        """What each seat wins, in minor units (5.9); the pot pays it and is seeded."""
        prizes: dict[int, int] = {}
        rules = self.params.prizes
        fixed = [rule for rule in rules if rule.share is None]
        shares = sorted((rule for rule in rules if rule.share is not None), key=lambda rule: rule.share or 0)
        order = (fixed, shares) if self.params.fixed_prizes == "first" else (shares, fixed)
        whole = False
        for rule in (*order[0], *order[1]):
            seats = sorted(seat for seat, claim in claims.items() if claim.hand is rule.hand)
            won = self._share(rule, seats, claims) if rule.share is not None else self._fixed(rule, seats, claims)
            prizes |= won
            whole = whole or (rule.share == WHOLE and bool(won))
            if won:
                self.hits[rule.hand.value] = self.hits.get(rule.hand.value, 0) + len(won)
        if whole:
            self._seed()
        return prizes

    def _fixed(self, rule: PrizeRule, seats: list[int], claims: Mapping[int, Claim]) -> dict[int, int]:
        """So many times the bet: from the main pot, the reserve pot, the house (4.6)."""
        won = {seat: claims[seat].bet * (rule.times or 0) for seat in seats}
        rest = sum(won.values())
        main = min(rest, self.main // UNITS)
        reserve = min(rest - main, self.reserve // UNITS)
        self.main -= main * UNITS
        self.reserve -= reserve * UNITS
        self._add(paid_from_main=main * UNITS, reserve_cover=reserve * UNITS)
        self._add(house_cover=(rest - main - reserve) * UNITS, fixed_prizes=rest * UNITS)
        return won

    def _share(self, rule: PrizeRule, seats: list[int], claims: Mapping[int, Claim]) -> dict[int, int]:
        """A part of the pot, rounded down once, divided; the odd rest to the lowest seat; each part capped (5.10)."""
        won: dict[int, int] = {}
        if seats:
            amount = self.main * (rule.share or 0) // (WHOLE * UNITS)
            for seat in seats:
                part = amount // len(seats) + (amount % len(seats) if seat == seats[0] else 0)
                won[seat] = part if rule.cap_times is None else min(part, rule.cap_times * claims[seat].bet)
        paid = sum(won.values())
        self.main -= paid * UNITS
        self._add(paid_from_main=paid * UNITS, share_prizes=paid * UNITS)
        return {seat: part for seat, part in won.items() if part}

    def _seed(self) -> None:
        """Up to the base, by the reserve as far as it goes, then by the house (4.4)."""
        need = max(0, self.params.base * UNITS - self.main)
        reserve = min(need, self.reserve)
        self.main += need
        self.reserve -= reserve
        self._add(seed_reserve=reserve, seed_house=need - reserve)
        self._limit()

    def _limit(self) -> None:
        """What exceeds the limit goes to the reserve pot (4.5)."""
        limit = self.params.limit
        over = 0 if limit is None else max(0, self.main - limit * UNITS)
        self.main -= over
        self.reserve += over
        self._add(overflow=over)

    def _add(self, **moves: int) -> None:
        for name, amount in moves.items():
            self.moved[name] += amount

    # --- what must be ------------------------------------------------------------------------------------

    def compare(self, table: Table) -> None:
        """Raise AuditError when the table's books say anything else than these."""
        pot, meters = table.pot, table.meters
        found = {"main": pot.main, "reserve": pot.reserve}
        wanted = {"main": self.main, "reserve": self.reserve, **self.moved, **self.counted}
        found |= {name: getattr(pot.meters, name) for name in MOVES}
        found |= {name: getattr(meters, name) for name in COUNTED}
        if found != wanted:
            name = next(name for name in wanted if found[name] != wanted[name])
            raise _differs("3.3", name, found[name], wanted[name])
        if {hand: count for hand, count in meters.hits.items() if count} != self.hits:
            raise _differs("8.1", "hits", meters.hits, self.hits)
        credits = {seat.seat: seat.credits for seat in table.seats}
        if credits != self.credits:
            raise _differs("2.2", "credits", credits, self.credits)


def _differs(clause: str, name: str, found: object, wanted: object) -> AuditError:
    text = msg("the table's {name} is {found}; what was counted makes it {wanted}")
    return AuditError(clause, text, name=name, found=found, wanted=wanted)


def identities(table: Table) -> None:
    """Raise AuditError unless the four sums of 3.3 hold exactly, worked out here once more."""
    pot, m = table.pot, table.pot.meters
    sums = {
        "bets": (m.bets, m.commission + m.to_reserve + m.to_main),
        "main": (
            pot.main,
            m.opening_main + m.to_main + m.seed_reserve + m.seed_house - m.paid_from_main - m.overflow
            + m.corrections_main + m.transfers_in_main - m.transfers_out_main,
        ),
        "reserve": (
            pot.reserve,
            m.opening_reserve + m.to_reserve + m.overflow - m.seed_reserve - m.reserve_cover
            + m.corrections_reserve + m.transfers_in_reserve - m.transfers_out_reserve,
        ),
        "prizes": (m.fixed_prizes + m.share_prizes, m.paid_from_main + m.reserve_cover + m.house_cover),
    }  # fmt: skip
    for name, (found, wanted) in sums.items():
        if found != wanted:
            raise _differs("3.3", name, found, wanted)
