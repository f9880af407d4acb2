"""The daemon's own parts around one simulated table, whose power may be cut.

`controller.daemon.at_work` always leaves properly: it finishes the commit, darkens, and ends the journal's file.
A power cut does none of that, so the demo puts the same parts together itself: here leaving is letting go of
everything as it lies. The table of physics stays, as in the world: the key where it was, broken parts broken.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random
from typing import Any

from controller.config import Config, opening
from controller.core.deadlines import deadlines
from controller.core.events import Event
from controller.core.evolve import evolve
from controller.core.inputs import Act, Actor, Command
from controller.core.refusals import Refusal
from controller.core.state import Table
from controller.engine import Engine, InlineWriter, ThreadWriter
from controller.journal.writer import Journal
from controller.published import Published
from controller.version import VERSION
from hal.simulated.table import SimulatedTable

Wall = Callable[[], str]


class TableStoppedError(Exception):
    """The engine went out of service by itself (8.5); the message is its reason."""


class House:
    """One table, its journal in `directory`, its engine. `hear` is told of every commit.

    `threaded`: the journal is written by a thread, as in the daemon; otherwise on the spot, for virtual time.
    """

    def __init__(
        self, config: Config, directory: Path, rng: Random, hear: Callable[[Published], None], wall: Wall, *,
        threaded: bool,
    ) -> None:  # fmt: skip
        setup = config.setup
        chips = range(setup.denomination, 1000 * setup.denomination + 1, setup.denomination)
        self.config = config
        self.directory = directory
        self.hardware = SimulatedTable(
            seats=setup.seats,
            acceptor=setup.acceptor,
            rng=rng,
            denominations=chips if setup.acceptor == "chips" else (),
        )
        self._hear = hear
        self._wall = wall
        self._thread = ThreadWriter(asyncio.get_running_loop()) if threaded else None
        self._journal: Journal | None = None
        self._engine: Engine | None = None
        self._last: Table | None = None

    # --- power -------------------------------------------------------------------------------------------

    async def open(self) -> None:
        """Begin a new journal and start. Raises JournalError, FileExistsError."""
        first = opening(self.config)
        await self._start(lambda: Journal.create(self.directory, first, self._wall(), evolve))

    async def power_cut(self) -> None:
        """The power goes, without warning to anybody: no commit is finished, nothing is closed."""
        self.hardware.power_off()
        engine, journal = self.engine, self._journal
        self._last, self._engine, self._journal = engine.state, None, None
        engine.close()
        if journal is not None:
            await self._on_journal(journal.abandon)

    async def power_on(self) -> None:
        """The power is back: the journal says where the table stands. Raises JournalError."""
        self.hardware.power_on()
        await self._start(lambda: Journal.open(self.directory, evolve, self.config.setup.table))

    async def close(self) -> None:
        """Leave properly, whatever the round is doing."""
        try:
            if self._engine is not None:
                await self._engine.quiet()
                self._engine.close()
                self._last = self._engine.state
                self.hardware.stop()
            if self._journal is not None:
                await self._on_journal(self._journal.close)
        finally:
            if self._thread is not None:
                self._thread.stop()

    async def _start(self, journal: Callable[[], Journal]) -> None:
        opened: Journal = await self._on_journal(journal)
        self._journal = opened

        def commit(events: Sequence[Event], state: Table) -> int:
            return opened.commit(events, state, self._wall())

        if self._thread is not None:
            self._thread.use(commit)
        self._engine = Engine(opened.recovered.state, opened.seq, self._thread or InlineWriter(commit), self.hardware)
        self._engine.listen(self._hear)
        self._engine.start(VERSION, "demo")
        await self.settled()

    async def _on_journal(self, job: Callable[[], Any]) -> Any:
        return job() if self._thread is None else await self._thread.run(job)

    # --- what goes on ------------------------------------------------------------------------------------

    @property
    def powered(self) -> bool:
        """Whether a controller runs."""
        return self._engine is not None

    @property
    def engine(self) -> Engine:
        """The engine that runs."""
        if self._engine is None:
            raise RuntimeError("the table has no power")
        return self._engine

    @property
    def state(self) -> Table:
        """The last durable state, also while the power is off."""
        state = self._last if self._engine is None else self._engine.state
        assert state is not None
        return state

    async def order(self, act: Act, actor: Actor) -> Refusal | None:
        """Somebody gives a command; returns why it was refused, when everything that followed is over."""
        outcome = await self.engine.command(Command(act, actor))
        await self.settled()
        return outcome.refusal

    async def settled(self) -> None:
        """Until fingers, contacts and lamps rest, deadlines of lamps and seal are decided, and all is durable.

        What happens next then finds the same table in every run, however long a disk took. Raises TableStoppedError.
        """
        while True:
            engine = self.engine
            await self.hardware.quiet()
            await engine.quiet()
            if engine.stopped:
                raise TableStoppedError(engine.stopped)
            if not (self.hardware.busy or engine.busy):
                if all(deadline.what == "noise" for deadline in deadlines(engine.state)):
                    return
                await asyncio.sleep(0.01)

    async def tidy(self) -> None:
        """Between rounds, the journal's log is moved into its file."""
        if self._journal is not None:
            await self._on_journal(self._journal.tidy)
