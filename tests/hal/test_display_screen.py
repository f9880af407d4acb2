"""One screen, step by step on a clock that the test moves: its errors stay its own, and it comes back by itself."""

from __future__ import annotations

import logging

import pytest
from PIL import Image
from pytest_mock import MockerFixture

from hal.display import care, painters, vendor
from hal.display.care import Care
from hal.display.device import DisplayError, Size
from hal.display.screen import (
    FIRST_RETRY,
    HANGS,
    HURRY,
    LAST_RETRY,
    REFRESH,
    SECOND,
    STEADY,
    Health,
    Mail,
    Painted,
    Screen,
)
from tests.hal.display_models import Ssd1306
from tests.hal.display_scenes import BETTING, BROKEN, PESOS, SPANISH, panel

PLAIN = Care(((0, 200), (60, 20)), shifted=False)


class Clock:
    def __init__(self) -> None:
        self.now = 0

    def __call__(self) -> int:
        return self.now


class Fake:
    """A device that does what it is told, or raises `error` when it is told anything."""

    def __init__(self) -> None:
        self.size: Size = (8, 8)
        self.error: Exception | None = None
        self.is_open = False
        self.did: list[str] = []
        self.shown: Image.Image | None = None

    def _do(self, what: str) -> None:
        self.did.append(what)
        if self.error is not None:
            raise self.error

    def open(self) -> None:
        assert not self.is_open, "opened twice"
        self._do("open")
        self.is_open = True

    def settle(self) -> None:
        assert self.is_open
        self._do("settle")

    def contrast(self, level: int) -> None:
        assert self.is_open
        self._do(f"contrast {level}")

    def draw(self, image: Image.Image) -> None:
        assert self.is_open
        assert image.size == self.size
        self._do("draw")
        self.shown = image

    def close(self, *, dark: bool) -> None:
        self.is_open = False
        self._do("close dark" if dark else "close")


class Pot:
    """Draws the pot as a number of lit pixels."""

    def __init__(self) -> None:
        self.error: Exception | None = None
        self.again: int | None = None

    def paint(self, mail: Mail, size: Size, now: int) -> Painted:
        if self.error is not None:
            raise self.error
        image = Image.new("1", size)
        for x in range(mail.panel.pot):
            image.putpixel((x, 0), 1)
        return Painted(image, self.again)


class Bench:
    """A screen with everything that it touches."""

    def __init__(self) -> None:
        self.clock, self.device, self.pot = Clock(), Fake(), Pot()
        self.screen = Screen("sign", self.device, self.pot, PLAIN, self.clock)
        self.news = 0  # how often it began or ceased to work
        self._worked: bool | None = None
        self.screen.changed = self._changed

    def _changed(self) -> None:
        works = self.screen.health().works
        self.news += works is not self._worked
        self._worked = works

    def show(self, pot: int) -> None:
        self.screen.show(Mail(panel(pot=pot)))

    def did(self) -> list[str]:
        """What the device was told in one step."""
        self.device.did.clear()
        self.screen.step()
        return self.device.did

    def step(self, after: int = 0) -> int:
        self.clock.now += after
        return self.screen.step()

    @property
    def lit(self) -> int:
        assert self.device.shown is not None
        return sum(bool(self.device.shown.getpixel((x, 0))) for x in range(8))


def test_a_device_is_opened_before_anything_is_to_be_shown() -> None:
    bench = Bench()
    assert bench.screen.health() == Health(None)
    assert bench.did() == ["open", "contrast 200", "draw"]
    assert bench.lit == 0
    assert bench.screen.health() == Health(True)
    assert bench.news == 1


def test_the_latest_wins_and_nothing_is_drawn_twice() -> None:
    bench = Bench()
    bench.step()
    for pot in (1, 2, 3):
        bench.show(pot)
    assert bench.did() == ["draw"]
    assert bench.lit == 3
    bench.show(3)
    assert bench.did() == []


def test_now_and_then_the_device_is_set_up_and_drawn_anew() -> None:
    bench = Bench()
    bench.show(3)
    assert bench.step() == REFRESH
    bench.clock.now += REFRESH
    assert bench.did() == ["settle", "contrast 200", "draw"]


def test_a_picture_that_moves_is_asked_for_in_time() -> None:
    bench = Bench()
    bench.show(1)
    bench.pot.again = 50
    assert bench.step() == 50


def test_it_is_dimmed_when_nothing_changes_and_bright_when_something_does() -> None:
    bench = Bench()
    bench.show(1)
    bench.step()
    bench.clock.now += 60 * SECOND
    assert "contrast 20" in bench.did()
    bench.show(2)
    assert bench.did() == ["contrast 200", "draw"]


@pytest.mark.parametrize(
    "error",
    [DisplayError("no answer"), OSError(121, "Remote I/O error"), TimeoutError()],
    ids=lambda error: type(error).__name__,
)
def test_8_5_an_error_in_mid_draw_is_told_once_and_the_display_comes_back(error: Exception) -> None:
    bench = Bench()
    bench.show(1)
    bench.step()
    bench.device.error = error
    bench.show(2)
    waits = [bench.step()]
    for _ in range(7):
        waits.append(bench.step(after=waits[-1]))
    assert waits == [min(FIRST_RETRY * 2**n, LAST_RETRY) for n in range(8)]
    assert bench.screen.health() == Health(False, str(error) or type(error).__name__, 8)
    assert bench.news == 2  # working, failed: told once
    bench.device.error = None
    bench.show(5)
    assert bench.step(after=LAST_RETRY) == STEADY
    assert bench.lit == 5
    assert bench.screen.health().works is False
    bench.step(after=STEADY)
    assert bench.news == 3
    assert bench.screen.health() == Health(True, "", 8)
    bench.device.error = error  # and the next time it is tried soon again
    bench.show(6)
    assert bench.step() == FIRST_RETRY


