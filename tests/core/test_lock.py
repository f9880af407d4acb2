"""The lock, clauses 2.8 and 2.9: stamps decide, not the order of messages; and what the key may open."""

import pytest

from controller.core.deadlines import SEAL_NS
from controller.core.inputs import Timeout
from controller.core.state import Table

from .table import MS, T


def betting(acceptor: str = "credits") -> T:
    """A round in which seat 1 has bet one denomination and holds two credits more."""
    t = T(acceptor=acceptor)
    t.open()
    if acceptor == "credits":
        t.load(1, 3)
        t.press(1)
    else:
        t.chip(1)
    return t


def known_seats(table: Table) -> list[tuple[int, int]]:
    """Bet and credits, seat by seat."""
    assert table.round is not None
    return [(bet.bet, seat.credits) for bet, seat in zip(table.round.bets, table.seats, strict=True)]


# --- 2.8 the edge ----------------------------------------------------------------------------------------


def test_2_8_the_keys_edge_ends_betting() -> None:
    t = betting()
    t.lock()
    assert (t["phase"], t["sealed"]) == ("locked", True)
    with t.refuses("not-open", "2.8"):
        t.press(1)
    assert t["seat.1.bet"] == "1000"


def test_2_8_a_later_press_recorded_before_the_key_was_is_stripped_and_returned() -> None:
    t = betting()
    edge = t.ms + 5
    t.press(1, at=edge + 3)  # the message of the button overtakes the key's, which is debounced
    assert t["seat.1.bet"] == "2000"
    t.lock(at=edge)
    assert (t["seat.1.bet"], t["seat.1.credits"]) == ("1000", 2)
    assert t["meters.bets"] == "1000.0000"
    assert t["meters.returned"] == "0"  # it never entered, so nothing is returned from the pot


def test_2_8_a_press_from_before_the_opening_is_no_bet_of_this_round() -> None:
    t = T()
    t.load(1, 3)
    before = t.ms + 1
    t.open()
    with t.refuses("not-open", "2.8"):
        t.press(1, at=before)
    assert t["seat.1.bet"] == "0"


def test_2_8_a_press_stamped_with_the_edge_itself_enters() -> None:
    t = betting()
    edge = t.ms + 5
    t.press(1, at=edge)
    t.lock(at=edge)
    assert t["seat.1.bet"] == "2000"  # only what is stamped *later* than the edge does not enter


def test_2_8_a_whole_bet_made_after_the_edge_is_stripped_and_its_lamp_goes_out() -> None:
    t = betting()
    edge = t.ms + 5
    t.load(2, 2)
    t.press(2, at=edge + 20)
    assert t.lit() == [1, 2]
    t.lock(at=edge)
    assert t.lit() == [1]
    assert (t["seat.2.bet"], t["seat.2.credits"]) == ("0", 2)
    assert t["meters.bet_count"] == 1


def test_2_8_a_press_before_the_edge_reported_after_it_enters() -> None:
    t = betting()
    t.silent = {1}
    edge = t.ms + 50
    t.lock(at=edge)
    assert t["sealed"] is False
    t.press(1, at=edge - 1)
    assert (t["seat.1.bet"], t["seat.1.credits"]) == ("2000", 1)
    t.complete(1, at=edge)
    assert t["sealed"] is True
    assert t["meters.bets"] == "2000.0000"


def test_2_8_a_press_after_the_edge_reported_before_the_seal_does_not_enter() -> None:
    t = betting()
    t.silent = {1}
    edge = t.ms + 50
    t.lock(at=edge)
    with t.refuses("not-open", "2.8"):
        t.press(1, at=edge + 1)
    assert t["seat.1.bet"] == "1000"


def test_2_8_a_chip_whose_leading_edge_is_before_the_lock_enters_though_it_ends_after_it() -> None:
    t = betting("chips")
    t.silent = {1}
    edge = t.ms + 50
    t.lock(at=edge)
    t.chip(1, at=edge - 10)  # the beam broke before the key's contact did; the pulse ended 30 ms later
    assert t["seat.1.bet"] == "2000"
    t.complete(1)
    assert t["meters.bets"] == "2000.0000"
    assert t["meters.late_chips"] == 0


