"""The lines that an OLED on SPI has beside its bus: driven by the table, which owns the header."""

from __future__ import annotations

import asyncio

import pytest

from hal.gpio.chips import Chips, open_chips
from hal.gpio.table import GpioTable
from hal.gpio.wiring import Hardware, Pin, SeatPins, Wiring

DC, RESET = 24, 25


def pin(line: int) -> Pin:
    return Pin("header", line)


WIRING = Wiring(
    key_open=pin(5),
    key_locked=pin(6),
    loop_out=pin(20),
    loop_in=pin(21),
    seats=(SeatPins(pin(12), pin(13), button=pin(17)),),
    spi=(0,),
    display_lines=(("displays[1].dc", pin(DC)), ("displays[1].reset", pin(RESET))),
)


def test_the_table_drives_them_while_it_runs_and_says_when_it_does_not() -> None:
    opened: list[Chips] = []

    def open_them(hardware: Hardware) -> Chips:
        opened.append(open_chips(hardware))
        return opened[0]

    async def evening() -> None:
        table = GpioTable(Hardware("mock", WIRING), opened=open_them)
        with pytest.raises(OSError, match="GPIO24 cannot be driven"):
            table.drive(DC, True)
        table.start(lambda signal: None, 1)
        line = opened[0].header.factory.pin(f"GPIO{DC}")
        assert (line.function, line.state) == ("output", False)
        await asyncio.to_thread(table.drive, DC, True)
        assert line.state
        table.drive(DC, False)
        assert not line.state
        with pytest.raises(OSError, match="GPIO17 cannot be driven"):
            table.drive(17, True)
        table.drive(RESET, True)
        reset = opened[0].header.factory.pin(f"GPIO{RESET}")
        table.stop()
        assert not reset.state
        with pytest.raises(OSError, match="GPIO25 cannot be driven"):
            table.drive(RESET, True)

    asyncio.run(evening())
