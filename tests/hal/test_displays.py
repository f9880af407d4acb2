"""All displays of a table, on their real threads: what is told of them, to whom and how often."""

from __future__ import annotations

import asyncio
import logging
import threading
import time
from collections.abc import Callable, Coroutine

import pytest
from PIL import Image

from hal.display import dealer, painters
from hal.display.care import LEDS
from hal.display.device import DisplayError, Size
from hal.display.displays import Displays
from hal.display.screen import HANGS, LAST_RETRY, STEADY, Mail, Painted, Screen
from hal.port import PartFailed, PartMended, Stamp
from tests.hal.display_scenes import ENGLISH, PESOS, panel

PATIENCE = 5.0
"""Seconds that a thread may take for what takes it a millisecond: a busy machine is no failure."""


class Plugged:
    """A device whose plug can be pulled, and that can be made to hang."""

    def __init__(self, *, there: bool = True) -> None:
        self.size: Size = (8, 8)
        self.there = there
        self.free = threading.Event()
        self.free.set()
        self.shown: Image.Image | None = None
        self.dark = False

    def _touch(self) -> None:
        assert self.free.wait(2 * PATIENCE)
        if not self.there:
            raise DisplayError("nothing answers")

    def open(self) -> None:
        self._touch()

    def settle(self) -> None:
        self._touch()

    def contrast(self, level: int) -> None:
        self._touch()

    def draw(self, image: Image.Image) -> None:
        self._touch()
        self.shown = image

    def close(self, *, dark: bool) -> None:
        self.dark = dark


class Recorded:
    """Keeps the mail that it was asked to draw; the picture differs with each pot."""

    def __init__(self) -> None:
        self.mail: Mail | None = None

    def paint(self, mail: Mail, size: Size, now: int) -> Painted:
        self.mail = mail
        return Painted(Image.frombytes("1", size, mail.panel.pot.to_bytes(8, "big")))


class Bench:
    """Displays on threads, and a clock ahead of the real one by as much as the test wants."""

    def __init__(self, *devices: Plugged) -> None:
        self.ahead = 0
        self.devices = devices
        self.painters = [Recorded() for _ in devices]
        self.displays = Displays(
            [
                Screen(name, device, painter, LEDS, self._clock)
                for name, device, painter in zip(("sign", "dealer", "seats"), devices, self.painters, strict=False)
            ]
        )
        self.told: list[tuple[type, int]] = []
        """What was heard of the part "display"."""
        self.of_one: list[type] = []
        """The same of "screen"."""
        self._stamps = 0

    def _clock(self) -> int:
        return time.monotonic_ns() + self.ahead

    def _heard(self, signal: PartFailed | PartMended) -> None:
        assert threading.current_thread() is threading.main_thread()
        if (signal.seat, signal.part) == (0, "screen"):
            self.of_one.append(type(signal))
            return
        assert (signal.seat, signal.part) == (0, "display")
        self.told.append((type(signal), signal.at.ns))

    def _now(self) -> Stamp:
        self._stamps += 1
        return Stamp(3, self._stamps)

    def start(self) -> None:
        self.displays.start(self._heard, self._now)

    def show(self, pot: int) -> None:
        self.displays.show(panel(pot=pot))

    def retry(self) -> None:
        """So much time passes that every screen tries again."""
        self.pass_(LAST_RETRY)

    def pass_(self, time: int) -> None:
        """Nanoseconds pass, and every screen is asked to look at its clock."""
        self.ahead += time
        for screen in self.displays._screens:
            screen._wake.set()

    async def until(self, come: Callable[[], bool]) -> None:
        """Wait for what another thread does."""
        async with asyncio.timeout(PATIENCE):
            while not come():  # noqa: ASYNC110 - the thread knows nothing of this loop
                await asyncio.sleep(0.001)

    async def works(self, **expected: bool | None) -> None:
        await self.until(lambda: {name: h.works for name, h in self.displays.health().items()} == expected)
        await asyncio.sleep(0)  # what was handed to the loop is heard
        self.displays.look()

    async def comes_back(self, number: int = 0) -> None:
        """The display `number` is tried, and stays well for long enough to be believed."""
        self.retry()
        await self.drawn(number)
        self.pass_(STEADY)

    async def drawn(self, number: int = 0) -> None:
        """The display `number` has drawn what it was last asked for, and rests."""
        screen = self.displays._screens[number]
        await self.until(lambda: screen._open and screen._shown == screen._mail and screen._busy_since is None)


