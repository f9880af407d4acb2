"""The dealer's keys while the dealer's own screen is away, and the other displays are well (8.5): they do nothing."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Iterable
from typing import cast

import pytest

from controller.control.identity import Door
from controller.core.inputs import Load
from controller.core.panel import panel
from controller.terminal.desk import Desk
from hal.display import care, painters
from hal.display.displays import Displays
from hal.display.screen import HANGS, LATE, Screen
from hal.port import Stamp
from tests.hal.display_scenes import ENGLISH, PESOS
from tests.hal.test_displays import PATIENCE, Plugged
from tests.people.socket_client import StandIn
from tests.people.test_terminal_desk import OpenDoor


@pytest.fixture(autouse=True)
def _at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Answers are taken at once here: it is not haste that keeps keys from doing anything."""
    monkeypatch.setattr("controller.terminal.menu.SEEN_S", 0.0)


class Terminal:
    """A desk and its real displays, on devices whose plugs can be pulled: the dealer's screen and a sign."""

    def __init__(self) -> None:
        self.ahead = 0
        self.oled, self.sign = Plugged(), Plugged()
        self.oled.size, self.sign.size = (128, 64), (128, 64)
        self.displays = Displays(
            [
                Screen("dealer", self.oled, painters.Dealer(ENGLISH, PESOS), care.OLED, self._clock, dealer=True),
                Screen("sign", self.sign, painters.Meter(ENGLISH, PESOS), care.LEDS, self._clock),
            ]
        )
        self.engine = StandIn()
        self.shown: tuple[str, ...] = ()
        self.desk: Desk

    def _clock(self) -> int:
        return time.monotonic_ns() + self.ahead

    def _show(self, lines: tuple[str, ...]) -> None:
        self.shown = lines
        self.displays.menu(lines)

    async def start(self) -> None:
        """Log eva in, and lead her to the question whether a credit shall be loaded."""
        door = cast(Door, OpenDoor())
        self.desk = Desk(self.engine, door, self._show, "en", str, self.displays.legible)
        self.displays.lost = self.desk.unseen
        self.displays.start(lambda _: None, lambda: Stamp(0, 1))
        self.displays.show(panel(self.engine.state))
        await self.seen()
        await self.keys("ok", "ok", "down", "ok", "up", "up", "ok")
        assert self.shown[0] == "round 0, Waiting"
        while not any(line.startswith("> Seats") for line in self.shown):
            await self.keys("down")
        await self.keys("ok", "ok")
        while not any(line.startswith("> Load") for line in self.shown):
            await self.keys("down")
        await self.keys("ok", "down", "ok", "up", "up", "ok")
        assert self.shown[-1] == "> ok: yes  back: no", self.shown

    async def keys(self, *names: str) -> None:
        """Press keys as somebody does who reads the screen after each."""
        for name in names:
            await self.seen()
            self.desk.press(name)
            await self.until(lambda: not self.desk._menu.waiting)
        await self.seen()

    async def seen(self) -> None:
        screen = self.displays._screens[0]
        await self.until(lambda: screen._drawn is not None and screen._drawn[0] == screen._mail)

    async def until(self, come: Callable[[], bool]) -> None:
        async with asyncio.timeout(PATIENCE):
            while not come():  # noqa: ASYNC110 - the displays' threads know nothing of this loop
                await asyncio.sleep(0.001)

    async def blind(self, names: Iterable[str] = ("ok", "up", "ok", "ok", "down", "ok")) -> None:
        for name in names:
            self.desk.press(name)
            await asyncio.sleep(0.01)
        assert self.engine.commands == []

    def wake(self, ahead: int) -> None:
        """So many nanoseconds pass."""
        self.ahead += ahead
        for screen in self.displays._screens:
            screen._wake.set()


def evening(story: Callable[[Terminal], Awaitable[None]]) -> None:
    async def main() -> None:
        terminal = Terminal()
        try:
            await terminal.start()
            await story(terminal)
        finally:
            terminal.oled.free.set()
            terminal.desk.stop()
            terminal.displays.stop()

    asyncio.run(main())


def test_8_5_keys_do_nothing_while_the_dealers_own_screen_is_away() -> None:
    async def story(terminal: Terminal) -> None:
        terminal.oled.there = False
        terminal.wake(10 * HANGS)  # it is found to be away though nothing has changed
        await terminal.until(lambda: terminal.shown == ())  # and nothing is left that a key could confirm
        await terminal.blind()
        terminal.oled.there = True
        terminal.wake(HANGS)
        await terminal.seen()
        await terminal.keys("ok")
        assert terminal.shown[0] == "round 0, Waiting"  # the first key only opens
        assert terminal.engine.commands == []

    evening(story)


@pytest.mark.parametrize("late", [LATE, HANGS])
def test_8_5_keys_do_nothing_while_the_dealers_own_screen_hangs(late: int) -> None:
    async def story(terminal: Terminal) -> None:
        terminal.oled.free.clear()
        terminal.displays.show(panel(terminal.engine.state, stopped="anything that is new"))
        terminal.wake(late + 1)
        await terminal.blind()
        assert terminal.shown == ()
        terminal.oled.free.set()

    evening(story)


def test_keys_that_are_quicker_than_the_screen_are_heard() -> None:
    async def story(terminal: Terminal) -> None:
        terminal.oled.free.clear()  # for less than anybody would call late
        terminal.desk.press("back")
        terminal.desk.press("ok")
        assert terminal.shown[-1] == "> ok: yes  back: no"
        terminal.oled.free.set()
        await terminal.keys("ok")
        assert [command.act for command in terminal.engine.commands] == [Load(1, 1)]

    evening(story)


def test_8_5_another_display_that_is_away_is_nothing_to_the_keys() -> None:
    async def story(terminal: Terminal) -> None:
        terminal.sign.there = False
        terminal.wake(10 * HANGS)
        await terminal.until(lambda: terminal.displays.health()["sign"].works is False)
        await terminal.keys("ok")
        assert [command.act for command in terminal.engine.commands] == [Load(1, 1)]

    evening(story)
