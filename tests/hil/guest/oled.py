"""The cable of the dealer's OLED on the bus that i2c-stub simulates: pulled out, and plugged in again.

The stub always answers at its address, and cannot be removed while somebody has its bus open. So an OLED is unplugged
in two ways at once. What a program has open goes on to speak to an address where nobody answers: the address belongs to
the open file, which root may have too (``pidfd_getfd``). And whoever opens the bus anew finds the address taken, by a
driver that does nothing.
"""

from __future__ import annotations

import ctypes
import fcntl
import os
from contextlib import closing
from pathlib import Path

from tests.hil.guest.board import OLED
from tests.hil.guest.served import stub_bus

NOBODY = 0x3D
"""An address at which no chip is."""

_I2C_SLAVE = 0x0703
_PIDFD_GETFD = 438


def unplug(pid: int) -> None:
    """The OLED of the program `pid` does not answer any more. Raises OSError."""
    (_bus() / "new_device").write_text(f"dummy {OLED:#x}")
    device = f"/dev/{_bus().name}"
    held = [link for link in Path(f"/proc/{pid}/fd").iterdir() if os.readlink(link) == device]
    libc = ctypes.CDLL(None, use_errno=True)
    process = os.pidfd_open(pid)
    try:
        for link in held:
            number = libc.syscall(_PIDFD_GETFD, process, int(link.name), 0)
            if number < 0:
                raise OSError(ctypes.get_errno(), "pidfd_getfd")
            with closing(os.fdopen(number, "rb", buffering=0)) as file:
                fcntl.ioctl(file, _I2C_SLAVE, NOBODY)
    finally:
        os.close(process)


def plug() -> None:
    """It answers again, to whoever opens the bus anew, as the program does when it tries again. Raises OSError."""
    (_bus() / "delete_device").write_text(f"{OLED:#x}")


def _bus() -> Path:
    return Path("/sys/bus/i2c/devices", stub_bus())
