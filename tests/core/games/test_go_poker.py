"""Go Poker: no dealer's hand, three own cards and two shared ones (5.5), a pay table of the house's (7)."""

import pytest

from controller.core.cards import HANDS, Hand
from controller.core.games.game import Base, Pays
from controller.core.games.go_poker import EXAMPLE, GO_POKER

from ..table import T
from .cards import BACK, LOST, played, stakes

GAME = "go-poker"


def test_7_the_deal() -> None:
    game = GO_POKER
    assert (game.max_seats, game.own_cards, game.dealer_cards, game.boards) == (7, 3, 0, (2,))
    assert (game.shared_cards, game.opens, game.draw, game.exchanges) == (2, None, None, 0)


def test_7_no_source_gives_the_pay_table_so_the_game_has_none() -> None:
    assert GO_POKER.base is None
    assert GO_POKER.example is EXAMPLE


def test_7_the_table_decides_alone() -> None:
    base = Base({Hand.PAIR: Pays(0, 0), Hand.FLUSH: Pays(1, 4)})
    assert stakes(played(GAME, "2h 4h 6h", "", "8h Th", base)) == ("win", 1_000, "win", 8_000)
    assert stakes(played(GAME, "2h 2d 6h", "", "8h Th", base)) == BACK
    assert stakes(played(GAME, "2h 4d 6h", "", "8h Th", base)) == LOST
    assert stakes(played(GAME, "2h 2d 2c", "", "8h Th", base)) == LOST  # what has no line loses, however high


def test_7_where_nobody_bets_the_ante_plays_alone() -> None:
    end = played(GAME, "2h 4h 6h", "", "8h Th", Base({Hand.FLUSH: Pays(6, 0)}, bet=False))
    assert (end.ante.result, end.ante.pays, end.bet) == ("win", 6_000, None)


def test_7_the_example_pays_more_for_a_higher_hand() -> None:
    lines = [EXAMPLE.pays[hand] for hand in HANDS if hand in EXAMPLE.pays]
    assert [(line.ante, line.bet) for line in lines] == sorted((line.ante, line.bet) for line in lines)


def test_5_2_a_fold_forfeits() -> None:
    t = T(game=GAME)
    t.deal(1)
    t.fold(1)
    with t.refuses("forfeited", "5.6"):
        t.declare(1, "flush")


@pytest.mark.parametrize(
    ("own", "hand", "amount"),
    [
        ("2h 4h 6h", "flush", "50000"),
        ("Tc Ts 8s", "full-house", "100000"),
        ("Td Tc Ts", "four-of-a-kind", "500000"),
        ("9h Jh Qh", "straight-flush", "1000070"),
    ],
)
def test_5_5_three_own_cards_and_the_two_shared_ones(own: str, hand: str, amount: str) -> None:
    t = T(game=GAME, cap=None)
    t.deal(1)
    t.board("8h Th")
    t.declare(1, f"{own} 8h Th")
    assert t["seat.1.hand"] == hand
    t.settle()
    assert t["prize.1.amount"] == amount


def test_5_5_four_own_cards_make_no_hand() -> None:
    t = T(game=GAME)
    t.deal(1)
    t.board("8h Td")
    with t.refuses("impossible-hand", "5.12"):
        t.declare(1, "2h 4h 6h 8h Kh")


def test_5_7_the_straight_flush_has_no_cap() -> None:
    assert GO_POKER.straight_flush_cap is None
