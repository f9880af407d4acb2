"""gpiozero behind a small typed door: chips, inputs and outputs. The only importer of gpiozero and what it drives.

A factory is opened by its name and given to every device: gpiozero's global default is never consulted, since it falls
back silently and has chosen wrongly before (gpiozero#1229). An expander is a gpiochip of its own, behind a factory of
its own.

gpiozero's ``when_pressed`` and its sisters drop the instant of an edge, and its ``bounce_time`` loses presses
(gpiozero#550, #1039). So a device is only opened here, and its edges are taken from ``Pin.when_changed``, raw, with
their ticks; ``hal.conditioning`` does the rest.
"""

from __future__ import annotations

import logging
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Lock, get_native_id
from typing import Any

from hal.gpio.ticks import Clock
from hal.gpio.trouble import running, starting
from hal.gpio.wiring import Hardware, Pin
from hal.port import HardwareError

_log = logging.getLogger(__name__)

SLACK = 1_000_000
"""Nanoseconds by which lgpio's thread may be late where no edge wakes it. It asks again every 0.5 ms, which is most of
what an idle table costs; an edge wakes it at once all the same. Only one that comes together with another line's, and
with nothing after them, is held until it asks again: ``hal.gpio.feed.DELIVERY`` allows for that."""

Ear = Callable[[int, bool], None]
"""Hears an edge: its stamp in nanoseconds, and whether the line is active from then on. On the library's thread."""


class Input:
    """One input line, pulled up. Active is low, for contacts to ground, unless it is `inverted`."""

    def __init__(self, device: Any, clock: Clock, name: str, *, inverted: bool, late: bool) -> None:
        self.name = name
        self._device, self._clock = device, clock
        self._active = inverted
        self._late = late
        self._ear: Ear | None = None
        self._heard: bool | None = None

    def active(self) -> bool:
        """The level now. Raises LineError when the chip does not answer."""
        with running(self.name):
            return bool(self._device.pin.state) is self._active

    def listen(self, ear: Ear) -> None:
        """Give every edge to `ear` from now on. Raises HardwareError where edges cannot be had."""
        self._ear = ear
        with starting(self.name):
            self._device.pin.when_changed = self._changed  # kept weakly by gpiozero: this object must live on

    def close(self) -> None:
        """Hear nothing more, let the line go. Never raises."""
        self._ear = None
        # gpiozero closes a pin without taking its callback from lgpio's list. The next edge of that line, in a table
        # that was started again, would find its owner gone and end lgpio's thread, which is everybody's.
        with suppress(Exception):
            self._device.pin.when_changed = None
        _close(self._device, self.name)

    def _changed(self, ticks: float, state: int) -> None:
        """On the library's thread, which an exception would end for every line (lgpio's has no try)."""
        try:
            ear, level = self._ear, bool(state) is self._active
            if ear is None or state not in (0, 1):  # 2 is lgpio's watchdog
                return
            if self._late:  # the level is the present one, not the edge's: the same again is no news
                if level is self._heard:
                    return
                self._heard = level
            ear(self._clock.stamp(ticks), level)
        except Exception:
            _log.exception("%s: an edge was lost in its callback", self.name)


class Output:
    """One output line, active high, low when it is opened and after it is closed."""

    def __init__(self, device: Any, name: str) -> None:
        self.name = name
        self._device = device

    def switch(self, on: bool) -> None:
        """Drive the line. Raises LineError when the chip does not answer."""
        with running(self.name):
            self._device.value = on

    def close(self) -> None:
        """Drive the line low and let it go. Never raises."""
        try:
            self.switch(False)
        except Exception:
            _log.warning("%s could not be switched off", self.name)
        _close(self._device, self.name)


class Chip:
    """A gpiochip, through a factory of gpiozero."""

    def __init__(self, factory: Any, *, clock: Clock | None = None, late: bool = False) -> None:
        self.factory = factory
        self.clock = clock or Clock(factory)
        self.late = late
        """Edges are stamped, and their level read, when the callback is reached: RPi.GPIO knows no better."""

    def input(self, pin: Pin, *, inverted: bool = False) -> Input:
        """Open `pin` as an input with its pull-up. Raises HardwareError."""
        with starting(str(pin)):
            from gpiozero import InputDevice

            device = InputDevice(f"GPIO{pin.line}", pull_up=True, pin_factory=self.factory)
            return Input(device, self.clock, str(pin), inverted=inverted, late=self.late)

    def output(self, pin: Pin) -> Output:
        """Open `pin` as an output that is low. Raises HardwareError."""
        with starting(str(pin)):
            from gpiozero import DigitalOutputDevice

            device = DigitalOutputDevice(f"GPIO{pin.line}", initial_value=False, pin_factory=self.factory)
            return Output(device, str(pin))

    def close(self) -> None:
        """Let the chip go. Never raises."""
        _close(self.factory, "gpiochip")


