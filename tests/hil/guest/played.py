"""A table that is played in this process: the real backend, and the real engine, on the board's lines."""

from __future__ import annotations

import asyncio
import gc
import os
import sys
import time
from bisect import bisect_left
from collections import defaultdict
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path

from msgspec.structs import replace

from controller.config import load
from controller.core.events import Event, TableOpened
from controller.core.evolve import evolve
from controller.core.money import Minor, Units
from controller.core.state import Setup, Table
from controller.engine import Engine, InlineWriter, ThreadWriter, Writer
from controller.journal.writer import Journal
from hal.debounce import MS
from hal.gpio.feed import SWITCH_S, Wire
from hal.gpio.table import GpioTable
from hal.gpio.wiring import Hardware, Pin, SeatPins, Wiring
from hal.port import Signal
from hal.simulated.physics import US, Acceptor
from tests.bench.bed import CHIPS_TABLE, TABLE, WALL, loaded
from tests.hal.gpio_bench import wiring
from tests.hil.guest.hands import Done
from tests.hil.guest.lines import Lines
from tests.hil.guest.report import note
from tests.hil.guest.table import ElectricTable

SEATS = 7

SKEW = 100 * US
"""Nanoseconds by which the stamp of an edge may be later than the pull."""

MOST = 1_000_000_000
"""Minor units, more than anybody bets here."""

os.environ.setdefault("HOME", "/root")  # the examples keep their journals in a home directory


class Heard(Engine):
    """The engine, and a list of what its hardware told it, each with the instant (ns) at which it did."""

    heard: list[tuple[int, Signal]]

    def signal(self, signal: Signal) -> None:
        self.heard.append((time.monotonic_ns(), signal))
        super().signal(signal)


class Delivered:
    """The edges that the library's thread hands over, noted before pozo has done anything with them. gpio-sim drops an
    edge now and then, or holds it back, as a reader of the kernel's own events sees too: this tells which."""

    def __init__(self, backend: GpioTable) -> None:
        self._backend = backend
        self._arrived = backend._arrived
        self._stamps: dict[str, list[int]] = defaultdict(list)
        self._took: list[int] = []
        self._collected: list[int] = []
        self._collecting = 0
        backend._arrived = self._hear  # type: ignore[method-assign]
        gc.callbacks.append(self._collector)

    def _hear(self, wire: Wire, ns: int, level: bool) -> None:
        self._took.append(time.monotonic_ns() - ns)
        self._stamps[wire.input.name].append(ns)
        self._arrived(wire, ns, level)

    def _collector(self, phase: str, info: dict[str, int]) -> None:
        now = time.monotonic_ns()
        if phase == "stop" and info["generation"] == 2:
            self._collected.append(now - self._collecting)
        self._collecting = now

    def told(self, pull: Done) -> bool:
        """Whether the kernel has told of a pull, when it was made."""
        return stamped(pull, self._stamps[str(pull.pin)]) is not None

    @property
    def edges(self) -> int:
        """How many there were."""
        return len(self._took)

    @property
    def late(self) -> int:
        """How many of them pozo counted as late."""
        return self._backend.late

    def close(self) -> None:
        """Note no more; say how long (ms) they took from their stamps, and the collector of rubbish in between."""
        gc.callbacks.remove(self._collector)
        collected = ", ".join(f"{ns / MS:.1f}" for ns in self._collected)
        note(f"delivery of {self.edges} edges, ms: {_spread(self._took)}; full collections, ms: {collected or 'none'}")


def stamped(pull: Done, stamps: Sequence[int]) -> int | None:
    """Which of these stamps, in order, is that of a pull."""
    n = bisect_left(stamps, pull.before)
    return n if n < len(stamps) and stamps[n] <= pull.after + SKEW else None


class Played:
    """What is at a table that is played."""

    def __init__(self, engine: Heard, backend: GpioTable, electricity: ElectricTable, delivered: Delivered) -> None:
        self.engine, self.backend, self.electricity, self.delivered = engine, backend, electricity, delivered
        self.wiring = electricity.wiring
        self.lines = electricity.lines

    def switched(self, pin: Pin, since: int) -> int | None:
        """When (ns) the output `pin` was switched first after `since`."""
        return next((at for line, _, at in self.electricity.switched if line == pin and at > since), None)


def acceptor(seat: SeatPins) -> Pin:
    """The line of a seat's button, or of its first sensor."""
    return seat.button or seat.chips[0][1]


