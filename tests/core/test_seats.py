"""Seats that close and reopen, clause 2.10, and the fault table of 8.5."""

import pytest

from controller.core.deadlines import NOISE_NS
from hal.port import Part

from .table import MS, T

SEAT_PARTS: list[Part] = ["button", "slot", "node"]
"""The parts whose failure the hardware reports; lamps are judged by the rules, noise is counted by them."""


def burned_out(seat: int = 1, *, round_over: bool = True) -> T:
    """A table at which the lamp of a seat has failed; mended since, as far as physics goes."""
    t = T()
    t.dead_lamps = {seat}
    t.open()
    t.bet(seat)
    t.runs_out("lamp", seat)
    t.dead_lamps = set()
    if round_over:
        t.lock()
        t.settle()
    return t


# --- 2.10 closing ----------------------------------------------------------------------------------------


def test_2_10_a_closed_seat_takes_no_bets() -> None:
    t = T()
    t.load(1, 3)
    t.close(1)
    t.open()
    with t.refuses("seat-closed", "2.10"):
        t.press(1)
    assert (t["seat.1.bet"], t["seat.1.credits"]) == ("0", 3)
    assert t.text(1) == "closed"
    with t.refuses("seat-closed", "2.10"):
        t.load(1, 1)


def test_2_10_a_closed_seat_still_pays_out_its_credits() -> None:
    t = T()
    t.load(1, 3)
    t.close(1)
    t.cash_out(1)
    assert t["seat.1.credits"] == 0


def test_2_10_the_dealer_closes_and_reopens() -> None:
    t = T()
    t.open()
    t.close(1)
    assert (t["seat.1.status"], t["seat.1.reason"]) == ("closed", "dealer")
    t.reopen(1)
    assert (t["seat.1.status"], t["seat.1.reason"]) == ("open", None)
    t.bet(1)
    assert t["seat.1.bet"] == "1000"


def test_2_10_closing_twice_or_reopening_an_open_seat_is_refused() -> None:
    t = T()
    with t.refuses("seat-open", "2.10"):
        t.reopen(1)
    t.close(1)
    with t.refuses("seat-closed", "2.10"):
        t.close(1)


@pytest.mark.parametrize("acceptor", ["credits", "chips"])
def test_2_10_a_seat_that_closes_before_the_lock_gets_its_bet_back(acceptor: str) -> None:
    t = T(acceptor=acceptor)
    t.open()
    t.bet(1, 2)
    t.close(1)
    assert t["seat.1.bet"] == "0"
    assert t["seat.1.credits"] == (2 if acceptor == "credits" else 0)
    assert t["seat.1.owed"] == ("0" if acceptor == "credits" else "2000")
    t.lock()
    assert (t["meters.bet_count"], t["meters.turnover"], t["meters.returned"]) == (0, "2000", "2000")


def test_2_10_a_seat_that_closes_after_the_lock_keeps_its_bet_and_its_prize_needs_approval() -> None:
    t = T()
    t.deal(1, 1)
    t.close(1)
    assert (t["seat.1.bet"], t["seat.1.lamp"]) == ("1000", "lit")
    t.show(s1="flush", s2="flush")
    assert t["prize.1.status"] == "unapproved"  # 50 000 is far below the threshold of 1 000 000
    assert t["prize.2.status"] == "payable"


def test_2_10_reopening_does_not_take_the_need_of_approval_away() -> None:
    t = T()
    t.deal(1)
    t.close(1)
    t.reopen(1)
    t.show(s1="flush")
    assert t["prize.1.status"] == "unapproved"


def test_2_10_a_seat_that_closes_between_lock_and_seal_keeps_its_bet() -> None:
    t = T()
    t.open()
    t.bet(1)
    t.silent = {3}
    t.lock()
    t.close(1)
    t.complete(3)
    assert (t["seat.1.bet"], t["meters.bet_count"]) == ("1000", 1)


def test_2_10_the_need_of_approval_ends_with_the_round() -> None:
    t = T()
    t.deal(1)
    t.close(1)
    t.settle()
    t.reopen(1)
    t.deal(1)
    t.show(s1="flush")
    assert t["prize.1.status"] == "payable"


