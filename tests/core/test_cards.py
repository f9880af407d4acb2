"""Cards, and the classes of all five-card hands against the counts of clause 6."""

from collections import Counter
from itertools import combinations

import pytest

from controller.core.cards import DECK, HANDS, STRENGTH, Card, CardError, Hand, card_name, hand_class, parse_card


def hand(text: str) -> Hand:
    return hand_class([parse_card(card) for card in text.split()])


def test_6_the_classes_of_all_2_598_960_hands() -> None:
    """Turning all four suits round by one makes another hand of the same class and, five cards not being divisible by
    two, never the same hand; it adds 5, so 1 modulo 4, to the sum of the suits. So the hands whose suits sum to
    0 modulo 4 are one of each four, and a quarter of all."""
    counts = Counter(hand_class(cards) for cards in combinations(DECK, 5) if not sum(cards) & 3)
    assert {name: 4 * count for name, count in counts.items()} == {
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
    assert 4 * sum(counts.values()) == 2_598_960


def test_6_suits_are_equal() -> None:
    """What the count above rests on, for every thousandth hand or so."""
    for n, cards in enumerate(combinations(DECK, 5)):
        if n % 997 == 0:
            turned = [Card(card & ~3 | (card + 1) & 3) for card in cards]
            assert hand_class(turned) is hand_class(cards)


def test_the_order_of_the_cards_does_not_matter() -> None:
    for n, cards in enumerate(combinations(DECK, 5)):
        if n % 9_973 == 0:
            assert hand_class(cards[::-1]) is hand_class(cards[2:] + cards[:2]) is hand_class(cards)


def test_7_1_an_ace_plays_high_or_low_but_not_round_the_corner() -> None:
    assert hand("As Kd Qh Jc Ts") is Hand.STRAIGHT
    assert hand("As 2d 3h 4c 5s") is Hand.STRAIGHT
    assert hand("Ks As 2d 3h 4c") is Hand.HIGH_CARD
    assert hand("Qs Ks As 2s 3s") is Hand.FLUSH
    assert hand("As 2s 3s 4s 5s") is Hand.STRAIGHT_FLUSH
    assert hand("As Ks Qs Js Ts") is Hand.ROYAL_FLUSH
    assert hand("9s Ks Qs Js Ts") is Hand.STRAIGHT_FLUSH


@pytest.mark.parametrize("count", [0, 4, 6])
def test_a_hand_has_five_cards(count: int) -> None:
    with pytest.raises(CardError, match=f"five cards, not {count}"):
        hand_class(DECK[:count])


def test_the_same_card_twice_is_no_hand() -> None:
    with pytest.raises(CardError, match="As is there twice"):
        hand("As Ks Qs Js As")


@pytest.mark.parametrize("card", [-1, 52, 99])
def test_what_is_not_in_the_deck_is_no_card(card: int) -> None:
    with pytest.raises(CardError, match="no such card"):
        hand_class([Card(card), *DECK[10:14]])


def test_cards_are_read_as_they_are_written() -> None:
    assert [parse_card(card_name(card)) for card in DECK] == list(DECK)
    assert len({card_name(card) for card in DECK}) == 52


@pytest.mark.parametrize(("text", "name"), [("As", "As"), ("aS", "As"), ("10d", "Td"), ("td", "Td"), (" 9c ", "9c")])
def test_cards_are_read_leniently(text: str, name: str) -> None:
    assert card_name(parse_card(text)) == name


@pytest.mark.parametrize("text", ["", "A", "1s", "Ax", "11s", "Asx", "0s", "As Ks", "10", "♠A"])
def test_what_is_no_card_is_refused(text: str) -> None:
    with pytest.raises(CardError, match="is not a card"):
        parse_card(text)


def test_the_ten_classes_rank_from_weakest_to_strongest() -> None:
    assert [str(name) for name in HANDS] == [
        "high-card", "pair", "two-pair", "three-of-a-kind", "straight", "flush", "full-house", "four-of-a-kind",
        "straight-flush", "royal-flush",
    ]  # fmt: skip
    assert sorted(HANDS, key=STRENGTH.__getitem__) == list(HANDS)
