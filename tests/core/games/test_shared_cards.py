"""`board` and the checks of 5.12 at tables with shared cards."""

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from controller.core import inputs as do
from controller.core.cards import DECK, HANDS, Card, hand_class
from controller.core.games.catalogue import GAMES

from ..table import T

TEXAS, GO = "texas-holdem-plus", "go-poker"


def dealt(game: str = TEXAS, board: str = "", seats: int = 3) -> T:
    t = T(game=game)
    t.deal(*[1] * seats)
    if board:
        t.board(board)
    return t


def said(t: T) -> str:
    assert t.refusal is not None
    return t.refusal.english


# --- the shared cards ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("game", "board", "fits"),
    [
        (TEXAS, "As", False),
        (TEXAS, "As Ks", False),
        (TEXAS, "As Ks Qs", True),
        (TEXAS, "As Ks Qs 2c", True),
        (TEXAS, "As Ks Qs 2c 3d", True),
        (TEXAS, "As Ks Qs 2c 3d 4h", False),
        (GO, "As", False),
        (GO, "As Ks", True),
        (GO, "As Ks Qs", False),
    ],
)
def test_5_12_how_many_shared_cards_can_lie_there(game: str, board: str, fits: bool) -> None:
    t = dealt(game)
    if fits:
        t.board(board)
        return
    with t.refuses("impossible-hand", "5.12"):
        t.board(board)
    assert t.state.round is not None
    assert t.state.round.board == ()


def test_5_12_shared_cards_are_told_in_steps_or_at_once_and_corrected() -> None:
    t = dealt()
    for board in ("As Ks Qs", "As Ks Qs 2c", "As Ks Qs 2c 3d", "Ad Ks Qs 2c 3d", "Ad Ks Qs"):
        t.board(board)
        assert t.state.round is not None
        assert len(t.state.round.board) == len(board.split())


def test_5_12_the_same_card_twice_on_the_board_is_refused() -> None:
    t = dealt()
    with t.refuses("impossible-hand", "5.12"):
        t.board("As Ks As")
    assert "As is there twice" in said(t)
    with t.refuses("impossible-hand", "5.12"):
        t.act(do.Board((Card(0), Card(1), Card(52))))
    with t.refuses("impossible-hand", "5.12"):
        t.act(do.Board(()))


def test_2_9_shared_cards_need_a_sealed_round() -> None:
    t = T(game=TEXAS)
    t.open()
    with t.refuses("not-locked", "2.9"):
        t.board("As Ks Qs")


def test_5_12_a_new_round_has_a_new_board() -> None:
    t = dealt(board="As Ks Qs")
    t.settle()
    t.open()
    t.lock()
    assert t.state.round is not None
    assert t.state.round.board == ()


# --- a hand by its cards ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("game", "board", "hand"),
    [
        (TEXAS, "As Ks Qs", "As Ks Qs Js Ts"),
        (TEXAS, "As Ks Qs 2c 3d", "Js As Ts Ks Qs"),
        (GO, "As Ks", "As Ks Qs Js Ts"),
    ],
)
def test_5_12_a_hand_is_the_shared_cards_that_count_and_own_cards(game: str, board: str, hand: str) -> None:
    t = dealt(game, board)
    t.declare(1, hand)
    assert t["seat.1.hand"] == "royal-flush"


@pytest.mark.parametrize(
    ("game", "board", "hand", "why"),
    [
        (TEXAS, "As Ks Qs", "As Ks 2h 3h 4h", "Qs is missing"),
        (TEXAS, "As Ks Qs", "9s 8s 7s 6s 5s", "As is missing"),
        (TEXAS, "As Ks 2d Js Ts", "As Ks Qs Js Ts", "2d is missing"),
        (TEXAS, "As Ks Qs Js 2c", "As Ks Qs Js Ts", "Js is a shared card that does not count"),
        (TEXAS, "As Ks Qs 2c Ts", "As Ks Qs Js Ts", "Ts is a shared card that does not count"),
        (GO, "As Ks", "As Qs Js Ts 9s", "Ks is missing"),
        (GO, "As Ks", "Qs Js Ts 9s 8s", "As is missing"),
        (TEXAS, "As Ks Qs", "As Ks Qs Qs 2d", "Qs is there twice"),
    ],
)
def test_5_12_a_hand_that_contradicts_the_shared_cards_is_refused(game: str, board: str, hand: str, why: str) -> None:
    t = dealt(game, board)
    with t.refuses("impossible-hand", "5.12"):
        t.declare(1, hand)
    assert why in said(t)
    assert t["seat.1.hand"] is None


