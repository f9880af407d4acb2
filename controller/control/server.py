"""The control socket: where people's interfaces come to the table. Its language is in ``docs/control.md``.

    server = ControlServer(engine, config.socket, People.load(config.people), config.allow)
    await server.start()
    ...
    await server.stop()

The server asks nothing of the table but what `Engine` says. Whatever its clients do, it uses a fixed amount of
memory for each and lets none wait for another; with nobody connected it has no timer and no task.
"""

from __future__ import annotations

import asyncio
import logging
import os
import socket
import time
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, Protocol

import msgspec

from controller import words
from controller.control import messages as m
from controller.control.client import Bucket, Client, Limits
from controller.control.identity import Door, RefusalLog
from controller.control.messages import RequestError
from controller.control.place import listening_socket
from controller.core.events import Event
from controller.core.inputs import AccessRefused, Command
from controller.core.messages import msg
from controller.core.state import Role, Table
from controller.i18n import Language, translator
from controller.people import People
from controller.published import Outcome, Published
from hal.port import HardwareError

STOPPING = msg("The table's program is stopping.")

OUT_OF_FILES_S = 1.0
"""Seconds until the next try, when the system has no room for another connection."""

_log = logging.getLogger(__name__)


class Engine(Protocol):
    """What the control socket needs of the engine.

    `state` is the published one, `last` the number of the last journaled entry, `stopped` why nothing is decided
    any more (rules 8.5), empty while all is well.
    """

    @property
    def state(self) -> Table: ...

    @property
    def last(self) -> int: ...

    @property
    def stopped(self) -> str: ...

    async def command(self, command: Command) -> Outcome:
        """Have `command` decided; returns when the outcome is durable."""

    def note(self, entry: AccessRefused) -> None:
        """Journal that somebody was not let in."""

    def listen(self, callback: Callable[[Published], None]) -> Callable[[], None]:
        """Have `callback` called after each commit; the answer ends it."""


Physical = Callable[[words.Physical], Awaitable[None]]
"""Does a physical act at the simulated table. Raises HardwareError for what no real table could do."""


