"""Several winners in one round: the counts of `controller.odds.winners` against counting in quite other ways."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator
from fractions import Fraction
from functools import cache
from itertools import combinations
from math import comb
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from controller.core.cards import DECK, Card, Hand, hand_class
from controller.core.games.catalogue import GAMES
from controller.core.games.game import royals_possible
from controller.core.params import COUNTS, DEALS
from controller.odds.winners import RANKED, SUITED, boards, winners, winning_sets

DEALT = [(5, 0, 7), (2, 3, 6), (3, 2, 7)]
"""Own cards, shared cards, and the largest number of seats (rules 7)."""

TOP = sorted(SUITED | RANKED)
CLASSES = [frozenset({hand}) for hand in TOP]
MIXTURES = [
    SUITED | RANKED,
    RANKED,
    SUITED,
    SUITED | {Hand.FOUR_OF_A_KIND},
    frozenset({Hand.FOUR_OF_A_KIND, Hand.STRAIGHT_FLUSH, Hand.ROYAL_FLUSH}),
    frozenset({Hand.FULL_HOUSE, Hand.ROYAL_FLUSH}),
    frozenset({Hand.FLUSH, Hand.ROYAL_FLUSH}),
]


def names(hands: Collection[Hand]) -> str:
    return "+".join(sorted(hands))


def counted(own: int, shared: int, hands: Collection[Hand], seats: int) -> tuple[Fraction, ...]:
    chances = winners(own, shared, hands, seats)
    assert chances is not None
    return chances


@pytest.mark.parametrize(("own", "shared", "most"), DEALT)
@pytest.mark.parametrize("hands", [*CLASSES, *MIXTURES], ids=names)
def test_6_the_chances_are_chances_and_their_mean_is_that_of_the_counts(
    own: int, shared: int, most: int, hands: frozenset[Hand]
) -> None:
    """However the seats depend on each other, on average each wins as often as a seat alone."""
    single = Fraction(sum(COUNTS[hand] for hand in hands), DEALS)
    for seats in range(1, most + 1):
        chances = counted(own, shared, hands, seats)
        assert len(chances) == seats + 1
        assert min(chances) >= 0
        assert sum(chances) == 1
        assert sum(k * p for k, p in enumerate(chances)) == seats * single


@pytest.mark.parametrize("name", GAMES)
def test_5_12_no_more_royal_flushes_than_the_game_allows(name: str) -> None:
    game = GAMES[name]
    chances = counted(game.own_cards, game.shared_cards, (Hand.ROYAL_FLUSH,), game.max_seats)
    most = royals_possible(game)
    assert all(p > 0 for p in chances[: most + 1])
    assert not any(chances[most + 1 :])
    if most == 1:
        assert chances[1] == Fraction(game.max_seats * 4, DEALS)


def test_two_royal_flushes_from_one_deck() -> None:
    """Four of the hands are royal; of the C(47, 5) that are left to the second seat, three."""
    assert counted(5, 0, (Hand.ROYAL_FLUSH,), 2)[2] == Fraction(4, DEALS) * Fraction(3, comb(47, 5))


def test_a_fours_rank_and_kicker_are_gone_for_the_next_seat() -> None:
    """13 ranks and 48 kickers; the second seat has 11 ranks left with all four, or 12 when the kickers allow."""
    pairs = 13 * 12 * 44 * 43  # ordered ranks, then kickers of neither rank, the same one never twice
    assert counted(5, 0, (Hand.FOUR_OF_A_KIND,), 2)[2] == Fraction(pairs, DEALS * comb(47, 5))


# --- Five own cards: pairs of hands by inclusion and exclusion over cards ---------------------------------


@cache
def hands_of(hand: Hand) -> tuple[tuple[int, ...], ...]:
    """All hands of a class above a straight, built rather than looked for."""
    cards = [[rank * 4 + suit for suit in range(4)] for rank in range(13)]
    built: Iterator[tuple[int, ...]]
    if hand in SUITED:
        built = (
            tuple(sorted(cards[rank][suit] for rank in ranks))
            for suit in range(4)
            for ranks in combinations(range(13), 5)
        )
    elif hand is Hand.FOUR_OF_A_KIND:
        built = ((*cards[rank], other) for rank in range(13) for other in range(52) if other // 4 != rank)
    else:
        built = (
            (*three, *two)
            for rank in range(13)
            for three in combinations(cards[rank], 3)
            for other in range(13)
            if other != rank
            for two in combinations(cards[other], 2)
        )
    found = tuple(cards for cards in built if hand_class([Card(card) for card in cards]) is hand)
    assert len(found) == COUNTS[hand]
    return found


def containing(hands: Collection[Hand]) -> Counter[tuple[int, ...]]:
    """For every set of cards, how many hands of these classes contain it."""
    found: Counter[tuple[int, ...]] = Counter()
    for hand in hands:
        for cards in hands_of(hand):
            ordered = sorted(cards)
            for size in range(6):
                found.update(combinations(ordered, size))
    return found


def disjoint_from(cards: Collection[int], by_cards: Counter[tuple[int, ...]]) -> int:
    """How many hands share no card with `cards`: all, less those with one of them, and so on."""
    ordered = sorted(cards)
    return sum((-1) ** size * sum(by_cards[some] for some in combinations(ordered, size)) for size in range(6))


@pytest.mark.parametrize("hands", [*CLASSES, *MIXTURES], ids=names)
def test_pairs_of_own_hands_are_as_many_as_their_common_cards_leave(hands: frozenset[Hand]) -> None:
    """Ordered pairs without a common card: Σ (-1)^|T| · (hands that contain T)² over all sets of cards T."""
    pairs = sum((-1) ** len(cards) * count**2 for cards, count in containing(hands).items())
    assert winning_sets((), 5, hands, 2)[2] * 2 == pairs


@pytest.mark.parametrize(
    "hands", [SUITED | RANKED, frozenset({Hand.FULL_HOUSE}), SUITED | {Hand.FOUR_OF_A_KIND}], ids=names
)
def test_triples_of_own_hands_are_as_many_as_random_pairs_foretell(hands: frozenset[Hand]) -> None:
    """What random disjoint pairs leave to a third hand, counted exactly, averages to triples over pairs.

    The spread of that number is small; five standard errors of it are some thousandths of the mean.
    """
    by_cards = containing(hands)
    every = [cards for hand in sorted(hands) for cards in hands_of(hand)]
    random = Random(6)
    left: list[int] = []
    while len(left) < 300:
        first, second = random.choice(every), random.choice(every)
        if not set(first) & set(second):
            left.append(disjoint_from((*first, *second), by_cards))
    mean = Fraction(sum(left), len(left))
    squared_error = sum((n - mean) ** 2 for n in left) / len(left) / (len(left) - 1)
    sets = winning_sets((), 5, hands, 3)
    assert (Fraction(3 * sets[3], sets[2]) - mean) ** 2 < 25 * squared_error
    assert squared_error < (mean / 100) ** 2


def test_straight_flushes_one_by_one() -> None:
    """All sets of disjoint straight flushes, counted by trying (they are few)."""
    every = hands_of(Hand.STRAIGHT_FLUSH)
    assert winning_sets((), 5, frozenset({Hand.STRAIGHT_FLUSH}), 4) == tuple(by_trying(every, 4))


def by_trying(sets: Collection[tuple[int, ...]], most: int) -> list[int]:
    """How many collections of 0, 1, … `most` of the sets have no card twice."""
    masks = [sum(1 << card for card in cards) for cards in sets]

    def count(start: int, used: int, depth: int) -> Iterator[int]:
        yield depth
        if depth < most:
            for n in range(start, len(masks)):
                if not masks[n] & used:
                    yield from count(n + 1, used | masks[n], depth + 1)

    found = Counter(count(0, 0, 0))
    return [found[depth] for depth in range(most + 1)]


# --- Shared cards: every board's hands, one by one -------------------------------------------------------


@pytest.mark.parametrize("shared", [0, 2, 3])
def test_boards_stand_for_all_shared_cards(shared: int) -> None:
    assert sum(weight for weight, _ in boards(shared)) == comb(52, shared)


shared_cards = st.sampled_from([2, 3]).flatmap(
    lambda count: (
        st.lists(st.sampled_from(DECK), min_size=count, max_size=count, unique=True)
        | st.tuples(st.integers(0, 3), st.lists(st.integers(0, 12), min_size=count, max_size=count, unique=True)).map(
            lambda drawn: [Card(rank * 4 + drawn[0]) for rank in drawn[1]]
        )
        | st.integers(0, 12).map(lambda rank: [Card(rank * 4 + suit) for suit in range(count)])
    )
)


@given(shared_cards, st.sampled_from([*CLASSES, *MIXTURES]))
def test_beside_any_shared_cards_every_own_hand_was_tried(board: list[Card], hands: frozenset[Hand]) -> None:
    """Own hands of two beside three, of three beside two, against the core's own ranking (5.4, 5.5)."""
    own, rest = 5 - len(board), [card for card in DECK if card not in board]
    if own == 3:  # of 19 600 own hands, those that cannot be anything are left out
        ranks, suits = {card >> 2 for card in board}, {card & 3 for card in board}
        tried = [
            cards
            for cards in combinations(rest, own)
            if len({card >> 2 for card in cards} | ranks) == 2 or suits == {cards[0] & 3, cards[1] & 3, cards[2] & 3}
        ]
    else:
        tried = list(combinations(rest, own))
    winning = [cards for cards in tried if hand_class([*board, *cards]) in hands]
    expected = by_trying(winning, 2 if len(winning) > 60 else 7)
    found = (*winning_sets(board, own, hands, 7), *[0] * 7)
    assert list(found[: len(expected)]) == expected


# --- What is not counted ---------------------------------------------------------------------------------


@pytest.mark.parametrize(("own", "shared", "most"), DEALT)
@pytest.mark.parametrize("hand", [hand for hand in COUNTS if hand not in TOP])
def test_below_a_flush_nothing_is_said(own: int, shared: int, most: int, hand: Hand) -> None:
    assert winners(own, shared, (hand,), most) is None
    assert winners(own, shared, (hand, Hand.ROYAL_FLUSH), most) is None


def test_other_deals_and_mixtures_are_not_guessed_at() -> None:
    assert winners(4, 1, (Hand.FLUSH,), 6) is None
    assert winners(1, 4, (Hand.FLUSH,), 6) is None
    assert winners(5, 0, (Hand.FLUSH, Hand.FULL_HOUSE), 6) is None
    assert winners(2, 3, (Hand.FLUSH, Hand.FULL_HOUSE), 6) is not None


def test_a_deck_that_does_not_go_round_is_a_mistake() -> None:
    with pytest.raises(ValueError, match="11 seats"):
        winners(5, 0, (Hand.FLUSH,), 11)
