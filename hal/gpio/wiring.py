"""Which wire goes where: a table's pins as pure data, and what is wrong with them.

Nothing here touches hardware or needs gpiozero: a configuration can be checked on any machine.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Literal, NamedTuple

from msgspec import Struct

FactoryName = Literal["lgpio", "rpigpio", "mock"]

ChipName = Literal["header", "expander"]

HEADER_LINES = range(28)
"""GPIO0 to GPIO27 are on the 40-pin header of every board from the Pi 2 on (Raspberry Pi documentation, "GPIO")."""

EXPANDER_LINES = range(16)
"""GPA0 to GPA7 are 0 to 7, GPB0 to GPB7 are 8 to 15 (Microchip DS20001952, MCP23017; Linux pinctrl-mcp23s08)."""

TAKEN: Mapping[int, str] = {
    0: "ID_SD, EEPROM",
    1: "ID_SC, EEPROM",
    2: "I2C1 SDA",
    3: "I2C1 SCL",
}
"""Lines of the header that have another use on every board: two for the EEPROM of an add-on board, and the I2C bus,
whose lines have pull-ups of 1.8 kΩ besides."""

SPI_LINES: Mapping[int, Mapping[int, str]] = {
    0: {7: "CE1", 8: "CE0", 9: "MISO", 10: "MOSI", 11: "SCLK"},
    1: {16: "CE2", 17: "CE1", 18: "CE0", 19: "MISO", 20: "MOSI", 21: "SCLK"},
}
"""Lines of the header that an SPI bus has to itself where it is switched on, by bus."""

OUTPUT_ONLY = frozenset({7, 15})
"""Lines of the expander that must not be inputs: GPA7 and GPB7 can disturb SDA when read (DS20001952 revision D)."""


class Pin(NamedTuple):
    """One line of a chip: `line` counts as the kernel does, which on the header is the GPIO number."""

    chip: ChipName
    line: int

    def __str__(self) -> str:
        return f"GPIO{self.line}" if self.chip == "header" else f"x{self.line}"


class SeatPins(Struct, frozen=True):
    """One seat. A credits seat has a `button`; a chips seat has a sensor for each value it takes (minor units)."""

    lamp: Pin
    sense: Pin
    button: Pin | None = None
    chips: tuple[tuple[int, Pin], ...] = ()


class Wiring(Struct, frozen=True):
    """A whole table. `seats` are in order, seat 1 first.

    The two ends of `loop` are joined by a jumper on the board: what goes out at one must come in at the other, by which
    the controller knows that edges arrive. `meter` pulses an electromechanical counter. `dealer_keys` are by name.
    `spi` are the buses that displays use; `display_lines` are outputs driven for displays, by their keys.
    """

    key_open: Pin
    key_locked: Pin
    loop_out: Pin
    loop_in: Pin
    seats: tuple[SeatPins, ...]
    meter: Pin | None = None
    dealer_keys: tuple[tuple[str, Pin], ...] = ()
    spi: tuple[int, ...] = ()
    display_lines: tuple[tuple[str, Pin], ...] = ()


class Hardware(Struct, frozen=True):
    """How to reach the pins: the factory, by name, and the expander's gpiochip, by label or number, if there is one; it
    hangs on the I2C bus `expander_bus`."""

    factory: FactoryName
    wiring: Wiring
    expander: str | int | None = None
    expander_bus: int = 1


class Use(NamedTuple):
    """A pin and what it is for. `key` is the place in a configuration, under ``[hal]``."""

    key: str
    pin: Pin
    output: bool
    prompt: bool
    """Whether its edges must be stamped when they happen: not so behind an expander, which is read over a slow bus."""


Fault = Literal["lacks", "taken", "bus", "twice", "output-only", "prompt", "no-expander", "expander-needs-lgpio"]


class Conflict(NamedTuple):
    """A pin that cannot be what it is to be. `detail` is the other use, or why; `key` as in `Use`."""

    key: str
    pin: Pin
    fault: Fault
    detail: str


def uses(wiring: Wiring) -> Iterator[Use]:
    """Every pin of the table, in the order in which a configuration is read."""
    yield Use("key_open", wiring.key_open, False, True)
    yield Use("key_locked", wiring.key_locked, False, True)
    yield Use("loop_out", wiring.loop_out, True, True)
    yield Use("loop_in", wiring.loop_in, False, True)
    if wiring.meter is not None:
        yield Use("meter", wiring.meter, True, False)
    for name, pin in wiring.dealer_keys:
        yield Use(f"dealer_keys.{name}", pin, False, False)
    for number, seat in enumerate(wiring.seats, 1):
        place = f"seats[{number}]"
        if seat.button is not None:
            yield Use(f"{place}.button", seat.button, False, True)
        for value, pin in seat.chips:
            name = f"{place}.chip" if len(seat.chips) == 1 else f"{place}.chip.{value}"
            yield Use(name, pin, False, True)
        yield Use(f"{place}.lamp", seat.lamp, True, False)
        yield Use(f"{place}.sense", seat.sense, False, False)
    for key, pin in wiring.display_lines:
        yield Use(key, pin, True, True)


def conflicts(hardware: Hardware, taken: Mapping[int, str] = TAKEN) -> list[Conflict]:
    """Everything that cannot be, in the order of `uses`; `taken` are lines of the header with another use."""
    found: list[Conflict] = []
    first: dict[Pin, str] = {}
    for use in uses(hardware.wiring):
        fault = _fault(use, hardware, taken)
        if fault is not None:
            found.append(Conflict(use.key, use.pin, *fault))
        elif use.pin in first:
            found.append(Conflict(use.key, use.pin, "twice", first[use.pin]))
        first.setdefault(use.pin, use.key)
    return found


def _spi(hardware: Hardware) -> Iterator[tuple[int, Mapping[int, str]]]:
    """The SPI buses that are in use, and their lines."""
    return ((bus, SPI_LINES[bus]) for bus in hardware.wiring.spi)


def _fault(use: Use, hardware: Hardware, taken: Mapping[int, str]) -> tuple[Fault, str] | None:
    line = use.pin.line
    if use.pin.chip == "header":
        if line not in HEADER_LINES:
            return "lacks", f"GPIO0 – GPIO{HEADER_LINES[-1]}"
        if line in taken:
            return "taken", taken[line]
        return next((("bus", f"SPI{bus} {on[line]}") for bus, on in _spi(hardware) if line in on), None)
    if hardware.expander is None:
        return "no-expander", ""
    if hardware.factory == "rpigpio":
        return "expander-needs-lgpio", ""
    if line not in EXPANDER_LINES:
        return "lacks", f"x0 – x{EXPANDER_LINES[-1]}"
    if use.prompt:
        return "prompt", ""
    return ("output-only", "") if line in OUTPUT_ONLY and not use.output else None
