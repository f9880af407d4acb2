"""Strict stand-ins around an engine in virtual time: a journal that is as slow as the test says, hardware that checks.

    @in_virtual_time
    async def test_…() -> None:
        rig = await Rig.playing()
        rig.press(1)
        await rig.turn()
        assert rig.writer.under_way          # decided, and not durable yet
        rig.writer.complete()
        assert rig.lamp(1)

The stand-ins fail the test by themselves: when two commits are under way at once, when something is shown that is
not durable, when the same panel is shown twice in succession.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from functools import wraps
from typing import Any, cast

from msgspec.structs import replace

from controller.core.events import Event, TableOpened
from controller.core.evolve import evolve
from controller.core.inputs import Act, Actor, Command, Load
from controller.core.money import Units
from controller.core.panel import panel
from controller.core.state import Table
from controller.engine import Done, Engine
from controller.published import Outcome, Published
from hal.port import (
    CompleteTo,
    HardwareError,
    KeyTurned,
    LampSensed,
    Panel,
    Pressed,
    Signal,
    Stamp,
)
from hal.simulated.virtualtime import VirtualLoop, run
from tests.core.table import PARAMS, setup

BOSS = Actor("ana", ("dealer", "supervisor"), "console")
"""May do whatever one person may do alone."""

PLENTY = 900_000
"""Credits that last for a test."""


def in_virtual_time(function: Callable[..., Coroutine[Any, Any, None]]) -> Callable[..., None]:
    """A test that is a coroutine, in virtual time. What fails behind its back fails it."""

    @wraps(function)
    def test(*args: Any, **fixtures: Any) -> None:
        async def watched() -> None:
            troubles: list[dict[str, Any]] = []
            asyncio.get_running_loop().set_exception_handler(lambda _, context: troubles.append(context))
            await function(*args, **fixtures)
            await asyncio.sleep(0)
            assert not troubles, troubles

        run(watched())

    return test


def timers() -> list[asyncio.TimerHandle]:
    """The timers that wait in the loop, but for the board's own: lamps take their time."""
    loop = cast(Any, asyncio.get_running_loop())
    return [handle for handle in loop._scheduled if not (handle.cancelled() or handle._callback == Board._sense)]


class HeldWriter:
    """Commits when the test says so. `durable` is the state after what is committed, `batches` its events."""

    def __init__(self, durable: Table, last: int) -> None:
        self.durable = durable
        self.last = last
        self.batches: list[list[Event]] = []
        self._job: tuple[Sequence[Event], Table, Done] | None = None

    @property
    def under_way(self) -> bool:
        return self._job is not None

    def write(self, events: Sequence[Event], state: Table, done: Done) -> None:
        assert self._job is None, "a second commit was begun before the first was done"
        assert events, "nothing is committed"
        replayed = self.durable
        for event in events:
            replayed = evolve(replayed, event)
        assert replayed == state, "the state is not the one after the events"
        self._job = events, state, done

    def complete(self) -> None:
        """The disk has it."""
        assert self._job is not None, "no commit is under way"
        (events, state, done), self._job = self._job, None
        self.durable, self.last = state, self.last + len(events)
        self.batches.append(list(events))
        done(self.last)

    def fail(self, error: BaseException) -> None:
        """The disk has failed."""
        assert self._job is not None, "no commit is under way"
        (_, _, done), self._job = self._job, None
        done(error)


class Board:
    """Hardware that notes what it is shown. With `senses` its lamps are sensed as commanded after as many seconds."""

    def __init__(self, writer: HeldWriter, seats: int) -> None:
        self.shown: list[Panel] = []
        self.fails: Exception | None = None
        self.cannot_start: HardwareError | None = None
        self.show_takes = 0.0
        self.senses: float | None = None
        self.emit: Callable[[Signal], None] | None = None
        self.boot = 0
        self._writer = writer
        self._lit = [False] * seats
        self._sensed = [False] * seats
        self._loop = cast(VirtualLoop, asyncio.get_running_loop())

    def start(self, emit: Callable[[Signal], None], boot: int) -> None:
        assert self.emit is None, "started twice"
        if self.cannot_start is not None:
            raise self.cannot_start
        self.emit, self.boot = emit, boot

    def show(self, shown: Panel) -> None:
        assert self.emit is not None, "shown before the start"
        assert not self.shown or shown != self.shown[-1], "the same panel twice"
        assert _bare(shown) == _bare(panel(self._writer.durable, stopped=shown.reason)), "not durable"
        if self.fails is not None:
            raise self.fails
        self._loop._virtual += self.show_takes
        self.shown.append(shown)
        if self.senses is not None:
            for index, seat in enumerate(shown.seats):
                if seat.lamp != self._lit[index]:
                    self._lit[index] = seat.lamp
                    self._loop.call_later(self.senses, Board._sense, self, index)

    def now(self) -> Stamp:
        return Stamp(self.boot, round(self._loop.time() * 1e9))

    def stop(self) -> None:
        self.emit = None

    def _sense(self, index: int) -> None:
        if self.emit is not None and self._sensed[index] != self._lit[index]:
            self._sensed[index] = self._lit[index]
            self.emit(LampSensed(index + 1, self._lit[index], self.now()))