def test_2_8_chips_after_the_edge_recorded_before_it_are_stripped_late_and_owed() -> None:
    t = betting("chips")
    edge = t.ms + 5
    t.chip(1, at=edge + 1)
    t.chip(1, at=edge + 40)
    assert t["seat.1.bet"] == "3000"
    t.lock(at=edge)
    assert (t["seat.1.bet"], t["seat.1.owed"]) == ("1000", "2000")
    assert t["meters.late_chips"] == 2
    assert t.text(1) == "late"


def test_2_8_take_back_stamped_after_the_lock_is_undone() -> None:
    t = betting()
    t.press(1, 2)
    assert t["seat.1.bet"] == "3000"
    edge = t.ms + 5
    t.press(1, at=edge + 1)  # at the maximum: taken back, but after the edge nothing is withdrawn
    assert (t["seat.1.bet"], t["seat.1.credits"]) == ("0", 3)
    t.lock(at=edge)
    assert (t["seat.1.bet"], t["seat.1.credits"]) == ("3000", 0)
    assert t.lit() == [1]


def test_2_8_take_back_and_a_new_bet_after_the_edge_are_both_undone() -> None:
    t = betting()
    t.press(1, 2)
    edge = t.ms + 5
    t.press(1, at=edge + 1)
    t.press(1, at=edge + 60)
    assert (t["seat.1.bet"], t["seat.1.credits"]) == ("1000", 2)
    t.lock(at=edge)
    assert (t["seat.1.bet"], t["seat.1.credits"]) == ("3000", 0)


def test_2_8_a_bet_taken_back_after_the_edge_and_cashed_out_since_cannot_stand_again() -> None:
    t = betting()
    t.press(1, 2)
    edge = t.ms + 5
    t.press(1, at=edge + 1)
    t.cash_out(1)
    t.lock(at=edge)
    assert (t["seat.1.bet"], t["seat.1.credits"]) == ("0", 0)
    assert t["meters.bets"] == "0.0000"


def test_2_8_nor_does_a_new_bet_made_after_that_enter() -> None:
    t = betting()
    t.press(1, 2)
    edge = t.ms + 5
    t.press(1, at=edge + 1)
    t.cash_out(1)
    t.load(1, 1)
    t.press(1, at=edge + 30)
    t.lock(at=edge)
    assert (t["seat.1.bet"], t["seat.1.credits"]) == ("0", 1)
    assert t["meters.bets"] == "0.0000"


def test_2_8_from_the_edge_on_the_button_takes_nothing_back() -> None:
    t = betting()
    t.press(1, 2)
    t.lock()
    with t.refuses("not-open", "2.8"):
        t.press(1)
    assert t["seat.1.bet"] == "3000"


def test_2_8_from_the_edge_on_a_cash_out_touches_unspent_credits_only() -> None:
    t = betting()
    t.lock()
    t.cash_out(1)
    assert (t["seat.1.bet"], t["seat.1.credits"]) == ("1000", 0)


def test_2_8_seats_with_a_bet_and_seats_without_look_different() -> None:
    t = betting()
    t.lock()
    with_bet, without = t.panel.seats[0], t.panel.seats[1]
    assert (with_bet.lamp, with_bet.bet) == (True, 1_000)
    assert (without.lamp, without.bet) == (False, 0)
    assert t.panel.bets == 1


# --- 2.8 the seal ----------------------------------------------------------------------------------------


def test_2_8_the_seal_waits_until_every_source_has_reported() -> None:
    t = betting()
    t.silent = {3, 5}
    t.lock()
    assert (t["phase"], t["sealed"]) == ("locked", False)
    t.complete(3)
    assert t["sealed"] is False
    t.complete(5)
    assert t["sealed"] is True