class Chips:
    """The header, and the expander if there is one."""

    def __init__(self, header: Chip, expander: Chip | None = None) -> None:
        self.header, self.expander = header, expander

    def of(self, pin: Pin) -> Chip:
        """The chip on which `pin` is."""
        chip = self.header if pin.chip == "header" else self.expander
        if chip is None:
            raise HardwareError(f"{pin}: there is no expander; write hal.expander, or use a pin of the header.")
        return chip

    def close(self) -> None:
        """Let both go. Never raises."""
        for chip in (self.expander, self.header):
            if chip is not None:
                chip.close()


def open_chips(hardware: Hardware) -> Chips:
    """Open what `hardware` names. Raises HardwareError with the remedy; never falls back to another factory."""
    with starting(f"The factory {hardware.factory} cannot be used"):
        if hardware.factory == "mock":
            return _mock(hardware)
        if hardware.factory == "rpigpio":
            from gpiozero.pins.rpigpio import RPiGPIOFactory

            return Chips(Chip(RPiGPIOFactory(), late=True))
        return _lgpio(hardware)


@contextmanager
def unhurried(slack: int = SLACK) -> Iterator[None]:
    """Threads that are started meanwhile let the kernel wake them up to `slack` nanoseconds late, if only time has
    passed (prctl(2), PR_SET_TIMERSLACK). Where the kernel does not let them, nothing changes."""
    file = Path(f"/proc/{get_native_id()}/timerslack_ns")
    usual = ""
    with suppress(OSError):
        usual = file.read_text()
        file.write_text(str(slack))
    try:
        yield
    finally:
        with suppress(OSError):
            file.write_text(usual)


def _lgpio(hardware: Hardware) -> Chips:
    """lgpio: every gpiochip of the kernel, the kernel's own time stamps."""
    import lgpio
    from gpiozero.pins.lgpio import LGPIOFactory

    if hasattr(lgpio, "SET_BIAS_PULL_UP"):  # 0.2 renamed it; gpiozero gives an older one the new names as well
        raise HardwareError("lgpio is older than 0.2, whose stamps cannot be relied upon: apt install python3-lgpio.")

    class ExpanderFactory(LGPIOFactory):  # type: ignore[misc] # gpiozero has no types
        """Local factories share their pins, as if there were one chip: line 5 here would be GPIO5 of the header."""

        def __init__(self, chip: int) -> None:
            super().__init__(chip)
            self.pins: dict[object, object] = {}
            self._reservations: dict[object, list[object]] = defaultdict(list)
            self._res_lock = Lock()

    with unhurried():
        header = LGPIOFactory()
    label = _label(lgpio, header.chip)
    if not label.startswith("pinctrl-"):
        header.close()
        raise HardwareError(f"gpiochip{header.chip} is {label}, not the header: update gpiozero, which looks there.")
    chip = Chip(header)
    if hardware.expander is None:
        return Chips(chip)
    try:
        return Chips(chip, Chip(ExpanderFactory(_numbered(lgpio, hardware.expander)), clock=chip.clock))
    except BaseException:
        header.close()
        raise


def _numbered(lgpio: Any, expander: str | int) -> int:
    """The number of the expander's gpiochip: numbers may change from boot to boot, labels do not."""
    if isinstance(expander, int):
        return expander
    there = sorted(int(path.name[8:]) for path in Path("/dev").glob("gpiochip[0-9]*"))
    labels = {number: _label(lgpio, number) for number in there}
    found = [number for number, label in labels.items() if label == expander]
    if len(found) != 1:
        known = ", ".join(f"gpiochip{number} {label}" for number, label in labels.items()) or "none"
        count = "no gpiochip" if not found else "more than one gpiochip"
        remedy = "is its dtoverlay in config.txt, and does i2cdetect see it?" if not found else "write its number."
        raise HardwareError(f"There is {count} labelled {expander} (there: {known}): {remedy}")
    return found[0]


def _label(lgpio: Any, number: int) -> str:
    handle = lgpio.gpiochip_open(number)
    try:
        label: str = lgpio.gpio_get_chip_info(handle)[3]
        return label
    finally:
        lgpio.gpiochip_close(handle)


def _mock(hardware: Hardware) -> Chips:
    """gpiozero's mock, for tests and for trying a configuration: a board without wires, its jumper in place."""
    from gpiozero.pins.mock import MockConnectedPin, MockFactory

    header = MockFactory()
    wiring = hardware.wiring
    end = header.pin(f"GPIO{wiring.loop_in.line}")
    header.pin(f"GPIO{wiring.loop_out.line}", pin_class=MockConnectedPin, input_pin=end)
    chip = Chip(header)
    return Chips(chip, None if hardware.expander is None else Chip(MockFactory(), clock=chip.clock))


def _close(closing: Any, name: str) -> None:
    try:
        closing.close()
    except Exception as error:
        _log.warning("%s could not be closed: %s", name, error)
