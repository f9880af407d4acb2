"""What waits to be sent to one client: never more than so much, and the state never twice.

Lines are sent in order. The state is not queued: a client that has missed three states gets the last one. Who
reads too slowly for the rest is told so in one last line and dropped; nobody else waits for them.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from contextlib import suppress


class Outbox:
    """The lines for one client, at most `limit` bytes of them.

    `state` gives the line of the present state; it is asked when there is room to send it. `overflow` is the last
    line of a client that was too slow. After `last_words` nothing more is taken, and what is not sent within
    `grace` seconds never is.
    """

    def __init__(
        self,
        writer: asyncio.StreamWriter,
        state: Callable[[], bytes],
        overflow: Callable[[], bytes],
        limit: int,
        grace: float,
    ) -> None:
        self._writer = writer
        self._state = state
        self._overflow = overflow
        self._limit = limit
        self._grace = grace
        self._lines: deque[bytes] = deque()
        self._size = 0
        self._stale = False
        self._ended = False
        self._wake = asyncio.Event()
        self._deadline: asyncio.TimerHandle | None = None
        writer.transport.set_write_buffer_limits(high=limit // 4)

    def put(self, line: bytes) -> None:
        """Send `line` after those before it."""
        if self._ended:
            return
        if self._size + len(line) > self._limit:
            self._lines.clear()
            self._size = 0
            self.last_words(self._overflow())
            return
        self._lines.append(line)
        self._size += len(line)
        self._wake.set()

    def refresh(self) -> None:
        """The state has changed."""
        self._stale = not self._ended
        self._wake.set()

    def last_words(self, line: bytes = b"") -> None:
        """Send what waits, and `line`, and nothing more."""
        if self._ended:
            return
        if line:
            self._lines.append(line)
        self._ended, self._stale = True, False
        self._wake.set()
        self._deadline = asyncio.get_running_loop().call_later(self._grace, self._writer.transport.abort)

    @property
    def ended(self) -> bool:
        """Whether the last words have been said."""
        return self._ended

    async def deliver(self) -> None:
        """Send until the last words are out, and close. Raises OSError when the client is gone."""
        try:
            while not self._ended or self._lines:
                await self._wake.wait()
                self._wake.clear()
                while self._lines or self._stale:
                    self._writer.write(self._next())
                    await self._writer.drain()
        finally:
            self._writer.close()

    async def closed(self) -> None:
        """Return when the connection is, however: its last words sent, or its time over."""
        with suppress(OSError):
            await self._writer.wait_closed()
        if self._deadline is not None:
            self._deadline.cancel()

    def _next(self) -> bytes:
        if self._lines:
            line = self._lines.popleft()
            self._size -= min(len(line), self._size)
            return line
        self._stale = False
        return self._state()
