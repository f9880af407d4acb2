"""Who can win, clauses 5.1 to 5.6 and 5.12, and the irregular deals of Draw Poker (7.3)."""

import pytest
from msgspec.structs import replace

from controller.core import inputs as do
from controller.core.cards import Card, Hand
from controller.core.games.catalogue import GAMES
from controller.core.games.game import royals_possible

from .table import T, units

ROYAL = "As Ks Qs Js Ts"


# --- 5.1 to 5.5 ------------------------------------------------------------------------------------------


def test_5_1_the_prize_depends_on_nothing_but_the_players_five_cards() -> None:
    """There is no word for the dealer's hand, nor for whether he opens: no prize can depend on them."""
    t = T()
    t.deal(1, 1)
    t.show(s1="2h 4h 6h 8h Th")
    assert t["prize.1.amount"] == "50000"


@pytest.mark.parametrize(("word", "why"), [("fold", "fold"), ("exchange", "exchange")])
def test_5_2_5_3_a_fold_or_an_exchange_forfeits_the_side_bet(word: str, why: str) -> None:
    t = T()
    t.deal(2, 1)
    level = t.pots
    getattr(t, word)(1)
    assert t["seat.1.forfeit"] == why
    assert t.lit() == [2]  # its lamp goes out at once
    assert t.pots == level  # and its contribution stays
    assert t["meters.bets"] == "3000.0000"
    assert t.text(1) == "forfeit"
    t.settle()
    assert t["seat.1.credits"] == 0  # nothing comes back


def test_5_3_exchanging_any_card_forfeits_even_with_a_royal_flush() -> None:
    t = T()
    t.deal(1)
    t.exchange(1)
    with t.refuses("forfeited", "5.6"):
        t.declare(1, ROYAL)
    t.settle()
    assert t.state.settlement is not None
    assert t.state.settlement.prizes == ()
    assert t.main == units(10_000_700)


def test_5_3_a_royal_declared_before_the_exchange_was_noticed_wins_nothing() -> None:
    t = T()
    t.deal(1)
    t.declare(1, ROYAL)
    t.exchange(1)
    t.settle()
    assert t.state.settlement is not None
    assert t.state.settlement.prizes == ()


def test_5_5_in_draw_poker_the_five_own_cards_count_and_nothing_is_shared() -> None:
    game = GAMES["draw-poker"]
    assert (game.own_cards, game.shared_cards) == (5, 0)
    t = T()
    t.deal(1)
    with t.refuses("not-allowed"):
        t.act(do.Board((Card(0), Card(1))))


def test_5_2_a_seat_without_a_bet_cannot_fold_exchange_or_declare() -> None:
    t = T()
    t.deal(1)
    for word in ("fold", "exchange"):
        with t.refuses("no-bet", "2.1"):
            getattr(t, word)(2)
    with t.refuses("no-bet", "2.1"):
        t.declare(2, "flush")


# --- 5.6 -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("word", ["fold", "exchange"])
def test_5_6_a_forfeited_hand_cannot_be_declared(word: str) -> None:
    t = T()
    t.deal(1)
    getattr(t, word)(1)
    with t.refuses("forfeited", "5.6"):
        t.declare(1, "flush")
    with t.refuses("forfeited", "5.6"):
        t.fold(1)


def test_5_6_a_void_hand_cannot_be_declared() -> None:
    t = T()
    t.deal(1, 1)
    t.irregular("wrong-count", 1)
    with t.refuses("forfeited", "5.6"):
        t.declare(1, "flush")


# --- 5.12 ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("cards", "hand"),
    [
        (ROYAL, "royal-flush"),
        ("9c Tc Jc Qc Kc", "straight-flush"),
        ("As 2s 3s 4s 5s", "straight-flush"),
        ("7c 7d 7h 7s 2c", "four-of-a-kind"),
        ("7c 7d 7h 2s 2c", "full-house"),
        ("2h 4h 6h 8h Th", "flush"),
        ("As 2s 3s 4s 5d", "straight"),
        ("7c 7d 7h 2s 3c", "three-of-a-kind"),
        ("7c 7d 2h 2s 3c", "two-pair"),
        ("7c 7d 2h 4s 3c", "pair"),
        ("Qs Ks As 2s 3d", "high-card"),
    ],
)
def test_5_12_by_cards_the_class_is_computed(cards: str, hand: str) -> None:
    t = T()
    t.deal(1)
    t.declare(1, cards)
    assert t["seat.1.hand"] == hand


@pytest.mark.parametrize("hand", [hand.value for hand in Hand])
def test_5_12_a_hand_may_be_declared_by_class(hand: str) -> None:
    t = T()
    t.deal(1)
    t.declare(1, hand)
    assert t["seat.1.hand"] == hand


def test_5_12_the_same_card_at_two_seats_is_refused_with_the_reason() -> None:
    t = T()
    t.deal(1, 1)
    t.declare(1, "2h 4h 6h 8h Th")
    with t.refuses("impossible-hand", "5.12"):
        t.declare(2, "3s 5s 7s 9s Th")
    assert t.refusal is not None
    assert "Th was declared at seat 1 already" in t.refusal.english
    assert t["seat.2.hand"] is None


def test_5_12_the_same_card_twice_in_a_hand_is_refused() -> None:
    t = T()
    t.deal(1)
    with t.refuses("impossible-hand", "5.12"):
        t.declare(1, "As As Ks Qs Js")


@pytest.mark.parametrize(
    "cards", [(0, 1, 2, 3), (0, 1, 2, 3, 4, 5), (0, 1, 2, 3, 52), (-1, 1, 2, 3, 4), (0, 4, 8, 12, 99)]
)
def test_5_12_what_is_no_hand_of_five_cards_is_refused(cards: tuple[int, ...]) -> None:
    t = T()
    t.deal(1)
    with t.refuses("impossible-hand", "5.12"):
        t.act(do.Declare(1, cards=tuple(Card(card) for card in cards)))


