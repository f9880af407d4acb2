"""`pozo run`: THE composition root. Reads the configuration, builds the parts, runs them, tells systemd.

What the parts are stands in `at_work`; how a table behaves stands in none of them but `controller.core`.
"""

from __future__ import annotations

import argparse
import asyncio
import logging
import os
import signal
import sys
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from datetime import UTC, datetime
from functools import partial
from importlib.metadata import version
from pathlib import Path
from random import Random

from controller.clock import gaming_day, synchronised, wall_now
from controller.config import Config, check_against, load, mismatch_report, opening
from controller.control.server import ControlError, ControlServer
from controller.core.events import Event, PotMoved, RoundEnded, TableOpened
from controller.core.evolve import evolve
from controller.core.inputs import OutOfService
from controller.core.money import Units
from controller.core.state import Table
from controller.engine import Engine, ThreadWriter
from controller.i18n import translator
from controller.journal.directory import found
from controller.journal.errors import JournalBusy, JournalError
from controller.journal.writer import Journal
from controller.notify import notify, watchdog_s
from controller.people import People
from controller.physical import perform_live
from controller.published import Published
from controller.strict_toml import ConfigError
from hal.port import HardwareError
from hal.simulated.table import SimulatedTable

_log = logging.getLogger("pozo")

STUCK_S = 20.0
"""A commit that takes longer than this many seconds is no slow card any more: the watchdog is not fed."""

VERIFY_AFTER_S = 5.0
"""The whole chain is verified in the background (8.4), this long after the start."""

PERIOD_ENTRIES = 250_000
"""A journal file that has grown by so many entries is closed at the next quiet moment, whatever the day."""

DAY_CHECK_S = 3_600.0
"""How long the daemon sleeps at most before it looks whether a new gaming day has begun."""


class Parts:
    """The parts of a running table, for those that build on it (the control socket, the demo)."""

    def __init__(self, config: Config, engine: Engine, hardware: SimulatedTable) -> None:
        self.config = config
        self.engine = engine
        self.hardware = hardware


def simulated(state: Table) -> SimulatedTable:
    """The simulated table that fits `state`."""
    setup = state.setup
    chips = range(setup.denomination, 1000 * setup.denomination + 1, setup.denomination)
    return SimulatedTable(
        seats=setup.seats,
        acceptor=setup.acceptor,
        rng=Random(),
        denominations=chips if setup.acceptor == "chips" else (),
    )


@asynccontextmanager
async def at_work(config: Config) -> AsyncIterator[Parts]:
    """Journal, engine and hardware of `config`, running; leaving finishes the commit, darkens, and closes.

    Raises JournalBusy when another process runs this table. Any other trouble with journal, configuration or
    hardware puts the table out of service, with the reason on its displays (8.4).
    """
    writer = ThreadWriter(asyncio.get_running_loop())
    try:
        journal: Journal | JournalError = await writer.run(lambda: _journal(config))
        if isinstance(journal, JournalError):
            with _nothing_known(config, writer, said(journal, config)) as parts:
                yield parts
            return
        ledger = Ledger(journal)
        writer.use(ledger.commit)
        hardware = simulated(journal.recovered.state)
        engine = Engine(journal.recovered.state, journal.seq, writer, hardware)
        end_care = await _begin(config, engine, writer, ledger)
        try:
            yield Parts(config, engine, hardware)
        finally:
            end_care()
            await engine.quiet()
            engine.close()
            hardware.stop()
            await writer.run(journal.close)
    finally:
        writer.stop()


@contextmanager
def _nothing_known(config: Config, writer: ThreadWriter, trouble: str) -> Iterator[Parts]:
    """A table whose journal cannot be read: out of service, with the reason, claiming no amount (8.4)."""
    state = evolve(None, TableOpened(config.setup, config.params, Units(0), Units(0)))
    hardware = simulated(state)
    engine = Engine(state, 0, writer, hardware)
    hardware.start(lambda _: None, 1)
    engine.stop(trouble)
    try:
        yield Parts(config, engine, hardware)
    finally:
        hardware.stop()


