"""`pozo run`: THE composition root. Reads the configuration, builds the parts, runs them, tells systemd.

What the parts are stands in `at_work`; how a table behaves stands in none of them but `controller.core`.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import logging
import signal
import socket
import sys
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from functools import partial
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

from msgspec.structs import replace

from controller import totaliser
from controller.care import Care, Ledger, said, verified
from controller.clock import WallClock
from controller.config import Config, load, opening
from controller.control.place import ControlError, listening_socket
from controller.core.events import TableOpened
from controller.core.evolve import evolve
from controller.core.money import Units
from controller.core.state import Table
from controller.displays import Drive, Showing, money_of, showing
from controller.engine import Engine, ThreadWriter
from controller.i18n import translator
from controller.journal.directory import found
from controller.journal.errors import JournalBusy, JournalError
from controller.journal.writer import Journal
from controller.notify import notify, watchdog_s
from controller.second_copy import SecondCopy, helper
from controller.strict_toml import ConfigError
from controller.version import VERSION
from hal.port import Backend, HardwareError, Stamp
from hal.simulated.table import SimulatedTable

if TYPE_CHECKING:
    from controller.control.identity import Door

_log = logging.getLogger("pozo")

STUCK_S = 20.0
"""A commit that takes longer than this many seconds is no slow card any more: the watchdog is not fed."""


class DealerKeys:
    """Where the dealer's keys end: the hardware is given `press`; who reads them, if anybody does, sets `hear`."""

    hear: Callable[[str], None] | None = None

    def press(self, name: str) -> None:
        """A key was pressed, on the loop's thread."""
        if self.hear is not None:
            self.hear(name)


class Parts:
    """The parts of a running table, for those that build on it (the control socket, the terminal, the demo)."""

    def __init__(self, config: Config, engine: Engine, hardware: Backend, displays: Showing, keys: DealerKeys) -> None:
        self.config = config
        self.engine = engine
        self.hardware = hardware
        self.displays = displays
        self.keys = keys


def hardware_of(config: Config, state: Table, keys: DealerKeys) -> Backend:
    """What `config` names; a simulated table, which has no dealer's keys, is one that fits `state`."""
    if config.gpio is None:
        return simulated(state)
    from hal.gpio.feed import SWITCH_S
    from hal.gpio.table import GpioTable

    sys.setswitchinterval(SWITCH_S)
    return GpioTable(config.gpio, dealer_key=keys.press)


def displays_of(config: Config, hardware: Backend) -> Showing:
    """The displays of `config`; what an OLED on SPI has on the header, `hardware` drives."""
    drive: Drive | None = None
    if config.gpio is not None:
        from hal.gpio.table import GpioTable

        assert isinstance(hardware, GpioTable)
        drive = hardware.drive
    return showing(config.displays, config.language, config.setup, drive)


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
async def at_work(config: Config, clock: WallClock | None = None) -> AsyncIterator[Parts]:
    """Journal, engine and hardware of `config`, running; leaving finishes the commit, darkens, and closes.

    Raises JournalBusy when another process runs this table. Any other trouble with journal, configuration or
    hardware puts the table out of service, with the reason on its displays (8.4).
    """
    clock = clock or WallClock()
    writer = ThreadWriter(asyncio.get_running_loop())
    try:
        journal: Journal | str = await writer.run(lambda: _journal(config, clock))
        if isinstance(journal, str):
            with _nothing_known(config, writer, journal) as parts:
                yield parts
            return
        ledger = Ledger(journal, config, clock)
        writer.use(ledger.commit)
        keys = DealerKeys()
        hardware = hardware_of(config, journal.recovered.state, keys)
        displays = displays_of(config, hardware)
        engine = Engine(journal.recovered.state, journal.seq, writer, hardware)
        engine.watch(displays.show)
        totaliser.follow(engine, hardware)
        trouble = ""
        try:
            engine.start(VERSION, _free_keys(config))
        except HardwareError as error:
            trouble = str(error)
        care = Care(config, engine, ledger, writer.run, clock, trouble)
        second = _second_copy(config, engine)
        try:
            displays.start(engine.signal, engine.now)
            await engine.quiet()
            yield Parts(config, engine, hardware, displays, keys)
        finally:
            await care.end()
            await engine.finish()
            displays.stop()
            await totaliser.finish(hardware)
            hardware.stop()
            await _closed(journal, writer)
            await second.end()
    finally:
        writer.stop()


def _second_copy(config: Config, engine: Engine) -> SecondCopy:
    copy = config.copy
    command = helper(config, copy) if copy else None
    examined = partial(verified, replace(config, journal=copy or config.journal))
    return SecondCopy(command, lambda: engine.state, engine.signal, engine.now, examined)


async def _closed(journal: Journal, writer: ThreadWriter) -> None:
    try:
        await writer.run(journal.close)
    except JournalError as error:
        _log.error("the journal was left as it lies: %s", error)


