"""Journals of any length for the benchmarks, written quickly and always ending at the same distance from a snapshot.

python -m tests.bench.journal_fill DIR ENTRIES
"""

from __future__ import annotations

import sys
from pathlib import Path

from controller.core.events import CreditsLoaded, Event
from controller.core.evolve import evolve
from controller.core.state import Table
from controller.journal.writer import NORMAL, Journal
from tests.engine.journals import FIRST, WALL

SINCE_SNAPSHOT = 300
"""Entries after the last snapshot: what a start has to replay."""

BATCH = 10_000


def fill(directory: Path, entries: int) -> Table:
    """Write a journal of `entries` entries to `directory`, left properly; returns its state.

    `entries` is more than `SINCE_SNAPSHOT`. Takes some ten seconds per million: large transactions, which no table
    would make, whose last one but one ends with a snapshot.
    """
    if entries <= SINCE_SNAPSHOT + NORMAL.snapshot_every:
        raise ValueError(f"{entries} entries are too few to hold a snapshot and {SINCE_SNAPSHOT} entries after it")
    with Journal.create(directory, FIRST, WALL, evolve) as journal:
        state, written = journal.recovered.state, 1
        while written < entries:
            before_tail = entries - SINCE_SNAPSHOT - written
            count = min(BATCH, before_tail) if before_tail > 0 else SINCE_SNAPSHOT
            events = [_event(written + n) for n in range(count)]
            for event in events:
                state = evolve(state, event)
            journal.commit(events, state, WALL)
            journal.tidy()
            written += count
    return state


def _event(number: int) -> Event:
    return CreditsLoaded(seat=number % 6 + 1, count=1, credits=number)


if __name__ == "__main__":
    fill(Path(sys.argv[1]), int(sys.argv[2]))
