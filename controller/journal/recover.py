"""From a file to the state it stands for: the newest snapshot, or the opening balances, and what follows."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from controller.core.events import Event
from controller.core.messages import msg
from controller.core.state import STATE_VERSION, Table
from controller.journal.chain import Link, snapshot_hash
from controller.journal.codec import PeriodClosed, PeriodOpened, PeriodsPruned, Record
from controller.journal.database import Period
from controller.journal.entries import Entry, beginning, head, place_of, understood, understood_state, walk
from controller.journal.errors import JournalDamaged, translating

Evolve = Callable[[Table | None, Event], Table]
"""`controller.core.evolve.evolve`, or a test's own fold."""


class Recovered(NamedTuple):
    """What a file stands for.

    `snapshot` is the entry of the snapshot it was read from (without any, the one before the file's first),
    `closed` whether the last entry closes the period.
    """

    state: Table
    head: Link
    snapshot: int
    closed: bool


def recover(db: sqlite3.Connection, file: Path, period: Period, evolve: Evolve) -> Recovered:
    """Read the state that `file` ends with, checking the chain from its newest snapshot on.

    Raises JournalDamaged or JournalNewer.
    """
    end = head(db, file)
    found = newest_snapshot(db, file, period, end)
    if found is None:
        replay = Replay(file, period, evolve, None)
        start = beginning(period)
    else:
        start, state = found
        replay = Replay(file, period, evolve, state)
    for entry in walk(db, file, start, end.seq):
        replay.take(entry)
    return Recovered(replay.table(), end, start.seq, replay.closed)


def newest_snapshot(db: sqlite3.Connection, file: Path, period: Period, end: Link) -> tuple[Link, Table] | None:
    """The newest snapshot of today's state version, and its place; one of another version is no use.

    Raises JournalDamaged for one that is newer than the last entry, does not decode, or has another hash.
    """
    with translating(file):
        rows = db.execute("SELECT seq, version, state, hash FROM snapshot ORDER BY seq DESC").fetchall()
    for seq, version, state, digest in rows:
        if seq > end.seq:
            raise JournalDamaged(
                msg("{file}: there is a snapshot at entry {seq}, but the last entry is {last}."),
                file,
                seq=seq,
                last=end.seq,
            )
        if version == STATE_VERSION:
            at = place_of(db, file, seq, period)
            if digest != snapshot_hash(at, version, state):
                raise JournalDamaged(msg("{file}: the snapshot at entry {seq} was altered."), file, seq=seq)
            return at, understood_state(version, state, seq, file)
    return None


class Replay:
    """Applies the entries of one file, in order, to the state before them (None at a file's beginning)."""

    def __init__(self, file: Path, period: Period, evolve: Evolve, state: Table | None) -> None:
        self.state = state
        self.pruned = 0
        self.closed = False
        self.native = True
        self._file = file
        self._period = period
        self._evolve = evolve

    def table(self) -> Table:
        """The state now. At least one entry has been taken, or a snapshot given."""
        if self.state is None:
            raise JournalDamaged(msg("{file} has no entries."), self._file)
        return self.state

    def take(self, entry: Entry) -> Event | Record:
        """Apply one entry and return what it says. Raises JournalDamaged or JournalNewer."""
        item = understood(entry, self._file)
        if self.closed:
            raise self._misplaced(entry)
        if isinstance(item, Event):
            self._apply(entry, item)
        elif isinstance(item, PeriodOpened):
            self._open(entry, item)
        elif isinstance(item, PeriodsPruned):
            self.pruned = max(self.pruned, item.through)
        elif isinstance(item, PeriodClosed):
            self._close(entry, item)
        return item

    def _apply(self, entry: Entry, event: Event) -> None:
        if self.state is None and self._period.number > 1:
            raise self._misplaced(entry)
        try:
            self.state = self._evolve(self.state, event)
        except Exception as error:  # whatever a bad event makes of it, it must not be played on from here
            raise JournalDamaged(
                msg("{file}: entry {seq} ({kind}) cannot be applied: {error!r}."),
                self._file,
                seq=entry.seq,
                kind=entry.kind,
                error=error,
            ) from error

    def _open(self, entry: Entry, opened: PeriodOpened) -> None:
        """Take the opening balances. The row of the file, which has no hash, must say the same."""
        said = (opened.table, opened.period, opened.previous)
        own = self._period
        if self.state is not None or said != (own.table_id, own.number, own.previous.hex()):
            raise self._misplaced(entry)
        self.pruned = opened.pruned
        self.native = opened.state_version == STATE_VERSION
        self.state = understood_state(opened.state_version, bytes(opened.state), entry.seq, self._file)

    def _close(self, entry: Entry, closed: PeriodClosed) -> None:
        state = understood_state(closed.state_version, bytes(closed.state), entry.seq, self._file)
        # The balances of an older state version are converted, which may tell less than the events do.
        comparable = closed.state_version == STATE_VERSION and self.native
        if closed.period != self._period.number or (comparable and state != self.state):
            raise JournalDamaged(
                msg("{file}: the closing balances in entry {seq} are not what the entries add up to."),
                self._file,
                seq=entry.seq,
            )
        self.closed = True

    def _misplaced(self, entry: Entry) -> JournalDamaged:
        text = msg("{file}: entry {seq} ({kind}) cannot stand where it stands.")
        return JournalDamaged(text, self._file, seq=entry.seq, kind=entry.kind)