def test_5_12_own_cards_of_two_seats_differ() -> None:
    t = dealt(board="As Ks 2d")
    t.declare(1, "As Ks 2d 9c 8c")
    with t.refuses("impossible-hand", "5.12"):
        t.declare(2, "As Ks 2d 9c 7c")
    assert "9c was declared at seat 1 already" in said(t)
    t.declare(2, "As Ks 2d 9h 7c")


def test_5_12_a_folded_hand_still_holds_its_cards() -> None:
    t = dealt(board="As Ks 2d")
    t.declare(1, "As Ks 2d 9c 8c")
    t.fold(1)
    with t.refuses("impossible-hand", "5.12"):
        t.declare(2, "As Ks 2d 9c 7c")


# --- before the shared cards are told --------------------------------------------------------------------


@pytest.mark.parametrize(
    ("game", "first", "second", "fits"),
    [
        (TEXAS, "As Ks 2d 9c 8c", "As Ks 2d 9h 8h", True),
        (TEXAS, "As Ks 2d 9c 8c", "As Ks 2d 9c 8h", False),
        (TEXAS, "As Ks 2d 9c 8c", "As Ks 3d 9h 8h", False),
        (TEXAS, "As Ks 2d 9c 8c", "Ah Kh 3d 9h 8h", False),
        (GO, "As Ks 2d 9c 8c", "As Ks 2h 9h 8h", True),
        (GO, "As Ks 2d 9c 8c", "As Ks 2d 9h 8h", False),
        (GO, "As Ks 2d 9c 8c", "As Kh 2h 9h 8h", False),
    ],
)
def test_5_12_two_hands_have_the_shared_cards_in_common(game: str, first: str, second: str, fits: bool) -> None:
    t = dealt(game)
    t.declare(1, first)
    if fits:
        t.declare(2, second)
        return
    with t.refuses("impossible-hand", "5.12"):
        t.declare(2, second)


def test_5_12_three_hands_have_the_same_shared_cards() -> None:
    t = dealt(GO)
    t.declare(1, "As Ks 2d 9c 8c")
    t.declare(2, "As Ks 2h 9h 8h")
    with t.refuses("impossible-hand", "5.12"):
        t.declare(3, "2d 9c 2h 9h 4d")  # two in common with each, and not the same two
    t.declare(3, "As Ks 2c 2s 4d")


@pytest.mark.parametrize("board", ["Ah Ks 2d", "As Ks 3d", "As Ks 2d 9c", "As Ks 2d 5h 8c"])
def test_5_12_a_board_that_contradicts_a_declared_hand_is_refused_and_says_which(board: str) -> None:
    t = dealt()
    t.declare(2, "As Ks 2d 9c 8c")
    with t.refuses("impossible-hand", "5.12"):
        t.board(board)
    assert "seat 2" in said(t)
    t.undeclare(2)
    t.board(board)


