"""The pins of a table on GPIO: read from its file, every conflict in the one report, and run on gpiozero's mock."""

from __future__ import annotations

import asyncio
import re
from pathlib import Path

import pytest

from controller.config import Config, ConfigError, Problem, load
from controller.daemon import at_work
from controller.hal_section import DEALER_KEYS
from controller.terminal.menu import KEYS
from hal.gpio.wiring import Pin, SeatPins
from hal.port import HardwareError

ROOT = Path(__file__).parents[2]
GOOD = (ROOT / "examples" / "tables" / "caribbean-1.toml").read_text().replace('"chips"', '"credits"')
WIRED = (ROOT / "wiring" / "gpio-credits-7.toml").read_text()
SEAT_7 = WIRED[WIRED.rindex("[[hal.seats]]") :]
CHIPS = (ROOT / "examples" / "tables" / "draw-chips.toml").read_text()
CHIPS_WIRED = (ROOT / "wiring" / "gpio-chips-6.toml").read_text()


def table(good: str, wired: str) -> str:
    """An example table with another ``[hal]``."""
    before, _, after = good.partition("[hal]")
    return before + after.partition('backend = "simulated"')[2] + "\n" + wired


def read(folder: Path, text: str) -> Config:
    file = folder / "table.toml"
    file.write_text(text)
    return load(file, {"HOME": str(folder)})


def mistakes(folder: Path, text: str) -> dict[str, str]:
    """What is wrong, by key, in English."""
    with pytest.raises(ConfigError) as raised:
        read(folder, text)
    problems: tuple[Problem, ...] = raised.value.problems
    assert "{" not in raised.value.report("es").replace("{…}", "")
    assert all(problem.line for problem in problems)
    return {problem.key: problem.reason() for problem in problems}


def test_the_wiring_of_a_credits_table(tmp_path: Path) -> None:
    config = read(tmp_path, table(GOOD, WIRED))
    assert config.backend == "gpio"
    assert config.gpio is not None
    assert (config.gpio.factory, config.gpio.expander) == ("lgpio", "mcp23017")
    wiring = config.gpio.wiring
    assert (wiring.key_open, wiring.loop_in, wiring.meter) == (Pin("header", 5), Pin("header", 21), Pin("expander", 15))
    assert wiring.seats[6] == SeatPins(Pin("expander", 7), Pin("expander", 14), button=Pin("header", 12))
    assert ("back", Pin("expander", 6)) in wiring.dealer_keys


def test_the_wiring_of_a_chips_table(tmp_path: Path) -> None:
    config = read(tmp_path, table(CHIPS, CHIPS_WIRED))
    assert config.gpio is not None
    assert config.gpio.wiring.seats[0].chips == ((config.setup.denomination, Pin("header", 17)),)


def test_a_slot_may_have_a_sensor_for_each_value(tmp_path: Path) -> None:
    sensors = 'chip = { "1000" = "GPIO17", "5000" = "GPIO4" }'
    config = read(tmp_path, table(CHIPS, CHIPS_WIRED.replace('chip = "GPIO17"', sensors)))
    assert config.gpio is not None
    low, high = config.gpio.wiring.seats[0].chips
    assert (low[1], high) == (Pin("header", 17), (5 * low[0], Pin("header", 4)))


