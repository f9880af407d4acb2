"""The two files of facts, read and checked: `pins.toml`, every line once, and `parts.toml`, every part once."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Literal

import msgspec
from msgspec import Struct

HERE = Path(__file__).parent

TableName = Literal["credits", "chips"]
Level = Literal["high", "low"]

GPIO_AT: dict[int, int] = {
    0: 27, 1: 28, 2: 3, 3: 5, 4: 7, 5: 29, 6: 31, 7: 26, 8: 24, 9: 21, 10: 19, 11: 23, 12: 32, 13: 33, 14: 8, 15: 10,
    16: 36, 17: 11, 18: 12, 19: 35, 20: 38, 21: 40, 22: 15, 23: 16, 24: 18, 25: 22, 26: 37, 27: 13,
}  # fmt: skip
"""GPIO number to pin of the 40-pin header: the same on every board that has one (Raspberry Pi documentation, GPIO)."""

PULLED_UP_AT_POWER_ON = range(9)
"""GPIO0 to GPIO8 are pulled up until somebody says otherwise, the others down (BCM2835 ARM Peripherals, table 6-31)."""

EXPANDER_PINS: dict[int, int] = {line: 21 + line if line < 8 else line - 7 for line in range(16)}
"""Line of the expander to pin of the MCP23017's DIP and SOIC packages: GPA0 is 21, GPB0 is 1 (DS20001952)."""

EXPANDER_OUTPUTS_ONLY = frozenset({7, 15})


class Line(Struct, frozen=True, forbid_unknown_fields=True):
    """One line of the header or the expander, and what hangs on it."""

    name: str
    on: Literal["both", "credits", "chips"]
    at: str
    way: Literal["in", "out"]
    pull: Literal["up", "none"]
    active: Level
    plug: str
    wire: str
    seat: int = 0

    @property
    def on_header(self) -> bool:
        """Whether it is a line of the Pi, whose edges the kernel stamps when they happen."""
        return self.at.startswith("GPIO")

    @property
    def number(self) -> int:
        """As the kernel counts: the GPIO number, or 0 to 15 of the expander."""
        return int(self.at.removeprefix("GPIO").removeprefix("x"))

    @property
    def pin(self) -> int:
        """Pin of the 40-pin header, or of the expander's package. Raises KeyError where there is none."""
        return GPIO_AT[self.number] if self.on_header else EXPANDER_PINS[self.number]

    @property
    def port(self) -> str:
        """As the chip's data sheet calls it."""
        return self.at if self.on_header else f"GP{'AB'[self.number // 8]}{self.number % 8}"

    @property
    def title(self) -> str:
        """With its seat, if it has one."""
        return f"seat {self.seat} {self.name}" if self.seat else self.name


class Expander(Struct, frozen=True, forbid_unknown_fields=True):
    """The chip that gives the lines x0 to x15."""

    chip: str
    label: str
    address: int
    bus: str
    interrupt: str


class Display(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A display, in the keys of ``[[hal.displays]]``."""

    shows: str
    kind: str
    bus: str
    address: int = 0
    width: int = 0
    height: int = 0


class Board(Struct, frozen=True, forbid_unknown_fields=True):
    """A Raspberry Pi on which the table must run."""

    name: str
    header: int
    pulls: Literal["bcm"]


class Table(Struct, frozen=True, forbid_unknown_fields=True):
    """A table for which an example configuration is made."""

    file: str
    game: str
    seats: int
    denomination: str


class _Lines(Struct, frozen=True, forbid_unknown_fields=True):
    table: list[Line]
    seat: list[Line]


class Pins(Struct, frozen=True, forbid_unknown_fields=True):
    """`pins.toml`."""

    expander: Expander
    boards: list[Board]
    tables: dict[TableName, Table]
    reserved: dict[str, str]
    displays: list[Display]
    lines: _Lines

    def of(self, table: TableName) -> list[Line]:
        """The lines of one of the tables, in the order of the file."""
        return [line for line in [*self.lines.table, *self.lines.seat] if line.on in ("both", table)]

    def line(self, name: str, table: TableName, seat: int = 0) -> Line:
        """The line of that name. Raises StopIteration if there is none."""
        return next(line for line in self.of(table) if (line.name, line.seat) == (name, seat))


def problems(pins: Pins) -> list[str]:
    """What cannot be built, each in a sentence; nothing if all is well."""
    return [problem for table in pins.tables for line in pins.of(table) for problem in _wrong(line, pins, table)] + [
        problem for table in pins.tables for problem in _together(pins, table)
    ]


def _wrong(line: Line, pins: Pins, table: TableName) -> Iterator[str]:
    where = f"{table}: {line.title} at {line.at}"
    if line.at in pins.reserved:
        yield f"{where}: reserved for {pins.reserved[line.at]}"
    if line.on_header:
        for board in pins.boards:
            if line.number not in GPIO_AT or GPIO_AT[line.number] > board.header:
                yield f"{where}: a {board.name} has no such line on its header"
        if line.way == "out" and line.active == "high" and line.number in PULLED_UP_AT_POWER_ON:
            yield f"{where}: is pulled up while the Pi starts, and would be on"
    else:
        if line.number not in EXPANDER_PINS:
            yield f"{where}: an {pins.expander.chip} has no such line"
        if line.number in EXPANDER_OUTPUTS_ONLY and line.way == "in":
            yield f"{where}: may only be an output"
        if line.name in ("key_open", "key_locked", "button", "chip", "loop_in", "loop_out", pins.expander.interrupt):
            yield f"{where}: must be on the header, where the kernel stamps its edges"
    if line.seat > pins.tables[table].seats:
        yield f"{where}: the table has {pins.tables[table].seats} seats"


def _together(pins: Pins, table: TableName) -> Iterator[str]:
    lines = pins.of(table)
    acceptor = {"credits": "button", "chips": "chip"}[table]
    for what, places in (("line", [line.at for line in lines]), ("contact", [line.plug for line in lines])):
        twice = {place for place in places if place != "board" and places.count(place) > 1}
        yield from (f"{table}: {what} {place} is used twice" for place in sorted(twice))
    for seat in range(1, pins.tables[table].seats + 1):
        has = sorted(line.name for line in lines if line.seat == seat)
        if has != sorted([acceptor, "lamp", "sense"]):
            yield f"{table}: seat {seat} has {', '.join(has) or 'nothing'}"


class Part(Struct, frozen=True, forbid_unknown_fields=True):
    """One row of `parts.toml`; see there."""

    ref: str
    label: str
    what: str
    per: Literal["table", "seat", "credits", "chips"]
    quantity: int
    value: float = 0.0
    tolerance: float = 0.0
    rating: float = 0.0


def read_pins(path: Path = HERE / "pins.toml") -> Pins:
    """Raises msgspec.ValidationError where a field is missing, unknown or of the wrong kind."""
    return msgspec.toml.decode(path.read_bytes(), type=Pins)


def read_parts(path: Path = HERE / "parts.toml") -> dict[str, Part]:
    """Parts by their names. Raises msgspec.ValidationError like `read_pins`."""
    return msgspec.toml.decode(path.read_bytes(), type=dict[str, Part])


def quantity(part: Part, table: TableName, seats: int) -> int:
    """How many of a part a table with so many seats needs."""
    if part.per == "table":
        return part.quantity
    return part.quantity * seats if part.per in ("seat", table) else 0