def test_2_8_a_report_up_to_before_the_edge_does_not_count() -> None:
    t = betting()
    t.silent = {3}
    edge = t.ms + 50
    t.lock(at=edge)
    t.complete(3, at=edge - 1)
    assert t["sealed"] is False
    t.complete(3, at=edge)
    assert t["sealed"] is True


def test_2_8_after_250_ms_a_silent_source_counts_as_failed() -> None:
    t = betting()
    t.silent = {1, 3}
    edge = t.ms + 20
    t.lock(at=edge)
    deadline = t.deadline("seal")
    assert deadline is not None
    assert (SEAL_NS, deadline.after_ns) == (250 * MS, 250 * MS)
    assert deadline.since is not None
    assert deadline.since.ns == edge * MS  # counted from the edge itself
    t.runs_out("seal")
    assert t["sealed"] is True
    assert (t["seat.3.status"], t["seat.3.reason"]) == ("closed", "node")
    assert (t["seat.1.reason"], t["seat.1.bet"]) == ("node", "1000")  # after the lock the bet stands (2.10)
    assert t["seat.2.status"] == "open"


def test_2_10_a_silent_source_that_reports_after_all_works_and_its_seat_can_be_reopened() -> None:
    t = betting()
    t.silent = {3}
    edge = t.ms + 20
    t.lock(at=edge)
    t.runs_out("seal")
    with t.refuses("not-allowed", "2.10"):
        t.reopen(3)
    t.complete(3, at=edge)
    assert t.state.seats[2].failed == ()
    assert (t["seat.3.status"], t["seat.3.reason"]) == ("closed", "node")  # nobody has reopened it yet
    t.reopen(3)
    assert t["seat.3.status"] == "open"


def test_2_8_a_silent_source_that_reports_after_the_round_works() -> None:
    t = betting()
    t.silent = {3}
    edge = t.ms + 20
    t.lock(at=edge)
    t.runs_out("seal")
    t.settle()
    t.complete(3, at=edge)
    assert t.state.seats[2].failed == ()


def test_2_8_a_timeout_after_the_seal_is_stale() -> None:
    t = betting()
    t.silent = {3}
    t.lock()
    stale = t.deadline("seal")
    assert stale is not None
    t.complete(3)
    t.feed(Timeout(stale))
    assert t.last == ()
    assert t["seat.3.status"] == "open"


def test_2_8_a_source_known_to_have_failed_is_not_waited_for() -> None:
    t = betting()
    t.fails("node", 3)
    t.silent = {3}
    t.lock()
    assert t["sealed"] is True


def test_2_8_a_source_that_fails_while_it_is_waited_for_is_waited_for_no_more() -> None:
    t = betting()
    t.silent = {3}
    t.lock()
    t.fails("node", 3)
    assert t["sealed"] is True


def test_2_8_the_seal_waits_for_a_lamp_pending_at_the_lock_which_then_lights() -> None:
    t = T()
    t.dead_lamps = {1}
    t.open()
    t.bet(1)
    t.lock()
    assert t["sealed"] is False
    t.lamp(1, True)
    assert t["sealed"] is True
    assert t["meters.bet_count"] == 1


def test_2_8_a_lamp_pending_at_the_lock_that_never_lights_returns_the_bet() -> None:
    t = T()
    t.dead_lamps = {1}
    t.open()
    t.bet(1, 2)
    t.bet(2, 1)
    t.lock()
    t.runs_out("lamp", 1)
    assert t["sealed"] is True
    assert (t["seat.1.reason"], t["seat.1.bet"], t["seat.1.credits"]) == ("lamp", "0", 2)
    assert (t["meters.bet_count"], t["meters.bets"]) == (1, "1000.0000")


def test_2_8_a_lamp_dark_already_at_the_edge_returns_the_bet() -> None:
    t = betting()
    t.dead_lamps = {1}
    t.lamp(1, False)  # 10 ms before the lock; its 200 ms run out after it
    t.lock()
    t.runs_out("lamp", 1)
    assert (t["seat.1.bet"], t["seat.1.credits"]) == ("0", 3)


