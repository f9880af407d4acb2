"""state → panel: everything the table shows (2.2, 2.3, 2.6, 2.8, 8.3, 8.5)."""

import pytest

from controller.core.panel import panel
from hal.port import Said, SeatPanel

from .table import T


def says(t: T, seat: int) -> list[Said]:
    """Everything that the seat has to say."""
    return list(t.panel.seats[seat - 1].says)


def test_the_panel_is_a_function_of_the_state() -> None:
    t = T()
    t.deal(1, 2)
    assert panel(t.state) == panel(t.state)
    before = t.panel
    t.restart()
    assert t.panel == before  # lamps and display are driven again from the recorded state (8.3)


def test_the_display_never_shows_more_than_there_is() -> None:
    t = T(main="10000000.9999")
    assert t.panel.pot == 10_000_000


def test_the_display_counts_up_at_the_seal() -> None:
    t = T()
    t.open()
    t.bet(1, 3)
    assert t.panel.pot == 10_000_000
    t.lock()
    assert t.panel.pot == 10_002_100


def test_banners_follow_the_phase() -> None:
    t = T()
    seen = [t.panel.banner]
    t.open()
    t.bet(1)
    seen.append(t.panel.banner)
    t.lock()
    seen.append(t.panel.banner)
    t.show(s1="flush")
    seen.append(t.panel.banner)
    t.paid(1)
    seen.append(t.panel.banner)
    assert seen == ["idle", "open", "locked", "paying", "idle"]
    t.out_of_service("the disk is full")
    assert (t.panel.banner, t.panel.reason) == ("out-of-service", "the disk is full")


def test_the_engines_own_stop_is_shown_before_a_recorded_one() -> None:
    t = T()
    t.out_of_service("the configuration differs")
    shown = panel(t.state, stopped="the disk is full")
    assert (shown.banner, shown.reason) == ("out-of-service", "the disk is full")


def test_round_and_number_of_bets() -> None:
    t = T()
    assert (t.panel.round, t.panel.bets) == (0, 0)
    t.deal(1, 0, 2)
    assert (t.panel.round, t.panel.bets) == (1, 2)
    t.settle()
    assert (t.panel.round, t.panel.bets) == (1, 0)


def test_bet_and_lamp_are_gone_with_the_round() -> None:
    t = T()
    t.deal(2)
    assert (t.panel.seats[0].bet, t.panel.seats[0].lamp) == (2_000, True)
    t.settle()
    assert (t.panel.seats[0].bet, t.panel.seats[0].lamp) == (0, False)


def test_words_of_a_seat() -> None:
    t = T()
    assert t.text(1) == "locked"
    t.open()
    assert t.text(1) == ""
    t.bet(1)
    t.bet(2)
    t.bet(3)
    t.lock()
    assert t.text(1) == "locked"
    t.fold(1)
    assert t.text(1) == "forfeit"
    t.show(s2="flush", s3="flush")
    assert (t.text(1), t.text(2), t.text(4)) == ("forfeit", "winner", "locked")
    t.deny(2)
    assert t.text(2) == "locked"
    t.close(5)
    assert t.text(5) == "closed"


def test_5_11_a_prize_says_that_it_waits_for_the_supervisor_until_it_is_approved() -> None:
    t = T(approve_from=100_000)
    t.deal(1, 2, 2)
    t.show(s1="flush", s2="flush", s3="flush")
    assert (t.text(1), t.text(2), t.text(3)) == ("winner", "approval", "approval")
    t.approve(2)
    t.deny(3)
    assert (t.text(1), t.text(2), t.text(3)) == ("winner", "winner", "locked")
    assert t.panel.banner == "paying"


def test_5_11_the_prize_of_a_seat_that_a_fault_has_closed_is_not_hidden_by_the_fault() -> None:
    t = T()
    t.deal(1, 1)
    t.fails("button", 1)
    assert t.text(1) == "closed"
    t.show(s1="flush")
    assert t.text(1) == "approval"
    t.approve(1)
    assert t.text(1) == "winner"
    t.paid(1)
    assert t.text(1) == "closed"


def test_9_3_pending_is_the_pot_that_has_not_answered_not_the_prize_that_is_not_approved() -> None:
    t = T(approve_from=0)
    t.deal(1)
    t.show(s1="flush")
    assert (t.panel.banner, t.text(1)) == ("paying", "approval")


def test_5_11_a_late_chip_neither_hides_a_prize_nor_lends_it_its_value() -> None:
    t = T(acceptor="chips")
    t.deal(1, 1)
    with t.refuses("not-open"):
        t.chip(1)
    t.show(s1="straight-flush", s2="flush")
    assert says(t, 1) == [Said("approval"), Said("late", 1_000)]
    t.approve(1)
    assert says(t, 1) == [Said("winner"), Said("late", 1_000)]
    t.ack(1)
    assert says(t, 1) == [Said("winner")]


@pytest.mark.parametrize("cause", ["fault", "dealer"])
def test_5_11_the_prize_of_a_closed_seat_and_what_is_owed_there_are_told_apart(cause: str) -> None:
    t = T(acceptor="chips")
    t.deal(1, 1, 1)
    with t.refuses("not-open"):
        t.chip(3)
    if cause == "fault":
        t.fails("slot", 3)
    else:
        t.close(3)
    t.show(s3="flush")
    assert says(t, 3) == [Said("approval"), Said("closed"), Said("late", 1_000)]


def test_words_in_the_order_of_their_weight() -> None:
    t = T(acceptor="chips")
    t.open()
    t.bet(1, 3)
    with t.refuses("over-maximum"):
        t.chip(1)
    assert says(t, 1) == [Said("excess", 1_000)]
    t.lock()
    with t.refuses("not-open"):
        t.chip(1)
    t.fold(1)
    owed = Said("returned", 2_000)  # one chip too many, one late
    assert says(t, 1) == [owed, Said("forfeit")]
    t.close(1)
    all_of_it = [Said("closed"), Said("no-credits"), owed, Said("forfeit")]
    assert list(panel(t.state, {1: "no-credits"}).seats[0].says) == all_of_it


def test_the_text_of_a_seat_is_the_weightiest_that_it_says() -> None:
    said = SeatPanel(1, lamp=False, credits=None, bet=0, says=(Said("closed"), Said("late", 1_000)))
    assert said.text == "closed"
    assert (said.tells("late"), said.tells("winner")) == (True, False)
    assert SeatPanel(1, lamp=False, credits=None, bet=0).text == ""
