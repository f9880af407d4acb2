"""The wires of one source on their way into ``hal.conditioning``: edges in the order of their stamps, levels re-read.

Edges reach the loop late and out of order: the kernel queues them per line, the library's thread sorts what it finds
together, and the interpreter lets that thread in when it likes. So every edge waits until it is `DELIVERY` old before
it is fed, in the order of stamps. A contact has to be at rest for ``Timing.settle`` anyway to be a press, and that is
no less: both waits are over together. Whether it is at rest is then said by the level, read again, for edges that are
still on their way; and as a press has the stamp of its first edge, all that belongs before it has been fed.

``CompleteTo`` trails the clock by more (`COMPLETE`), since nobody waits for it. That is how it can be true (rules 2.8)
without asking anybody.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Mapping
from contextlib import suppress

from hal.conditioning import Button, Fact, Line, Sense, Slot, Source
from hal.debounce import MS
from hal.gpio.chips import Input
from hal.gpio.trouble import LineError
from hal.port import CompleteTo, Part, PartFailed, PartMended, Signal, Stamp

DELIVERY = 5 * MS
"""Nanoseconds from an edge to its arrival in the loop's queue, at most. lgpio holds an edge that came together with
another line's until it asks again, after 0.5 ms and ``chips.SLACK`` (lgPthAlerts.c); a busy interpreter lets its thread
in after `SWITCH_S`; the rest is the kernel's. An edge that takes longer is counted (`Feed.late`), and keeps its stamp
unless its source has told something later."""

COMPLETE = 20 * MS
"""Nanoseconds that ``CompleteTo`` trails the clock, at least: the garbage collector may hold up a slow board's
interpreter for that long. An edge that takes longer counts as the first instant that nobody was promised."""

SWITCH_S = 0.001
"""Seconds after which a busy interpreter should let another thread in (``sys.setswitchinterval``, for the whole
program); 5 ms are usual, which `DELIVERY` could not allow for."""

_LAMP = ""
"""Where an edge has the name of its line: the lamp was switched."""


class RelearningButton:
    """A bet button that can be told its level when an edge was lost, without a press being made up of that."""

    def __init__(self, make: Callable[[bool, int], Button], pressed: bool, at: int) -> None:
        self._make = make
        self._button = make(pressed, at)
        self.relearning = False

    def found(self, at: int) -> list[Fact]:
        """What there is to tell at the start."""
        return self._button.found(at)

    @property
    def raw(self) -> bool:
        return self._button.raw

    @property
    def wake(self) -> int | None:
        return self._button.wake

    @property
    def settles(self) -> int | None:
        return self._button.settles

    def settle(self, now: int) -> list[Fact]:
        return self._button.settle(now)

    def edge(self, at: int, level: bool) -> list[Fact]:
        if not self.relearning:
            return self._button.edge(at, level)
        self._button = self._make(level, at)  # as found at a start: if pressed no press, but it may be stuck
        return self._button.found(at)

    def advance(self, now: int) -> list[Fact]:
        return self._button.advance(now)

    def complete_to(self, now: int) -> int:
        return self._button.complete_to(now)


class Wire:
    """One input line: where its edges come from, and the conditioned line to which they go.

    `slow` lines are read over a bus, which takes a while.
    """

    def __init__(self, source: int, name: str, line_input: Input, *, slow: bool) -> None:
        self.source = source
        self.name = name
        self.slow = slow
        self.input = line_input
        self.level = False
        """The level of the last edge that arrived, or as found."""
        self.edges = 0
        """How many edges have arrived."""
        self._found_between = (0, 0)
        self._latest = 0

    def listen(self, ear: Callable[[Wire, int, bool], None]) -> None:
        """Hear edges from now on. Raises HardwareError."""
        self._heard = lambda ns, level: ear(self, ns, level)
        self.input.listen(self._heard)

    def find(self, now: Callable[[], int]) -> None:
        """Read the level, once it has come to rest: what changes from here on is heard. Raises LineError."""
        before = now()
        self.level = self.input.active()
        self._found_between = (before, now())

    def arrived(self, ns: int, level: bool) -> int | None:
        """An edge has arrived: its stamp, never before the one before it, or None if the level as found tells of it."""
        before, after = self._found_between
        if ns < before or (ns <= after and level == self.level and not self.edges):
            return None
        self.level = level
        self.edges += 1
        self._latest = max(ns, self._latest)
        return self._latest


class Feed:
    """One source: a seat, or the table itself (0). All methods are for the loop's thread.

    `tell` gets every signal. `late` counts the edges that took longer than `DELIVERY`.
    """

    def __init__(
        self,
        source: Source,
        boot: int,
        wires: Mapping[str, Wire],
        lines: Mapping[str, Line],
        tell: Callable[[Signal], None],
    ) -> None:
        self.number = source.number
        self.wires = dict(wires)
        self.late = 0
        self.answering = True
        """Whether the chips of this source can be read and written: who does not answer is not complete."""
        self._source, self._boot, self._lines, self._tell = source, boot, dict(lines), tell
        self._waiting: list[tuple[int, int, str, bool, bool]] = []
        self._count = 0
        self._owed: int | None = None
        self._reported = 0
        self._served = 0
        self._asked = False
        """Whether what is owed has not been looked at since it could be given. It is looked at once: what holds it back
        then wakes the source by itself."""
        self._changed = True
        self._wake: int | None = None
        self._button = next(
            (
                (wires[name].input, line)
                for name, line in lines.items()
                if isinstance(line, RelearningButton) and not wires[name].slow
            ),
            None,
        )

    @property
    def wake(self) -> int | None:
        """The stamp up to which to ``serve`` next, if nothing more happens; None: never."""
        if self._changed:
            self._changed = False
            self._wake = self._next()
        return self._wake

    def _next(self) -> int | None:
        due = [self._waiting[0][0]] if self._waiting else []
        if self._reported > self._served:
            due.append(self._reported)
        if self._asked and self._owed is not None:
            due.append(self._owed + COMPLETE - DELIVERY)
        if self._source.wake is not None:
            due.append(self._source.wake)
        return min(due, default=None)

    def edge(self, wire: Wire, ns: int, level: bool) -> None:
        """An edge has arrived from `wire`."""
        stamp = wire.arrived(ns, level)
        if stamp is not None:
            self.late += stamp <= self._served
            self._wait(stamp, wire.name, level)

    def report(self, make: type[PartFailed] | type[PartMended], part: Part, at: int) -> None:
        """A fact that no line tells, in its place among the others."""
        self._reported = max(self._reported, at)
        self._changed = True
        self._source.report(make(self.number, part, Stamp(self._boot, at)))

    def lamp_switched(self, at: int) -> None:
        """The seat's lamp was switched: its light may fall into the slots (rules 8.5: no noise of our own making)."""
        if any(isinstance(line, Slot) for line in self._lines.values()):
            self._wait(at, _LAMP, False)

    def serve(self, now: int) -> None:
        """It is `now`, and everything older than `DELIVERY` has arrived: feed it, and tell what is certain.

        Where nothing is due, nothing is done: most sources have nothing to do with what woke the table.
        """
        until = now - DELIVERY
        if self.wake is not None and self.wake <= until:
            self._feed(now, until)
        self._served = until

    def _feed(self, now: int, until: int) -> None:
        self._changed = True
        if self._owed is not None and self._owed + COMPLETE <= now:
            self._asked = False
        while self._waiting and self._waiting[0][0] <= until:
            at, _, name, level, relearning = heapq.heappop(self._waiting)
            if name == _LAMP:
                self._blank(at)
                continue
            line = self._lines[name]
            if isinstance(line, RelearningButton):
                line.relearning = relearning
            self._source.edge(name, at, level)
        self._look(now)
        self._advance(until)

    def answer(self, now: int) -> None:
        """Say how far this source is complete, if that is owed, and reached."""
        complete = min(self._source.complete_to, now - COMPLETE)
        if self._owed is not None and self.answering and complete >= self._owed:
            self._owed = None
            self._source.promise(complete)
            self._tell(CompleteTo(self.number, Stamp(self._boot, self._source.promised)))

    def owe(self, at: int) -> None:
        """Whoever seals the round wants to know when everything up to `at` has been told (rules 2.8)."""
        self._owed = at if self._owed is None else max(at, self._owed)
        self._asked = self._changed = True

    # Levels re-read (traps: trailing edges can be missing even from the kernel, lg#18).

    def disagreeing(self, *, slow: bool) -> dict[Wire, tuple[bool, int]]:
        """The wires whose level is not that of their last edge: level, and how many edges had arrived.

        An edge may be on its way: ask again a while later. `slow` wires are read only if asked. Raises LineError.
        """
        return {
            wire: (level, wire.edges)
            for wire in self.wires.values()
            if (slow or not wire.slow) and (level := wire.input.active()) != wire.level
        }

    def lost(self, wire: Wire, at: int) -> None:
        """An edge of `wire` is lost: its level is the other, and nobody knows since when.

        Two equal edges say that one was lost; then comes the level. The key turns and a lamp is sensed by that, dated
        now. A press or a chip is never made of it: a button learns its level anew, and a beam found broken is broken
        twice, so that what ends it is no chip.
        """
        level = not wire.level
        wire.level = level
        self._wait(at, wire.name, not level)
        self._wait(at, wire.name, level, relearning=True)
        if isinstance(self._lines[wire.name], Slot) and level:
            self._wait(at, wire.name, level)

    def _look(self, now: int) -> None:
        """A contact that has been at rest, as far as edges have arrived, is a press if it is closed still.

        If it is not, edges are on their way that will say why.
        """
        if self._button is None or self._waiting:
            return
        line_input, button = self._button
        if button.settles is None or button.settles > now:
            return
        with suppress(LineError):  # the watch will find that it cannot be read
            if line_input.active():
                for fact in button.settle(now):
                    self._source.report(fact)

    def _advance(self, until: int) -> None:
        for signal in self._source.advance(until):
            self._tell(signal)

    def _blank(self, at: int) -> None:
        """In its place among the edges: what had come to rest before the lamp was switched is no light of it."""
        self._advance(at)
        for line in self._lines.values():
            if isinstance(line, Slot):
                line.lamp_switched(at)

    def _wait(self, at: int, name: str, level: bool, *, relearning: bool = False) -> None:
        self._count += 1
        self._changed = True
        heapq.heappush(self._waiting, (at, self._count, name, level, relearning))


def found(lines: Mapping[str, Line], at: int) -> list[Fact]:
    """What the lines of a seat have to tell at the start. Several slots are one part: it works if all of them do."""
    told: list[Fact] = []
    acceptors = [line for line in lines.values() if isinstance(line, (RelearningButton, Slot))]
    working = [line.found(at) for line in acceptors]
    if working and all(working):
        told += working[0]
    for line in lines.values():
        if isinstance(line, Sense):
            told += line.found(at)
    return told
