"""Cards, and the class of a five-card hand (rules 6, 7)."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
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


_PATTERNS = {
    (1, 1, 1, 2): Hand.PAIR,
    (1, 2, 2): Hand.TWO_PAIR,
    (1, 1, 3): Hand.THREE_OF_A_KIND,
    (2, 3): Hand.FULL_HOUSE,
    (1, 4): Hand.FOUR_OF_A_KIND,
}
_WHEEL = [0, 1, 2, 3, 12]


def hand_class(cards: Sequence[Card]) -> Hand:
    """The class of exactly five different cards. An ace plays high or low, not round the corner (7.1).

    Raises CardError for another number of cards, or the same card twice.
    """
    if len(cards) != 5:
        raise CardError(f"a hand has five cards, not {len(cards)}")
    if len(set(cards)) != 5:
        twice = next(card for card in cards if list(cards).count(card) > 1)
        raise CardError(f"{card_name(twice)} is there twice")
    ranks = sorted(card >> 2 for card in cards)
    distinct = set(ranks)
    if len(distinct) < 5:
        return _PATTERNS[tuple(sorted(ranks.count(rank) for rank in distinct))]
    flush = len({card & 3 for card in cards}) == 1
    straight = ranks[4] - ranks[0] == 4 or ranks == _WHEEL
    if straight and flush:
        return Hand.ROYAL_FLUSH if ranks[0] == 8 else Hand.STRAIGHT_FLUSH
    if flush:
        return Hand.FLUSH
    return Hand.STRAIGHT if straight else Hand.HIGH_CARD
