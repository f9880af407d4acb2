"""The rows of one file: writing entries and snapshots, and walking the chain."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from controller.core.events import Event
from controller.core.messages import msg
from controller.core.state import STATE_VERSION, Table
from controller.journal.chain import Link, entry_hash, origin, snapshot_hash
from controller.journal.codec import Encoded, Record, UndecodableError, UnknownVersionError, decode, decode_state
from controller.journal.database import Period
from controller.journal.errors import JournalDamaged, JournalNewer, translating

CHUNK = 1_000
"""Entries read at once; between chunks no read transaction is open that would hold a checkpoint up."""


class Entry(NamedTuple):
    """One row as it is stored. `wall` is `controller.journal.wall`'s text; `hash` ties it to the one before."""

    seq: int
    wall: str
    kind: str
    version: int
    body: bytes
    hash: bytes

    @property
    def link(self) -> Link:
        """This entry as a place in the chain."""
        return Link(self.seq, self.hash)


def sealed(after: Link, wall: str, items: Sequence[Encoded]) -> list[Entry]:
    """`items` as the entries that follow the place `after`."""
    seq, previous = after
    entries = []
    for kind, version, body in items:
        seq += 1
        previous = entry_hash(previous, seq, wall, kind, version, body)
        entries.append(Entry(seq, wall, kind, version, body, previous))
    return entries


def append(db: sqlite3.Connection, entries: Sequence[Entry]) -> None:
    """Add entries and move the head, within the caller's transaction."""
    if len(entries) == 1:
        db.execute("INSERT INTO entry VALUES (?, ?, ?, ?, ?, ?)", entries[0])
    else:
        db.executemany("INSERT INTO entry VALUES (?, ?, ?, ?, ?, ?)", entries)
    db.execute("INSERT OR REPLACE INTO head VALUES (1, ?, ?)", entries[-1].link)


def add_snapshot(db: sqlite3.Connection, at: Link, state: bytes) -> None:
    """Keep `state` as it is after `at`, and only the snapshot before it, within the caller's transaction."""
    digest = snapshot_hash(at, STATE_VERSION, state)
    db.execute("INSERT OR REPLACE INTO snapshot VALUES (?, ?, ?, ?)", (at.seq, STATE_VERSION, state, digest))
    db.execute("DELETE FROM snapshot WHERE seq NOT IN (SELECT seq FROM snapshot ORDER BY seq DESC LIMIT 2)")


def beginning(period: Period) -> Link:
    """The place that a file's first entry follows."""
    return Link(period.first_seq - 1, origin(period.table_id, period.number, period.previous))


def head(db: sqlite3.Connection, file: Path) -> Link:
    """The place of the last entry. Raises JournalDamaged when it is not the one recorded as the last."""
    with translating(file):
        recorded = db.execute("SELECT seq, hash FROM head").fetchone()
        present = db.execute("SELECT seq, hash FROM entry ORDER BY seq DESC LIMIT 1").fetchone()
    if recorded is None or present is None:
        raise JournalDamaged(msg("{file} has no entries."), file)
    if recorded != present:
        raise JournalDamaged(
            msg("{file} ends with entry {present}, but {recorded} was recorded as the last, or its hash differs."),
            file,
            present=present[0],
            recorded=recorded[0],
        )
    return Link(*recorded)


def walk(db: sqlite3.Connection, file: Path, after: Link, last: int) -> Iterator[Entry]:
    """The entries that follow the place `after`, up to number `last`, each checked against the chain.

    Raises JournalDamaged at the first entry that is missing or does not follow.
    """
    seq, previous = after
    while seq < last:
        with translating(file):
            rows = db.execute(
                "SELECT * FROM entry WHERE seq > ? AND seq <= ? ORDER BY seq LIMIT ?",
                (seq, last, CHUNK),
            ).fetchall()
        if not rows:
            raise JournalDamaged(msg("{file}: entry {seq} is missing."), file, seq=seq + 1)
        for row in rows:
            entry = Entry(*row)
            if entry.seq != seq + 1:
                raise JournalDamaged(msg("{file}: entry {seq} is missing."), file, seq=seq + 1)
            seq, previous = entry.seq, entry_hash(previous, *entry[:5])
            if entry.hash != previous:
                raise JournalDamaged(
                    msg("{file}: entry {seq} does not follow from the one before it; one of them was altered."),
                    file,
                    seq=seq,
                )
            yield entry


def place_of(db: sqlite3.Connection, file: Path, seq: int, period: Period) -> Link:
    """The place of entry `seq`, or of the file's beginning when `seq` is the number before its first."""
    if seq == period.first_seq - 1:
        return beginning(period)
    with translating(file):
        row = db.execute("SELECT seq, hash FROM entry WHERE seq = ?", (seq,)).fetchone()
    if row is None:
        raise JournalDamaged(msg("{file}: entry {seq} is missing."), file, seq=seq)
    return Link(*row)


def understood(entry: Entry, file: Path) -> Event | Record:
    """What an entry says, in today's version. Raises JournalNewer or JournalDamaged."""
    try:
        return decode(entry.kind, entry.version, entry.body)
    except UnknownVersionError as error:
        raise newer(file, entry.seq, error) from error
    except UndecodableError as error:
        raise JournalDamaged(
            msg("{file}: entry {seq} cannot be understood ({error})."), file, seq=entry.seq, error=error
        ) from error


def understood_state(version: int, state: bytes, seq: int, file: Path) -> Table:
    """A stored state as one of today's version. Raises JournalNewer or JournalDamaged."""
    try:
        return decode_state(version, state)
    except UnknownVersionError as error:
        raise newer(file, seq, error) from error
    except UndecodableError as error:
        raise JournalDamaged(
            msg("{file}: the state kept at entry {seq} cannot be understood ({error})."), file, seq=seq, error=error
        ) from error


def newer(file: Path, seq: int, what: UnknownVersionError) -> JournalNewer:
    """The refusal of an entry that only a newer pozo can have written."""
    return JournalNewer(
        msg("{file}: entry {seq} was written by another version of pozo ({what})."),
        msg("Install the pozo that wrote it, or a newer one. Nothing was changed."),
        file=file,
        seq=seq,
        what=what,
    )
