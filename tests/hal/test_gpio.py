"""The gpio backend beyond the contract: what real lines, libraries and threads do to it."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Awaitable, Callable
from random import Random

import gpiozero
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hal.debounce import MS
from hal.gpio.chips import Chips, open_chips
from hal.gpio.feed import COMPLETE, DELIVERY
from hal.gpio.table import GpioTable
from hal.gpio.wiring import Hardware, Pin, SeatPins, Wiring
from hal.port import (
    ChipDropped,
    CompleteTo,
    HardwareError,
    KeyFound,
    KeyTurned,
    LampSensed,
    NoisePulse,
    PartFailed,
    PartMended,
    Pressed,
    Signal,
)
from hal.simulated.physics import Acceptor
from hal.simulated.virtualtime import run
from tests.hal.contract import only, started
from tests.hal.gpio_bench import SLOWEST, GpioBench, WiredPin
from tests.hal.simulated_bench import panel

Script = Callable[[GpioBench], Awaitable[None]]


def play(acceptor: Acceptor, script: Script, *, seats: int = 3, expander: bool = False) -> None:
    async def main() -> None:
        bench = GpioBench(acceptor, seats=seats, place="expander" if expander else "header")
        try:
            await script(bench)
        finally:
            bench.backend.stop()

    run(main())


def parts(signals: list[Signal], kind: type[PartFailed] | type[PartMended]) -> list[tuple[int, str]]:
    return [(signal.seat, signal.part) for signal in only(kind, signals)]


def line(bench: GpioBench, seat: int) -> Pin:
    """The line of a seat's acceptor."""
    pins = bench.hardware.wiring.seats[seat - 1]
    return pins.button or pins.chips[0][1]


# --- the start ------------------------------------------------------------------------------------------


def test_levels_found_are_those_at_rest_not_while_the_lines_are_charged() -> None:
    """A pull-up that was just switched on needs its time: what is read before is no wire that broke (8.3, 8.5)."""

    class Slow(GpioBench):
        def connected(self, place: Pin, pin: WiredPin) -> None:
            super().connected(place, pin)
            if place == self.hardware.wiring.key_locked:
                pin.drive_high()
                threading.Timer(0.03, super().connected, (place, pin)).start()

        def deliver(self, pin: WiredPin, ticks: float, state: bool) -> None:
            pin.arrive(ticks, state)

    async def script() -> None:
        bench = Slow("credits")
        bench.start()
        told = bench.told()
        bench.backend.stop()
        assert [signal.position for signal in only(KeyFound, told)] == ["locked"]
        assert parts(told, PartFailed) == []
        assert (0, "key") in parts(told, PartMended)

    run(script())


# --- stamps ----------------------------------------------------------------------------------------------


def test_a_press_has_the_stamp_of_its_first_edge_however_late_that_arrives() -> None:
    async def script(bench: GpioBench) -> None:
        await started(bench)
        button = line(bench, 1)
        edges = []
        for _ in range(5):
            edges.append(bench.timeline.now())
            for high in (False, True, False):
                bench.high(button, high)
                await bench.wait(0.0007)
            await bench.wait(0.05)
            bench.high(button, True)
            await bench.wait(0.1)
        pressed = only(Pressed, bench.told())
        assert [signal.at.ns - edge for signal, edge in zip(pressed, edges, strict=True)] == pytest.approx(
            [0] * 5, abs=2
        )
        assert bench.backend.late == 0

    play("credits", script)


def test_a_press_is_told_as_soon_as_its_contact_has_been_at_rest() -> None:
    async def script(bench: GpioBench) -> None:
        await started(bench)
        bench.slowest = MS
        for bounces in range(4):
            for _ in range(bounces):
                bench.high(line(bench, 1), False)
                await bench.wait(0.0008)
                bench.high(line(bench, 1), True)
                await bench.wait(0.0008)
            bench.high(line(bench, 1), False)
            await bench.wait(0.0049)
            assert only(Pressed, bench.told()) == []
            await bench.wait(0.0002)
            assert len(only(Pressed, bench.told())) == 1
            bench.high(line(bench, 1), True)
            await bench.wait(0.1)

    play("credits", script)


