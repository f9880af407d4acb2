"""A second copy of a journal, on another medium: a journal itself, brought up to date again and again.

For a process of its own: it reads the journal beside the daemon that writes it (`controller.journal.reading`), so
the daemon neither waits for the second medium nor shares SQLite's locks with it (`controller.journal.database`).

Each update takes the entries that followed since, checks that they continue the chain that the copy ends with,
and commits them in one transaction up to what was the journal's last entry at one instant. So the copy ends where
a commit of the daemon ended, never in the middle of one. Files follow one another in the copy by the same steps
as in the journal (`controller.journal.rotation`); files pruned there are removed here.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import suppress
from itertools import islice
from pathlib import Path
from sqlite3 import Connection
from sqlite3 import Error as SqliteError
from typing import NamedTuple, Self

from controller.core.messages import msg
from controller.journal import rotation
from controller.journal.chain import Link
from controller.journal.codec import Encoded, PeriodClosed, PeriodOpened, PeriodsPruned
from controller.journal.database import LEFT, Period, anchor, checkpoint, connect, connect_to_read, read_period, settle
from controller.journal.directory import Lock, found, make, period_file, periods
from controller.journal.entries import CHUNK, Entry, append, beginning, head, place_of, understood, walk
from controller.journal.errors import JournalError, JournalFailed, JournalForeign, translating

SAME_MEDIUM = msg("{copy} is on the same medium as the journal {journal}: is the other medium mounted there?")
ANOTHER = msg("The copy {copy} cannot be continued: up to entry {seq} it is not what the journal {journal} holds.")
TOO_OLD = msg("The copy {copy} cannot be continued: what followed its entry {seq} was pruned from {journal}.")
GONE = msg("The copy {copy} is not there any more: was its medium taken out?")
ASIDE = msg("Put it aside as it is; a new copy is then begun.")

MOST_PAGES = 1_000
"""Pages in the copy's log (4 KiB each) from which on it is moved into the file."""

Snapshot = tuple[int, int, bytes, bytes]
"""A row: the entry it follows, state version, state, hash."""


class Seen(NamedTuple):
    """One file of the journal as it was at one instant, open for reading.

    `last` is the last entry to be copied. `successor` says that the period is closed and the next file is there.
    """

    db: Connection
    file: Path
    period: Period
    last: int
    successor: bool
    snapshots: Sequence[Snapshot]


class Copy:
    """The copy in `directory` of the journal in `journal`. One process at a time brings it up to date."""

    def __init__(self, journal: Path, directory: Path, *, other_medium: bool = False) -> None:
        """Make `directory` if need be. With `other_medium`, on another file system than the journal only.

        Raises JournalMissing, JournalBusy (another process copies there), JournalFailed; JournalError when it is
        the same medium.
        """
        periods(journal)
        if other_medium and _medium(journal) == _medium(directory):
            raise JournalError(SAME_MEDIUM, copy=directory, journal=journal)
        with translating(directory):
            make(directory)
        self._journal = journal
        self._directory = directory
        self._lock = Lock(directory)
        self._open: _Open | None = None

    def update(self) -> Link:
        """Take in everything that the journal holds now; returns the place of the copy's last entry.

        Raises any JournalError. Then the copy is what it was, or further, and has to be closed.
        """
        target = self._open or self._newest()
        target.check_there()
        while True:
            with _seen(self._journal, target.period.number) as seen:
                target = self._follow(target, seen)
            if not seen.successor:
                return target.at

    def close(self) -> None:
        """Leave the copy as files without a log. Raises JournalFailed. Idempotent."""
        try:
            if self._open is not None:
                self._open.leave()
        finally:
            self.abandon()

    def abandon(self) -> None:
        """Let go of everything as it lies. Idempotent. Never raises."""
        if self._open is not None:
            self._open.abandon()
            self._open = None
        self._lock.release()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: object, error: object, at: object) -> None:
        if error is None:
            self.close()
        else:
            self.abandon()

    # --- inside ------------------------------------------------------------------------------------------

    def _newest(self) -> _Open:
        """The copy's newest file, which is begun when there is none."""
        copied, numbers = found(self._directory), periods(self._journal)
        if not copied:
            self._begin(numbers[0])
            copied = numbers[:1]
        rotation.settle_closed(self._directory, copied[:-1])  # what an interruption left
        self._open = _Open(period_file(self._directory, copied[-1]))
        if copied[-1] < numbers[0]:
            raise self._apart(TOO_OLD, self._open.at.seq)
        if copied[-1] > numbers[-1]:
            raise self._apart(ANOTHER, self._open.at.seq)
        return self._open

    def _follow(self, target: _Open, seen: Seen) -> _Open:
        """Take in the rest of one file; returns what is to be continued."""
        self._check_same(target, seen)
        number = seen.period.number
        if seen.successor:
            self._draft(number + 1)  # before the closing entry, so that the copy can always be completed
        entries = walk(seen.db, seen.file, target.at, seen.last)
        pruned = target.pruned
        target.take(entries, [snapshot for snapshot in seen.snapshots if snapshot[0] <= seen.last])
        if target.pruned > pruned:
            rotation.remove_pruned(self._directory, target.pruned)
        if not seen.successor:
            return target
        rotation.publish(period_file(self._directory, number + 1))
        target.leave()
        self._open = _Open(period_file(self._directory, number + 1))
        return self._open

    def _check_same(self, target: _Open, seen: Seen) -> None:
        ours, theirs = target.period, seen.period
        same = (ours.table_id, ours.previous, ours.first_seq) == (theirs.table_id, theirs.previous, theirs.first_seq)
        if not same or target.at.seq > seen.last:
            raise self._apart(ANOTHER, target.at.seq)
        if place_of(seen.db, seen.file, target.at.seq, theirs) != target.at:
            raise self._apart(ANOTHER, target.at.seq)

    def _apart(self, text: str, seq: int) -> JournalForeign:
        return JournalForeign(text, ASIDE, copy=self._directory, journal=self._journal, seq=seq)

    def _begin(self, number: int) -> None:
        self._draft(number)
        rotation.publish(period_file(self._directory, number))

    def _draft(self, number: int) -> None:
        """Prepare the copy of file `number` with the first entry of it."""
        with _seen(self._journal, number) as seen:
            start = beginning(seen.period)
            (first,) = walk(seen.db, seen.file, start, start.seq + 1)
            item = understood(first, seen.file)
        pruned = item.pruned if isinstance(item, PeriodOpened) else 0
        row = seen.period._replace(pruned=pruned, in_use=LEFT)
        rotation.draft(period_file(self._directory, number), row, first.wall, Encoded(*first[2:5]))


