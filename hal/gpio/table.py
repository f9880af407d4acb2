"""A table on the header of a Raspberry Pi: ``hal.port.Backend`` with gpiozero's pins.

The library's thread only stamps and queues an edge; everything else happens on the loop. What edges mean is found by
``hal.conditioning`` and ``hal.lock_key``, the code that the simulated table uses. Nothing is polled but once a second,
when levels are compared with the edges that arrived, and the jumper (``hal.gpio.loop``) is sent another edge.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections import Counter, deque
from collections.abc import Callable
from contextlib import suppress

from hal.conditioning import Button, Line, Sense, Slot, Source
from hal.debounce import Timing
from hal.gpio.chips import Chips, Output, open_chips
from hal.gpio.feed import DELIVERY, Feed, RelearningButton, Wire, found
from hal.gpio.keys import key_feed
from hal.gpio.loop import Loop
from hal.gpio.pulses import Pulses
from hal.gpio.trouble import LineError, starting
from hal.gpio.wiring import Hardware, Pin, SeatPins
from hal.lock_key import Key
from hal.port import HardwareError, KeyTurned, Panel, PartFailed, PartMended, Signal, Stamp

_log = logging.getLogger(__name__)

WATCH_S = 1.0
"""Seconds between two comparisons of levels with edges. Lines behind a bus are read by turns, a seat at a time."""

CONFIRM_S = 0.05
"""A level that disagrees for this long, with no edge arriving, is that of a lost edge."""

CHARGE_S = 0.05
"""Seconds before the levels found are believed. To claim a line switches its pull-up off and on again, and what hangs
at it has to be charged: five times 100 kΩ (the expander's pull-up) and 100 nF (a lamp's sense)."""

RETRY = 5
"""An expander that does not answer is tried at every so many comparisons: a hung bus holds the loop for a second."""


class _Seat:
    """One seat: its feed, its lamp, and whether both answer."""

    def __init__(self, feed: Feed, lamp: Output, on_expander: bool) -> None:
        self.feed = feed
        self.lamp = lamp
        self.on_expander = on_expander
        self.wanted = False


class GpioTable:
    """The table that `hardware` describes. Implements ``hal.port.Backend``.

    `dealer_key` hears the name of a dealer's key that was pressed, on the loop's thread and never after ``stop``: a
    press is no fact for the rules, so it is no signal. `opened` opens the chips, for tests that bring their own.
    """

    def __init__(
        self,
        hardware: Hardware,
        *,
        dealer_key: Callable[[str], None] | None = None,
        timing: Timing | None = None,
        opened: Callable[[Hardware], Chips] | None = None,
    ) -> None:
        self._hardware = hardware
        self._dealer_key = dealer_key
        self._timing = timing or Timing()
        self._opened = opened or open_chips
        self._running = False
        self._boot: int | None = None
        self._chips: Chips | None = None
        self._loop: Loop | None = None
        self._meter: Pulses | None = None
        self._driven: dict[int, Output] = {}
        self._closing: list[Callable[[], None]] = []
        self._kept = 0
        self._seats: dict[int, _Seat] = {}
        self._feeds: list[Feed] = []
        self._inbox: deque[tuple[Wire, int, bool]] = deque()
        self._called = False
        self._timers: dict[str, asyncio.TimerHandle] = {}
        self._down: Counter[tuple[int, str]] = Counter()
        self._deaf = False
        self._watched = 0

    # --- hal.port.Backend ----------------------------------------------------------------------------------

    def start(self, emit: Callable[[Signal], None], boot: int) -> None:
        """Open every line, make an edge arrive, tell the levels found; all before this returns.

        Raises HardwareError with the remedy when a line cannot be had or no edge arrives; what drives the displays is
        kept all the same, until `stop`. RuntimeError when started twice.
        """
        if self._running:
            raise RuntimeError("start: already started; stop() it first")
        self._release()  # what a start that failed has kept
        self._aio = asyncio.get_running_loop()
        self._emit, self._boot = emit, boot
        self._seats, self._feeds, self._deaf, self._watched = {}, [], False, 0
        self._inbox.clear()
        self._down.clear()
        try:
            self._open(boot)
        except BaseException:
            self._meter = None
            self._release(keep=self._kept)
            raise
        self._running = True
        self._called = False
        self._watch_again()
        self._drain()

    def show(self, panel: Panel) -> None:
        """Command the lamps. A seat whose chip does not answer has failed (``node``); nothing is raised."""
        if not self._running:
            return
        for shown in panel.seats:
            seat = self._seats[shown.seat]
            if shown.lamp != seat.wanted:
                seat.wanted = shown.lamp
                if seat.feed.answering:
                    self._switch(seat)
        self._wind()

    def now(self) -> Stamp:
        """This instant, on the clock of the edges' stamps. Raises RuntimeError before the first ``start``."""
        if self._chips is None or self._boot is None:
            raise RuntimeError("now: a stamp belongs to a boot; start the table first")
        return Stamp(self._boot, self._ns())

    def stop(self) -> None:
        """Darken the outputs, let every line go, emit nothing more. Idempotent."""
        self._running = False
        for timer in self._timers.values():
            timer.cancel()
        self._timers.clear()
        if self._meter is not None:
            self._meter.stop()
            self._meter = None
        self._release()

    # --- beside it -----------------------------------------------------------------------------------------

    def count(self, pulses: int) -> None:
        """Give the meter so many pulses, one after the other. Returns at once; without a meter nothing happens."""
        if self._meter is not None:
            self._meter.add(pulses)

    def drive(self, line: int, on: bool) -> None:
        """Drive a line of the header that a display has (``Wiring.display_lines``), on the display's own thread.

        Raises OSError when there is no such line, or not any more.
        """
        try:
            self._driven[line].switch(on)
        except KeyError:
            raise OSError(f"GPIO{line} cannot be driven: it is not open") from None
        except LineError as error:
            raise OSError(f"GPIO{line} cannot be driven: {error}") from error

    async def counted(self) -> None:
        """Return when the meter has been given every pulse."""
        if self._meter is not None:
            await self._meter.drained()

    @property
    def late(self) -> int:
        """How many edges took longer than `DELIVERY` to arrive since the start: none, on a machine that can do this."""
        return sum(feed.late for feed in self._feeds)

    # --- start ---------------------------------------------------------------------------------------------

    def _open(self, boot: int) -> None:
        wiring = self._hardware.wiring
        self._chips = chips = self._opened(self._hardware)
        self._closing.append(chips.close)
        self._driven = {pin.line: line for _, pin in wiring.display_lines for line in self._display_line(pin)}
        if self._driven:  # displays say why the table does not start (8.4)
            self._kept = len(self._closing)
        self._loop = Loop(chips, wiring)
        self._closing.append(self._loop.close)
        if wiring.meter is not None:
            self._meter = Pulses(self._output(wiring.meter))
        lamps = [self._output(seat.lamp) for seat in wiring.seats]
        contacts = {
            "open": self._wire(0, "open", wiring.key_open),
            "locked": self._wire(0, "locked", wiring.key_locked),
        }
        inputs = [self._inputs(number, seat) for number, seat in enumerate(wiring.seats, 1)]
        keys = [wire for name, pin in wiring.dealer_keys for wire in self._key_wire(name, pin)]
        self._loop.prove()
        listening = [*contacts.values(), *(wire for wires in inputs for wire in wires.values())]
        for wire in listening:
            wire.listen(self._arrived)
        time.sleep(CHARGE_S)
        for wire in listening:
            with starting(wire.input.name):
                wire.find(self._ns)
        at = self._ns()
        self._table_source(contacts, boot, at)
        for number, (pins, wires, lamp) in enumerate(zip(wiring.seats, inputs, lamps, strict=True), 1):
            self._seat_source(number, pins, wires, lamp, boot, at)
        for wire in keys:
            self._key_source(wire, boot, at)

    def _output(self, pin: Pin) -> Output:
        assert self._chips is not None
        output = self._chips.of(pin).output(pin)
        self._closing.append(output.close)
        return output

    def _display_line(self, pin: Pin) -> list[Output]:
        """The line of a display. The table can do without: one that cannot be had is told, and left out."""
        try:
            return [self._output(pin)]
        except HardwareError as error:
            _log.error("a display's line cannot be driven: %s", error)
            return []

    def _wire(self, source: int, name: str, pin: Pin, *, inverted: bool = False) -> Wire:
        assert self._chips is not None
        line = self._chips.of(pin).input(pin, inverted=inverted)
        self._closing.append(line.close)
        return Wire(source, name, line, slow=pin.chip == "expander")

    def _inputs(self, number: int, seat: SeatPins) -> dict[str, Wire]:
        """The wires of a seat. A sensor is high when its beam, or its wire, is broken: that cannot be missed."""
        wires = {"current": self._wire(number, "current", seat.sense)}
        if seat.button is not None:
            wires["button"] = self._wire(number, "button", seat.button)
        for value, pin in seat.chips:
            wires[f"chip {value}"] = self._wire(number, f"chip {value}", pin, inverted=True)
        return wires

    def _table_source(self, contacts: dict[str, Wire], boot: int, at: int) -> None:
        made = {"open": contacts["open"].level, "locked": contacts["locked"].level}
        key = Key(boot, {"open": made["open"], "locked": made["locked"]}, at, self._timing)
        lines: dict[str, Line] = {"open": key.contact("open"), "locked": key.contact("locked")}
        self._feeds.append(Feed(Source(0, boot, lines, at), boot, contacts, lines, self._tell))
        for signal in key.found(at):
            self._tell(signal)

    def _seat_source(
        self, number: int, pins: SeatPins, wires: dict[str, Wire], lamp: Output, boot: int, at: int
    ) -> None:
        timing = self._timing
        lines: dict[str, Line] = {"current": Sense(number, boot, wires["current"].level, timing)}
        if "button" in wires:
            lines["button"] = RelearningButton(
                lambda pressed, since: Button(number, boot, pressed, since, timing), wires["button"].level, at
            )
        for value, _ in pins.chips:
            name = f"chip {value}"
            lines[name] = Slot(number, boot, wires[name].level, at, timing, value)
        feed = Feed(Source(number, boot, lines, at), boot, wires, lines, self._tell)
        self._feeds.append(feed)
        self._seats[number] = _Seat(feed, lamp, "expander" in (pins.lamp.chip, pins.sense.chip))
        for signal in (PartMended(number, "node", Stamp(boot, at)), *found(lines, at)):
            self._tell(signal)

    def _key_wire(self, name: str, pin: Pin) -> list[Wire]:
        """The wire of a dealer's key. The table can do without: one that cannot be had is told, and left out."""
        try:
            wire = self._wire(0, name, pin)
            wire.listen(self._arrived)
        except HardwareError as error:
            _log.error("the dealer's key %s cannot be used: %s", name, error)
            return []
        return [wire]

    def _key_source(self, wire: Wire, boot: int, at: int) -> None:
        wire.source = len(self._feeds)
        try:
            wire.find(self._ns)
        except LineError as error:
            _log.error("the dealer's key %s cannot be read: %s", wire.name, error)
        self._feeds.append(key_feed(wire, boot, at, self._timing, self._key_pressed))

    def _key_pressed(self, name: str) -> None:
        if self._running and self._dealer_key is not None:
            self._dealer_key(name)

    # --- edges ---------------------------------------------------------------------------------------------

    def _arrived(self, wire: Wire, ns: int, level: bool) -> None:
        """An edge, on the library's thread: queue it, and call the loop unless it has been called."""
        self._inbox.append((wire, ns, level))
        if not self._called:
            self._called = True
            with suppress(RuntimeError):  # the loop is closed: nobody listens any more
                self._aio.call_soon_threadsafe(self._drain)

    def _drain(self) -> None:
        """Give what has arrived to its feeds."""
        self._called = False
        if not self._running:
            return
        self._take()
        due = self._due()
        if due is not None and due <= self._ns():
            self._serve()  # the loop has stood still: a deadline of meanwhile is behind this, and must stay so (2.6)
        else:
            self._wind()

    def _take(self) -> None:
        while self._inbox:
            wire, ns, level = self._inbox.popleft()
            self._feeds[wire.source].edge(wire, ns, level)

    def _serve(self) -> None:
        """Tell what is certain by now. The table's own source comes first: it may owe the others a question."""
        self._timers.pop("serve", None)
        now = self._ns()  # read before the queue: what had to arrive by now is in it
        self._take()
        for feed in self._feeds:
            feed.serve(now)
            if not self._deaf:
                feed.answer(now)
        self._wind()

    def _wind(self) -> None:
        """Set the timer to what comes next."""
        due = self._due()
        if due is None or not self._running:
            return
        when = self._aio.time() + max(0, due - self._ns()) / 1e9
        timer = self._timers.get("serve")
        if timer is not None:
            if timer.when() <= when:
                return  # it will ask again
            timer.cancel()
        self._timers["serve"] = self._aio.call_at(when, self._serve)

    def _due(self) -> int | None:
        """When something is to be told next, if no edge comes."""
        due = min((wake for feed in self._feeds if (wake := feed.wake) is not None), default=None)
        return None if due is None else due + DELIVERY

    def _tell(self, signal: Signal) -> None:
        """Pass a signal on. A part made of several (two sensors of a slot) works again when all of them do."""
        if isinstance(signal, (PartFailed, PartMended)):
            part = (signal.seat, signal.part)
            failing = isinstance(signal, PartFailed)
            before = self._down[part]
            self._down[part] = after = before + 1 if failing else max(0, before - 1)
            if failing == (before > 0) and (failing or after > 0):
                return
        self._emit(signal)
        if isinstance(signal, KeyTurned):
            for seat in self._seats.values():
                seat.feed.owe(signal.at.ns)

    # --- lamps ---------------------------------------------------------------------------------------------

    def _switch(self, seat: _Seat) -> bool:
        """Command the lamp of a seat to what is wanted. Returns whether its chip took that."""
        at = self._ns()
        try:
            seat.lamp.switch(seat.wanted)
        except LineError as error:
            self._silent(seat, error)
            return False
        seat.feed.lamp_switched(at)
        return True

    def _silent(self, seat: _Seat, error: LineError) -> None:
        """A chip does not answer: with it fail all seats that it serves, without trying each."""
        _log.error("seat %s has failed: %s", seat.feed.number, error)
        for other in self._seats.values():
            if other.feed.answering and (other is seat or (other.on_expander and seat.on_expander)):
                other.feed.answering = False
                other.feed.report(PartFailed, "node", self._ns())
        self._wind()

    def _try_again(self) -> None:
        """Whether what does not answer does by now: the keys, and the seats, whose lamps are then commanded anew."""
        key = self._feeds[0]
        if not key.answering:
            try:
                key.disagreeing(slow=True)
            except LineError:
                return
            key.answering = True
            key.report(PartMended, "key", self._ns())
        for seat in self._seats.values():
            if not seat.feed.answering:
                if not self._switch(seat):
                    return
                seat.feed.answering = True
                seat.feed.report(PartMended, "node", self._ns())
        for feed in self._feeds[1 + len(self._seats) :]:
            if not feed.answering:
                try:
                    feed.disagreeing(slow=True)
                except LineError:
                    return
                feed.answering = True

    # --- the watch -----------------------------------------------------------------------------------------

    def _watch_again(self) -> None:
        self._timers["watch"] = self._aio.call_later(WATCH_S, self._watch)

    def _watch(self) -> None:
        """Once a second: have edges been lost, does the library's thread live, do the chips answer?"""
        self._watch_again()
        self._watched += 1
        self._listen_to_the_loop()
        if self._watched % RETRY == 0:
            self._try_again()
        doubts = {}
        turn = 1 + self._watched % (len(self._feeds) - 1) if self._seats else 0
        for feed in self._feeds:
            if feed.answering:
                try:
                    doubts.update(feed.disagreeing(slow=feed.number == turn))
                except LineError as error:
                    self._unreadable(feed, error)
        if doubts:
            self._timers["confirm"] = self._aio.call_later(CONFIRM_S, self._confirm, doubts)
        self._wind()

    def _listen_to_the_loop(self) -> None:
        assert self._loop is not None
        try:
            deaf = not self._loop.beat()
        except LineError:
            deaf = True
        if deaf != self._deaf:
            self._deaf = deaf
            _log.log(logging.ERROR if deaf else logging.INFO, "edges %s", "do not arrive" if deaf else "arrive again")
            self._feeds[0].report(PartFailed if deaf else PartMended, "edges", self._ns())

    def _confirm(self, doubts: dict[Wire, tuple[bool, int]]) -> None:
        """A level still disagrees, and no edge came: that edge is lost."""
        for wire, (level, edges) in doubts.items():
            feed = self._feeds[wire.source]
            try:
                if wire.edges == edges and wire.input.active() == level:
                    _log.error("%s: an edge was lost", wire.input.name)
                    feed.lost(wire, self._ns())
            except LineError as error:
                self._unreadable(feed, error)
        self._wind()

    def _unreadable(self, feed: Feed, error: LineError) -> None:
        if feed.number in self._seats:
            self._silent(self._seats[feed.number], error)
        elif feed.number:
            _log.error("a dealer's key cannot be read: %s", error)
            feed.answering = False
        else:  # a key that cannot be read counts as one whose contacts disagree
            _log.error("the lock key cannot be read: %s", error)
            feed.answering = False
            feed.report(PartFailed, "key", self._ns())

    # --- helpers of the above ------------------------------------------------------------------------------

    def _ns(self) -> int:
        assert self._chips is not None
        return self._chips.header.clock.now()

    def _release(self, keep: int = 0) -> None:
        """Let go of everything but the first `keep`, the last opened first. Outputs go low."""
        if not keep:
            self._driven, self._kept = {}, 0
        while len(self._closing) > keep:
            self._closing.pop()()
