"""A journal's directory: the names in it, its lock, and making changes of names durable.

``000001.db``, ``000002.db``, … one file per period, the last one active. ``*.db-wal`` and ``*.db-shm`` belong to
SQLite. ``00000N.db.tmp`` is a next file being prepared; ``lock`` keeps a second writer out.
"""

from __future__ import annotations

import fcntl
import os
import re
from itertools import pairwise
from pathlib import Path

from controller.core.messages import msg
from controller.journal.errors import JournalBusy, JournalDamaged, JournalMissing, translating

_NAME = re.compile(r"([0-9]{6,})\.db")


def period_file(directory: Path, number: int) -> Path:
    """The file of period `number`, from 1."""
    return directory / f"{number:06}.db"


def draft_of(file: Path) -> Path:
    """Where `file` is prepared before it takes its name."""
    return file.with_name(file.name + ".tmp")


def wal_of(file: Path) -> Path:
    """SQLite's write-ahead log beside `file`."""
    return file.with_name(file.name + "-wal")


def periods(directory: Path) -> list[int]:
    """The numbers of the files present, ascending.

    Raises JournalMissing when there is none, JournalDamaged when one in the middle is missing.
    """
    numbers = found(directory)
    if not numbers:
        raise JournalMissing(
            msg("There is no journal in {directory}."),
            msg("Check the path in the configuration; a new table's journal is created by `pozo run`."),
            directory=directory,
        )
    for before, number in pairwise(numbers):
        if number != before + 1:
            missing = period_file(directory, before + 1)
            raise JournalDamaged(msg("{file} is missing, though later files are there."), missing)
    return numbers


def found(directory: Path) -> list[int]:
    """The numbers of the files present, ascending; none when the directory does not exist."""
    if not directory.is_dir():
        return []
    with translating(directory):
        matches = (_NAME.fullmatch(name) for name in os.listdir(directory))
        return sorted(int(match.group(1)) for match in matches if match)


def remove(file: Path) -> None:
    """Remove a file of a period, or its draft, with whatever SQLite left beside it. Not yet durable."""
    for name in (file, *(file.with_name(file.name + end) for end in ("-wal", "-shm", "-journal"))):
        name.unlink(missing_ok=True)


def make(directory: Path) -> None:
    """Make `directory` and those above it that are missing, durably."""
    if not directory.exists():
        make(directory.parent)
        directory.mkdir()
        sync_directory(directory.parent)


def sync_directory(directory: Path) -> None:
    """Make the names in `directory` durable: a renamed file is safe only after this."""
    fd = os.open(directory, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)


class Lock:
    """The right to write in a directory, held by one process at a time and dropped when it ends."""

    def __init__(self, directory: Path) -> None:
        """Take the lock. Raises JournalBusy, or JournalFailed (read-only, no permission)."""
        path = directory / "lock"
        with translating(path):
            self._fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        try:
            fcntl.flock(self._fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            holder = os.pread(self._fd, 20, 0).decode("ascii", "replace").strip()
            os.close(self._fd)
            raise JournalBusy(
                msg("The journal {directory} is in use by another pozo (process {holder})."),
                msg("One daemon writes a journal: stop the other one first, or give each table its own directory."),
                directory=directory,
                holder=holder or "?",
            ) from error
        try:
            # For people who meet the lock, so it need not be durable, and a full disk is no reason to stop here.
            os.ftruncate(self._fd, 0)
            os.pwrite(self._fd, b"%d\n" % os.getpid(), 0)
        except OSError:
            pass

    def release(self) -> None:
        """Give the lock up. Idempotent."""
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1
