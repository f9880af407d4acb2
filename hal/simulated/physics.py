"""What the parts of a table do, as electricity: contacts that bounce, beams that break, lamps that glow.

Everything here makes raw edges and nothing else; what they mean is for ``hal.conditioning`` to find out. All
durations are nanoseconds, drawn from the part's own random generator.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from random import Random
from typing import Literal

from hal.simulated.timeline import Event, Hand, Motion, Timeline

MS = 1_000_000
US = 1_000

Acceptor = Literal["credits", "chips"]


class Wire:
    """A line that somebody may listen to. Tells its changes, never the same level twice."""

    def __init__(self, level: bool = False) -> None:
        self.level = level
        self.heard: Callable[[bool], None] | None = None

    def become(self, level: bool) -> None:
        """Take `level`; whoever listens hears an edge if that is a change."""
        if level != self.level:
            self.level = level
            if self.heard is not None:
                self.heard(level)


class Seat:
    """One seat's electricity: the acceptor's contact or beam, the lamp, its current, its plug."""

    def __init__(self, timeline: Timeline, rng: Random, acceptor: Acceptor) -> None:
        self.acceptor = Wire()
        self.current = Wire()
        self.hand = Hand(timeline)
        self._sensor = Hand(timeline)
        self.broken: set[str] = set()
        self.lit = False
        self.recognised: Callable[[int], None] | None = None
        """Told by the slot's own recognition what a chip is worth, as the chip enters."""
        self.kind = acceptor
        self._timeline, self._rng = timeline, rng
        self._powered = True
        self._commanded = False
        self._heading = False
        self._change: Event | None = None
        self._touched = False
        self._disturbed = 0

    # What people do.

    def press(self) -> Motion:
        """A finger taps for about 55 ms, and needs a moment before it can tap again.

        Tap and turn of the key together stay under the 200 ms that a lamp has (rules 2.6), so that a key turned at
        once after a press can find the press's lamp still awaited.
        """
        yield from self._contact(True)
        yield self._between(30, 80)
        yield from self._contact(False)
        yield self._between(20, 50)

    def chip(self, value: int) -> Motion:
        """A chip falls through the beam; the next one follows at 10 a second at most. None goes into a jam."""
        if "slot" in self.broken:
            return
        if self.recognised is not None:
            self.recognised(value)
        yield from self._beam(True)
        yield self._between(22, 55)
        yield from self._beam(False)
        yield self._between(22, 38)

    def spike(self) -> None:
        """Static: for at most a millisecond the acceptor's line reads the opposite."""
        self._disturb(self._rng.randint(50 * US, 1 * MS))

    # What happens to parts.

    def failed(self, part: str) -> None:
        """`part` breaks: a stuck button or a jammed slot closes its line, a lamp changes as it must, a node that
        is unplugged forgets what its lamp was told."""
        self.broken.add(part)
        self._commanded = self._commanded and part != "node"
        self._sense_acceptor()
        self._follow()

    def mended(self, part: str) -> None:
        """`part` works again."""
        self.broken.discard(part)
        self._sense_acceptor()
        self._follow()

    def power(self, on: bool) -> None:
        """The table's supply comes, or goes: the driver then forgets its command, and the lamp is dark at once."""
        self._powered = on
        self._commanded = False
        self._follow()

    def command(self, lamp: bool) -> None:
        """The driver switches the lamp. Its light may fall into the slot's sensor while it changes."""
        self._commanded = lamp
        if self._follow() and self.kind == "chips":
            self._timeline.after(self._between(1, 6), self._glare)

    # How it comes about.

    def _between(self, low: int, high: int) -> int:
        return self._rng.randint(low * MS, high * MS)

    def _contact(self, closed: bool) -> Motion:
        """A contact bounces up to seven times, for up to 12 ms, before it rests."""
        yield from bounce(self._touch, closed, self._rng, 7, 900 * US)

    def _beam(self, broken: bool) -> Motion:
        """A beam's comparator chatters a little at the chip's edge."""
        yield from bounce(self._touch, broken, self._rng, 2, 300 * US)

    def _touch(self, touched: bool) -> None:
        self._touched = touched
        self._sense_acceptor()

    def _disturb(self, duration: int) -> None:
        self._disturbed += 1
        self._sense_acceptor()
        self._timeline.after(duration, self._calm)

    def _calm(self) -> None:
        self._disturbed -= 1
        self._sense_acceptor()

    def _sense_acceptor(self) -> None:
        level = self._touched or "button" in self.broken or "slot" in self.broken
        self.acceptor.become(level != bool(self._disturbed))

    def _glare(self) -> None:
        if self._powered and self._rng.random() < 0.5:
            self._disturb(self._between(1, 8))

    def _follow(self) -> bool:
        """Let the lamp go where supply, command and faults send it. Returns whether that is a change."""
        supplied = self._powered and "node" not in self.broken
        target = supplied and "lamp" not in self.broken and (self._commanded or "lamp-on" in self.broken)
        if target == self._heading:
            return False
        self._heading = target
        self._timeline.cancel(self._change)
        if supplied:
            self._change = self._timeline.after(self._between(2, 6), self._glow)
        else:
            self._glow()
        return True

    def _glow(self) -> None:
        """The lamp has come up or gone out, and the current sensor chatters about it."""
        self.lit = self._heading
        self._sensor.do(bounce(self.current.become, self.lit, self._rng, 2, 400 * US))


class LockKey:
    """The key switch: one contact made in each position, neither on the way between them."""

    def __init__(self, timeline: Timeline, rng: Random, locked: bool) -> None:
        self.hand = Hand(timeline)
        self.position: Literal["open", "locked"] = "locked" if locked else "open"
        self.contacts = {"open": Wire(not locked), "locked": Wire(locked)}
        self.wire_off = False
        self._made = {"open": not locked, "locked": locked}
        self._rng = rng

    def turn(self, to: Literal["open", "locked"]) -> Motion:
        """Turn the key, 5 to 25 ms on the way. Nothing moves if it stands there already."""
        if to == self.position:
            return
        left, self.position = self.position, to
        yield from bounce(self._setter(left), False, self._rng, 5, 800 * US)
        yield self._rng.randint(5 * MS, 25 * MS)
        yield from bounce(self._setter(to), True, self._rng, 5, 800 * US)
        yield 10 * MS

    def wire(self, off: bool) -> None:
        """The open contact's wire comes off, or is put on again."""
        self.wire_off = off
        self._sense()

    def _setter(self, contact: str) -> Callable[[bool], None]:
        def make(made: bool) -> None:
            self._made[contact] = made
            self._sense()

        return make

    def _sense(self) -> None:
        self.contacts["open"].become(self._made["open"] and not self.wire_off)
        self.contacts["locked"].become(self._made["locked"])


def bounce(move: Callable[[bool], None], to: bool, rng: Random, most: int, longest: int) -> Iterator[int]:
    """Go `to` a level, leaving it again up to `most` times, each stay lasting up to `longest`."""
    move(to)
    for _ in range(rng.randint(0, most)):
        yield rng.randint(20 * US, longest)
        move(not to)
        yield rng.randint(20 * US, longest)
        move(to)
