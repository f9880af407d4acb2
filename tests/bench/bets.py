"""From a signal to the shown panel, through the real engine, the real journal thread and a real disk."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from pathlib import Path
from statistics import median
from typing import Any

import msgspec

from controller.core.events import BetChanged, Event
from controller.core.evolve import evolve
from controller.core.state import Table
from controller.engine import Engine, ThreadWriter
from controller.journal.writer import Journal
from hal.port import KeyTurned, Panel, Pressed, Stamp
from tests.bench.bed import WALL, Bare, Board, loaded, setup

encode = msgspec.json.Encoder().encode


class Rig:
    """An engine on a journal in `folder`, betting open, with a commit that can be slowed."""

    def __init__(self, folder: Path, seats: int) -> None:
        self.folder = folder
        self.board = Board(seats)
        self.delay = 0.0
        self.commits = 0
        self.bodies: list[bytes] = []
        self.took: list[float] = []
        self.seats = seats

    async def __aenter__(self) -> Rig:
        opening = setup(self.seats)
        state, events = loaded(opening)
        self.writer = ThreadWriter(asyncio.get_running_loop())
        self.journal: Journal = await self.writer.run(
            lambda: Journal.create(self.folder / "journal", opening, WALL, evolve)
        )
        last = await self.writer.run(lambda: self.journal.commit(events, state, WALL))
        self.writer.use(self._commit)
        self.engine = Engine(state, last, self.writer, self.board)
        self.engine.start("bench")
        self.board.emit(KeyTurned("open", self.board.now()))
        await self.engine.quiet()
        self.commits = 0
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.engine.quiet()
        self.engine.close()
        await self.writer.run(self.journal.close)
        self.writer.stop()

    def _commit(self, events: Sequence[Event], state: Table) -> int:
        if self.delay:
            time.sleep(self.delay)
        self.commits += 1
        self.bodies = [encode(event) for event in events if isinstance(event, BetChanged)] or self.bodies
        return self.journal.commit(events, state, WALL)

    async def bet(self, seat: int) -> float:
        """One press; the seconds from its signal to the panel that shows the changed bet."""
        loop = asyncio.get_running_loop()
        done: asyncio.Future[float] = loop.create_future()
        before = self.engine.state.round.bets[seat - 1].bet if self.engine.state.round else 0

        def shown(panel: Panel) -> None:
            if panel.seats[seat - 1].bet != before and not done.done():
                done.set_result(time.perf_counter())

        self.board.shown = shown
        began = time.perf_counter()
        self.board.emit(Pressed(seat, self.board.now()))
        took = await done - began
        self.board.shown = lambda _: None
        await self.engine.quiet()
        await asyncio.sleep(0)
        await self.engine.quiet()
        return took


async def one_bet(folder: Path, count: int, delay: float) -> dict[str, float]:
    """Medians: signal to panel, and a bare commit of the same bytes, in turns, `delay` seconds added to both."""
    ours, bares = [], []
    async with Rig(folder, 6) as rig:
        rig.delay = delay
        bare = Bare(folder / "bare.db")
        for n in range(count):
            ours.append(await rig.bet(1 + n % 6))
            bares.append(_bare(bare, rig.bodies[:1], delay))
        bare.close()
    return {"ours": median(ours), "bare": median(bares), "ratio": median(ours) / median(bares)}


def _bare(bare: Bare, bodies: list[bytes], delay: float) -> float:
    began = time.perf_counter()
    if delay:
        time.sleep(delay)
    bare.commit(bodies)
    return time.perf_counter() - began


async def all_at_once(folder: Path, seats: int = 7) -> dict[str, float]:
    """Every seat presses in the same instant: commits until all bets are shown."""
    most = 0
    async with Rig(folder, seats) as rig:
        for n in range(20):
            done: asyncio.Future[int] = asyncio.get_running_loop().create_future()
            before = [bet.bet for bet in rig.engine.state.round.bets] if rig.engine.state.round else []

            def shown(panel: Panel, before: list[Any] = before, done: asyncio.Future[int] = done) -> None:
                if all(s.bet != b for s, b in zip(panel.seats, before, strict=True)) and not done.done():
                    done.set_result(rig.commits)

            rig.board.shown = shown
            rig.commits = 0
            for seat in range(1, seats + 1):
                # Presses arrive as separate events of the loop, as lines and nodes deliver them.
                asyncio.get_running_loop().call_soon(rig.board.emit, Pressed(seat, rig.board.now()))
            most = max(most, await done)
            rig.board.shown = lambda _: None
            for _ in range(3):
                await rig.engine.quiet()
                await asyncio.sleep(0.001)
            assert n >= 0
    return {"commits": float(most)}


async def stalled_disk(folder: Path, stall: float = 3.0) -> dict[str, float]:
    """The disk stalls once for `stall` seconds while bets go on: the loop's lag, faults found, bets lost."""
    async with Rig(folder, 6) as rig:
        loop = asyncio.get_running_loop()
        lag = 0.0
        rig.delay = stall
        presses = 0
        began = loop.time()
        expected = began
        rig.board.emit(Pressed(1, rig.board.now()))
        presses += 1
        await asyncio.sleep(0.02)
        rig.delay = 0.0  # only the commit under way is slow
        while loop.time() < began + stall + 0.5:
            expected = loop.time() + 0.005
            await asyncio.sleep(0.005)
            lag = max(lag, loop.time() - expected)
            if presses < 12 and loop.time() > began + 0.2 * presses:
                rig.board.emit(Pressed(1 + presses % 6, Stamp(rig.board.boot, time.monotonic_ns())))
                presses += 1
        await rig.engine.quiet()
        await asyncio.sleep(0.3)
        state = rig.engine.state
        assert state.round is not None
        faults = sum(state.meters.faults.values()) + sum(1 for seat in state.seats if seat.closed)
        counted = sum(len(bet.increments) for bet in state.round.bets)
    return {"lag": lag, "faults": float(faults), "lost": float(presses - counted)}
