"""The full ranking of five cards, and the best five of more: clause 6's counts, 7.1, and a second opinion."""

import random
from collections import Counter
from itertools import combinations, combinations_with_replacement, pairwise

import pytest
from treys import Card as TreysCard
from treys import Evaluator

from controller.core.cards import (
    DECK,
    HANDS,
    STRENGTH,
    Card,
    Hand,
    at_least,
    best_five,
    card_name,
    class_of,
    hand_class,
    parse_card,
    strength,
)


def cards(text: str) -> tuple[Card, ...]:
    return tuple(parse_card(card) for card in text.split())


@pytest.fixture(scope="module")
def all_hands() -> Counter[int]:
    """How many of all 2 598 960 hands have each strength."""
    return Counter(map(strength, combinations(DECK, 5)))


@pytest.fixture(scope="module")
def one_of_each() -> list[tuple[Card, ...]]:
    """A hand of every strength there is, weakest first: each choice of ranks in mixed suits, and in one."""
    found: dict[int, tuple[Card, ...]] = {}
    for ranks in combinations_with_replacement(range(13), 5):
        mixed = [Card(rank * 4 + place % 4) for place, rank in enumerate(ranks)]
        for five in (mixed, [Card(rank * 4) for rank in ranks]):
            if len(set(five)) == 5:
                found[strength(five)] = tuple(five)
    return [found[points] for points in sorted(found)]


def test_6_all_2_598_960_hands_are_counted(all_hands: Counter[int]) -> None:
    assert all_hands.total() == 2_598_960
    classes: Counter[Hand] = Counter()
    for points, count in all_hands.items():
        classes[class_of(points)] += count
    assert classes == {
        Hand.ROYAL_FLUSH: 4,
        Hand.STRAIGHT_FLUSH: 36,
        Hand.FOUR_OF_A_KIND: 624,
        Hand.FULL_HOUSE: 3_744,
        Hand.FLUSH: 5_108,
        Hand.STRAIGHT: 10_200,
        Hand.THREE_OF_A_KIND: 54_912,
        Hand.TWO_PAIR: 123_552,
        Hand.PAIR: 1_098_240,
        Hand.HIGH_CARD: 1_302_540,
    }


def test_6_there_are_7_462_strengths(all_hands: Counter[int]) -> None:
    """Well known: so many hands differ in more than suits."""
    assert Counter(class_of(points) for points in all_hands) == {
        Hand.ROYAL_FLUSH: 1,
        Hand.STRAIGHT_FLUSH: 9,
        Hand.FOUR_OF_A_KIND: 13 * 12,
        Hand.FULL_HOUSE: 13 * 12,
        Hand.FLUSH: 1_277,
        Hand.STRAIGHT: 10,
        Hand.THREE_OF_A_KIND: 858,
        Hand.TWO_PAIR: 858,
        Hand.PAIR: 2_860,
        Hand.HIGH_CARD: 1_277,
    }
    assert len(all_hands) == 7_462


@pytest.mark.parametrize(
    "weakest_first",
    [
        "2c 3c 4c 5c 7d < 2c 3c 4c 6c 7d < 2c 3c 4c 5c 8d < Ac Kc Qc Jc 9d",  # kickers one by one
        "2c 2d 3c 4c 5c < 2c 2d 3c 4c 6c < 2c 2d Ac Kc Qc < 3c 3d 2c 4c 5c",  # the pair before its kickers
        "3c 3d 2c 2d Ac < 4c 4d 2c 2d 3c < 4c 4d 3c 3d 2c < Ac Ad 2c 2d 3c < Ac Ad Kc Kd Qc",
        "2c 2d 2h 3c 4c < 2c 2d 2h 3c 5c < 3c 3d 3h 2c 4c",
        "Ac 2d 3c 4c 5c < 2c 3d 4c 5c 6c < Tc Jd Qc Kc Ac",  # the wheel is the lowest straight (7.1)
        "2c 3c 4c 5c 7c < 2c 3c 4c 6c 7c < Ac Kc Qc Jc 9c",
        "2c 2d 2h Ac Ad < 3c 3d 3h 2c 2d < 3c 3d 3h 4c 4d",  # three decide before two
        "2c 2d 2h 2s 3c < 2c 2d 2h 2s Ac < 3c 3d 3h 3s 2c",
        "Ac 2c 3c 4c 5c < 2c 3c 4c 5c 6c < 9c Tc Jc Qc Kc < Tc Jc Qc Kc Ac",
    ],
)
def test_7_1_the_cards_that_decide_within_a_class(weakest_first: str) -> None:
    points = [strength(cards(text)) for text in weakest_first.split(" < ")]
    assert points == sorted(set(points))
    assert len({class_of(point) for point in points} - {Hand.ROYAL_FLUSH}) == 1


