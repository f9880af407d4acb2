"""The dealer's menu: what is seen after which keys, and that no keys ask for what a dealer may not do (10)."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from controller.core import decide
from controller.core import inputs as do
from controller.core.betting import WIRING
from controller.core.cards import Hand, parse_card
from controller.core.games.catalogue import GAMES
from controller.core.inputs import Act, Command
from controller.core.panel import owed
from controller.core.roles import MAY, allowed
from controller.i18n import Language, translator
from controller.story import ALARMS, PARTS
from controller.terminal.menu import KEYS, SEEN_S, Do, Open, closed, dealer, turned_away
from controller.terminal.pages import (
    NO_BREAK,
    Boards,
    Cards,
    Concerned,
    Credits,
    Dealers,
    Hands,
    Kinds,
    LogIn,
    LogOut,
    Main,
    OneSeat,
    Owed,
    Page,
    Picture,
    Pin,
    Prizes,
    Seats,
    confirm,
    view,
)
from controller.terminal.words import table_text
from hal.display.menu import COLUMNS, SELECTED
from hal.port import Part
from tests.core.table import T
from tests.people.terminal import Terminal


def locked(game: str = "draw-poker") -> Terminal:
    """Bets at seats 1, 3 and 4, of one, two and three credits; the round is sealed, and ana deals."""
    t = T(game=game)
    t.deal(1, 0, 2, 3)
    at = Terminal(t)
    at.log_in()
    return at


def acts(at: Terminal) -> list[Act]:
    return [wish.act for wish in at.wishes if isinstance(wish, Do)]


# --- who it is -------------------------------------------------------------------------------------------


def test_10_1_the_first_key_asks_who_it_is_and_a_pin_proves_it() -> None:
    at = Terminal(T())
    assert at.screen() == ()
    at.keys("ok")
    assert at.screen() == ("Who is it?", "> ana", "  luis")
    at.keys("down", "ok")
    assert at.screen() == ("PIN ", "> 0", "  1", "  2", "  3", "  4")
    at.choose("2", "5", "8", "0")
    assert at.screen()[0] == "PIN ****"
    at.keys("back", "back")
    assert at.screen()[0] == "PIN **"
    at.choose("1", "OK")
    assert at.wishes == [LogIn("luis", "251")]
    assert at.screen()[:2] == ("round 0, Waiting", "> Seats")


def test_10_1_while_a_pin_is_examined_keys_do_nothing_and_a_wrong_one_is_told() -> None:
    at = Terminal(T())
    at.keys("ok")
    at.choose("ana")
    at.menu = at.menu.__class__(pages=at.menu.pages, waiting=True)
    assert at.screen()[0] == "Please wait"
    before = at.menu
    at.keys(*KEYS)
    assert at.menu == before
    at.menu = turned_away(at.menu, "That is not the name and the PIN of anybody here.")
    assert at.screen() == ("round 0, Waiting", "That is not the name", "and the PIN of", "anybody here.")
    at.keys("ok")
    assert at.screen() == ()


def test_10_1_without_a_dealer_it_says_how_to_make_one() -> None:
    at = Terminal(T(), dealers=())
    at.keys("up")
    assert "".join(at.screen()[1:]).startswith("Nobody here may deal:")
    at.keys("back")
    assert at.screen() == ()


def test_who_leaves_has_left_and_the_usual_picture_is_back() -> None:
    at = Terminal(T())
    at.log_in()
    at.choose("Leave: ana")
    assert isinstance(at.wishes[-1], LogOut)
    assert at.screen() == ()
    at.keys("ok")
    assert at.screen()[0] == "Who is it?"


def test_after_a_while_the_usual_picture_returns_and_the_person_stays() -> None:
    at = locked()
    at.choose("Seats", "3 2,000")
    at.menu = closed(at.menu)
    assert at.screen() == ()
    at.keys("ok")  # opens, and does nothing
    assert at.screen()[0] == "round 1, Locked"
    assert acts(at) == []


# --- what is seen ----------------------------------------------------------------------------------------


def test_seats_are_shown_with_bets_and_the_list_goes_round_the_corner() -> None:
    at = locked()
    at.choose("Seats")
    assert at.screen() == ("round 1, Locked", "> 1 1,000", "  2 -", "  3 2,000", "  4 3,000", "  5 -")
    at.keys("up")
    assert at.screen() == ("round 1, Locked", "  2 -", "  3 2,000", "  4 3,000", "  5 -", "> 6 -")
    at.keys("down", "down", "down")
    assert at.chosen() == "3 2,000"


def test_the_table_in_words_has_what_is_wrong_first() -> None:
    t = T(acceptor="chips")
    t.open()
    t.bet(1, 1)
    t.lock()
    with t.refuses("not-open"):
        t.chip(2)
    t.fails("slot", 5)
    with t.refuses("not-settled"):
        t.key("open")
    at = Terminal(t)
    at.log_in()
    at.choose("The table")
    seen = list(at.screen()[1:-1])
    while at.chosen() == "ok: more...":
        at.keys("down")
        seen.append(at.screen()[4])
    seen.append(at.screen()[5])
    assert seen[:2] == ["ALARM: the slot is", "jammed, seat 5"]
    assert "early, not finished" in seen
    assert "2 - hand back 1,000" in seen
    assert "  late 1,000" in seen
    assert "5 - closed" in seen
    assert "  failed: the slot" in seen
    at.keys("ok")
    assert at.screen()[0] == "round 1, Locked"


def test_in_spanish_the_table_in_words_has_no_word_of_english() -> None:
    t = T(acceptor="chips")
    t.open()
    t.chip(3)
    with t.refuses("wrong-acceptor"):
        t.press(4)
    t.fails("slot", 3)
    t.fails("display")
    t.fails("edges")
    text = table_text(t.state, translator("es").text, str, "")
    assert text.split("\n")[:5] == [
        "ALARMA: apuesta de otro tipo: ficha o botón, posición 4",
        "ALARMA: la ranura está obstruida, posición 3",
        "ALARMA: no funciona ningún visor",
        "ALARMA: se perdieron señales",
        "Partes de la mesa con falla: el visor",
    ]
    assert "  devuelta 1000" in text
    assert "  falla: la ranura" in text


@pytest.mark.parametrize("part", get_args(Part))
def test_every_part_and_every_alarm_has_a_name(part: Part) -> None:
    assert part in PARTS
    assert f"{part}-failed" in ALARMS or part == "edges"  # whose alarm is edges-lost


def test_every_alarm_that_the_rules_raise_has_a_name() -> None:
    rules = Path(decide.__file__).parent
    raised = {code for file in rules.glob("*.py") for code in re.findall(r'\.alarm\("([a-z-]+)"', file.read_text())}
    assert len(raised) >= 6
    assert raised | set(WIRING) <= set(ALARMS)


def test_in_spanish_it_speaks_spanish() -> None:
    t = T()
    t.deal(1, 0, 2)
    at = Terminal(t, "es")
    at.keys("ok")
    at.choose("ana", "5", "OK", "Posiciones", "3 2.000", "Mano por clase", "color")
    assert at.screen() == (
        "¿Es correcto?",
        "Posición 3: ¿color?",
        "",
        "",
        "",
        "> ok: sí  atrás: no",
    )
    at.keys("ok")
    assert at.screen()[0] == "Hecho"
    assert "  3 2.000 color" in at.screen() or "> 3 2.000 color" in at.screen()


# --- what is done ----------------------------------------------------------------------------------------


def test_5_12_a_hand_is_declared_by_its_class_and_the_next_seat_is_at_hand() -> None:
    at = locked()
    at.choose("Seats", "3 2,000", "Hand by class", "full house")
    assert at.screen()[:2] == ("Is this right?", "Seat 3: full house?")
    assert acts(at) == []
    at.choose("yes")
    assert at.wishes[-1] == Do(do.Declare(3, Hand.FULL_HOUSE), 1)
    assert at.screen()[0] == "Done"
    assert at.chosen() == "3 2,000 full house"
    at.keys("down")
    assert at.screen()[0] == "round 1, Locked"
    assert at.t["seat.3.hand"] == "full-house"


def test_5_12_a_hand_is_declared_by_its_cards() -> None:
    at = locked()
    at.choose("Seats", "1 1,000", "Hand by its cards")
    for rank in ("A", "K", "Q", "J"):
        at.choose(rank, "spades")
    assert at.screen()[0] == "As Ks Qs Js ?"
    at.choose("9")
    assert at.screen()[0] == "As Ks Qs Js 9"
    at.keys("back")
    at.choose("10", "spades")
    assert at.screen()[1] == "Seat 1: As Ks Qs Js"
    at.choose("yes")
    assert at.t["seat.1.hand"] == "royal-flush"


def test_5_12_a_card_that_is_there_already_is_not_offered_twice() -> None:
    at = locked()
    at.choose("Seats", "1 1,000", "Hand by its cards", "A", "spades", "A")
    assert at.screen()[1:] == ("> hearts", "  diamonds", "  clubs")


@pytest.mark.parametrize(("label", "act"), [("Folds", do.Fold(3)), ("Exchanges cards", do.Exchange(3))])
def test_5_2_5_3_a_fold_and_an_exchange_cost_the_side_bet(label: str, act: Act) -> None:
    at = locked()
    at.choose("Seats", "3 2,000", label, "yes")
    assert acts(at) == [act]
    assert at.t["seat.3.forfeit"] is not None
    at.choose("3 2,000")
    assert "Folds" not in "".join(at.screen())


def test_5_15_a_hand_is_taken_back() -> None:
    at = locked()
    at.t.declare(4, "flush")
    at.choose("Seats", "4 3,000 flush", "Take hand back", "yes")
    assert at.t["seat.4.hand"] is None


def test_5_4_the_shared_cards_are_told_as_they_are_turned() -> None:
    at = locked("texas-holdem-plus")
    at.choose("Shared cards", "3 cards", "A", "hearts", "K", "clubs", "2", "diamonds", "yes")
    assert acts(at) == [do.Board(tuple(map(parse_card, ("Ah", "Kc", "2d"))))]
    at.choose("Shared cards", "4 cards")
    assert at.screen()[0] == "Ah Kc 2d ?"
    at.choose("9", "spades", "yes")
    assert at.t.state.round is not None
    assert at.t.state.round.board == tuple(map(parse_card, ("Ah", "Kc", "2d", "9s")))


def test_7_3_an_irregular_deal_is_recorded_and_the_screen_says_what_to_do() -> None:
    at = locked()
    at.choose("Irregular deal", "dealer's card")
    assert " ".join(at.screen()[1:4]) == "Irregular: a covered card of the dealer was seen?"
    at.choose("yes")
    assert " ".join(at.screen()[1:]).startswith("Recorded; stop: the supervisor voids the round.")
    at.keys("ok")
    at.choose("Irregular deal", "player's count", "3 2,000")
    assert " ".join(at.screen()[1:5]).rstrip() == "Seat 3, irregular: a player has a wrong number of cards?"
    at.choose("yes")
    assert acts(at) == [do.Irregular("dealer-card"), do.Irregular("wrong-count", 3)]


def test_5_11_prizes_stand_in_the_order_of_payment_and_the_supervisors_approval_is_waited_for() -> None:
    at = locked()
    at.t.declare(4, "flush")
    at.t.declare(1, "royal-flush")
    at.choose("Settle")
    assert " ".join(at.screen()[1:4]) == "Settle round 1? Hands: 1 royal flush, 4 flush."
    at.choose("yes", "Prizes")
    assert at.screen()[1:] == ("> 1 approve!", "  4 150,000 flush")  # "1 9,854,200 approve!" is too long
    at.choose("4 150,000 flush", "yes")
    assert at.refusal is not None
    assert at.screen()[1:3] == ("Seat 1 is paid first;", "prizes go from seat 1")
    at.keys("back")
    at.choose("1 approve!", "yes")
    assert " ".join(at.screen()[1:]) == "The prize of seat 1 needs the supervisor's approval first."
    at.keys("back")
    at.t.approve(1)
    at.choose("1 9,854,200", "yes", "4 150,000 flush", "yes")
    assert at.screen()[:2] == ("Done: 150,000", "> Seats")
    assert at.t.state.round is None


def with_a_late_chip() -> tuple[T, Terminal]:
    """A chip of seat 2 came after the lock; a dealer has logged in."""
    t = T(acceptor="chips")
    t.deal(1)
    with t.refuses("not-open"):
        t.chip(2)
    at = Terminal(t)
    at.log_in()
    return t, at


def test_2_4_chips_are_handed_back_and_an_amount_that_has_grown_is_asked_again() -> None:
    t, at = with_a_late_chip()
    at.choose("Hand back", "2 - hand back 1,000")
    assert " ".join(at.screen()[1:3]) == "Seat 2: were 1,000 handed back?"
    with t.refuses("not-open"):
        t.chip(2)
    at.keys("ok")
    assert acts(at) == []
    assert " ".join(at.screen()[1:3]) == "Seat 2: were 2,000 handed back?"
    at.keys("ok")
    assert at.wishes[-1] == Do(do.Ack(2), 1, "2000")
    assert at.screen()[:2] == ("Done: 2,000", "> Seats")


def test_2_2_credits_are_loaded_and_cashed_out() -> None:
    at = Terminal(T())
    at.log_in()
    at.choose("Seats", "2 -", "Load credits", "2", "5")
    assert at.screen()[0] == "Seat 2: load 25"
    at.choose("OK")
    assert " ".join(at.screen()[1:3]) == "Seat 2: load 25 credits for 25,000?"
    at.choose("yes")
    assert at.t["seat.2.credits"] == 25
    at.choose("2 -", "Cash out", "yes")
    assert at.screen()[0] == "25 credits, 25,000"  # "Done: 25 credits, 25,000" is two characters too long
    assert at.t["seat.2.credits"] == 0


def test_2_10_a_seat_is_closed_and_reopened_but_not_one_that_a_fault_closed() -> None:
    at = Terminal(T())
    at.log_in()
    at.choose("Seats", "2 -", "Close the seat", "yes", "2 - closed", "Reopen the seat", "yes")
    assert acts(at) == [do.Close(2), do.Reopen(2)]
    at.t.fails("button", 3)
    at.choose("3 - closed")
    assert not any("Reopen" in line for line in at.screen())


# --- what is longer than the screen ----------------------------------------------------------------------


def seven_hands(language: Language) -> Terminal:
    t = T(game="go-poker")
    t.deal(1, 1, 1, 1, 1, 1, 1)
    for seat in range(1, 8):
        t.declare(seat, "flush")
    at = Terminal(t, language)
    at.log_in()
    at.choose("Liquidar" if language == "es" else "Settle")
    return at


def test_5_15_a_question_is_read_to_its_end_before_it_is_answered() -> None:
    at = seven_hands("es")
    assert at.screen()[1:] == (
        "¿Liquidar el pase 1?",
        "Manos: 1 color, 2",
        "color, 3 color, 4",
        "color, 5 color, 6",
        "> ok: más...",
    )
    at.keys("ok")
    assert acts(at) == []
    assert at.screen()[1:] == (
        "Manos: 1 color, 2",
        "color, 3 color, 4",
        "color, 5 color, 6",
        "color, 7 color.",
        "> ok: sí  atrás: no",
    )
    at.keys("up")
    assert at.chosen() == "ok: más..."
    at.keys("down", "ok")
    assert acts(at) == [do.Settle()]


def test_a_double_tap_does_not_turn_a_page_that_nobody_has_seen() -> None:
    at = seven_hands("es")
    at.keys("ok", "ok", stood=0.1)
    assert at.chosen() == "ok: más..."


def test_a_long_refusal_says_that_there_is_more() -> None:
    at = locked()
    at.menu = turned_away(at.menu, "one two three four five. " * 6)
    assert at.chosen() == "ok: more..."
    at.keys("ok")
    assert at.chosen() == ""
    assert at.screen()[-1].endswith("five.")
    at.keys("ok")
    assert at.screen() == ()


@pytest.mark.parametrize("game", sorted(GAMES))
@pytest.mark.parametrize("language", ["es", "en"])
def test_7_3_every_irregular_deal_can_be_read_to_its_end(game: str, language: Language) -> None:
    t = T(game=game)
    t.deal(1, 2, 3)
    at = Terminal(t, language)
    at.log_in()
    for kind in GAMES[game].irregular:
        page = confirm(do.Irregular(kind, 3), at.sight)
        at.menu = replace(at.menu, pages=(Open(page),))
        seen = list(at.screen()[1:-1])
        while at.chosen().endswith("..."):
            at.keys("down")
            seen.append(at.screen()[-2])
        assert " ".join(seen).rstrip() == page.said


# --- what has changed meanwhile --------------------------------------------------------------------------


def test_10_1_a_command_for_a_round_that_is_over_is_refused_and_shown() -> None:
    at = locked()
    at.choose("Seats", "3 2,000")
    at.t.settle()
    at.t.open()
    at.t.bet(3, 1)
    at.t.lock()
    at.choose("Folds", "yes")
    assert at.refusal is not None
    assert at.refusal.code == "stale"
    assert " ".join(at.screen()[1:]) == "That was meant for round 1; this is round 2."
    at.keys("ok")
    at.choose("Seats", "3 1,000", "Folds", "yes")
    assert at.wishes[-1] == Do(do.Fold(3), 2)
    assert at.refusal is None


def test_10_1_a_press_that_comes_before_the_decision_is_not_paid_out_in_credits() -> None:
    at = Terminal(T())
    at.log_in()
    at.t.open()
    at.t.load(2, 5)
    at.choose("Seats", "2 -", "Cash out")
    at.at_once = False
    at.choose("yes")
    at.t.press(2)
    at.answer()
    assert " ".join(at.screen()[1:]) == "That was meant for 5; now it is 4. Look again."
    assert at.t["seat.2.credits"] == 4
    at.at_once = True
    at.keys("ok")
    at.choose("Seats", "2 1,000", "Cash out", "yes")
    assert at.screen()[0] == "4 credits, 4,000"


def test_2_4_10_1_a_chip_that_comes_before_the_decision_stays_owed() -> None:
    t, at = with_a_late_chip()
    at.at_once = False
    at.choose("Hand back", "2 - hand back 1,000", "yes")
    with t.refuses("not-open"):
        t.chip(2)
    at.answer()
    assert at.refusal is not None
    assert at.refusal.code == "stale"
    assert t["seat.2.owed"] == "2000"


def test_5_11_10_1_a_prize_that_was_settled_anew_before_the_decision_is_not_paid() -> None:
    at = locked()
    at.t.declare(1, "full-house")
    at.t.settle()
    at.at_once = False
    at.choose("Prizes", "1 100,000", "yes")
    at.t.unsettle()
    at.t.declare(1, "flush")
    at.t.settle()
    at.answer()
    assert at.refusal is not None
    assert at.refusal.code == "stale"
    assert at.t["prize.1.status"] == "payable"


def test_5_15_10_1_a_hand_that_comes_before_the_decision_is_not_settled() -> None:
    at = locked()
    at.at_once = False
    at.choose("Settle")
    assert " ".join(at.screen()[1:3]) == "Settle round 1? Hands: none."
    at.choose("yes")
    at.t.declare(3, "flush")
    at.answer()
    assert " ".join(at.screen()[1:]) == "The hands have changed since that was asked. Look again."
    assert at.t["phase"] == "locked"


def test_a_double_tap_confirms_nothing_that_nobody_has_seen() -> None:
    at = locked()
    at.choose("Settle")
    at.keys("ok", "ok", stood=SEEN_S / 2)
    assert at.screen()[0] == "Is this right?"
    assert acts(at) == []
    at.keys("ok", stood=SEEN_S)
    assert acts(at) == [do.Settle()]


def test_2_4_the_second_tap_does_not_confirm_what_is_asked_anew() -> None:
    t, at = with_a_late_chip()
    at.choose("Hand back", "2 - hand back 1,000")
    with t.refuses("not-open"):
        t.chip(2)
    at.keys("ok")
    at.keys("ok", stood=0.1)
    assert acts(at) == []
    assert " ".join(at.screen()[1:3]) == "Seat 2: were 2,000 handed back?"
    at.keys("back", stood=0.1)  # no is always believed
    assert at.screen()[0] == "Hand back"


def test_a_refusal_that_nobody_can_have_read_is_not_put_away() -> None:
    at = locked()
    at.choose("Seats", "3 2,000", "Folds")
    at.t.fold(3)
    at.keys("ok")
    refused = at.screen()
    at.keys("ok", "back", stood=0.1)
    assert at.screen() == refused
    at.keys("back")
    assert at.screen() != refused


def test_a_refusal_is_shown_though_the_menu_was_closed_meanwhile() -> None:
    at = locked()
    at.at_once = False
    at.choose("Seats", "3 2,000", "Folds", "yes")
    at.menu = closed(at.menu)
    at.t.fold(3)
    at.answer()
    assert at.screen()[1] == "The side bet of seat"
    at.keys("ok")
    assert at.screen() == ()


def test_10_a_seat_that_a_fault_closes_meanwhile_is_no_longer_the_dealers_to_reopen() -> None:
    at = Terminal(T())
    at.t.close(2)
    at.log_in()
    at.choose("Seats", "2 - closed", "Reopen the seat")
    at.t.reopen(2)
    at.t.fails("button", 2)
    at.keys("ok")
    assert acts(at) == []
    assert "technician" in "".join(at.screen())


# --- what fits -------------------------------------------------------------------------------------------


MONEY = pytest.mark.parametrize(
    ("denomination", "digits", "currency"),
    [(1_000, 0, "CLP"), (100_000, 0, "PYG"), (5_000, 2, "BOB"), (10_000_000, 2, "CRC"), (10**12, 0, "CLP")],
)
"""From small chips to the largest amounts; colones have a space between thousands."""


def wealthy(game: str, acceptor: str, denomination: int, digits: int) -> T:
    return T(
        game=game, acceptor=acceptor, denomination=denomination, digits=digits, main=denomination * 10_000,
        base=denomination * 10_000, bet_min=denomination, bet_max=denomination * 3, approve_from=denomination * 100,
    )  # fmt: skip


def owing(game: str, denomination: int, digits: int) -> T:
    """A table for chips, where something is to be handed back at a seat with a bet and at one without."""
    t = wealthy(game, "chips", denomination, digits)
    t.deal(1, 2, 3)
    for seat, count in ((2, 7), (3, 9), (4, 3)):
        for _ in range(count):
            with t.refuses("not-open"):
                t.chip(seat, denomination)
    return t


def paying(game: str, denomination: int, digits: int) -> T:
    """A table for credits, with prizes of every status: paid, denied, payable, to be approved."""
    t = wealthy(game, "credits", denomination, digits)
    t.deal(1, 1, 1, 1, 1, 1)
    for seat in range(1, 7):
        t.load(seat, 12)
    hands = ("flush", "four-of-a-kind", "full-house", "straight-flush", "flush", "royal-flush")
    for seat, hand in enumerate(hands, start=1):
        t.declare(seat, hand)
    t.settle()
    if t["prize.1.status"] == "unapproved":
        t.approve(1)
    t.paid(1)
    t.deny(2)
    return t


def pages_of(at: Terminal) -> list[Page]:
    seats = [OneSeat(seat.seat) for seat in at.t.state.seats]
    pages: list[Page] = [
        Dealers(),
        Main(),
        Picture(),
        Seats(),
        *seats,
        Hands(1),
        Cards(1, 5),
        Cards(1, 5, (), 3),
        Boards(),
    ]
    return [*pages, Kinds(), Concerned("no-ante"), Owed(), Prizes(), Credits(6, "999999"), Pin("ana", "1" * 12)]


@pytest.mark.parametrize("game", sorted(GAMES))
@pytest.mark.parametrize("language", ["es", "en"])
@MONEY
@pytest.mark.parametrize("table", [owing, paying])
def test_every_choice_can_be_read_whole(
    game: str, language: Language, denomination: int, digits: int, currency: str, table: Callable[[str, int, int], T]
) -> None:
    """No line and no title is cut off, whatever people and amounts there are."""
    t = table(game, denomination, digits)
    at = Terminal(t, language, dealers=("ana", "maría-de-los-angeles-2"), currency=currency)
    for page in pages_of(at):
        shown = view(page, at.sight, "maría-de-los-angeles-2")
        assert len(shown.title) <= COLUMNS
        assert all(len(item.label) <= COLUMNS - len(SELECTED) for item in shown.items), shown.items
        assert len({item.label for item in shown.items}) == len(shown.items)


@pytest.mark.parametrize("language", ["es", "en"])
@MONEY
@pytest.mark.parametrize("table", [owing, paying])
def test_no_part_of_an_amount_is_shown(
    language: Language, denomination: int, digits: int, currency: str, table: Callable[[str, int, int], T]
) -> None:
    """After the seat's number a line has whole amounts or none; no word of a text is broken, and an amount is one."""
    t = table("draw-poker", denomination, digits)
    at = Terminal(t, language, currency=currency)
    whole = {at.sight.amount(amount) for amount in amounts(t)}
    lists = [view(page, at.sight, "ana") for page in (Seats(), Owed(), Prizes(), Concerned("no-ante"))]
    seats = [view(OneSeat(seat.seat), at.sight, "ana").title for seat in t.state.seats]
    for line in (*(item.label for shown in lists for item in shown.items), *seats):
        assert {word for word in line.split(" ")[1:] if re.search(r"\d", word)} <= whole, line
    acts: list[Act] = [do.CashOut(1), do.Load(1, 999)]
    acts += [act for seat in range(1, 7) for act in (do.Ack(seat), do.Paid(seat))]
    texts: list[Page] = [Picture(), *(confirm(act, at.sight) for act in acts)]
    for page in texts:
        at.menu = replace(at.menu, pages=(Open(page),))
        seen = set(at.screen())
        while at.chosen().endswith("..."):
            at.keys("down")
            seen |= set(at.screen())
        for word in view(page, at.sight, "ana").text.split(" "):
            assert any(part.replace(NO_BREAK, " ") in line for part in word.split("\n") for line in seen), word


