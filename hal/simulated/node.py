"""Who listens to the simulated wires: a node per seat, and one for the table itself.

A seat's node conditions its edges, stamps them and reports. Unplugged, it goes on counting on its own and
reports everything when it is plugged in again; its host misses three polls and calls it silent.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from hal.conditioning import Button, Line, Sense, Slot, Source
from hal.debounce import MS, Timing
from hal.lock_key import Key
from hal.port import CompleteTo, PartFailed, PartMended, Signal, Stamp
from hal.simulated.physics import LockKey, Seat, Wire
from hal.simulated.timeline import Event, Timeline

SILENT = 300 * MS
"""Three missed polls of 100 ms: the node is silent (rules 8, fault table)."""

Heard = Callable[[Signal], None]


class Listener:
    """Feeds one source with the edges of its wires, wakes it when it asks, and passes on what it tells."""

    def __init__(self, timeline: Timeline, source: Source, wires: Mapping[str, Wire], tell: Heard) -> None:
        self.source = source
        self.served: Callable[[int], None] | None = None
        """Called after each telling with the stamp up to which everything has been told."""
        self.settled = True
        """Whether nothing is under way: no bounce, no chip in the beam, no key in travel."""
        self._timeline, self._wires, self._tell = timeline, dict(wires), tell
        self._alarm: Event | None = None
        for name, wire in self._wires.items():
            wire.heard = self._ear(name)
        self.serve()

    def serve(self) -> None:
        """Tell what is certain by now, and set the alarm for what is not."""
        now = self._timeline.stamp()
        for signal in self.source.advance(now):
            if self._wires:
                self._tell(signal)
        self.settled = self.source.complete_to >= now
        self._set_alarm()
        if self.served is not None and self._wires:
            self.served(self.source.complete_to)

    def cut(self) -> None:
        """Hear nothing more, tell nothing more."""
        for wire in self._wires.values():
            wire.heard = None
        self._wires = {}
        self._timeline.cancel(self._alarm)

    def _ear(self, name: str) -> Callable[[bool], None]:
        def heard(level: bool) -> None:
            self.source.edge(name, self._timeline.stamp(), level)
            self.serve()

        return heard

    def _set_alarm(self) -> None:
        wake = self.source.wake if self._wires else None
        if self._alarm is not None and self._alarm.action is not None:
            if wake is not None and self._alarm.due <= wake:
                return  # it will ask again
            self._timeline.cancel(self._alarm)
        self._alarm = None if wake is None else self._timeline.at(wake, self.serve, idle=True)


class KeyNode:
    """The table's own source, 0: the lock key, and what the host finds out about the display."""

    def __init__(self, timeline: Timeline, key: LockKey, tell: Heard, boot: int, timing: Timing) -> None:
        at = timeline.stamp()
        contacts = key.contacts
        lock = Key(boot, {"open": contacts["open"].level, "locked": contacts["locked"].level}, at, timing)
        lines: dict[str, Line] = {"open": lock.contact("open"), "locked": lock.contact("locked")}
        source = Source(0, boot, lines, at)
        for signal in lock.found(at):
            tell(signal)
        self._listener = Listener(timeline, source, contacts, tell)

    @property
    def busy(self) -> bool:
        """Whether the key is between its positions or its contacts bounce."""
        return not self._listener.settled

    def report(self, signal: Signal) -> None:
        """Something known without the wires, in its place among the others."""
        self._listener.source.report(signal)
        self._listener.serve()

    def cut(self) -> None:
        """Hear nothing more, tell nothing more."""
        self._listener.cut()


