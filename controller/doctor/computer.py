"""Is this a computer that a table can run on: board, kernel, program, memory, load, power, watchdog, terminal."""

from __future__ import annotations

from collections.abc import Iterator

from controller.core.messages import msg
from controller.doctor.facts import Facts, Machine
from controller.doctor.finding import Check, Finding, Level, found

OLD_TYPES = {0x00: "A", 0x01: "B", 0x02: "A+", 0x03: "B+", 0x04: "2B", 0x06: "CM1", 0x09: "Zero", 0x0C: "Zero W"}
"""By bits 4 to 11 of a revision code: boards before the Pi 3 (Raspberry Pi documentation, "Revision codes")."""

PI_5_FAMILY = frozenset({0x17, 0x18, 0x19, 0x1A})
"""Pi 5, Compute Module 5, 500, Compute Module 5 Lite: the header hangs on the RP1."""

NEW_STYLE = 1 << 23
"""The bit of a revision code that says that the other bits mean something."""

OLDEST_KERNEL = (5, 10)
"""Since then the kernel has the line interface that lgpio 0.2 speaks."""

SCARCE_MEMORY_KB = 80 * 1024
MOST_LOAD = 100
"""Percent: more programs want to run than there are processors."""

HOT = 80_000
"""1/1000 °C at which a Pi begins to slow down."""

UNDER_VOLTAGE, SLOWED = 1 << 0, 1 << 1 | 1 << 2 | 1 << 3
BEFORE = 16
"""The same bits, so much further left, say that it has happened since the start (vcgencmd get_throttled)."""


def board_type(machine: Machine) -> int | None:
    """Bits 4 to 11 of a new revision code."""
    revision = machine.revision
    return None if revision is None or not revision & NEW_STYLE else revision >> 4 & 0xFF


def board(facts: Facts) -> Iterator[Finding]:
    machine, kind = facts.machine, board_type(facts.machine)
    values = {"model": machine.model, "arch": machine.arch}
    if not machine.is_pi:
        here = msg("{model}, {arch}: no Raspberry Pi") if machine.model else msg("{arch}: no Raspberry Pi")
        if facts.backend == "gpio":
            remedy = msg('Run this table on a Pi, or write backend = "simulated" in [hal].')
            yield found("fail", "board", here, remedy, **values)
        else:
            yield found("note", "board", here, **values)
    elif machine.revision is None:
        remedy = msg("Without it gpiozero cannot start: remove ProcSubset=pid from the service's unit.")
        yield found("fail", "board", msg("{model}, but its revision cannot be read"), remedy, **values)
    elif kind is None or kind in OLD_TYPES:
        remedy = msg("pozo is made for Pi 3, 4, 5 and Zero 2 W: use one of these.")
        yield found("warn", "board", msg("{model} is an older board"), remedy, **values)
    else:
        yield found("ok", "board", msg("{model}, revision {code}"), code=f"{machine.revision:x}", **values)


def kernel(facts: Facts) -> Iterator[Finding]:
    machine, version = facts.machine, facts.machine.kernel_version
    values = {"kernel": machine.kernel, "system": machine.system or "?"}
    uses_rpigpio = facts.backend == "gpio" and facts.table is not None and facts.table.factory == "rpigpio"
    if uses_rpigpio and version >= (6, 6):
        remedy = msg('RPi.GPIO sees no edges since kernel 6.6: write factory = "lgpio" in [hal].')
        yield found("fail", "kernel", msg("{kernel}: degraded, no button or chip would be noticed"), remedy, **values)
    elif facts.on_header and version < OLDEST_KERNEL:
        remedy = msg("lgpio needs 5.10 or newer: update the system, or use rpigpio.")
        yield found("warn", "kernel", msg("{kernel} ({system}) is old"), remedy, **values)
    else:
        yield found("ok", "kernel", "{kernel} ({system})", **values)


def program(facts: Facts) -> Iterator[Finding]:
    python = ".".join(map(str, facts.machine.python))
    if facts.machine.python < (3, 11):
        remedy = msg("pozo needs Python 3.11 or newer: make the environment with one, and install again.")
        yield found("fail", "program", msg("Python {python} is too old"), remedy, python=python)
    else:
        values = {"version": facts.version, "python": python, "user": facts.machine.user}
        yield found("ok", "program", msg("pozo {version}, Python {python}, user {user}"), **values)


