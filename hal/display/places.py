"""Which displays a table has, and where each hangs: pure data. Needs no vendor's library, like ``hal.gpio.wiring``."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from hal.display.device import Size

Shows = Literal["dealer", "seats", "meter"]
Kind = Literal["ssd1306", "sh1106", "max7219"]

OLED_SIZE: Size = (128, 64)
OLED_ADDRESSES = (0x3C, 0x3D)
"""What an SSD1306 and an SH1106 can be set to (SSD1306 8.1.5, SH1106 "Slave Address")."""


class I2cPlace(Struct, frozen=True):
    """An address on a bus."""

    bus: int
    address: int = OLED_ADDRESSES[0]

    @property
    def file(self) -> str:
        """The bus, below ``/dev``."""
        return f"i2c-{self.bus}"

    def __str__(self) -> str:
        return f"{self.file}, 0x{self.address:02x}"


class SpiPlace(Struct, frozen=True):
    """A chip select of a bus."""

    bus: int
    device: int

    @property
    def file(self) -> str:
        """Bus and chip select, below ``/dev``."""
        return f"spidev{self.bus}.{self.device}"

    def __str__(self) -> str:
        return self.file


Place = I2cPlace | SpiPlace


class Display(Struct, frozen=True):
    """One display. `name` is empty where the table's own word for what it shows will do.

    `size` in pixels is a matrix's or an OLED's; `chain` are the seats of counters in the order of their modules, the
    controller's end first. `dc` and `reset` are lines of the header (BCM), of an OLED on SPI. `turned` (degrees) and
    `reverse` say how a matrix's blocks are mounted, `upside_down` how an OLED is.
    """

    shows: Shows
    kind: Kind
    place: Place
    name: str = ""
    size: Size = OLED_SIZE
    chain: tuple[int, ...] = ()
    dc: int | None = None
    reset: int | None = None
    turned: Literal[0, 90, -90, 180] = -90
    reverse: bool = False
    upside_down: bool = False