class SeatNode:
    """One seat's node, and what its host knows of it."""

    def __init__(self, timeline: Timeline, seat: Seat, number: int, tell: Heard, boot: int, timing: Timing) -> None:
        self._timeline, self._seat, self._number, self._tell = timeline, seat, number, tell
        self._boot, self._timing = boot, timing
        self._plugged = "node" not in seat.broken
        self._running = True
        self._failed = False
        self._silence: Event | None = None
        self._kept: list[Signal] = []
        self._wanted = False
        self._owed: int | None = None
        self._slot: Slot | None = None
        self._listener: Listener | None = None  # none: has had no supply since the table was started
        if self._plugged:
            self._wake_up()
        else:
            self._call_silent(timeline.stamp())

    @property
    def busy(self) -> bool:
        """Whether something is under way at the seat that will become a signal."""
        return self._listener is not None and not self._listener.settled

    def show(self, lamp: bool) -> None:
        """Command the lamp, if that is news. A node that is unplugged is told when it is back."""
        if lamp != self._wanted:
            self._wanted = lamp
            if self._plugged:
                self._switch(lamp)

    def ask(self, up_to: int, delay: int) -> None:
        """The host wants to know when everything up to `up_to` has been told; its poll takes `delay` ns."""
        self._timeline.after(delay, lambda: self._asked(up_to))

    def unplug(self) -> None:
        """The plug comes off. The host notices at the third poll, and dates the silence back to its beginning."""
        if self._listener is None or not self._plugged:
            return
        self._listener.serve()
        since = self._listener.source.complete_to + 1
        self._plugged = False
        self._silence = self._timeline.after(SILENT, lambda: self._call_silent(since), idle=True)

    def plug(self) -> None:
        """The plug is back: everything kept is told, in order, and the lamp is commanded again."""
        if self._plugged:
            return
        self._plugged = True
        self._timeline.cancel(self._silence)
        kept, self._kept = self._kept, []
        for signal in kept:
            self._tell(signal)
        listener = self._listener or self._wake_up()
        if self._failed:
            self._failed = False
            mended = PartMended(self._number, "node", Stamp(self._boot, self._timeline.stamp()))
            listener.source.report(mended)
        self._switch(self._wanted)
        listener.serve()

    def cut(self) -> None:
        """No program listens any more."""
        self._running = False
        self._seat.recognised = None
        self._timeline.cancel(self._silence)
        if self._listener is not None:
            self._listener.cut()

    def _wake_up(self) -> Listener:
        """Begin to listen, from the levels found."""
        at, seat, timing = self._timeline.stamp(), self._seat, self._timing
        sense = Sense(self._number, self._boot, seat.current.level, timing)
        acceptor = self._acceptor(at)
        lines: dict[str, Line] = {"acceptor": acceptor, "current": sense}
        source = Source(self._number, self._boot, lines, at)
        works = PartMended(self._number, "node", Stamp(self._boot, at))
        for signal in (works, *acceptor.found(at), *sense.found(at)):
            self._report(signal)
        wires = {"acceptor": seat.acceptor, "current": seat.current}
        self._listener = Listener(self._timeline, source, wires, self._report)
        self._listener.served = self._answer
        return self._listener

    def _acceptor(self, at: int) -> Button | Slot:
        level = self._seat.acceptor.level
        if self._seat.kind == "credits":
            return Button(self._number, self._boot, level, at, self._timing)
        self._slot = Slot(self._number, self._boot, level, at, self._timing)
        self._seat.recognised = self._slot.recognised
        return self._slot

    def _switch(self, lamp: bool) -> None:
        if self._slot is not None:
            self._slot.lamp_switched(self._timeline.stamp())
        self._seat.command(lamp)

    def _report(self, signal: Signal) -> None:
        """The node has something to tell, now or when it is plugged in again."""
        if self._plugged:
            self._tell(signal)
        else:
            self._kept.append(signal)

    def _asked(self, up_to: int) -> None:
        self._owed = up_to if self._owed is None else max(self._owed, up_to)
        if self._listener is not None and self._running:
            self._listener.serve()

    def _answer(self, complete_to: int) -> None:
        """Everything up to `complete_to` has been told: if that was asked, say so."""
        if self._plugged and self._owed is not None and complete_to >= self._owed:
            self._owed = None
            self._tell(CompleteTo(self._number, Stamp(self._boot, complete_to)))

    def _call_silent(self, since: int) -> None:
        self._failed = True
        self._tell(PartFailed(self._number, "node", Stamp(self._boot, since)))
