"""The jumper from an output to an input, by which the controller knows that edges arrive.

Libraries can open every line, read every level, and never deliver an edge: lgpio whose pipe could not be written
(gpiozero#1130), RPi.GPIO since kernel 6.6 (raspberrypi/linux#6037), a callback thread that has died. So an edge is made
to arrive before the table starts, and another each second as long as it runs.
"""

from __future__ import annotations

import threading
import time

from hal.debounce import MS
from hal.gpio.chips import Chips
from hal.gpio.trouble import starting
from hal.gpio.wiring import Wiring
from hal.port import HardwareError

PATIENCE_S = 1.0
"""Seconds that an edge may take at the start. Five milliseconds are usual."""

REST_S = 0.01
"""Seconds after which a line is where its wire takes it."""

SKEW = 1_000 * MS
"""An edge stamped further than this from the clock is stamped by another clock."""


class Loop:
    """The two ends of the jumper. Raises HardwareError when they cannot be opened."""

    def __init__(self, chips: Chips, wiring: Wiring) -> None:
        self._chip = chips.of(wiring.loop_in)
        self._in = self._chip.input(wiring.loop_in, inverted=True)  # high is active, as at the output
        self._out = chips.of(wiring.loop_out).output(wiring.loop_out)
        self._sent = self._heard = False
        self._at = 0
        self._news = threading.Event()

    def prove(self) -> None:
        """Make two edges arrive, with their levels and honest stamps. Raises HardwareError, saying what is amiss."""
        self._in.listen(self._hear)
        for level in (True, False):
            self._news.clear()
            with starting(self._out.name):
                self._out.switch(level)
            if not self._arrives(level):
                raise HardwareError(self._amiss(level))
            away = self._chip.clock.now() - self._at
            if abs(away) > SKEW:
                raise HardwareError(
                    f"{self._in.name}: an edge of this moment is stamped {away / 1e9:.0f} s ago: this kernel stamps "
                    "with another clock than CLOCK_MONOTONIC; Linux 5.7 or newer is needed."
                )

    def beat(self) -> bool:
        """Send the next edge. Returns whether the one before has arrived. Raises LineError."""
        arrived = self._news.is_set() and self._heard is self._sent
        self._news.clear()
        self._sent = not self._sent
        self._out.switch(self._sent)
        return arrived

    def close(self) -> None:
        """Let both ends go. Never raises."""
        self._out.close()
        self._in.close()

    def _hear(self, ns: int, level: bool) -> None:
        self._at, self._heard = ns, level
        self._news.set()

    def _arrives(self, level: bool) -> bool:
        """Whether the edge to `level` comes in time. One that was still on its way when this was sent is no answer."""
        until = time.monotonic() + PATIENCE_S
        while self._news.wait(max(0.0, until - time.monotonic())):
            if self._heard is level:
                return True
            self._news.clear()
        return False

    def _amiss(self, level: bool) -> str:
        ends = f"{self._out.name} to {self._in.name}"
        # An end that is connected to nothing agrees with one of the two levels: it is where its pull-up takes it.
        if not all(self._follows(each) for each in (level, not level)):
            return f"The jumper from {ends} carries nothing: put it in place, or correct loop_out and loop_in."
        return (
            f"The level went from {ends}, but no edge arrived within {PATIENCE_S:.0f} s: start in a directory that may "
            'be written (WorkingDirectory=, for lgpio\'s pipe), and use factory = "lgpio" from kernel 6.6 on.'
        )

    def _follows(self, level: bool) -> bool:
        """Whether the input goes where the output goes."""
        with starting(self._in.name):
            self._out.switch(level)
            time.sleep(REST_S)
            return self._in.active() is level
