"""The journal of one table, open for writing: create, open, commit, close a period, prune.

A `Journal` may be opened in one thread and used in another, but from its first `commit` on it belongs to the
thread that made it (the engine's writer thread); any other is refused, since a commit waits for the disk.

Checkpoints, which move the log into the file, are asked for and never automatic: SQLite would run one inside
whichever commit happens to pass its limit, and a bet would wait for it. `tidy` is for the moments when no input
waits. A table that never rests is tidied by `commit` itself, at a limit that a resting one does not reach, so
that the log stays bounded.
"""

from __future__ import annotations

import contextlib
import sqlite3
import threading
import weakref
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple, Self

from controller.core.events import Event, TableOpened
from controller.core.messages import msg
from controller.core.state import Table
from controller.journal import rotation
from controller.journal.chain import Link
from controller.journal.codec import PeriodsPruned, encode, encode_state
from controller.journal.database import (
    LEFT,
    Period,
    anchor,
    checkpoint,
    connect,
    connect_to_read,
    read_period,
    settle,
)
from controller.journal.directory import Lock, found, make, period_file, periods
from controller.journal.entries import Entry, add_snapshot, append, beginning, sealed, walk
from controller.journal.errors import RESTART, JournalFailed, JournalForeign, translating
from controller.journal.recover import Evolve, Recovered, recover


class Limits(NamedTuple):
    """How much may gather before something is done about it."""

    snapshot_every: int = 500
    """Entries between snapshots: what a start has to replay at most, besides one batch."""

    tidy_pages: int = 250
    """Pages in the log (4 KiB each) from which on `tidy` does something: about a hundred bets."""

    most_pages: int = 4_000
    """Pages in the log at which `commit` itself makes a checkpoint: 16 MiB."""


NORMAL = Limits()


