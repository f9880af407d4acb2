"""An asyncio loop whose timers are exact: a press should not wait for a clock that counts in milliseconds.

``epoll_wait`` takes whole milliseconds, to which asyncio's selector rounds up, so that every timer is up to one late. A
``select`` on the epoll itself waits to the microsecond.
"""

from __future__ import annotations

import asyncio
import select
import selectors


class ExactSelector(selectors.EpollSelector):
    """Waits for as long as it is asked to, to the microsecond."""

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        """As any selector."""
        if timeout is not None and timeout > 0:
            select.select([self.fileno()], [], [], timeout)
            timeout = 0
        return super().select(timeout)


def exact_loop() -> asyncio.AbstractEventLoop:
    """A new loop that waits so."""
    return asyncio.SelectorEventLoop(ExactSelector())