def test_a_loose_plug_is_told_once_and_tried_ever_more_seldom() -> None:
    bench = Bench()
    bench.show(1)
    bench.step()
    waits = []
    for pot in range(2, 8):  # each second drawing fails
        bench.device.error = DisplayError("no answer")
        bench.show(pot)
        waits.append(bench.step())
        bench.device.error = None
        bench.step(after=waits[-1])
        assert bench.lit == pot
        bench.clock.now += STEADY - 1
    assert waits == [FIRST_RETRY * 2**n for n in range(6)]
    assert bench.news == 2  # working, failed
    assert bench.step() == 1
    bench.step(after=1)
    assert bench.news == 3


def test_a_device_missing_at_the_start_is_tried_again_and_panels_do_not_hurry_it() -> None:
    bench = Bench()
    bench.device.error = DisplayError("no such bus")
    bench.step()
    bench.clock.now += FIRST_RETRY // 4
    bench.show(4)
    bench.device.did.clear()
    assert bench.step() == FIRST_RETRY - FIRST_RETRY // 4
    assert bench.device.did == []
    bench.device.error = None
    bench.step(after=FIRST_RETRY)
    assert bench.lit == 4


def test_a_failed_display_is_tried_when_the_table_is_at_something_else_but_not_at_every_change() -> None:
    """A device that has lost its data wires alone has its picture still lit: of betting that is open, say."""
    bench = Bench()
    bench.screen.show(Mail(panel(pot=1, banner="open")))
    bench.step()
    bench.device.error = DisplayError("no answer")
    bench.screen.show(Mail(panel(pot=2, banner="open")))
    for _ in range(8):
        bench.step(after=bench.step())
    assert bench.step() == LAST_RETRY
    bench.clock.now += SECOND
    bench.screen.show(Mail(panel(pot=2, banner="locked")))
    assert bench.did() == []
    assert bench.step() == HURRY - SECOND  # one that flickers holds up nobody who shares its bus
    assert bench.step(after=HURRY - SECOND) == LAST_RETRY
    bench.screen.show(Mail(panel(pot=3, banner="locked")))
    assert bench.step(after=HURRY) == LAST_RETRY - HURRY  # tried once for each
    bench.device.error = None
    bench.screen.show(Mail(panel(pot=3, banner="paying")))
    bench.step()
    assert bench.lit == 3


def test_a_device_that_is_away_is_found_though_nothing_changes() -> None:
    bench = Bench()
    bench.show(1)
    bench.step()
    bench.device.error = OSError(121, "Remote I/O error")
    bench.step(after=REFRESH)
    assert bench.screen.health().works is False


def test_a_mistake_of_our_own_stays_at_its_edge_too_and_is_logged_as_one(caplog: pytest.LogCaptureFixture) -> None:
    bench = Bench()
    bench.pot.error = ZeroDivisionError("of course")
    bench.show(1)
    with caplog.at_level(logging.ERROR):
        bench.step()
        bench.step(after=FIRST_RETRY)
    assert [record.exc_info is not None for record in caplog.records] == [True]
    assert bench.screen.health() == Health(False, "of course", 2)


def test_a_device_that_hangs_is_seen_and_seen_to_be_back() -> None:
    bench = Bench()

    def hang(level: int) -> None:
        bench.clock.now += HANGS + 1
        seen.append(bench.screen.health())

    seen: list[Health] = []
    bench.device.contrast = hang  # type: ignore[method-assign]
    bench.step()
    assert [(health.works, health.problem[:5]) for health in seen] == [(False, "hangs")]
    assert bench.screen.health() == Health(False, "hung for 5 s", 1)
    del bench.device.contrast
    bench.step(after=FIRST_RETRY)
    bench.step(after=STEADY)
    assert bench.screen.health().works is True


def test_a_sign_without_room_for_twelve_digits_says_so() -> None:
    device = Fake()
    device.size = (32, 8)
    screen = Screen("sign", device, painters.Meter(SPANISH, PESOS), care.LEDS, Clock())
    screen.show(Mail(BETTING))
    screen.step()
    assert "too small for 12 digits" in screen.health().problem


def test_the_sign_counts_up_frame_by_frame_on_a_real_driver(mocker: MockerFixture) -> None:
    oled, clock = Ssd1306(), Clock()
    wires = mocker.Mock(open=mocker.Mock(return_value=oled))
    screen = Screen("sign", vendor.oled("ssd1306", wires), painters.Meter(SPANISH, PESOS), care.OLED, clock)
    screen.show(Mail(panel(pot=1_000)))
    screen.step()
    screen.show(Mail(panel(pot=9_000)))
    pictures = set()
    while (wait := screen.step()) < SECOND:
        clock.now += wait
        pictures.add(b"".join(oled.memory))
    assert len(pictures) == 40  # twenty a second, for two seconds
    at_rest = oled.frames
    screen.step()
    assert oled.frames == at_rest


def test_every_painter_draws_every_panel() -> None:
    for painter, size in (
        (painters.Meter(SPANISH, PESOS), (64, 8)),
        (painters.Dealer(SPANISH, PESOS), (126, 62)),
        (painters.Counters(SPANISH, PESOS, (6, 5, 4, 3, 2, 1)), (48, 8)),
    ):
        for shown in (BETTING, BROKEN):
            painted = painter.paint(Mail(shown, ("visor",)), size, 0)
            assert painted.image.size == size
            assert painted.again is None or painted.again > 0