def said(error: JournalError, config: Config) -> str:
    """A journal's error in the table's language."""
    speak = translator(config.language).text
    return " ".join(speak(part, **error.values) for part in (error.text, error.way_out) if part)


def _journal(config: Config) -> Journal | JournalError:
    """Open the table's journal, or begin it with the configuration's opening values; or say why it cannot be used.

    Raises JournalBusy.
    """
    directory = config.journal
    try:
        if directory.is_dir() and found(directory):
            return Journal.open(directory, evolve, config.setup.table)
        return Journal.create(directory, opening(config), wall_now(), evolve)
    except JournalBusy:
        raise
    except JournalError as error:
        return error


class Ledger:
    """The journal on its thread, together with the state that it ends with."""

    def __init__(self, journal: Journal) -> None:
        self.journal = journal
        self._state = journal.recovered.state

    def commit(self, events: Sequence[Event], state: Table) -> int:
        """What the engine's writer calls. Raises JournalFailed."""
        seq = self.journal.commit(events, state, wall_now())
        self._state = state
        return seq

    def close_period(self, keep: int) -> None:
        """End the file, and remove what is older than `keep` closed ones. Raises JournalError."""
        self.journal.close_period(self._state, wall_now())
        self.journal.prune(keep, wall_now())


async def _begin(config: Config, engine: Engine, writer: ThreadWriter, ledger: Ledger) -> Callable[[], None]:
    """Start the engine and what looks after the table from then on; returns what ends the latter."""
    try:
        engine.start(version("pozo"), _free_keys(config))
    except HardwareError as error:
        engine.put(OutOfService(str(error)))
    care = Care(config, engine, writer, ledger)
    await engine.quiet()
    return care.end


def _free_keys(config: Config) -> str:
    """The keys that may differ from one start to the next, as the journal notes them (8.4)."""
    return (
        f"language={config.language} timezone={config.timezone or 'local'} "
        f"day_starts={config.day_starts:%H:%M} backend={config.backend} keep={config.keep}"
    )


class Care:
    """What a running table needs besides its rules: the configuration compared, the journal kept small and sound."""

    def __init__(self, config: Config, engine: Engine, writer: ThreadWriter, ledger: Ledger) -> None:
        self._config = config
        self._engine = engine
        self._writer = writer
        self._ledger = ledger
        self._loop = asyncio.get_running_loop()
        self._day = self._today()
        self._began = engine.last
        self._tasks: set[asyncio.Task[None]] = set()
        self._unlisten = engine.listen(self._published)
        self._compare()
        self._timers = [
            self._loop.call_later(VERIFY_AFTER_S, self._spawn, self._verify),
            self._loop.call_later(DAY_CHECK_S, self._each_hour),
        ]

    def end(self) -> None:
        """Stop caring: no timer, no task, no listener is left."""
        self._unlisten()
        for timer in self._timers:
            timer.cancel()
        for task in self._tasks:
            task.cancel()

    def _published(self, published: Published) -> None:
        kinds = {type(event) for _, event in published.entries}
        if PotMoved in kinds:
            self._compare()
        if RoundEnded in kinds:
            self._spawn(self._tidy)

    def _compare(self) -> None:
        """A file whose money keys differ from what the journal has is refused with the difference (8.4)."""
        table = self._engine.state
        mismatches = check_against(self._config, table)
        reason = mismatch_report(mismatches, self._config.language) if mismatches else ""
        if reason != table.out_of_service:
            self._engine.put(OutOfService(reason))

    def _spawn(self, job: Callable[[], Coroutine[None, None, None]]) -> None:
        task = self._loop.create_task(job())
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    # --- the journal -------------------------------------------------------------------------------------

    def _today(self) -> str:
        starts = self._config.day_starts
        return gaming_day(datetime.now(UTC), self._config.timezone, starts.hour, starts.minute)

    def _each_hour(self) -> None:
        self._timers[1] = self._loop.call_later(DAY_CHECK_S, self._each_hour)
        self._spawn(self._tidy)

    async def _tidy(self) -> None:
        """Between rounds: move the write-ahead log into the file, and close the period when its day is over."""
        if self._engine.stopped:
            return
        today = self._today()
        grown = self._engine.last - self._began >= PERIOD_ENTRIES
        new_day = today != self._day and synchronised()
        try:
            if self._engine.state.round is None and (grown or new_day):
                await self._writer.run(lambda: self._ledger.close_period(self._config.keep))
                self._day, self._began = today, self._engine.last
            else:
                await self._writer.run(self._ledger.journal.tidy)
        except JournalError as error:
            self._engine.stop(said(error, self._config))

    async def _verify(self) -> None:
        """The whole chain, in a process of its own and after everything else (8.4)."""
        command = [sys.executable, "-m", "controller.cli", "journal", "verify", "--journal", str(self._config.journal)]
        process = await asyncio.create_subprocess_exec(
            *command,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.DEVNULL,
            stderr=asyncio.subprocess.PIPE,
            preexec_fn=_last_in_line,
        )
        try:
            _, complaint = await process.communicate()
        except asyncio.CancelledError:
            process.kill()
            await process.wait()
            raise
        if process.returncode == 1:
            self._engine.put(OutOfService(complaint.decode(errors="replace").strip()))
        elif process.returncode:
            _log.warning("the journal could not be verified: %s", complaint.decode(errors="replace").strip())