# --- by class --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("game", "board", "possible"),
    [
        # Three suits: no flush of any kind. Three different ranks: no four, no full house.
        (TEXAS, "2c 7d Kh", "high-card pair two-pair three-of-a-kind"),
        (TEXAS, "9c Td Jh", "high-card pair two-pair three-of-a-kind straight"),
        (TEXAS, "9c Td Jc", "high-card pair two-pair three-of-a-kind straight"),
        (TEXAS, "9c Tc Jc", "high-card pair two-pair three-of-a-kind straight flush straight-flush"),
        (TEXAS, "Tc Jc Qc", "high-card pair two-pair three-of-a-kind straight flush straight-flush royal-flush"),
        (TEXAS, "2c 7c Kc", "high-card pair two-pair three-of-a-kind flush"),
        (TEXAS, "9c 9d Jc", "pair two-pair three-of-a-kind full-house four-of-a-kind"),
        (TEXAS, "9c 9d 9h", "three-of-a-kind full-house four-of-a-kind"),
        (GO, "9c 9d", "pair two-pair three-of-a-kind full-house four-of-a-kind"),
        (GO, "9c Td", "high-card pair two-pair three-of-a-kind straight full-house four-of-a-kind"),
        (GO, "Tc Ac", "high-card pair two-pair three-of-a-kind straight flush full-house four-of-a-kind royal-flush"),
        (GO, "2c 8c", "high-card pair two-pair three-of-a-kind flush full-house four-of-a-kind"),
    ],
)
def test_5_12_a_class_that_the_shared_cards_rule_out_is_refused(game: str, board: str, possible: str) -> None:
    t = dealt(game, board)
    for hand in HANDS:
        if hand in possible.split():
            t.declare(1, hand)
            assert t["seat.1.hand"] == hand
        else:
            with t.refuses("impossible-hand", "5.12"):
                t.declare(1, hand)
            assert hand in said(t)
            assert board in said(t)


def test_5_12_a_class_that_the_other_cards_rule_out_is_refused() -> None:
    t = dealt(board="Kc 9d 9h 4c 4d")
    t.declare(1, "Kc 9d 9h 9s 2c")
    with t.refuses("impossible-hand", "5.12"):
        t.declare(2, "four-of-a-kind")  # the nine of spades lies before seat 1
    t.undeclare(1)
    t.declare(2, "four-of-a-kind")


def test_5_12_turn_and_river_are_no_own_cards_of_a_class_either() -> None:
    t = dealt(board="Kc Qc Jc Tc 2d")
    with t.refuses("impossible-hand", "5.12"):
        t.declare(1, "royal-flush")
    t.declare(1, "flush")


def test_5_12_a_board_that_rules_out_a_declared_class_is_refused() -> None:
    t = dealt()
    t.declare(3, "flush")
    with t.refuses("impossible-hand", "5.12"):
        t.board("2c 7d Kh")
    assert "seat 3" in said(t)
    t.fold(3)
    t.board("2c 7d Kh")
    with t.refuses("impossible-hand", "5.12"):
        t.undo_forfeit(3)  # the flush would be back


@pytest.mark.parametrize("game", [TEXAS, GO])
@pytest.mark.parametrize("first", ["royal-flush", "As Ks Qs Js Ts"])
def test_5_12_two_royal_flushes_are_refused_even_by_class(game: str, first: str) -> None:
    t = dealt(game)
    t.declare(1, first)
    with t.refuses("impossible-hand", "5.12"):
        t.declare(2, "royal-flush")
    t.declare(1, first)  # again is not one more
    t.undeclare(1)
    t.declare(2, "royal-flush")


def test_5_12_a_restored_hand_may_not_make_two_royal_flushes() -> None:
    t = dealt()
    t.declare(1, "royal-flush")
    t.fold(1)
    t.declare(2, "royal-flush")
    with t.refuses("impossible-hand", "5.12"):
        t.undo_forfeit(1)
    t.undeclare(2)
    t.undo_forfeit(1)
    assert t["seat.1.hand"] == "royal-flush"


# --- what was really dealt -------------------------------------------------------------------------------


@given(st.sampled_from(sorted(GAMES)), st.randoms(use_true_random=False))
def test_5_12_what_was_dealt_from_one_deck_is_never_refused(name: str, rng: Random) -> None:
    """By cards or by class, the shared cards told before, between or after, in steps or at once."""
    game, deck = GAMES[name], list(DECK)
    rng.shuffle(deck)
    t = dealt(name, seats=game.max_seats)
    board = tuple(deck.pop() for _ in range(game.board_cards))
    acts: list[do.Act] = []
    for seat in range(1, game.max_seats + 1):
        hand = (*(deck.pop() for _ in range(game.own_cards)), *board[: game.shared_cards])
        acts.append(do.Declare(seat, cards=hand) if rng.random() < 0.6 else do.Declare(seat, hand_class(hand)))
    rng.shuffle(acts)
    for count in game.boards:
        acts.insert(rng.randint(0, len(acts)), do.Board(board[:count]))
    for act in acts:
        t.act(act)
    t.settle()
