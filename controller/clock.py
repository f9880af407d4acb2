"""The two clocks of a daemon: wall time, for people only, and whether it can be believed."""

from __future__ import annotations

import ctypes
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

from controller.journal.wall import wall

_TIME_ERROR = 5
"""What adjtimex(2) returns while the kernel's clock is not synchronised."""

_TIMEX_BYTES = 256
"""More than struct timex on any architecture (208 on 64 bits); its first field, modes, stays 0: only read."""


def synchronised() -> bool:
    """Whether the kernel says that its clock is set by the network (adjtimex(2)). A Pi has no clock battery."""
    buffer = ctypes.create_string_buffer(_TIMEX_BYTES)
    state: int = ctypes.CDLL(None).adjtimex(buffer)
    return 0 <= state < _TIME_ERROR


def wall_now() -> str:
    """Now, as the journal writes it."""
    return wall(datetime.now(UTC), synchronised())


def gaming_day(now: datetime, timezone: str, hour: int, minute: int) -> str:
    """The gaming day (its date, in the table's zone) that `now` (aware) belongs to; days begin at `hour`:`minute`.

    An empty `timezone` is the machine's own.
    """
    local = now.astimezone(ZoneInfo(timezone) if timezone else None)
    return (local - timedelta(hours=hour, minutes=minute)).date().isoformat()