def _last_in_line() -> None:
    os.nice(19)


# --- the daemon ------------------------------------------------------------------------------------------


async def serve(config: Config) -> int:
    """Run the table of `config` until SIGTERM or SIGINT."""
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stop.set)
    async with at_work(config) as parts, listening(parts):
        notify("READY=1")
        _tell_status(parts.engine)
        parts.engine.listen(lambda published: _tell_status(parts.engine) if published.stopped else None)
        _log.info("table %s is ready; control socket %s", config.setup.table, config.socket)
        beat = _Heartbeat(parts.engine)
        await stop.wait()
        beat.end()
        notify("STOPPING=1")
    return 0


@asynccontextmanager
async def listening(parts: Parts) -> AsyncIterator[ControlServer]:
    """The control socket of a running table (docs/control.md). Raises ControlError."""
    config = parts.config
    server = ControlServer(
        parts.engine,
        config.socket,
        People(config.people),  # read when somebody comes, and again when it has changed
        config.allow,
        language=config.language,
        hardware=partial(perform_live, parts.hardware),
    )
    await server.start()
    try:
        yield server
    finally:
        await server.stop()


def _tell_status(engine: Engine) -> None:
    reason = engine.stopped or engine.state.out_of_service
    notify(f"STATUS={'out of service: ' + reason if reason else 'in service'}")


class _Heartbeat:
    """Feeds systemd's watchdog from the loop that does the work, while that gets anywhere (traps: sdnotify)."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._every = watchdog_s() / 2
        self._timer: asyncio.TimerHandle | None = None
        if self._every:
            self._beat()

    def _beat(self) -> None:
        if self._engine.committing_for() < STUCK_S:
            notify("WATCHDOG=1")
        self._timer = asyncio.get_running_loop().call_later(max(1.0, self._every), self._beat)

    def end(self) -> None:
        if self._timer is not None:
            self._timer.cancel()


def main(argv: Sequence[str] | None = None) -> int:
    """`pozo run --config FILE`: 0 after SIGTERM, 1 when another process runs this table, 2 for a bad configuration
    (which no restart can mend)."""
    parser = argparse.ArgumentParser(prog="pozo run", description="Run a table.")
    parser.add_argument("--config", type=Path, required=True, metavar="TABLE.toml")
    parser.add_argument("--verbose", action="store_true", help="tell more on standard error")
    args = parser.parse_args(argv)
    logging.basicConfig(level=logging.INFO if args.verbose else logging.WARNING, format="%(name)s: %(message)s")
    try:
        config = load(args.config)
    except ConfigError as error:
        print(error.report(), file=sys.stderr)
        return 2
    try:
        return asyncio.run(serve(config))
    except JournalBusy as error:
        print(said(error, config), file=sys.stderr)
    except ControlError as error:
        print(translator(config.language).text(error.text, **error.values), file=sys.stderr)
    return 1
