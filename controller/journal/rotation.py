"""From one file to the next, and away with the oldest: safe at every step.

Closing period N makes these steps durable, one after the other:

1. ``N+1.db.tmp`` holds the opening balances, chained to the closing entry that is about to be written.
2. The closing entry is committed to ``N.db``. This is the moment: before it period N is open, after it closed.
3. ``N+1.db.tmp`` takes its name.
4. ``N.db`` takes in its log and is marked complete.

Interrupted before 2, the draft is thrown away at the next start; after 2, what is missing of 3 and 4 is done
then. A closed file with neither a successor nor its draft has lost it, and is refused.
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import msgspec

from controller.core.events import Event
from controller.core.messages import msg
from controller.core.state import STATE_VERSION, Table
from controller.journal.chain import NO_PREVIOUS, Link
from controller.journal.codec import Encoded, PeriodClosed, PeriodOpened, encode, encode_state
from controller.journal.database import LEFT, Period, connect, connect_to_read, create, read_period, settle
from controller.journal.directory import draft_of, found, period_file, periods, remove, sync_directory, wal_of
from controller.journal.entries import Entry, append, beginning, head, sealed, walk
from controller.journal.errors import JournalDamaged, translating
from controller.journal.recover import Replay


class Closing(NamedTuple):
    """What closing a period writes: its last entry, and the next file's own row."""

    entry: Entry
    successor: Period


def draft_first(file: Path, first: Event, table: str, wall: str) -> None:
    """Prepare the first file of a table's journal, with its first entry."""
    draft(file, Period(table, 1, NO_PREVIOUS, 1, 0, LEFT), wall, encode(first))


def closing(period: Period, at: Link, state: Table, wall: str) -> Closing:
    """The closing of `period` after the entry `at`, as yet unwritten."""
    record = PeriodClosed(period.number, STATE_VERSION, msgspec.Raw(encode_state(state)))
    (entry,) = sealed(at, wall, [encode(record)])
    successor = Period(period.table_id, period.number + 1, entry.hash, entry.seq + 1, period.pruned, LEFT)
    return Closing(entry, successor)


def draft_next(file: Path, successor: Period, state: Table, wall: str) -> None:
    """Prepare the file that follows a closing, with the balances it opens with (step 1)."""
    opening = PeriodOpened(
        table=successor.table_id,
        period=successor.number,
        previous=successor.previous.hex(),
        pruned=successor.pruned,
        state_version=STATE_VERSION,
        state=msgspec.Raw(encode_state(state)),
    )
    draft(file, successor, wall, encode(opening))


def draft(file: Path, period: Period, wall: str, first: Encoded) -> None:
    """Prepare a file with its own row and its first entry."""
    place = draft_of(file)
    with translating(place):
        remove(place)
    db = create(place, period)
    try:
        with translating(place):
            append(db, sealed(beginning(period), wall, [first]))
            db.execute("COMMIT")
        settle(db, place)
    finally:
        db.close()
    with translating(place):
        sync_directory(file.parent)


def publish(file: Path) -> None:
    """Give a draft its name (step 3)."""
    with translating(file):
        draft_of(file).rename(file)
        sync_directory(file.parent)


# --- at the next start -----------------------------------------------------------------------------------


def ready(directory: Path) -> int:
    """Complete or undo what an interruption left, and return the number of the active file. Needs the lock.

    Raises JournalDamaged, with nothing changed, when a file is missing or does not follow the one before.
    """
    numbers = periods(directory)
    newest, successor = (period_file(directory, number) for number in (numbers[-1], numbers[-1] + 1))
    drafted = draft_of(successor).exists()
    end = _end_if_closed(newest)
    if end is not None:
        if not drafted:
            raise JournalDamaged(msg("{file} is missing: the period before it is closed."), successor)
        follower = _period_of(draft_of(successor))
        if end != Link(follower.first_seq - 1, follower.previous):
            raise JournalDamaged(msg("{file} does not follow the period that was closed."), draft_of(successor))
        publish(successor)
        numbers.append(follower.number)
    elif drafted:
        with translating(successor):
            remove(draft_of(successor))
    _check_earlier(directory, numbers)
    return numbers[-1]


