"""Texas Hold'em Plus: 5.1, 5.2, 5.4, the column of 7, ties (7.1), and whole hands."""

import pytest

from controller.core import inputs as do
from controller.core.cards import hand_class
from controller.core.games.base import shown
from controller.core.games.texas_holdem_plus import TEXAS_HOLDEM_PLUS

from ..table import T
from .cards import BACK, CLOSED, LOST, cards, dealer_opens, played, stakes

GAME = "texas-holdem-plus"
DRY = "2c 5d 8h Js Kd"


def test_7_the_deal() -> None:
    game = TEXAS_HOLDEM_PLUS
    assert (game.max_seats, game.own_cards, game.dealer_cards, game.boards) == (6, 2, 2, (3, 4, 5))
    assert (game.shared_cards, game.board_cards, game.exchanges, game.draw) == (3, 5, 0, None)


@pytest.mark.parametrize(
    ("dealer", "board", "opens"),
    [
        ("4c 4d", "2c 5d 8h Js Kd", True),
        ("3c 3d", "2c 5d 8h Js Kd", False),
        ("Ac Qd", "2c 5d 8h Js Kd", False),
        ("Ac 2d", "2c 5d 8h Js Kd", False),  # a pair of twos
        ("Ac 5c", "2c 5d 8h Js Kd", True),
        ("Ac Qd", "4c 4d 8h Js Kd", True),  # a pair on the board is the dealer's as well
        ("Ac Qd", "3c 3d 8h Js Kd", False),
        ("2d 3d", "2c 3c 8h Js Kd", True),  # two pair
        ("Ac Td", "2c Qd 8h Js Kd", True),  # a straight, of seven cards
    ],
)
def test_7_the_dealer_opens_with_a_pair_of_fours_or_better_the_best_five_of_seven(
    dealer: str, board: str, opens: bool
) -> None:
    assert dealer_opens(GAME, f"{dealer} {board}") is opens


def test_7_a_dealer_who_does_not_open_pays_the_ante_and_returns_the_bet() -> None:
    assert stakes(played(GAME, "Kc Kh", "3c 3d", DRY)) == CLOSED
    assert stakes(played(GAME, "7c 9h", "Ac Qd", DRY)) == CLOSED


@pytest.mark.parametrize(
    ("player", "dealer", "board", "times"),
    [
        ("Ac Ad", "4c 4d", "2c 5d 8h Js Kd", 1),
        ("Ac Ad", "4c 4d", "2c 2d 8h Js Kd", 1),
        ("Jc Jd", "4c 4d", "2c 5d 8h Js Kd", 1),
        ("Qc Td", "4c 4d", "9c 5d 8h Js Kd", 1),
        ("Ad 2d", "4c 4h", "9c 5d 8h Jd Kd", 2),
        ("Jc Jd", "4c 4d", "5c 5d 8h Js Kd", 3),
        ("Jc Jd", "4c 4d", "5c 5d Jh Js Kd", 10),
        ("Qd Td", "4c 4h", "9d 5d 8h Jd Kd", 20),
        ("Ad Td", "4c 4h", "Qd 5d 8h Jd Kd", 100),
    ],
)
def test_7_the_player_wins_bet_1_to_1_and_ante_by_the_table(player: str, dealer: str, board: str, times: int) -> None:
    end = played(GAME, player, dealer, board)
    assert stakes(end) == ("win", times * 1_000, "win", 2_000)
    assert end.line is not None
    assert end.line.ante == times


def test_7_less_than_a_pair_is_in_the_table_though_no_open_dealer_loses_to_it() -> None:
    assert TEXAS_HOLDEM_PLUS.base is not None
    assert {hand: line.ante for hand, line in TEXAS_HOLDEM_PLUS.base.pays.items()} == {
        "high-card": 1, "pair": 1, "two-pair": 1, "three-of-a-kind": 1, "straight": 1, "flush": 2, "full-house": 3,
        "four-of-a-kind": 10, "straight-flush": 20, "royal-flush": 100,
    }  # fmt: skip
    assert {line.bet for line in TEXAS_HOLDEM_PLUS.base.pays.values()} == {1}


def test_7_the_higher_hand_of_an_open_dealer_takes_both() -> None:
    assert stakes(played(GAME, "Ac Qd", "4c 4d", DRY)) == LOST


