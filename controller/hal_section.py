"""The section ``[hal]`` of a table's configuration: which hardware, and where its wires go (docs/gpio.md).

Displays, ``[[hal.displays]]``, are read by `controller.displays_section`.

[hal]
backend = "gpio"
factory = "lgpio"
expander = "mcp23017"
key_open = "GPIO5"

[[hal.seats]]
button = "GPIO17"           # at a chips table: chip = "GPIO17", or chip = { "1000" = "GPIO17", "5000" = "GPIO27" }
lamp = "x0"
sense = "x8"
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Literal, NamedTuple

from msgspec.structs import replace

from controller.core.messages import msg
from controller.core.money import Minor
from controller.core.params import BadValueError
from controller.core.state import Setup
from controller.displays_section import Sign, note_shared_bus, read_displays
from controller.strict_toml import Document, Section, choice, text, whole_number
from hal.display.places import Display, SpiPlace
from hal.gpio.wiring import ChipName, Conflict, FactoryName, Hardware, Pin, SeatPins, Wiring, conflicts

BACKEND_WORDS = ("simulated", "gpio", "serial")
FACTORIES: tuple[FactoryName, ...] = ("lgpio", "rpigpio", "mock")

DEALER_KEYS = ("up", "down", "ok", "back")
"""The keys of the dealer's terminal (``controller.terminal``)."""

Amount = Callable[[object], Minor]

_NO_PIN = Pin("header", -1)
"""In the place of a pin that is missing or mistaken."""


class Hal(NamedTuple):
    """The section: the pins of a table on GPIO, None for a simulated one; and its displays, of either."""

    gpio: Hardware | None
    displays: tuple[Display, ...]


def read_hal(document: Document, setup: Setup, amount: Amount, sign: Sign) -> Hal:
    """The whole section. Mistakes are noted in `document`. `amount` reads a chip's value."""
    section = document.section("hal")
    word = section.get("backend", _backend, "simulated")
    hardware = _gpio(document, section, setup, amount) if word == "gpio" else None
    displays = read_displays(document, section, setup, sign, header=word == "gpio")
    section.close()
    if hardware is not None:
        if hardware.expander is not None:
            note_shared_bus(document, displays, hardware.expander_bus)
        hardware = replace(hardware, wiring=_with_displays(hardware.wiring, displays))
        if not document.marked("hal"):
            _note_conflicts(document, hardware)
    return Hal(hardware, displays)


def _with_displays(wiring: Wiring, displays: tuple[Display, ...]) -> Wiring:
    """`wiring` with what `displays` take of the header."""
    lines = [
        (f"displays[{number}].{name}", Pin("header", line))
        for number, display in enumerate(displays, 1)
        for name, line in (("dc", display.dc), ("reset", display.reset))
        if line is not None
    ]
    buses = {display.place.bus for display in displays if isinstance(display.place, SpiPlace)}
    return replace(wiring, spi=tuple(sorted(buses)), display_lines=tuple(lines))


def _backend(value: object) -> Literal["simulated", "gpio"]:
    word = choice(*BACKEND_WORDS)(value)
    if word == "serial":
        raise BadValueError(msg("{value} is not in this version, which drives simulated and gpio hardware."))
    return "gpio" if word == "gpio" else "simulated"


def _gpio(document: Document, section: Section, setup: Setup, amount: Amount) -> Hardware:
    word = section.get("factory", choice(*FACTORIES), "lgpio")
    expander = section.get("expander", _chip, None)
    expander_bus = section.get("expander_bus", whole_number(0, 99), 1)
    keys = section.section("dealer_keys")
    found = ((name, keys.get(name, _pin, None, _NO_PIN)) for name in DEALER_KEYS)
    dealer_keys = tuple((name, pin) for name, pin in found if pin is not None)
    keys.close()
    wiring = Wiring(
        key_open=section.need("key_open", _pin, _NO_PIN),
        key_locked=section.need("key_locked", _pin, _NO_PIN),
        loop_out=section.need("loop_out", _pin, _NO_PIN),
        loop_in=section.need("loop_in", _pin, _NO_PIN),
        meter=section.get("meter", _pin, None, _NO_PIN),
        dealer_keys=dealer_keys,
        seats=_seats(document, section, setup, amount),
    )
    factory: FactoryName = "mock" if word == "mock" else "rpigpio" if word == "rpigpio" else "lgpio"
    return Hardware(factory, wiring, expander, expander_bus)


