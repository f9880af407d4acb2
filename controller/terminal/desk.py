"""The dealer's terminal at work: keys come in, commands go out, the screen follows the table.

Whoever deals proves it with name and PIN at the keys, as at every other door (rules 10.1). The login lasts until they
leave, lose the role, or press no key for `SESSION_S`; before each command the file of persons is asked again.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Coroutine
from typing import Any, Protocol

from msgspec import Struct
from msgspec.structs import replace

from controller.control.identity import TERMINAL, Door
from controller.control.messages import RequestError
from controller.core.inputs import Command
from controller.core.messages import msg
from controller.core.state import Table
from controller.i18n import Language, translator
from controller.published import Outcome, Published
from controller.terminal.menu import KEYS, Do, Menu, answered, closed, entered, lines, opened, press, told, turned_away
from controller.terminal.pages import LogIn, Sight

_log = logging.getLogger(__name__)

QUIET_S = 60.0
"""Seconds without a key after which the screen has the table's usual picture again."""

SESSION_S = 900.0
"""Seconds without a key after which nobody is logged in any more: as long as at the control socket."""


class Engine(Protocol):
    """What the terminal needs of the engine; as ``controller.control.server.Engine``."""

    @property
    def state(self) -> Table: ...

    @property
    def stopped(self) -> str: ...

    async def command(self, command: Command) -> Outcome:
        """Have `command` decided; returns when the outcome is durable."""

    def listen(self, callback: Callable[[Published], None]) -> Callable[[], None]:
        """Have `callback` called after each commit; the answer ends it."""


class _Session(Struct, frozen=True):
    """Somebody who has proved who they are, and the mark of the PIN that proved it."""

    person: str
    mark: str


class Desk:
    """The terminal of one table. All methods are for the loop's thread.

    `show` gets the lines of the screen whenever they change, none for the usual picture; `money` writes minor units.
    `legible`: can they be read there?
    """

    def __init__(
        self,
        engine: Engine,
        door: Door,
        show: Callable[[tuple[str, ...]], None],
        language: Language,
        money: Callable[[int], str],
        legible: Callable[[], bool],
    ) -> None:
        self._engine, self._door, self._show, self._money, self._legible = engine, door, show, money, legible
        self._say = translator(language).text
        self._loop = asyncio.get_running_loop()
        self._menu = Menu()
        self._dealers: tuple[str, ...] = ()
        self._session: _Session | None = None
        self._shown: tuple[str, ...] = ()
        self._shown_at = self._loop.time()
        self._task: asyncio.Task[None] | None = None
        self._timers: list[asyncio.TimerHandle] = []
        self._unlisten = engine.listen(self._hear)

    def press(self, name: str) -> None:
        """A key was pressed; one of another name is none of the menu's. Keys do nothing while an answer is awaited, nor
        while the screen cannot be read: nobody shall command blindly (8.5)."""
        if not self._legible():
            self.unseen()
            return
        self._wait()
        for key in KEYS:
            if key == name and not self._menu.waiting:
                if self._menu.pages or self._session is not None:
                    step = press(self._menu, key, self._sight(), self._loop.time() - self._shown_at)
                    self._menu = step.menu
                    self._grant(step.wish)
                else:
                    self._menu = replace(self._menu, waiting=True)
                    self._begin(self._open())
        self._draw()

    def unseen(self) -> None:
        """The screen cannot be read: the menu is closed, so that the first key after that only opens it."""
        self._menu = closed(self._menu)
        self._draw()

    def stop(self) -> None:
        """Press nothing more, show nothing more. A command under way is decided all the same. Idempotent."""
        self._unlisten()
        for timer in self._timers:
            timer.cancel()
        if self._task is not None:
            self._task.cancel()

    # --- what keys lead to ---------------------------------------------------------------------------------

    def _grant(self, wish: object) -> None:
        if isinstance(wish, LogIn):
            self._begin(self._log_in(wish))
        elif isinstance(wish, Do):
            self._begin(self._do(wish))
        elif wish is not None:
            self._session = None

    def _begin(self, work: Coroutine[Any, Any, None]) -> None:
        self._task = self._loop.create_task(self._whole(work))

    async def _whole(self, work: Coroutine[Any, Any, None]) -> None:
        """Whatever becomes of `work`, the menu goes on."""
        try:
            await work
        except RequestError as error:
            self._menu = told(self._menu, self._say(error.text, **error.values))
        except Exception:
            _log.exception("the terminal could not do what it was asked to")
            self._menu = told(self._menu, self._say(msg("That failed within the table; its log says why.")))
        self._draw()

    async def _open(self) -> None:
        """Nobody is logged in: find out who may be, and ask."""
        self._dealers = await self._door.names("dealer")
        self._menu = opened(replace(self._menu, waiting=False), self._sight())

    async def _log_in(self, wish: LogIn) -> None:
        person, mark = await self._door.prove(TERMINAL, wish.person, wish.pin)
        self._door.enter(TERMINAL, person, TERMINAL.allowed)
        self._session = _Session(person.name, mark)
        self._menu = entered(self._menu, person.name)

    async def _do(self, wish: Do) -> None:
        """Have it decided, by whoever has logged in, if they still may deal."""
        session = self._session
        assert session is not None
        actor = await self._door.actor(session.person, TERMINAL.allowed, session.mark, TERMINAL.way)
        if actor is None:
            self._door.refusals.add(TERMINAL, session.person, "command: not logged in")
            self._session = None
            self._menu = turned_away(self._menu, self._say(msg("Log in first.")))
            return
        outcome = await self._engine.command(Command(wish.act, actor, None, "", wish.round, wish.expect))
        self._menu = answered(self._menu, outcome.refusal, self._sight(), outcome.events)

    # --- the screen and the clock --------------------------------------------------------------------------

    def _sight(self) -> Sight:
        return Sight(self._engine.state, self._say, self._money, self._dealers, self._engine.stopped)

    def _hear(self, published: Published) -> None:
        """The screen follows the table. When nothing is decided any more, it shows why instead of the menu (8.5)."""
        if published.stopped:
            self._menu = closed(self._menu)
        self._draw()

    def _draw(self) -> None:
        shown = lines(self._menu, self._sight())
        if shown != self._shown:
            self._shown, self._shown_at = shown, self._loop.time()
            self._show(shown)

    def _wait(self) -> None:
        """Count the time without a key anew."""
        for timer in self._timers:
            timer.cancel()
        self._timers = [self._loop.call_later(QUIET_S, self._quiet), self._loop.call_later(SESSION_S, self._leave)]

    def _quiet(self) -> None:
        self._menu = closed(self._menu)
        self._draw()

    def _leave(self) -> None:
        self._session = None
        self._menu = replace(self._menu, person="")