@pytest.mark.parametrize(
    ("player", "dealer", "board"),
    [
        ("Ac Qd", "Ah Qs", "2c 5d Qh Js Kd"),
        ("2c 3d", "2h 3s", "Tc Jd Qh Ks Ad"),  # both play the board
        ("Ac 2d", "Ah 3s", "8c 8d Qh Qs Kd"),  # the fourth and fifth kicker do not play
    ],
)
def test_7_1_a_tie_with_an_open_dealer_returns_both(player: str, dealer: str, board: str) -> None:
    assert stakes(played(GAME, player, dealer, board)) == BACK


def test_7_1_a_kicker_decides() -> None:
    assert stakes(played(GAME, "Kc Ac", "Kh Qs", "2c 5d 8h Js Kd"))[:2] == ("win", 1_000)


# --- the side bet ----------------------------------------------------------------------------------------


def test_5_4_a_straight_flush_that_the_river_completes_wins_nothing_from_the_pot() -> None:
    own, board = "9h Th", "Jh Qh 2c 5s Kh"
    assert shown(cards(f"{own} {board}")).hand == "straight-flush"  # in the base game it is one
    assert stakes(played(GAME, own, "4c 4d", board)) == ("win", 20_000, "win", 2_000)
    t = T(game=GAME)
    t.deal(1)
    t.board(board)
    with t.refuses("impossible-hand", "5.12"):
        t.declare(1, "9h Th Jh Qh Kh")
    with t.refuses("impossible-hand", "5.12"):
        t.declare(1, "straight-flush")
    t.declare(1, "9h Th Jh Qh 2c")
    assert t["seat.1.hand"] == "high-card"
    t.settle()
    assert t.state.settlement is not None
    assert t.state.settlement.prizes == ()


def test_5_4_a_straight_flush_on_the_flop_is_one_whatever_comes() -> None:
    t = T(game=GAME, cap=None)
    t.deal(1)
    t.board("Jh Qh Kh")
    t.declare(1, "9h Th Jh Qh Kh")
    t.board("Jh Qh Kh 2c 2d")
    t.settle()
    assert t["prize.1.amount"] == "1000070"


def test_5_4_a_full_house_of_seven_cards_need_not_be_one_of_the_flop() -> None:
    assert hand_class(cards("Kc Kd Ks 5h 2c")) == "three-of-a-kind"
    t = T(game=GAME)
    t.deal(1)
    t.board("Ks 5h 2c 5d 9s")
    with t.refuses("impossible-hand", "5.12"):
        t.declare(1, "full-house")
    t.declare(1, "Kc Kd Ks 5h 2c")


def test_5_1_the_dealer_does_not_open_and_the_side_bet_wins() -> None:
    own, dealer, board = "Ah 4h", "Qc Jd", "2h 7h Kh 9s 3c"
    assert stakes(played(GAME, own, dealer, board)) == CLOSED
    t = T(game=GAME)
    t.deal(1)
    t.board(board)
    t.show(s1="Ah 4h 2h 7h Kh")
    assert t["prize.1.amount"] == "50000"


def test_5_2_a_fold_forfeits_and_nobody_exchanges() -> None:
    t = T(game=GAME)
    t.deal(1, 1)
    t.fold(1)
    assert (t["seat.1.forfeit"], t.lit()) == ("fold", [2])
    with t.refuses("not-allowed", "5.3"):
        t.act(do.Exchange(2))
    assert TEXAS_HOLDEM_PLUS.forfeits == ("fold",)


def test_5_7_the_straight_flush_has_no_cap() -> None:
    assert TEXAS_HOLDEM_PLUS.straight_flush_cap is None


def test_a_whole_hand_of_four_players() -> None:
    """Board 9s 9h Ac 4d 9c: the dealer opens; a fold, a full house by the flop, one by the river only, a tie."""
    board, dealer = "9s 9h Ac 4d 9c", "Kd Qd"
    assert dealer_opens(GAME, f"{dealer} {board}")
    t = T(game=GAME)
    t.deal(1, 1, 2, 1)
    t.fold(1)
    t.board("9s 9h Ac")
    t.declare(2, "Ad As 9s 9h Ac")
    t.board(board)
    with t.refuses("impossible-hand", "5.12"):
        t.declare(3, "4c 4s 9s 9h 4d")
    t.declare(3, "4c 4s 9s 9h Ac")
    t.declare(4, "Kh Qh 9s 9h Ac")
    t.settle()
    assert [t[f"prize.{seat}.amount"] for seat in (2, 3, 4)] == ["100000", None, None]
    assert stakes(played(GAME, "Ad As", dealer, board)) == ("win", 3_000, "win", 2_000)
    assert stakes(played(GAME, "4c 4s", dealer, board)) == ("win", 3_000, "win", 2_000)
    assert stakes(played(GAME, "Kh Qh", dealer, board)) == BACK
