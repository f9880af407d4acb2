"""From a factory's ticks to the nanoseconds of a stamp.

gpiozero hands every edge the instant at which it happened in *ticks*, and calls them opaque: only ``ticks_diff`` may
compare them. With lgpio they are the kernel's own stamp (seconds of ``CLOCK_MONOTONIC`` since Linux 5.7), with RPi.GPIO
the instant at which the callback was reached, with other libraries a counter of 32 bits of microseconds, which comes
round every 71.6 minutes. All of them are measured from an anchor, forwards or backwards, whichever is nearer.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Protocol

REANCHOR = 600 * 1_000_000_000
"""The anchor is moved when it is older than this many nanoseconds: far less than half of what the shortest counter
counts, and so rarely that rounding adds up to nothing."""


class Ticking(Protocol):
    """What a factory of gpiozero knows of time."""

    def ticks(self) -> float:
        """This instant, as edges are stamped."""

    def ticks_diff(self, later: float, earlier: float) -> float:
        """Seconds between two instants; a counter that has come round in between is allowed for."""


class Clock:
    """Nanoseconds of the machine's monotonic clock, told from ticks. Safe to ask from any thread."""

    def __init__(self, factory: Ticking, monotonic: Callable[[], int] = time.monotonic_ns) -> None:
        self._factory = factory
        self._anchor = min((self._reading(monotonic) for _ in range(5)), key=lambda reading: reading[0])[1]

    def now(self) -> int:
        """This instant. Also keeps the anchor young: to be asked more often than the counter comes round."""
        ticks = self._factory.ticks()
        ns = self.stamp(ticks)
        if ns - self._anchor[1] > REANCHOR:
            self._anchor = (ticks, ns)
        return ns

    def stamp(self, ticks: float) -> int:
        """The instant that `ticks` mean: the one nearest to the anchor that they can mean."""
        origin, ns = self._anchor
        after = self._factory.ticks_diff(ticks, origin)
        before = self._factory.ticks_diff(origin, ticks)
        seconds = after if abs(after) <= abs(before) else -before
        return ns + round(seconds * 1e9)

    def _reading(self, monotonic: Callable[[], int]) -> tuple[int, tuple[float, int]]:
        """The two clocks read together, and how far apart in the worst case: the thread may have had to wait."""
        before = monotonic()
        ticks = self._factory.ticks()
        after = monotonic()
        return after - before, (ticks, (before + after) // 2)
