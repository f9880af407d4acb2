"""The small parts of the gpio backend: pins as data, ticks, vendors' errors, factories by name."""

from __future__ import annotations

import logging
import subprocess
import sys
import threading
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any, ClassVar

import gpiozero
import pytest
from gpiozero.pins.mock import MockFactory
from hypothesis import given
from hypothesis import strategies as st

from hal.gpio.chips import SLACK, Chip, Input, open_chips, unhurried
from hal.gpio.ticks import REANCHOR, Clock
from hal.gpio.trouble import LineError
from hal.gpio.wiring import Conflict, Hardware, Pin, SeatPins, Use, Wiring, conflicts, uses
from hal.port import HardwareError

EXPANDER = "mcp23017"


def header(line: int) -> Pin:
    return Pin("header", line)


def expander(line: int) -> Pin:
    return Pin("expander", line)


def seven_seats(**changes: Any) -> Wiring:
    """The largest table that there is: its lamps and senses fill the expander but two lines."""
    lamps = [7, 15, 0, 1, 2, 3, 4]
    senses = [5, 6, 8, 9, 10, 11, 12]
    buttons = [17, 18, 27, 22, 23, 24, 25]
    seats = tuple(
        SeatPins(expander(lamp), expander(sense), button=header(button))
        for lamp, sense, button in zip(lamps, senses, buttons, strict=True)
    )
    pins = {"key_open": header(5), "key_locked": header(6), "loop_out": header(12), "loop_in": header(16)}
    return Wiring(**{**pins, "seats": seats, "meter": header(13), "dealer_keys": (("enter", expander(13)),), **changes})


def faults(wiring: Wiring, **changes: Any) -> list[Conflict]:
    return conflicts(Hardware(**{"factory": "lgpio", "wiring": wiring, "expander": EXPANDER, **changes}))


# --- pins ------------------------------------------------------------------------------------------------


def test_what_displays_take_of_the_header_is_nobody_elses() -> None:
    wired = seven_seats(spi=(0,), display_lines=(("displays[1].dc", header(20)), ("displays[1].reset", header(5))))
    assert faults(wired) == [Conflict("displays[1].reset", header(5), "twice", "key_open")]
    taken = seven_seats(spi=(0, 1), meter=header(9), display_lines=(("displays[1].dc", header(21)),))
    assert faults(taken) == [
        Conflict("loop_in", header(16), "bus", "SPI1 CE2"),
        Conflict("meter", header(9), "bus", "SPI0 MISO"),
        Conflict("seats[1].button", header(17), "bus", "SPI1 CE1"),
        Conflict("seats[2].button", header(18), "bus", "SPI1 CE0"),
        Conflict("displays[1].dc", header(21), "bus", "SPI1 SCLK"),
    ]
    assert [use for use in uses(wired) if use.key.startswith("displays")] == [
        Use("displays[1].dc", header(20), True, True),
        Use("displays[1].reset", header(5), True, True),
    ]


def test_seven_seats_fit() -> None:
    wiring = seven_seats()
    assert len(list(uses(wiring))) == 4 + 1 + 1 + 7 * 3
    assert faults(wiring) == []


@pytest.mark.parametrize(
    ("changes", "key", "fault", "detail"),
    [
        ({"meter": header(28)}, "meter", "lacks", "GPIO27"),
        ({"meter": header(2)}, "meter", "taken", "SDA"),
        ({"key_open": header(3)}, "key_open", "taken", "SCL"),
        ({"loop_in": header(0)}, "loop_in", "taken", "EEPROM"),
        ({"loop_in": header(17)}, "seats[1].button", "twice", "loop_in"),
        ({"key_locked": header(5)}, "key_locked", "twice", "key_open"),
        ({"meter": expander(16)}, "meter", "lacks", "x15"),
        ({"key_open": expander(14)}, "key_open", "prompt", ""),
        ({"dealer_keys": (("up", expander(15)),)}, "dealer_keys.up", "output-only", ""),
    ],
)
def test_a_pin_that_cannot_be(changes: dict[str, Any], key: str, fault: str, detail: str) -> None:
    found = faults(seven_seats(**changes))
    assert (found[0].key, found[0].fault) == (key, fault)
    assert detail in found[0].detail


def test_an_expander_that_nobody_named_and_one_that_the_factory_cannot_reach() -> None:
    assert {c.fault for c in faults(seven_seats(), expander=None)} == {"no-expander"}
    assert {c.fault for c in faults(seven_seats(), factory="rpigpio")} == {"expander-needs-lgpio"}


def test_every_conflict_is_found_at_once() -> None:
    found = faults(seven_seats(key_open=header(2), key_locked=header(99), meter=header(12)))
    assert [(c.key, c.fault) for c in found] == [("key_open", "taken"), ("key_locked", "lacks"), ("meter", "twice")]


