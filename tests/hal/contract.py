"""The contract of a backend: what ``hal.port`` promises, tried on a bench.

A *bench* is a table of one backend and somebody's fingers on it. Each backend brings its own (a simulated
table, lines of a mock factory, lines of a kernel's gpio-sim) and joins in ``conftest.py``; every test here
then runs on it as well. A bench's ``emit`` checks with every signal what is promised always: the order of
stamps within a source, nothing after a ``CompleteTo``, the right boot.

What a bench cannot break is left out of ``can_break``, and tests of it are skipped there.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import Literal, Protocol, TypeVar

import pytest

from hal.port import (
    Backend,
    ChipDropped,
    CompleteTo,
    KeyFound,
    KeyTurned,
    LampSensed,
    NoisePulse,
    PartFailed,
    PartMended,
    Pressed,
    Signal,
)

Acceptor = Literal["credits", "chips"]
BreakablePart = Literal["lamp", "lamp-on", "button", "slot", "node", "display", "key"]


class Bench(Protocol):
    """A table of some backend, its key found locked, chips of 1000 and 5000, and hands to act on it."""

    @property
    def seats(self) -> range:
        """At least three."""

    @property
    def can_break(self) -> frozenset[BreakablePart]:
        """The parts that this bench can break."""

    @property
    def backend(self) -> Backend:
        """What is tested."""

    def start(self) -> None:
        """Start the backend as the next boot."""

    def show(self, lamps: Sequence[int]) -> None:
        """Show a panel with these lamps lit, different from the one before."""

    def told(self) -> list[Signal]:
        """The signals since the last call."""

    def press(self, seat: int) -> None:
        """Press and release a button, with bounce."""

    def chip(self, seat: int, value: int) -> None:
        """Drop a chip."""

    def turn_key(self, position: str) -> None:
        """Turn the lock key."""

    def noise(self, seat: int) -> None:
        """A spike of 1 ms at most on the acceptor's line."""

    def break_part(self, part: BreakablePart, seat: int) -> None:
        """Break a part."""

    def mend_part(self, part: BreakablePart, seat: int) -> None:
        """Mend it."""

    def power_off(self) -> None:
        """Cut the power, program included."""

    def power_on(self) -> None:
        """Give it back; no program runs until ``start``."""

    def lamp_lit(self, seat: int) -> bool:
        """Whether a lamp is lit in fact."""

    async def quiet(self) -> None:
        """Wait until every act has been done and heard."""

    async def wait(self, seconds: float) -> None:
        """Let time pass on the backend's clock."""


Script = Callable[[Bench], Awaitable[None]]
Play = Callable[[Acceptor, Script], None]
S = TypeVar("S")


def only(kind: type[S], signals: Sequence[object]) -> list[S]:
    """The signals of one kind."""
    return [signal for signal in signals if isinstance(signal, kind)]


async def started(bench: Bench, *, key: str = "open") -> None:
    """A bench at work, its key turned, everything so far forgotten."""
    bench.start()
    bench.turn_key(key)
    await bench.quiet()
    bench.told()


def needs(bench: Bench, part: str) -> None:
    """Skip where the bench cannot break `part`."""
    if part not in bench.can_break:
        pytest.skip(f"this bench cannot break {part}")


