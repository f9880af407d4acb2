"""What must be decided if it does not come to pass (2.6, 2.8, fault table): `deadlines(state)`, pure."""

from controller.core.deadlines import deadlines
from controller.core.inputs import Deadline, Timeout

from .table import T

MS = 1_000_000


def kinds(t: T) -> list[tuple[str, int]]:
    return [(deadline.what, deadline.seat) for deadline in deadlines(t.state)]


def test_an_idle_table_waits_for_nothing() -> None:
    t = T()
    assert kinds(t) == []


def test_a_table_that_works_waits_for_nothing_between_two_inputs() -> None:
    t = T()
    t.deal(1, 2)
    assert kinds(t) == []
    t.show(s1="flush")
    assert kinds(t) == []
    t.paid(1)
    assert kinds(t) == []


def test_2_6_each_lamp_has_its_own() -> None:
    t = T()
    t.dead_lamps = {1, 2}
    t.open()
    t.bet(1)
    t.bet(2)
    t.bet(3)
    assert kinds(t) == [("lamp", 1), ("lamp", 2)]
    assert all(deadline.after_ns == 200 * MS for deadline in deadlines(t.state))


def test_2_6_going_out_has_one_too() -> None:
    t = T()
    t.open()
    t.bet(1, 3)
    t.dead_lamps = {1}
    t.press(1)  # taken back: commanded off, still sensed lit
    assert kinds(t) == [("lamp", 1)]
    t.lamp(1, False)
    assert kinds(t) == []


def test_an_equal_deadline_is_the_same_one_still_running() -> None:
    t = T()
    t.dead_lamps = {1}
    t.open()
    t.bet(1)
    before = deadlines(t.state)
    t.load(2, 1)
    t.noise(4)
    assert deadlines(t.state) == before


def test_2_6_a_lighting_and_a_going_out_are_not_the_same() -> None:
    t = T()
    t.load(1, 3)
    t.dead_lamps = {1}
    t.open()
    t.press(1)
    (lighting,) = deadlines(t.state)
    t.lamp(1, True)
    t.press(1, 3)
    (going_out,) = deadlines(t.state)
    assert lighting != going_out


def test_8_3_lamps_that_were_lit_are_awaited_afresh_after_a_restart() -> None:
    t = T()
    t.open()
    t.bet(1)
    t.dead_lamps = {1}
    t.restart()
    assert kinds(t) == [("lamp", 1)]


def test_2_6_a_failed_lamp_is_not_judged_again() -> None:
    t = T()
    t.dead_lamps = {1}
    t.open()
    t.bet(1)
    t.runs_out("lamp", 1)
    t.lamp(1, True)
    t.lamp(1, False)
    assert kinds(t) == []
    assert t.state.meters.faults == {"lamp": 1}


def test_2_8_the_seal_waits_from_the_edge() -> None:
    t = T()
    t.silent = {2}
    t.open()
    edge = t.ms + 50
    t.lock(at=edge)
    (deadline,) = deadlines(t.state)
    assert (deadline.what, deadline.seat, deadline.after_ns) == ("seal", 0, 250 * MS)
    assert deadline.since is not None
    assert (deadline.since.boot, deadline.since.ns) == (t.state.boot, edge * MS)


def test_a_timeout_of_nothing_is_ignored() -> None:
    t = T()
    t.open()
    t.bet(1)
    for stale in (Deadline("lamp", 1, 1, 0), Deadline("seal", 0, 1, 0), Deadline("noise", 1, 1, 0)):
        t.feed(Timeout(stale))
        assert t.last == ()
