"""The lines that an OLED on SPI has beside its bus: driven by the table, which owns the header."""

from __future__ import annotations

import asyncio

import pytest
from gpiozero.pins.mock import MockFactory

from hal.gpio.chips import Chips, open_chips
from hal.gpio.table import GpioTable
from hal.gpio.wiring import Hardware, Pin, SeatPins, Wiring
from hal.port import HardwareError

DC, RESET = 24, 25
LOOP_OUT = 20


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


class Board:
    """gpiozero's mock, whose lines `busy` another program holds. Without a jumper no table starts on it (8.4)."""

    def __init__(self, *busy: int, jumper: bool = True) -> None:
        self.busy, self.jumper = busy, jumper
        self.factory: MockFactory

    def opened(self, hardware: Hardware) -> Chips:
        chips = open_chips(hardware)
        self.factory = chips.header.factory
        for line in self.busy:
            self.factory.reserve_pins(self, self.factory.pin(line).info.name)
        if not self.jumper:
            self.factory.pin(LOOP_OUT).input_pin = self.factory.pin(4)
        return chips

    def reserved(self) -> set[str]:
        return {info.name for info, holders in self.factory._reservations.items() if any(h() for h in holders)}


def test_8_4_a_table_that_does_not_start_drives_them_all_the_same() -> None:
    """A display on them says why it does not."""
    board = Board(jumper=False)

    async def evening() -> None:
        table = GpioTable(Hardware("mock", WIRING), opened=board.opened)
        for _ in range(2):  # a start can be tried again
            with pytest.raises(HardwareError, match="GPIO20"):
                table.start(lambda signal: None, 1)
            assert board.reserved() == {"GPIO24", "GPIO25"}
            line = board.factory.pin(DC)
            table.drive(DC, True)
            assert line.state
        board.jumper = True
        table.start(lambda signal: None, 1)
        table.drive(DC, True)
        table.stop()
        assert board.reserved() == set()

    asyncio.run(evening())


def test_8_5_a_display_whose_line_is_taken_does_not_keep_the_table_from_starting(
    caplog: pytest.LogCaptureFixture,
) -> None:
    board = Board(RESET)

    async def evening() -> None:
        table = GpioTable(Hardware("mock", WIRING), opened=board.opened)
        table.start(lambda signal: None, 1)
        table.drive(DC, True)
        with pytest.raises(OSError, match="GPIO25 cannot be driven"):
            table.drive(RESET, True)
        table.stop()

    asyncio.run(evening())
    assert "GPIO25" in caplog.text
