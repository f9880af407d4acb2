"""Where a display hangs: a bus, opened anew whenever its device comes back. With `vendor`, all that knows luma.

luma would take an SPI display's data/command and reset lines through RPi.GPIO, which cannot run on a Pi 5 and sees no
edges on kernels from 6.6; the lines are driven by whoever owns the header (``hal.gpio``), through `Drive`.
"""

from __future__ import annotations

import errno
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Protocol

import smbus2
from luma.core.error import DeviceNotFoundError
from luma.core.interface import serial

from hal.display.device import DisplayError
from hal.display.spidev import SpiDev

Drive = Callable[[int, bool], None]
"""Sets a GPIO line (BCM number) high or low. Called by the display's own thread."""


class Serial(Protocol):
    """What luma's drivers speak through. Raises OSError and luma's own errors."""

    def command(self, *cmd: int) -> None:
        """Bytes for the controller's registers."""

    def data(self, data: Sequence[int]) -> None:
        """Bytes for its memory, or for a controller that knows no difference."""

    def cleanup(self) -> None:
        """Give the bus back."""


class Wires(Protocol):
    """A place on a bus; ``str`` names it in messages."""

    def open(self) -> Serial:
        """The bus, ready to speak. Raises OSError and luma's own errors."""


@dataclass(frozen=True)
class I2c:
    """An address on ``/dev/i2c-{port}``: 0x3c or 0x3d for the OLEDs. Every byte is acknowledged, so a device that is
    not there is found."""

    port: int = 1
    address: int = 0x3C

    def open(self) -> Serial:
        return _I2cSerial(smbus2.SMBus(self.port), self.address)

    def __str__(self) -> str:
        return f"I2C bus {self.port}, address 0x{self.address:02x}"


class _I2cSerial:
    """luma's, over a bus that is ours: blocks of 32 bytes, which every adapter and the kernel's i2c-stub understand."""

    def __init__(self, bus: smbus2.SMBus, address: int) -> None:
        self._bus = bus
        self._luma: Any = serial.i2c(bus=bus, address=address)

    def command(self, *cmd: int) -> None:
        self._luma.command(*cmd)

    def data(self, data: Sequence[int]) -> None:
        self._luma.data(data)

    def cleanup(self) -> None:
        self._bus.close()


@dataclass(frozen=True)
class Spi:
    """A chip select of an SPI bus. Nothing is acknowledged: a device that is not there is not found.

    `hertz` is one of luma's: 500 000, or 1, 2, 4, 8 … MHz. An OLED takes 8 MHz, a MAX7219 10 MHz at most and a long
    chain of them less. An OLED has the lines `dc` (data/command) and mostly `reset` (BCM numbers), driven by `drive`.
    """

    port: int = 0
    device: int = 0
    hertz: int = 1_000_000
    dc: int | None = None
    reset: int | None = None
    drive: Drive | None = None
    spidev: Callable[[], SpiDev] = SpiDev

    def __post_init__(self) -> None:
        if self.drive is None and not (self.dc is None and self.reset is None):
            raise ValueError(f"{self}: the lines dc and reset need somebody who drives them")

    def open(self) -> Serial:
        device = self.spidev()
        try:
            # Reset: low for 3 µs at least (SSD1306 8.5), both waits far above it.
            opened: Serial = serial.spi(
                spi=device, gpio=_Lines(self.drive), port=self.port, device=self.device, bus_speed_hz=self.hertz,
                gpio_DC=self.dc, gpio_RST=self.reset, reset_hold_time=0.001, reset_release_time=0.001,
            )  # fmt: skip
        except BaseException:
            device.close()
            raise
        return opened

    def __str__(self) -> str:
        return f"SPI {self.port}.{self.device}"


class _UndrivenError(OSError):
    """It is not the bus: whoever owns the header does not drive a line."""


class _Lines:
    """`Drive` in the words of RPi.GPIO."""

    LOW, HIGH, OUT = False, True, 0

    def __init__(self, drive: Drive | None) -> None:
        self._drive = drive

    def setup(self, line: int, direction: int) -> None:
        """Whoever drives the lines has made them outputs."""

    def output(self, line: int, level: bool) -> None:
        assert self._drive is not None
        try:
            self._drive(line, level)
        except OSError as error:
            raise _UndrivenError(str(error)) from error

    def cleanup(self, lines: list[int]) -> None:
        """They stay outputs: the display hangs on them."""


_REMEDIES = {
    errno.ENOENT: "there is no such bus; switch it on in the boot configuration (dtparam=i2c_arm=on, dtparam=spi=on)",
    errno.EACCES: "not allowed; put the user of this program into the bus's group (i2c, spi)",
    errno.EPERM: "not allowed; put the user of this program into the bus's group (i2c, spi)",
}
_UNDRIVEN = "its lines dc and reset are not driven; mend what the log says of the table's hardware, and restart"
_SILENT = "nothing answers; look at its plug, its supply and its address"


@contextmanager
def told(what: str, wires: Wires) -> Iterator[None]:
    """Vendors' errors as DisplayError that names the display, its place and the remedy."""
    try:
        yield
    except (OSError, DeviceNotFoundError) as error:
        cause = error if isinstance(error, OSError) else error.__context__  # luma's own says less
        number = cause.errno if isinstance(cause, OSError) else None
        remedy = _REMEDIES.get(number or 0, _UNDRIVEN if isinstance(error, _UndrivenError) else _SILENT)
        raise DisplayError(f"{what} on {wires}: {remedy} ({error})") from error
