"""A bench of the gpio backend on gpiozero's mock: its pins soldered to the electricity of the simulated table.

Fingers, chips, key and lamps are ``hal.simulated.physics``; here they drive `WiredPin` high and low as the harness
would: contacts to ground, sensors that are high when broken. Edges are stamped as they happen and delivered up to 4 ms
later, in order on each line and out of order between lines, as a kernel and a library's thread do. All in virtual time.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from random import Random
from typing import Any, Literal

from gpiozero.pins.mock import MockFactory, MockPin
from gpiozero.pins.pi import PiPin
from msgspec.structs import replace

from hal.debounce import MS
from hal.gpio.chips import Chip, Chips
from hal.gpio.table import GpioTable
from hal.gpio.ticks import Clock
from hal.gpio.wiring import ChipName, Hardware, Pin, SeatPins, Wiring
from hal.port import Signal
from hal.simulated.physics import Acceptor, LockKey, Seat, Wire
from hal.simulated.timeline import Timeline
from hal.simulated.virtualtime import run
from tests.hal.contract import BreakablePart, Play, Script
from tests.hal.promises import Promises
from tests.hal.simulated_bench import panel

SLOWEST = 4 * MS
"""Nanoseconds that the delivery of an edge takes at most here: ``hal.gpio.feed.DELIVERY`` allows for 5 ms."""

BOARD = "c03114"
"""The revision code of a Raspberry Pi 4B."""

VALUES = (1_000, 5_000)


def wiring(acceptor: Acceptor, seats: int, place: ChipName) -> Hardware:
    """A table whose lamps and senses are at `place`."""

    def pins(n: int) -> SeatPins:
        lamp, sense = Pin(place, n), Pin(place, n + 7)
        if place == "header":
            lamp, sense = Pin(place, 21 + n), Pin(place, 24 + n)
        if acceptor == "credits":
            return SeatPins(lamp, sense, button=Pin("header", 7 + n))
        return SeatPins(lamp, sense, chips=((VALUES[0], Pin("header", 7 + n)), (VALUES[1], Pin("header", 14 + n))))

    table = Wiring(
        key_open=Pin("header", 4),
        key_locked=Pin("header", 5),
        loop_out=Pin("header", 6),
        loop_in=Pin("header", 7),
        seats=tuple(pins(n) for n in range(1, seats + 1)),
    )
    return Hardware("mock", table, "mcp23017" if place == "expander" else None)


class WiredPin(MockPin):  # type: ignore[misc] # gpiozero has no types
    """A mock pin with a wire on it."""

    factory: WiredFactory

    def _set_pull(self, value: str) -> None:
        super()._set_pull(value)
        self.factory.bench.connected(self.place, self)

    def _set_function(self, value: str) -> None:
        super()._set_function(value)
        if value == "input":
            self.factory.bench.driven(self.place, False)  # the driver's own pull-down

    def _change_state(self, value: bool) -> bool:
        changed: bool = super()._change_state(value)
        if changed and self.function == "output":
            self.factory.bench.driven(self.place, value)
        return changed

    def _call_when_changed(self) -> None:
        self.factory.bench.deliver(self, self.factory.ticks(), self._state)

    def arrive(self, ticks: float, state: bool) -> None:
        """What the library's thread does with an edge."""
        if self._when_changed is not None:
            PiPin._call_when_changed(self, ticks, state)

    @property
    def place(self) -> Pin:
        return Pin(self.factory.chip, int(self.info.name[4:]))


class WiredFactory(MockFactory):  # type: ignore[misc]
    """gpiozero's mock in the bench's time."""

    def __init__(self, bench: GpioBench, chip: ChipName) -> None:
        super().__init__(BOARD, WiredPin)
        self.bench, self.chip = bench, chip

    def ticks(self) -> float:
        return self.bench.timeline.now() / 1e9


