"""The card that the journal is on, small enough to be filled, and one that can be made to fail as cards do.

A file, a loop device, a linear target of the device mapper whose place an ``error`` target can take, ext4, mounted
where the table keeps its journal. Nothing of the program is told, or replaced.
"""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from tests.hil.guest.served import STATE, run

FILE = Path("/run/card")
"""In memory: while the host's disk is at work the machine's clock, in virtual time, would jump ahead."""

DEVICE = Path("/dev/mapper/card")
SECTORS = 49_152
"""24 MiB: its journal, and room for some thousand commits."""

Trouble = Literal["full", "read-only", "failing"]


class Card:
    """One card. `insert` it before the table starts for the first time; `mend` it while the table is stopped."""

    def __init__(self) -> None:
        self._loop = ""

    async def insert(self) -> None:
        """Make it, and mount it."""
        await sure("truncate", f"--size={SECTORS * 512}", str(FILE))
        await sure("modprobe", "-a", "loop", "dm-mod")
        self._loop = (await sure("losetup", "--find", "--show", str(FILE))).strip()
        await sure("dmsetup", "create", "card", "--table", self._good)
        await sure("mkfs.ext4", "-q", "-m", "0", str(DEVICE))
        await self._mount()
        (STATE / "lost+found").rmdir()

    async def trouble(self, kind: Trouble) -> None:
        """From now on it takes no more."""
        if kind == "full":
            await run("dd", "if=/dev/zero", f"of={STATE / 'rest'}", "bs=64k")  # ends where the room does
        elif kind == "read-only":  # as ext4 does by itself when it has met an error
            await sure("sh", "-c", f"echo bench > /sys/fs/ext4/$(basename $(realpath {DEVICE}))/trigger_fs_error")
        else:
            await self._target(f"0 {SECTORS} error")

    async def mend(self, kind: Trouble) -> None:
        """As a technician would; the table is stopped."""
        if kind == "full":
            (STATE / "rest").unlink()
            return
        await sure("umount", str(STATE))
        if kind == "failing":
            await self._target(self._good)
        await run("e2fsck", "-fy", str(DEVICE))
        await self._mount()

    @property
    def _good(self) -> str:
        return f"0 {SECTORS} linear {self._loop} 0"

    async def _target(self, table: str) -> None:
        await sure("dmsetup", "suspend", "--nolockfs", "--noflush", "card")
        await sure("dmsetup", "load", "card", "--table", table)
        await sure("dmsetup", "resume", "card")

    async def _mount(self) -> None:
        STATE.mkdir(parents=True, exist_ok=True)
        await sure("mount", "-o", "errors=remount-ro", str(DEVICE), str(STATE))
        await sure("chown", "pozo:pozo", str(STATE))


async def sure(*words: str) -> str:
    """Run what must succeed. Raises RuntimeError with its words."""
    status, said = await run(*words)
    if status:
        raise RuntimeError(f"{' '.join(words)}: {said.strip()}")
    return said
