"""Caribbean Poker, or Poker sin Descarte: 5.1 to 5.5, the column of 7, ties (7.1), and whole hands."""

import pytest

from controller.core import inputs as do
from controller.core.games.caribbean_poker import CARIBBEAN_POKER

from ..table import T
from .cards import BACK, CLOSED, LOST, dealer_opens, played, stakes

GAME = "caribbean-poker"
ACE_KING = "Ac Kd 4h 3s 2c"


def test_7_the_deal() -> None:
    game = CARIBBEAN_POKER
    assert (game.max_seats, game.own_cards, game.dealer_cards, game.board_cards) == (7, 5, 5, 0)
    assert (game.exchanges, game.draw) == (0, None)


@pytest.mark.parametrize(
    ("dealer", "opens"),
    [
        (ACE_KING, True),
        ("Ac Kd Qh Js 9c", True),
        ("Ac Qd Jh Ts 9c", False),
        ("Kc Qd Jh Ts 8c", False),
        ("2c 2d 3h 4s 5c", True),
        ("Ac 2d 3h 4s 5c", True),  # a straight with the ace low
    ],
)
def test_7_the_dealer_opens_with_ace_king_or_better(dealer: str, opens: bool) -> None:
    assert dealer_opens(GAME, dealer) is opens


def test_7_a_dealer_who_does_not_open_pays_the_ante_and_returns_the_bet() -> None:
    assert stakes(played(GAME, "As Ks Qs Js Ts", "Ac Qd Jh Th 9c")) == CLOSED
    assert stakes(played(GAME, "2s 3s 5s 7s 8h", "Ac Qd Jh Th 9c")) == CLOSED


@pytest.mark.parametrize(
    ("player", "times"),
    [
        ("As Kh Qs Js 9s", 1),  # less than a pair: ace-king with a queen beats ace-king with a four
        ("2s 2h 6c 7d 8d", 1),
        ("2s 2h 6c 6d 8d", 2),
        ("2s 2h 2d 7d 8d", 3),
        ("As 2h 3d 4d 5d", 4),
        ("2d 5d 7d 9d Jd", 5),
        ("2s 2h 2d 7d 7c", 7),
        ("5s 5h 5d 5c 7c", 20),
        ("9s Ts Js Qs Ks", 25),  # not the 50 of Draw Poker
        ("As Ks Qs Js Ts", 100),
    ],
)
def test_7_the_player_wins_ante_1_to_1_and_bet_by_the_table(player: str, times: int) -> None:
    assert stakes(played(GAME, player, ACE_KING)) == ("win", 1_000, "win", times * 2_000)


def test_7_the_higher_hand_of_an_open_dealer_takes_both() -> None:
    assert stakes(played(GAME, "As Qs Js Ts 8h", ACE_KING)) == LOST
    assert stakes(played(GAME, "As Kh 5h 3c 2s", "Ac Kd 7h 3s 2c")) == LOST


def test_7_1_a_tie_with_an_open_dealer_returns_both() -> None:
    assert stakes(played(GAME, "As Kh 4s 3h 2s", ACE_KING)) == BACK
    assert stakes(played(GAME, "8s 8h Ah Kc 2s", "8c 8d As Kd 2h")) == BACK


def test_7_1_the_last_kicker_decides() -> None:
    assert stakes(played(GAME, "As Kh 5s 3h 2s", ACE_KING)) == ("win", 1_000, "win", 2_000)


# --- the side bet ----------------------------------------------------------------------------------------


def test_5_1_the_dealer_does_not_open_and_the_side_bet_wins() -> None:
    t = T(game=GAME)
    t.deal(0, 0, 0, 0, 0, 0, 2)
    t.show(s7="2h 4h 6h 8h Th")
    assert t["prize.7.amount"] == "100000"


def test_5_2_a_fold_forfeits() -> None:
    t = T(game=GAME)
    t.deal(1)
    t.fold(1)
    with t.refuses("forfeited", "5.6"):
        t.declare(1, "flush")


def test_5_5_the_five_own_cards_count_and_none_is_shared_or_exchanged() -> None:
    assert (CARIBBEAN_POKER.own_cards, CARIBBEAN_POKER.shared_cards) == (5, 0)
    t = T(game=GAME)
    t.deal(1)
    with t.refuses("not-allowed", "5.5"):
        t.board("As Ks Qs")
    with t.refuses("not-allowed", "5.3"):
        t.act(do.Exchange(1))


def test_5_12_two_royal_flushes_are_possible() -> None:
    t = T(game=GAME)
    t.deal(1, 1)
    t.declare(1, "royal-flush")
    t.declare(2, "As Ks Qs Js Ts")
    t.settle()
    assert t["meters.hits.royal-flush"] == 2


def test_5_7_the_straight_flush_has_no_cap() -> None:
    assert CARIBBEAN_POKER.straight_flush_cap is None


def test_a_whole_hand_in_which_the_dealer_shows_a_king_and_has_no_ace() -> None:
    """Seat 1 folds a pair of twos, seat 2 plays a flush, seat 3 nothing: ANTEs are paid, and one side bet."""
    dealer = "Kd Qc 9h 7s 3d"
    t = T(game=GAME)
    t.deal(1, 1, 1)
    t.fold(1)
    t.declare(2, "Ah Jh 8h 6h 4h")
    t.declare(3, "Kh Qd 9c 7c 2d")
    t.settle()
    assert (t["prize.2.amount"], t["prize.3.amount"]) == ("50000", None)
    assert stakes(played(GAME, "Ah Jh 8h 6h 4h", dealer)) == CLOSED
    assert stakes(played(GAME, "Kh Qd 9c 7c 2d", dealer)) == CLOSED