def run(bench: Bench, script: Callable[[], Coroutine[None, None, None]]) -> None:
    """Run `script`, then stop; whatever hangs is let go."""

    async def main() -> None:
        try:
            await script()
        finally:
            for device in bench.devices:
                device.free.set()
            bench.displays.stop()

    asyncio.run(main())


def test_a_panel_reaches_every_display_and_leaving_darkens_them() -> None:
    bench = Bench(Plugged(), Plugged())

    async def script() -> None:
        bench.start()
        bench.show(7)
        await bench.until(lambda: all(p.mail == Mail(panel(pot=7)) for p in bench.painters))
        await bench.works(sign=True, dealer=True)
        assert bench.told == [(PartMended, 1)]

    run(bench, script)
    assert [device.dark for device in bench.devices] == [True, True]
    bench.displays.stop()
    assert not any(thread.name in ("display sign", "display dealer") for thread in threading.enumerate())


def test_8_5_the_part_fails_with_the_last_display_and_is_mended_by_the_first(caplog: pytest.LogCaptureFixture) -> None:
    sign, dealer = Plugged(), Plugged()
    bench = Bench(sign, dealer)

    async def script() -> None:
        bench.start()
        await bench.works(sign=True, dealer=True)
        sign.there = False
        bench.show(1)
        await bench.works(sign=False, dealer=True)
        assert bench.of_one == [PartMended, PartFailed]  # which is an alarm, and no reason to close betting
        await bench.until(lambda: bench.painters[1].mail == Mail(panel(pot=1), ("sign",)))  # shown elsewhere
        dealer.there = False
        bench.show(2)
        await bench.works(sign=False, dealer=False)
        assert [kind for kind, _ in bench.told] == [PartMended, PartFailed]
        bench.retry()
        await bench.until(lambda: bench.displays.health()["sign"].failures >= 2)
        sign.there = True
        await bench.comes_back()
        await bench.works(sign=True, dealer=False)
        assert [kind for kind, _ in bench.told] == [PartMended, PartFailed, PartMended]
        await bench.until(lambda: bench.painters[0].mail == Mail(panel(pot=2), ("dealer",)))  # what it missed
        assert bench.of_one == [PartMended, PartFailed]
        dealer.there = True
        await bench.drawn()
        await bench.comes_back(1)
        await bench.works(sign=True, dealer=True)
        assert bench.of_one == [PartMended, PartFailed, PartMended]

    with caplog.at_level(logging.WARNING):
        run(bench, script)
    told = [record.getMessage() for record in caplog.records]
    assert [line.split(",")[0] for line in told] == [
        "display sign: nothing answers. It is tried again by itself",
        "display dealer: nothing answers. It is tried again by itself",
        "display sign works again",
        "display dealer works again",
    ]


def test_8_5_a_loose_plug_is_told_once(caplog: pytest.LogCaptureFixture) -> None:
    loose = Plugged()
    bench = Bench(loose)

    async def script() -> None:
        bench.start()
        await bench.works(sign=True)
        for pot in range(1, 5):
            loose.there = False
            bench.show(pot)
            await bench.until(lambda: not bench.displays._screens[0]._open)
            loose.there = True
            bench.retry()
            await bench.drawn()
            bench.displays.look()
        assert [kind for kind, _ in bench.told] == [PartMended, PartFailed]
        await bench.drawn()
        bench.pass_(STEADY)
        await bench.works(sign=True)
        assert [kind for kind, _ in bench.told] == [PartMended, PartFailed, PartMended]

    with caplog.at_level(logging.WARNING):
        run(bench, script)
    assert len(caplog.records) == 2


