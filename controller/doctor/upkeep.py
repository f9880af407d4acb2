"""What belongs to one table: configuration, clock, disk, journal, persons, control socket, service."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

from controller.core.messages import msg
from controller.doctor.facts import Disk, Facts, Ledger, Unit
from controller.doctor.finding import Check, Finding, Level, found
from controller.journal.cli import WHOLE

IN_MEMORY = frozenset({"tmpfs", "ramfs", "devtmpfs"})
"""Gone when the power is."""

OVERLAYS = frozenset({"overlay", "aufs"})
"""Pi OS's "overlay file system" keeps what is written in memory."""

UNFIT = frozenset({"vfat", "msdos", "exfat", "ntfs", "ntfs3", "nfs", "nfs4", "cifs", "smb3", "9p"})
"""No owner or modes, or no locks and shared memory that SQLite's log could rely on."""

RISKY_OPTIONS = frozenset({"nobarrier", "barrier=0", "data=writeback"})
"""What is acknowledged with them may be gone after a power cut."""

SCARCE, FULL = 500_000_000, 50_000_000
"""Bytes free; a busy day's journal takes some 50 MB."""

WORN_OUT = 80
"""Percent."""

PROGRAM_YEAR = 2026
"""No clock that is right shows an earlier one."""


def config(facts: Facts) -> Iterator[Finding]:
    table = facts.table
    if table is None:
        remedy = msg("Give the table's file: pozo doctor --config TABLE.toml")
        yield found("note", "config", msg("none given: journal, persons, socket and disk were not looked at"), remedy)
        return
    values = {"file": str(table.file), "name": table.name, "backend": table.backend, "report": table.mistakes}
    if table.mistakes:
        remedy = msg("Correct it; pozo check {file} lists the mistakes again.")
        yield found("fail", "config", "{report}", remedy, **values)
    elif table.backend == "simulated":
        text = msg("table {name}, simulated hardware: header, I2C, SPI and serial lines do not matter to it")
        yield found("note", "config", text, **values)
    else:
        yield found("ok", "config", msg("table {name}, backend {backend}"), **values)


def clock(facts: Facts) -> Iterator[Finding]:
    seen = facts.clock
    last = facts.ledger.last if facts.ledger else None
    values = {"now": _time(seen.now), "last": _time(last) if last else "", "rtc": ", ".join(seen.batteries)}
    setting = msg("Wait for the network's time (timedatectl), or set it: sudo timedatectl set-time 'YYYY-MM-DD hh:mm'.")
    if last is not None and seen.now <= last:
        text = msg("{now} is not later than the journal's last entry, {last}")
        yield found("warn", "clock", text, setting, **values)
    elif seen.now.year < PROGRAM_YEAR:
        yield found("warn", "clock", msg("{now} cannot be right"), setting, **values)
    elif not seen.synchronised:
        remedy = msg("Times end in ? and no gaming day is closed until it is. Network, and timedatectl: NTP active?")
        yield found("warn", "clock", msg("{now}, not synchronised"), remedy, **values)
    else:
        yield found("ok", "clock", msg("{now}, synchronised"), **values)
    if facts.machine.is_pi and not seen.batteries:
        remedy = msg("After a power cut it wakes in the past until the network is there; a DS3231 module helps.")
        yield found("note", "clock", msg("no clock with a battery"), remedy)
    elif seen.batteries:
        yield found("ok", "clock", msg("clock with a battery: {rtc}"), **values)


def _time(when: datetime) -> str:
    return f"{when:%Y-%m-%d %H:%M:%S} UTC"


def disk(facts: Facts) -> Iterator[Finding]:
    if facts.disk is None:
        return
    complaints = [*_kind(facts.disk, "warn" if facts.backend == "simulated" else "fail"), *_health(facts.disk)]
    yield from complaints
    if not complaints:
        text = msg("{mount} ({kind}), {free} MB free, for {directory}")
        yield found("ok", "disk", text, **_about(facts.disk))


def _about(seen: Disk) -> dict[str, object]:
    options = ", ".join(sorted(seen.options & RISKY_OPTIONS))
    return {
        "mount": seen.mount, "kind": seen.kind, "free": seen.free // 1_000_000, "directory": seen.directory,
        "options": options, "errors": seen.errors, "worn": seen.worn,
    }  # fmt: skip


def _kind(seen: Disk, overlay: Level) -> Iterator[Finding]:
    values, place = _about(seen), msg("Write a place on the card or on a disk (ext4) in [journal] directory.")
    if seen.kind in IN_MEMORY:
        yield found("fail", "disk", msg("{directory} is in memory ({kind}): a power cut takes it all"), place, **values)
    elif seen.kind in OVERLAYS:
        remedy = msg("Switch the overlay off (raspi-config, Performance), or write a real disk in [journal] directory.")
        yield found(overlay, "disk", msg("{directory} is on an overlay, which may forget everything"), remedy, **values)
    elif seen.kind in UNFIT or seen.kind.startswith("fuse"):
        text = msg("{mount} is {kind}, which cannot keep a journal safe")
        yield found("fail", "disk", text, place, **values)
    if values["options"]:
        remedy = msg("Remove these from /etc/fstab and restart.")
        yield found("fail", "disk", msg("{mount} is mounted with {options}: a power cut takes bets"), remedy, **values)
    if "ro" in seen.options:
        remedy = msg(
            "After errors Linux does this itself: dmesg tells. Copy the journal elsewhere, and replace the card."
        )
        yield found("fail", "disk", msg("{mount} is read-only"), remedy, **values)