def test_a_sensor_for_each_value_has_a_place_of_its_own() -> None:
    seat = SeatPins(header(20), header(21), chips=((1_000, header(22)), (5_000, header(22))))
    assert [c.key for c in faults(seven_seats(seats=(seat,)))] == ["seats[1].chip.5000"]


# --- ticks -----------------------------------------------------------------------------------------------


class Seconds:
    """Ticks that are seconds, as all local factories have."""

    def __init__(self, now: float = 0.0) -> None:
        self.now = now

    def ticks(self) -> float:
        return self.now

    def ticks_diff(self, later: float, earlier: float) -> float:
        return later - earlier


class Microseconds:
    """Ticks of 32 bits of microseconds, as pigpio has; a difference is never negative."""

    def __init__(self, now: int) -> None:
        self.now = now

    def ticks(self) -> float:
        return self.now & 0xFFFFFFFF

    def ticks_diff(self, later: float, earlier: float) -> float:
        return ((int(later) - int(earlier)) & 0xFFFFFFFF) / 1e6


@given(st.integers(0, 400 * 86_400 * 10**9), st.integers(-(10**10), 10**10))
def test_a_kernels_stamp_is_kept(boot_ns: int, away: int) -> None:
    """A year after the boot a double still tells 4 ns apart: that is all that is lost."""
    factory = Seconds(boot_ns / 1e9)
    clock = Clock(factory, lambda: boot_ns)
    assert abs(clock.stamp((boot_ns + away) / 1e9) - (boot_ns + away)) <= 16


@given(st.integers(0, 2**32), st.lists(st.integers(0, 1_000_000_000), max_size=30))
def test_a_counter_that_comes_round_is_followed(start: int, steps: list[int]) -> None:
    factory = Microseconds(start)
    clock = Clock(factory, lambda: 0)
    passed = 0
    for step in steps:
        factory.now += step
        passed += step
        assert clock.now() == passed * 1_000
        before = min(5_000, passed)
        assert clock.stamp((factory.now - before) & 0xFFFFFFFF) == (passed - before) * 1_000


def test_the_anchor_follows_so_that_a_counter_may_come_round_many_times() -> None:
    factory = Microseconds(0)
    clock = Clock(factory, lambda: 0)
    for minute in range(1, 1_000):
        factory.now += 60_000_000
        assert clock.now() == minute * 60 * 10**9
    assert REANCHOR < 2**31 * 1_000


def test_of_several_readings_of_the_two_clocks_the_closest_counts() -> None:
    readings = iter([0, 9_000, 20_000, 20_010, 30_000, 34_000, 40_000, 45_000, 50_000, 59_000])
    assert Clock(Seconds(0.0), lambda: next(readings)).stamp(1e-6) == 21_005


# --- lines -----------------------------------------------------------------------------------------------


def test_an_exception_never_gets_into_the_librarys_thread(caplog: pytest.LogCaptureFixture) -> None:
    factory = MockFactory()
    line = Chip(factory).input(header(17))

    def ear(ns: int, level: bool) -> None:
        raise ZeroDivisionError

    line.listen(ear)
    factory.pin(17).drive_low()
    assert "GPIO17: an edge was lost in its callback" in caplog.text
    line.close()
    line.close()


def test_a_watchdogs_report_is_no_edge() -> None:
    line = Chip(MockFactory()).input(header(17))
    heard: list[bool] = []
    line.listen(lambda ns, level: heard.append(level))
    for state in (0, 2, 1):  # lgpio: low, time-out, high
        line._changed(1.0, state)
    assert heard == [True, False]


def test_where_the_level_is_read_too_late_the_same_again_is_no_news() -> None:
    """RPi.GPIO reads the level when the callback is reached: two edges of a bounce tell one level twice."""
    line = Chip(MockFactory(), late=True).input(header(17))
    heard: list[bool] = []
    line.listen(lambda ns, level: heard.append(level))
    for state in (0, 0, 1, 1, 0):
        line._changed(1.0, state)
    assert heard == [True, False, True]


def test_a_chip_that_does_not_answer_is_a_line_error(monkeypatch: pytest.MonkeyPatch) -> None:
    factory = MockFactory()
    chip = Chip(factory)
    line, lamp = chip.input(header(17)), chip.output(header(18))

    def gone(*_: object) -> None:
        raise OSError(121, "Remote I/O error")

    monkeypatch.setattr(factory.pin(17), "_get_state", gone)
    monkeypatch.setattr(factory.pin(18), "_set_state", gone)
    with pytest.raises(LineError, match=r"GPIO17.*Remote"):
        line.active()
    with pytest.raises(LineError, match=r"GPIO18.*Remote"):
        lamp.switch(True)
    lamp.close()


