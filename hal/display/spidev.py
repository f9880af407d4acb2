"""The kernel's ``/dev/spidevB.D`` with the few methods of py-spidev that luma uses.

py-spidev has no wheels: every table would need a compiler for what is an open, two ioctls and a write. The
interface is the kernel's stable one (Documentation/spi/spidev): one ``write`` is one transfer under one chip
select, and it takes at most the driver's buffer, 4096 bytes unless the kernel was told otherwise.
"""

from __future__ import annotations

import fcntl
import os
import struct
from collections.abc import Sequence
from pathlib import Path

_WR_MODE = 0x40016B01  # _IOW('k', 1, __u8), linux/spi/spidev.h
_WR_MAX_SPEED_HZ = 0x40046B04  # _IOW('k', 4, __u32)


class SpiDev:
    """One chip select of one bus. `root` is where the device files are. Methods raise OSError."""

    def __init__(self, root: Path = Path("/dev")) -> None:
        self._root = root
        self._file = -1

    def open(self, bus: int, device: int) -> None:
        """Open ``spidev{bus}.{device}`` in mode 0 (clock low at rest, sampled at its rising edge)."""
        self._file = os.open(self._root / f"spidev{bus}.{device}", os.O_RDWR | os.O_CLOEXEC)
        fcntl.ioctl(self._file, _WR_MODE, struct.pack("B", 0))

    @property
    def max_speed_hz(self) -> int:
        """Write only, as a property because that is how py-spidev has it."""
        raise AttributeError("the clock can be set, not read")

    @max_speed_hz.setter
    def max_speed_hz(self, hertz: int) -> None:
        fcntl.ioctl(self._file, _WR_MAX_SPEED_HZ, struct.pack("=I", hertz))

    def writebytes(self, data: Sequence[int]) -> None:
        """Send `data` under one chip select."""
        sent = os.write(self._file, bytes(data))
        if sent != len(data):  # the driver takes all or nothing; what shifted a part is not what was meant
            raise OSError(f"only {sent} of {len(data)} bytes were sent")

    def close(self) -> None:
        """Give the file back. Closing twice is harmless."""
        file, self._file = self._file, -1
        if file >= 0:
            os.close(file)