@contextmanager
def _nothing_known(config: Config, writer: ThreadWriter, trouble: str) -> Iterator[Parts]:
    """A table whose journal cannot be read: out of service, with the reason, claiming no amount (8.4)."""
    state = evolve(None, TableOpened(config.setup, config.params, Units(0), Units(0)))
    keys = DealerKeys()
    hardware = hardware_of(config, state, keys)
    displays = displays_of(config, hardware)
    engine = Engine(state, 0, writer, hardware)
    engine.watch(displays.show)
    try:
        hardware.start(lambda _: None, 1)
    except HardwareError as error:
        _log.error("%s", error)
    displays.start(lambda _: None, lambda: Stamp(1, 0))
    engine.stop(trouble)
    try:
        yield Parts(config, engine, hardware, displays, keys)
    finally:
        displays.stop()
        hardware.stop()


def _journal(config: Config, clock: WallClock) -> Journal | str:
    """Open the table's journal, or begin it with the configuration's opening values; or why it cannot be used.

    Raises JournalBusy.
    """
    try:
        if found(config.journal):
            return Journal.open(config.journal, evolve, config.setup.table)
        return Journal.create(config.journal, opening(config), clock.text(), evolve)
    except JournalBusy:
        raise
    except JournalError as error:
        return said(error, config)


def _free_keys(config: Config) -> str:
    """The keys that may differ from one start to the next, as the journal notes them (8.4)."""
    return (
        f"language={config.language} timezone={config.timezone or 'local'} "
        f"day_starts={config.day_starts:%H:%M} copy={config.copy or 'none'} backend={config.backend} keep={config.keep}"
    )


# --- the daemon ------------------------------------------------------------------------------------------


async def serve(config: Config) -> int:
    """Run the table of `config` until SIGTERM or SIGINT."""
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stop.set)
    async with at_work(config) as parts:
        door = listening_socket(config.socket)
        notify("READY=1")  # who comes from here on waits at the door until `listening` is there
        _Status(parts.engine)
        beat = _Heartbeat(parts.engine)
        async with listening(parts, door):
            # What is there now stays. To look through it for garbage takes 16 ms and more, in which no edge comes in.
            gc.freeze()
            _log.info("table %s is ready; control socket %s", config.setup.table, config.socket)
            await stop.wait()
            notify("STOPPING=1")
        beat.end()
    return 0


@asynccontextmanager
async def listening(parts: Parts, door: socket.socket) -> AsyncIterator[None]:
    """Serve at the control socket `door` (docs/control.md). What only people need is loaded here, not before."""
    from controller.control.server import ControlServer
    from controller.people import People
    from controller.physical import perform_live

    config, table = parts.config, parts.hardware
    server = ControlServer(
        parts.engine,
        config.socket,
        People(config.people),  # read when somebody comes, and again when it has changed
        config.allow,
        language=config.language,
        hardware=partial(perform_live, table, parts.engine) if isinstance(table, SimulatedTable) else None,
    )
    await server.start(door)
    try:
        with dealing(parts, server.door):
            yield
    finally:
        await server.stop()


@contextmanager
def dealing(parts: Parts, door: Door) -> Iterator[None]:
    """The dealer's terminal, let in by `door`: where there are keys, and a screen on which to see what they do."""
    config, wired = parts.config, parts.config.gpio is not None and parts.config.gpio.wiring.dealer_keys
    if not wired or not any(display.shows == "dealer" for display in config.displays):
        yield
        return
    from controller.terminal.desk import Desk

    money = money_of(config.language, config.setup)
    displays = parts.displays
    desk = Desk(parts.engine, door, displays.menu, config.language, money.text, displays.legible)
    parts.keys.hear, displays.lost = desk.press, desk.unseen
    try:
        yield
    finally:
        parts.keys.hear, displays.lost = None, lambda: None
        desk.stop()


class _Status:
    """Tells systemd, and the log, in one line how the table is, whenever that changes."""

    def __init__(self, engine: Engine) -> None:
        self._told: str | None = None
        self._tell(engine.stopped, engine.state.out_of_service)
        engine.listen(lambda published: self._tell(published.stopped, published.state.out_of_service))

    def _tell(self, stopped: str, out_of_service: str) -> None:
        reason = stopped or out_of_service
        if reason != self._told:
            self._told = reason
            line = " ".join(reason.split())  # a line break would begin another message
            notify(f"STATUS=out of service: {line}" if line else "STATUS=in service")
            if line and not stopped:  # the engine has logged why it stopped
                _log.error("out of service: %s", line)


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
        self._timer = asyncio.get_running_loop().call_later(self._every, self._beat)

    def end(self) -> None:
        if self._timer is not None:
            self._timer.cancel()


def _loop_for(config: Config) -> Callable[[], asyncio.AbstractEventLoop] | None:
    """What makes the loop: on lines one with exact timers."""
    if config.gpio is None:
        return None
    from hal.gpio.exact import exact_loop

    return exact_loop


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
        with asyncio.Runner(loop_factory=_loop_for(config)) as runner:
            return runner.run(serve(config))
    except JournalBusy as error:
        print(said(error, config), file=sys.stderr)
    except ControlError as error:
        print(translator(config.language).text(error.text, **error.values), file=sys.stderr)
    return 1
