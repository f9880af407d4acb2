"""From raw edges to facts: what a contact, a beam or a key does, and what of it may be believed.

Pure: edges with their time stamps go in, the port's signals come out. Nothing here has a clock, a thread or a
wire, so the simulated table and real lines are conditioned by the same code, and every property of it can be
tested. Times are nanoseconds of the source's monotonic clock. Whoever holds the wires

* feeds every edge, in the order of its stamps, to ``Source.edge``;
* calls ``Source.advance(now)`` after edges and at ``Source.wake``: it answers with the signals that are now
  certain, in the order of their stamps. It thereby says that every edge stamped up to `now` has been fed: who
  receives edges with a delay passes the clock less that delay.

``Source.complete_to`` is the stamp up to which nothing can follow any more: the first edge of whatever is not
yet decided holds it back. That is what ``CompleteTo`` reports (rules 2.8).

A change is believed when its line has been at rest for a while, and is then dated back to its first edge, so
bounce neither counts twice nor shifts a press past the lock, and a spike never counts at all.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Mapping
from typing import Literal, Protocol

from hal.debounce import Alternation, Change, Debounce, Spike, Timing
from hal.port import (
    ChipDropped,
    KeyTurned,
    LampSensed,
    NoisePulse,
    PartFailed,
    PartMended,
    Pressed,
    Signal,
    Stamp,
)

Fact = Pressed | ChipDropped | NoisePulse | KeyTurned | LampSensed | PartFailed | PartMended
"""What a line can tell: every signal but those that only the whole source can give."""


class Line(Protocol):
    """One conditioned input (the key: one pair of contacts)."""

    @property
    def raw(self) -> bool:
        """The level of the last edge."""

    @property
    def wake(self) -> int | None:
        """When to call ``advance`` at the latest if no edge comes; None: never."""

    def edge(self, at: int, level: bool) -> list[Fact]:
        """The line went to `level` at `at`; returns what became certain, not necessarily in order."""

    def advance(self, now: int) -> list[Fact]:
        """What became certain up to `now`."""

    def complete_to(self, now: int) -> int:
        """Up to which stamp nothing can follow, all edges up to `now` having been fed and advanced."""


class Button:
    """A bet button (rules 2.2): presses, spikes, and a button pressed for ten seconds, which is stuck.

    A button found pressed at the start is no press, but may be stuck.
    """

    def __init__(self, seat: int, boot: int, pressed: bool, at: int, timing: Timing) -> None:
        self._seat, self._boot, self._timing = seat, boot, timing
        self._contact = Debounce(pressed, timing)
        self._since = at
        self._stuck = False
        self._doubtful = pressed
        """Not seen released since the start, so not known to work."""

    def found(self, at: int) -> list[Fact]:
        """What there is to tell at the start: a button that is not pressed works, whatever it did before."""
        return [] if self._doubtful else [PartMended(self._seat, "button", Stamp(self._boot, at))]

    @property
    def raw(self) -> bool:
        """The level of the last edge."""
        return self._contact.raw

    @property
    def wake(self) -> int | None:
        """When the contact settles, or a held button counts as stuck."""
        if self._contact.wake is not None:
            return self._contact.wake
        held = self._contact.level and not self._stuck
        return self._since + self._timing.stuck if held else None

    def edge(self, at: int, level: bool) -> list[Fact]:
        """The contact closed (True) or opened."""
        return self.advance(at) + self._told(self._contact.edge(at, level))

    @property
    def settles(self) -> int | None:
        """When a contact that has closed will have been at rest for long enough; None: none has."""
        return self._contact.wake if self._contact.raw and not self._contact.level else None

    def settle(self, now: int) -> list[Fact]:
        """It is `settles` by now, and somebody has seen that the contact is closed still: the press.

        For a line whose edges arrive with a delay: edges since may be on their way. If there are any, the contact has
        bounced while it was closed, which changes nothing of the press.
        """
        return self._told(self._contact.advance(now))

    def advance(self, now: int) -> list[Fact]:
        """Presses decided, a stuck button found."""
        told = self._told(self._contact.advance(now))
        due = self._since + self._timing.stuck
        if self._contact.level and not self._stuck and now >= due and self._contact.decided_before(due):
            self._stuck = True
            told.append(PartFailed(self._seat, "button", Stamp(self._boot, due)))
        return told

    def complete_to(self, now: int) -> int:
        """Held back by a contact that still bounces."""
        return now if self._contact.first is None else self._contact.first - 1

    def _told(self, decided: Iterable[Change | Spike]) -> list[Fact]:
        told: list[Fact] = []
        for what in decided:
            at = Stamp(self._boot, what.at)
            if isinstance(what, Spike):
                # A pressed contact that shivers is still pressed.
                told += [] if what.level else [NoisePulse(self._seat, at)]
            elif what.level:
                self._since = what.at
                told.append(Pressed(self._seat, at))
            elif self._stuck or self._doubtful:
                self._stuck = self._doubtful = False
                told.append(PartMended(self._seat, "button", at))
        return told


class Slot:
    """A chip slot's light beam (rules 2.3): True is broken. A chip is a pulse of believable width, dated at its
    leading edge. What cannot be vouched for whole (found in the beam at the start, an edge lost) is no chip.
    """

    def __init__(self, seat: int, boot: int, broken: bool, at: int, timing: Timing, value: int = 0) -> None:
        self._seat, self._boot, self._timing = seat, boot, timing
        self._beam = Debounce(broken, timing)
        self._leading = at
        self._whole = not broken
        self._open = broken
        """A pulse whose fate is not told yet."""
        self._jammed = False
        self._doubtful = broken
        """Not seen clear since the start, so not known to work."""
        self._blank = range(0)
        self._default = self._value = value

    @property
    def raw(self) -> bool:
        """The level of the last edge."""
        return self._beam.raw

    @property
    def wake(self) -> int | None:
        """When the beam settles, a pulse has become too long for a chip, or the slot counts as jammed."""
        if self._beam.wake is not None:
            return self._beam.wake
        if not self._beam.level or self._jammed:
            return None
        return self._leading + (self._timing.longest_pulse + 1 if self._open else self._timing.jam)

    def found(self, at: int) -> list[Fact]:
        """What there is to tell at the start: a slot whose beam is clear works, whatever it did before."""
        return [] if self._doubtful else [PartMended(self._seat, "slot", Stamp(self._boot, at))]

    def recognised(self, value: int) -> None:
        """The slot's own recognition says that the chip now passing is worth `value` minor units."""
        self._value = value

    def lamp_switched(self, at: int) -> None:
        """The seat's lamp was switched at `at`: for a while a pulse may be its light.

        A pulse that begins and ends in the window is neither chip nor noise; one that outlasts it counts as ever.
        """
        begins = self._blank.start if at in self._blank else at
        self._blank = range(begins, at + self._timing.blanking)
        self._beam.hold(self._blank.stop)

    def edge(self, at: int, level: bool) -> list[Fact]:
        """The beam was broken (True) or cleared. Broken twice running, an edge was lost: it may have been two."""
        lost = level and self._beam.raw
        told = self.advance(at) + self._told(self._beam.edge(at, level))
        if lost:
            self._whole = False
        return told

    def advance(self, now: int) -> list[Fact]:
        """Chips decided, pulses too long, a jam found."""
        told = self._told(self._beam.advance(now))
        if not self._beam.level:
            return told
        too_long = self._leading + self._timing.longest_pulse
        if self._open and now > too_long and self._beam.decided_before(too_long):
            told.append(self._not_a_chip())
        jam = self._leading + self._timing.jam
        if not self._open and not self._jammed and now >= jam and self._beam.decided_before(jam):
            self._jammed = True
            told.append(PartFailed(self._seat, "slot", Stamp(self._boot, jam)))
        return told

    def complete_to(self, now: int) -> int:
        """Held back by a chip from its leading edge until it has passed or is too long to be one."""
        if self._open:
            return self._leading - 1
        return now if self._beam.first is None else self._beam.first - 1

    def _told(self, decided: Iterable[Change | Spike]) -> list[Fact]:
        told: list[Fact] = []
        for what in decided:
            if isinstance(what, Spike):
                told += self._flickered(what)
            elif what.level:
                self._leading, self._open = what.at, True
            else:
                told += self._passed(what)
        return told

    def _flickered(self, what: Spike) -> list[Fact]:
        """The beam was broken and is clear again, but was never seen at rest: noise, or the lamp's own light; or a
        chip into which the lamp shone."""
        if what.level:
            return []
        if what.at in self._blank:
            self._whole = True
            return []
        if what.rested:
            self._leading, self._open = what.at, True
            return self._passed(Change(what.until, False, what.until))
        self._whole = True
        return [NoisePulse(self._seat, Stamp(self._boot, what.at))]

    def _passed(self, clear: Change) -> list[Fact]:
        """The beam is clear again. A chip is as wide as all its chatter: until the beam is clear for good."""
        told: list[Fact] = []
        trailing = clear.at
        width = clear.rested - self._leading
        if self._jammed or self._doubtful:
            told.append(PartMended(self._seat, "slot", Stamp(self._boot, trailing)))
        if self._open:
            believable = self._timing.shortest_pulse <= width <= self._timing.longest_pulse
            if self._whole and believable:
                told.append(ChipDropped(self._seat, self._value, Stamp(self._boot, self._leading)))
            else:
                told.append(self._not_a_chip())
        self._jammed = self._doubtful = self._open = False
        self._whole, self._value = True, self._default
        return told

    def _not_a_chip(self) -> NoisePulse:
        self._open = False
        return NoisePulse(self._seat, Stamp(self._boot, self._leading))


