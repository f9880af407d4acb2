"""Cards, the class of a five-card hand, and its full ranking, kickers included (rules 6, 7).

A hand's strength is one whole number that compares: its class in the highest bits, then, four bits each, the ranks
that decide between two hands of that class, the weightiest first. Suits never decide.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from enum import StrEnum
from itertools import combinations
from typing import NewType

Card = NewType("Card", int)
"""rank * 4 + suit: rank 0 (deuce) to 12 (ace), suit 0 to 3 (c d h s)."""

RANKS = "23456789TJQKA"
SUITS = "cdhs"

DECK: tuple[Card, ...] = tuple(Card(n) for n in range(52))


class Hand(StrEnum):
    """The ten classes, weakest first; the words of scenarios, journal and configuration."""

    HIGH_CARD = "high-card"
    PAIR = "pair"
    TWO_PAIR = "two-pair"
    THREE_OF_A_KIND = "three-of-a-kind"
    STRAIGHT = "straight"
    FLUSH = "flush"
    FULL_HOUSE = "full-house"
    FOUR_OF_A_KIND = "four-of-a-kind"
    STRAIGHT_FLUSH = "straight-flush"
    ROYAL_FLUSH = "royal-flush"


HANDS: tuple[Hand, ...] = tuple(Hand)
STRENGTH: dict[Hand, int] = {hand: n for n, hand in enumerate(HANDS)}


class CardError(ValueError):
    """A text is no card, or a set of cards is no hand; the message says why."""


def parse_card(text: str) -> Card:
    """Read "As", "Td", "9c" (also "10d", any case). Raises CardError."""
    name = text.strip()
    if name.startswith("10"):
        name = "T" + name[2:]
    if len(name) == 2:
        rank, suit = RANKS.find(name[0].upper()), SUITS.find(name[1].lower())
        if rank >= 0 and suit >= 0:
            return Card(rank * 4 + suit)
    raise CardError(f"{text!r} is not a card; write rank and suit, such as As, Kh, Td or 9c")


def card_name(card: Card) -> str:
    """The card as it is written: "As"."""
    return RANKS[card >> 2] + SUITS[card & 3]


# --- Ranking five ------------------------------------------------------------------------------------

_SHAPES = {
    (2, 1, 1, 1): Hand.PAIR,
    (2, 2, 1): Hand.TWO_PAIR,
    (3, 1, 1): Hand.THREE_OF_A_KIND,
    (3, 2): Hand.FULL_HOUSE,
    (4, 1): Hand.FOUR_OF_A_KIND,
}
"""How often each rank is there, in a hand that holds one of them twice at least."""

_WHEEL = [12, 3, 2, 1, 0]
_CLASS_BITS = 20

_WEIGHT = tuple(5 ** (card >> 2) for card in DECK)
"""Five cards' weights add up to a number whose digits in base 5 are how often each rank is there. It stays below
2 ** 30, where Python adds fastest."""


class _Strengths(dict[int, int]):
    """Strengths by the sum of five weights, each worked out when it first comes: there are 7 462 in all, and a table
    that starts should wait for none of them."""

    def __init__(self, *, suited: bool) -> None:
        super().__init__()
        self._suited = suited

    def __missing__(self, weights: int) -> int:
        self[weights] = found = _strength(weights, self._suited)
        return found


_SUITED = _Strengths(suited=True)
_MIXED = _Strengths(suited=False)


def _strength(weights: int, suited: bool) -> int:
    counted = []
    for rank in range(len(RANKS)):
        weights, count = divmod(weights, 5)
        if count:
            counted.append((count, rank))
    counted.sort(reverse=True)
    ranks = [rank for _, rank in counted]
    hand = _SHAPES.get(tuple(count for count, _ in counted))
    if hand is None:
        straight = ranks == _WHEEL or ranks[0] - ranks[4] == 4
        if straight:
            ranks = [3 if ranks == _WHEEL else ranks[0]]
        hand = _unpaired(straight, suited, ranks[0])
    return _packed(hand, ranks)


def _unpaired(straight: bool, suited: bool, highest: int) -> Hand:
    """The class of five different ranks."""
    if straight and suited:
        return Hand.ROYAL_FLUSH if highest == 12 else Hand.STRAIGHT_FLUSH
    if suited:
        return Hand.FLUSH
    return Hand.STRAIGHT if straight else Hand.HIGH_CARD


def _packed(hand: Hand, ranks: Iterable[int]) -> int:
    packed, shift = STRENGTH[hand] << _CLASS_BITS, _CLASS_BITS
    for rank in ranks:
        shift -= 4
        packed |= rank << shift
    return packed


def strength(cards: Sequence[Card]) -> int:
    """How strong exactly five different cards are: the greater wins, equals tie (7.1).

    Nothing is checked here, for speed; `hand_class` does. ValueError for another number of cards.
    """
    a, b, c, d, e = cards
    weights = _WEIGHT[a] + _WEIGHT[b] + _WEIGHT[c] + _WEIGHT[d] + _WEIGHT[e]
    if a & 3 == b & 3 == c & 3 == d & 3 == e & 3:
        return _SUITED[weights]
    return _MIXED[weights]


def at_least(hand: Hand, ranks: str = "") -> int:
    """The least strength of a `hand` with these deciding ranks: ``at_least(Hand.PAIR, "8")`` is a pair of eights."""
    return _packed(hand, map(RANKS.index, ranks))


def class_of(strength: int) -> Hand:
    """The class of a hand with that strength."""
    return HANDS[strength >> _CLASS_BITS]


def best_five(cards: Iterable[Card]) -> tuple[Card, ...]:
    """The strongest five of five or more different cards, in the order in which they were given."""
    return max(combinations(cards, 5), key=strength)


def hand_class(cards: Sequence[Card]) -> Hand:
    """The class of exactly five different cards. An ace plays high or low, not round the corner (7.1).

    Raises CardError for another number of cards, the same card twice, or one that is not in the deck.
    """
    if len(cards) != 5:
        raise CardError(f"a hand has five cards, not {len(cards)}")
    if min(cards) < 0 or max(cards) >= len(DECK):
        raise CardError("there is no such card in the deck")
    if len(set(cards)) != 5:
        twice = next(card for card in cards if list(cards).count(card) > 1)
        raise CardError(f"{card_name(twice)} is there twice")
    return class_of(strength(cards))
