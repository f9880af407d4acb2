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


def test_5_11_a_prize_that_was_payable_needs_approval_once_its_seat_has_failed() -> None:
    t = T()
    t.deal(1, 1)
    t.show(s1="flush", s2="flush")
    assert [t[f"prize.{seat}.status"] for seat in (1, 2)] == ["payable", "payable"]
    t.fails("button", 1)
    assert [t[f"prize.{seat}.status"] for seat in (1, 2)] == ["unapproved", "payable"]
    with t.refuses("unapproved", "5.11"):
        t.paid(1)
    t.approve(1)
    t.fails("node", 1)
    t.paid(1)


def test_5_11_undoing_a_settlement_forgets_no_seat_that_has_failed_since() -> None:
    t = T()
    t.deal(1)
    t.show(s1="flush")
    t.fails("button", 1)
    t.unsettle()
    t.settle()
    assert t["prize.1.status"] == "unapproved"


def test_5_11_nor_one_that_failed_when_the_round_had_ended() -> None:
    t = T()
    t.deal(1)
    t.settle()
    t.fails("button", 1)
    t.unsettle()
    t.show(s1="flush")
    assert t["prize.1.status"] == "unapproved"


def test_5_15_undoing_brings_back_the_hits_that_were_pushed_out_of_the_last_25() -> None:
    t = T(approve_from=10**9)
    for _ in range(5):
        t.deal(1, 1, 1, 1, 1)
        t.show(s1="flush", s2="flush", s3="flush", s4="flush", s5="flush")
        t.pay_all()
    before = t.state.hits
    t.deal(1, 1, 1)
    t.show(s1="flush", s2="flush", s3="flush")
    t.deny(2)
    t.deny(1)
    assert [(hit.round, hit.seat) for hit in t.state.hits[-2:]] == [(5, 5), (6, 3)]
    assert len(t.state.hits) == 25
    t.unsettle()
    assert t.state.hits == before


def test_2_6_a_bet_made_anew_must_be_seen_lit_anew_even_across_a_power_cut() -> None:
    t = T(bet_max=1_000)
    t.open()
    t.load(1, 1)
    t.press(1)
    t.press(1)  # taken back: the lamp goes dark, and never lights again
    t.dead_lamps.add(1)
    t.press(1)
    t.lock()
    t.restart()
    t.runs_out("lamp", 1)
    assert t["sealed"] is True
    assert t["seat.1.bet"] == "0"
    assert t["seat.1.credits"] == 1


def test_2_8_a_bet_lit_at_the_edge_stands_though_it_was_taken_back_after_it() -> None:
    t = T(bet_max=1_000)
    t.silent.add(1)
    t.open()
    t.load(1, 1)
    t.press(1)
    edge = t.ms + 1
    t.press(1)
    t.dead_lamps.add(1)
    t.lock(edge)
    t.complete(1)
    t.runs_out("lamp", 1)
    assert t["sealed"] is True
    assert t["seat.1.bet"] == "1000"


def test_4_5_a_limit_that_waits_and_that_the_pot_has_outgrown_stops_no_other_change() -> None:
    t = T(base=1_000)
    t.schedule("limit", "3000")
    t.correct(5_000)
    t.schedule("approve_from", "7")
    with t.refuses("limit-below-pot", "4.5"):
        t.schedule("limit", "2000")