def _seats(document: Document, section: Section, setup: Setup, amount: Amount) -> tuple[SeatPins, ...]:
    sections = section.sections("seats")
    seats = tuple(_seat(seat, setup, amount) for seat in sections or [])
    if len(seats) != setup.seats and not document.marked("table.seats", "table.game", "hal.seats"):
        text_ = msg("Pins are given for {count} seats of {seats}: write [[hal.seats]] once for each, seat 1 first.")
        document.note("hal.seats", text_, count=len(seats), seats=setup.seats)
    return seats


def _seat(section: Section, setup: Setup, amount: Amount) -> SeatPins:
    button: Pin | None = None
    chips: tuple[tuple[int, Pin], ...] = ()
    if setup.acceptor == "credits":
        button = section.need("button", _pin, _NO_PIN)
    else:
        chips = section.need("chip", _sensors(setup, amount), chips)
    seat = SeatPins(section.need("lamp", _pin, _NO_PIN), section.need("sense", _pin, _NO_PIN), button, chips)
    section.close()
    return seat


def _pin(value: object) -> Pin:
    match = re.fullmatch(r"(GPIO|x)(0|[1-9][0-9]{0,2})", value) if type(value) is str else None
    if match is None:
        raise BadValueError(
            msg('{value} is not a pin: write "GPIO17" for a line of the header, or "x3" for one of the expander.')
        )
    chip: ChipName = "header" if match[1] == "GPIO" else "expander"
    return Pin(chip, int(match[2]))


def _chip(value: object) -> str | int:
    """A gpiochip: its label, which stays the same, or its number."""
    return whole_number(0, 63)(value) if type(value) is int else text(value)


def _sensors(setup: Setup, amount: Amount) -> Callable[[object], tuple[tuple[int, Pin], ...]]:
    def read_it(value: object) -> tuple[tuple[int, Pin], ...]:
        if not isinstance(value, dict):
            return ((setup.denomination, _pin(value)),)
        sensors = tuple((amount(name), _pin(pin)) for name, pin in value.items())
        if not sensors or any(worth % setup.denomination for worth, _ in sensors):
            raise BadValueError(msg("The values of chips must be multiples of bet.denomination."))
        return sensors

    return read_it


_SAID = {
    "lacks": msg("There is no {pin}, only {detail}."),
    "taken": msg("{pin} has another use on every board: {detail}."),
    "bus": msg("{pin} is {detail}, a bus that a display hangs on."),
    "twice": msg("{pin} is hal.{detail} already: a line has one use."),
    "output-only": msg("{pin} can only be an output: GPA7 and GPB7 of an MCP23017 disturb its bus when they are read."),
    "prompt": msg("{pin} is on the expander, which tells of edges too late for this: use a line of the header."),
    "no-expander": msg('{pin} is on an expander, and none is named: write expander = "mcp23017" in [hal].'),
    "expander-needs-lgpio": msg("{pin} is on an expander, which only the factory lgpio can reach."),
}
"""What is wrong with a pin, by ``hal.gpio.wiring.Fault``."""


def _note_conflicts(document: Document, hardware: Hardware) -> None:
    for conflict in conflicts(hardware):
        _note(document, conflict)


def _note(document: Document, conflict: Conflict) -> None:
    document.note(f"hal.{conflict.key}", _SAID[conflict.fault], pin=str(conflict.pin), detail=conflict.detail)
