"""Betting, clauses 2.1 to 2.7: what a press or a chip bets, what the lamp says, what goes back."""

import pytest

from controller.core.deadlines import LAMP_NS
from controller.core.decide import decide
from controller.core.draft import Decision
from controller.core.inputs import CashOut, Command, Load, Timeout
from controller.core.panel import panel
from hal import port
from hal.port import Said

from .table import MS, T, person

# --- 2.1 -------------------------------------------------------------------------------------------------


def test_2_1_the_side_bet_is_optional() -> None:
    t = T()
    t.deal(2)  # seats 2 to 6 do not bet, and the round goes on without them
    assert t["sealed"] is True
    assert t["meters.bet_count"] == 1


def test_2_1_a_round_without_any_side_bet_is_played_and_moves_nothing() -> None:
    t = T()
    t.deal()
    assert t["sealed"] is True
    assert t["meters.bet_count"] == 0
    t.settle()
    assert t["phase"] == "idle"
    assert t.pots == (10_000_000_0000, 0)


@pytest.mark.parametrize("acceptor", ["credits", "chips"])
def test_2_1_a_side_bet_without_ante_is_returned_while_betting(acceptor: str) -> None:
    t = T(acceptor=acceptor)
    t.open()
    t.bet(2, 2)
    t.irregular("no-ante", 2)
    assert t["seat.2.bet"] == "0"
    assert t["seat.2.credits"] == (2 if acceptor == "credits" else 0)
    assert t["seat.2.owed"] == ("0" if acceptor == "credits" else "2000")
    assert t["meters.returned"] == "2000"


def test_2_1_a_side_bet_without_ante_is_returned_after_the_seal() -> None:
    t = T()
    t.deal(2, 1)
    t.irregular("no-ante", 2)
    assert t["seat.2.bet"] == "0"
    assert t["seat.2.credits"] == 1
    assert t["pot.main"] == "10001400.0000"  # 2000 × 70 % = 1400 of seat 1 stay; the 700 of seat 2 went back
    with t.refuses("no-bet", "2.1"):
        t.declare(2, "flush")


def test_2_1_without_ante_needs_a_bet_and_a_seat() -> None:
    t = T()
    t.open()
    with t.refuses("no-bet"):
        t.irregular("no-ante", 2)
    with t.refuses("unknown-seat"):
        t.irregular("no-ante")


# --- 2.2 the credits acceptor ----------------------------------------------------------------------------


def test_2_2_each_press_adds_one_credit_to_the_bet() -> None:
    t = T()
    t.load(1, 5)
    t.open()
    t.press(1)
    assert (t["seat.1.bet"], t["seat.1.credits"]) == ("1000", 4)
    t.press(1)
    assert (t["seat.1.bet"], t["seat.1.credits"]) == ("2000", 3)


def test_2_2_pressing_at_the_maximum_takes_the_bet_back() -> None:
    t = T()
    t.load(1, 5)
    t.open()
    t.press(1, 3)
    assert (t["seat.1.bet"], t["seat.1.credits"]) == ("3000", 2)
    t.press(1)
    assert (t["seat.1.bet"], t["seat.1.credits"]) == ("0", 5)
    assert t["meters.returned"] == "0"  # the player took it back; the machine gave nothing back
    t.press(1)
    assert t["seat.1.bet"] == "1000"  # and may bet again


def test_2_2_pressing_at_the_maximum_needs_no_credit() -> None:
    t = T()
    t.load(1, 3)
    t.open()
    t.press(1, 4)
    assert (t["seat.1.bet"], t["seat.1.credits"]) == ("0", 3)


def test_2_2_the_seat_shows_the_credits_left_and_the_bet() -> None:
    t = T()
    t.load(1, 5)
    t.open()
    t.press(1, 2)
    shown = t.panel.seats[0]
    assert (shown.credits, shown.bet) == (3, 2_000)


