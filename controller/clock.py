"""The clocks of a daemon: wall time, for people only; whether it can be believed; and the gaming day."""

from __future__ import annotations

import ctypes
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from functools import cache
from typing import Any, NamedTuple

from controller.journal.wall import wall

_TIME_ERROR = 5
"""What adjtimex(2) returns while the kernel's clock is not synchronised."""

_TIMEX_BYTES = 256
"""More than struct timex on any architecture (208 on 64 bits); its first field, modes, stays 0: only read."""


class WallClock:
    """The machine's own."""

    def now(self) -> datetime:
        """Now, aware."""
        return datetime.now(UTC)

    def synchronised(self) -> bool:
        """Whether the kernel says that its clock is set by the network (adjtimex(2)). A Pi has no clock battery."""
        state: int = _libc().adjtimex(ctypes.create_string_buffer(_TIMEX_BYTES))
        return 0 <= state < _TIME_ERROR

    def text(self) -> str:
        """Now, as the journal writes it."""
        return wall(self.now(), self.synchronised())


@cache
def _libc() -> Any:
    return ctypes.CDLL(None)


class GamingDays(NamedTuple):
    """When a table's days begin: at `starts`, in `timezone` (an IANA name; empty: the machine's own)."""

    timezone: str
    starts: time

    def begins(self, day: date) -> datetime:
        """The instant at which gaming day `day` begins: the first one at which its wall clock shows `starts`. A time
        that the clock jumps over comes when it would have come without the jump."""
        return datetime.combine(day, self.starts, self._zone()).astimezone(UTC)

    def of(self, now: datetime) -> date:
        """The gaming day that `now` (aware) belongs to."""
        day = now.astimezone(self._zone()).date() + timedelta(days=1)
        while now < self.begins(day):
            day -= timedelta(days=1)
        return day

    def next_begins(self, now: datetime) -> datetime:
        """The instant at which the day after that of `now` begins."""
        return self.begins(self.of(now) + timedelta(days=1))

    def _zone(self) -> tzinfo | None:
        if not self.timezone:
            return None
        from zoneinfo import ZoneInfo  # not needed before the first round's end

        return ZoneInfo(self.timezone)