class Journal:
    """A table's journal, of which this process is the one writer."""

    _period: Period
    _head: Link
    _since_snapshot: int

    recovered: Recovered
    """What opening found: the state the table is in. Later states are the caller's."""

    clean: bool
    """Whether the last writer left properly; if not, the power was cut or the program killed (rules 8.3)."""

    opening: Entry
    """The first entry of the period that is open."""

    def __init__(self, directory: Path, lock: Lock, evolve: Evolve, limits: Limits) -> None:
        """Not for callers: use `create` or `open`."""
        self.directory = directory
        self._lock = lock
        self._evolve = evolve
        self._limits = limits
        self._thread = 0
        self._failed: JournalFailed | None = None

    @classmethod
    def create(cls, directory: Path, first: TableOpened, wall: str, evolve: Evolve, limits: Limits = NORMAL) -> Self:
        """Begin a journal with `first` in `directory`, which is made if need be and must hold none yet.

        Raises FileExistsError, JournalBusy or JournalFailed.
        """
        with translating(directory):
            make(directory)
        lock = Lock(directory)
        try:
            if found(directory):
                raise FileExistsError(f"{directory} holds a journal already")
            file = period_file(directory, 1)
            rotation.draft_first(file, first, first.setup.table, wall)
            rotation.publish(file)
            journal = cls(directory, lock, evolve, limits)
            journal._enter(1, first.setup.table)
        except BaseException:
            lock.release()
            raise
        return journal

    @classmethod
    def open(cls, directory: Path, evolve: Evolve, table: str | None = None, limits: Limits = NORMAL) -> Self:
        """Open the journal in `directory` and recover its state; `table` is whose journal it should be.

        Completes or undoes a closing that was interrupted. Raises any JournalError: JournalMissing,
        JournalBusy, JournalForeign, JournalNewer, JournalDamaged, JournalFailed.
        """
        if not found(directory):
            periods(directory)  # says what is missing, and leaves no lock behind in a wrong directory
        lock = Lock(directory)
        try:
            number = rotation.ready(directory)
            journal = cls(directory, lock, evolve, limits)
            journal._enter(number, table)
        except BaseException:
            lock.release()
            raise
        return journal

    # --- writing -----------------------------------------------------------------------------------------

    @property
    def seq(self) -> int:
        """The number of the last entry."""
        return self._head.seq

    @property
    def period(self) -> int:
        """The number of the period that is open."""
        return self._period.number

    def commit(self, events: Sequence[Event], state: Table, wall: str) -> int:
        """Make `events` durable, all or none, and return the number of the last entry.

        `state` is the state after them, `wall` a text of `controller.journal.wall`. Raises JournalFailed; the
        events may then be found or not found at the next start, and nothing more is committed until then.
        """
        self._check_usable()
        if events:
            entries = sealed(self._head, wall, [encode(event) for event in events])
            self._since_snapshot += len(entries)
            due = self._since_snapshot >= self._limits.snapshot_every
            self._write(entries, encode_state(state) if due else None)
            if self._log_pages >= self._limits.most_pages:
                self._checkpoint()
        return self._head.seq

    def tidy(self) -> None:
        """Move the log into the file, if there is enough in it. Takes as long as the disk likes (some tens of
        milliseconds on a card): call it when no input waits. Raises JournalFailed."""
        self._check_usable()
        if self._log_pages >= self._limits.tidy_pages:
            self._checkpoint()

    def close_period(self, state: Table, wall: str) -> None:
        """End the file with the balances in `state` and go on in a new one. Raises JournalFailed.

        Safe at every step, as `controller.journal.rotation` says: whenever the power goes, the next start finds
        the period open or closed, and nothing missing.
        """
        self._check_usable()
        closing = rotation.closing(self._period, self._head, state, wall)
        number = closing.successor.number
        try:
            rotation.draft_next(period_file(self.directory, number), closing.successor, state, wall)
            self._write([closing.entry], None)
            rotation.publish(period_file(self.directory, number))
            self._leave()
            self._enter(number, self._period.table_id)
            rotation.settle_closed(self.directory, found(self.directory)[:-1])
        except BaseException as error:
            self._fail(error)
            raise

    def prune(self, keep: int, wall: str) -> list[int]:
        """Remove all closed files but the newest `keep`, and return their numbers. The removal is recorded.

        Raises JournalDamaged, with nothing removed, when a file to be kept could not stand alone.
        """
        self._check_usable()
        doomed = rotation.removable(self.directory, keep)
        if doomed:
            through, last = doomed[-1], rotation.check_kept(self.directory, doomed[-1] + 1, self._period)
            record = PeriodsPruned(through=through, last=last.hex())
            self._since_snapshot += 1
            self._write(sealed(self._head, wall, [encode(record)]), None, pruned=through)
            self._period = self._period._replace(pruned=through)
            try:
                rotation.remove_pruned(self.directory, through)
            except BaseException as error:
                self._fail(error)
                raise
        return doomed

    # --- leaving -----------------------------------------------------------------------------------------

    def close(self) -> None:
        """Leave properly: everything moved into the file, no log left. Idempotent.

        A journal that failed is abandoned instead. Raises JournalFailed.
        """
        try:
            if self._failed is None and self._finalizer.alive:
                self._leave()
        finally:
            self.abandon()

    def abandon(self) -> None:
        """Let go of everything just as it lies, as a power cut would. Idempotent. Never raises."""
        self._finalizer()
        self._lock.release()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # --- inside ------------------------------------------------------------------------------------------

    def _enter(self, number: int, table: str | None) -> None:
        """Take over the file of period `number`. What is wrong with it is found before anything is changed."""
        file = period_file(self.directory, number)
        reader = connect_to_read(file)
        try:
            period = read_period(reader, file)
            _check_table(file, period, table)
            recovered = recover(reader, file, period, self._evolve)
            (opening,) = walk(reader, file, beginning(period), period.first_seq)
        finally:
            reader.close()
        anchored = anchor(file)
        db = None
        try:
            db = connect(file)
            self._log_pages = checkpoint(db, file)
        except BaseException:
            _let_go(db, anchored)
            raise
        self.recovered, self.clean = recovered, period.in_use == LEFT
        self._file, self._period, self._db, self._anchor = file, period, db, anchored
        self._head, self.opening = recovered.head, opening
        self._since_snapshot = recovered.head.seq - recovered.snapshot
        self._finalizer = weakref.finalize(self, _let_go, db, anchored, self._lock)

    def _leave(self) -> None:
        """End the use of the present file."""
        settle(self._db, self._file)
        self._finalizer.detach()
        self._anchor.close()
        self._db.close()

    def _write(self, entries: Sequence[Entry], snapshot: bytes | None, pruned: int | None = None) -> None:
        """One transaction."""
        db, end = self._db, entries[-1].link
        try:
            with translating(self._file):
                db.execute("BEGIN IMMEDIATE")
                append(db, entries)
                if snapshot is not None:
                    add_snapshot(db, end, snapshot)
                if pruned is not None:
                    db.execute("UPDATE period SET pruned = ?", (pruned,))
                db.execute("COMMIT")
        except BaseException as error:
            self._fail(error)
            raise
        self._head = end
        size = sum(len(entry.body) for entry in entries)
        if snapshot is not None:
            self._since_snapshot = 0
            size += len(snapshot)
        self._log_pages += 2 + size // 3_000

    def _checkpoint(self) -> None:
        """Move what no reader is still looking at from the log into the file."""
        try:
            self._log_pages = checkpoint(self._db, self._file)
        except BaseException as error:
            self._fail(error)
            raise

    def _check_usable(self) -> None:
        if self._failed is not None:
            raise self._failed
        if not self._finalizer.alive:
            raise ValueError("the journal is closed")
        thread = threading.get_ident()
        if self._thread not in (0, thread):
            raise RuntimeError("a journal is written by one thread, the one of its first commit")
        self._thread = thread

    def _fail(self, error: BaseException) -> None:
        """Refuse everything from here on: whether the disk has what failed is known at the next start only.

        A second try in this process could succeed without the data ever having reached the disk, because the
        kernel reports a failed write once and then takes the pages for clean.
        """
        if self._failed is None:
            text = msg("The journal {directory} is out of use since an earlier failure: {error}")
            self._failed = JournalFailed(text, RESTART, directory=self.directory, error=error)
            with contextlib.suppress(sqlite3.Error):
                self._db.execute("ROLLBACK")


def _check_table(file: Path, period: Period, table: str | None) -> None:
    if table is not None and period.table_id != table:
        raise JournalForeign(
            msg("{file} is the journal of table {found!r}, not of {table!r}."),
            msg("Check table.id and the journal's path in the configuration. Nothing was changed."),
            file=file,
            found=period.table_id,
            table=table,
        )


def _let_go(db: sqlite3.Connection | None, anchored: sqlite3.Connection, lock: Lock | None = None) -> None:
    """Close without ending the file's use: the log stays, whatever is in it."""
    for connection in (db, anchored):
        if connection is not None:
            with contextlib.suppress(sqlite3.Error):
                connection.close()
    if lock is not None:
        lock.release()