class Sense:
    """A lamp's current sensor (rules 2.6): True is lit."""

    def __init__(self, seat: int, boot: int, lit: bool, timing: Timing) -> None:
        self._seat, self._boot = seat, boot
        self._current = Debounce(lit, timing)

    def found(self, at: int) -> list[Fact]:
        """What there is to tell at the start: a lamp that is lit."""
        return [LampSensed(self._seat, True, Stamp(self._boot, at))] if self._current.level else []

    @property
    def raw(self) -> bool:
        """The level of the last edge."""
        return self._current.raw

    @property
    def wake(self) -> int | None:
        """When the sensor settles."""
        return self._current.wake

    def edge(self, at: int, level: bool) -> list[Fact]:
        """Current began (True) or ceased to flow."""
        return self._told(self._current.edge(at, level))

    def advance(self, now: int) -> list[Fact]:
        """Changes decided."""
        return self._told(self._current.advance(now))

    def complete_to(self, now: int) -> int:
        """Held back by a sensor that still chatters."""
        return now if self._current.first is None else self._current.first - 1

    def _told(self, decided: Iterable[Change | Spike]) -> list[Fact]:
        return [
            LampSensed(self._seat, what.level, Stamp(self._boot, what.at))
            for what in decided
            if isinstance(what, Change)
        ]


