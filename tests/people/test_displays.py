"""A running table and its displays: they show why it stands, and what becomes of them is theirs alone (8.4, 8.5)."""

from __future__ import annotations

import asyncio
import logging
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from controller.config import Config
from controller.daemon import Parts, at_work
from controller.displays import Drive, Nothing, showing
from hal.display.care import LEDS
from hal.display.displays import Displays
from hal.display.screen import Screen
from hal.port import HardwareError, Panel, PartFailed, PartMended, Stamp
from tests.hal.test_displays import PATIENCE, Plugged, Recorded
from tests.people.test_displays_section import ALL, gpio
from tests.people.test_hal_section import read

ON_MOCK = ('factory = "lgpio"', 'factory = "mock"')


class Fitted:
    """In the place of ``hal.display.build.built``: displays on devices whose plugs can be pulled."""

    def __init__(self) -> None:
        self.devices = [Plugged(), Plugged()]
        self.painters = [Recorded(), Recorded()]
        self.drive: Drive | None = None

    def built(self, displays: object, names: object, texts: object, money: object, drive: Drive | None) -> Displays:
        self.drive = drive
        screens = [
            Screen(name, device, painter, LEDS, time.monotonic_ns)
            for name, device, painter in zip(("terminal", "letrero"), self.devices, self.painters, strict=True)
        ]
        return Displays(screens)

    def panel(self, screen: int = 0) -> Panel | None:
        mail = self.painters[screen].mail
        return None if mail is None else mail.panel


@pytest.fixture
def fitted(monkeypatch: pytest.MonkeyPatch) -> Fitted:
    there = Fitted()
    monkeypatch.setattr("hal.display.build.built", there.built)
    return there


def config_of(folder: Path, displays: str = ALL) -> Config:
    return read(folder, gpio(displays).replace(*ON_MOCK))


async def until(come: Callable[[], object]) -> None:
    async with asyncio.timeout(PATIENCE):
        while not come():  # noqa: ASYNC110 - the displays' threads know nothing of this loop
            await asyncio.sleep(0.001)


def evening(config: Config, story: Callable[[Parts], Awaitable[None]]) -> None:
    async def main() -> None:
        async with at_work(config) as parts:
            await story(parts)

    asyncio.run(main())


def test_the_displays_show_the_table_and_go_dark_with_it(tmp_path: Path, fitted: Fitted) -> None:
    async def story(parts: Parts) -> None:
        await until(lambda: fitted.panel(0) == parts.engine.shown == fitted.panel(1))
        assert parts.engine.shown is not None
        parts.displays.menu(("Seat 3", "> Load"))
        await until(lambda: fitted.painters[0].mail and fitted.painters[0].mail.menu)
        assert fitted.drive is not None

    evening(config_of(tmp_path), story)
    assert [device.dark for device in fitted.devices] == [True, True]


