"""The dealer's keys on real lines: every press once, no press from noise, and one that fails takes nothing with it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hal.gpio.wiring import Pin
from hal.port import CompleteTo, KeyTurned, PartFailed, PartMended, Pressed
from hal.simulated.virtualtime import run
from tests.hal.contract import only, started
from tests.hal.gpio_bench import GpioBench, WiredPin

KEYS = {
    "up": Pin("header", 13),
    "down": Pin("header", 16),
    "ok": Pin("header", 26),
    "back": Pin("expander", 6),
}

Script = Callable[[GpioBench], Awaitable[None]]


def play(script: Script) -> None:
    async def main() -> None:
        bench = GpioBench("credits", place="expander", keys=KEYS)
        try:
            await script(bench)
        finally:
            bench.backend.stop()

    run(main())


async def press(bench: GpioBench, name: str, bounces: int = 2) -> None:
    """A finger presses a key for a tenth of a second; the contact bounces at both ends."""
    for high in (False, True):
        for _ in range(bounces):
            bench.high(KEYS[name], high)
            await bench.wait(0.0008)
            bench.high(KEYS[name], not high)
            await bench.wait(0.0008)
        bench.high(KEYS[name], high)
        await bench.wait(0.1)


@settings(max_examples=15)
@given(st.lists(st.tuples(st.sampled_from(sorted(KEYS)), st.integers(0, 5)), max_size=12), st.integers(0, 2**32))
def test_every_press_is_told_once_and_in_order_whatever_the_contact_does(
    presses: list[tuple[str, int]], seed: int
) -> None:
    async def script(bench: GpioBench) -> None:
        await started(bench)
        random = Random(seed)
        for name, bounces in presses:
            await press(bench, name, bounces)
            bench.high(KEYS[random.choice(sorted(KEYS))], False)  # a spike of a millisecond on any of the lines
            await bench.wait(0.001)
            for place in KEYS.values():
                bench.high(place, True)
            await bench.wait(0.03)
        assert bench.keys == [name for name, _ in presses]
        assert only(Pressed, bench.told()) == []

    play(script)


def test_a_key_is_told_when_its_contact_has_come_to_rest() -> None:
    async def script(bench: GpioBench) -> None:
        await started(bench)
        bench.high(KEYS["ok"], False)
        await bench.wait(0.0049)
        assert bench.keys == []
        await bench.wait(0.0002)
        assert bench.keys == ["ok"]

    play(script)


def test_a_key_held_for_ten_seconds_is_stuck_told_once_and_not_repeated(caplog: pytest.LogCaptureFixture) -> None:
    async def script(bench: GpioBench) -> None:
        await started(bench)
        bench.high(KEYS["down"], False)
        await bench.wait(60)
        assert bench.keys == ["down"]
        assert [record.message for record in caplog.records] == ["the dealer's key down (GPIO16) is stuck"]
        bench.high(KEYS["down"], True)
        await bench.wait(0.1)
        await press(bench, "down")
        assert bench.keys == ["down", "down"]
        assert only(PartFailed, bench.told()) == []

    play(script)


def test_a_key_found_pressed_is_no_press() -> None:
    async def script(bench: GpioBench) -> None:
        bench.high(KEYS["ok"], False)
        await started(bench)
        bench.high(KEYS["ok"], True)
        await bench.wait(0.1)
        assert bench.keys == []
        await press(bench, "ok")
        assert bench.keys == ["ok"]

    play(script)


def test_a_release_that_is_lost_costs_no_press_and_invents_none(caplog: pytest.LogCaptureFixture) -> None:
    async def script(bench: GpioBench) -> None:
        await started(bench)
        for name in ("up", "back"):
            bench.high(KEYS[name], False)
            await bench.wait(0.1)
            bench.deaf = True
            bench.high(KEYS[name], True)
            bench.deaf = False
            await bench.wait(9)  # behind an expander lines are read by turns, a second each
            await press(bench, name)
        assert bench.keys == ["up", "up", "back", "back"]
        assert only(PartFailed, bench.told()) == []

    play(script)
    assert "the dealer's key up (GPIO13) has lost an edge" in caplog.text


def test_a_key_that_cannot_be_had_is_left_out_and_the_table_starts(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    pulled = WiredPin._set_pull

    def refused(pin: WiredPin, value: str) -> None:
        if pin.place == KEYS["ok"]:
            raise OSError(16, "Device or resource busy")
        pulled(pin, value)

    async def script(bench: GpioBench) -> None:
        monkeypatch.setattr(WiredPin, "_set_pull", refused)
        await started(bench)
        assert "the dealer's key ok cannot be used" in caplog.text
        await press(bench, "up")
        await press(bench, "back")
        assert bench.keys == ["up", "back"]

    play(script)


def test_a_key_that_cannot_be_read_takes_nothing_with_it_and_is_tried_again(monkeypatch: pytest.MonkeyPatch) -> None:
    state = WiredPin._get_state
    gone = True

    def read(pin: WiredPin) -> object:
        if gone and pin.place == KEYS["up"]:
            raise OSError(5, "Input/output error")
        return state(pin)

    async def script(bench: GpioBench) -> None:
        nonlocal gone
        await started(bench)
        monkeypatch.setattr(WiredPin, "_get_state", read)
        await bench.wait(2)
        bench.press(1)
        bench.turn_key("locked")
        await bench.quiet()
        told = bench.told()
        assert len(only(Pressed, told)) == len(only(KeyTurned, told)) == 1
        assert sorted(complete.source for complete in only(CompleteTo, told)) == list(bench.seats)
        assert only(PartFailed, told) == []
        gone = False
        await bench.wait(6)
        await press(bench, "up")
        assert bench.keys == ["up"]
        assert only(PartMended, bench.told()) == []

    play(script)


def test_what_a_key_leads_to_may_fail_and_bets_go_on(caplog: pytest.LogCaptureFixture) -> None:
    async def script(bench: GpioBench) -> None:
        def fault(name: str) -> None:
            raise RuntimeError(name)

        bench.backend._dealer_key = fault
        await started(bench)
        await press(bench, "ok")
        bench.press(2)
        await bench.quiet()
        assert [signal.seat for signal in only(Pressed, bench.told())] == [2]

    play(script)
    assert "the dealer's key ok led to a fault" in caplog.text


def test_after_the_stop_no_key_is_told() -> None:
    async def script(bench: GpioBench) -> None:
        await started(bench)
        bench.high(KEYS["ok"], False)
        await bench.wait(0.0045)
        bench.backend.stop()
        await bench.wait(1)
        assert bench.keys == []

    play(script)
