"""A deck of cards, honest or stacked, and cards as they are laid down."""

from __future__ import annotations

from collections.abc import Iterable
from random import Random

from controller.core.cards import DECK, Card, Hand, hand_class
from controller.deal import Cards, Deck

_FLUSHES = (Hand.FLUSH, Hand.STRAIGHT_FLUSH, Hand.ROYAL_FLUSH)
_GROUPS = (Hand.FULL_HOUSE, Hand.FOUR_OF_A_KIND)

_TRIES = 20_000
"""More than enough for the rarest hand in a whole deck."""


class StackedDeck(Deck):
    """A shuffled deck in which hands can be found, which is cheating."""

    def __init__(self, rng: Random) -> None:
        super().__init__(rng)
        self._rng = rng

    def find(self, hand: Hand) -> Cards:
        """Five cards that are exactly a `hand`, out of those that are left. ValueError when none can be found."""
        for _ in range(_TRIES):
            pool = [card for card in self._likely(hand) if card in self._cards]
            if len(pool) < 5:
                continue
            cards = tuple(self._rng.sample(pool, 5))
            if hand_class(cards) is hand:
                self._cards = [card for card in self._cards if card not in cards]
                return cards
        raise ValueError(f"no {hand.value} is left in the deck")

    def _likely(self, hand: Hand) -> Iterable[Card]:
        """Cards among which a `hand` is not too hard to find."""
        rng = self._rng
        if hand in _FLUSHES:
            suit, low = rng.randrange(4), rng.randrange(-1, 8)
            ranks: Iterable[int] = range(13)
            if hand is not Hand.FLUSH:
                ranks = range(8, 13) if hand is Hand.ROYAL_FLUSH else _run(low)
            return [Card(rank * 4 + suit) for rank in ranks]
        if hand is Hand.STRAIGHT:
            return [Card(rank * 4 + suit) for rank in _run(rng.randrange(-1, 9)) for suit in range(4)]
        if hand in _GROUPS:
            return [Card(rank * 4 + suit) for rank in rng.sample(range(13), 2) for suit in range(4)]
        return DECK


def _run(low: int) -> tuple[int, ...]:
    """Five ranks in a row, from `low`; -1 is the ace played low (7.1)."""
    return tuple(rank % 13 for rank in range(low, low + 5))


def in_order(cards: Cards) -> Cards:
    """The cards as a hand is laid down: groups first, then from the highest."""
    ranks = [card >> 2 for card in cards]
    return tuple(sorted(cards, key=lambda card: (-ranks.count(card >> 2), -card)))