def test_8_5_the_engine_hears_that_no_display_works_and_that_one_does_again(
    tmp_path: Path, fitted: Fitted, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def story(parts: Parts) -> None:
        await until(lambda: "display" in parts.engine.state.failed)
        await parts.engine.quiet()
        assert parts.engine.state.out_of_service == ""
        fitted.devices[1].there = True
        await until(lambda: "display" not in parts.engine.state.failed)

    monkeypatch.setattr("hal.display.screen.STEADY", 0)
    for device in fitted.devices:
        device.there = False
    evening(config_of(tmp_path), story)


def test_8_5_one_display_of_two_that_is_away_is_an_alarm_and_betting_goes_on(tmp_path: Path, fitted: Fitted) -> None:
    async def story(parts: Parts) -> None:
        await until(lambda: "screen" in parts.engine.state.failed)
        await parts.engine.quiet()
        state = parts.engine.state
        assert state.failed == ("screen",)
        assert [alarm.code for alarm in state.alarms] == ["screen-failed"]
        assert state.meters.faults == {"screen": 1}

    fitted.devices[0].there = False
    evening(config_of(tmp_path), story)


def test_8_4_displays_say_why_the_hardware_could_not_start(
    tmp_path: Path, fitted: Fitted, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(_: object) -> None:
        raise HardwareError("GPIO5: busy; another program holds the line.")

    async def story(parts: Parts) -> None:
        await until(lambda: (shown := fitted.panel()) is not None and "GPIO5: busy" in shown.reason)
        shown = fitted.panel()
        assert shown is not None
        assert shown.banner == "out-of-service"
        assert fitted.drive is not None
        with pytest.raises(OSError, match="cannot be driven"):
            fitted.drive(24, True)

    monkeypatch.setattr("hal.gpio.table.open_chips", fails)
    evening(config_of(tmp_path), story)


def test_8_4_displays_say_why_the_journal_cannot_be_read(tmp_path: Path, fitted: Fitted) -> None:
    async def nothing(parts: Parts) -> None: ...

    async def story(parts: Parts) -> None:
        await until(lambda: (shown := fitted.panel()) is not None and shown.reason)

    config = config_of(tmp_path)
    evening(config, nothing)
    (day,) = config.journal.glob("*.db")
    day.write_bytes(b"not a journal" * 100)
    evening(config, story)


def test_a_display_that_hangs_does_not_delay_the_table(tmp_path: Path, fitted: Fitted) -> None:
    async def story(parts: Parts) -> None:
        assert parts.engine.state.out_of_service == ""
        await until(lambda: fitted.panel(1) == parts.engine.shown)
        loop = asyncio.get_running_loop()
        before = loop.time()
        for _ in range(1_000):
            parts.displays.menu(("a", "> b"))
            parts.displays.menu(())
        assert loop.time() - before < 0.5
        fitted.devices[0].free.set()

    fitted.devices[0].free.clear()
    evening(config_of(tmp_path), story)


# --- where there is nothing to drive ------------------------------------------------------------------------


def test_8_5_displays_without_their_library_are_displays_that_do_not_work(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    async def story(parts: Parts) -> None:
        assert "display" in parts.engine.state.failed
        assert parts.engine.state.out_of_service == ""

    monkeypatch.setitem(sys.modules, "hal.display.build", None)
    evening(config_of(tmp_path), story)
    (line,) = [record.getMessage() for record in caplog.records if record.name == "controller.displays"]
    assert "pip install 'pozo[display]'" in line


def test_8_5_a_table_whose_displays_were_taken_away_can_open_again(tmp_path: Path, fitted: Fitted) -> None:
    async def broken(parts: Parts) -> None:
        await until(lambda: "display" in parts.engine.state.failed)

    async def without(parts: Parts) -> None:
        assert "display" not in parts.engine.state.failed

    for device in fitted.devices:
        device.there = False
    evening(config_of(tmp_path), broken)
    evening(config_of(tmp_path, ""), without)


def test_a_mistake_of_ours_is_a_failure_of_the_displays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def wrong(*_: Any) -> Displays:
        raise ValueError("texts: the banner 'open' has no words")

    config = config_of(tmp_path)
    monkeypatch.setattr("hal.display.build.built", wrong)
    with caplog.at_level(logging.ERROR):
        stands = showing(config.displays, config.language, config.setup, None)
    told: list[PartFailed | PartMended] = []
    stands.start(told.append, lambda: Stamp(4, 7))
    assert told == [PartFailed(0, "display", Stamp(4, 7))]
    assert isinstance(stands, Nothing)
    stands.menu(("a",))
    stands.stop()
    assert "the banner 'open' has no words" in caplog.text


def test_a_table_without_displays_does_not_load_what_they_need(tmp_path: Path) -> None:
    code = (
        "import sys, controller.daemon\n"
        "from controller.config import load\n"
        f"config = load({str(config_of(tmp_path).file)!r}, {{'HOME': '/'}})\n"
        "print(sorted({name.partition('.')[0] for name in sys.modules} & {'luma', 'PIL', 'smbus2'}))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