def amounts(t: T) -> set[int]:
    """All that there is to be shown of money at `t`."""
    found = {seat.credits * t.state.setup.denomination for seat in t.state.seats} | {999 * t.state.setup.denomination}
    for seat in t.state.seats:
        found |= {seat.owed_late, seat.owed_excess, seat.owed_returned, owed(seat)}
    if t.state.round is not None:
        found |= {bet.bet for bet in t.state.round.bets}
    if t.state.settlement is not None:
        found |= {prize.amount for prize in t.state.settlement.prizes}
    return found


def test_2_4_a_line_leaves_out_the_bet_before_what_is_to_be_handed_back() -> None:
    t = T(acceptor="chips")
    t.deal(0, 0, 1)
    for _ in range(25):
        with t.refuses("not-open"):
            t.chip(3)
    at = Terminal(t, "es")
    at.log_in()
    at.choose("Devolver")
    assert at.screen()[1:] == ("> 3 devolver 25.000",)


# --- never -----------------------------------------------------------------------------------------------

DEALERS = (*(act for act, roles in MAY.items() if "dealer" in roles), do.Ack, do.Reopen)

WORLD = (
    "open",
    "lock",
    "bet",
    "chip",
    "fails",
    "mended",
    "settle",
    "void",
    "approve",
    "restart",
    "service",
    "out",
    "answer",
    "quiet",
)


