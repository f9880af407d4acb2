"""One raw line: which of its changes are to be believed, and since when they hold.

Pure, like `hal.conditioning`, which makes facts of what is believed here. Times are nanoseconds of the source's
monotonic clock.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

MS = 1_000_000
"""Nanoseconds in a millisecond."""


class Timing(NamedTuple):
    """How long is long, in nanoseconds. The defaults suit arcade buttons, 39 mm chips and a cam lock.

    `longest_pulse` must stay under the 200 ms in which a lamp is to be sensed (rules 2.6): a chip in the beam
    holds back what its seat reports later than the chip's leading edge.
    """

    settle: int = 5 * MS
    """A line is at rest when it has had no edge for this long. Spikes and bounces are shorter."""
    longest_chatter: int = 50 * MS
    """A line that has not come to rest after this long is noise so far."""
    stuck: int = 10_000 * MS
    """A button pressed for longer is stuck (rules 8, fault table)."""
    shortest_pulse: int = 10 * MS
    longest_pulse: int = 150 * MS
    """A pulse of the beam outside these two is no chip."""
    jam: int = 1_500 * MS
    """A beam broken for longer is a jammed slot (fault table)."""
    blanking: int = 15 * MS
    """After a lamp has been switched its light may reach the slot's sensor for this long."""
    travel: int = 50 * MS
    """The key's contacts may both be made, or neither, for this long (fault table)."""


class Change(NamedTuple):
    """A line came to rest at a new level; `at` is the first edge that led there, `rested` the last."""

    at: int
    level: bool
    rested: int


class Spike(NamedTuple):
    """A line left its level and came to rest at the same one; `at` is the first edge, `until` the last.

    `rested`: while it was held (``Debounce.hold``) it was at rest at the other level, too.
    """

    at: int
    level: bool
    until: int = 0
    rested: bool = False


class Debounce:
    """One raw line: which changes are to be believed, and since when they hold."""

    def __init__(self, level: bool, timing: Timing) -> None:
        self.level = level
        """The level last believed."""
        self.first: int | None = None
        """First edge of what is not decided yet."""
        self.raw = level
        """The level of the last edge."""
        self._last = 0
        self._hold = 0
        self._rested = False
        self._timing = timing

    @property
    def wake(self) -> int | None:
        """When it will be decided, if no further edge comes."""
        return None if self.first is None else max(self._last + self._timing.settle, self._hold)

    def hold(self, until: int) -> None:
        """Decide nothing before `until`: the line may lie."""
        self._hold = until

    def edge(self, at: int, level: bool) -> list[Change | Spike]:
        """The line went to `level` at `at`. An edge to the level it had restarts the rest: one was lost between."""
        decided = self.advance(at)
        if self.first is not None and at - self.first > self._timing.longest_chatter:
            decided.append(Spike(self.first, self.level, self._last, self._rested))
            self.first = None
        if self.first is None and level != self.level:
            self.first, self._rested = at, False
        elif self.raw != self.level and at - self._last >= self._timing.settle:
            self._rested = True  # believed at once, had the line not been held
        self.raw = level
        self._last = at
        return decided

    def advance(self, now: int) -> list[Change | Spike]:
        """What is decided at `now`: at most one thing."""
        wake = self.wake
        if self.first is None or wake is None or now < wake:
            return []
        at, self.first = self.first, None
        if self.raw == self.level:
            return [Spike(at, self.level, self._last, self._rested)]
        self.level = self.raw
        return [Change(at, self.level, self._last)]

    def decided_before(self, at: int) -> bool:
        """Whether nothing that began up to `at` is still open."""
        return self.first is None or self.first > at


class Alternation:
    """Edges of a line must alternate. Two equal ones in succession: one between them was lost (fault table).

    An occurrence lasts from the first equal edge to the next good pair, and is told once, however many edges
    are lost meanwhile: a dying line cannot flood the journal.
    """

    def __init__(self, level: bool) -> None:
        self._level = level
        self._good = 2

    def edge(self, level: bool) -> Literal["", "lost", "regained"]:
        """What the edge says about the edges before it."""
        alternates = level != self._level
        self._level = level
        was_good = self._good >= 2
        self._good = self._good + 1 if alternates else 0
        if was_good:
            return "" if alternates else "lost"
        return "regained" if self._good >= 2 else ""
