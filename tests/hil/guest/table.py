"""A table made of electricity: the physics of the simulated one, soldered to the lines of the board.

Fingers, chips, key, lamps and their currents are ``hal.simulated.physics``, with their bounces and delays, on an
asyncio loop. Any line can be made to stick, high, low or noisy, whatever its wire does.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from random import Random
from typing import Literal

from hal.gpio.wiring import Pin, Wiring
from hal.simulated.physics import MS, US, Acceptor, LockKey, Seat, Wire
from hal.simulated.timeline import Hand, Motion, Timeline
from tests.hil.guest.lines import Lines

Sticking = Literal["high", "low", "open", "noisy"]
"""What is amiss with a line: shorted to its supply, to ground, its wire off, or full of static."""

Position = Literal["open", "locked"]

LOOK_S = 0.1
"""Seconds between two looks at the lamps' lines: a program that was killed lets them go without a word."""


class ElectricTable:
    """A table wired as `wiring` says. To be made on a running loop; `close` lets it go."""

    def __init__(
        self, wiring: Wiring, acceptor: Acceptor, *, seed: int = 1, lines: Lines | None = None, key: Position = "locked"
    ) -> None:
        rng = Random(seed)
        self.wiring, self.acceptor = wiring, acceptor
        self.lines = lines or Lines()
        self.timeline = Timeline()
        self.pulses = 0
        """How often the meter's line has gone high."""
        self.switched: list[tuple[Pin, bool, int]] = []
        """Every change of an output: which, to where, when (ns)."""
        self._aio = asyncio.get_running_loop()
        self._rng = rng
        self._stuck: dict[Pin, asyncio.Task[None] | None] = {}
        self._driven: dict[Pin, bool] = {}
        self._lamps: dict[Pin, int] = {}
        self._behind = {wiring.loop_out: wiring.loop_in, **{seat.lamp: seat.sense for seat in wiring.seats}}
        """Where what the program drives is heard."""
        self._keys: dict[str, Pin] = dict(wiring.dealer_keys)
        self.seats = {n: Seat(self.timeline, Random(rng.random()), acceptor) for n in range(1, len(wiring.seats) + 1)}
        self.key = LockKey(self.timeline, Random(rng.random()), key == "locked")
        self._dealer = Hand(self.timeline)
        self._solder()
        self.lines.heard = self._heard
        self._looking = self._aio.create_task(self._look())

    # --- what people do ---------------------------------------------------------------------------------------

    def press(self, seat: int, times: int = 1) -> None:
        """Press and release a seat's button."""
        for _ in range(times):
            self.seats[seat].hand.do(self.seats[seat].press())

    def chip(self, seat: int, value: int | None = None) -> None:
        """Drop a chip."""
        if value is None:
            value = self.wiring.seats[seat - 1].chips[0][0]
        self.seats[seat].hand.do(self.seats[seat].chip(value))

    def turn_key(self, position: Position) -> None:
        """Turn the lock key."""
        self.key.hand.do(self.key.turn(position))

    def dealer_key(self, name: str) -> None:
        """The dealer taps a key of the terminal."""
        self._dealer.do(self._tap(self._keys[name]))

    def noise(self, seat: int) -> None:
        """A spike of 1 ms at most on a seat's acceptor."""
        self.timeline.after(0, self.seats[seat].spike)

    def break_part(self, part: str, seat: int) -> None:
        """Break a part of the simulated table's vocabulary: lamp, lamp-on, button, slot; or the key's wire."""
        self._befall(part, seat, broken=True)

    def mend_part(self, part: str, seat: int) -> None:
        """Mend it."""
        self._befall(part, seat, broken=False)

    def stick(self, pin: Pin, how: Sticking) -> None:
        """Whatever the wire does, the line is as `how` says. An open wire leaves it to the program's pull-up, a lamp to
        its driver's pull-down.

        A line that the program drives stays as it drives it: the fault is behind it. A lamp is dark or lit, its current
        flickers, too short for an eye; the jumper's other end hears something else."""
        self.unstick(pin)
        if pin in self._lamps and how != "noisy":
            self._stuck[pin] = None
            self.seats[self._lamps[pin]].command(how == "high")
            return
        heard = self._behind.get(pin, pin)
        if how == "noisy":
            self._stuck[pin] = self._aio.create_task(self._static(heard))
            return
        if heard == self.wiring.loop_in:
            self.lines.jumper = None
        self._stuck[pin] = None
        self.lines.drive(heard, how != "low")

    def unstick(self, pin: Pin) -> None:
        """The line follows its wire again."""
        if pin not in self._stuck:
            return
        task = self._stuck.pop(pin)
        if task is not None:
            task.cancel()
        if pin in self._lamps:
            self.seats[self._lamps[pin]].command(self.lines.level(pin))
            if self._behind[pin] not in self._stuck:
                self.lines.drive(self._behind[pin], self._at_rest(self._behind[pin]))
        elif pin in (self.wiring.loop_out, self.wiring.loop_in):
            self.lines.jumper = (self.wiring.loop_out, self.wiring.loop_in)
            self.lines.drive(self.wiring.loop_in, self.lines.level(self.wiring.loop_out))
        else:
            self.lines.drive(pin, self._at_rest(pin))

    # --- what there is to see ---------------------------------------------------------------------------------

    def lamp_lit(self, seat: int) -> bool:
        """Whether a lamp is lit in fact."""
        return self.seats[seat].lit

    @property
    def stuck(self) -> tuple[Pin, ...]:
        """The lines with which something is amiss."""
        return tuple(self._stuck)

    async def quiet(self, rest: float = 0.1) -> None:
        """Until hands and lamps have come to rest, and `rest` seconds more: delivery, settling, blanking, a commit."""
        while self.timeline.moving:  # noqa: ASYNC110 - physics has many ends, and none tells
            await asyncio.sleep(0.002)
        await asyncio.sleep(rest)

    async def close(self) -> None:
        """Let the lines go."""
        for pin in tuple(self._stuck):
            self.unstick(pin)
        self._looking.cancel()
        self.lines.close()

    # --- the harness ------------------------------------------------------------------------------------------

    def _solder(self) -> None:
        wiring = self.wiring
        self.lines.jumper = (wiring.loop_out, wiring.loop_in)
        self.lines.drive(wiring.loop_in, False)
        self._to_ground(self.key.contacts["open"], wiring.key_open)
        self._to_ground(self.key.contacts["locked"], wiring.key_locked)
        for pin in self._keys.values():
            self._drive(pin, True)
        for n, pins in enumerate(wiring.seats, 1):
            self._lamps[pins.lamp] = n
            self._to_ground(self.seats[n].current, pins.sense)
            if pins.button is not None:
                self._to_ground(self.seats[n].acceptor, pins.button)
            else:
                self._sensors(self.seats[n], dict(pins.chips))

    def _to_ground(self, wire: Wire, pin: Pin) -> None:
        """A contact that pulls its line down when it is made."""
        self._drive(pin, not wire.level)
        wire.heard = lambda level: self._drive(pin, not level)

    def _sensors(self, seat: Seat, sensors: dict[int, Pin]) -> None:
        """A slot with a sensor for each value, high when its beam is broken; a spike hits the last that was used."""
        passing = [next(iter(sensors))]
        for pin in sensors.values():
            self._drive(pin, False)
        seat.recognised = lambda value: passing.__setitem__(0, value)
        seat.acceptor.heard = lambda level: self._drive(sensors[passing[0]], level)

    def _drive(self, pin: Pin, high: bool) -> None:
        self._driven[pin] = high
        if pin not in self._stuck:
            self.lines.drive(pin, high)

    def _at_rest(self, pin: Pin) -> bool:
        """Where the wire would have the line of `pin`."""
        return self.lines.level(self.wiring.loop_out) if pin == self.wiring.loop_in else self._driven.get(pin, True)

    def _tap(self, pin: Pin) -> Motion:
        self._drive(pin, False)
        yield self._rng.randint(40 * MS, 90 * MS)
        self._drive(pin, True)
        yield self._rng.randint(60 * MS, 90 * MS)

    def _held(self, pin: Pin) -> bool:
        """Whether it is stuck at a level."""
        return pin in self._stuck and self._stuck[pin] is None

    async def _static(self, pin: Pin) -> None:
        """Spikes of up to a millisecond, fifty a second."""
        while True:
            if not self._held(pin):
                self.lines.drive(pin, not self._at_rest(pin))
                until = time.monotonic_ns() + self._rng.randint(50 * US, 900 * US)
                while time.monotonic_ns() < until:
                    pass
                self.lines.drive(pin, self._at_rest(pin))
            await asyncio.sleep(self._rng.uniform(0.01, 0.03))

    def _befall(self, part: str, seat: int, *, broken: bool) -> None:
        act: Callable[[], None]
        if part == "key":
            act = lambda: self.key.wire(broken)  # noqa: E731
        else:
            physics = self.seats[seat]
            act = lambda: physics.failed(part) if broken else physics.mended(part)  # noqa: E731
        self.timeline.after(0, act)

    # --- outputs ----------------------------------------------------------------------------------------------

    def _heard(self, pin: Pin, high: bool, at: int) -> None:
        """On the trace's thread."""
        if self._aio.is_running():
            self._aio.call_soon_threadsafe(self._output, pin, high, at)

    def _output(self, pin: Pin, high: bool, at: int) -> None:
        self.switched.append((pin, high, at))
        if pin in self._lamps and not self._held(pin):
            self.seats[self._lamps[pin]].command(high)
        if pin == self.wiring.meter and high:
            self.pulses += 1

    async def _look(self) -> None:
        while True:
            await asyncio.sleep(LOOK_S)
            for pin, seat in self._lamps.items():
                if not self._held(pin) and not self.lines.level(pin):
                    self.seats[seat].command(False)