class _seen:  # noqa: N801 - reads as a function
    """A file of the journal at one instant, as a context."""

    def __init__(self, journal: Path, number: int) -> None:
        self._file = period_file(journal, number)
        self._next = period_file(journal, number + 1)

    def __enter__(self) -> Seen:
        db = self._db = connect_to_read(self._file)
        try:
            with translating(self._file):
                db.execute("BEGIN")
                period, end = read_period(db, self._file), head(db, self._file)
                (kind,) = db.execute("SELECT kind FROM entry WHERE seq = ?", (end.seq,)).fetchone()
                snapshots = db.execute("SELECT seq, version, state, hash FROM snapshot ORDER BY seq").fetchall()
                db.execute("COMMIT")
        except BaseException:
            db.close()
            raise
        closed = kind == PeriodClosed.__name__
        successor = closed and self._next.exists()
        # A closing is a commit of its own, and waits here until the next file has its name.
        return Seen(db, self._file, period, end.seq - (closed and not successor), successor, snapshots)

    def __exit__(self, *_: object) -> None:
        self._db.close()


class _Open:
    """One file of the copy, open for writing in the journal's own manner."""

    def __init__(self, file: Path) -> None:
        self._file = file
        reader = connect_to_read(file)
        try:
            self.period, self.at = read_period(reader, file), head(reader, file)
        finally:
            reader.close()
        self.pruned = self.period.pruned
        with translating(file):
            self._identity = _identity(file)
        self._anchor = anchor(file)
        try:
            self._db = connect(file)
        except BaseException:
            self._anchor.close()
            raise
        try:
            self._pages = checkpoint(self._db, file)
        except BaseException:
            self.abandon()
            raise

    def check_there(self) -> None:
        """Raises JournalFailed when the file's path leads to another file, or to none: it can be written to all the
        same, by whoever has it open, and nobody would ever find it."""
        try:
            there = _identity(self._file)
        except OSError:
            there = None
        if there != self._identity:
            raise JournalFailed(GONE, copy=self._file)

    def take(self, entries: Iterator[Entry], snapshots: Sequence[Snapshot]) -> None:
        """Add entries, with the snapshots among them, in one transaction."""
        if (first := next(entries, None)) is None:
            return
        db, at, pruned, size = self._db, self.at, self.pruned, 0
        with translating(self._file):
            db.execute("BEGIN IMMEDIATE")
            chunk = [first, *islice(entries, CHUNK - 1)]
            while chunk:
                append(db, chunk)
                at, size = chunk[-1].link, size + sum(len(entry.body) for entry in chunk)
                pruned = max([pruned, *(_pruned_by(entry, self._file) for entry in chunk)])
                chunk = list(islice(entries, CHUNK))
            db.executemany("INSERT OR REPLACE INTO snapshot VALUES (?, ?, ?, ?)", snapshots)
            db.execute("DELETE FROM snapshot WHERE seq NOT IN (SELECT seq FROM snapshot ORDER BY seq DESC LIMIT 2)")
            db.execute("UPDATE period SET pruned = ?", (pruned,))
            db.execute("COMMIT")
            if head(db, self._file) != at:
                raise AssertionError(f"{self._file} does not hold what was written")
        self.at, self.pruned = at, pruned
        self._pages += 3 + size // 3_000
        if self._pages > MOST_PAGES:
            self._pages = checkpoint(db, self._file)

    def leave(self) -> None:
        """End the use of the file, whole and without a log. Raises JournalFailed."""
        settle(self._db, self._file)
        self._anchor.close()  # the last one that closes removes the log, and must be one that may write
        self._db.close()

    def abandon(self) -> None:
        """Let go of the file as it lies."""
        for connection in (self._db, self._anchor):
            with suppress(SqliteError):
                connection.close()


def _identity(file: Path) -> tuple[int, int]:
    status = file.stat()
    return status.st_dev, status.st_ino


def _pruned_by(entry: Entry, file: Path) -> int:
    if entry.kind != PeriodsPruned.__name__:
        return 0
    record = understood(entry, file)
    assert isinstance(record, PeriodsPruned)
    return record.through


def _medium(place: Path) -> int:
    """The file system that `place` is on, or will be."""
    while not place.exists():
        place = place.parent
    with translating(place):
        return os.stat(place).st_dev
