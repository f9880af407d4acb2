"""The far end of every wire: drives the inputs of the simulated chips, and hears what their outputs do.

Outputs are heard through the kernel's tracepoint ``gpio:gpio_value``, with the kernel's own stamps, so that nobody has
to poll. The same trace tells when a program claims a line: gpio-sim then pulls it up as the program asks, however hard
the wire pulls it down; a real contact wins over 50 kΩ, so here it is pulled down again.
"""

from __future__ import annotations

import os
import re
import select
import threading
from collections.abc import Callable
from pathlib import Path

from hal.gpio.wiring import ChipName, Pin
from tests.hil.guest.board import CONFIG, EXPANDER, HEADER

TRACING = Path("/sys/kernel/tracing/instances/bench")

LABELS: dict[ChipName, str] = {"header": HEADER[0], "expander": EXPANDER[0]}

LOOK_S = 0.02
"""Seconds between two looks into the trace: the kernel wakes who waits for it, but not every time."""

FIRST = 512
"""The kernel's own count of lines, which the trace uses, begins here (GPIO_DYNAMIC_BASE), in the order of chips."""

Heard = Callable[[Pin, bool, int], None]
"""An output went to a level, at an instant of ``CLOCK_MONOTONIC`` in nanoseconds. On a thread."""

_SEEN = re.compile(rb"(\d+)\.(\d{6}): gpio_(value|direction): (\d+) +(\w+) \(?(-?\d+)")


class Lines:
    """All lines of the board."""

    def __init__(self) -> None:
        self.heard: Heard = lambda pin, high, at: None
        self.jumper: tuple[Pin, Pin] | None = None
        """From an output to an input: followed at once."""
        self._folder: dict[ChipName, Path] = {}
        self._high: dict[Pin, bool] = {}
        self._pulls: dict[Pin, int] = {}
        for chip in LABELS:
            self._find(chip)
        self._ending = False
        self._trace = _traced()
        self._thread = threading.Thread(target=self._listen, daemon=True)
        self._thread.start()

    def drive(self, pin: Pin, high: bool) -> None:
        """The wire pulls the line of `pin` high or low."""
        self._high[pin] = high
        self._pull(pin)

    def let_go(self, pin: Pin) -> None:
        """Nothing pulls any more: the line is where the program's own pull takes it, up."""
        self.drive(pin, True)

    def level(self, pin: Pin) -> bool:
        """Where the line is now; low, when its chip is gone."""
        folder = self._folder.get(pin.chip)
        return folder is not None and (folder / f"sim_gpio{pin.line}/value").read_text().strip() == "1"

    def pull_file(self, pin: Pin) -> Path:
        """To which somebody else may write where the wire pulls."""
        return self._folder[pin.chip] / f"sim_gpio{pin.line}/pull"

    def remove(self, chip: ChipName) -> None:
        """Take a chip away, whoever holds its lines."""
        del self._folder[chip]
        for pin in [pin for pin in self._pulls if pin.chip == chip]:
            os.close(self._pulls.pop(pin))
        (CONFIG / LABELS[chip] / "live").write_text("0")

    def replace(self, chip: ChipName) -> None:
        """Put it back, with its wires."""
        (CONFIG / LABELS[chip] / "live").write_text("1")
        self._find(chip)
        for pin in [pin for pin in self._high if pin.chip == chip]:
            self._pull(pin)

    def close(self) -> None:
        """Hear nothing more."""
        self._ending = True
        self._thread.join(2)
        for number in self._pulls.values():
            os.close(number)
        self._pulls.clear()
        os.close(self._trace)

    def _find(self, chip: ChipName) -> None:
        device = (CONFIG / LABELS[chip] / "dev_name").read_text().strip()
        name = (CONFIG / LABELS[chip] / "bank/chip_name").read_text().strip()
        self._folder[chip] = Path("/sys/devices/platform", device, name)

    def _pull(self, pin: Pin) -> None:
        if pin.chip not in self._folder:
            return
        number = self._pulls.get(pin)
        if number is None:
            number = self._pulls[pin] = os.open(self.pull_file(pin), os.O_WRONLY)
        os.pwrite(number, b"pull-up" if self._high[pin] else b"pull-down", 0)

    def _listen(self) -> None:
        rest = b""
        while not self._ending:
            select.select([self._trace], [], [], LOOK_S)
            try:
                rest += os.read(self._trace, 65536)
            except BlockingIOError:
                continue
            *seen, rest = rest.split(b"\n")
            for line in seen:
                self._see(line)

    def _see(self, line: bytes) -> None:
        found = _SEEN.search(line)
        if found is None:
            return
        at = int(found[1]) * 1_000_000_000 + int(found[2]) * 1_000
        pin = self._pin(int(found[4]))
        if pin is None:
            return
        if found[3] == b"direction":
            if found[5] == b"in" and pin in self._high:
                self._pull(pin)
        elif found[5] == b"set":
            high = found[6] == b"1"
            if self.jumper is not None and pin == self.jumper[0]:
                self.drive(self.jumper[1], high)
            self.heard(pin, high, at)

    def _pin(self, number: int) -> Pin | None:
        if 0 <= number - FIRST < HEADER[1]:
            return Pin("header", number - FIRST)
        line = number - FIRST - HEADER[1]
        return Pin("expander", line) if 0 <= line < EXPANDER[1] else None


def _traced() -> int:
    """Begin to trace; the pipe."""
    if TRACING.exists():
        TRACING.rmdir()
    TRACING.mkdir()
    (TRACING / "trace_clock").write_text("mono")
    (TRACING / "buffer_percent").write_text("0")
    (TRACING / "events/gpio/gpio_value/filter").write_text("get == 0")
    for event in ("gpio_value", "gpio_direction"):
        (TRACING / "events/gpio" / event / "enable").write_text("1")
    return os.open(TRACING / "trace_pipe", os.O_RDONLY | os.O_NONBLOCK)
