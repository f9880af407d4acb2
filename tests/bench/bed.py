"""What the benchmarks stand on: a real disk, a table that only notes what it is shown, and a bare SQLite to compare."""

from __future__ import annotations

import asyncio
import sqlite3
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from controller.config import load
from controller.core.decide import advance
from controller.core.events import Event, TableOpened
from controller.core.evolve import evolve
from controller.core.inputs import Actor, Command, Load
from controller.core.money import Units
from controller.core.state import Setup, Table
from hal.port import Panel, Signal, Stamp

ROOT = Path(__file__).parents[2]
TABLE = ROOT / "examples" / "tables" / "draw-1.toml"
CHIPS_TABLE = ROOT / "examples" / "tables" / "draw-chips.toml"
WIRED = ROOT / "wiring" / "gpio-chips-6.toml"
"""The `[hal]` of a table on the header, with all its displays."""
DEALER = Actor("bench", ("dealer", "supervisor", "technician"), "scenario")
WALL = "2026-01-01T20:00:00.000Z"


class NoDiskError(Exception):
    """The folder is not on a disk; the message says what it is on."""


def refuse_memory(folder: Path) -> str:
    """The file system that `folder` is on. Raises NoDiskError for one that lives in memory: figures from there say
    nothing about a card."""
    best, kind = "", ""
    for line in Path("/proc/mounts").read_text().splitlines():
        _, place, fstype = line.split()[:3]
        if str(folder).startswith(place) and len(place) > len(best):
            best, kind = place, fstype
    if kind in ("tmpfs", "ramfs"):
        raise NoDiskError(f"{folder} is on {kind}, in memory; name a folder on a disk with --folder")
    return kind


def setup(seats: int = 6) -> TableOpened:
    """The opening of the example table, with so many seats (the core does not ask how many a game has)."""
    config = load(TABLE)
    s = config.setup
    wide = Setup(s.table, s.game, seats, s.currency, s.digits, s.acceptor, s.denomination)
    return TableOpened(wide, config.params, Units(int(config.params.base) * 10_000), Units(0))


def loaded(opening: TableOpened, credits: int = 900_000) -> tuple[Table, list[Event]]:
    """A table with credits at every seat, and the events that made it so."""
    state = evolve(None, opening)
    events: list[Event] = []
    for seat in range(1, opening.setup.seats + 1):
        decision = advance(state, Command(Load(seat, credits), DEALER))
        state = decision.state
        events.extend(decision.events)
    return state, events


class Board:
    """A backend that notes when it was shown what, and whose lamps are sensed as commanded, at once."""

    def __init__(self, seats: int, *, senses: bool = True) -> None:
        self.emit: Callable[[Signal], None] = lambda _: None
        self.boot = 0
        self.panel: Panel | None = None
        self.shows = 0
        self.shown: Callable[[Panel], None] = lambda _: None
        self._lamps = [False] * seats
        self._senses = senses

    def start(self, emit: Callable[[Signal], None], boot: int) -> None:
        self.emit, self.boot = emit, boot

    def show(self, panel: Panel) -> None:
        self.panel = panel
        self.shows += 1
        self.shown(panel)
        if not self._senses:
            return
        from hal.port import LampSensed

        for i, seat in enumerate(panel.seats):
            if seat.lamp != self._lamps[i]:
                self._lamps[i] = seat.lamp
                asyncio.get_running_loop().call_soon(self.emit, LampSensed(seat.seat, seat.lamp, self.now()))

    def now(self) -> Stamp:
        return Stamp(self.boot, time.monotonic_ns())

    def stop(self) -> None: ...


class Bare:
    """One bare SQLite connection, WAL and FULL, that commits bytes: what the machine itself can do."""

    def __init__(self, file: Path) -> None:
        self._db = sqlite3.connect(file, isolation_level=None)
        self._db.execute("PRAGMA journal_mode=WAL")
        self._db.execute("PRAGMA synchronous=FULL")
        self._db.execute("PRAGMA wal_autocheckpoint=0")
        self._db.execute("CREATE TABLE entry (seq INTEGER PRIMARY KEY, wall TEXT, kind TEXT, version INT, body, hash)")

    def commit(self, bodies: Sequence[bytes]) -> float:
        """Commit one transaction of rows like the journal's; returns its seconds."""
        began = time.perf_counter()
        self._db.execute("BEGIN IMMEDIATE")
        for body in bodies:
            self._db.execute(
                "INSERT INTO entry (wall, kind, version, body, hash) VALUES (?, 'BetChanged', 1, ?, ?)",
                (WALL, body, bytes(32)),
            )
        self._db.execute("COMMIT")
        return time.perf_counter() - began

    def close(self) -> None:
        self._db.close()
