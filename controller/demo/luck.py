"""A demo may not wait for a royal flush, which comes once in 649 740 hands: the deck is stacked now and then."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from controller.core.cards import STRENGTH, Hand
from controller.core.games.catalogue import GAMES
from controller.core.money import WHOLE
from controller.core.state import Table


class Bag:
    """Gives every one of its `items` before any comes again, in an order that is drawn; `first` to begin with."""

    def __init__(self, rng: Random, items: Sequence[str], first: str) -> None:
        self._rng = rng
        self._items = tuple(items)
        self._left = rng.sample(self._items, len(self._items))
        self._left.remove(first)
        self._left.append(first)

    def draw(self) -> str:
        """The next item."""
        if not self._left:
            self._left = self._rng.sample(self._items, len(self._items))
        return self._left.pop()


def gifts(rng: Random, luck: str, seats: Sequence[int], table: Table) -> dict[int, Hand]:
    """Which of `seats` are to find which winning hand.

    `luck` is "fixed" (a prize of so many times the bet, the likelier ones more often), "share" (a part of the pot,
    sometimes for two seats at once, unless cards are shared), "grand" (the whole pot, every other time) or "" (nobody).
    """
    prizes = table.pot.params.prizes
    fixed = [rule.hand for rule in prizes if rule.share is None]
    shares = [rule.hand for rule in prizes if rule.share is not None and rule.share < WHOLE]
    whole = [rule.hand for rule in prizes if rule.share == WHOLE]
    if luck == "grand":
        luck = "whole" if rng.random() < 0.5 else "fixed"
    hands = {"fixed": fixed, "share": shares, "whole": whole}.get(luck, [])
    if not hands or not seats:
        return {}
    hands = sorted(hands, key=STRENGTH.__getitem__)
    hand = rng.choices(hands, weights=[2 ** (len(hands) - n) for n in range(len(hands))])[0]
    alone = GAMES[table.setup.game].shared_cards > 0  # whose cards are helped there, all others share
    winners = 2 if luck == "share" and not alone and len(seats) > 1 and rng.random() < 0.3 else 1
    return dict.fromkeys(rng.sample(list(seats), winners), hand)