class GpioBench:
    """A table on mock pins with three seats, and a program that only listens. Checks every signal as it comes."""

    def __init__(
        self,
        acceptor: Acceptor,
        *,
        seats: int = 3,
        seed: int = 1,
        place: ChipName = "header",
        keys: Mapping[str, Pin] | None = None,
        meter: Pin | None = None,
    ) -> None:
        rng = Random(seed)
        self.acceptor = acceptor
        self.seats = range(1, seats + 1)
        self.hardware = wiring(acceptor, seats, place)
        more = replace(self.hardware.wiring, dealer_keys=tuple((keys or {}).items()), meter=meter)
        self.hardware = replace(self.hardware, wiring=more)
        self.timeline = Timeline()
        self.keys: list[str] = []
        """The dealer's keys that were pressed."""
        self.pulses: list[tuple[int, bool]] = []
        """When the meter's line changed, and to what."""
        self.backend = GpioTable(self.hardware, dealer_key=self.keys.append, opened=self._open)
        stuck: BreakablePart = "button" if acceptor == "credits" else "slot"
        self.can_break: frozenset[BreakablePart] = frozenset({"lamp", "lamp-on", stuck, "key"})
        self.promises = Promises()
        self.deaf = False
        """Whether the library's thread has died: no edge arrives any more."""
        self.slowest = SLOWEST
        self.pins: dict[Pin, Any] = {}
        self._high: dict[Pin, bool] = {}
        self._lamps: dict[Pin, int] = {}
        self._physics = {n: Seat(self.timeline, Random(rng.random()), acceptor) for n in self.seats}
        self._key = LockKey(self.timeline, Random(rng.random()), True)
        self._delay = Random(rng.random())
        self._delivered: dict[Pin, float] = {}
        self._pot = 0
        self._solder()

    def start(self) -> None:
        self.backend.start(self.promises.hear, self.promises.reboot())

    def show(self, lamps: Sequence[int]) -> None:
        self._pot += 1
        self.backend.show(panel(len(self.seats), lamps, self.acceptor, self._pot))

    def told(self) -> list[Signal]:
        return self.promises.told()

    def press(self, seat: int) -> None:
        self._physics[seat].hand.do(self._physics[seat].press())

    def chip(self, seat: int, value: int) -> None:
        self._physics[seat].hand.do(self._physics[seat].chip(value))

    def turn_key(self, position: str) -> None:
        to: Literal["open", "locked"] = "open" if position == "open" else "locked"
        self._key.hand.do(self._key.turn(to))

    def noise(self, seat: int) -> None:
        self.timeline.after(0, self._physics[seat].spike)

    def break_part(self, part: BreakablePart, seat: int) -> None:
        self._befall(part, seat, broken=True)

    def mend_part(self, part: BreakablePart, seat: int) -> None:
        self._befall(part, seat, broken=False)

    def power_off(self) -> None:
        for seat in self._physics.values():
            seat.power(False)
        self.backend.stop()  # as the kernel lets the lines of a dead program go

    def power_on(self) -> None:
        for seat in self._physics.values():
            seat.power(True)

    def lamp_lit(self, seat: int) -> bool:
        return self._physics[seat].lit

    async def quiet(self) -> None:
        while self.timeline.moving:  # noqa: ASYNC110 - virtual time costs nothing
            await asyncio.sleep(0.001)
        await asyncio.sleep(0.1)  # delivery, settling, blanking

    async def wait(self, seconds: float) -> None:
        await asyncio.sleep(seconds)

    # The harness.

    def high(self, place: Pin, high: bool) -> None:
        """The line `place` goes high or low, whoever listens."""
        self._high[place] = high
        if place in self.pins and self.pins[place].function == "input":
            (self.pins[place].drive_high if high else self.pins[place].drive_low)()

    def connected(self, place: Pin, pin: WiredPin) -> None:
        """A pin has become an input with a pull-up: it has the level of its wire."""
        self.pins[place] = pin
        if not self._high.get(place, True):
            pin.drive_low()

    def driven(self, place: Pin, high: bool) -> None:
        """The program drives a line, or lets it go."""
        if place == self.hardware.wiring.loop_out:
            self.high(self.hardware.wiring.loop_in, high)
        elif place in self._lamps:
            self._physics[self._lamps[place]].command(high)
        elif place == self.hardware.wiring.meter and high is not (self.pulses[-1][1] if self.pulses else False):
            self.pulses.append((self.timeline.now(), high))

    def deliver(self, pin: WiredPin, ticks: float, state: bool) -> None:
        """An edge is on its way from the kernel to the callback."""
        if self.deaf:
            return
        if pin.place == self.hardware.wiring.loop_in:  # awaited by a loop that stands still: it has its own thread
            pin.arrive(ticks, state)
            return
        loop = asyncio.get_running_loop()
        when = loop.time() + self._delay.randint(0, self.slowest) / 1e9
        when = max(when, self._delivered.get(pin.place, 0) + 1e-6)  # a loop does not keep the order of equal times
        self._delivered[pin.place] = when
        loop.call_at(when, pin.arrive, ticks, state)

    def _open(self, hardware: Hardware) -> Chips:
        self.pins.clear()
        header = WiredFactory(self, "header")
        chip = Chip(header, clock=Clock(header, self.timeline.now))
        if hardware.expander is None:
            return Chips(chip)
        return Chips(chip, Chip(WiredFactory(self, "expander"), clock=chip.clock))

    def _solder(self) -> None:
        table = self.hardware.wiring
        self._high[table.loop_in] = False
        self._to_ground(self._key.contacts["open"], table.key_open)
        self._to_ground(self._key.contacts["locked"], table.key_locked)
        for n, pins in enumerate(table.seats, 1):
            self._lamps[pins.lamp] = n
            self._to_ground(self._physics[n].current, pins.sense)
            if pins.button is not None:
                self._to_ground(self._physics[n].acceptor, pins.button)
            else:
                self._sensors(self._physics[n], dict(pins.chips))

    def _to_ground(self, wire: Wire, place: Pin) -> None:
        """A contact that pulls its line down when it is made."""
        self._high[place] = not wire.level
        wire.heard = lambda level: self.high(place, not level)

    def _sensors(self, seat: Seat, sensors: dict[int, Pin]) -> None:
        """A slot with a sensor for each value, high when its beam is broken; a spike hits the last that was used."""
        passing = [VALUES[0]]
        for place in sensors.values():
            self._high[place] = False
        seat.recognised = lambda value: passing.__setitem__(0, value)
        seat.acceptor.heard = lambda level: self.high(sensors[passing[0]], level)

    def _befall(self, part: BreakablePart, seat: int, *, broken: bool) -> None:
        act: Callable[[], None]
        if part == "key":
            act = lambda: self._key.wire(broken)  # noqa: E731
        else:
            physics = self._physics[seat]
            act = lambda: physics.failed(part) if broken else physics.mended(part)  # noqa: E731
        self.timeline.after(0, act)


def playing(place: ChipName) -> Play:
    """What plays a script on a new bench whose lamps and senses are at `place`."""

    def play(acceptor: Acceptor, script: Script) -> None:
        async def main() -> None:
            bench = GpioBench(acceptor, place=place)
            try:
                await script(bench)
            finally:
                bench.backend.stop()

        run(main())

    return play
