"""A loop whose clock runs faster, or slower, than the wall's: engine, deadlines and physics all scale together.

Within one turn of the loop no time passes. What one callback does at once happens at one instant then, and its
order does not depend on how busy the machine is, which a fast clock would magnify.
"""

from __future__ import annotations

import asyncio
import selectors
import time
from collections.abc import Callable


class _Selector(selectors.DefaultSelector):
    """Waits as long as it is told to for what the loop counts in its own seconds."""

    def __init__(self, real: Callable[[float], float], turned: Callable[[], None]) -> None:
        super().__init__()
        self._real = real
        self._turned = turned

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        ready = super().select(self._real(timeout) if timeout else timeout)
        self._turned()
        return ready


class ScaledLoop(asyncio.SelectorEventLoop):
    """An asyncio loop on which `speed` seconds pass in each second of the world."""

    def __init__(self, speed: float) -> None:
        self._speed = speed
        self._began = time.monotonic()
        self._turn = 0.0
        super().__init__(_Selector(self._real, self._turned))

    def time(self) -> float:
        """Seconds on the loop's own clock, from its making to the beginning of this turn."""
        return self._turn

    def _running(self) -> float:
        return (time.monotonic() - self._began) * self._speed

    def _real(self, timeout: float) -> float:
        """How long to wait really, so that `timeout` will have passed since this turn began."""
        return max(0.0, self._turn + timeout - self._running()) / self._speed

    def _turned(self) -> None:
        self._turn = self._running()