def _bare(shown: Panel) -> Panel:
    """Without hints, which are not state, and what a seat says that has none."""
    return replace(
        shown,
        seats=tuple(
            replace(seat, says=tuple(said for said in seat.says if said.text not in ("no-credits", "locked")))
            for seat in shown.seats
        ),
    )


class Rig:
    """An engine between a `HeldWriter` and a `Board`."""

    def __init__(self, state: Table | None = None, last: int = 1) -> None:
        state = state or evolve(None, TableOpened(setup(), PARAMS, Units(100_000_000_000), Units(0)))
        self.writer = HeldWriter(state, last)
        self.board = Board(self.writer, len(state.seats))
        self.engine = Engine(state, last, self.writer, self.board)
        self.heard: list[Published] = []
        self.engine.listen(self._hear)

    @classmethod
    async def playing(cls, *, senses: float | None = 0.01) -> Rig:
        """Started, with plenty of credits at every seat, and betting open."""
        rig = cls()
        rig.board.senses = senses
        rig.engine.start("test")
        for seat in range(1, len(rig.engine.state.seats) + 1):
            rig.engine.put(Command(Load(seat, PLENTY), BOSS))
        await rig.done()
        rig.key("open")
        await rig.done()
        rig.heard.clear()
        rig.writer.batches.clear()
        return rig

    # what the world does

    def press(self, seat: int) -> None:
        self.signal(Pressed(seat, self.board.now()))

    def key(self, position: Any) -> None:
        self.signal(KeyTurned(position, self.board.now()))

    def report(self, *seats: int) -> None:
        """Seats report everything up to now."""
        for seat in seats or range(1, len(self.engine.state.seats) + 1):
            self.signal(CompleteTo(seat, self.board.now()))

    def signal(self, signal: Signal) -> None:
        assert self.board.emit is not None
        self.board.emit(signal)

    def command(self, act: Act, **more: Any) -> asyncio.Task[Outcome]:
        return asyncio.get_running_loop().create_task(self.engine.command(Command(act, BOSS, **more)))

    # time

    async def turn(self) -> None:
        """Let what is ready to run do so, in no time."""
        for _ in range(5):
            await asyncio.sleep(0)

    async def done(self) -> None:
        """Commit, as fast as can be, until nothing waits."""
        await self.turn()
        while self.writer.under_way:
            self.writer.complete()
            await self.turn()

    async def passes(self, seconds: float) -> None:
        """Let time pass; commits take none of it."""
        loop = asyncio.get_running_loop()
        until = loop.time() + seconds
        await self.done()
        while (left := until - loop.time()) > 1e-9:
            due = [timer.when() - loop.time() for timer in cast(Any, loop)._scheduled if not timer.cancelled()]
            await asyncio.sleep(min([left, *(wait for wait in due if wait > 0)]))
            await self.done()

    # what can be seen

    @property
    def panel(self) -> Panel:
        return self.board.shown[-1]

    def lamp(self, seat: int) -> bool:
        return self.panel.seats[seat - 1].lamp

    def bet(self, seat: int) -> int:
        return self.panel.seats[seat - 1].bet

    def closed(self) -> dict[int, str]:
        """The closed seats, and why."""
        return {seat.seat: seat.closed for seat in self.engine.state.seats if seat.closed is not None}

    def _hear(self, published: Published) -> None:
        assert published.state == self.writer.durable, "published before it was durable"
        self.heard.append(published)
