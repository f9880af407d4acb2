"""What players do at the bet button and the slot, so that every turn of clause 2 comes up in a long run."""

from __future__ import annotations

from random import Random
from typing import NamedTuple

from controller.core.potwords import Params
from controller.core.state import Setup

SITS_OUT = 0.1
UNDER = 0.02
CHANGES = 0.03
LATE = 0.02
CASHES = 0.02
"""How often a player bets nothing; under the minimum; first too much (2.2, 2.3); later than the key (2.8); takes the
credits home."""

BOUGHT = 20
"""Credits that a player buys at once, beside those that the bet needs."""


class Plan(NamedTuple):
    """What one player does in one round, counted in credits or in the smallest chips.

    `stake` is the bet that should be found at the lock; `acts` the presses, or chips, that lead to it, of which
    `excess` chips come back. `late`: one act more, later than the key, whose message it either overtakes or does not.
    """

    stake: int
    acts: int
    excess: int = 0
    late: bool = False
    overtakes: bool = False


class Habits:
    """How the players of one table bet."""

    def __init__(self, setup: Setup, params: Params) -> None:
        self._chips = setup.acceptor == "chips"
        self.least = -(-params.bet_min // setup.denomination)
        self.most = params.bet_max // setup.denomination

    def plan(self, rng: Random) -> Plan:
        """One player, one round."""
        late = rng.random() < LATE
        return self._bet(rng)._replace(late=late, overtakes=late and rng.random() < 0.5)

    def _bet(self, rng: Random) -> Plan:
        dice = rng.random()
        if dice < SITS_OUT:
            return Plan(0, 0)
        if dice < SITS_OUT + UNDER and self.least > 1:
            stake = rng.randrange(1, self.least)
            return Plan(stake, stake)
        stake = rng.randint(self.least, self.most)
        if rng.random() >= CHANGES:
            return Plan(stake, stake)
        if self._chips:
            return Plan(self.most, self.most + 1, excess=1)
        return Plan(stake, self.most + 1 + stake)

    def peak(self, plan: Plan) -> int:
        """How many credits `plan` ever has in the bet."""
        return min(self.most, plan.acts)
