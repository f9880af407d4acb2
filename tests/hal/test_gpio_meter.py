"""The pulses of the electromechanical counter: each wide enough, none twice, none that holds anything up."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hal.debounce import MS
from hal.gpio.loop import Loop
from hal.gpio.pulses import OFF_S, ON_S
from hal.gpio.wiring import Pin
from hal.port import HardwareError, LampSensed, PartFailed
from hal.simulated.virtualtime import run
from tests.hal.contract import only, started
from tests.hal.gpio_bench import GpioBench, WiredPin

METER = Pin("expander", 15)

Script = Callable[[GpioBench], Awaitable[None]]


def play(script: Script, meter: Pin | None = METER) -> None:
    async def main() -> None:
        bench = GpioBench("credits", place="expander", meter=meter)
        try:
            await script(bench)
        finally:
            bench.backend.stop()

    run(main())


def seen(bench: GpioBench) -> int:
    """What the counter has counted: circuits that it found closed for 50 ms, after 50 ms open."""
    counted, opened = 0, -1000 * MS
    for (at, high), (until, _) in pairwise([*bench.pulses, (bench.timeline.now(), False)]):
        if high:
            assert at - opened >= 50 * MS
            counted += until - at >= 50 * MS
        else:
            opened = at
    return counted


@settings(max_examples=20)
@given(st.lists(st.tuples(st.integers(0, 40), st.integers(0, 3_000)), max_size=6))
def test_whatever_comes_when_it_likes_is_counted_exactly(bursts: list[tuple[int, int]]) -> None:
    async def script(bench: GpioBench) -> None:
        await started(bench)
        for pulses, pause in bursts:
            bench.backend.count(pulses)
            await bench.wait(pause / 1000)
        await bench.backend.counted()
        assert seen(bench) == sum(pulses for pulses, _ in bursts)
        assert not bench.pulses or bench.pulses[-1][1] is False

    play(script)


def test_a_burst_holds_nothing_up() -> None:
    async def script(bench: GpioBench) -> None:
        await started(bench)
        bench.backend.count(1_000)
        bench.show([2])
        await bench.quiet()
        assert [(signal.seat, signal.lit) for signal in only(LampSensed, bench.told())] == [(2, True)]
        await bench.wait(1_000 * (ON_S + OFF_S))
        assert seen(bench) == 1_000

    play(script)


def test_at_the_stop_the_line_goes_low_and_what_has_not_begun_is_dropped(caplog: pytest.LogCaptureFixture) -> None:
    async def script(bench: GpioBench) -> None:
        await started(bench)
        bench.backend.count(10)
        await bench.wait(2.5 * (ON_S + OFF_S))
        bench.backend.stop()
        assert bench.pulses[-1][1] is False
        assert len([high for _, high in bench.pulses if high]) == 3
        assert "its last 7 pulses" in caplog.text
        bench.backend.count(5)
        bench.start()
        await bench.wait(5)
        assert len([high for _, high in bench.pulses if high]) == 3

    play(script)


def test_a_table_that_did_not_start_has_no_counter_to_wait_for(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def no_jumper(_: Loop) -> None:
        raise HardwareError("no jumper")

    async def script(bench: GpioBench) -> None:
        monkeypatch.setattr(Loop, "prove", no_jumper)
        with pytest.raises(HardwareError):
            bench.start()
        bench.backend.count(3)
        async with asyncio.timeout(1):
            await bench.backend.counted()

    play(script)
    assert "does not answer" not in caplog.text


@pytest.mark.parametrize("failing", [True, False])  # the beginning of a pulse, or its end
def test_a_chip_that_does_not_answer_costs_one_pulse_at_most_and_doubles_none(
    monkeypatch: pytest.MonkeyPatch, failing: bool, caplog: pytest.LogCaptureFixture
) -> None:
    state = WiredPin._set_state
    gone = True

    def written(pin: WiredPin, value: bool) -> None:
        if gone and pin.place == METER and value is failing:
            raise OSError(121, "Remote I/O error")
        state(pin, value)

    async def script(bench: GpioBench) -> None:
        nonlocal gone
        await started(bench)
        monkeypatch.setattr(WiredPin, "_set_state", written)
        bench.backend.count(10)
        await bench.wait(4)
        gone = False
        await bench.wait(10)
        assert seen(bench) in (9, 10)
        assert only(PartFailed, bench.told()) == []

    play(script)
    assert caplog.text.count("the meter does not answer") == 1
    assert "the meter answers again" in caplog.text


def test_without_a_meter_nothing_is_counted() -> None:
    async def script(bench: GpioBench) -> None:
        await started(bench)
        bench.backend.count(3)
        await bench.backend.counted()
        assert bench.pulses == []

    play(script, meter=None)
