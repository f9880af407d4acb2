"""The facts of one table: its file, journal, persons, socket, service, and the disk it all lies on."""

from __future__ import annotations

import json
import os
import pwd
import re
import stat
import tomllib
from contextlib import suppress
from pathlib import Path
from typing import Any

from controller import people_file
from controller.config import Config
from controller.core.evolve import evolve
from controller.doctor.facts import Clock, Disk, Door, Factory, Facts, Ledger, Staff, Table, Unit
from controller.doctor.machine import holder_of_lock, machine
from controller.doctor.senses import Senses, as_owner
from controller.i18n import Language
from controller.journal.directory import found, period_file, wal_of
from controller.journal.errors import JournalError
from controller.journal.reading import extent, read
from controller.journal.verify import verify
from controller.journal.wall import read_wall
from controller.people_file import PeopleError
from controller.version import VERSION

PACKAGES = ("gpiozero", "lgpio", "RPi.GPIO", "luma.oled", "luma.led_matrix", "smbus2", "pyserial")

_ESCAPE = re.compile(r"\\([0-7]{3})")


def collect(
    senses: Senses,
    language: Language,
    table: Table | None = None,
    config: Config | None = None,
    *,
    probe: bool = False,
    whole: bool = False,
) -> Facts:
    """Everything. `config` is the table's when its file has no mistakes; `whole` verifies the whole journal."""
    ledger = _ledger(senses, config.journal, whole) if config else None
    clock = Clock(now=senses.now(), synchronised=senses.synchronised(), batteries=_batteries(senses))  # after the entry
    return Facts(
        version=VERSION,
        language=language,
        machine=machine(senses, probe=probe),
        clock=clock,
        packages=senses.packages(PACKAGES),
        table=table,
        factory=_factory(senses, table),
        disk=_disk(senses, config.journal) if config else None,
        ledger=ledger,
        staff=_staff(config.people) if config else None,
        door=_door(senses, config.socket) if config else None,
        units=_units(senses),
    )


def described(file: Path, config: Config | None, mistakes: str = "") -> Table:
    """The table of `file`. What a file with mistakes says of its hardware is taken all the same."""
    said: dict[str, Any] = {}
    with suppress(OSError, ValueError, RecursionError):
        said = tomllib.loads(file.read_text("utf-8-sig"))
    hal = said.get("hal")
    hardware: dict[str, Any] = hal if isinstance(hal, dict) else {}
    return Table(
        file=file,
        mistakes=mistakes,
        name=config.setup.table if config else "",
        backend=str(hardware.get("backend", "simulated")),
        factory=str(hardware.get("factory", "lgpio")),
        expander=str(hardware.get("expander", "")),
    )


def _factory(senses: Senses, table: Table | None) -> Factory | None:
    if table is None or table.backend != "gpio" or table.factory not in ("lgpio", "rpigpio", "mock"):
        return None
    code, said = senses.open_factory([table.factory, *([table.expander] if table.expander else [])])
    return Factory(loads=code == 0, said=said or f"exit code {code}")


def _batteries(senses: Senses) -> tuple[str, ...]:
    """Real-time clocks. That of a Pi 5 counts, though its battery may be missing: nothing tells."""
    return tuple(
        senses.text(f"{senses.shown(clock)}/name") or clock.name for clock in senses.named("sys/class/rtc/rtc*")
    )


# --- the disk --------------------------------------------------------------------------------------------


def _disk(senses: Senses, directory: Path) -> Disk | None:
    """The file system that holds `directory`, or will."""
    place = directory
    while not place.exists() and place != place.parent:
        place = place.parent
    place = place.resolve()
    best: tuple[str, str, str, frozenset[str]] | None = None
    for line in senses.text("/proc/self/mountinfo").splitlines():
        left, _, right = line.partition(" - ")
        fields, more = left.split(" "), right.split(" ")
        if len(fields) < 6 or len(more) < 3:
            continue
        mount = _ESCAPE.sub(lambda match: chr(int(match[1], 8)), fields[4])
        if place.is_relative_to(mount) and (best is None or len(mount) >= len(best[0])):
            best = mount, more[0], more[1], frozenset((*fields[5].split(","), *more[2].split(",")))
    if best is None:
        return None
    mount, kind, device, options = best
    name = Path(device).name
    return Disk(
        directory=str(directory),
        mount=mount,
        kind=kind,
        options=options,
        free=senses.free(place),
        errors=_count(senses.text(f"/sys/fs/{kind}/{name}/errors_count")),
        worn=_worn(senses, name),
    )


