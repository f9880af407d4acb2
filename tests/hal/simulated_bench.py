"""A bench of the simulated table, in virtual time."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from random import Random
from typing import get_args

from hal.port import CompleteTo, Panel, SeatPanel, Signal
from hal.simulated.physics import Acceptor
from hal.simulated.table import BreakablePart, SeatPart, SimulatedTable, TablePart
from hal.simulated.virtualtime import run
from tests.hal.contract import Script


class SimulatedBench:
    """A simulated table with three seats, and a program that only listens. Checks every signal as it comes."""

    def __init__(self, acceptor: Acceptor, *, seats: int = 3, seed: int = 1, power: int = 1) -> None:
        values = [1_000, 5_000] if acceptor == "chips" else []
        self.table = SimulatedTable(seats=seats, acceptor=acceptor, rng=Random(seed), denominations=values)
        self.acceptor = acceptor
        self.seats = range(1, seats + 1)
        self.backend = self.table
        self.signals: list[Signal] = []
        missing: BreakablePart = "slot" if acceptor == "credits" else "button"
        self.can_break: frozenset[BreakablePart] = frozenset(get_args(SeatPart) + get_args(TablePart)) - {missing}
        self._lamps: frozenset[int] = frozenset()
        self._boot = 0
        self._pot = 0

    def start(self) -> None:
        self._boot += 1
        self._last: dict[int, int] = {}
        self._promised: dict[int, int] = {}
        self.table.start(self._hear, self._boot)

    def show(self, lamps: Sequence[int]) -> None:
        self._pot += 1
        self.table.show(panel(len(self.seats), lamps, self.acceptor, self._pot))

    def press(self, seat: int) -> None:
        self.table.press(seat)

    def chip(self, seat: int, value: int) -> None:
        self.table.chip(seat, value)

    def turn_key(self, position: str) -> None:
        assert position in ("open", "locked")
        self.table.turn_key("open" if position == "open" else "locked")

    def noise(self, seat: int) -> None:
        self.table.noise(seat)

    def break_part(self, part: BreakablePart, seat: int) -> None:
        self.table.break_part(part, seat)

    def mend_part(self, part: BreakablePart, seat: int) -> None:
        self.table.mend_part(part, seat)

    def power_off(self) -> None:
        self.table.power_off()

    def power_on(self) -> None:
        self.table.power_on()

    def lamp_lit(self, seat: int) -> bool:
        return self.table.lamp_lit(seat)

    async def quiet(self) -> None:
        await self.table.quiet()

    async def wait(self, seconds: float) -> None:
        await asyncio.sleep(seconds)

    def told(self) -> list[Signal]:
        told, self.signals = self.signals, []
        return told

    def _hear(self, signal: Signal) -> None:
        """The promises of the port, on every signal."""
        source = signal.source if isinstance(signal, CompleteTo) else getattr(signal, "seat", 0)
        ns = signal.at.ns
        assert signal.at.boot == self._boot
        assert ns >= self._last.get(source, 0), f"out of order: {signal}"
        assert ns > self._promised.get(source, -1), f"after its CompleteTo: {signal}"
        self._last[source] = ns
        if isinstance(signal, CompleteTo):
            self._promised[source] = ns
        self.signals.append(signal)


def panel(seats: int, lamps: Sequence[int], acceptor: Acceptor, pot: int = 0) -> Panel:
    """A panel with `lamps` lit."""
    credits = 3 if acceptor == "credits" else None
    shown = tuple(SeatPanel(n, n in lamps, credits, 0, "", 0) for n in range(1, seats + 1))
    return Panel(shown, "open", pot, 1, len(lamps), "")


def play_simulated(acceptor: Acceptor, script: Script) -> None:
    """Run `script` on a new bench of the simulated table."""

    async def main() -> None:
        await script(SimulatedBench(acceptor))

    run(main())