def test_a_line_that_is_in_use_and_one_that_the_board_lacks() -> None:
    chip = Chip(MockFactory("0002"))  # a Pi 1B: 26 pins
    chip_in_use = chip.input(header(17))
    with pytest.raises(HardwareError, match=r"GPIO17: .*another program"):
        chip.output(header(17))
    with pytest.raises(HardwareError, match=r"GPIO26: .*board lacks the pin"):
        chip.input(header(26))
    chip_in_use.close()


# --- factories -------------------------------------------------------------------------------------------


def hardware(**changes: Any) -> Hardware:
    return Hardware(**{"factory": "lgpio", "wiring": seven_seats(), "expander": EXPANDER, **changes})


class FakeLgpio(ModuleType):
    """The little of lgpio that is asked for: labels of chips."""

    SET_PULL_UP = 32

    def __init__(self, labels: dict[int, str]) -> None:
        super().__init__("lgpio")
        self.labels = labels
        self.open: list[int] = []

    def gpiochip_open(self, number: int) -> int:
        if number not in self.labels:
            raise RuntimeError("can not open gpiochip")  # as lgpio.error says
        self.open.append(number)
        return number

    def gpiochip_close(self, handle: int) -> None:
        self.open.remove(handle)

    def gpio_get_chip_info(self, handle: int) -> list[object]:
        return [0, 54, f"gpiochip{handle}", self.labels[handle]]


class FakeLGPIOFactory(MockFactory):  # type: ignore[misc] # gpiozero has no types
    """gpiozero's factory for lgpio as far as its chip; local factories share their pins."""

    shared: ClassVar[dict[object, object]] = {}

    def __init__(self, chip: int | None = None) -> None:
        super().__init__()
        self.chip = sys.modules["lgpio"].gpiochip_open(0 if chip is None else chip)
        self.pins = FakeLGPIOFactory.shared

    def close(self) -> None:
        super().close()
        sys.modules["lgpio"].gpiochip_close(self.chip)


Install = Callable[[dict[int, str]], FakeLgpio]


@pytest.fixture
def lgpio(monkeypatch: pytest.MonkeyPatch) -> Install:
    """Puts an lgpio in place of the real one, which makes a pipe in the working directory when it is imported."""

    def install(labels: dict[int, str]) -> FakeLgpio:
        fake, pins = FakeLgpio(labels), ModuleType("gpiozero.pins.lgpio")
        pins.LGPIOFactory = FakeLGPIOFactory  # type: ignore[attr-defined]
        monkeypatch.setitem(sys.modules, "lgpio", fake)
        monkeypatch.setitem(sys.modules, "gpiozero.pins.lgpio", pins)
        paths = [f"/dev/gpiochip{number}" for number in labels]
        monkeypatch.setattr("hal.gpio.chips.Path.glob", lambda *_: map(sys.modules["pathlib"].Path, paths))
        return fake

    return install


BOARD = {0: "pinctrl-bcm2711", 1: "raspberrypi-exp-gpio", 2: "mcp23017"}


def test_the_expander_is_found_by_its_label(lgpio: Install) -> None:
    fake = lgpio(BOARD)
    chips = open_chips(hardware())
    assert fake.open == [0, 2]
    assert chips.of(expander(5)).factory.chip == 2
    chips.close()
    assert fake.open == []


def test_only_the_librarys_threads_may_oversleep() -> None:
    """They ask every 0.5 ms whether an edge has come, though an edge wakes them. All other timers stay exact."""
    slacks: list[int] = []

    def look() -> None:
        slacks.append(int(Path(f"/proc/{threading.get_native_id()}/timerslack_ns").read_text()))

    look()
    with unhurried():
        thread = threading.Thread(target=look)
        thread.start()
        thread.join()
    look()
    thread = threading.Thread(target=look)
    thread.start()
    thread.join()
    before, theirs, after, others = slacks
    assert theirs == SLACK
    assert before == after == others < SLACK


def test_the_librarys_thread_is_started_unhurried(lgpio: Install, monkeypatch: pytest.MonkeyPatch) -> None:
    fake = lgpio(BOARD)
    opened = fake.gpiochip_open
    slacks: list[int] = []

    def gpiochip_open(number: int) -> int:
        slacks.append(int(Path("/proc/self/timerslack_ns").read_text()))
        return int(opened(number))

    monkeypatch.setattr(fake, "gpiochip_open", gpiochip_open)
    open_chips(hardware()).close()
    assert slacks[0] == SLACK  # lgpio starts its thread when it opens the first chip
    assert max(slacks[1:]) < SLACK


