"""Ranking five cards, each from the evaluator's own card type, beside treys, the usual one in pure Python."""

from __future__ import annotations

import time
from itertools import combinations_with_replacement
from random import Random
from statistics import median

from treys import Card as TreysCard
from treys import Evaluator

from controller.core import cards
from controller.core.cards import DECK, Card, card_name, strength

HANDS = 5_000


def five_cards(rounds: int) -> dict[str, float]:
    """Seconds a hand of ours and of theirs, in turns over the same hands, and seconds to build the tables of each."""
    began = time.perf_counter_ns()
    evaluator = Evaluator()
    their_build = time.perf_counter_ns() - began
    build = _fill()
    rng = Random(1)
    hands = [tuple(rng.sample(DECK, 5)) for _ in range(HANDS)]
    their_hands = [[TreysCard.new(card_name(card)) for card in hand] for hand in hands]
    none: list[int] = []
    ours, theirs = [], []
    for _ in range(rounds):
        began = time.perf_counter_ns()
        for hand in hands:
            strength(hand)
        middle = time.perf_counter_ns()
        for their_hand in their_hands:
            evaluator.evaluate(their_hand, none)
        theirs.append((time.perf_counter_ns() - middle) / HANDS)
        ours.append((middle - began) / HANDS)
    return {
        "ours": median(ours) / 1e9,
        "theirs": median(theirs) / 1e9,
        "ratio": median(ours) / median(theirs),
        "build": build / 1e9,
        "their_build": their_build / 1e9,
    }


def _fill() -> int:
    """Nanoseconds to work out every strength, from nothing: a table spreads that over the hands that it sees."""
    cards._SUITED.clear()
    cards._MIXED.clear()
    every = [
        five
        for ranks in combinations_with_replacement(range(13), 5)
        for five in (
            [Card(rank * 4 + place % 4) for place, rank in enumerate(ranks)],
            [Card(rank * 4) for rank in ranks],
        )
        if len(set(five)) == 5
    ]
    began = time.perf_counter_ns()
    for five in every:
        strength(five)
    return time.perf_counter_ns() - began
