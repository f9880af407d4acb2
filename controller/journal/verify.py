"""Is every entry there, and untouched? The whole journal, from its oldest file to its last entry.

Beyond what opening checks: every entry of every file, the links between files, the state replayed from each
file's opening balances, every snapshot and all closing balances compared with it.
"""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import NamedTuple

from controller.core.messages import msg
from controller.core.state import STATE_VERSION
from controller.journal.chain import NO_PREVIOUS, Link, snapshot_hash
from controller.journal.database import Period, connect_to_read, read_period
from controller.journal.directory import draft_of, period_file, periods
from controller.journal.entries import beginning, head, understood_state, walk
from controller.journal.errors import JournalDamaged, translating
from controller.journal.recover import Evolve, Replay

Snapshots = dict[int, tuple[int, bytes, bytes]]
"""By entry: state version, state, hash."""


class Report(NamedTuple):
    """What was found whole before `damage`, or altogether when that is None."""

    table: str = ""
    files: int = 0
    entries: int = 0
    snapshots: int = 0
    first: int = 0
    last: int = 0
    pruned: int = 0
    damage: JournalDamaged | None = None


def verify(directory: Path, evolve: Evolve) -> Report:
    """Check everything, and report counts or the first damaged place. Works while the daemon writes.

    Raises JournalMissing, JournalForeign, JournalNewer or JournalFailed: what cannot be read at all.
    """
    report = Report()
    try:
        before: Period | None = None
        end: Link | None = None
        numbers = periods(directory)
        for number in numbers:
            whole = _File(directory, number, evolve)
            whole.check_follows(before, end)
            whole.check_entries()
            whole.check_end(last=number == numbers[-1])
            before, end = whole.period, whole.end
            if number == numbers[-1] and numbers[0] > before.pruned + 1:
                missing = period_file(directory, numbers[0] - 1)
                raise JournalDamaged(msg("{file} is missing, and nobody removed it by `pozo journal prune`."), missing)
            report = Report(
                table=before.table_id,
                files=report.files + 1,
                entries=report.entries + end.seq - before.first_seq + 1,
                snapshots=report.snapshots + len(whole.snapshots),
                first=report.first or before.first_seq,
                last=end.seq,
                pruned=before.pruned,
            )
    except JournalDamaged as damage:
        return report._replace(damage=damage)
    return report


class _File:
    """One file under examination: everything about it as of one instant, and its entries up to then."""

    def __init__(self, directory: Path, number: int, evolve: Evolve) -> None:
        self.file = period_file(directory, number)
        self._directory = directory
        self._number = number
        db = connect_to_read(self.file)
        try:
            with translating(self.file):
                db.execute("BEGIN")
                self.period = read_period(db, self.file)
                self.end = head(db, self.file)
                self.snapshots = _snapshots(db)
                db.execute("COMMIT")
        finally:
            db.close()
        self._replay = Replay(self.file, self.period, evolve, None)

    def check_follows(self, before: Period | None, end: Link | None) -> None:
        """Does the file begin where the one before it ends; or was everything before it pruned?"""
        own = self.period
        if before is None or end is None:
            if own.number == 1 and own.previous == NO_PREVIOUS and own.first_seq == 1:
                return
            if own.number == 1:
                raise JournalDamaged(msg("{file} is not the beginning of a journal."), self.file)
        elif before.table_id != own.table_id or end != Link(own.first_seq - 1, own.previous):
            raise JournalDamaged(msg("{file} does not begin where the file before it ends."), self.file)

    def check_entries(self) -> None:
        """Walk and replay all entries, comparing the snapshots on the way."""
        met = 0
        db = connect_to_read(self.file)
        try:
            for entry in walk(db, self.file, beginning(self.period), self.end.seq):
                self._replay.take(entry)
                if entry.seq in self.snapshots:
                    self._check_snapshot(entry.link)
                    met += 1
        finally:
            db.close()
        if met != len(self.snapshots):
            raise JournalDamaged(msg("{file} has a snapshot of an entry that it does not have."), self.file)

    def _check_snapshot(self, at: Link) -> None:
        version, state, digest = self.snapshots[at.seq]
        if digest != snapshot_hash(at, version, state):
            raise JournalDamaged(msg("{file}: the snapshot at entry {seq} was altered."), self.file, seq=at.seq)
        comparable = version == STATE_VERSION and self._replay.native
        if comparable and understood_state(version, state, at.seq, self.file) != self._replay.state:
            text = msg("{file}: the snapshot at entry {seq} is not what the entries add up to.")
            raise JournalDamaged(text, self.file, seq=at.seq)

    def check_end(self, last: bool) -> None:
        """Is every file but the last closed, and is what was pruned recorded?"""
        if self._replay.pruned != self.period.pruned:
            raise JournalDamaged(msg("{file} misreports which files were removed before it."), self.file)
        if not last and not self._replay.closed:
            raise JournalDamaged(msg("{file} is not closed, though later files are there."), self.file)
        if last and self._replay.closed:
            # Between the closing and the next file's name there is a moment, which a reader may catch.
            successor = period_file(self._directory, self._number + 1)
            if not draft_of(successor).exists() and not successor.exists():
                raise JournalDamaged(msg("{file} is missing: the period before it is closed."), successor)


def _snapshots(db: sqlite3.Connection) -> Snapshots:
    return {
        seq: (version, state, digest)
        for seq, version, state, digest in db.execute("SELECT seq, version, state, hash FROM snapshot")
    }