def test_2_2_without_credits_nothing_is_bet_and_the_seat_shows_why() -> None:
    t = T()
    t.load(1, 1)
    t.open()
    t.press(1)
    with t.refuses("no-credits", "2.2"):
        t.press(1)
    assert t["seat.1.bet"] == "1000"
    assert t.last == ()
    assert panel(t.state, {1: "no-credits"}).seats[0].text == "no-credits"


def test_2_2_the_dealer_loads_credits_and_cashes_out_what_is_unspent() -> None:
    t = T()
    t.load(1, 5)
    t.load(1, 2)
    assert t["seat.1.credits"] == 7
    t.open()
    t.press(1, 3)
    t.cash_out(1)
    assert (t["seat.1.credits"], t["seat.1.bet"]) == (0, "3000")
    assert (t["meters.credits_in"], t["meters.credits_out"]) == (7, 4)
    with t.refuses("no-credits", "2.2"):
        t.cash_out(1)


@pytest.mark.parametrize("count", [0, -1, 1_000_000, 10**30])
def test_2_2_a_load_is_a_sensible_number_of_credits(count: int) -> None:
    t = T()
    with t.refuses("over-maximum", "2.2"):
        t.load(1, count)


def test_2_2_a_seat_never_holds_more_credits_than_its_counter_shows() -> None:
    t = T()
    t.load(1, 999_998)
    with t.refuses("over-maximum", "2.2"):
        t.load(1, 2)
    t.load(1, 1)
    assert t["seat.1.credits"] == 999_999


def test_2_2_credits_outlive_the_round() -> None:
    t = T()
    t.load(1, 5)
    t.open()
    t.press(1, 2)
    t.lock()
    t.settle()
    assert t["seat.1.credits"] == 3


def test_2_2_a_press_bets_nothing_while_no_round_is_open() -> None:
    t = T()
    t.load(1, 1)
    with t.refuses("not-open", "2.8"):
        t.press(1)
    assert t["seat.1.credits"] == 1


def test_2_2_a_table_of_chips_has_no_credits() -> None:
    t = T(acceptor="chips")
    with t.refuses("wrong-acceptor"):
        t.load(1, 5)
    t.open()
    with t.refuses("wrong-acceptor"):
        t.press(1)
    assert t.alarms == ["wrong-acceptor"]  # a button where there is none: somebody must look at the wires
    assert t.panel.seats[0].credits is None


# --- 2.3 the chips acceptor ------------------------------------------------------------------------------


def test_2_3_each_chip_adds_its_value_and_the_seat_shows_only_the_bet() -> None:
    t = T(acceptor="chips")
    t.open()
    t.chip(1, 1_000)
    t.chip(1, 2_000)
    assert t["seat.1.bet"] == "3000"
    assert (t.panel.seats[0].credits, t.panel.seats[0].bet) == (None, 3_000)


def test_2_3_the_crossing_wager_is_excess() -> None:
    t = T(acceptor="chips", denomination=1, bet_min=1, bet_max=10)
    t.open()
    t.chip(1, 9)
    with t.refuses("over-maximum", "2.3"):
        t.chip(1, 4)  # 9 + 4 = 13 > 10: the whole chip is excess, not the 3 beyond
    assert t["seat.1.bet"] == "9"
    assert t["seat.1.owed"] == "4"
    assert t["meters.excess_chips"] == 1
    assert t.panel.seats[0].says == (Said("excess", 4),)
    t.chip(1, 1)  # 9 + 1 = 10 is still allowed
    assert t["seat.1.bet"] == "10"


def test_2_3_an_excess_chip_is_handed_back_and_acknowledged() -> None:
    t = T(acceptor="chips")
    t.open()
    t.bet(1, 3)
    with t.refuses("over-maximum", "2.3"):
        t.chip(1)
    t.ack(1)
    assert (t["seat.1.owed"], t.panel.seats[0].says) == ("0", ())
    assert t["seat.1.bet"] == "3000"
    t.lock()
    assert t["meters.bets"] == "3000.0000"  # never part of the bet