@pytest.mark.parametrize("ends_after", [0.001, 0.003, 0.0049])
def test_what_is_over_when_it_might_be_a_press_is_none_though_its_end_is_still_on_its_way(ends_after: float) -> None:
    async def script(bench: GpioBench) -> None:
        await started(bench)
        for slowest in (0, MS, SLOWEST):
            bench.slowest = 0
            bench.high(line(bench, 1), False)
            await bench.wait(ends_after)
            bench.slowest = slowest
            bench.high(line(bench, 1), True)
            await bench.wait(0.1)
            told = bench.told()
            assert len(only(NoisePulse, told)) == 1
            assert only(Pressed, told) == []

    play("credits", script)


def test_an_edge_that_is_late_keeps_its_stamp_until_its_source_is_called_complete() -> None:
    """A bet is before the lock by its stamp, however late that arrives (2.8)."""

    async def script(bench: GpioBench) -> None:
        await started(bench)
        bench.slowest = 0
        deliver = bench.deliver
        late: list[tuple[WiredPin, float, bool]] = []
        bench.deliver = lambda *edge: late.append(edge)  # type: ignore[method-assign]
        bench.high(line(bench, 1), False)
        at = bench.timeline.now()
        bench.deliver = deliver  # type: ignore[method-assign]
        bench.high(bench.hardware.wiring.key_open, True)
        await bench.wait((COMPLETE - MS) / 1e9)
        deliver(*late[0])
        await bench.wait(0.1)
        (pressed,) = only(Pressed, bench.told())
        assert pressed.at.ns == pytest.approx(at, abs=2)
        assert bench.backend.late == 1

    play("credits", script)


@settings(max_examples=15)  # each is an evening at three seats
@given(st.integers(0, 50 * MS), st.integers(0, 2**32))
def test_no_promise_is_broken_by_edges_that_arrive_too_late(slowest: int, seed: int) -> None:
    """The bench's ears check every signal; what arrives late is counted, and dated to the first instant possible."""

    async def script(bench: GpioBench) -> None:
        bench.slowest = slowest
        await started(bench)
        for _ in range(3):
            for seat in bench.seats:
                bench.press(seat)
            bench.turn_key("locked")
            await bench.wait(Random(seed).random() / 10)
            bench.turn_key("open")
            await bench.quiet()
        assert slowest > DELIVERY or bench.backend.late == 0

    play("credits", script)


def test_every_source_is_complete_no_sooner_than_edges_can_have_arrived() -> None:
    async def script(bench: GpioBench) -> None:
        await started(bench)
        heard: list[int] = []
        hear = bench.promises.hear

        def timed(signal: Signal) -> None:
            hear(signal)
            if isinstance(signal, CompleteTo):
                heard.append(bench.timeline.now() - signal.at.ns)

        bench.backend.stop()
        bench.promises.hear = timed  # type: ignore[method-assign]
        bench.start()
        bench.turn_key("locked")
        bench.turn_key("open")
        await bench.quiet()
        assert len(heard) >= 3
        assert all(COMPLETE - 10 <= behind <= COMPLETE + MS for behind in heard)

    play("credits", script)


# --- many chips ------------------------------------------------------------------------------------------


def test_ten_chips_a_second_at_seven_seats_are_none_lost_and_none_invented() -> None:
    async def script(bench: GpioBench) -> None:
        await started(bench)
        for _ in range(30):
            for seat in bench.seats:
                bench.chip(seat, 1_000)
        for n in range(14):
            bench.show([n % 7 + 1])
            await bench.wait(0.25)
        await bench.quiet()
        told = bench.told()
        chips = only(ChipDropped, told)
        assert [sum(chip.seat == seat for chip in chips) for seat in bench.seats] == [30] * 7
        assert only(PartFailed, told) == []
        assert only(NoisePulse, told) == []
        assert bench.backend.late == 0

    play("chips", script, seats=7, expander=True)


# --- edges that do not come ------------------------------------------------------------------------------


def test_a_dead_thread_is_found_though_nothing_happens_and_found_again_when_it_lives() -> None:
    async def script(bench: GpioBench) -> None:
        await started(bench)
        bench.deaf = True
        await bench.wait(2.1)
        assert parts(bench.told(), PartFailed) == [(0, "edges")]
        await bench.wait(5)
        assert bench.told() == []
        bench.deaf = False
        await bench.wait(2.1)
        assert parts(bench.told(), PartMended) == [(0, "edges")]

    play("credits", script)