# --- 2.10 faults and reopening ---------------------------------------------------------------------------


@pytest.mark.parametrize("part", SEAT_PARTS)
def test_2_10_a_failed_part_closes_its_seat_until_a_technician_reopens_it(part: Part) -> None:
    t = T()
    t.open()
    t.bet(1, 2)
    t.fails(part, 1)
    assert (t["seat.1.status"], t["seat.1.reason"]) == ("closed", part)
    assert (t["seat.1.bet"], t["seat.1.credits"]) == ("0", 2)
    assert t.alarms == [f"{part}-failed"]
    assert t.state.meters.faults == {part: 1}
    with t.refuses("not-allowed", "2.10"):
        t.reopen(1)
    t.mended(part, 1)
    assert t["seat.1.status"] == "closed"  # mending does not reopen
    t.reopen(1)
    assert t["seat.1.status"] == "open"


@pytest.mark.parametrize("part", SEAT_PARTS)
def test_2_10_a_part_that_fails_after_the_lock_leaves_the_bet(part: Part) -> None:
    t = T()
    t.deal(1)
    t.fails(part, 1)
    assert (t["seat.1.status"], t["seat.1.bet"]) == ("closed", "1000")
    t.show(s1="flush")
    assert t["prize.1.status"] == "unapproved"


def test_2_10_a_fault_at_a_seat_that_the_dealer_closed_takes_it_over() -> None:
    t = T()
    t.close(1)
    t.fails("button", 1)
    assert t["seat.1.reason"] == "button"
    t.mended("button", 1)
    t.reopen(1)
    assert t["seat.1.status"] == "open"


def test_2_10_all_failed_parts_must_work_before_the_seat_reopens() -> None:
    t = T()
    t.fails("button", 1)
    t.fails("node", 1)
    t.mended("button", 1)
    with t.refuses("not-allowed", "2.10"):
        t.reopen(1)
    t.mended("node", 1)
    t.reopen(1)
    assert t["seat.1.status"] == "open"


def test_2_10_the_same_fault_is_metered_once() -> None:
    t = T()
    t.fails("button", 1)
    t.fails("button", 1)
    assert t.state.meters.faults == {"button": 1}


def test_2_10_a_failed_lamp_is_tested_lit_then_dark_before_its_seat_reopens() -> None:
    t = burned_out()
    t.dead_lamps = {1}
    t.reopen(1)
    assert (t.lit(), t["seat.1.status"]) == ([1], "closed")
    t.lamp(1, True)
    assert (t.lit(), t["seat.1.status"]) == ([], "closed")
    t.lamp(1, False)
    assert t["seat.1.status"] == "open"
    assert t.seat(1).failed == ()


def test_2_10_a_good_lamp_passes_its_test_at_once() -> None:
    t = burned_out()
    t.reopen(1)
    assert (t["seat.1.status"], t.lit()) == ("open", [])
    t.open()
    t.bet(1)
    assert t.lit() == [1]


@pytest.mark.parametrize("stage", ["lit", "dark"])
def test_2_10_a_lamp_that_fails_its_test_leaves_the_seat_closed(stage: str) -> None:
    t = burned_out()
    t.dead_lamps = {1}
    t.reopen(1)
    if stage == "dark":
        t.lamp(1, True)
    t.runs_out("lamp", 1)
    assert (t["seat.1.status"], t["seat.1.reason"], t.lit()) == ("closed", "lamp", [])
    assert "lamp-test-failed" in t.alarms
    assert t.deadline("lamp", 1) is None


def test_2_10_a_lamp_sensed_lit_when_it_should_be_off_is_tested_too() -> None:
    t = T()
    t.dead_lamps = {1}
    t.lamp(1, True)
    t.runs_out("lamp", 1)
    assert t["seat.1.reason"] == "lamp"
    t.reopen(1)
    t.runs_out("lamp", 1)  # lit as commanded, but still lit when commanded off
    assert t["seat.1.status"] == "closed"
    t.lamp(1, False)
    t.dead_lamps = set()
    t.reopen(1)
    assert t["seat.1.status"] == "open"