def _count(text: str) -> int:
    return int(text) if text.isascii() and text.isdigit() else 0


def _worn(senses: Senses, device: str) -> int | None:
    """Percent, of eMMC, which tells it in tenths (JEDEC JESD84-B51, DEVICE_LIFE_TIME_EST); SD cards do not."""
    told = senses.text(f"/sys/block/{re.sub('p[0-9]+$', '', device)}/device/life_time").split()
    try:
        return max(int(tenth, 16) for tenth in told) * 10 if told else None
    except ValueError:
        return None


# --- journal and persons ---------------------------------------------------------------------------------


def _ledger(senses: Senses, directory: Path, whole: bool) -> Ledger:
    """The journal, looked at as its owner where that is possible."""
    owner, there = _owner(directory), False
    try:
        with as_owner(directory):
            there = bool(found(directory))
            if there and not _readable(directory):
                return Ledger(directory=directory, there=True, readable=False, owner=owner)
            writer = holder_of_lock(senses, directory / "lock")
            if not there:
                return Ledger(directory=directory, there=False, owner=owner, writer=writer)
            _, last = extent(directory)
            (entry,) = read(directory, last, last)
            return Ledger(
                directory=directory,
                there=True,
                owner=owner,
                writer=writer,
                entries=last,
                last=read_wall(entry.entry.wall)[0],
                verified=verify(directory, evolve) if whole else None,
            )
    except PermissionError:
        return Ledger(directory=directory, there=there, readable=False, owner=owner)
    except JournalError as error:
        return Ledger(directory=directory, there=there, owner=owner, trouble=error)


def _owner(path: Path) -> str:
    try:
        return pwd.getpwuid(path.stat().st_uid).pw_name
    except (KeyError, OSError):
        return "pozo"


def _readable(directory: Path) -> bool:
    """Whether reading leaves nothing behind: after a power cut SQLite would make a file in the reader's name."""
    newest = period_file(directory, found(directory)[-1])
    log, shared = wal_of(newest), newest.with_name(newest.name + "-shm")
    foreign = newest.stat().st_uid != os.geteuid()
    return os.access(newest, os.R_OK, effective_ids=True) and not (log.exists() and not shared.exists() and foreign)


def _staff(path: Path) -> Staff:
    try:
        mode = stat.S_IMODE(path.stat().st_mode)
    except FileNotFoundError:
        return Staff(path=path, there=False)
    except OSError as error:
        trouble = people_file.unusable(path, error)
        return Staff(path=path, there=False, trouble=trouble.text, values=trouble.values)
    try:
        records = people_file.read(path).values()
    except PeopleError as error:
        return Staff(path=path, there=True, mode=mode, trouble=error.text, values=error.values)
    return Staff(path=path, there=True, mode=mode, roles=frozenset(role for record in records for role in record.roles))


# --- the running table -----------------------------------------------------------------------------------


def _door(senses: Senses, path: Path) -> Door:
    """Say hello at the control socket, which journals nothing."""
    hello = json.dumps({"id": "doctor", "op": "hello", "version": 1}).encode() + b"\n"
    try:
        answer = senses.greet(path, hello)
    except OSError as error:
        return Door(path=path, there=True, answers=False, why=error.strerror or str(error))
    if answer is None:
        return Door(path=path, there=path.exists())
    ok = b'"ok":true' in answer.replace(b" ", b"")
    return Door(
        path=path, there=True, answers=ok, why="" if ok else answer.decode(errors="replace").strip()[:200] or "-"
    )


def _units(senses: Senses) -> tuple[Unit, ...] | None:
    """Loaded units whose names begin with pozo; None without systemd."""
    names = "Id,LoadState,ActiveState,SubState,Result,NRestarts,UnitFileState,StatusText"
    told = senses.run("systemctl", "show", "--all", f"--property={names}", "pozo*.service")
    if told is None or told[0] != 0:
        return None
    units = []
    for block in told[1].split("\n\n"):
        said = dict(line.partition("=")[::2] for line in block.splitlines())
        if said.get("LoadState") == "loaded":
            units.append(
                Unit(
                    name=said.get("Id", "?").removesuffix(".service"),
                    active=said.get("ActiveState", "?"),
                    sub=said.get("SubState", "?"),
                    result=said.get("Result", ""),
                    restarts=_count(said.get("NRestarts", "")),
                    enabled=said.get("UnitFileState", ""),
                    status=said.get("StatusText", ""),
                )
            )
    return tuple(units)
