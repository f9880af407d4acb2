"""Complete games on the felt: what is dealt, decided, exchanged and won (rules 5, 7)."""

from collections.abc import Iterable
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from controller.core.cards import DECK, Card, Hand
from controller.core.games.catalogue import GAMES
from controller.core.games.game import Base
from controller.core.money import Minor
from controller.deal import Deck, Felt, choice, to_change
from tests.core.games.cards import cards, names

ANTE = Minor(1_000)
FLUSHES = frozenset({Hand.FLUSH})


class Known(Deck):
    """A deck whose first cards are known; the rest follow in the order of a new deck."""

    def __init__(self, text: str) -> None:
        first = cards(text)
        self._cards = [*first, *(card for card in DECK if card not in first)]


def felt(game: str, deck: str, seats: Iterable[int] = (1,)) -> Felt:
    rules = GAMES[game]
    base = rules.base or rules.example
    assert base is not None
    return Felt(rules, base, Known(deck), seats)


@given(st.sampled_from(sorted(GAMES)), st.integers())
def test_7_a_round_is_dealt_from_one_deck(game: str, seed: int) -> None:
    rules = GAMES[game]
    on_felt = Felt(rules, rules.base or rules.example or Base({}), Deck(Random(seed)), range(1, rules.max_seats + 1))
    gone: list[Card] = []
    for seat in tuple(on_felt.own):
        before = on_felt.own[seat]
        if on_felt.decide(seat, FLUSHES) == "fold":
            gone.extend(before)
        else:
            gone.extend(on_felt.exchange(seat, FLUSHES))
    before = on_felt.dealer
    draw = on_felt.dealers_draw()
    gone.extend(card for card in before if draw is not None and card in draw.change)
    lying = [card for own in on_felt.own.values() for card in own]
    all_cards = [*gone, *lying, *on_felt.dealer, *on_felt.board]
    assert len(set(all_cards)) == len(all_cards)
    assert all(len(on_felt.five(seat)) == 5 for seat in on_felt.dealt)
    for seat in on_felt.dealt:
        result = on_felt.result(seat, ANTE)
        assert (result.end is None) == (seat not in on_felt.own)
        assert result.ante >= -ANTE
        assert result.bet >= -2 * ANTE


def test_5_4_turn_and_river_do_not_count_and_players_decide_before_them() -> None:
    texas = felt("texas-holdem-plus", "As Ks 4c 4d Qs Js 2h Ts 9c")
    assert names(texas.five(1)) == {"As", "Ks", "Qs", "Js", "2h"}
    assert names(texas.first_board) == {"Qs", "Js", "2h"}
    assert texas.hand(1) is Hand.HIGH_CARD
    assert texas.decide(1, ()) == "bet", "an ace, and four to a flush"
    result = texas.result(1, ANTE)
    assert (result.ante, result.bet) == (100_000, 2_000), "the base game's royal flush"


def test_5_3_the_side_bet_is_about_the_cards_as_they_were_dealt() -> None:
    draw = felt("draw-poker", "As Ks Qs Js 2h 3c 4d 5h 7c 9s Ts")
    assert draw.decide(1, ()) == "bet"
    assert names(draw.exchange(1, ())) == {"2h"}
    assert "Ts" in names(draw.own[1])
    assert draw.hand(1) is Hand.HIGH_CARD
    assert draw.five(1) == draw.dealt[1]


def test_5_2_who_wins_the_side_bet_neither_folds_nor_exchanges() -> None:
    draw, wins = GAMES["draw-poker"], cards("2s 3s 4s 5s 7s")
    assert draw.base is not None
    assert choice(draw, draw.base, wins, wins=True) == "bet"
    three = cards("2s 2h 2d 5s 7s")
    assert to_change(draw, three, wins=True) == ()
    assert names(to_change(draw, three, wins=False)) == {"5s", "7s"}