def memory(facts: Facts) -> Iterator[Finding]:
    machine = facts.machine
    values = {"free": machine.memory_free // 1024, "total": machine.memory // 1024}
    if not machine.memory:
        return
    if machine.memory_free < SCARCE_MEMORY_KB:
        remedy = msg("End what else runs here (ps aux --sort=-rss); a desktop does not belong on a table.")
        yield found("warn", "memory", msg("only {free} of {total} MB are free"), remedy, **values)
    else:
        yield found("ok", "memory", msg("{free} of {total} MB are free"), **values)


def load(facts: Facts) -> Iterator[Finding]:
    seen = facts.machine.load
    if seen > MOST_LOAD:
        remedy = msg("Edges may be lost (8.5). End what else runs here (top): nothing but the table should.")
        yield found("warn", "memory", msg("the processors are busy: load {load}%"), remedy, load=seen)


def power(facts: Facts) -> Iterator[Finding]:
    machine, bits = facts.machine, facts.machine.throttled
    degrees = "?" if machine.temperature is None else f"{machine.temperature / 1000:.0f}"
    supply = msg("Use the board's own supply and a short, thick cable; lamps and signs need one of their own.")
    cooling = msg("Clear the case's openings, and give the board a heat sink or a fan.")
    if bits is not None and bits & UNDER_VOLTAGE:
        yield found("fail", "power", msg("the supply voltage is too low now"), supply)
    elif bits is not None and bits >> BEFORE & UNDER_VOLTAGE:
        yield found("warn", "power", msg("the supply voltage was too low since the start"), supply)
    hot = machine.temperature is not None and machine.temperature >= HOT
    if hot or (bits is not None and bits & SLOWED):
        yield found("warn", "power", msg("{degrees} °C: the board slows itself down"), cooling, degrees=degrees)
    elif bits is None and machine.is_pi:
        remedy = msg("Let this user into the group video, or run this as root, to see whether power is short.")
        yield found(
            "note", "power", msg("{degrees} °C; the firmware did not tell of the supply"), remedy, degrees=degrees
        )
    elif bits is not None and not (bits | bits >> BEFORE) & UNDER_VOLTAGE:
        yield found("ok", "power", msg("{degrees} °C, supply steady since the start"), degrees=degrees)
    elif machine.temperature is not None:
        yield found("ok", "power", "{degrees} °C", degrees=degrees)


def watchdog(facts: Facts) -> Iterator[Finding]:
    seen = facts.machine.watchdog
    if seen is None:
        if facts.machine.is_pi:
            remedy = msg("Write dtparam=watchdog=on in /boot/firmware/config.txt and restart.")
            yield found("warn", "watchdog", msg("no device: a Pi that hangs would hang until somebody comes"), remedy)
        return
    values = {"identity": seen.identity or "?", "systemd": seen.systemd or "–"}
    if seen.active or seen.systemd not in ("", "0", "infinity"):
        yield found("ok", "watchdog", msg("{identity}, fed by the system ({systemd})"), **values)
    else:
        remedy = msg("Write RuntimeWatchdogSec=15 under [Manager] in /etc/systemd/system.conf and restart.")
        level: Level = "warn" if facts.machine.is_pi else "note"
        yield found(level, "watchdog", msg("{identity} is there, and nobody uses it"), remedy, **values)


def terminal(facts: Facts) -> Iterator[Finding]:
    machine = facts.machine
    values = {"encoding": machine.encoding, "columns": machine.columns, "terminal": machine.terminal or "–"}
    if machine.encoding.replace("-", "").lower() != "utf8":
        remedy = msg("Set LANG=C.UTF-8 (or es_CL.UTF-8): accents and signs would not be shown.")
        yield found("warn", "terminal", msg("characters are written as {encoding}"), remedy, **values)
    elif machine.columns < 80:
        remedy = msg("Make the window wider: the console wants 80 columns.")
        yield found("note", "terminal", msg("only {columns} columns"), remedy, **values)
    else:
        yield found("ok", "terminal", msg("{encoding}, {columns} columns"), **values)


CHECKS: tuple[Check, ...] = (board, kernel, program, memory, power, watchdog, terminal)