class Source:
    """A seat, or the table itself (0): its lines together, telling everything in the order of stamps.

    What one line has decided waits until no other line can still tell something earlier.
    """

    def __init__(self, number: int, boot: int, lines: Mapping[str, Line], at: int) -> None:
        self.number = number
        self.complete_to = at - 1  # what is found at the start is stamped with it
        """Nothing stamped up to here can follow if no edge comes too late, as of the last ``advance``."""
        self.promised = at - 1
        """Nothing stamped up to here may follow, come what may: others have been told by it."""
        self._boot = boot
        self._lines = dict(lines)
        self._alternation = {name: Alternation(line.raw) for name, line in lines.items()}
        self._lossy: set[str] = set()
        self._told: list[tuple[int, int, Signal]] = []
        self._count = 0

    @property
    def wake(self) -> int | None:
        """When to call ``advance`` at the latest if no edge comes; None: never."""
        return min((wake for line in self._lines.values() if (wake := line.wake) is not None), default=None)

    def edge(self, line: str, at: int, level: bool) -> None:
        """`line` went to `level` at `at`.

        An edge that comes too late, stamped where this source has promised that nothing follows, counts as the first
        instant after: what was promised stays true. An edge that comes late, but not too late for that, keeps its
        stamp.
        """
        at = max(at, self.promised + 1)
        self._alternates(line, at, self._alternation[line].edge(level))
        for fact in self._lines[line].edge(at, level):
            self.report(fact)

    def report(self, signal: Signal) -> None:
        """Something that is known without conditioning takes its place in the order of stamps."""
        self._count += 1
        heapq.heappush(self._told, (signal.at.ns, self._count, signal))

    def promise(self, at: int) -> None:
        """Somebody is told that this source is complete up to `at`, which is not after `complete_to`."""
        self.promised = max(self.promised, at)

    def advance(self, now: int) -> list[Signal]:
        """All edges up to `now` have been fed: the signals that are now certain, in the order of their stamps."""
        for line in self._lines.values():
            for fact in line.advance(now):
                self.report(fact)
        certain = min((line.complete_to(now) for line in self._lines.values()), default=now)
        self.complete_to = max(self.promised, certain)
        signals = []
        while self._told and self._told[0][0] <= self.complete_to:
            self.promised, _, signal = heapq.heappop(self._told)
            signals.append(signal)
        return signals

    def _alternates(self, line: str, at: int, news: Literal["", "lost", "regained"]) -> None:
        """Edges lost on any line are one fault of the whole source, mended when every line is good again."""
        was_lossy = bool(self._lossy)
        if news == "lost":
            self._lossy.add(line)
        elif news == "regained":
            self._lossy.discard(line)
        if bool(self._lossy) != was_lossy:
            what = PartFailed if self._lossy else PartMended
            self.report(what(self.number, "edges", Stamp(self._boot, at)))
