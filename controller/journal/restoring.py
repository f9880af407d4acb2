"""A journal from its second copy: on a new card, and never over another journal.

The files are copied as they lie into a folder beside their later place, verified there, and only then given their
names, the oldest first. An interruption leaves no journal, or one that lacks its last files, which no start accepts.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import NamedTuple

from controller.core.messages import msg
from controller.journal.directory import Lock, found, make, period_file, periods, sync_directory, wal_of
from controller.journal.errors import JournalError, JournalFailed, translating
from controller.journal.reading import read
from controller.journal.recover import Evolve
from controller.journal.verify import Report, verify

HOLDS_ONE = msg("{directory} holds a journal already, which is never overwritten.")
NEW_PLACE = msg("Put that one aside as it is, then try again.")

STAGE = "restoring"


class Restored(NamedTuple):
    """What was restored, and when its last entry was written, as the journal says it."""

    report: Report
    wall: str


def restore(copy: Path, directory: Path, evolve: Evolve) -> Restored:
    """Make the journal in `directory` from the one in `copy`. Nothing is changed in `copy` but its lock.

    Raises JournalError when `directory` holds a journal; JournalMissing, JournalForeign, JournalNewer or
    JournalDamaged about the copy; JournalBusy when one of the two is in use; JournalFailed.
    """
    numbers = periods(copy)
    _check_empty(directory)
    with ExitStack() as locks, translating(directory):
        make(directory)
        locks.callback(Lock(directory).release)
        _check_empty(directory)
        _lock_if_possible(copy, locks.callback)
        stage = directory / STAGE
        shutil.rmtree(stage, ignore_errors=True)
        stage.mkdir()
        for number in numbers:
            _copied(period_file(copy, number), stage)
        restored = _verified(stage, copy, evolve)
        for name in sorted(os.listdir(stage), key=_log_first):
            if not name.endswith("-shm"):
                (stage / name).rename(directory / name)
        shutil.rmtree(stage)
        sync_directory(directory)
    return restored


def _check_empty(directory: Path) -> None:
    if found(directory):
        raise JournalError(HOLDS_ONE, NEW_PLACE, directory=directory)


def _lock_if_possible(copy: Path, on_exit: Callable[[Callable[[], None]], object]) -> None:
    with suppress(JournalFailed):  # a medium that nobody can write to needs no lock
        on_exit(Lock(copy).release)


def _copied(file: Path, folder: Path) -> None:
    """The file of a period, and the log without which it may lack its end, durable in `folder`."""
    for source in (file, wal_of(file)):
        if source == file or source.exists():
            target = folder / source.name
            shutil.copyfile(source, target)
            with target.open("rb") as copied:
                os.fsync(copied.fileno())


def _verified(stage: Path, copy: Path, evolve: Evolve) -> Restored:
    report = verify(stage, evolve)
    if report.damage is not None:
        report.damage.values["file"] = copy / report.damage.file.name
        raise report.damage
    (last,) = read(stage, report.last, report.last)
    return Restored(report, last.entry.wall)


def _log_first(name: str) -> tuple[str, bool]:
    """The order of names: the oldest period first, and a log before its file."""
    number, _, rest = name.partition(".")
    return number.zfill(20), not rest.endswith("-wal")