def test_with_a_dead_thread_the_key_still_locks_and_nobody_claims_to_be_complete() -> None:
    async def script(bench: GpioBench) -> None:
        await started(bench)
        bench.deaf = True
        await bench.wait(2.1)
        bench.turn_key("locked")
        before = bench.backend.now()
        await bench.wait(1.3)
        told = bench.told()
        (turned,) = only(KeyTurned, told)
        assert turned.position == "locked"
        assert turned.at > before
        assert only(CompleteTo, told) == []
        bench.deaf = False
        await bench.wait(2.1)
        assert sorted(c.source for c in only(CompleteTo, bench.told())) == list(bench.seats)

    play("credits", script)


def test_a_button_found_held_is_no_press_but_may_be_stuck() -> None:
    async def script(bench: GpioBench) -> None:
        await started(bench)
        button = line(bench, 2)
        bench.deaf = True
        bench.high(button, False)
        await bench.wait(1.2)
        bench.deaf = False
        told = bench.told()
        assert parts(told, PartFailed) == [(2, "edges")]
        assert only(Pressed, told) == []
        await bench.wait(11)
        assert (2, "button") in parts(bench.told(), PartFailed)
        bench.high(button, True)
        await bench.wait(0.1)
        bench.press(2)
        await bench.quiet()
        told = bench.told()
        assert {(2, "button"), (2, "edges")} <= set(parts(told, PartMended))
        assert len(only(Pressed, told)) == 1

    play("credits", script)


def test_a_release_that_is_lost_is_found_and_the_next_press_counts() -> None:
    """Trailing edges can be missing even from the kernel (lg#18)."""

    async def script(bench: GpioBench) -> None:
        await started(bench)
        button = line(bench, 2)
        bench.high(button, False)
        await bench.wait(0.05)
        bench.deaf = True
        bench.high(button, True)
        bench.deaf = False
        await bench.wait(1.2)
        told = bench.told()
        assert len(only(Pressed, told)) == 1
        assert parts(told, PartFailed) == [(2, "edges")]
        bench.press(2)
        await bench.quiet()
        told = bench.told()
        assert len(only(Pressed, told)) == 1
        assert parts(told, PartMended) == [(2, "edges")]

    play("credits", script)


@pytest.mark.parametrize("lost", ["leading", "trailing"])
def test_a_chip_is_never_made_of_a_level(lost: str) -> None:
    async def script(bench: GpioBench) -> None:
        await started(bench)
        slot = line(bench, 1)
        await bench.wait(0.9)  # the levels are about to be read
        bench.deaf = lost == "leading"
        bench.high(slot, True)
        await bench.wait(0.04 if lost == "trailing" else 0.2)
        bench.deaf = not bench.deaf
        bench.high(slot, False)
        bench.deaf = False
        await bench.wait(1.5)
        told = bench.told()
        assert only(ChipDropped, told) == []
        assert parts(told, PartFailed) == [(1, "edges")]
        bench.chip(1, 1_000)
        await bench.quiet()
        assert len(only(ChipDropped, bench.told())) == 1

    play("chips", script)


def test_a_lamp_whose_sense_lost_its_edge_is_sensed_by_its_level() -> None:
    async def script(bench: GpioBench) -> None:
        await started(bench)
        bench.deaf = True
        bench.show([3])
        await bench.wait(0.05)
        bench.deaf = False
        await bench.wait(4)  # behind an expander seats are read by turns, one a second
        told = bench.told()
        assert [(s.seat, s.lit) for s in only(LampSensed, told)] == [(3, True)]
        assert parts(told, PartFailed) == [(3, "edges")]

    play("credits", script, expander=True)