def test_an_expanders_lines_are_not_the_headers(lgpio: Install) -> None:
    """gpiozero's local factories share their pins: line 5 of a second chip would be GPIO5 of the header."""
    lgpio(BOARD)
    chips = open_chips(hardware(expander=2))
    lamp, button = chips.of(expander(5)).output(expander(5)), chips.of(header(5)).input(header(5))
    lamp.switch(True)
    assert chips.header.factory.pin(5).function == "input"
    for part in (lamp, button, chips):
        part.close()


@pytest.mark.parametrize(
    ("labels", "says"),
    [
        ({0: "pinctrl-bcm2711"}, "no gpiochip labelled mcp23017 .*dtoverlay"),
        ({**BOARD, 3: "mcp23017"}, "more than one gpiochip labelled mcp23017 .*write its number"),
        ({0: "raspberrypi-exp-gpio"}, "gpiochip0 is raspberrypi-exp-gpio, not the header"),
        ({1: "pinctrl-rp1"}, "lgpio cannot be used: can not open gpiochip; .*group gpio"),
    ],
)
def test_a_chip_that_is_not_there_is_said_with_the_remedy(lgpio: Install, labels: dict[int, str], says: str) -> None:
    fake = lgpio(labels)
    with pytest.raises(HardwareError, match=says):
        open_chips(hardware())
    assert fake.open == []


@pytest.mark.skipif(find_spec("lgpio") is None, reason="lgpio has no wheel for this Python")
def test_the_lgpio_that_is_installed_has_the_names_of_the_fake(tmp_path: Path) -> None:
    asks = "import lgpio; print(hasattr(lgpio, 'SET_PULL_UP'), hasattr(lgpio, 'SET_BIAS_PULL_UP'))"
    # In a process and a folder of its own, for it leaves a pipe where it is imported.
    answer = subprocess.run([sys.executable, "-c", asks], cwd=tmp_path, check=True, capture_output=True, text=True)
    assert answer.stdout.split() == ["True", "False"]


def test_an_ancient_lgpio_is_refused(lgpio: Install, monkeypatch: pytest.MonkeyPatch) -> None:
    lgpio(BOARD)
    monkeypatch.setattr(FakeLgpio, "SET_BIAS_PULL_UP", 32, raising=False)
    with pytest.raises(HardwareError, match=r"older than 0\.2"):
        open_chips(hardware())


@pytest.mark.parametrize(
    ("factory", "error", "says"),
    [
        ("lgpio", ModuleNotFoundError("No module named 'lgpio'"), "apt install python3-lgpio"),
        ("lgpio", FileNotFoundError(2, "No such file or directory", ".lgd-nfy0"), "WorkingDirectory="),
        ("lgpio", FileNotFoundError(2, "No such file", "/proc/cpuinfo"), "'/proc/cpuinfo'; .*ProcSubset=pid"),
        ("rpigpio", ModuleNotFoundError("No module named 'RPi'"), "pozo\\[rpigpio\\]"),
        ("rpigpio", RuntimeError("Cannot determine SOC peripheral base address"), "Pi 5 needs lgpio"),
        ("rpigpio", RuntimeError("what nobody has seen yet"), "compare the versions"),
    ],
)
def test_a_factory_that_cannot_be_had_is_said_with_the_remedy(
    monkeypatch: pytest.MonkeyPatch, factory: str, error: Exception, says: str
) -> None:
    class Refusing(ModuleType):
        def __getattr__(self, name: str) -> object:
            raise error

    for module in ("lgpio", "gpiozero.pins.lgpio", "gpiozero.pins.rpigpio"):
        monkeypatch.setitem(sys.modules, module, Refusing(module))
    with pytest.raises(HardwareError, match=f"The factory {factory} cannot be used: .*{says}"):
        open_chips(hardware(factory=factory))


def test_no_device_ever_asks_for_the_default_factory(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.WARNING)
    chips = open_chips(hardware(factory="mock"))
    lamp = chips.of(expander(0)).output(expander(0))
    lamp.close()
    chips.close()
    assert gpiozero.Device.pin_factory is None
    assert caplog.text == ""


def test_a_line_is_taken_from_the_library_before_it_is_closed() -> None:
    """lgpio's thread ends when a callback that outlived its device raises (seen on a kernel, at the second start)."""

    class Held:
        """What gpiozero's device for lgpio does: closing it leaves the callback in lgpio's list."""

        def __init__(self) -> None:
            self.pin = SimpleNamespace(when_changed=None)
            self.heard_at_close: object = "open"

        def close(self) -> None:
            self.heard_at_close = self.pin.when_changed

    device = Held()
    line = Input(device, Clock(MockFactory()), "GPIO17", inverted=False, late=False)
    line.listen(lambda ns, level: None)
    assert device.pin.when_changed is not None
    line.close()
    assert device.heard_at_close is None
