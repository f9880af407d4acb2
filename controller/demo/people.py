"""Who is at the table: three people of the house and a player at each seat, each with a way of betting.

What a player does in a round is planned before it begins, from the demo's one generator, and carried out one act
after another. So the same seed gives the same evening, at any speed.
"""

from __future__ import annotations

from random import Random
from typing import Literal, NamedTuple

from controller.core.inputs import Actor
from controller.core.state import Table

DEALER = Actor("Inés", ("dealer",), "demo")
SUPERVISOR = Actor("Tomás", ("supervisor",), "demo")
TECHNICIAN = Actor("Lucía", ("technician",), "demo")

NAMES = ("Ana", "Bruno", "Carla", "Diego", "Elena", "Félix", "Gloria")

Deed = Literal["buy", "press", "chip"]


class Act(NamedTuple):
    """What a player does, `at` so many seconds after betting opened. `credits` are those bought."""

    at: float
    seat: int
    deed: Deed
    credits: int = 0


class Limits(NamedTuple):
    """The posted minimum and maximum, in credits, or in the smallest chips."""

    least: int
    most: int


def limits(table: Table) -> Limits:
    """The limits of the bets at `table`."""
    params, one = table.pot.params, table.setup.denomination
    return Limits(-(-params.bet_min // one), params.bet_max // one)


class Player:
    """One player: how often, how much and how quickly they bet, and how sure of themselves they are."""

    def __init__(self, seat: int, rng: Random) -> None:
        self.seat = seat
        self.name = NAMES[(seat - 1) % len(NAMES)]
        self._eager = rng.uniform(0.65, 0.97)
        self._bold = rng.random()
        self._beat = rng.uniform(0.3, 0.7)
        self._doubt = rng.uniform(0.0, 0.2)

    def plan(self, rng: Random, acceptor: str, limits: Limits, credits: int) -> list[Act]:
        """What this player does while betting is open; nothing, when they sit this round out."""
        if rng.random() > self._eager:
            return []
        stake = self._stake(rng, limits)
        at = rng.uniform(0.8, 3.5)
        if acceptor == "chips":
            over = stake == limits.most and rng.random() < self._doubt / 2  # one more than the table takes
            return self._acts(rng, at, "chip", stake + over)
        presses = stake
        if rng.random() < self._doubt:  # beyond the maximum: the bet is taken back, and made again (2.2)
            presses = limits.most + 1 + stake
        acts = []
        most_at_once = min(presses, limits.most)
        if credits < most_at_once:
            if rng.random() < 0.2:  # presses first, and sees that there are no credits left
                acts.append(Act(at, self.seat, "press"))
                at += 1.2
            acts.append(Act(at, self.seat, "buy", rng.choice((5, 10, 20)) + most_at_once))
            at += 0.9
        return acts + self._acts(rng, at, "press", presses)

    def _stake(self, rng: Random, limits: Limits) -> int:
        stake = limits.least
        while stake < limits.most and rng.random() < self._bold:
            stake += 1
        return stake

    def _acts(self, rng: Random, at: float, deed: Deed, count: int) -> list[Act]:
        acts = []
        for _ in range(count):
            acts.append(Act(at, self.seat, deed))
            at += self._beat * rng.uniform(0.7, 1.5)
        return acts


def merged(plans: list[list[Act]], gap: float = 0.12) -> list[Act]:
    """All players' acts in one order, never two at once: the next begins `gap` seconds after the last at least."""
    merged: list[Act] = []
    for act in sorted((act for plan in plans for act in plan), key=lambda act: (act.at, act.seat)):
        at = max(act.at, merged[-1].at + gap) if merged else act.at
        merged.append(act._replace(at=at))
    return merged