class ControlServer:
    """Listens at `path` and serves clients from `start` to `stop`.

    `allow` maps a Unix user, or "@group", to the roles that its connections may ask for; when empty, root and the
    daemon's own user may ask for all. `hardware` is given when the table is simulated. `clock` gives monotonic
    nanoseconds.
    """

    def __init__(
        self,
        engine: Engine,
        path: Path,
        people: People,
        allow: Mapping[str, tuple[Role, ...]],
        *,
        language: Language = "es",
        hardware: Physical | None = None,
        limits: Limits | None = None,
        clock: Callable[[], int] = time.monotonic_ns,
    ) -> None:
        self.path = path
        self.language = language
        self.limits = limits or Limits()
        self.digits = engine.state.setup.digits
        self.simulated = hardware is not None
        self._engine = engine
        self._hardware = hardware
        self._clock = clock
        self._refusals = RefusalLog(engine.note, clock)
        self.door = Door(people, allow, self._refusals, clock)
        self._pace = Bucket(self.limits.arrivals, self.limits.crowd, clock)
        self._tasks: set[asyncio.Task[None]] = set()
        self._clients: dict[asyncio.Task[None], Client | None] = {}
        self._subscribers: dict[Client, bool] = {}
        self._unlisten: Callable[[], None] | None = None
        self._edition = self.door.edition()
        self._looking: asyncio.Task[None] | None = None
        self._listening: socket.socket | None = None
        self._pause: asyncio.TimerHandle | None = None
        self._file: tuple[int, int] | None = None

    async def start(self, listening: socket.socket | None = None) -> None:
        """Begin to serve, at the socket that was opened before if it is given. Raises ControlError as
        `listening_socket` does."""
        sock = listening or listening_socket(self.path)
        found = os.stat(self.path)
        self._file = found.st_dev, found.st_ino
        self._listening = sock
        self._listen()

    async def stop(self) -> None:
        """Tell everybody, and leave nothing behind."""
        if self._listening is None:
            return
        if self._pause is not None:
            self._pause.cancel()
        asyncio.get_running_loop().remove_reader(self._listening)
        self._listening.close()
        self._listening = None
        for client in self._clients.values():
            if client is not None:
                client.dismiss("stopping", STOPPING)
        if self._tasks:
            _, late = await asyncio.wait(self._tasks, timeout=self.limits.grace + 1)
            for task in late:
                task.cancel()
            await asyncio.gather(*late, return_exceptions=True)
        if self._looking is not None:
            self._looking.cancel()
        self.door.close()
        with suppress(OSError):
            found = os.stat(self.path)
            if self._file == (found.st_dev, found.st_ino):
                self.path.unlink()

    # --- connections

    def _listen(self) -> None:
        self._pause = None
        if self._listening is not None:
            asyncio.get_running_loop().add_reader(self._listening, self._accept)

    def _accept(self) -> None:
        """Let one in, each time; a crowd waits outside, where it costs the table nothing."""
        assert self._listening is not None
        try:
            connection, _ = self._listening.accept()
        except (BlockingIOError, ConnectionAbortedError):
            return
        except OSError as error:
            _log.warning("nobody can connect: %s", error.strerror)
            wait = OUT_OF_FILES_S
        else:
            task = asyncio.create_task(self._arrive(connection))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)
            wait = self._pace.take(1)
        if wait:
            loop = asyncio.get_running_loop()
            loop.remove_reader(self._listening)
            self._pause = loop.call_later(wait, self._listen)

    async def _arrive(self, connection: socket.socket) -> None:
        try:
            connection.setblocking(False)
            reader, writer = await asyncio.open_unix_connection(sock=connection, limit=self.limits.line)
        except OSError:
            connection.close()  # the client is gone
            return
        try:
            await self._receive(reader, writer)
        except Exception:
            _log.exception("a connection failed")

    async def _receive(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        try:
            if self._listening is None:
                self._turn_away(writer, "stopping", STOPPING)
                return
            if len(self._clients) >= self.limits.clients:
                self._turn_away(writer, "full", msg("Too many are connected already. Close one of them."))
                return
            self._clients[task] = None
            await self._serve(task, reader, writer)
        except RequestError as error:
            self._turn_away(writer, error.code, error.text)
        except OSError:
            pass  # the client is gone
        finally:
            self._clients.pop(task, None)
            if not self._clients:
                self._refusals.rest()
            writer.close()
            with suppress(OSError):
                await writer.wait_closed()

    async def _serve(
        self, task: asyncio.Task[None], reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        self._refusals.flush()
        self._refusals.watch()
        peer = await self.door.peer(writer.get_extra_info("socket"))
        client = Client(self, self.door, peer, (reader, writer), self._clock)
        self._clients[task] = client
        await client.run()

    def _turn_away(self, writer: asyncio.StreamWriter, code: str, text: str) -> None:
        message = translator(self.language).text(text)
        writer.write(m.encode({"bye": {"code": code, "clause": "", "message": message}}))

    # --- what clients ask of the table

    def greeting(self) -> dict[str, Any]:
        """What is told to everybody who says hello."""
        setup = self._engine.state.setup
        return {
            "table": setup.table,
            "game": setup.game,
            "seats": setup.seats,
            "currency": setup.currency,
            "simulated": self.simulated,
        }

    def state(self) -> dict[str, Any]:
        """All that there is to see now."""
        from controller.view import view

        table, stopped = self._engine.state, self._engine.stopped
        return {
            "seq": self._engine.last,
            "state": view(table, stopped),
            "attention": {
                "key": table.key,
                "service": table.service,
                "failed": table.failed,
                "alarms": [msgspec.to_builtins(alarm) for alarm in table.alarms],
            },
        }

    def state_line(self) -> bytes:
        """The line of the stream that says what there is to see now."""
        return m.encode(self.state())

    async def command(self, command: Command) -> Outcome:
        """Have `command` decided."""
        return await self._engine.command(command)

    async def hardware(self, act: words.Physical) -> None:
        """Do a physical act at the simulated table. Raises RequestError ``hardware``."""
        assert self._hardware is not None
        try:
            await self._hardware(act)
        except HardwareError as error:
            raise RequestError("hardware", m.SAID, sentence=str(error)) from error

    # --- the stream

    def subscribe(self, client: Client, *, events: bool) -> None:
        """`client` is told of every state, and of every event if `events`."""
        self._subscribers[client] = events
        if self._unlisten is None:
            self._unlisten = self._engine.listen(self._published)

    def unsubscribe(self, client: Client) -> None:
        """`client` is told no more."""
        self._subscribers.pop(client, None)
        if not self._subscribers and self._unlisten is not None:
            self._unlisten()
            self._unlisten = None

    def _published(self, published: Published) -> None:
        lines = b""
        if any(self._subscribers.values()):
            lines = b"".join(_event_line(seq, event) for seq, event in published.entries)
        for client, events in self._subscribers.items():
            if events and lines:
                client.outbox.put(lines)
            client.outbox.refresh()
        if self._looking is None and self.door.edition() != self._edition:
            self._looking = asyncio.create_task(self._look_again())

    async def _look_again(self) -> None:
        """Persons may have changed: who reads by a login that is no more reads no more."""
        try:
            for client in tuple(self._subscribers):
                await client.read_on()
            self._edition = self.door.edition()
        finally:
            self._looking = None


def _event_line(seq: int, event: Event) -> bytes:
    fields = msgspec.to_builtins(event)
    return m.encode({"event": {"seq": seq, "kind": fields.pop("type"), **fields}})