@settings(max_examples=60, deadline=None)
@given(
    st.sampled_from(sorted(GAMES)),
    st.sampled_from(["credits", "chips"]),
    st.booleans(),
    st.lists(st.one_of(st.sampled_from(KEYS), st.just("ok"), st.sampled_from(WORLD)), max_size=150),
)
def test_10_no_keys_whatever_happens_raise_or_ask_for_what_a_dealer_may_not(
    game: str, acceptor: str, at_once: bool, happens: list[str]
) -> None:
    t = T(game=game, acceptor=acceptor)
    t.deal(1, 2)
    at = Terminal(t)
    at.log_in()
    at.at_once = at_once
    for what in happens:
        if what == "answer" and at.menu.waiting:
            at.answer()
        if what == "quiet":
            at.menu = closed(at.menu)
        if what not in KEYS:
            befall(t, what)
            continue
        before, table = len(at.wishes), t.state
        at.keys(what)
        for wish in at.wishes[before:]:
            if isinstance(wish, Do):
                assert isinstance(wish.act, DEALERS)
                assert allowed(table, Command(wish.act, dealer("ana"))) is None
                assert not (isinstance(wish.act, do.Ack) and wish.act.seat == 0)
        assert at.screen() != ("",)


def befall(t: T, what: str) -> None:
    """What others do to the table, if they can."""
    t._expecting = True
    if what in ("open", "lock", "settle", "void"):
        getattr(t, what)()
    elif what == "bet":
        if t.state.setup.acceptor == "credits":
            t.load(3, 1)
            t.press(3)
        else:
            t.chip(3)
    elif what == "chip":
        t.chip(2)
    elif what in ("fails", "mended"):
        getattr(t, what)("slot", 1)
    elif what == "approve":
        t.approve(1)
    elif what == "restart":
        t.restart()
    elif what == "service":
        t.service(not t.state.service)
    elif what == "out":
        t.out_of_service("" if t.state.out_of_service else "the disk is full")
    t._expecting = False
