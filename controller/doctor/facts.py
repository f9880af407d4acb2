"""What `pozo doctor` has seen, as plain values: whatever is judged in this package is judged from these.

Nothing here is an opinion, and nothing here touches the machine. What could not be seen is None, or empty.
"""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

from msgspec import Struct

from controller.i18n import Language
from controller.journal.errors import JournalError
from controller.journal.verify import Report


class Device(Struct, frozen=True, kw_only=True):
    """A file under ``/dev``: may this user read and write it, and whose group is it?"""

    path: str
    usable: bool
    group: str = "?"


class GpioChip(Device, frozen=True, kw_only=True):
    """A gpiochip; the label is empty when it did not answer. `held` are its lines in use, and who says to use them."""

    label: str = ""
    lines: int = 0
    held: dict[int, str] = {}


class I2cBus(Device, frozen=True, kw_only=True):
    """An I2C bus. `bound` are addresses with a kernel driver; `answering` those that answered, None when not asked."""

    name: str = ""
    bound: dict[int, str] = {}
    answering: tuple[int, ...] | None = None


class DisplaySeen(Device, frozen=True, kw_only=True):
    """A display of the table: what it is called, what it is, and where; `answers` is None when it was not asked, or
    cannot be, on SPI."""

    name: str
    kind: str
    place: str
    spi: bool
    there: bool
    answers: bool | None = None


class SerialPort(Device, frozen=True, kw_only=True):
    """A serial port. `holders` are "name (process)"; `locked` says that one of them has it exclusively."""

    holders: tuple[str, ...] = ()
    locked: bool = False
    console: bool = False


class Watchdog(Struct, frozen=True, kw_only=True):
    """The hardware watchdog, and after how long of silence systemd lets it bite ("0": systemd does not feed it)."""

    identity: str
    active: bool
    systemd: str


class Machine(Struct, frozen=True, kw_only=True):
    """The computer and its system. Memory in kB, `load` in percent of all processors, temperature in 1/1000 °C,
    `throttled` in the firmware's bits; `user` is whose permissions were judged."""

    model: str = ""
    revision: int | None = None
    kernel: str = ""
    arch: str = ""
    system: str = ""
    python: tuple[int, int, int] = (0, 0, 0)
    user: str = ""
    memory: int = 0
    memory_free: int = 0
    load: int = 0
    temperature: int | None = None
    throttled: int | None = None
    chips: tuple[GpioChip, ...] = ()
    buses: tuple[I2cBus, ...] = ()
    spi: tuple[Device, ...] = ()
    ports: tuple[SerialPort, ...] = ()
    watchdog: Watchdog | None = None
    encoding: str = ""
    columns: int = 80
    terminal: str = ""

    @property
    def is_pi(self) -> bool:
        """Whether this is a Raspberry Pi."""
        return self.model.startswith("Raspberry Pi")

    @property
    def kernel_version(self) -> tuple[int, ...]:
        """6.6.51+rpt-rpi-v8 is (6, 6, 51)."""
        return numbers(self.kernel.partition("-")[0])


class Factory(Struct, frozen=True, kw_only=True):
    """What came of opening the GPIO factory that the configuration names; `said` is its answer or complaint."""

    loads: bool
    said: str


class Clock(Struct, frozen=True, kw_only=True):
    """The wall clock and whatever may keep it right."""

    now: datetime
    synchronised: bool
    batteries: tuple[str, ...] = ()


class Disk(Struct, frozen=True, kw_only=True):
    """The file system of one directory. `worn` is in percent, of memory that tells."""

    directory: str
    mount: str
    kind: str
    options: frozenset[str]
    free: int
    errors: int = 0
    worn: int | None = None


class Standing(Struct, frozen=True, kw_only=True):
    """How the table stands: `playing` in a round, `closed` are seats and why, `failed` parts of the
    table itself, `differences` what the file asks for and the journal does not have (8.4)."""

    round: int
    playing: bool = False
    out_of_service: str = ""
    closed: tuple[tuple[int, str], ...] = ()
    failed: tuple[str, ...] = ()
    alarms: int = 0
    differences: str = ""


class Ledger(Struct, frozen=True, kw_only=True):
    """The journal. `writer` is the process that holds its lock; `last` the wall time of its last entry; `standing` how
    the table stands according to it."""

    directory: Path
    there: bool
    readable: bool = True
    owner: str = ""
    writer: int | None = None
    entries: int = 0
    last: datetime | None = None
    trouble: JournalError | None = None
    standing: Standing | None = None
    verified: Report | None = None


class Copy(Struct, frozen=True, kw_only=True):
    """The second copy of the journal; `entries` is 0 when there is none yet."""

    directory: Path
    disk: Disk | None
    same_medium: bool
    entries: int = 0
    trouble: JournalError | None = None


class Staff(Struct, frozen=True, kw_only=True):
    """The file of persons. `trouble` is a message id that `values` fill."""

    path: Path
    there: bool
    mode: int = 0
    roles: frozenset[str] = frozenset()
    trouble: str = ""
    values: dict[str, str] = {}


class Door(Struct, frozen=True, kw_only=True):
    """The control socket; `answers` is None when nobody listens."""

    path: Path
    there: bool
    answers: bool | None = None
    why: str = ""


class Unit(Struct, frozen=True, kw_only=True):
    """A unit of systemd whose name begins with pozo."""

    name: str
    active: str
    sub: str
    result: str
    restarts: int
    enabled: str
    status: str


class Table(Struct, frozen=True, kw_only=True):
    """What the configuration says. `mistakes` is its report when it cannot be used; the rest is then what it says all
    the same, as far as it can be read."""

    file: Path
    mistakes: str = ""
    name: str = ""
    backend: str = "simulated"
    factory: str = "lgpio"
    expander: str = ""
    copy: Path | None = None
    pins: tuple[tuple[str, str, int], ...] = ()
    """What for, "header" or "expander", and the line."""


class Facts(Struct, frozen=True, kw_only=True):
    """Everything. `units` is None where there is no systemd; `table` and what is its own None without ``--config``."""

    version: str
    language: Language
    machine: Machine
    clock: Clock
    packages: dict[str, str] = {}
    table: Table | None = None
    factory: Factory | None = None
    disk: Disk | None = None
    ledger: Ledger | None = None
    copy: Copy | None = None
    staff: Staff | None = None
    door: Door | None = None
    units: tuple[Unit, ...] | None = None
    displays: tuple[DisplaySeen, ...] = ()

    @property
    def backend(self) -> str:
        """The configuration's, or "" without one."""
        return self.table.backend if self.table else ""

    @property
    def on_header(self) -> bool:
        """Whether the header of this machine matters: a table on it, or a Pi that nothing is known of."""
        return self.backend == "gpio" or (self.table is None and self.machine.is_pi)


def numbers(version: str) -> tuple[int, ...]:
    """The numbers that a version begins with: "2.0.1.post3" is (2, 0, 1)."""
    found = []
    for part in version.replace("+", ".").split("."):
        if not part.isdigit():
            break
        found.append(int(part))
    return tuple(found)