def test_8_4_no_display_at_the_start_is_told_when_the_last_has_been_tried() -> None:
    slow = Plugged(there=False)
    slow.free.clear()
    bench = Bench(Plugged(there=False), slow)

    async def script() -> None:
        bench.start()
        await bench.works(sign=False, dealer=None)
        assert bench.told == []
        slow.free.set()
        await bench.works(sign=False, dealer=False)
        assert bench.told == [(PartFailed, 1)]

    run(bench, script)


def test_a_display_that_hangs_is_found_by_the_others_time_and_holds_up_nobody() -> None:
    stuck, well = Plugged(), Plugged()
    bench = Bench(stuck, well)

    async def script() -> None:
        bench.start()
        await bench.works(sign=True, dealer=True)
        stuck.free.clear()
        bench.show(1)
        await bench.until(lambda: bench.displays._screens[0]._busy_since is not None)
        bench.ahead += HANGS + 1
        await bench.works(sign=False, dealer=True)
        bench.show(9)
        await bench.until(lambda: bench.painters[1].mail == Mail(panel(pot=9), ("sign",)))
        stuck.free.set()
        await bench.until(lambda: not bench.displays._screens[0]._open)
        await bench.comes_back()
        await bench.works(sign=True, dealer=True)
        await bench.until(lambda: bench.painters[0].mail == Mail(panel(pot=9)))
        assert bench.told == [(PartMended, 1)]

    run(bench, script)


def test_stopping_does_not_wait_for_a_display_that_hangs(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr("hal.display.displays.END_WITHIN", 0.05)
    stuck = Plugged()
    bench = Bench(stuck)

    async def script() -> None:
        stuck.free.clear()
        bench.start()
        await bench.until(lambda: bench.displays._screens[0]._busy_since is not None)
        bench.displays.stop()

    with caplog.at_level(logging.WARNING):
        run(bench, script)
    assert caplog.records[0].getMessage() == "display sign hangs and is left as it is"
    assert bench.displays._screens[0].ended(PATIENCE)


def test_a_menu_is_kept_while_panels_pass_until_it_is_taken_away() -> None:
    bench = Bench(Plugged())
    menu = ("Seat 3", "> Load")

    async def script() -> None:
        bench.start()
        bench.displays.menu(menu)
        bench.show(1)
        await bench.until(lambda: bench.painters[0].mail == Mail(panel(pot=1), (), menu))
        bench.show(2)
        await bench.until(lambda: bench.painters[0].mail == Mail(panel(pot=2), (), menu))
        bench.displays.menu(())
        await bench.until(lambda: bench.painters[0].mail == Mail(panel(pot=2)))

    run(bench, script)


def test_a_menu_stands_on_the_dealers_screen_only() -> None:
    mail = Mail(panel(), (), ("Seat 3", "> Load"))
    size = (126, 62)
    seen = painters.Dealer(ENGLISH, PESOS).paint(mail, size, 0).image
    assert seen == dealer.render_menu(mail.menu, size)
    sign = painters.Meter(ENGLISH, PESOS)
    assert sign.paint(mail, size, 0) == sign.paint(Mail(panel()), size, 0)


def test_a_table_without_displays_says_nothing_and_names_are_told_apart() -> None:
    bench = Bench()

    async def script() -> None:
        bench.start()
        bench.show(1)
        bench.displays.look()

    run(bench, script)
    assert bench.told == []
    same = Screen("sign", Plugged(), Recorded(), LEDS, time.monotonic_ns)
    with pytest.raises(ValueError, match="same name"):
        Displays([same, same])