def test_2_8_a_lamp_that_fails_between_edge_and_seal_leaves_the_bet_to_be_approved() -> None:
    t = betting()
    t.silent = {3}
    t.lock()
    t.dead_lamps = {1}
    t.lamp(1, False)
    t.complete(3)
    assert t["sealed"] is False  # the lamp is pending again
    t.runs_out("lamp", 1)
    assert (t["sealed"], t["seat.1.bet"], t["seat.1.reason"]) == (True, "1000", "lamp")
    t.silent = set()
    t.show(s1="flush")
    assert t["prize.1.status"] == "unapproved"


def test_2_8_a_silent_seat_whose_lamp_was_never_seen_lit_has_no_bet() -> None:
    t = T()
    t.dead_lamps, t.silent = {1}, {1}
    t.open()
    t.bet(1, 2)
    t.lock()
    t.runs_out("seal")
    assert (t["sealed"], t["seat.1.reason"]) == (True, "node")
    assert (t["seat.1.bet"], t["seat.1.credits"], t["meters.bet_count"]) == ("0", 2, 0)


def test_2_8_a_seat_that_goes_silent_before_its_lamp_is_seen_lit_has_no_bet_though_it_closed_before() -> None:
    t = T()
    t.dead_lamps = {1}
    t.open()
    t.bet(1, 2)
    t.lock()
    t.fails("button", 1)
    assert (t["sealed"], t["seat.1.bet"]) == (False, "2000")  # its lamp may still light
    t.fails("node", 1)
    assert (t["sealed"], t["seat.1.bet"], t["seat.1.credits"]) == (True, "0", 2)


def test_2_8_contributions_enter_the_pot_at_the_seal() -> None:
    t = betting()
    t.silent = {3}
    t.lock()
    assert t["pot.main"] == "10000000.0000"
    assert (t["meters.bet_count"], t["meters.bets"], t["meters.turnover"]) == (0, "0.0000", "0")
    t.complete(3)
    assert t["pot.main"] == "10000700.0000"  # 70 % of 1000
    assert (t["meters.bet_count"], t["meters.bets"], t["meters.turnover"]) == (1, "1000.0000", "1000")


def test_2_8_what_arrives_after_the_seal_is_late_whatever_its_stamp() -> None:
    t = betting("chips")
    edge = t.ms + 50
    t.lock(at=edge)
    assert t["sealed"] is True
    with t.refuses("not-open", "2.8"):
        t.chip(1, at=edge - 20)
    assert (t["seat.1.bet"], t["seat.1.owed"], t["meters.late_chips"]) == ("1000", "1000", 1)


def test_2_8_a_press_after_the_seal_bets_nothing_whatever_its_stamp() -> None:
    t = betting()
    edge = t.ms + 50
    t.lock(at=edge)
    with t.refuses("not-open", "2.8"):
        t.press(1, at=edge - 20)
    assert (t["seat.1.bet"], t["seat.1.credits"]) == ("1000", 2)


def test_2_8_stripping_below_the_minimum_returns_the_rest() -> None:
    t = T(bet_min=2_000)
    t.load(1, 2)
    t.open()
    t.press(1)
    edge = t.ms + 5
    t.press(1, at=edge + 1)
    t.lock(at=edge)
    assert (t["seat.1.bet"], t["seat.1.credits"], t["meters.bet_count"]) == ("0", 2, 0)


@pytest.mark.parametrize("late_first", [True, False])
def test_2_8_the_order_of_messages_does_not_matter(late_first: bool) -> None:
    """The same three stamps, key first or presses first, lead to the same bets."""
    t = T()
    t.load(1, 3)
    t.load(2, 3)
    t.open()
    t.silent = {1, 2}
    edge = t.ms + 100
    if late_first:
        t.press(1, at=edge - 10)
        t.press(2, at=edge + 10)
        t.lock(at=edge)
    else:
        t.lock(at=edge)
        t.press(1, at=edge - 10)
        with t.refuses("not-open"):
            t.press(2, at=edge + 10)
    t.complete(1)
    t.complete(2)
    assert known_seats(t.state)[:2] == [(1_000, 2), (0, 3)]
    assert t["sealed"] is True


