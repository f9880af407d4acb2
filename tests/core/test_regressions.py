"""What the properties found: each case reduced to its shortest, and named after the clause that it broke."""

from __future__ import annotations

import pytest

from controller.core.cards import Card, CardError, hand_class
from tests.core.table import T


@pytest.mark.parametrize("value", [1, 500, 1_500])
def test_2_5_a_chip_that_is_no_multiple_of_the_smallest_is_handed_back(value: int) -> None:
    t = T(acceptor="chips")
    t.open()
    t.chip(1)
    with t.refuses("odd-chip", "2.5"):
        t.chip(1, value)
    assert t["seat.1.bet"] == "1000"
    assert t["seat.1.owed"] == str(value)


@pytest.mark.parametrize("value", [0, -1_000])
def test_2_3_a_chip_worth_nothing_bets_nothing_and_is_seen(value: int) -> None:
    t = T(acceptor="chips")
    t.open()
    t.chip(1)
    t.chip(1, value)
    assert t["seat.1.bet"] == "1000"
    assert t["seat.1.owed"] == "0"
    assert t.alarms == ["worthless-chip"]


@pytest.mark.parametrize("card", [-1, 52, 99])
def test_5_12_a_card_that_is_not_in_the_deck_is_no_hand_even_twice(card: int) -> None:
    with pytest.raises(CardError, match="no such card"):
        hand_class([Card(card)] * 5)
