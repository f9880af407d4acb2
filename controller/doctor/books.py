"""The facts of the journal and its second copy, and of the disks that they lie on."""

from __future__ import annotations

import os
import pwd
import re
from pathlib import Path

from controller.config import Config, check_against, mismatch_report
from controller.core.evolve import evolve
from controller.core.state import Table as State
from controller.doctor.facts import Copy, Disk, Ledger, Standing
from controller.doctor.machine import holder_of_lock
from controller.doctor.senses import Senses, as_owner
from controller.i18n import Language
from controller.journal.directory import found, period_file, wal_of
from controller.journal.errors import JournalError
from controller.journal.reading import extent, read, source
from controller.journal.recover import recover
from controller.journal.verify import verify
from controller.journal.wall import read_wall

_ESCAPE = re.compile(r"\\([0-7]{3})")


def disk(senses: Senses, directory: Path) -> Disk | None:
    """The file system that holds `directory`, or will."""
    place = _existing(directory)
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
        errors=count(senses.text(f"/sys/fs/{kind}/{name}/errors_count")),
        worn=_worn(senses, name),
    )


def count(text: str) -> int:
    """A number that a file or program tells; 0 when it tells none."""
    return int(text) if text.isascii() and text.isdigit() else 0


def _worn(senses: Senses, device: str) -> int | None:
    """Percent, of eMMC, which tells it in tenths (JEDEC JESD84-B51, DEVICE_LIFE_TIME_EST); SD cards do not."""
    told = senses.text(f"/sys/block/{re.sub('p[0-9]+$', '', device)}/device/life_time").split()
    try:
        return max(int(tenth, 16) for tenth in told) * 10 if told else None
    except ValueError:
        return None


# --- the journal ------------------------------------------------------------------------------------------


def ledger(senses: Senses, config: Config, language: Language, whole: bool) -> Ledger:
    """The journal, looked at as its owner where that is possible."""
    directory = config.journal
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
                standing=_standing(_state(directory), config, language),
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


def _state(directory: Path) -> State:
    with source(directory, found(directory)[-1]) as (db, file, period, _):
        return recover(db, file, period, evolve).state


def _standing(state: State, config: Config, language: Language) -> Standing:
    return Standing(
        round=state.rounds,
        playing=state.round is not None,
        out_of_service=state.out_of_service,
        closed=tuple((seat.seat, seat.closed) for seat in state.seats if seat.closed),
        failed=state.failed,
        alarms=len(state.alarms),
        differences=mismatch_report(check_against(config, state), language),
    )


def copy(senses: Senses, directory: Path, journal: Path) -> Copy:
    """The second copy of `journal` in `directory`."""
    entries, trouble = 0, None
    try:
        with as_owner(directory):
            if found(directory):
                entries = extent(directory)[1]
    except PermissionError:
        pass  # said by whoever looks at the journal itself
    except JournalError as error:
        trouble = error
    where = disk(senses, directory)
    same = _medium(directory) == _medium(journal)
    return Copy(directory=directory, disk=where, same_medium=same, entries=entries, trouble=trouble)


def _medium(place: Path) -> int:
    return _existing(place).stat().st_dev


def _existing(place: Path) -> Path:
    while not place.exists() and place != place.parent:
        place = place.parent
    return place.resolve()