def test_7_1_suits_never_decide() -> None:
    assert strength(cards("Ac Kd Qc Jc 9c")) == strength(cards("As Kh Qs Js 9s"))
    assert strength(cards("2c 3c 4c 5c 7c")) == strength(cards("2s 3s 4s 5s 7s"))
    rng = random.Random(7)
    for _ in range(2_000):
        five = rng.sample(DECK, 5)
        turned = [Card(card & ~3 | (card + 1) & 3) for card in five]
        assert strength(turned) == strength(five) == strength(five[::-1])


def test_the_classes_stand_above_one_another(one_of_each: list[tuple[Card, ...]]) -> None:
    classes = [STRENGTH[hand_class(five)] for five in one_of_each]
    assert classes == sorted(classes)
    assert set(classes) == set(range(len(HANDS)))


def test_a_floor_is_the_least_of_its_kind(one_of_each: list[tuple[Card, ...]]) -> None:
    eights = [five for five in one_of_each if strength(five) >= at_least(Hand.PAIR, "8")]
    assert [card >> 2 for card in eights[0]].count(6) == 2
    assert strength(eights[0]) == strength(cards("8c 8d 2c 3c 4c"))
    for hand in HANDS:
        least = next(five for five in one_of_each if hand_class(five) is hand)
        below = [strength(five) for five in one_of_each if strength(five) < at_least(hand)]
        assert strength(least) >= at_least(hand) > max(below, default=-1)


# --- five of seven ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("seven", "five"),
    [
        ("As Ks Qs Js Ts 9s 8s", "As Ks Qs Js Ts"),
        ("Ad Kc 9s 8s 7s 6s 5s", "9s 8s 7s 6s 5s"),
        ("Ks Kd Kh 9c 9d 2c 2d", "Ks Kd Kh 9c 9d"),
        ("Ks Kd Kh 9c 9d 9h 2d", "Ks Kd Kh 9c 9d"),
        ("7s 7d 6h 6c 5d 5c As", "7s 7d 6h 6c As"),
        ("2s 4s 6s 8s Ts Qs As", "6s 8s Ts Qs As"),
        ("As 2d 3h 4c 5s 6d Ks", "2d 3h 4c 5s 6d"),
    ],
)
def test_7_the_best_five_of_seven(seven: str, five: str) -> None:
    assert set(best_five(cards(seven))) == set(cards(five))


def test_7_the_best_five_keep_their_order_and_equal_ones_tie() -> None:
    assert best_five(cards("2s Kd 9c Ks 9d 3c Kh")) == cards("Kd 9c Ks 9d Kh")
    with pytest.raises(ValueError, match="empty"):
        best_five(DECK[:4])


# --- a second opinion ------------------------------------------------------------------------------------


def theirs(five: tuple[Card, ...]) -> list[int]:
    return [TreysCard.new(card_name(card)) for card in five]


def test_6_treys_puts_all_strengths_in_the_same_order(one_of_each: list[tuple[Card, ...]]) -> None:
    """Their 1 is a royal flush and their 7 462 the worst hand."""
    evaluator = Evaluator()
    ranks = [evaluator.evaluate(theirs(five), []) for five in one_of_each]
    assert ranks == list(range(7_462, 0, -1))


@pytest.mark.parametrize("count", [5, 7])
def test_6_treys_agrees_on_random_hands(count: int) -> None:
    evaluator, rng = Evaluator(), random.Random(count)
    found = []
    for _ in range(4_000):
        hand = tuple(rng.sample(DECK, count))
        found.append((strength(best_five(hand)), -evaluator.evaluate(theirs(hand), [])))
    found.sort()
    for (ours, their), (our_next, their_next) in pairwise(found):
        assert (ours < our_next) == (their < their_next)