@pytest.mark.parametrize(
    ("game", "seen", "decision"),
    [
        ("draw-poker", "2s 2h 5d 8c Jd", "bet"),  # a pair
        ("draw-poker", "2s 4h 5d 8c Qd", "bet"),  # a queen, and two cards to come
        ("draw-poker", "2s 4s 5s 8s Jd", "bet"),  # four of one suit
        ("draw-poker", "7s 8h 9d Tc 2d", "bet"),  # four in a row
        ("draw-poker", "2s 4h 5d 8c Jd", "fold"),
        ("texas-holdem-plus", "Qs 4h 5d 8c Jd", "bet"),
        ("texas-holdem-plus", "Js 4h 5d 8c Qd", "fold"),  # the queen is everybody's
        ("texas-holdem-plus", "Ts 4h 5d 8c 4d", "bet"),
        ("caribbean-poker", "As Kh 5d 8c 4d", "bet"),  # what opens for the dealer
        ("caribbean-poker", "As Qh 5d 8c 4d", "fold"),  # nothing to come
        ("caribbean-poker", "2s 4s 5s 8s Jd", "fold"),
        ("go-poker", "2s 2h 5d 8c Jd", "bet"),
        ("go-poker", "As Kh 5d 8c Jd", "fold"),  # the pay table has no line for it
    ],
)
def test_7_a_sensible_player(game: str, seen: str, decision: str) -> None:
    rules = GAMES[game]
    base = rules.base or rules.example
    assert base is not None
    assert choice(rules, base, cards(seen), wins=False) == decision
    assert choice(rules, Base(base.pays, bet=False), cards(seen), wins=False) == "ante", "nothing to decide"


def test_7_who_folds_loses_the_ante() -> None:
    caribbean = felt("caribbean-poker", "2s 4h 5d 8c Jd")
    assert caribbean.decide(1, ()) == "fold"
    assert caribbean.result(1, ANTE) == (None, -1_000, 0)


def test_7_the_dealer_may_not_open() -> None:
    caribbean = felt("caribbean-poker", "2s 2h 5d 8c Jd 3c 4d 5h 7c 9s")
    assert caribbean.decide(1, ()) == "bet"
    assert caribbean.opens is False
    result = caribbean.result(1, ANTE)
    assert (result.ante, result.bet) == (1_000, 0)
    lost = felt("caribbean-poker", "2s 2h 5d 8c Jd 3c 3d 5h 7c 9s")
    assert lost.opens is True
    assert lost.result(1, ANTE)[1:] == (-1_000, -2_000)


def test_7_2_the_dealer_draws_after_the_players() -> None:
    draw = felt("draw-poker", "2s 4h 5d 8c Jd 8h 8d Kc 3c 2c As Ah", seats=(1,))
    line = draw.dealers_draw()
    assert line is not None
    assert names(line.change) == {"3c", "2c"}
    assert names(draw.dealer) == {"8h", "8d", "Kc", "As", "Ah"}
    assert felt("go-poker", "").opens is None
    assert felt("go-poker", "").dealers_draw() is None


def test_7_where_the_ante_plays_alone_there_is_no_bet_to_win() -> None:
    rules = GAMES["go-poker"]
    assert rules.example is not None
    go = Felt(rules, Base(rules.example.pays, bet=False), Known("2s 2h 5d 2c 5c"), (1,))
    assert go.decide(1, ()) == "ante"
    assert go.result(1, ANTE)[1:] == (1_000, 0)


def test_a_stacked_hand_lies_where_it_was_put() -> None:
    rules, own, board = GAMES["texas-holdem-plus"], cards("9s 8s"), cards("7s 6s 5s")
    assert rules.base is not None
    deck = Known("9s 8s 7s 6s 5s")
    deck.draw(5)
    texas = Felt(rules, rules.base, deck, (1, 2), stacked={2: own}, board=board)
    assert texas.hand(2) is Hand.STRAIGHT_FLUSH
    assert texas.board[:3] == board
    assert len(texas.board) == 5


def test_a_deck_has_52_cards() -> None:
    deck = Deck(Random(1))
    assert sorted(deck.draw(52)) == sorted(DECK)
    with pytest.raises(ValueError, match="1 cards wanted, 0 are left"):
        deck.draw(1)


def test_nothing_is_asked_of_a_hand_that_is_not_there_yet() -> None:
    """A game that shows fewer than five cards before the decision leaves nothing to judge."""
    texas = GAMES["texas-holdem-plus"]
    assert texas.base is not None
    assert choice(texas, texas.base, cards("2s 4h"), wins=False) == "bet"
