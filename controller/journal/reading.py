"""Reading a journal beside the daemon that writes it: short, read-only, each entry checked against the chain.

Beside the daemon means in a process of its own: see `controller.journal.database.check_header`.

Between chunks of entries nothing is held open that would stop the daemon. A period that is closed or pruned
meanwhile does not disturb: what is read is what was there when its file was reached.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from sqlite3 import Connection
from typing import NamedTuple

from controller.core.events import BettingOpened, Event, TableOpened
from controller.core.messages import msg
from controller.core.state import Setup
from controller.journal.codec import PeriodOpened, Record
from controller.journal.database import Period, connect_to_read, read_period
from controller.journal.directory import period_file, periods
from controller.journal.entries import Entry, head, place_of, understood, understood_state, walk
from controller.journal.errors import JournalDamaged, translating


class Said(NamedTuple):
    """An entry, the period whose file it is in, and what it says in today's version."""

    period: int
    entry: Entry
    item: Event | Record


class Source(NamedTuple):
    """One file open for reading."""

    db: Connection
    file: Path
    period: Period
    last: int


@contextmanager
def source(directory: Path, number: int) -> Iterator[Source]:
    """The file of period `number`, with the number of the entry that is its last now."""
    file = period_file(directory, number)
    db = connect_to_read(file)
    try:
        yield Source(db, file, read_period(db, file), head(db, file).seq)
    finally:
        db.close()


def extent(directory: Path) -> tuple[int, int]:
    """The numbers of the oldest and the newest entry that are there."""
    numbers = periods(directory)
    with source(directory, numbers[0]) as oldest, source(directory, numbers[-1]) as newest:
        return oldest.period.first_seq, newest.last


def setup(directory: Path) -> Setup:
    """What the table is, from the journal's oldest entry. Raises as `read` does."""
    first, _ = extent(directory)
    (said,) = read(directory, first, first)
    match said.item:
        case TableOpened():
            return said.item.setup
        case PeriodOpened(state_version=version, state=state):
            return understood_state(version, bytes(state), first, period_file(directory, said.period)).setup
    raise JournalDamaged(msg("{file} is not the beginning of a journal."), period_file(directory, said.period))


def read(directory: Path, first: int = 1, last: int | None = None) -> Iterator[Said]:
    """The entries from number `first` to `last` (the newest, when None), over all files.

    Raises JournalMissing, JournalNewer, JournalForeign, JournalDamaged or JournalFailed.
    """
    for number in periods(directory):
        with source(directory, number) as (db, file, period, newest):
            begin = max(first, period.first_seq)
            end = newest if last is None else min(last, newest)
            if begin <= end:
                for entry in walk(db, file, place_of(db, file, begin - 1, period), end):
                    yield Said(number, entry, understood(entry, file))


def story(directory: Path, number: int) -> Iterator[Said]:
    """All entries of round `number`, from the opening of its betting to the opening of the next.

    Nothing, when there is no such round (any more). Raises as `read` does.
    """
    bounds = _openings(directory)
    for seq, opened in bounds:
        if opened == number:
            following = next(bounds, None)
            yield from read(directory, seq, following[0] - 1 if following else None)
            return


def _openings(directory: Path) -> Iterator[tuple[int, int]]:
    """Every opening of betting: the entry's number, and the round's."""
    for number in periods(directory):
        with source(directory, number) as (db, file, _, newest):
            with translating(file):
                rows = db.execute(
                    "SELECT * FROM entry WHERE kind = ? AND seq <= ? ORDER BY seq", (BettingOpened.__name__, newest)
                ).fetchall()
            for row in rows:
                item = understood(Entry(*row), file)
                if isinstance(item, BettingOpened):
                    yield row[0], item.round