def test_10_2_a_lamp_is_not_tested_in_a_live_round() -> None:
    t = burned_out(round_over=False)
    with t.refuses("not-allowed", "10.2"):
        t.reopen(1)
    assert t.lit() == []


def test_10_2_opening_betting_ends_a_lamp_test() -> None:
    t = burned_out()
    t.dead_lamps = {1}
    t.reopen(1)
    t.open()
    assert (t.lit(), t["seat.1.status"], t["phase"]) == ([], "closed", "betting")


# --- the fault table -------------------------------------------------------------------------------------


def test_8_5_noise_is_metered_and_not_counted_as_a_chip() -> None:
    t = T(acceptor="chips")
    t.open()
    t.noise(1)
    assert (t["seat.1.bet"], t["seat.1.owed"], t["seat.1.status"]) == ("0", "0", "open")
    assert t.state.meters.faults == {"pulse": 1}


def test_8_5_more_than_ten_noise_pulses_a_minute_close_the_seat() -> None:
    t = T(acceptor="chips")
    for n in range(10):
        t.noise(1, at=1_000 + 5_000 * n)  # 10 pulses in 45 s
    assert t["seat.1.status"] == "open"
    t.noise(1, at=60_999)  # the eleventh, 59.999 s after the first
    assert (t["seat.1.status"], t["seat.1.reason"]) == ("closed", "noise")
    assert t.state.meters.faults == {"pulse": 11, "noise": 1}


def test_8_5_noise_pulses_a_minute_apart_do_not_add_up() -> None:
    t = T(acceptor="chips")
    for n in range(30):
        t.noise(1, at=1_000 + 6_000 * n)  # never more than ten within 60 s: the first is out when the eleventh comes
    assert t["seat.1.status"] == "open"


def test_8_5_a_noisy_seat_reopens_after_a_quiet_minute() -> None:
    t = T(acceptor="chips")
    for _ in range(11):
        t.noise(1)
    with t.refuses("not-allowed", "2.10"):
        t.reopen(1)
    deadline = t.deadline("noise", 1)
    assert deadline is not None
    assert (deadline.after_ns, NOISE_NS) == (60_000 * MS, 60_000 * MS)
    t.runs_out("noise", 1)
    t.reopen(1)
    assert t["seat.1.status"] == "open"


def test_8_5_a_line_that_chatters_for_hours_does_not_fill_the_journal() -> None:
    t = T(acceptor="chips")
    for n in range(200):
        t.noise(1, at=1_000 + 50 * n)  # for ten seconds, as fast as conditioning tells it
    assert t["seat.1.reason"] == "noise"
    assert 11 < t.state.meters.faults["pulse"] <= 11 + 10  # once a second, since the seat is closed for it
    deadline = t.deadline("noise", 1)
    assert deadline is not None
    assert deadline.serial >= 9_900 * MS  # and the quiet minute begins with the last of them


def test_8_5_edges_lost_are_metered_and_alarmed_and_close_nothing() -> None:
    t = T()
    t.open()
    t.bet(1)
    t.fails("edges", 1)
    t.fails("edges", 1)
    assert t.state.meters.faults == {"edges": 2}
    assert t.alarms == ["edges-lost"]
    assert (t["seat.1.status"], t["seat.1.bet"]) == ("open", "1000")


def test_8_5_key_contacts_that_disagree_count_as_locked() -> None:
    t = T()
    t.open()
    t.bet(1)
    t.fails("key")
    assert (t["phase"], t["sealed"]) == ("locked", True)
    assert t.alarms == ["key-failed"]
    assert t.state.meters.faults == {"key": 1}


def test_8_5_a_disagreement_that_the_hardware_has_locked_for_already_locks_once() -> None:
    t = T()
    t.open()
    t.bet(1)
    t.lock()
    t.settle()
    t.fails("key")
    assert (t["phase"], t.alarms) == ("idle", ["key-failed"])
    t.mended("key")
    t.key("open")
    assert t["phase"] == "betting"