def test_2_8_out_of_service_holds_the_seal() -> None:
    t = betting()
    t.silent = {3}
    t.lock()
    t.out_of_service("the disk is full")
    t.complete(3)
    assert t["sealed"] is False
    t.out_of_service("")
    assert t["sealed"] is True


def test_2_8_turning_the_key_to_locked_again_changes_nothing() -> None:
    t = betting()
    t.lock()
    before = t.state
    t.key("locked")
    assert t.state == before


# --- 2.9 -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("word", ["fold", "exchange", "undo_forfeit", "undeclare"])
def test_2_9_folds_and_hands_need_a_sealed_round(word: str) -> None:
    t = betting()
    with t.refuses("not-locked", "2.9"):
        getattr(t, word)(1)
    t.silent = {3}
    t.lock()
    with t.refuses("not-sealed", "2.9"):
        getattr(t, word)(1)


def test_2_9_declaring_and_settling_need_a_sealed_round() -> None:
    t = betting()
    for code in ("not-locked", "not-sealed"):
        with t.refuses(code, "2.9"):
            t.declare(1, "flush")
        with t.refuses(code, "2.9"):
            t.settle()
        t.silent = {3}
        t.lock()
    t.complete(3)
    t.declare(1, "flush")
    t.settle()


def test_2_9_without_a_round_there_are_no_hands() -> None:
    t = T()
    for word in ("fold", "exchange", "undo_forfeit", "undeclare"):
        with t.refuses("not-locked", "2.9"):
            getattr(t, word)(1)
    with t.refuses("not-locked", "2.9"):
        t.settle()


def too_early(t: T) -> None:
    """The key is turned to open: refused, alarmed, still locked."""
    phase, rounds = t["phase"], t["round"]
    with t.refuses("not-settled", "2.9"):
        t.key("open")
    assert t.alarms == ["key-open-early"]
    assert (t["phase"], t["round"]) == (phase, rounds)
    t.key("locked")


def test_2_9_the_key_opens_too_early_before_the_settlement() -> None:
    t = betting()
    t.lock()
    too_early(t)


def test_2_9_the_key_opens_too_early_before_the_last_prize_is_paid() -> None:
    t = T()
    t.deal(1, 1)
    t.show(s1="flush", s2="flush")
    t.paid(1)
    too_early(t)
    t.paid(2)
    t.key("open")
    assert (t["phase"], t["round"]) == ("betting", 2)


def test_2_9_a_denied_prize_holds_nothing_up() -> None:
    t = T()
    t.deal(1)
    t.show(s1="flush")
    t.deny(1)
    t.open()
    assert t["round"] == 2


def test_2_9_a_void_round_opens_the_next() -> None:
    t = betting()
    t.lock()
    t.void()
    t.open()
    assert t["round"] == 2


def test_2_9_opening_needs_a_fresh_turn_of_the_key() -> None:
    t = betting()
    t.lock()
    with t.refuses("not-settled", "2.9"):
        t.key("open")
    t.settle()
    assert t["phase"] == "idle"  # the key stands open, and nothing opens by itself
    t.key("locked")
    t.key("open")
    assert t["phase"] == "betting"


def test_2_9_the_round_rises_when_betting_opens() -> None:
    t = T()
    assert t["round"] == 0
    t.open()
    assert t["round"] == 1
    t.lock()
    t.settle()
    assert t["round"] == 1
    t.open()
    assert t["round"] == 2


def test_2_9_the_same_alarm_waits_once() -> None:
    t = betting()
    t.lock()
    for _ in range(3):
        with t.refuses("not-settled"):
            t.key("open")
        t.key("locked")
    assert t.alarms == ["key-open-early"]
    t.ack()
    assert t.alarms == []
