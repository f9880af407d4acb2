"""The facts of one table: its file, journal, persons, socket, service, and the disk it all lies on."""

from __future__ import annotations

import json
import os
import stat
import tomllib
from contextlib import suppress
from pathlib import Path
from typing import Any

from controller import people_file
from controller.config import Config
from controller.doctor import books, displays
from controller.doctor.books import count
from controller.doctor.facts import Clock, Door, Factory, Facts, Staff, Table, Unit
from controller.doctor.machine import machine
from controller.doctor.senses import Senses
from controller.i18n import Language
from controller.people_file import PeopleError
from controller.version import VERSION
from hal.gpio.wiring import uses

PACKAGES = ("gpiozero", "lgpio", "RPi.GPIO", "luma.oled", "luma.led_matrix", "smbus2", "pillow", "pyserial")


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
    ledger = books.ledger(senses, config, language, whole) if config else None
    clock = Clock(now=senses.now(), synchronised=senses.synchronised(), batteries=_batteries(senses))  # after the entry
    return Facts(
        version=VERSION,
        language=language,
        machine=machine(senses, probe=probe),
        clock=clock,
        packages=senses.packages(PACKAGES),
        table=table,
        factory=_factory(senses, table),
        disk=books.disk(senses, config.journal) if config else None,
        ledger=ledger,
        copy=books.copy(senses, table.copy, config.journal) if config and table and table.copy else None,
        staff=_staff(config.people) if config else None,
        door=_door(senses, config.socket) if config else None,
        units=_units(senses),
        displays=displays.seen(senses, config.displays, language) if config else (),
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
        copy=_copy(file, said),
        pins=_pins(config),
    )


def _copy(file: Path, said: dict[str, Any]) -> Path | None:
    section = said.get("journal")
    written = section.get("copy") if isinstance(section, dict) else None
    return Path(os.path.abspath(file.parent / written)) if isinstance(written, str) else None


def _pins(config: Config | None) -> tuple[tuple[str, str, int], ...]:
    if config is None or config.gpio is None:
        return ()
    return tuple((use.key, use.pin.chip, use.pin.line) for use in uses(config.gpio.wiring))


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


# --- persons, and the running table ------------------------------------------------------------------


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
                    restarts=count(said.get("NRestarts", "")),
                    enabled=said.get("UnitFileState", ""),
                    status=said.get("StatusText", ""),
                )
            )
    return tuple(units)