def test_2_3_a_late_chip_is_counted_apart_flashed_and_owed() -> None:
    t = T(acceptor="chips")
    t.open()
    t.bet(1)
    t.lock()
    with t.refuses("not-open", "2.8"):
        t.chip(1)
    assert (t["seat.1.bet"], t["seat.1.owed"]) == ("1000", "1000")
    assert (t["meters.late_chips"], t["meters.excess_chips"]) == (1, 0)
    assert t.panel.seats[0].says == (Said("late", 1_000),)
    t.ack(1)
    assert t["seat.1.owed"] == "0"


def test_2_3_a_chip_in_a_closed_seat_or_an_idle_table_is_owed_too() -> None:
    t = T(acceptor="chips")
    with t.refuses("not-open"):
        t.chip(2, 5_000)
    t.close(3)
    with t.refuses("not-settled", "2.4"):
        t.open()
    t.ack(2)
    t.open()
    with t.refuses("seat-closed", "2.10"):
        t.chip(3)
    assert t["seat.3.owed"] == "1000"


def test_2_3_a_table_of_credits_takes_no_chips() -> None:
    t = T()
    t.open()
    with t.refuses("wrong-acceptor"):
        t.chip(1)
    assert t["seat.1.bet"] == "0"


# --- 2.4 returned ----------------------------------------------------------------------------------------


def test_2_4_returned_means_back_to_the_credits() -> None:
    t = T()
    t.open()
    t.bet(1, 2)
    t.close(1)
    assert (t["seat.1.credits"], t["seat.1.owed"]) == (2, "0")


def test_2_4_returned_chips_are_owed_until_acknowledged_and_hold_the_next_opening() -> None:
    t = T(acceptor="chips")
    t.open()
    t.bet(1, 2)
    t.close(1)
    assert t["seat.1.owed"] == "2000"
    t.lock()
    t.settle()
    with t.refuses("not-settled", "2.4"):
        t.open()
    t.ack(1)
    t.open()
    assert t["phase"] == "betting"


def test_2_4_returned_chips_are_shown() -> None:
    t = T(acceptor="chips")
    t.open()
    t.bet(1, 2)
    t.irregular("no-ante", 1)
    assert t.panel.seats[0].says == (Said("returned", 2_000),)


def test_2_4_returned_chips_are_shown_at_a_seat_that_a_fault_has_closed() -> None:
    t = T(acceptor="chips")
    t.open()
    t.bet(1, 2)
    t.fails("slot", 1)
    assert t.panel.seats[0].says == (Said("closed"), Said("returned", 2_000))


def test_2_4_what_is_shown_is_all_that_has_to_be_handed_back() -> None:
    t = T(acceptor="chips", bet_min=2_000)
    t.open()
    t.bet(1)
    t.lock()
    with t.refuses("not-open", "2.8"):
        t.chip(1)
    assert t["seat.1.owed"] == "2000"
    assert t.panel.seats[0].says == (Said("returned", 2_000),)  # not all of it was late


def test_2_4_nothing_owed_nothing_to_acknowledge() -> None:
    t = T(acceptor="chips")
    with t.refuses("nothing-owed", "2.4"):
        t.ack(1)


# --- 2.5 minimum and maximum -----------------------------------------------------------------------------


def test_2_5_a_bet_under_the_minimum_at_the_lock_is_returned() -> None:
    t = T(bet_min=2_000)
    t.open()
    t.bet(1, 1)
    t.bet(2, 2)
    assert t.lit() == [2]
    t.lock()
    assert (t["seat.1.bet"], t["seat.1.credits"]) == ("0", 1)
    assert (t["meters.bet_count"], t["meters.bets"]) == (1, "2000.0000")
    assert (t["meters.turnover"], t["meters.returned"]) == ("3000", "1000")


def test_2_5_a_press_in_flight_at_the_lock_may_still_reach_the_minimum() -> None:
    t = T(bet_min=2_000)
    t.silent = {1}
    t.open()
    t.load(1, 2)
    t.press(1)
    edge = t.ms + 50
    t.lock(at=edge)
    t.press(1, at=edge - 30)  # stamped before the edge, reported after it
    t.complete(1)
    assert (t["seat.1.bet"], t["meters.bet_count"]) == ("2000", 1)


