"""Draw Poker: 5.1 to 5.5, the column of 7, the dealer's own draw (7.2), ties (7.1), and whole hands."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from controller.core.cards import DECK, STRENGTH, Card, CardError, Hand, hand_class, strength
from controller.core.games.draw_poker import DRAW_POKER, dealers_draw

from ..table import T
from .cards import BACK, CLOSED, LOST, cards, dealer_opens, names, played, stakes

EIGHTS = "8c 8d 2h 3s 4c"
NOTHING = "Ac Kd Qh Js 9c"


def test_7_the_deal() -> None:
    game = DRAW_POKER
    assert (game.max_seats, game.own_cards, game.dealer_cards, game.board_cards) == (6, 5, 5, 0)
    assert game.exchanges == 2


# --- who opens -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("dealer", "opens"),
    [
        (EIGHTS, True),
        ("7c 7d As Kd Qh", False),
        (NOTHING, False),
        ("2c 2d 3h 3s 4c", True),
        ("2c 2d 2h 3s 4c", True),
        ("Ac 2d 3h 4s 5c", True),
    ],
)
def test_7_the_dealer_opens_with_a_pair_of_eights_or_better(dealer: str, opens: bool) -> None:
    assert dealer_opens("draw-poker", dealer) is opens


@pytest.mark.parametrize("player", ["As Ks Qs Js Ts", "2c 3d 5h 7s 9c"])
def test_7_a_dealer_who_does_not_open_pays_the_ante_and_returns_the_bet(player: str) -> None:
    assert stakes(played("draw-poker", player, "7c 7d Ah Kd Qh")) == CLOSED


# --- what is paid ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("player", "times"),
    [
        ("9s 9h 2c 3c 5d", 1),
        ("9s 9h 3c 3d 5d", 1),
        ("2s 2h 2d 3c 5d", 2),
        ("As 2s 3d 4d 5d", 3),
        ("2d 4d 6d 9d Jd", 5),
        ("2s 2h 2d 3c 3d", 7),
        ("2s 2h 2d 2c 3d", 20),
        ("9s Ts Js Qs Ks", 50),
        ("As Ks Qs Js Ts", 100),
    ],
)
def test_7_the_player_wins_ante_1_to_1_and_bet_by_the_table(player: str, times: int) -> None:
    end = played("draw-poker", player, "8c 8d 6h 7s Tc")
    assert stakes(end) == ("win", 1_000, "win", times * 2_000)
    assert end.line is not None
    assert end.line.bet == times


def test_7_less_than_a_pair_has_no_line() -> None:
    assert DRAW_POKER.base is not None
    assert Hand.HIGH_CARD not in DRAW_POKER.base.pays
    assert stakes(played("draw-poker", "Ac Kd Qh Js 9c", EIGHTS)) == LOST


def test_7_the_higher_hand_of_an_open_dealer_takes_both() -> None:
    assert stakes(played("draw-poker", "8s 8h Ah Qd 3c", "8c 8d As Kd 2h")) == LOST


def test_7_1_a_tie_with_an_open_dealer_returns_both() -> None:
    end = played("draw-poker", "8s 8h Ah Kc 2c", "8c 8d As Kd 2h")
    assert stakes(end) == BACK
    assert end.clause == "7.1"


# --- the dealer's own draw -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("hand", "change"),
    [
        # Straight or better: stand.
        ("Ac 2d 3h 4s 5c", ""),
        ("Tc Jd Qh Ks Ac", ""),
        ("2c 4c 6c 8c Tc", ""),
        ("2c 2d 2h 3s 3c", ""),
        ("2c 2d 2h 2s 3c", ""),
        ("5c 6c 7c 8c 9c", ""),
        ("Tc Jc Qc Kc Ac", ""),
        # Three of a kind: two.
        ("2c 2d 2h As Kc", "As Kc"),
        ("Kc Kd Kh 2s 3c", "2s 3c"),
        # Two pair: one. S0's own example: twos and threes are kept.
        ("2c 2d 3h 3s 9c", "9c"),
        ("Ac Ad Kh Ks Qc", "Qc"),
        ("2c 2d 3h 3s Ac", "Ac"),  # the ace goes, too
        # A pair, whatever else it holds: two, keeping the highest other card.
        ("2c 2d 3h 9s Kc", "3h 9s"),
        ("Ac Ad 3h 9s Kc", "3h 9s"),
        ("8c 8d 2c 5c Tc", "2c 5c"),  # and four to a flush
        ("8c 8d 7h 6s 5c", "6s 5c"),  # and four in a row
        ("8c 8d 9c Tc Jc", "9c Tc"),  # and four to a straight flush
        # Four of one suit, else four in a row: the odd one.
        ("2c 5c 9c Kc Ad", "Ad"),
        ("2c 3c 4c 5c 7d", "7d"),
        ("5c 6d 7h 8s Kc", "Kc"),
        ("2c 3d 4h 5s 9c", "9c"),
        ("Ac 2d 3h 4s 9c", "9c"),  # the ace low
        ("Ac 2d 3h 4s Kc", "Kc"),
        ("Ac Kd Qh Js 4c", "4c"),  # the ace high
        ("9c Td Jh Qs Ac", "Ac"),
        ("9c Td Jh Qs 3c", "3c"),
        # A flush draw comes before a straight draw.
        ("5c 6c 7c 8d Kc", "8d"),
        # A gap is no row, and nothing runs round the corner: the three highest stay.
        ("5c 6d 7h 9s Kc", "5c 6d"),
        ("5c 6d 8h 9s Kc", "5c 6d"),
        ("Ac 2d 3h 5s 9c", "2d 3h"),
        ("Ac Kd 2h 3s 9c", "2h 3s"),
        ("Qc Kd Ah 2s 9c", "2s 9c"),
        ("Tc Jd Kh As 2c", "Tc 2c"),
        ("2c 4d 6h 8s Tc", "2c 4d"),
        ("2c 3c 4c 9d Kh", "2c 3c"),  # three of one suit are not four
    ],
)
def test_7_2_the_dealers_own_draw(hand: str, change: str) -> None:
    for turn in range(5):  # the order of the cards does not matter
        turned = cards(hand)[turn:] + cards(hand)[:turn]
        assert names(dealers_draw(turned).change) == set(change.split())


@given(st.permutations(DECK).map(lambda deck: tuple(deck[:5])))
def test_7_2_at_most_two_are_changed_and_pairs_stay_whole(hand: tuple[Card, ...]) -> None:
    draw = dealers_draw(hand)
    kept = set(hand) - set(draw.change)
    assert len(draw.change) <= 2
    assert set(draw.change) <= set(hand)
    assert dealers_draw(hand[::-1]) == draw
    if STRENGTH[hand_class(hand)] >= STRENGTH[Hand.STRAIGHT]:
        assert not draw.change
    paired = {card for card in hand if sum(card >> 2 == other >> 2 for other in hand) > 1}
    assert paired <= kept or not draw.change
    assert draw.rule


def test_7_2_five_different_cards_are_needed() -> None:
    with pytest.raises(CardError):
        dealers_draw(cards("As As Ks Qs Js"))
    with pytest.raises(CardError):
        dealers_draw(cards("As Ks Qs Js"))


# --- the side bet ----------------------------------------------------------------------------------------


def test_5_1_a_side_bet_wins_though_the_dealer_does_not_open() -> None:
    """The base game pays the ANTE only; the machine hears the hand and nothing of the dealer."""
    player = "2h 4h 6h 8h Th"
    assert stakes(played("draw-poker", player, NOTHING)) == CLOSED
    t = T()
    t.deal(1)
    t.show(s1=player)
    assert t["prize.1.amount"] == "50000"


def test_5_1_a_side_bet_wins_though_the_dealer_has_more() -> None:
    player, dealer = "2h 4h 6h 8h Th", "3c 3d 3h 3s Ac"
    assert stakes(played("draw-poker", player, dealer)) == LOST
    t = T()
    t.deal(1)
    t.show(s1=player)
    assert t["prize.1.amount"] == "50000"


def test_5_3_a_royal_flush_after_an_exchange_wins_the_base_game_and_not_the_pot() -> None:
    royal = "As Ks Qs Js Ts"
    assert stakes(played("draw-poker", royal, EIGHTS)) == ("win", 1_000, "win", 200_000)
    t = T()
    t.deal(1)
    level = t.pots
    t.exchange(1)
    with t.refuses("forfeited", "5.6"):
        t.declare(1, royal)
    with t.refuses("forfeited", "5.6"):
        t.declare(1, "royal-flush")
    t.settle()
    assert (t.pots, t["seat.1.credits"]) == (level, 0)


def test_5_2_5_3_only_a_fold_and_an_exchange_forfeit() -> None:
    assert DRAW_POKER.forfeits == ("fold", "exchange")


def test_5_7_the_straight_flush_is_capped_at_5000_times_the_bet() -> None:
    assert DRAW_POKER.straight_flush_cap == 5_000


# --- whole hands -----------------------------------------------------------------------------------------


def test_a_whole_hand_with_both_draws() -> None:
    """The player keeps two pair and misses, which costs the side bet; the dealer draws to a pair of sevens and hits."""
    player = cards("Qs Qd 5c 5h 2s")
    dealer = cards("7c 7d Kh 4s 3d")
    draw = dealers_draw(dealer)
    assert names(draw.change) == {"4s", "3d"}
    drawn = tuple(card for card in dealer if card not in draw.change) + cards("7h 9c")
    after = player[:4] + cards("Jd")
    t = T()
    t.deal(2)
    t.exchange(1)
    t.settle()
    assert strength(drawn) > strength(after)
    text = " ".join(sorted(names(drawn)))
    assert dealer_opens("draw-poker", text)
    assert stakes(played("draw-poker", " ".join(sorted(names(after))), text)) == LOST


def test_a_whole_hand_in_which_the_dealer_misses_eights() -> None:
    """Sevens stay sevens: the flush of seat 2, who stood pat, wins 50 times its side bet and the ANTE alone."""
    dealer = cards("7c 7d Kh 4s 3d")
    drawn = tuple(card for card in dealer if card not in dealers_draw(dealer).change) + cards("2c 9c")
    text = " ".join(sorted(names(drawn)))
    assert not dealer_opens("draw-poker", text)
    assert stakes(played("draw-poker", "Ah Jh 8h 6h 4h", text)) == CLOSED
    t = T()
    t.deal(1, 3)
    t.fold(1)
    t.show(s2="Ah Jh 8h 6h 4h")
    assert t["prize.2.amount"] == "150000"
    t.pay_all()
    assert t["phase"] == "idle"
