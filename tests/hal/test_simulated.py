"""The simulated table's own promises: it obeys the rules of the real thing, and the same seed does the same."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import Callable
from itertools import pairwise
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hal.debounce import MS
from hal.port import ChipDropped, CompleteTo, KeyFound, KeyTurned, LampSensed, NoisePulse, PartFailed, Pressed, Signal
from hal.simulated.physics import Acceptor
from hal.simulated.table import ImpossibleError, SimulatedTable
from hal.simulated.virtualtime import DeadlockError, run
from tests.hal.contract import only
from tests.hal.simulated_bench import SimulatedBench, panel

ACTS: dict[str, Callable[[SimulatedTable], None]] = {
    "a chip at a credits table": lambda table: table.chip(1, 1_000),
    "a seat 0": lambda table: table.press(0),
    "a seat 99": lambda table: table.noise(99),
    "a lamp of seat 99": lambda table: table.break_part("lamp", 99),
    "a lamp of the table": lambda table: table.break_part("lamp", 0),
    "a display of a seat": lambda table: table.break_part("display", 1),
    "a slot at a credits table": lambda table: table.break_part("slot", 1),
    "an unknown part": lambda table: table.mend_part("sock", 1),  # type: ignore[arg-type]
    "a third position of the key": lambda table: table.turn_key("ajar"),  # type: ignore[arg-type]
    "a second program": lambda table: table.start(print, 2),
    "a panel of another table": lambda table: table.show(panel(7, [], "credits")),
    "credits missing": lambda table: table.show(panel(3, [], "chips")),
}


@pytest.mark.parametrize("act", ACTS)
def test_what_cannot_be_raises(act: str) -> None:
    async def script() -> None:
        bench = SimulatedBench("credits")
        bench.start()
        with pytest.raises(ImpossibleError):
            ACTS[act](bench.table)
        await bench.quiet()

    run(script())


def test_a_chips_table_has_slots_and_knows_its_chips() -> None:
    async def script() -> None:
        bench = SimulatedBench("chips")
        bench.start()
        with pytest.raises(ImpossibleError, match="no button"):
            bench.table.press(1)
        with pytest.raises(ImpossibleError, match="no chip of 7 here, only of 1000, 5000"):
            bench.table.chip(1, 7)
        bench.table.break_part("slot", 1)
        with pytest.raises(ImpossibleError, match="jammed"):
            bench.table.chip(1, 1_000)
        bench.table.chip(2)
        await bench.quiet()
        assert [chip.value for chip in only(ChipDropped, bench.told())] == [1_000]

    run(script())


def test_a_program_needs_power_and_a_start() -> None:
    async def script() -> None:
        table = SimulatedTable(seats=3, acceptor="credits", rng=Random(1))
        with pytest.raises(ImpossibleError, match="not started"):
            table.show(panel(3, [], "credits"))
        with pytest.raises(ImpossibleError, match="start the table first"):
            table.now()
        table.start(lambda signal: None, 1)
        table.power_off()
        with pytest.raises(ImpossibleError, match="power is off"):
            table.show(panel(3, [], "credits"))
        with pytest.raises(ImpossibleError, match="power is off"):
            table.start(lambda signal: None, 2)
        table.stop()
        table.power_on()
        with pytest.raises(ImpossibleError, match="not started"):
            table.show(panel(3, [], "credits"))

    run(script())


@pytest.mark.parametrize(("seats", "acceptor", "values"), [(0, "credits", []), (3, "chips", []), (3, "credits", [5])])
def test_a_table_that_cannot_be_built_is_refused(seats: int, acceptor: Acceptor, values: list[int]) -> None:
    with pytest.raises(ValueError, match="at least one seat"):
        SimulatedTable(seats=seats, acceptor=acceptor, rng=Random(1), denominations=values)


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_ten_thousand_chips_at_ten_a_second_on_every_seat_none_lost_none_invented(seed: int) -> None:
    seats, each = 7, 1_429  # 10 003 chips

    async def script() -> None:
        bench = SimulatedBench("chips", seats=seats, seed=seed)
        bench.start()
        loop = asyncio.get_running_loop()
        begun = loop.time()
        for n in range(each):
            for seat in bench.seats:
                bench.chip(seat, 5_000 if (n + seat) % 3 == 0 else 1_000)
        while bench.table.busy:  # lamps change all the while, and shine into the sensors
            bench.show([seat for seat in bench.seats if Random(loop.time()).random() < 0.5])
            await bench.wait(0.73)
        assert loop.time() - begun < each * 0.1 + 1, "slower than ten a second"
        told = bench.told()
        for seat in bench.seats:
            values = [chip.value for chip in only(ChipDropped, told) if chip.seat == seat]
            assert values == [5_000 if (n + seat) % 3 == 0 else 1_000 for n in range(each)]
        assert len(only(LampSensed, told)) > 100
        assert not only(NoisePulse, told)
        assert not only(PartFailed, told)

    run(script())


def evening(seed: int, acceptor: Acceptor) -> list[Signal]:
    """Everything that can happen, at random; returns what was told."""

    async def script() -> list[Signal]:
        rng = Random(seed)
        bench = SimulatedBench(acceptor, seed=seed)
        bench.start()
        for _ in range(120):
            seat = rng.choice(bench.seats)
            what = rng.random()
            if what < 0.5:
                if acceptor == "credits":
                    bench.press(seat)
                elif ("slot", seat) not in bench.table._broken:
                    bench.chip(seat, rng.choice([1_000, 5_000]))
            elif what < 0.6:
                bench.turn_key(rng.choice(["open", "locked"]))
            elif what < 0.75:
                bench.show(rng.sample(bench.seats, 2))
            elif what < 0.8:
                bench.noise(seat)
            elif what < 0.97:
                part = rng.choice(sorted(bench.can_break))
                befall = bench.table.break_part if rng.random() < 0.5 else bench.table.mend_part
                befall(part, 0 if part in ("display", "key") else seat)
            else:
                bench.power_off()
                await bench.wait(rng.random())
                bench.power_on()
                bench.start()
            await bench.wait(rng.choice([0, 0.001, 0.01, 0.1, 1, 12]))
        await bench.quiet()
        return bench.told()

    return run(script())


@pytest.mark.parametrize("acceptor", ["credits", "chips"])
def test_the_same_seed_does_the_same(acceptor: Acceptor) -> None:
    first = evening(7, acceptor)
    assert first == evening(7, acceptor)
    assert first != evening(8, acceptor)


@given(st.integers(0, 1 << 32), st.sampled_from(["credits", "chips"]))
def test_no_evening_breaks_a_promise(seed: int, acceptor: Acceptor) -> None:
    # The bench checks every signal: order of stamps, nothing after CompleteTo, the boot.
    evening(seed, acceptor)


def test_what_happens_at_one_seat_changes_nothing_at_another() -> None:
    async def script(disturbed: bool) -> list[Signal]:
        bench = SimulatedBench("credits")
        bench.start()
        bench.table.press(1, 5)
        if disturbed:
            bench.table.press(2, 5)
            bench.noise(3)
        await bench.quiet()
        return [signal for signal in bench.told() if isinstance(signal, Pressed) and signal.seat == 1]

    calm, disturbed = run(script(False)), run(script(True))
    # Stamps of one instant are told apart by single nanoseconds; but for these they are the same.
    assert [s.at.ns // 1_000 for s in calm] == [s.at.ns // 1_000 for s in disturbed]


def test_a_finger_presses_once_at_a_time() -> None:
    async def script() -> None:
        bench = SimulatedBench("credits")
        bench.start()
        bench.table.press(1, 3)
        bench.table.press(1)
        await bench.quiet()
        stamps = [pressed.at.ns for pressed in only(Pressed, bench.told())]
        assert len(stamps) == 4
        assert all(50 * MS < later - earlier < 200 * MS for earlier, later in pairwise(stamps))

    run(script())


def test_a_hand_remembers_only_so_much() -> None:
    """Whoever asks, over and over, for presses that take longer than asking costs no more memory each time."""

    async def script() -> None:
        bench = SimulatedBench("credits")
        bench.start()
        bench.table.press(1, 1_999)
        bench.table.press(1)
        with pytest.raises(ImpossibleError, match="too much to do"):
            bench.table.press(1)
        bench.table.press(2)

    run(script())


def test_a_chip_still_in_the_hand_when_the_slot_jams_stays_there() -> None:
    async def script() -> None:
        bench = SimulatedBench("chips")
        bench.start()
        bench.chip(1, 1_000)
        bench.chip(1, 1_000)
        await bench.wait(0.09)
        bench.break_part("slot", 1)
        await bench.wait(3)
        bench.mend_part("slot", 1)
        await bench.quiet()
        assert len(only(ChipDropped, bench.told())) == 1

    run(script())


def test_idle_there_is_no_timer_at_all() -> None:
    async def script() -> None:
        bench = SimulatedBench("credits")
        bench.start()
        bench.press(1)
        bench.turn_key("open")
        bench.show([1])
        await bench.quiet()
        await asyncio.Event().wait()

    with pytest.raises(DeadlockError):
        run(script())


def test_quiet_does_not_wait_for_the_deadlines_of_faults() -> None:
    async def script() -> None:
        bench = SimulatedBench("credits")
        bench.start()
        begun = asyncio.get_running_loop().time()
        bench.break_part("button", 1)
        bench.break_part("node", 2)
        await bench.quiet()
        assert asyncio.get_running_loop().time() - begun < 0.1
        assert only(PartFailed, bench.told()) == []

    run(script())


def test_a_plug_that_comes_off_for_a_moment_is_no_fault() -> None:
    async def script() -> None:
        bench = SimulatedBench("credits")
        bench.start()
        bench.told()
        bench.break_part("node", 1)
        bench.press(1)
        await bench.wait(0.25)
        bench.mend_part("node", 1)
        await bench.wait(1)
        assert [type(signal) for signal in bench.told()] == [Pressed]

    run(script())


def test_a_node_plugged_in_again_waits_for_its_host_before_it_lights() -> None:
    async def script() -> None:
        bench = SimulatedBench("credits")
        bench.start()
        bench.show([1])
        await bench.quiet()
        bench.break_part("node", 1)
        bench.show([])  # taken back while nobody can tell the node
        await bench.wait(1)
        bench.told()
        bench.mend_part("node", 1)
        await bench.wait(1)
        assert not bench.lamp_lit(1)
        assert [signal.lit for signal in only(LampSensed, bench.told())] == [False]  # when the plug came off

    run(script())


@pytest.mark.parametrize("end", ["power_off", "stop"])
def test_the_display_shows_the_latest_panel_and_is_dark_without_power_or_program(end: str) -> None:
    async def script() -> None:
        bench = SimulatedBench("credits")
        bench.start()
        bench.show([1])
        bench.show([1, 2])
        await bench.quiet()
        shown = bench.table.display
        assert shown is not None
        assert shown.bets == 2
        getattr(bench.table, end)()
        assert bench.table.display is None

    run(script())


def test_a_display_that_is_still_broken_after_a_restart_is_told_again() -> None:
    async def script() -> None:
        bench = SimulatedBench("credits")
        bench.break_part("display", 0)
        for _ in range(2):
            bench.start()
            bench.show([])
            await bench.quiet()
            assert [(s.seat, s.part) for s in only(PartFailed, bench.told())] == [(0, "display")]
            bench.power_off()
            bench.power_on()

    run(script())


def test_a_key_turned_in_the_dark_is_found_where_it_stands() -> None:
    async def script() -> None:
        bench = SimulatedBench("credits")
        bench.start()
        bench.turn_key("open")
        await bench.quiet()
        bench.power_off()
        bench.turn_key("locked")
        await bench.wait(1)
        bench.power_on()
        bench.told()
        bench.start()
        found = [signal for signal in bench.told() if isinstance(signal, KeyFound)]
        assert [signal.position for signal in found] == ["locked"]
        assert bench.table.key == "locked"

    run(script())


def test_complete_to_follows_the_turn_within_milliseconds() -> None:
    async def script() -> None:
        bench = SimulatedBench("credits")
        bench.start()
        heard: dict[str, list[float]] = {"key": [], "complete": []}
        loop = asyncio.get_running_loop()
        hear = bench._hear

        def timed(signal: Signal) -> None:
            if isinstance(signal, KeyTurned | CompleteTo):
                heard["key" if isinstance(signal, KeyTurned) else "complete"].append(loop.time())
            hear(signal)

        bench.table.stop()
        bench.table.start(timed, 1)
        bench.turn_key("open")
        await bench.quiet()
        (turned,) = heard["key"]
        assert len(heard["complete"]) == 3
        assert all(0 < answered - turned < 0.005 for answered in heard["complete"])

    run(script())


def test_a_late_loop_does_not_stretch_a_chip() -> None:
    # Real time: while the program is away for 0.3 s, chips fall as they fall; their stamps are the edges' own.
    async def script() -> None:
        bench = SimulatedBench("chips")
        bench.start()
        bench.told()
        for _ in range(3):
            bench.chip(1, 1_000)
        await bench.wait(0.01)
        time.sleep(0.3)  # noqa: ASYNC251 - the loop is held up on purpose
        await bench.quiet()
        assert Counter(type(signal).__name__ for signal in bench.told()) == {"ChipDropped": 3}

    asyncio.run(script())


def test_it_runs_in_real_time() -> None:
    async def script() -> None:
        bench = SimulatedBench("credits")
        bench.start()
        bench.turn_key("open")
        bench.press(1)
        bench.show([1])
        await bench.quiet()
        told = bench.told()
        assert len(only(Pressed, told)) == len(only(LampSensed, told)) == len(only(KeyTurned, told)) == 1

    asyncio.run(script())
