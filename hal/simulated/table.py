"""A table made of physics: everything that a real one does, without the wires.

People's acts (``press``, ``chip``, ``turn_key``) and misfortunes (``break_part``, ``noise``, ``power_off``) make
raw edges; ``hal.conditioning`` makes signals of them, as it does for real lines. It runs on the asyncio loop
from which it is first touched, in real time or in virtual time, and with the same seed it does the same.

What real hardware could not do raises ``ImpossibleError``: a chip at a credits table, a seat that is not there, a
program that shows something without power.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection
from random import Random
from typing import Literal, get_args

from hal.debounce import MS, Timing
from hal.port import KeyTurned, Panel, PartFailed, PartMended, Signal, Stamp
from hal.simulated.display import Display
from hal.simulated.node import KeyNode, SeatNode
from hal.simulated.physics import Acceptor, LockKey, Seat
from hal.simulated.timeline import Timeline

SeatPart = Literal["lamp", "lamp-on", "button", "slot", "node"]
TablePart = Literal["display", "key"]
BreakablePart = SeatPart | TablePart
"""``lamp`` is open (never lights), ``lamp-on`` shorted (always lit), ``button`` stuck pressed, ``slot`` jammed,
``node`` unplugged; ``display`` does not answer, ``key`` has lost the wire of its open contact."""


MOST_WAITING = 2_000
"""So much is asked of one hand at most: what has to be remembered has an end, whoever asks."""


class ImpossibleError(Exception):
    """Real hardware could not do this; the message says why."""


class SimulatedTable:
    """A table of `seats` seats, each with a lamp and an acceptor, a lock key and a display.

    `denominations` are the chip values (minor units) that a chips table's slots recognise. `rng` decides every
    bounce and duration. Implements ``hal.port.Backend``.
    """

    def __init__(
        self,
        *,
        seats: int,
        acceptor: Acceptor,
        rng: Random,
        denominations: Collection[int] = (),
        key: Literal["open", "locked"] = "locked",
        timing: Timing | None = None,
    ) -> None:
        if seats < 1 or (acceptor == "chips") != bool(denominations) or any(v < 1 for v in denominations):
            raise ValueError("a table has at least one seat, and chip values exactly where it takes chips")
        self.acceptor = acceptor
        self._denominations = frozenset(denominations)
        self._timing = timing or Timing()
        self._timeline = Timeline()
        # Each part draws from a generator of its own: what happens at one seat changes nothing at another.
        self._seats = {n: Seat(self._timeline, _branch(rng), acceptor) for n in range(1, seats + 1)}
        self._key = LockKey(self._timeline, _branch(rng), key == "locked")
        self._bus = _branch(rng)
        self._display = Display(self._timeline)
        self._broken: set[tuple[BreakablePart, int]] = set()
        self._powered = True
        self._boot: int | None = None
        self._emit: Callable[[Signal], None] | None = None
        self._nodes: dict[int, SeatNode] = {}
        self._key_node: KeyNode | None = None
        self._resting: list[asyncio.Future[None]] = []
        self._timeline.on_rest(self._tell_rest)

    # hal.port.Backend: what a program may do.

    def start(self, emit: Callable[[Signal], None], boot: int) -> None:
        """Begin to emit signals; the levels found are emitted before this returns.

        Raises ImpossibleError without power, or when a program has started the table and not stopped it.
        """
        if not self._powered:
            raise ImpossibleError("start: the power is off, no program can run; call power_on() first")
        if self._emit is not None:
            raise ImpossibleError("start: already started; a table has one controller, stop() it first")
        self._emit, self._boot = emit, boot
        self._key_node = KeyNode(self._timeline, self._key, self._heard, boot, self._timing)
        self._display.attach(self._display_answers)
        self._nodes = {
            n: SeatNode(self._timeline, seat, n, self._heard, boot, self._timing) for n, seat in self._seats.items()
        }

    def show(self, panel: Panel) -> None:
        """Command lamps and display. Raises ImpossibleError before ``start``, after ``stop``, without power, and
        for a panel of another table."""
        if not self._powered:
            raise ImpossibleError("show: the power is off; a program without power cannot run")
        if self._emit is None:
            raise ImpossibleError("show: the table is not started")
        if [seat.seat for seat in panel.seats] != list(self._seats):
            raise ImpossibleError(f"show: a panel of this table has the seats 1 to {len(self._seats)}, in order")
        if any((seat.credits is None) != (self.acceptor == "chips") for seat in panel.seats):
            raise ImpossibleError("show: credits are shown at a credits table, and nowhere else (rules 2.2, 2.3)")
        for seat in panel.seats:
            self._nodes[seat.seat].show(seat.lamp)
        self._display.show(panel)

    def now(self) -> Stamp:
        """This instant, on the loop's clock. Raises ImpossibleError before the first ``start``."""
        if self._boot is None:
            raise ImpossibleError("now: a stamp belongs to a boot; start the table first")
        return Stamp(self._boot, self._timeline.stamp())

    def stop(self) -> None:
        """Darken the outputs, emit nothing more. Idempotent."""
        self._detach()
        if self._powered:
            for seat in self._seats.values():
                seat.command(False)

    # What people do.

    def press(self, seat: int, times: int = 1) -> None:
        """A player presses the button `times` times, after whatever that hand is still doing.

        Raises ImpossibleError at a chips table, and for more than a hand can be asked to remember.
        """
        if self.acceptor != "credits":
            raise ImpossibleError("press: this is a chips table, its seats have no button")
        place = self._seat(seat)
        self._has_time(seat, times)
        for _ in range(times):
            place.hand.do(place.press())

    def chip(self, seat: int, value: int | None = None) -> None:
        """A player drops a chip of `value` minor units (by default the smallest) through the slot.

        Raises ImpossibleError at a credits table, for a value that no chip here has, into a jammed slot. A chip that
        still waits in the hand when the slot jams stays in the hand.
        """
        if self.acceptor != "chips":
            raise ImpossibleError("chip: this is a credits table, its seats have no slot")
        place = self._seat(seat)
        value = min(self._denominations) if value is None else value
        if value not in self._denominations:
            known = ", ".join(map(str, sorted(self._denominations)[:6])) + ", …" * (len(self._denominations) > 6)
            raise ImpossibleError(f"chip: no chip of {value} here, only of {known}")
        if ("slot", seat) in self._broken:
            raise ImpossibleError(f"chip: the slot of seat {seat} is jammed, no chip goes in")
        self._has_time(seat, 1)
        place.hand.do(place.chip(value))

    def _has_time(self, seat: int, times: int) -> None:
        if self._seat(seat).hand.waiting + times > MOST_WAITING:
            raise ImpossibleError(f"the hand at seat {seat} has too much to do already: wait until it has done that")

    def turn_key(self, position: Literal["open", "locked"]) -> None:
        """The dealer turns the lock key. Nothing happens if it stands there already."""
        if position not in ("open", "locked"):
            raise ImpossibleError(f"turn_key: the key has the positions open and locked, not {position!r}")
        self._key.hand.do(self._key.turn(position))

    # What happens to a table.

    def noise(self, seat: int) -> None:
        """Static: a spike of at most a millisecond on the acceptor's line."""
        self._timeline.after(0, self._seat(seat).spike)

    def break_part(self, part: BreakablePart, seat: int) -> None:
        """`part` breaks, at once; seat 0 for parts of the table itself. Breaking a broken part changes nothing."""
        self._misfortune(part, seat, broken=True)

    def mend_part(self, part: BreakablePart, seat: int) -> None:
        """`part` works again, at once."""
        self._misfortune(part, seat, broken=False)

    def power_off(self) -> None:
        """The power goes without warning: dark at once, and what was not reported yet is lost."""
        self._powered = False
        self._detach()
        for seat in self._seats.values():
            seat.power(False)

    def power_on(self) -> None:
        """The power is back, key and broken parts as they are. A program must ``start`` before anything is heard."""
        if self._powered:
            return
        self._powered = True
        for seat in self._seats.values():
            seat.power(True)

    # What can be seen.

    @property
    def powered(self) -> bool:
        """Whether the table has power."""
        return self._powered

    @property
    def key(self) -> Literal["open", "locked"]:
        """Where the dealer has left the key, physically."""
        return self._key.position

    @property
    def display(self) -> Panel | None:
        """What the players' display shows; None when it is dark."""
        return self._display.shown

    def lamp_lit(self, seat: int) -> bool:
        """Whether the seat's lamp is lit: physical truth, whatever was commanded or sensed."""
        return self._seat(seat).lit

    @property
    def busy(self) -> bool:
        """Whether physics is under way, or signals of it: fingers, chips, the key, lamps, contacts settling.

        Deadlines of faults (a stuck button, a jam, a silent node) are not waited for.
        """
        key_busy = self._key_node is not None and self._key_node.busy
        return self._timeline.moving or key_busy or any(node.busy for node in self._nodes.values())

    async def quiet(self) -> None:
        """Return when nothing is ``busy`` any more; at once, if nothing is."""
        while self.busy:
            rest = asyncio.get_running_loop().create_future()
            self._resting.append(rest)
            await rest

    # How it hangs together.

    def _seat(self, seat: int) -> Seat:
        if seat not in self._seats:
            raise ImpossibleError(f"there is no seat {seat!r}: this table has the seats 1 to {len(self._seats)}")
        return self._seats[seat]

    def _misfortune(self, part: BreakablePart, seat: int, *, broken: bool) -> None:
        missing = "slot" if self.acceptor == "credits" else "button"
        if part == missing or part not in get_args(SeatPart) + get_args(TablePart):
            raise ImpossibleError(f"a {self.acceptor} table has no {part!r} that could break")
        if (part in get_args(TablePart)) != (seat == 0):
            raise ImpossibleError(f"{part} is a part of the table (0) or of a seat, and {seat} is not its place")
        if seat:
            self._seat(seat)
        if broken != ((part, seat) in self._broken):
            (self._broken.add if broken else self._broken.discard)((part, seat))
            self._timeline.after(0, lambda: self._befall(part, seat, broken))

    def _befall(self, part: BreakablePart, seat: int, broken: bool) -> None:
        """Misfortune, or repair, becomes electricity."""
        node = self._nodes.get(seat)
        if part == "display":
            self._display.breaks(broken)
        elif part == "key":
            self._key.wire(broken)
        elif broken:
            if part == "node" and node is not None:
                node.unplug()
            self._seats[seat].failed(part)
        else:
            self._seats[seat].mended(part)
            if part == "node" and node is not None:
                node.plug()

    def _heard(self, signal: Signal) -> None:
        """A node reports. A turn of the key is passed on, and every node asked what it has up to then (2.8)."""
        if self._emit is None:
            return
        self._emit(signal)
        if isinstance(signal, KeyTurned):
            for node in self._nodes.values():
                node.ask(signal.at.ns, self._bus.randint(MS // 2, 3 * MS))

    def _display_answers(self, answering: bool) -> None:
        if self._boot is not None and self._key_node is not None:
            what = PartMended if answering else PartFailed
            self._key_node.report(what(0, "display", Stamp(self._boot, self._timeline.stamp())))

    def _detach(self) -> None:
        """No program listens any more."""
        self._emit = None
        for node in self._nodes.values():
            node.cut()
        if self._key_node is not None:
            self._key_node.cut()
        self._nodes, self._key_node = {}, None
        self._display.dark()

    def _tell_rest(self) -> None:
        if self._resting and not self.busy:
            resting, self._resting = self._resting, []
            for rest in resting:
                if not rest.done():
                    rest.set_result(None)


def _branch(rng: Random) -> Random:
    return Random(rng.getrandbits(64))
