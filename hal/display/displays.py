"""All displays of a table: they take panels, and say when one, or none, works any more (rules 8.5).

One that fails is told once, counted, shown on those that work, and told when it is back. The part "display" fails only
with the last one, and is mended by the first; "screen" fails with the first, while others work, and is mended by the
last.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Sequence
from contextlib import suppress

from hal.display.screen import Health, Mail, Screen
from hal.port import Panel, Part, PartFailed, PartMended, Stamp

_log = logging.getLogger(__name__)

LOOK_EVERY = 1.0
"""Seconds between two looks at the screens: a thread that hangs cannot say so itself."""
END_WITHIN = 1.0
"""Seconds that all screens together have to go dark at the end."""


class Displays:
    """The `screens` of a table. Everything but the screens' own threads happens on the loop that calls ``start``.

    A table without any screen has no display that could fail, and says nothing.
    """

    def __init__(self, screens: Sequence[Screen]) -> None:
        names = [screen.name for screen in screens]
        if len(set(names)) != len(names):
            raise ValueError(f"two displays have the same name: {', '.join(names)}")
        self.lost: Callable[[], None] = lambda: None
        """Called, on the loop, when the dealer's screen cannot be read any more."""
        self._screens = tuple(screens)
        self._legible = False
        self._told = {screen.name: Health(None) for screen in self._screens}
        self._works: dict[Part, bool] = {}
        self._panel: Panel | None = None
        self._menu: tuple[str, ...] = ()
        self._emit: Callable[[PartFailed | PartMended], None] | None = None
        self._now: Callable[[], Stamp] | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._timer: asyncio.TimerHandle | None = None

    def start(self, emit: Callable[[PartFailed | PartMended], None], now: Callable[[], Stamp]) -> None:
        """Begin. `emit` hears, on this loop, that no display works or that one does again, and that one of several does
        not or that all do; `now` stamps it. The first word comes when the first screen works, or when none does."""
        self._emit, self._now = emit, now
        self._loop = asyncio.get_running_loop()
        for screen in self._screens:
            screen.changed = self._nudge
            screen.start()
        self._timer = self._loop.call_later(LOOK_EVERY, self._look_again)

    def show(self, panel: Panel) -> None:
        """Ask every screen for `panel`. Returns at once, never raises."""
        self._panel = panel
        mail = Mail(panel, self._silent(), self._menu)
        for screen in self._screens:
            screen.show(mail)

    def menu(self, lines: tuple[str, ...]) -> None:
        """Have the dealer's screen show `lines` instead of the table, until there are none.

        The first is the title; what begins with ``hal.display.menu.SELECTED`` is selected, and lit as the title is.
        What is beyond ``LINES`` and ``COLUMNS`` there is not shown. Returns at once, never raises.
        """
        self._menu = lines
        if self._panel is not None:
            self.show(self._panel)

    def legible(self) -> bool:
        """Whether what was last shown can be read on a screen of the dealer's: nobody shall command blindly (8.5)."""
        return any(screen.dealer and screen.legible() for screen in self._screens)

    def health(self) -> dict[str, Health]:
        """How each screen is now, by name."""
        return {screen.name: screen.health() for screen in self._screens}

    def stop(self) -> None:
        """Darken the screens and emit nothing more. A screen that hangs is left as it is. Idempotent."""
        if self._timer is not None:
            self._timer.cancel()
        self._emit = self._loop = self._timer = None
        for screen in self._screens:
            screen.end()
        until = time.monotonic() + END_WITHIN
        for screen in self._screens:
            if not screen.ended(max(0.0, until - time.monotonic())):
                _log.warning("display %s hangs and is left as it is", screen.name)

    def _nudge(self) -> None:
        """By a screen's thread: have a look. The loop may be gone by then."""
        loop = self._loop
        if loop is not None:
            with suppress(RuntimeError):  # closed in this moment
                loop.call_soon_threadsafe(self.look)

    def _look_again(self) -> None:
        self.look()
        if self._loop is not None:
            self._timer = self._loop.call_later(LOOK_EVERY, self._look_again)

    def look(self) -> None:
        """Compare the screens with what was told of them. The loop does it by itself."""
        if self._emit is None or self._now is None:
            return
        before, self._legible = self._legible, self.legible()
        if before and not self._legible:
            self.lost()
        silent = self._silent()
        for screen in self._screens:
            self._tell(screen.name, screen.health())
        if self._silent() != silent and self._panel is not None:
            self.show(self._panel)
        states = {health.works for health in self._told.values()}
        if True in states:
            self._report("display", True)
        elif states == {False}:
            self._report("display", False)
        if states == {True}:
            self._report("screen", True)
        elif states >= {True, False}:
            self._report("screen", False)

    def _report(self, part: Part, works: bool) -> None:
        if self._works.get(part) is not works:
            self._works[part] = works
            assert self._emit is not None
            assert self._now is not None
            self._emit((PartMended if works else PartFailed)(0, part, self._now()))

    def _tell(self, name: str, health: Health) -> None:
        before = self._told[name]
        if health.works is before.works:
            return
        self._told[name] = health
        if health.works is False:
            _log.warning("display %s: %s. It is tried again by itself", name, health.problem)
        elif before.works is False:
            _log.warning("display %s works again, after %d failures since the start", name, health.failures)

    def _silent(self) -> tuple[str, ...]:
        return tuple(name for name, health in self._told.items() if health.works is False)