def test_8_5_a_silent_node_closes_its_seat_and_its_lamp_is_not_judged() -> None:
    t = T()
    t.open()
    t.bet(1, 2)
    t.fails("node", 1)
    assert (t["seat.1.reason"], t["seat.1.bet"], t["seat.1.credits"]) == ("node", "0", 2)
    assert t.deadline("lamp", 1) is None  # it senses nothing any more, lit or not
    assert "lamp" not in t.state.meters.faults


def test_8_5_no_display_working_ends_betting_with_the_round_and_accounting_goes_on() -> None:
    t = T()
    t.open()
    t.bet(1)
    t.fails("display")
    assert t["phase"] == "betting"
    t.lock()
    t.show(s1="flush")
    t.paid(1)
    with t.refuses("out-of-service", "8.5"):
        t.open()
    t.mended("display")
    t.open()
    assert t["phase"] == "betting"
    assert t.alarms == ["display-failed", "key-open-early"]


def test_8_5_out_of_service_stops_bets_and_keeps_the_round() -> None:
    t = T()
    t.load(1, 3)
    t.open()
    t.press(1)
    t.out_of_service("the disk is full")
    with t.refuses("out-of-service", "8.5"):
        t.press(1)
    with t.refuses("out-of-service", "8.5"):
        t.load(1, 1)
    assert (t["phase"], t["seat.1.bet"], t["seat.1.credits"]) == ("betting", "1000", 2)
    assert (t.panel.banner, t.panel.reason) == ("out-of-service", "the disk is full")
    t.out_of_service("")
    t.press(1)
    assert t["seat.1.bet"] == "2000"


def test_8_5_a_chip_dropped_while_out_of_service_is_owed() -> None:
    t = T(acceptor="chips")
    t.open()
    t.out_of_service("the disk is full")
    with t.refuses("out-of-service", "8.5"):
        t.chip(1)
    assert t["seat.1.owed"] == "1000"
    t.ack(1)
    assert t["seat.1.owed"] == "0"


@pytest.mark.parametrize("word", ["settle", "void", "unsettle"])
def test_8_5_nothing_is_settled_out_of_service(word: str) -> None:
    t = T()
    t.deal(1)
    t.out_of_service("the disk is full")
    with t.refuses("out-of-service", "8.5"):
        getattr(t, word)()


def test_8_5_betting_does_not_open_out_of_service() -> None:
    t = T()
    t.out_of_service("the configuration differs")
    with t.refuses("out-of-service", "8.5"):
        t.open()
    assert t["phase"] == "idle"


def test_8_5_the_same_reason_twice_is_recorded_once() -> None:
    t = T()
    t.out_of_service("the disk is full")
    t.out_of_service("the disk is full")
    assert t.last == ()


def test_8_5_credits_can_be_cashed_out_and_chips_acknowledged_out_of_service() -> None:
    t = T()
    t.load(1, 3)
    t.out_of_service("the disk is full")
    t.cash_out(1)
    assert t["seat.1.credits"] == 0


@pytest.mark.parametrize("seat", [9, -1])
def test_a_part_of_a_seat_that_is_not_there_is_seen(seat: int) -> None:
    t = T()
    t.fails("button", seat)
    assert t.alarms == ["unknown-seat"]


# --- 10.2 service mode -----------------------------------------------------------------------------------


def test_10_2_service_mode_is_entered_and_left_between_rounds_and_journaled() -> None:
    t = T()
    t.open()
    with t.refuses("not-allowed", "10.2"):
        t.service(True)
    t.lock()
    t.settle()
    t.service(True)
    assert [type(event).__name__ for event in t.last] == ["CommandTaken", "ServiceChanged"]
    with t.refuses("not-allowed", "10.2"):
        t.service(True)
    with t.refuses("not-allowed", "10.2"):
        t.open()
    assert t["phase"] == "idle"
    t.service(False)
    t.open()
    assert t["phase"] == "betting"
