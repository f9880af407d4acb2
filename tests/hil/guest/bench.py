"""The contract's bench on a real kernel: ``hal.gpio`` on gpio-sim, in the machine, hands by ``ElectricTable``."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from hal.gpio.table import GpioTable
from hal.gpio.wiring import ChipName, Hardware
from hal.port import Signal
from hal.simulated.physics import Acceptor
from tests.hal.contract import BreakablePart, Play, Script
from tests.hal.gpio_bench import wiring
from tests.hal.promises import Promises
from tests.hal.simulated_bench import panel
from tests.hil.guest.table import ElectricTable


class KernelBench:
    """A table with three seats on the lines of the board, and a program that only listens."""

    def __init__(self, acceptor: Acceptor, place: ChipName) -> None:
        pins = wiring(acceptor, 3, place)
        self.hardware = Hardware("lgpio", pins.wiring, pins.expander)
        self.table = ElectricTable(self.hardware.wiring, acceptor)
        self.seats = range(1, 4)
        self.backend = GpioTable(self.hardware)
        stuck: BreakablePart = "button" if acceptor == "credits" else "slot"
        self.can_break: frozenset[BreakablePart] = frozenset({"lamp", "lamp-on", stuck, "key"})
        self.promises = Promises()
        self._acceptor = acceptor
        self._pot = 0

    def start(self) -> None:
        self.backend.start(self.promises.hear, self.promises.reboot())

    def show(self, lamps: Sequence[int]) -> None:
        self._pot += 1
        self.backend.show(panel(len(self.seats), lamps, self._acceptor, self._pot))

    def told(self) -> list[Signal]:
        return self.promises.told()

    def press(self, seat: int) -> None:
        self.table.press(seat)

    def chip(self, seat: int, value: int) -> None:
        self.table.chip(seat, value)

    def turn_key(self, position: str) -> None:
        self.table.turn_key("open" if position == "open" else "locked")

    def noise(self, seat: int) -> None:
        self.table.noise(seat)

    def break_part(self, part: BreakablePart, seat: int) -> None:
        self.table.break_part(part, seat)

    def mend_part(self, part: BreakablePart, seat: int) -> None:
        self.table.mend_part(part, seat)

    def power_off(self) -> None:
        for seat in self.table.seats.values():
            seat.power(False)
        self.backend.stop()  # as the kernel lets the lines of a dead program go

    def power_on(self) -> None:
        for seat in self.table.seats.values():
            seat.power(True)

    def lamp_lit(self, seat: int) -> bool:
        return self.table.lamp_lit(seat)

    async def quiet(self) -> None:
        await self.table.quiet()

    async def wait(self, seconds: float) -> None:
        await asyncio.sleep(seconds)


def playing(place: ChipName) -> Play:
    """What plays a script on a new bench whose lamps and senses are at `place`."""

    def play(acceptor: Acceptor, script: Script) -> None:
        async def main() -> None:
            bench = KernelBench(acceptor, place)
            try:
                await script(bench)
            finally:
                bench.backend.stop()
                await bench.table.close()

        asyncio.run(main())

    return play
