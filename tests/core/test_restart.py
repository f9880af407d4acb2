"""After a power cut, clause 8.3: the table stands where it stood. And command ids, which outlive it too."""

import pytest

from controller.core.inputs import Load

from .table import T, person


def test_8_3_credits_bets_and_the_open_round_survive() -> None:
    t = T()
    t.load(1, 3)
    t.open()
    t.press(1, 2)
    t.restart()
    assert (t["phase"], t["seat.1.bet"], t["seat.1.credits"]) == ("betting", "2000", 1)
    assert t.lit() == [1]
    assert t.alarms == []
    t.press(1)
    assert t["seat.1.bet"] == "3000"
    t.lock()
    assert t["meters.bets"] == "3000.0000"


def test_8_3_obligations_survive() -> None:
    t = T(acceptor="chips")
    t.open()
    t.bet(1, 3)
    with t.refuses("over-maximum"):
        t.chip(1)
    t.restart()
    assert t["seat.1.owed"] == "1000"


def test_8_3_lamps_are_driven_and_sensed_afresh() -> None:
    t = T()
    t.open()
    t.bet(1)
    t.dead_lamps = {1}
    t.restart()
    assert t.lit() == [1]
    assert t.seat(1).sensed is False
    t.runs_out("lamp", 1)  # it burned out in the dark: 2.6 holds
    assert (t["seat.1.reason"], t["seat.1.credits"]) == ("lamp", 1)


def test_8_3_an_active_fault_is_still_active() -> None:
    t = T()
    t.fails("button", 2)
    t.restart()
    assert (t["seat.2.status"], t["seat.2.reason"]) == ("closed", "button")
    with t.refuses("not-allowed", "2.10"):
        t.reopen(2)
    assert t.alarms == ["button-failed"]


def test_8_3_a_key_found_locked_while_betting_was_open_locks_at_power_on() -> None:
    t = T()
    t.open()
    t.bet(1, 2)
    t.restart(key="locked")
    assert t["phase"] == "locked"
    assert t["seat.1.bet"] == "2000"  # every stamp of an earlier boot is before the lock


def test_8_3_nothing_can_be_on_its_way_at_power_on_so_the_seal_waits_for_the_lamps_only() -> None:
    """The sources that were on report after a turn of the key; at power-on nobody turned it, and none will."""
    t = T()
    t.open()
    t.bet(1, 2)
    t.silent = {1, 2, 3, 4, 5, 6}
    t.dead_lamps = {1}
    t.restart(key="locked")
    assert t.deadline("seal") is None
    assert t["sealed"] is False
    t.lamp(1, True)
    assert t["sealed"] is True
    assert [seat.closed for seat in t.state.seats] == [None] * 6


@pytest.mark.parametrize("phase", ["locked", "paying"])
def test_8_3_a_key_found_open_while_locked_or_paying_alarms_and_stays_locked(phase: str) -> None:
    t = T()
    t.deal(1)
    if phase == "paying":
        t.show(s1="flush")
    t.restart(key="open")
    assert t.alarms == ["key-found-open"]
    assert (t["phase"], t["round"]) == (phase, 1)


def test_8_3_a_key_found_open_never_opens_betting() -> None:
    t = T()
    t.restart(key="open")
    assert (t["phase"], t["round"]) == ("idle", 0)
    t.open()  # locked, then a fresh turn
    assert t["phase"] == "betting"


def test_8_3_a_key_found_open_while_betting_goes_on() -> None:
    t = T()
    t.open()
    t.restart(key="open")
    assert (t["phase"], t.alarms) == ("betting", [])


def test_8_3_a_round_locked_but_not_sealed_is_sealed_after_the_restart() -> None:
    t = T()
    t.open()
    t.bet(1, 2)
    t.silent = {3}
    t.lock()
    t.restart()
    assert t["sealed"] is True  # what seat 3 had not reported is gone with the power; nothing more can come
    assert t["meters.bets"] == "2000.0000"
    assert t["seat.3.status"] == "open"


def test_8_3_every_input_of_a_later_boot_is_after_every_earlier_lock() -> None:
    t = T(acceptor="chips")
    t.open()
    t.bet(1)
    t.dead_lamps = {1}
    t.silent = {1}
    t.lock()
    t.restart()
    assert t["sealed"] is False  # the lamp of seat 1 is not sensed yet
    with t.refuses("not-open", "2.8"):
        t.chip(1, at=1)  # a small stamp, but of a later boot
    assert t["meters.late_chips"] == 1


def test_8_3_paying_goes_on_where_it_stood() -> None:
    t = T()
    t.deal(1, 1)
    t.show(s1="flush", s2="royal-flush")
    t.paid(1)
    pots = t.pots
    t.restart()
    assert (t["prize.1.status"], t["prize.2.status"]) == ("paid", "unapproved")
    assert t.pots == pots
    t.approve(2)
    t.paid(2)
    assert t["phase"] == "idle"


def test_8_3_out_of_service_and_service_mode_survive() -> None:
    t = T()
    t.service(True)
    t.out_of_service("the snapshot is damaged")
    t.restart()
    assert t["out_of_service"] == "the snapshot is damaged"
    assert t.state.service is True


def test_8_3_a_lamp_test_does_not_survive() -> None:
    t = T()
    t.dead_lamps = {1}
    t.lamp(1, True)
    t.runs_out("lamp", 1)
    t.lamp(1, False)
    t.reopen(1)
    assert t.lit() == [1]
    t.restart()
    assert (t.lit(), t["seat.1.status"]) == ([], "closed")


# --- a command that comes twice --------------------------------------------------------------------------


def test_a_repeated_id_gets_the_first_answer_and_does_nothing_twice() -> None:
    t = T()
    t.act(Load(1, 5), "dealer", id="a-17")
    assert t["seat.1.credits"] == 5
    t.act(Load(1, 5), "dealer", id="a-17")
    assert t["seat.1.credits"] == 5
    assert t.last == ()


def test_a_repeated_id_gets_the_first_refusal_even_when_it_would_be_accepted_now() -> None:
    t = T()
    t.close(1)
    with t.refuses("seat-closed", "2.10"):
        t.act(Load(1, 5), "dealer", id="a-18")
    t.reopen(1)
    with t.refuses("seat-closed", "2.10"):
        t.act(Load(1, 5), "dealer", id="a-18")
    assert t.refusal is not None
    assert t.refusal.english == "Seat 1 is closed; it must be reopened first."
    assert t["seat.1.credits"] == 0


def test_a_repeated_id_is_known_after_a_restart() -> None:
    t = T()
    t.act(Load(1, 5), "dealer", id="a-19")
    t.restart()
    t.act(Load(1, 5), "dealer", id="a-19")
    assert t["seat.1.credits"] == 5


def test_commands_without_id_are_each_done() -> None:
    t = T()
    t.load(1, 5)
    t.load(1, 5)
    assert t["seat.1.credits"] == 10


def test_a_command_for_another_round_is_stale() -> None:
    t = T()
    t.deal(1)
    t.act(Load(1, 1), "dealer", round=1)
    with t.refuses("stale"):
        t.act(Load(1, 1), "dealer", round=2)
    t.settle()
    t.open()
    with t.refuses("stale"):
        t.act(Load(1, 1), person("dealer"), round=1)
    assert t["seat.1.credits"] == 1