class Contract:
    """Inherit it in a test module; `play` is the fixture in ``conftest.py``."""

    def test_first_the_levels_found_are_told(self, play: Play) -> None:
        async def script(bench: Bench) -> None:
            needs(bench, "lamp-on")
            bench.break_part("lamp-on", 2)
            await bench.quiet()
            bench.start()
            await bench.quiet()
            told = bench.told()
            assert [signal.position for signal in only(KeyFound, told)] == ["locked"]
            assert [(signal.seat, signal.lit) for signal in only(LampSensed, told)] == [(2, True)]
            assert only(PartFailed, told) == []
            works = {(signal.seat, signal.part) for signal in only(PartMended, told)}
            seats = bench.seats
            assert {(0, "key"), *((n, "button") for n in seats), *((n, "node") for n in seats)} <= works

        play("credits", script)

    def test_a_press_is_told_once_and_not_before_it_began(self, play: Play) -> None:
        async def script(bench: Bench) -> None:
            await started(bench)
            before = bench.backend.now()
            bench.press(1)
            await bench.quiet()
            (pressed,) = bench.told()
            assert isinstance(pressed, Pressed)
            assert pressed.seat == 1
            assert before <= pressed.at < bench.backend.now()

        play("credits", script)

    def test_every_press_of_many_is_told(self, play: Play) -> None:
        async def script(bench: Bench) -> None:
            await started(bench)
            for _ in range(20):
                for seat in bench.seats:
                    bench.press(seat)
            await bench.quiet()
            told = bench.told()
            assert len(told) == 20 * len(bench.seats)
            presses = only(Pressed, told)
            assert [sum(s.seat == seat for s in presses) for seat in bench.seats] == [20] * len(bench.seats)

        play("credits", script)

    def test_every_chip_of_many_is_told_with_its_value(self, play: Play) -> None:
        async def script(bench: Bench) -> None:
            await started(bench)
            values = [1_000, 5_000, 1_000, 1_000, 5_000] * 4
            for value in values:
                for seat in bench.seats:
                    bench.chip(seat, value)
            await bench.quiet()
            told = bench.told()
            for seat in bench.seats:
                assert [s.value for s in only(ChipDropped, told) if s.seat == seat] == values
            assert len(told) == len(values) * len(bench.seats)

        play("chips", script)

    @pytest.mark.parametrize("acceptor", ["credits", "chips"])
    def test_spikes_are_noise_and_nothing_else(self, play: Play, acceptor: Acceptor) -> None:
        async def script(bench: Bench) -> None:
            await started(bench)
            for _ in range(30):
                bench.noise(2)
                await bench.wait(0.1)
            told = bench.told()
            assert len(told) == 30
            assert all(isinstance(signal, NoisePulse) and signal.seat == 2 for signal in told)

        play(acceptor, script)

    def test_lamps_light_and_go_out_as_commanded_and_are_sensed(self, play: Play) -> None:
        async def script(bench: Bench) -> None:
            await started(bench)
            bench.show([1, 3])
            await bench.quiet()
            assert [bench.lamp_lit(seat) for seat in (1, 2, 3)] == [True, False, True]
            assert {(s.seat, s.lit) for s in only(LampSensed, bench.told())} == {(1, True), (3, True)}
            bench.show([3])
            await bench.quiet()
            assert not bench.lamp_lit(1)
            assert [(s.seat, s.lit) for s in only(LampSensed, bench.told())] == [(1, False)]

        play("credits", script)

    def test_a_lamp_is_sensed_well_within_the_time_that_the_rules_give_it(self, play: Play) -> None:
        async def script(bench: Bench) -> None:
            await started(bench)
            commanded = bench.backend.now()
            bench.show([1])
            await bench.wait(0.1)  # half of the 200 ms of 2.6
            (sensed,) = only(LampSensed, bench.told())
            assert commanded < sensed.at

        play("chips", script)

    def test_an_open_lamp_is_never_sensed(self, play: Play) -> None:
        async def script(bench: Bench) -> None:
            needs(bench, "lamp")
            bench.break_part("lamp", 1)
            await started(bench)
            bench.show([1, 2])
            await bench.quiet()
            assert not bench.lamp_lit(1)
            assert [s.seat for s in only(LampSensed, bench.told())] == [2]
            bench.mend_part("lamp", 1)
            await bench.quiet()
            assert bench.lamp_lit(1)
            assert [(s.seat, s.lit) for s in only(LampSensed, bench.told())] == [(1, True)]

        play("credits", script)

    def test_a_shorted_lamp_is_sensed_lit_whatever_is_commanded(self, play: Play) -> None:
        async def script(bench: Bench) -> None:
            needs(bench, "lamp-on")
            await started(bench)
            bench.break_part("lamp-on", 1)
            await bench.quiet()
            assert [(s.seat, s.lit) for s in only(LampSensed, bench.told())] == [(1, True)]
            bench.show([1])
            bench.show([])
            await bench.quiet()
            assert bench.lamp_lit(1)
            assert only(LampSensed, bench.told()) == []

        play("credits", script)

    def test_every_source_is_complete_soon_after_each_turn_of_the_key(self, play: Play) -> None:
        async def script(bench: Bench) -> None:
            bench.start()
            for position in ("open", "locked", "open", "locked"):
                bench.told()
                bench.turn_key(position)
                await bench.wait(0.2)  # within the 250 ms of 2.8, the turn itself included
                told = bench.told()
                (turned,) = only(KeyTurned, told)
                assert turned.position == position
                complete = only(CompleteTo, told)
                assert [c.source for c in sorted(complete, key=lambda c: c.source)] == list(bench.seats)
                assert all(c.at >= turned.at for c in complete)

        play("credits", script)

    def test_a_chip_in_the_beam_at_the_lock_is_told_before_its_seat_is_complete(self, play: Play) -> None:
        async def script(bench: Bench) -> None:
            for wait_ms in range(0, 60, 4):
                await started(bench)
                bench.turn_key("locked")
                await bench.wait(wait_ms / 1_000)
                bench.chip(1, 1_000)
                await bench.quiet()
                told = bench.told()
                (turned,), (chip,) = only(KeyTurned, told), only(ChipDropped, told)
                complete = next(s for s in only(CompleteTo, told) if s.source == 1)
                assert complete.at >= turned.at
                assert told.index(chip) < told.index(complete) or chip.at > complete.at
                bench.backend.stop()

        play("chips", script)

    def test_a_stuck_button_is_told_after_ten_seconds_and_mended_at_once(self, play: Play) -> None:
        async def script(bench: Bench) -> None:
            needs(bench, "button")
            await started(bench)
            bench.break_part("button", 1)
            await bench.wait(9.9)
            assert only(PartFailed, bench.told()) == []
            await bench.wait(0.2)
            assert [(s.seat, s.part) for s in only(PartFailed, bench.told())] == [(1, "button")]
            bench.press(1)
            await bench.quiet()
            assert bench.told() == []
            bench.mend_part("button", 1)
            await bench.quiet()
            assert [(s.seat, s.part) for s in only(PartMended, bench.told())] == [(1, "button")]
            bench.press(1)
            await bench.quiet()
            assert len(only(Pressed, bench.told())) == 1

        play("credits", script)

    def test_a_jammed_slot_is_told_after_a_second_and_a_half(self, play: Play) -> None:
        async def script(bench: Bench) -> None:
            needs(bench, "slot")
            await started(bench)
            bench.break_part("slot", 3)
            await bench.wait(1.4)
            assert only(PartFailed, bench.told()) == []
            await bench.wait(0.2)
            assert [(s.seat, s.part) for s in only(PartFailed, bench.told())] == [(3, "slot")]
            bench.mend_part("slot", 3)
            await bench.quiet()
            assert [(s.seat, s.part) for s in only(PartMended, bench.told())] == [(3, "slot")]
            bench.chip(3, 1_000)
            await bench.quiet()
            assert [s.value for s in only(ChipDropped, bench.told())] == [1_000]

        play("chips", script)

    def test_a_vanished_node_is_told_and_reports_everything_when_it_is_back(self, play: Play) -> None:
        async def script(bench: Bench) -> None:
            needs(bench, "node")
            await started(bench)
            bench.show([1, 2])
            await bench.quiet()
            bench.told()
            bench.break_part("node", 1)
            bench.press(1)
            bench.press(2)
            bench.turn_key("locked")
            await bench.wait(1)
            told = bench.told()
            assert [(s.seat, s.part) for s in only(PartFailed, told)] == [(1, "node")]
            assert [s.seat for s in only(Pressed, told)] == [2]
            assert sorted(s.source for s in only(CompleteTo, told)) == [2, 3]
            assert not bench.lamp_lit(1)
            bench.mend_part("node", 1)
            await bench.quiet()
            told = bench.told()
            assert [s.seat for s in only(Pressed, told)] == [1]
            assert [(s.seat, s.part) for s in only(PartMended, told)] == [(1, "node")]
            assert [s.source for s in only(CompleteTo, told)] == [1]
            assert bench.lamp_lit(1)  # commanded again without being asked

        play("credits", script)

    def test_a_node_found_unplugged_is_told_at_the_start(self, play: Play) -> None:
        async def script(bench: Bench) -> None:
            needs(bench, "node")
            bench.break_part("node", 2)
            await bench.quiet()
            bench.start()
            await bench.wait(0.5)
            assert [(s.seat, s.part) for s in only(PartFailed, bench.told())] == [(2, "node")]
            bench.mend_part("node", 2)
            bench.press(2)
            await bench.quiet()
            told = bench.told()
            assert (2, "node") in [(s.seat, s.part) for s in only(PartMended, told)]
            assert [s.seat for s in only(Pressed, told)] == [2]

        play("credits", script)

    def test_a_key_that_has_lost_its_wire_locks_and_alarms(self, play: Play) -> None:
        async def script(bench: Bench) -> None:
            needs(bench, "key")
            await started(bench)
            bench.break_part("key", 0)
            await bench.wait(0.2)
            told = bench.told()
            assert [s.position for s in only(KeyTurned, told)] == ["locked"]
            assert [(s.seat, s.part) for s in only(PartFailed, told)] == [(0, "key")]
            bench.mend_part("key", 0)
            await bench.wait(0.2)
            told = bench.told()
            assert [(s.seat, s.part) for s in only(PartMended, told)] == [(0, "key")]
            assert only(KeyTurned, told) == []  # opening takes a fresh turn (2.9)

        play("credits", script)

    def test_a_display_that_fails_stops_nothing_and_is_told(self, play: Play) -> None:
        async def script(bench: Bench) -> None:
            needs(bench, "display")
            await started(bench)
            bench.break_part("display", 0)
            bench.show([1])
            await bench.quiet()
            bench.show([1, 2])
            bench.press(3)
            await bench.quiet()
            told = bench.told()
            assert [(s.seat, s.part) for s in only(PartFailed, told)] == [(0, "display")]
            assert bench.lamp_lit(1)
            assert bench.lamp_lit(2)
            assert [s.seat for s in only(Pressed, told)] == [3]
            bench.mend_part("display", 0)
            await bench.quiet()
            assert [(s.seat, s.part) for s in only(PartMended, bench.told())] == [(0, "display")]

        play("credits", script)

    def test_after_stop_it_is_dark_and_silent(self, play: Play) -> None:
        async def script(bench: Bench) -> None:
            await started(bench)
            bench.show([1])
            bench.press(2)
            await bench.wait(0.02)
            bench.backend.stop()
            bench.told()
            bench.backend.stop()
            bench.press(1)
            bench.turn_key("locked")
            await bench.quiet()
            assert not bench.lamp_lit(1)
            assert bench.told() == []

        play("credits", script)

    def test_power_that_goes_in_mid_press_leaves_darkness_and_silence(self, play: Play) -> None:
        async def script(bench: Bench) -> None:
            for wait_ms in (0, 1, 3, 6, 20, 90):
                await started(bench)
                bench.show([2])
                await bench.quiet()
                bench.told()
                bench.press(1)
                await bench.wait(wait_ms / 1_000)
                bench.power_off()
                heard = len(bench.told())
                assert heard <= 1
                assert not bench.lamp_lit(2)
                bench.turn_key("locked")
                await bench.quiet()
                assert bench.told() == []
                bench.power_on()
                bench.start()
                await bench.quiet()
                told = bench.told()
                assert [s.position for s in only(KeyFound, told)] == ["locked"]
                assert only(Pressed, told) == []  # what was not reported is lost, and nothing is made up
                bench.power_off()
                bench.power_on()

        play("credits", script)

    def test_a_finger_still_on_the_button_at_power_on_is_no_press(self, play: Play) -> None:
        async def script(bench: Bench) -> None:
            await started(bench)
            bench.press(1)
            bench.power_off()
            await bench.wait(0.03)
            bench.power_on()
            bench.start()
            await bench.quiet()
            assert only(Pressed, bench.told()) == []

        play("credits", script)
