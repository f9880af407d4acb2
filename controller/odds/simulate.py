"""A year of the meter, many times over: seeded, vectorised, and with its error.

Each simulated year is one entry of an array; all years take a day at a time. How often each prize falls in a day is
drawn exactly (a multinomial of the day's bets). A day in which the pot pays a share is taken in pieces, from share to
share, so that every share finds the pot that it would have found. Hands of one round count as independent here, and a
limit or an empty pot is looked at where a piece ends; both are far below the error that is stated.

The arrays are floats in minor units. They are for looking at: nothing here goes back into money.
"""

from __future__ import annotations

from collections.abc import Callable
from math import sqrt
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from controller.core.cards import Hand
from controller.core.money import WHOLE, Minor
from controller.core.params import main_share
from controller.core.potwords import Params
from controller.odds.returns import chance

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

DAYS = 365
YEARS = 4_000
QUANTILES = (0.05, 0.5, 0.95)
SIGMAS = 1.959964
"""Standard deviations of a normal law that hold 95 % of it."""


class Setting(NamedTuple):
    """What happens at the table: the pot at the start, and every bet (minor units), seats in a round, rounds in a
    day; `seed` of the generator; how many `years` are simulated, of how many `days`."""

    pot: Minor
    bet: Minor
    seats: int
    rounds: int
    seed: int
    years: int = YEARS
    days: int = DAYS

    @property
    def bets(self) -> int:
        """Bets in a day."""
        return self.seats * self.rounds


class Year(NamedTuple):
    """What the simulated years had in common.

    `quantiles` has a row for each of `QUANTILES` and a column for each day, the first the start; `example` is one
    year. `median` is the interval that holds the true median of the last day with 95 %, whatever its law; `mean` and
    `error` its mean and that mean's standard error. `hits` counts prizes in all years together, of `bets` bets;
    `jackpots` are the pots that the 100 % prize found.
    """

    quantiles: Floats
    example: Floats
    median: tuple[float, float]
    mean: float
    error: float
    bets: int
    hits: dict[Hand, int]
    jackpots: Floats


def year(
    params: Params,
    setting: Setting,
    progress: Callable[[int, int], None] = lambda done, of: None,
) -> Year:
    """Simulate; `progress` hears of every day that is done."""
    years, days = setting.years, setting.days
    table = _Table(params, setting)
    quantiles, example = np.empty((len(QUANTILES), days + 1)), np.empty(days + 1)
    for day in range(days + 1):
        if day:
            table.day()
        quantiles[:, day] = np.quantile(table.pots, QUANTILES)
        example[day] = table.pots[0]
        progress(day, days)
    last = np.sort(table.pots)
    around = SIGMAS * sqrt(years) / 2
    low, high = max(0, int(years / 2 - around)), min(years - 1, int(years / 2 + around))
    return Year(
        quantiles=quantiles,
        example=example,
        median=(float(last[low]), float(last[high])),
        mean=float(last.mean()),
        error=float(last.std(ddof=1)) / sqrt(years),
        bets=years * days * setting.bets,
        hits={rule.hand: int(n) for rule, n in zip(table.rules, table.hits, strict=True)},
        jackpots=np.concatenate([np.empty(0), *table.found]),
    )


class _Table:
    """Many tables alike, each with its pot."""

    def __init__(self, params: Params, setting: Setting) -> None:
        self.rules = sorted(params.prizes, key=lambda rule: rule.share is not None)
        self.fixed = sum(rule.share is None for rule in self.rules)
        self.bets = setting.bets
        self.base = float(params.base)
        self.limit = np.inf if params.limit is None else float(params.limit)
        self.brings = setting.bet * main_share(params) / WHOLE
        self.pays: Floats = np.array([float(setting.bet * (rule.times or 0)) for rule in self.rules[: self.fixed]])
        shares = self.rules[self.fixed :]
        self.caps = [np.inf if rule.cap_times is None else float(rule.cap_times * setting.bet) for rule in shares]
        self.shares = [(rule.share or 0) / WHOLE for rule in shares]
        chances = [float(chance(rule.hand)) for rule in self.rules]
        self.chances = [*chances, 1 - sum(chances)]
        self.random = np.random.default_rng(setting.seed)
        self.pots: Floats = np.full(setting.years, float(setting.pot))
        self.hits: Ints = np.zeros(len(self.rules), dtype=np.int64)
        self.found: list[Floats] = []

    def day(self) -> None:
        """One day at every table."""
        drawn: Ints = self.random.multinomial(self.bets, self.chances, size=len(self.pots))[:, :-1]
        self.hits += drawn.sum(axis=0)
        fixed, shares = drawn[:, : self.fixed], drawn[:, self.fixed :]
        eventful = np.flatnonzero(shares.sum(axis=1))
        if len(eventful):
            self._eventful(eventful, fixed[eventful], shares[eventful])
        calm = np.flatnonzero(shares.sum(axis=1) == 0)
        self._piece(calm, np.full(len(calm), self.bets), fixed[calm])

    def _piece(self, tables: Ints, bets: Ints, fixed: Ints) -> None:
        """So many bets and fixed prizes; then the limit, and the bottom (4.5, 4.6)."""
        grown = self.pots[tables] + self.brings * bets - fixed @ self.pays
        self.pots[tables] = np.clip(grown, 0, self.limit)

    def _eventful(self, tables: Ints, fixed: Ints, shares: Ints) -> None:
        """A day at `tables`, each of which pays `shares` sometime in it: to the next share, and the rest."""
        fixed, shares = fixed.copy(), shares.copy()
        bets: Ints = np.full(len(tables), self.bets)
        while len(tables):
            count = shares.sum(axis=1)
            # The first of so many moments that are spread evenly over what is left of the day.
            until = 1 - self.random.random(len(tables)) ** (1 / np.maximum(count, 1))
            piece = np.where(count > 0, 1 + (until * (bets - count)).astype(np.int64), bets)
            before = self._split(fixed, bets - count, piece - (count > 0))
            self._piece(tables, piece, before)
            bets, fixed = bets - piece, fixed - before
            more = np.flatnonzero(count)
            tables, bets, fixed, shares = tables[more], bets[more], fixed[more], shares[more]
            self._pay(tables, shares)

    def _split(self, fixed: Ints, bets: Ints, first: Ints) -> Ints:
        """How many of the `fixed` prizes among `bets` bets fall on the `first` of them."""
        before = np.zeros_like(fixed)
        for n in range(fixed.shape[1]):
            before[:, n] = self.random.hypergeometric(fixed[:, n], bets - fixed[:, n], first)
            bets, first = bets - fixed[:, n], first - before[:, n]
        return before

    def _pay(self, tables: Ints, shares: Ints) -> None:
        """One share at each table, of a class drawn from those that are still to fall, which loses it."""
        count = shares.sum(axis=1)
        chosen = (self.random.random(len(tables))[:, None] * count[:, None] >= shares.cumsum(axis=1)).sum(axis=1)
        for n, (part, cap) in enumerate(zip(self.shares, self.caps, strict=True)):
            winning = tables[chosen == n]
            pots = self.pots[winning]
            if part == 1:
                self.found.append(pots)
                self.pots[winning] = np.maximum(pots - np.minimum(pots, cap), self.base)
            else:
                self.pots[winning] = pots - np.minimum(part * pots, cap)
        shares[np.arange(len(tables)), chosen] -= 1
