"""Pulses for an electromechanical counter: queued, one after the other, by timers on the loop.

A counter that is driven by a coil counts ten pulses a second at most, and counts upwards only. So a pulse that may have
been seen is never given again: what is in doubt is missing, not double.
"""

from __future__ import annotations

import asyncio
import logging

from hal.gpio.chips import Output
from hal.gpio.trouble import LineError

_log = logging.getLogger(__name__)

ON_S = 0.06
"""Seconds that the counter's circuit is closed for one pulse, at least. Counters for ten a second ask for 50 ms."""

OFF_S = 0.06
"""Seconds that it is open between two pulses, at least."""

RETRY_S = 5.0
"""Seconds until a chip that did not answer is tried again: a hung bus holds the loop for a second."""


class Pulses:
    """What is still to be counted at `output`. All methods are for the loop's thread."""

    def __init__(self, output: Output) -> None:
        self._output = output
        self._loop = asyncio.get_running_loop()
        self._left = 0
        self._on = False
        self._failing = False
        self._timer: asyncio.TimerHandle | None = None
        self._waiting: list[asyncio.Future[None]] = []

    def add(self, pulses: int) -> None:
        """Give so many pulses more, as soon as those before are out. Returns at once, never raises."""
        self._left += max(0, pulses)
        if self._timer is None and self._left:
            self._step()

    async def drained(self) -> None:
        """Return when every pulse is out; never while the counter's chip does not answer."""
        if self._timer is not None:
            waiter: asyncio.Future[None] = self._loop.create_future()
            self._waiting.append(waiter)
            await waiter

    def stop(self) -> None:
        """Give no pulse more: those not yet begun are dropped, and the log says how many. Idempotent."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if self._left:
            _log.warning("the meter was not given its last %d pulses; the journal has counted them", self._left)
        self._left = 0
        self._release()

    def _step(self) -> None:
        """The end of a pulse, or the beginning of the next one."""
        self._timer = None
        if not self._on and not self._left:
            self._release()
            return
        # A beginning that fails may have been seen all the same: it counts as given, and the line as still on.
        beginning = not self._on
        self._left -= beginning
        self._on = True
        try:
            self._output.switch(beginning)
        except LineError as error:
            if not self._failing:
                _log.error("the meter does not answer, and waits with %d pulses: %s", self._left, error)
            self._failing = True
            self._timer = self._loop.call_later(RETRY_S, self._step)
            return
        if self._failing:
            self._failing = False
            _log.warning("the meter answers again; a pulse of it may be missing")
        self._on = beginning
        self._timer = self._loop.call_later(ON_S if beginning else OFF_S, self._step)

    def _release(self) -> None:
        waiters, self._waiting = self._waiting, []
        for waiter in waiters:
            if not waiter.done():
                waiter.set_result(None)