# --- 2.6 the lamp ----------------------------------------------------------------------------------------


def test_2_6_the_lamp_is_lit_from_the_minimum_until_taken_back() -> None:
    t = T(bet_min=2_000)
    t.load(1, 3)
    t.open()
    t.press(1)
    assert t.lit() == []
    t.press(1)
    assert t.lit() == [1]
    t.press(1)
    assert t.lit() == [1]
    t.press(1)  # taken back
    assert t.lit() == []


def test_2_6_the_lamp_goes_out_when_the_bet_is_returned_forfeited_or_void() -> None:
    t = T()
    t.deal(1, 1, 1, 1)
    assert t.lit() == [1, 2, 3, 4]
    t.fold(1)
    assert t.lit() == [2, 3, 4]
    t.exchange(2)
    assert t.lit() == [3, 4]
    t.irregular("wrong-count", 3)
    assert t.lit() == [4]
    t.void()
    assert t.lit() == []


def test_2_6_the_lamp_is_lit_until_the_round_ends() -> None:
    t = T()
    t.deal(1, 1)
    t.show(s1="flush")
    assert t.lit() == [1, 2]
    t.paid(1)
    assert (t["phase"], t.lit()) == ("idle", [])


def test_2_6_a_lamp_not_sensed_lit_within_200_ms_closes_the_seat_and_returns_the_bet() -> None:
    t = T()
    t.dead_lamps = {1}
    t.open()
    t.bet(1, 2)
    assert LAMP_NS == 200 * MS
    deadline = t.deadline("lamp", 1)
    assert deadline is not None
    assert (deadline.after_ns, deadline.since) == (200 * MS, None)  # from the completed command
    t.runs_out("lamp", 1)
    assert (t["seat.1.status"], t["seat.1.reason"]) == ("closed", "lamp")
    assert (t["seat.1.bet"], t["seat.1.credits"]) == ("0", 2)
    assert t["seat.1.lamp"] == "off"
    assert t.alarms == ["lamp-failed"]
    assert t.state.meters.faults == {"lamp": 1}


def test_2_6_a_lamp_that_lights_in_time_is_no_fault() -> None:
    t = T()
    t.dead_lamps = {1}
    t.open()
    t.bet(1, 2)
    stale = t.deadline("lamp", 1)
    assert stale is not None
    t.lamp(1, True)
    t.feed(Timeout(stale))
    assert t.last == ()  # a stale deadline is ignored
    assert t["seat.1.status"] == "open"


def test_2_6_a_second_lighting_does_not_inherit_the_first_ones_clock() -> None:
    t = T()
    t.load(1, 3)
    t.dead_lamps = {1}
    t.open()
    t.press(1)
    first = t.deadline("lamp", 1)
    assert first is not None
    t.press(1)
    assert t.deadline("lamp", 1) == first  # still the same lighting
    t.press(1, 2)  # to the maximum and taken back: dark as commanded
    assert t.deadline("lamp", 1) is None
    t.press(1)
    assert t.deadline("lamp", 1) not in (None, first)
    t.feed(Timeout(first))
    assert t["seat.1.status"] == "open"


def test_2_6_a_lamp_lit_when_commanded_off_closes_the_seat() -> None:
    t = T()
    t.open()
    t.dead_lamps = {4}
    t.lamp(4, True)
    assert t.deadline("lamp", 4) is not None
    t.runs_out("lamp", 4)
    assert (t["seat.4.status"], t["seat.4.reason"]) == ("closed", "lamp")


def test_2_6_a_lamp_that_does_not_go_out_after_a_fold_closes_the_seat() -> None:
    t = T()
    t.deal(1, 1)
    t.dead_lamps = {1}
    t.fold(1)
    t.runs_out("lamp", 1)
    assert t["seat.1.reason"] == "lamp"
    assert t["seat.1.forfeit"] == "fold"
    assert t["meters.returned"] == "0"  # forfeited stays forfeited (5.2)


