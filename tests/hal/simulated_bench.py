"""A bench of the simulated table, in virtual time."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from random import Random
from typing import get_args

from hal.port import Panel, SeatPanel, Signal
from hal.simulated.physics import Acceptor
from hal.simulated.table import BreakablePart, SeatPart, SimulatedTable, TablePart
from hal.simulated.virtualtime import run
from tests.hal.contract import Script
from tests.hal.promises import Promises


class SimulatedBench:
    """A simulated table with three seats, and a program that only listens. Checks every signal as it comes."""

    def __init__(self, acceptor: Acceptor, *, seats: int = 3, seed: int = 1, power: int = 1) -> None:
        values = [1_000, 5_000] if acceptor == "chips" else []
        self.table = SimulatedTable(seats=seats, acceptor=acceptor, rng=Random(seed), denominations=values)
        self.acceptor = acceptor
        self.seats = range(1, seats + 1)
        self.backend = self.table
        self.promises = Promises()
        self._hear = self.promises.hear
        missing: BreakablePart = "slot" if acceptor == "credits" else "button"
        self.can_break: frozenset[BreakablePart] = frozenset(get_args(SeatPart) + get_args(TablePart)) - {missing}
        self._lamps: frozenset[int] = frozenset()
        self._pot = 0

    def start(self) -> None:
        self.table.start(self._hear, self.promises.reboot())

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
        return self.promises.told()


def panel(seats: int, lamps: Sequence[int], acceptor: Acceptor, pot: int = 0) -> Panel:
    """A panel with `lamps` lit."""
    credits = 3 if acceptor == "credits" else None
    shown = tuple(SeatPanel(n, n in lamps, credits, 0) for n in range(1, seats + 1))
    return Panel(shown, "open", pot, 1, len(lamps), "")


def play_simulated(acceptor: Acceptor, script: Script) -> None:
    """Run `script` on a new bench of the simulated table."""

    async def main() -> None:
        await script(SimulatedBench(acceptor))

    run(main())
