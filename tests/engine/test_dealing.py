"""From a dealer's key to the journal and back to the screen, and from a seal to the counter, through all parts."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

from msgspec.structs import replace

from controller.config import Config
from controller.control.identity import Door, RefusalLog
from controller.core.events import CommandTaken, Event
from controller.core.inputs import Actor, Command, Load
from controller.daemon import Parts, at_work, dealing
from controller.displays import Nothing
from controller.people import People
from controller.terminal.menu import SEEN_S
from hal.display.places import Display, I2cPlace
from hal.gpio.table import GpioTable
from hal.port import Panel
from tests.engine.test_care import config_of

LINES = """"gpio"
factory = "mock"
expander = "mcp23017"
key_open = "GPIO5"
key_locked = "GPIO6"
loop_out = "GPIO10"
loop_in = "GPIO11"
meter = "x15"
dealer_keys = { up = "GPIO13", down = "GPIO14", ok = "GPIO16", back = "x6" }"""
SEATS = "\n".join(
    f'[[hal.seats]]\nbutton = "GPIO{17 + seat}"\nlamp = "x{seat - 1}"\nsense = "x{7 + seat}"\n' for seat in range(1, 7)
)
OLED = Display("dealer", "ssd1306", I2cPlace(3))


class Screen(Nothing):
    """A dealer's screen that is read by a test."""

    def __init__(self) -> None:
        super().__init__()
        self.lines: tuple[str, ...] = ()

    def menu(self, lines: tuple[str, ...]) -> None:
        self.lines = lines

    def show(self, panel: Panel) -> None: ...

    def legible(self) -> bool:
        return True


async def until(true: Callable[[], bool]) -> None:
    """The library's threads and the journal's work in real time."""
    async with asyncio.timeout(10):
        while not true():  # noqa: ASYNC110 - see above
            await asyncio.sleep(0.005)


def gpio_config(folder: Path) -> Config:
    return replace(config_of(folder, SEATS, backend=LINES), people=folder / "people.json")


def staff(config: Config) -> People:
    people = People(config.people, cost=2**4)
    people.add("eva", ["dealer"], "7391")
    people.save()
    return people


async def press(parts: Parts, line: int) -> None:
    """A finger on the contact at a line of the header: real edges, through the library."""
    table = parts.hardware
    assert isinstance(table, GpioTable)
    assert table._chips is not None
    pin = table._chips.header.factory.pin(line)
    pin.drive_low()
    await asyncio.sleep(0.03)  # a contact needs 13 ms
    pin.drive_high()


async def choose(parts: Parts, screen: Screen, *labels: str) -> None:
    for label in labels:
        await until(lambda: screen.lines[0] != "Un momento")
        for _ in range(30):
            if any(line.startswith(f"> {label}") for line in screen.lines):
                break
            parts.keys.press("down")
        assert any(line.startswith(f"> {label}") for line in screen.lines), screen.lines
        if label.startswith("ok"):
            await asyncio.sleep(SEEN_S)  # it is read first
        parts.keys.press("ok")


def test_10_1_a_key_on_its_line_leads_to_the_menu_and_a_command_to_the_journal(tmp_path: Path) -> None:
    async def evening(config: Config) -> None:
        people, screen = staff(config), Screen()
        async with at_work(config) as parts:
            entries: list[Event] = []
            parts.engine.listen(lambda published: entries.extend(event for _, event in published.entries))
            parts.config, parts.displays = replace(config, displays=(OLED,)), screen
            door = Door(people, {}, RefusalLog(parts.engine.note, lambda: 0), lambda: 0)
            with dealing(parts, door):
                await press(parts, 16)
                await until(lambda: screen.lines == ("¿Quién es?", "> eva"))
                await choose(parts, screen, "eva", "7", "3", "9", "1", "OK")
                await choose(parts, screen, "Posiciones", "2", "Cargar", "3", "OK", "ok: sí")
                await until(lambda: screen.lines[0] == "3 créditos, 3.000")
            door.close()
            assert parts.engine.state.seats[1].credits == 3
            (taken,) = (event for event in entries if isinstance(event, CommandTaken))
            assert (taken.actor, taken.act) == (Actor("eva", ("dealer",), "terminal"), Load(2, 3))
            assert parts.keys.hear is None
            parts.keys.press("ok")  # nobody listens any more

    asyncio.run(evening(gpio_config(tmp_path)))


def test_a_terminal_without_a_screen_reads_no_keys(tmp_path: Path) -> None:
    """Nobody shall command blindly."""

    async def evening(config: Config) -> None:
        people = staff(config)
        async with at_work(config) as parts:
            door = Door(people, {}, RefusalLog(parts.engine.note, lambda: 0), lambda: 0)
            with dealing(parts, door):
                assert parts.keys.hear is None
            door.close()

    asyncio.run(evening(gpio_config(tmp_path)))


def test_2_8_what_is_sealed_reaches_the_line_of_the_counter(tmp_path: Path) -> None:
    async def evening(config: Config) -> None:
        async with at_work(config) as parts:
            table, boss = parts.hardware, Actor("ana", ("dealer",), "console")
            assert isinstance(table, GpioTable)
            assert table._chips is not None
            header, expander = table._chips.header.factory, table._chips.expander
            assert expander is not None
            await parts.engine.command(Command(Load(1, 5), boss))
            header.pin(6).drive_low()  # the key: locked, then open
            await asyncio.sleep(0.03)
            header.pin(6).drive_high()
            header.pin(5).drive_low()
            await until(lambda: parts.engine.state.round is not None)
            expander.factory.pin(8).drive_low()  # the lamp's current, a little early
            for _ in range(2):
                await press(parts, 18)
                await asyncio.sleep(0.03)
            await until(lambda: parts.engine.state.round is not None and parts.engine.state.round.bets[0].bet == 2_000)
            meter = expander.factory.pin(15)
            before = len(meter.states)
            header.pin(5).drive_high()
            header.pin(6).drive_low()
            await until(lambda: parts.engine.state.round is not None and parts.engine.state.round.sealed)
            await table.counted()
            assert [state.state for state in meter.states[before:]] == [True, False] * 2

    asyncio.run(evening(gpio_config(tmp_path)))