def test_an_edge_on_its_way_is_not_a_lost_one() -> None:
    async def script(bench: GpioBench) -> None:
        await started(bench)
        for n in range(40):
            await bench.wait(0.025)
            bench.high(line(bench, 1 + n % 3), bool(n // 3 % 2))
        await bench.wait(2)
        assert only(PartFailed, bench.told()) == []

    play("credits", script)


# --- idleness --------------------------------------------------------------------------------------------


def test_when_nothing_happens_levels_are_read_once_a_second_and_the_bus_once_in_all(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    reads: dict[str, int] = {"header": 0, "expander": 0}
    state = WiredPin._get_state

    def counted(pin: WiredPin) -> object:
        reads[pin.place.chip] += 1
        return state(pin)

    async def script(bench: GpioBench) -> None:
        await started(bench)
        monkeypatch.setattr(WiredPin, "_get_state", counted)
        loop, turns = asyncio.get_running_loop(), 0
        ready = loop._run_once  # type: ignore[attr-defined]

        def turn() -> None:
            nonlocal turns
            turns += 1
            ready()

        loop._run_once = turn  # type: ignore[attr-defined]
        await bench.wait(100)
        assert turns <= 102
        assert reads == {"header": 100 * 9, "expander": 100}  # seven buttons and the key; a lamp's sense

    play("credits", script, seats=7, expander=True)


# --- chips that do not answer ----------------------------------------------------------------------------


def test_an_expander_that_is_gone_fails_its_seats_and_is_tried_again(monkeypatch: pytest.MonkeyPatch) -> None:
    gone = False
    state = WiredPin._set_state

    def written(pin: WiredPin, value: bool) -> None:
        if gone and pin.place.chip == "expander":
            raise OSError(121, "Remote I/O error")
        state(pin, value)

    async def script(bench: GpioBench) -> None:
        nonlocal gone
        monkeypatch.setattr(WiredPin, "_set_state", written)
        await started(bench)
        gone = True
        bench.show([2])
        bench.show([2, 3])
        await bench.wait(0.1)
        assert sorted(parts(bench.told(), PartFailed)) == [(1, "node"), (2, "node"), (3, "node")]
        bench.turn_key("locked")
        await bench.wait(1)
        told = bench.told()
        assert len(only(KeyTurned, told)) == 1
        assert only(CompleteTo, told) == []
        gone = False
        await bench.wait(6)
        told = bench.told()
        assert sorted(parts(told, PartMended)) == [(1, "node"), (2, "node"), (3, "node")]
        assert sorted(c.source for c in only(CompleteTo, told)) == [1, 2, 3]
        assert [bench.lamp_lit(seat) for seat in bench.seats] == [False, True, True]

    play("credits", script, expander=True)


def test_a_key_that_cannot_be_read_has_failed(monkeypatch: pytest.MonkeyPatch) -> None:
    async def script(bench: GpioBench) -> None:
        await started(bench)
        pin = bench.pins[bench.hardware.wiring.key_open]

        def gone() -> bool:
            raise OSError(5, "Input/output error")

        monkeypatch.setattr(pin, "_get_state", gone)
        await bench.wait(1.1)
        assert parts(bench.told(), PartFailed) == [(0, "key")]
        monkeypatch.undo()
        await bench.wait(5)
        assert parts(bench.told(), PartMended) == [(0, "key")]

    play("credits", script)


# --- start and stop --------------------------------------------------------------------------------------


def test_a_jumper_that_carries_nothing_keeps_the_table_from_starting(monkeypatch: pytest.MonkeyPatch) -> None:
    async def script(bench: GpioBench) -> None:
        connected = GpioBench.driven
        monkeypatch.setattr(GpioBench, "driven", lambda *_: None)
        monkeypatch.setattr("hal.gpio.loop.PATIENCE_S", 0.0)
        for level in (True, False):  # connected to nothing, so that its pull-up takes it high; shorted to ground
            bench.high(bench.hardware.wiring.loop_in, level)
            with pytest.raises(HardwareError, match=r"jumper from GPIO6 to GPIO7 carries nothing"):
                bench.start()
        monkeypatch.setattr(GpioBench, "driven", connected)
        bench.start()  # everything had been let go
        assert len(only(KeyFound, bench.told())) == 1

    play("credits", script)


def test_edges_that_do_not_arrive_keep_the_table_from_starting(monkeypatch: pytest.MonkeyPatch) -> None:
    async def script(bench: GpioBench) -> None:
        monkeypatch.setattr("hal.gpio.loop.PATIENCE_S", 0.0)
        bench.deaf = True
        with pytest.raises(HardwareError, match=r"no edge arrived .*WorkingDirectory="):
            bench.start()

    play("credits", script)


def test_an_edge_that_was_still_on_its_way_is_not_taken_for_the_jumpers(monkeypatch: pytest.MonkeyPatch) -> None:
    """After a program that was killed with its end of the jumper high."""

    def deliver(bench: GpioBench, pin: WiredPin, ticks: float, state: bool) -> None:
        pin.arrive(ticks, not state)
        threading.Timer(0.05, pin.arrive, (ticks, state)).start()

    async def script(bench: GpioBench) -> None:
        delivered = GpioBench.deliver
        monkeypatch.setattr(GpioBench, "deliver", deliver)
        bench.start()
        monkeypatch.setattr(GpioBench, "deliver", delivered)
        assert len(only(KeyFound, bench.told())) == 1

    play("credits", script)


def test_another_clock_than_the_systems_keeps_the_table_from_starting(monkeypatch: pytest.MonkeyPatch) -> None:
    """Kernels before 5.7 stamp edges with the time of day."""

    async def script(bench: GpioBench) -> None:
        arrive = WiredPin.arrive
        monkeypatch.setattr(WiredPin, "arrive", lambda pin, ticks, state: arrive(pin, ticks + 1.7e9, state))
        with pytest.raises(HardwareError, match=r"another clock than CLOCK_MONOTONIC; Linux 5\.7"):
            bench.start()

    play("credits", script)


def test_starting_twice_is_a_mistake_and_an_instant_belongs_to_a_boot() -> None:
    async def script(bench: GpioBench) -> None:
        with pytest.raises(RuntimeError, match="start the table first"):
            bench.backend.now()
        bench.show([1])  # nothing is driven before the start
        bench.start()
        with pytest.raises(RuntimeError, match="already started"):
            bench.start()

    play("credits", script)


def test_a_slot_whose_beam_is_found_broken_is_not_called_working() -> None:
    async def script(bench: GpioBench) -> None:
        bench.high(line(bench, 2), True)
        bench.start()
        works = parts(bench.told(), PartMended)
        assert [(seat, "slot") in works for seat in bench.seats] == [True, False, True]
        bench.high(line(bench, 2), False)
        await bench.wait(0.1)
        assert parts(bench.told(), PartMended) == [(2, "slot")]

    play("chips", script)


# --- a real thread, in real time -------------------------------------------------------------------------


def mock_table() -> Hardware:
    seat = SeatPins(Pin("header", 22), Pin("header", 23), button=Pin("header", 17))
    table = Wiring(
        key_open=Pin("header", 5),
        key_locked=Pin("header", 6),
        loop_out=Pin("header", 26),
        loop_in=Pin("header", 27),
        meter=Pin("header", 12),
        seats=(seat,),
    )
    return Hardware("mock", table)


def test_the_librarys_thread_only_queues_and_the_loop_tells() -> None:
    opened: list[Chips] = []
    told: list[tuple[Signal, int]] = []
    late = threading.Event()

    def opening(hardware: Hardware) -> Chips:
        opened.append(open_chips(hardware))
        return opened[0]

    def fingers() -> None:
        pin = opened[0].header.factory.pin(17)
        for _ in range(10):
            pin.drive_low()
            time.sleep(0.03)  # a real thread in real time: a finger takes its time
            pin.drive_high()
            time.sleep(0.03)
        late.wait(5)
        pin.drive_low()  # after stop, and after the loop is gone
        pin.drive_high()

    async def evening() -> None:
        table = GpioTable(mock_table(), opened=opening)
        table.start(lambda signal: told.append((signal, threading.get_ident())), 1)
        table.show(panel(1, [1], "credits"))
        assert opened[0].header.factory.pin(22).state
        thread.start()
        for _ in range(500):  # 0.6 s are usual
            await asyncio.sleep(0.01)
            if sum(isinstance(signal, Pressed) for signal, _ in told) == 10:
                break
        table.stop()
        table.stop()

    thread = threading.Thread(target=fingers)
    asyncio.run(evening())
    presses = [signal.at.ns for signal, _ in told if isinstance(signal, Pressed)]
    heard = len(told)
    late.set()
    thread.join()
    assert len(presses) == 10
    assert presses == sorted(presses)
    assert {ident for _, ident in told} == {threading.get_ident()}
    assert len(told) == heard
    assert gpiozero.Device.pin_factory is None


def test_2_6_what_happened_while_the_loop_stood_still_is_told_before_a_deadline_of_then() -> None:
    """A loop that stood still, loading a program or on a slow card, finds edges and deadlines together. A lamp that was
    sensed in time must not close its seat for that."""
    opened: list[Chips] = []
    order: list[str] = []

    def opening(hardware: Hardware) -> Chips:
        opened.append(open_chips(hardware))
        return opened[0]

    async def evening() -> None:
        table = GpioTable(mock_table(), opened=opening)
        table.start(lambda signal: order.append(type(signal).__name__), 1)
        await asyncio.sleep(0.1)
        order.clear()
        sensing = threading.Timer(0.01, opened[0].header.factory.pin(23).drive_low)
        sensing.start()
        asyncio.get_running_loop().call_later(0.05, order.append, "deadline")
        time.sleep(0.15)  # noqa: ASYNC251 - a loop that stands still is what is tried
        await asyncio.sleep(0.05)
        table.stop()
        sensing.join()

    asyncio.run(evening())
    assert order == ["LampSensed", "deadline"]