def test_5_12_a_declaration_of_nothing_is_refused() -> None:
    t = T()
    t.deal(1)
    with t.refuses("impossible-hand", "5.12"):
        t.act(do.Declare(1))


def test_5_12_a_class_that_the_cards_contradict_is_refused() -> None:
    t = T()
    t.deal(1)
    cards = tuple(Card(card) for card in (0, 1, 2, 3, 4))  # four deuces
    with t.refuses("impossible-hand", "5.12"):
        t.act(do.Declare(1, Hand.ROYAL_FLUSH, cards))
    t.act(do.Declare(1, Hand.FOUR_OF_A_KIND, cards))


def test_5_12_correcting_a_declaration_frees_its_cards() -> None:
    t = T()
    t.deal(1, 1)
    t.declare(1, "2h 4h 6h 8h Th")
    t.declare(1, "2s 4s 6s 8s Ts")
    t.declare(2, "2h 4h 6h 8h Th")
    t.undeclare(2)
    t.declare(1, "2h 4h 6h 8h Th")
    assert t["seat.1.hand"] == "flush"


def test_5_12_two_royal_flushes_are_possible_without_shared_cards() -> None:
    t = T()
    t.deal(1, 1)
    t.declare(1, "As Ks Qs Js Ts")
    t.declare(2, "Ah Kh Qh Jh Th")
    t.settle()
    assert t["meters.hits.royal-flush"] == 2


def test_5_12_a_fifth_royal_flush_is_not() -> None:
    t = T()
    t.deal(1, 1, 1, 1, 1)
    for seat in range(1, 5):
        t.declare(seat, "royal-flush")
    with t.refuses("impossible-hand", "5.12"):
        t.declare(5, "royal-flush")
    t.declare(4, "royal-flush")  # again is not one more


def test_5_12_with_shared_cards_only_one_royal_flush_can_be() -> None:
    assert royals_possible(replace(GAMES["draw-poker"], own_cards=2, shared_cards=3)) == 1
    assert royals_possible(GAMES["draw-poker"]) == 4


# --- 7.3 irregular deals ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("kind", "outcome", "advised"),
    [
        ("exposed", "burn", False),
        ("player-card", "go-on", False),
        ("player-cards", "void-round", True),
        ("dealer-card", "void-round", True),
        ("stuck", "choose", False),
        ("dealer-count", "void-round", True),
    ],
)
def test_7_3_it_records_and_advises_and_the_supervisor_voids(kind: str, outcome: str, advised: bool) -> None:
    t = T()
    t.deal(1)
    level = t.pots
    t.irregular(kind)
    assert t.state.round is not None
    assert t.state.round.advised_void is advised
    assert [getattr(event, "outcome", None) for event in t.last] == [None, outcome]
    assert (t["phase"], t.pots, t.lit()) == ("locked", level, [1])
    t.void()
    assert t["phase"] == "idle"


def test_7_3_information_is_for_the_house_rules_and_journaled() -> None:
    t = T()
    t.deal(1)
    t.irregular("information", 1)
    assert (t["seat.1.forfeit"], t["seat.1.bet"]) == (None, "1000")


def test_7_3_a_wrong_count_voids_that_seat_at_once() -> None:
    t = T()
    t.deal(2, 1)
    t.irregular("wrong-count", 1)
    assert (t["seat.1.bet"], t["seat.1.credits"], t.lit()) == ("0", 2, [2])
    assert (t["seat.2.bet"], t.main) == ("1000", units(10_000_700))


def test_7_3_the_dealers_chips_are_owed_for_a_void_seat() -> None:
    t = T(acceptor="chips")
    t.deal(2)
    t.irregular("wrong-count", 1)
    assert (t["seat.1.bet"], t["seat.1.owed"], t.text(1)) == ("0", "2000", "returned")


@pytest.mark.parametrize("kind", ["fourth-flop", "", "EXPOSED", "nonsense"])
def test_7_3_a_kind_that_this_game_does_not_have_is_refused(kind: str) -> None:
    t = T()
    t.deal(1)
    with t.refuses("not-allowed", "7.3"):
        t.irregular(kind)


def test_7_3_a_seat_is_named_where_there_is_one_and_only_there() -> None:
    t = T()
    t.deal(1)
    with t.refuses("unknown-seat", "7.3"):
        t.irregular("wrong-count")
    with t.refuses("not-allowed", "7.3"):
        t.irregular("exposed", 1)
    with t.refuses("no-bet", "7.3"):
        t.irregular("wrong-count", 2)


def test_7_3_cards_need_a_sealed_round() -> None:
    t = T()
    t.open()
    with t.refuses("not-locked", "2.9"):
        t.irregular("exposed")
    t.lock()
    t.settle()
    with t.refuses("not-locked", "2.9"):
        t.irregular("exposed")


def test_5_6_a_bet_without_ante_is_returned_and_not_void() -> None:
    t = T()
    t.deal(1, 1)
    t.irregular("no-ante", 1)
    with t.refuses("no-bet", "2.1"):
        t.declare(1, "flush")
    t.irregular("wrong-count", 2)
    with t.refuses("forfeited", "5.6"):
        t.declare(2, "flush")


def test_5_12_a_hand_whose_bet_went_back_makes_no_other_impossible() -> None:
    t = T()
    t.deal(1, 1)
    t.declare(1, "As Ks Qs Js Ts")
    t.irregular("no-ante", 1)
    t.declare(2, "As Ah Ad Ac 2s")  # the ace of spades was the dealer's mistake, and is declared where it is
    assert t["seat.1.hand"] is None
