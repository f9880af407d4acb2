"""A table's control socket for tests: a strict stand-in for the engine, a server, and clients of it."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from functools import wraps
from itertools import count
from pathlib import Path
from typing import Any

from controller import words
from controller.control.client import Limits
from controller.control.server import ControlServer
from controller.core.decide import advance
from controller.core.draft import Decision
from controller.core.events import Event, TableOpened
from controller.core.evolve import evolve
from controller.core.inputs import AccessRefused, Command, Input
from controller.core.money import Units
from controller.core.state import Role, Table
from controller.people import People
from controller.published import Outcome, Published
from tests.core.table import PARAMS, setup

FAST = Limits(rate=1_000_000, burst=1_000_000, grace=0.2)
"""For tests that are not about how fast."""

ANYBODY: dict[str, tuple[Role, ...]] = {}
"""The configuration's default: the daemon's own user, as which the tests run, may ask for all roles."""


class StandIn:
    """The engine as the control socket knows it, and nothing else: real rules, no journal, no hardware."""

    def __init__(self) -> None:
        self.called, self.listened = asyncio.Event(), asyncio.Event()
        opened = TableOpened(setup(), PARAMS, Units(100_000_000_000), Units(0))
        self.state: Table = evolve(None, opened)
        self.last = 1
        self.stopped = ""
        self.commands: list[Command] = []
        self.notes: list[AccessRefused] = []
        self.fails: Exception | None = None
        self.gate: asyncio.Event | None = None
        self.listeners: list[Callable[[Published], None]] = []

    async def command(self, command: Command) -> Outcome:
        assert isinstance(command, Command)
        self.commands.append(command)
        self.called.set()
        if self.gate is not None:
            await self.gate.wait()
        if self.fails is not None:
            raise self.fails
        decision = self.take(command)
        return Outcome(decision.refusal, self.last, decision.events)

    def take(self, given: Input) -> Decision:
        """Decide `given`, 'commit' and publish it."""
        decision = advance(self.state, given)
        self.state = decision.state
        self.publish(decision.events)
        return decision

    def publish(self, events: tuple[Event, ...]) -> None:
        first, self.last = self.last + 1, self.last + len(events)
        for listener in tuple(self.listeners):
            listener(Published(self.state, tuple(enumerate(events, first)), self.stopped))

    def note(self, entry: AccessRefused) -> None:
        assert isinstance(entry, AccessRefused)
        self.notes.append(entry)

    def listen(self, callback: Callable[[Published], None]) -> Callable[[], None]:
        self.listeners.append(callback)
        self.listened.set()
        return lambda: self.listeners.remove(callback)


class Caller:
    """One client. Every line that it reads must be JSON."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader = reader
        self.writer = writer
        self._ids = count(1)

    async def send(self, data: bytes) -> None:
        self.writer.write(data)
        await self.writer.drain()

    async def read(self) -> dict[str, Any] | None:
        """The next line, None at the end."""
        async with asyncio.timeout(10):
            line = await self.reader.readline()
        return json.loads(line) if line else None

    async def ask(self, op: str, **fields: Any) -> dict[str, Any]:
        """The answer to a request; lines of the stream before it are skipped."""
        id_ = fields.pop("id", f"request-{next(self._ids)}")
        await self.send(json.dumps({"id": id_, "op": op, **fields}).encode() + b"\n")
        while (answer := await self.read()) is not None:
            if answer.get("id", "") == id_:
                return answer
        raise ConnectionError(f"no answer to {op}")

    async def code(self, op: str, **fields: Any) -> str:
        """The code of the error or refusal that a request gets, or "ok"."""
        answer = await self.ask(op, **fields)
        assert answer["ok"] is ("error" not in answer and "refusal" not in answer)
        return str(answer.get("error", answer.get("refusal", {"code": "ok"}))["code"])

    async def until_the_end(self) -> list[dict[str, Any]]:
        """All lines until the server closes the connection."""
        lines = []
        with suppress(ConnectionError):
            while (line := await self.read()) is not None:
                lines.append(line)
        return lines

    async def close(self) -> None:
        self.writer.close()
        with suppress(OSError):
            await self.writer.wait_closed()


class Place:
    """A running server with its engine, its people and its hardware's record."""

    def __init__(self, folder: Path, limits: Limits, allow: dict[str, tuple[Role, ...]], *, simulated: bool) -> None:
        self.engine = StandIn()
        self.people = People.load(folder / "people.json", cost=2**4)
        self.done: list[words.Physical] = []
        self.hardware_fails: Exception | None = None
        self.later = 0
        self.callers: list[Caller] = []
        self.path = folder / "table.sock"
        self.server = ControlServer(
            self.engine,
            self.path,
            self.people,
            allow,
            language="en",
            hardware=self._hardware if simulated else None,
            limits=limits,
            clock=self._clock,
        )

    def _clock(self) -> int:
        """The machine's own clock, and what a test has added to it."""
        return self.later + time.monotonic_ns()

    async def _hardware(self, act: words.Physical) -> None:
        if self.hardware_fails is not None:
            raise self.hardware_fails
        self.done.append(act)

    async def call(self, *, hello: bool = True, login: str = "") -> Caller:
        caller = Caller(*await asyncio.open_unix_connection(str(self.path), limit=10**7))
        self.callers.append(caller)
        if hello:
            assert (await caller.ask("hello", version=1))["ok"]
        if login:
            assert (await caller.ask("login", person=login, pin=PINS[login]))["ok"]
        return caller

    async def at_most(self, clients: int) -> None:
        """Return when the server has seen all but so many clients leave."""
        async with asyncio.timeout(10):
            while len(self.server._clients) > clients:
                await asyncio.wait(self.server._clients, return_when=asyncio.FIRST_COMPLETED)


PINS = {"ana": "2580", "tomás": "90871", "eva": "7391"}
ROLES_OF: dict[str, tuple[Role, ...]] = {
    "ana": ("dealer", "supervisor"),
    "tomás": ("technician",),
    "eva": ("dealer",),
}


@asynccontextmanager
async def place(
    folder: Path,
    *,
    limits: Limits = FAST,
    allow: dict[str, tuple[Role, ...]] = ANYBODY,
    simulated: bool = True,
) -> AsyncIterator[Place]:
    """A place whose server runs, and leaves nothing behind."""
    here = Place(folder, limits, allow, simulated=simulated)
    for name, roles in ROLES_OF.items():
        here.people.add(name, roles, PINS[name])
    here.people.save()
    await here.server.start()
    try:
        yield here
    finally:
        await here.server.stop()
        for caller in here.callers:
            await caller.close()
        assert not here.engine.listeners
        assert not here.path.exists()


def story(function: Callable[..., Any]) -> Callable[..., None]:
    """A test that is a coroutine. What is left over or fails behind its back fails it."""

    @wraps(function)
    def run(*args: Any, **fixtures: Any) -> None:
        async def watched() -> None:
            troubles: list[dict[str, Any]] = []
            asyncio.get_running_loop().set_exception_handler(lambda _, context: troubles.append(context))
            await function(*args, **fixtures)
            await asyncio.sleep(0)
            assert not troubles, troubles

        asyncio.run(watched())

    return run
