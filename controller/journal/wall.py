"""Wall-clock time as the journal keeps it: for people; order is the sequence number.

A Raspberry Pi has no clock battery, so after a power cut its clock may show the past until it has been set
over the network. A time written meanwhile ends in ``?``.
"""

from __future__ import annotations

from datetime import UTC, datetime


def wall(now: datetime, synchronised: bool) -> str:
    """`now` (aware) in UTC with milliseconds: "2025-03-01T20:15:00.250Z", or "…250Z?" when not synchronised."""
    text = now.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    return text if synchronised else text + "?"


def read_wall(text: str) -> tuple[datetime, bool]:
    """The time and whether the clock was synchronised. Raises ValueError."""
    return datetime.fromisoformat(text.removesuffix("?")), not text.endswith("?")