def at_rest(lines: Lines, table: Wiring) -> None:
    """All wires of a table at rest, its jumper in place, its key locked."""
    lines.jumper = (table.loop_out, table.loop_in)
    for pin in (table.key_locked, table.loop_in):
        lines.drive(pin, False)
    lines.drive(table.key_open, True)
    for seat in table.seats:
        lines.drive(seat.sense, True)
        if seat.button is not None:
            lines.drive(seat.button, True)
        for _, pin in seat.chips:
            lines.drive(pin, False)


def opening(kind: Acceptor, most: int = MOST) -> TableOpened:
    """An example's table, with all the seats and a bet of `most` minor units at most."""
    config = load(TABLE if kind == "credits" else CHIPS_TABLE)
    s = config.setup
    setup = Setup(s.table, s.game, SEATS, s.currency, s.digits, s.acceptor, s.denomination)
    params = replace(config.params, bet_min=Minor(s.denomination), bet_max=Minor(most))
    return TableOpened(setup, params, Units(int(config.params.base) * 10_000), Units(0))


def hardware(kind: Acceptor) -> Hardware:
    """A table whose lamps and senses are on the expander."""
    pins = wiring(kind, SEATS, "expander")
    return Hardware("lgpio", pins.wiring, pins.expander)


@contextmanager
def listening(kind: Acceptor) -> Iterator[tuple[Delivered, Lines, list[Signal]]]:
    """The backend alone, on lines at rest; what arrives at it, and what it tells."""
    sys.setswitchinterval(SWITCH_S)  # as the daemon does
    wired = hardware(kind)
    lines, told = Lines(), list[Signal]()
    at_rest(lines, wired.wiring)
    backend = GpioTable(wired)
    delivered = Delivered(backend)
    try:
        backend.start(told.append, 1)
        yield delivered, lines, told
    finally:
        backend.stop()
        lines.close()
        delivered.close()


def _spread(took: list[int]) -> str:
    ordered = [ns / MS for ns in sorted(took)] or [0.0]
    return (
        f"median {ordered[len(ordered) // 2]:.2f}, 99.9 % {ordered[len(ordered) * 999 // 1000]:.2f}, {ordered[-1]:.2f}"
    )


@asynccontextmanager
async def playing(
    start: TableOpened, *, writer: Writer | None = None, last: int = 0, opened: bool = True
) -> AsyncIterator[Played]:
    """A table at work, its betting `opened`; whoever has a button has credits. Without a writer nothing is written."""
    kind = start.setup.acceptor
    sys.setswitchinterval(SWITCH_S)  # as the daemon does
    wired = hardware(kind)
    electricity = ElectricTable(wired.wiring, kind)
    for seat in electricity.seats.values():
        seat.kind = "credits"  # the sensors' lines are pulled by hands: light of a lamp would let go of a chip there
    backend = GpioTable(wired)
    delivered = Delivered(backend)
    engine = Heard(_loaded(start)[0], last, writer or _no_commit(last), backend)
    engine.heard = []
    try:
        engine.start("bench")
        await asyncio.sleep(0.3)
        if opened:
            electricity.turn_key("open")
            await electricity.quiet()
            assert engine.state.round is not None, "the key did not open the round"
        yield Played(engine, backend, electricity, delivered)
    finally:
        await engine.quiet()
        engine.close()
        backend.stop()
        await electricity.close()
        delivered.close()


@asynccontextmanager
async def journaling(start: TableOpened, folder: Path) -> AsyncIterator[tuple[Writer, int]]:
    """A journal in `folder`, begun with `start`, written by its thread as in the daemon; its writer and last number."""
    writer = ThreadWriter(asyncio.get_running_loop())
    state, events = _loaded(start)
    journal: Journal = await writer.run(lambda: Journal.create(folder, start, WALL, evolve))
    last: int = await writer.run(lambda: journal.commit(events, state, WALL))
    writer.use(lambda events, state: journal.commit(events, state, WALL))
    try:
        yield writer, last
    finally:
        await writer.run(journal.close)
        writer.stop()


def _loaded(start: TableOpened) -> tuple[Table, list[Event]]:
    return loaded(start) if start.setup.acceptor == "credits" else (evolve(None, start), [])


def _no_commit(last: int) -> Writer:
    """Commits do nothing."""
    number = last

    def commit(events: Sequence[Event], state: Table) -> int:
        nonlocal number
        number += len(events)
        return number

    return InlineWriter(commit)