def _check_earlier(directory: Path, numbers: list[int]) -> None:
    """Do the files before the active one lead up to it? Removes what a prune that was interrupted left.

    Looks at the file before the active one and at the oldest; `controller.journal.verify` looks at everything.
    """
    active = _period_of(period_file(directory, numbers[-1]))
    if numbers[0] > active.pruned + 1:
        missing = period_file(directory, numbers[0] - 1)
        raise JournalDamaged(msg("{file} is missing, and nobody removed it by `pozo journal prune`."), missing)
    if numbers[0] <= active.pruned:
        remove_pruned(directory, active.pruned)
    if active.number - 1 > active.pruned:
        before = period_file(directory, active.number - 1)
        if _end_if_closed(before) != Link(active.first_seq - 1, active.previous):
            raise JournalDamaged(msg("{file} does not end where the next file begins."), before)
    settle_closed(directory, found(directory)[:-1])


def settle_closed(directory: Path, numbers: list[int]) -> None:
    """Let the files `numbers`, all closed, stand without a log (step 4), if a reader or a power cut was in the way."""
    for file in (period_file(directory, number) for number in numbers):
        if wal_of(file).exists():  # also an empty one
            db = connect(file)
            try:
                settle(db, file)
            finally:
                db.close()


def _end_if_closed(file: Path) -> Link | None:
    """The place of the closing entry, None when the period is open."""
    db = connect_to_read(file)
    try:
        end = head(db, file)
        with translating(file):
            row = db.execute("SELECT kind FROM entry WHERE seq = ?", (end.seq,)).fetchone()
    finally:
        db.close()
    return end if row == (PeriodClosed.__name__,) else None


def _period_of(file: Path) -> Period:
    db = connect_to_read(file)
    try:
        return read_period(db, file)
    finally:
        db.close()


# --- removing the oldest ---------------------------------------------------------------------------------


def removable(directory: Path, keep: int) -> list[int]:
    """The numbers of the closed files beyond the newest `keep`, ascending. Raises ValueError for keep < 0."""
    if keep < 0:
        raise ValueError(f"cannot keep {keep} files")
    closed = periods(directory)[:-1]
    return closed[: max(0, len(closed) - keep)]


def check_kept(directory: Path, oldest: int, active: Period) -> bytes:
    """Can the files from number `oldest` on stand without those before? Returns the hash that `oldest` follows.
    `active` is the period that is open, whose file is in use and was looked at when it was opened.

    Raises JournalDamaged or JournalNewer when the opening balances of one are not in order.
    """
    before: Link | None = None
    followed = b""
    for number in range(oldest, active.number):
        file = period_file(directory, number)
        db = connect_to_read(file)
        try:
            period = read_period(db, file)
            start = Link(period.first_seq - 1, period.previous)
            if before not in (None, start):
                raise JournalDamaged(msg("{file} does not begin where the file before it ends."), file)
            (opening,) = walk(db, file, beginning(period), period.first_seq)
            replay = Replay(file, period, _no_event, None)
            replay.take(opening)
            before = head(db, file)
        finally:
            db.close()
        followed = followed or period.previous
    if before not in (None, Link(active.first_seq - 1, active.previous)):
        raise JournalDamaged(
            msg("{file} does not begin where the file before it ends."), period_file(directory, active.number)
        )
    return followed or active.previous


def _no_event(state: Table | None, event: Event) -> Table:
    raise TypeError(f"opening balances are expected, not {type(event).__name__}")


def remove_pruned(directory: Path, through: int) -> None:
    """Remove the files up to number `through`, the oldest first, so that an interruption leaves no gap."""
    for number in found(directory):
        if number <= through:
            file = period_file(directory, number)
            with translating(file):
                remove(file)
    with translating(directory):
        sync_directory(directory)