def _health(seen: Disk) -> Iterator[Finding]:
    values = _about(seen)
    room = msg("Make room, not in the journal's directory: sudo journalctl --vacuum-size=100M, sudo apt clean.")
    if seen.free < FULL:
        yield found("fail", "disk", msg("{mount} is full: {free} MB are free"), room, **values)
    elif seen.free < SCARCE:
        yield found("warn", "disk", msg("{mount} is nearly full: {free} MB are free"), room, **values)
    replace = msg("Copy the journal to another disk today, and replace the card.")
    if seen.errors:
        yield found("fail", "disk", msg("{mount} has had {errors} errors"), replace, **values)
    if seen.worn is not None and seen.worn >= WORN_OUT:
        yield found("warn", "disk", msg("{mount}: {worn}% of its life is used up"), replace, **values)


def journal(facts: Facts) -> Iterator[Finding]:
    seen = facts.ledger
    if seen is None:
        return
    values = {"directory": str(seen.directory), "entries": seen.entries, "owner": seen.owner, "writer": seen.writer}
    if not seen.readable:
        text = msg("{directory} cannot be read by this user")
        yield found("fail", "journal", text, msg("Run this as its owner: sudo -u {owner} pozo doctor …"), **values)
    elif seen.trouble is not None:
        yield found("fail", "journal", seen.trouble.text, seen.trouble.way_out, **seen.trouble.values)
    elif not seen.there:
        text = msg("none in {directory} yet: pozo run begins it")
        yield found("note", "journal", text, **values)
    else:
        running = msg("entries up to {entries}, in use by process {writer}")
        idle = msg("entries up to {entries}, not in use")
        yield found("ok", "journal", idle if seen.writer is None else running, **values)
        yield from _whole_chain(seen)


def _whole_chain(seen: Ledger) -> Iterator[Finding]:
    report = seen.verified
    if report is None:
        yield found("note", "journal", msg("only its end was looked at; --verify checks all of it"))
    elif report.damage is not None:
        yield found("fail", "journal", report.damage.text, report.damage.way_out, **report.damage.values)
    else:
        yield found("ok", "journal", WHOLE, **report._asdict())


def people(facts: Facts) -> Iterator[Finding]:
    seen = facts.staff
    if seen is None:
        return
    values: dict[str, object] = {"path": str(seen.path), "mode": f"{seen.mode:04o}", **seen.values}
    if seen.trouble:
        yield found("fail", "people", seen.trouble, **values)
        return
    if seen.there and seen.mode & 0o077:
        remedy = msg("chmod 600 {path}: it holds what PINs can be guessed from.")
        yield found("fail", "people", msg("{path} is open to others (mode {mode})"), remedy, **values)
    for role, text in _NEEDED.items():
        if role not in seen.roles:
            yield found("warn", "people", text, msg("pozo people --help tells how to add somebody."))
    if not seen.mode & 0o077 and set(_NEEDED) <= seen.roles:
        yield found("ok", "people", msg("{path} is closed to others (mode {mode})"), **values)


_NEEDED = {
    "supervisor": msg("there is no supervisor: no prize could be approved"),
    "technician": msg("there is no technician: no failed seat could be reopened"),
}


def control(facts: Facts) -> Iterator[Finding]:
    door = facts.door
    if door is None:
        return
    running = facts.ledger is not None and facts.ledger.writer is not None
    values = {"path": str(door.path), "why": door.why}
    if door.answers:
        yield found("ok", "control", msg("{path} answers"), **values)
    elif door.answers is False:
        remedy = msg("Let this user in ([control.allow], the service's group); if it hangs: systemctl restart.")
        yield found("fail", "control", msg("{path} does not answer: {why}"), remedy, **values)
    elif running:
        remedy = msg("Is [control] socket the running one's? Restart the table between two rounds.")
        yield found("fail", "control", msg("the table runs, and nobody listens at {path}"), remedy, **values)
    else:
        yield found("note", "control", msg("nobody listens at {path}: the table does not run"), **values)


def service(facts: Facts) -> Iterator[Finding]:
    if facts.units is None:
        yield found("note", "service", msg("no systemd here: nothing restarts the table by itself"))
    elif not facts.units:
        level: Level = "warn" if facts.backend in ("gpio", "serial") else "note"
        remedy = msg("make install sets the service up (docs/operation.md).")
        yield found(level, "service", msg("no unit of pozo is loaded"), remedy)
    for unit in facts.units or ():
        yield _unit(unit)


def _unit(unit: Unit) -> Finding:
    values = {
        "name": unit.name, "state": f"{unit.active} ({unit.sub})", "result": unit.result, "restarts": unit.restarts,
        "status": unit.status or "–",
    }  # fmt: skip
    log = msg("journalctl -u {name} -n 50 tells why; then systemctl restart {name}")
    if unit.active == "failed":
        return found("fail", "service", msg("{name} has failed ({result})"), log, **values)
    if unit.active == "active" and unit.status.startswith("out of service"):
        remedy = msg("Do as the reason says; docs/operation.md has them all.")
        return found("fail", "service", "{name}: {status}", remedy, **values)
    if unit.restarts:
        return found("warn", "service", msg("{name}: {state}, restarted {restarts} times"), log, **values)
    if unit.active == "active" and unit.enabled in ("disabled", ""):
        remedy = msg("sudo systemctl enable {name}")
        return found("warn", "service", msg("{name} runs, and would not after a power cut"), remedy, **values)
    return found("ok" if unit.active == "active" else "note", "service", "{name}: {state}; {status}", **values)


CHECKS: tuple[Check, ...] = (clock, disk, journal, people, control, service)