@pytest.mark.parametrize(
    ("old", "new", "key", "reason"),
    [
        ('key_open = "GPIO5"', "", "hal.key_open", "missing"),
        ('key_open = "GPIO5"', 'keyopen = "GPIO5"', "hal.keyopen", "Did you mean hal.key_open?"),
        ('key_open = "GPIO5"', "key_open = 5", "hal.key_open", "not a pin"),
        ('key_open = "GPIO5"', 'key_open = "GPIO05"', "hal.key_open", "not a pin"),
        ('key_open = "GPIO5"', 'key_open = "GPIO2"', "hal.key_open", "another use on every board: I2C1 SDA"),
        ('key_open = "GPIO5"', 'key_open = "GPIO28"', "hal.key_open", "no GPIO28, only GPIO0 – GPIO27"),
        ('key_open = "GPIO5"', 'key_open = "GPIO6"', "hal.key_locked", "GPIO6 is hal.key_open already"),
        ('button = "GPIO27"', 'button = "GPIO17"', "hal.seats[2].button", "hal.seats[1].button already"),
        ('button = "GPIO27"', 'button = "x6"', "hal.seats[2].button", "too late"),
        ('button = "GPIO27"', "", "hal.seats[2].button", "missing"),
        ('button = "GPIO27"', 'chip = "GPIO27"', "hal.seats[2].chip", "unknown"),
        ('sense = "x8"', 'sense = "x15"', "hal.seats[1].sense", "only be an output"),
        ('sense = "x8"', 'sense = "x16"', "hal.seats[1].sense", "only x0 – x15"),
        ('back = "x6"', 'back = "up"', "hal.dealer_keys.back", "not a pin"),
        ('back = "x6"', 'bck = "x6"', "hal.dealer_keys.bck", "Did you mean hal.dealer_keys.back?"),
        ('factory = "lgpio"', 'factory = "pigpio"', "hal.factory", "Did you mean"),
        ('factory = "lgpio"', 'factory = "rpigpio"', "hal.seats[1].lamp", "only the factory lgpio"),
        ('expander = "mcp23017"', "", "hal.seats[1].lamp", "none is named"),
        ('expander = "mcp23017"', "expander = 64", "hal.expander", "from 0 to 63"),
        ('backend = "gpio"', 'backend = "simulated"', "hal.factory", "unknown"),
        (SEAT_7, "", "hal.seats", "6 seats of 7"),
    ],
)
def test_a_mistake_is_said_at_its_place(tmp_path: Path, old: str, new: str, key: str, reason: str) -> None:
    text = table(GOOD, WIRED)
    assert text.count(old) == 1
    assert reason in mistakes(tmp_path, text.replace(old, new))[key]


@pytest.mark.parametrize(
    ("chip", "reason"),
    [
        ('{ "1500" = "GPIO17" }', "multiples of bet.denomination"),
        ("{}", "multiples of bet.denomination"),
        ('{ "much" = "GPIO17" }', "plain digits"),
        ('{ "1000" = "GPIO17", "5000" = 27 }', "not a pin"),
    ],
)
def test_a_slot_that_cannot_be(tmp_path: Path, chip: str, reason: str) -> None:
    text = table(CHIPS, CHIPS_WIRED.replace('chip = "GPIO17"', f"chip = {chip}"))
    assert reason in mistakes(tmp_path, text)["hal.seats[1].chip"]


def test_two_sensors_of_a_slot_on_one_line(tmp_path: Path) -> None:
    text = CHIPS_WIRED.replace('chip = "GPIO17"', 'chip = { "1000" = "GPIO17", "5000" = "GPIO17" }')
    (reason,) = mistakes(tmp_path, table(CHIPS, text)).values()
    assert "GPIO17 is hal.seats[1].chip" in reason


def test_all_conflicts_are_in_one_report_and_a_mistake_of_form_invents_none(tmp_path: Path) -> None:
    text = (
        table(GOOD, WIRED).replace('key_open = "GPIO5"', 'key_open = "GPIO6"').replace('meter = "x15"', 'meter = "x14"')
    )
    assert set(mistakes(tmp_path, text)) == {"hal.key_locked", "hal.seats[7].sense"}
    assert set(mistakes(tmp_path, text.replace('button = "GPIO17"', "button = 17"))) == {"hal.seats[1].button"}


def test_the_dealers_keys_of_the_file_are_those_of_the_menu() -> None:
    assert DEALER_KEYS == KEYS


def test_a_table_on_the_mock_runs(tmp_path: Path) -> None:
    config = read(tmp_path, table(GOOD, WIRED).replace('factory = "lgpio"', 'factory = "mock"'))

    async def evening() -> None:
        async with at_work(config) as parts:
            await parts.engine.quiet()
            assert parts.engine.stopped == ""
            assert parts.engine.state.out_of_service == ""
            assert parts.engine.shown is not None

    asyncio.run(evening())


def test_8_4_hardware_that_cannot_start_puts_the_table_out_of_service(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(_: object) -> None:
        raise HardwareError("GPIO5: busy; another program holds the line.")

    monkeypatch.setattr("hal.gpio.table.open_chips", fails)
    config = read(tmp_path, table(GOOD, WIRED))

    async def evening() -> str:
        async with at_work(config) as parts:
            await parts.engine.quiet()
            return parts.engine.state.out_of_service or parts.engine.stopped

    assert re.search("GPIO5: busy", asyncio.run(evening()))