def test_2_6_a_lamp_that_goes_dark_while_betting_closes_the_seat_and_returns_the_bet() -> None:
    t = T()
    t.open()
    t.bet(1, 2)
    t.dead_lamps = {1}
    t.lamp(1, False)
    t.runs_out("lamp", 1)
    assert (t["seat.1.reason"], t["seat.1.bet"], t["seat.1.credits"]) == ("lamp", "0", 2)


def test_2_6_dark_because_out_of_service_neither_cancels_the_bet_nor_is_a_fault() -> None:
    t = T()
    t.open()
    t.bet(1, 2)
    t.out_of_service("the disk is full")
    assert t.lit() == []
    assert t.seat(1).sensed is False  # and really dark
    assert t.deadline("lamp", 1) is None
    assert (t["seat.1.bet"], t["seat.1.status"]) == ("2000", "open")
    t.out_of_service("")
    assert t.lit() == [1]
    t.lock()
    assert t["meters.bet_count"] == 1


def test_2_6_out_of_service_leaves_the_lamps_of_a_sealed_round() -> None:
    t = T()
    t.deal(1)
    t.out_of_service("the disk is full")
    assert t.lit() == [1]


def test_2_6_a_sealed_lamp_that_hardware_could_not_light_is_no_lamp_fault() -> None:
    t = T()
    t.deal(1)
    t.dead_lamps = {1}
    t.restart()
    t.out_of_service("the jumper carries nothing")  # nobody drives the lamp, which has been dark since the restart
    assert t.deadline("lamp", 1) is None
    t.out_of_service("")
    assert t.deadline("lamp", 1) is not None  # commanded anew, and now it has to light
    t.runs_out("lamp", 1)
    assert t["seat.1.reason"] == "lamp"


def test_2_6_a_lamp_that_is_lit_out_of_service_without_being_commanded_is_a_fault() -> None:
    t = T()
    t.dead_lamps = {1}
    t.out_of_service("the configuration differs")
    t.lamp(1, True)
    t.runs_out("lamp", 1)
    assert t["seat.1.reason"] == "lamp"


def test_2_6_the_engines_own_stop_darkens_the_same_lamps() -> None:
    t = T()
    t.open()
    t.bet(1)
    assert [seat.lamp for seat in panel(t.state, stopped="the disk is full").seats] == [False] * 6
    t.lock()
    assert panel(t.state, stopped="the disk is full").seats[0].lamp is True


# --- 2.7 -------------------------------------------------------------------------------------------------


def test_2_7_a_lamp_lights_only_by_a_recorded_bet() -> None:
    """The panel is drawn from the state, and only events move it: so a lamp cannot light before its bet's event."""
    t = T()
    t.load(1, 1)
    t.open()
    decision: Decision = decide(t.state, port.Pressed(1, t.stamp()))
    assert [type(event).__name__ for event in decision.events] == ["BetChanged"]
    assert panel(t.state).seats[0].lamp is False
    assert panel(decision.state).seats[0].lamp is True


# --- wrong places ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("seat", [0, 7, 99, -1])
def test_a_seat_that_is_not_there_is_refused(seat: int) -> None:
    t = T()
    for act in (Load(seat, 1), CashOut(seat)):
        with t.refuses("unknown-seat"):
            t.feed(Command(act, person("dealer")))


@pytest.mark.parametrize("seat", [0, 7, 99, -1])
def test_a_signal_from_a_seat_that_is_not_there_bets_nothing_and_is_seen(seat: int) -> None:
    t = T()
    t.open()
    before = t.state
    with t.refuses("unknown-seat"):
        t.feed(port.Pressed(seat, t.stamp()))
    with t.refuses("unknown-seat"):
        t.feed(port.ChipDropped(seat, 1_000, t.stamp()))
    assert (t.state.round, t.state.seats) == (before.round, before.seats)
    assert t.alarms == ["unknown-seat"]
