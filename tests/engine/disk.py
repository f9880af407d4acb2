"""The disk under a program: the compiled shim, and the images that a power cut could leave of what it logged.

What a power cut leaves is modelled after POSIX, which promises little. A file holds all that was synced; of
each write since, every 512-byte sector may or may not have arrived. A name is safe once its directory has been
synced; of the changes of names since, in their order, the first few have arrived.
"""

from __future__ import annotations

import os
import random
import shutil
import struct
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

SHIM = Path(__file__).with_name("disk_shim.c")
SECTOR = 512


def compiled_shim(directory: Path) -> Path:
    """Compile the shim into `directory`; skips the test where there is no C compiler."""
    compiler = next(filter(None, map(shutil.which, ("cc", "gcc", "clang"))), None)
    if compiler is None:
        pytest.skip("NOT TESTED: no interruption of the journal was tried, because there is no C compiler (cc)")
    library = directory / "disk_shim.so"
    subprocess.run([compiler, "-shared", "-fPIC", "-O1", "-o", library, SHIM, "-ldl"], check=True)
    return library


def under_shim(shim: Path, module: str, root: Path, *arguments: str) -> list[str]:
    """Run ``python -m module root arguments…`` with the shim watching `root`; the lines it prints."""
    root.mkdir(exist_ok=True)
    ran = subprocess.run(
        [sys.executable, "-m", module, root, *arguments],
        env={**os.environ, "LD_PRELOAD": str(shim), "POZO_SHIM_DIR": f"{root}/"},
        cwd=Path(__file__).parents[2],
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    return ran.stdout.splitlines()


class Call(NamedTuple):
    """One call that the shim logged; its fields depend on `op`, as ``disk_shim.c`` says."""

    op: str
    fd: int
    number: int
    data: bytes


def calls(log: bytes) -> Iterator[Call]:
    """The records of a log."""
    at, head = 0, struct.Struct("=ciqI")
    while at < len(log):
        op, fd, number, length = head.unpack_from(log, at)
        at += head.size + length
        yield Call(op.decode(), fd, number, log[at - length : at])


class _File:
    """A file: what is durable, and the changes since, each an offset and data, or a length and None."""

    def __init__(self) -> None:
        self.durable = bytearray()
        self.pending: list[tuple[int, bytes | None]] = []

    def sync(self) -> None:
        self.durable = self.after([True] * len(self.pending))
        self.pending = []

    def after(self, arrived: list[bool], torn: random.Random | None = None) -> bytearray:
        """The contents when only these changes arrived; with `torn`, some of them in part."""
        content = bytearray(self.durable)
        for (offset, data), here in zip(self.pending, arrived, strict=True):
            if not here:
                continue
            if data is None:
                content[:] = content[:offset].ljust(offset, b"\0")
            else:
                for part, piece in _sectors(offset, data):
                    if torn is None or torn.random() < 0.8:
                        content[:] = content.ljust(part + len(piece), b"\0")
                        content[part : part + len(piece)] = piece
        return content


def _sectors(offset: int, data: bytes) -> Iterator[tuple[int, bytes]]:
    while data:
        room = SECTOR - offset % SECTOR
        yield offset, data[:room]
        offset, data = offset + room, data[room:]


class Disk:
    """Follows the calls of a program, and can be cut off from power after any of them."""

    def __init__(self, directory: Path) -> None:
        self._directory = os.fsencode(directory)
        self._durable_names: dict[bytes, _File] = {}
        self._names: dict[bytes, _File] = {}
        self._changes: list[tuple[bytes, bytes, _File]] = []  # old name, new name (or none), whose they are
        self._open: dict[int, _File | None] = {}  # None: the directory itself

    def take(self, call: Call) -> None:
        """Follow one call."""
        if call.op == "o":
            self._opened(call)
        elif call.op == "c":
            self._open.pop(call.fd, None)
        elif call.op == "r":
            old, new = call.data.split(b"\0")
            self._names[new] = self._names.pop(old)
            self._changes.append((old, new, self._names[new]))
        elif call.op == "u":
            self._changes.append((call.data, b"", self._names.pop(call.data)))
        else:
            self._changed(call)

    def _opened(self, call: Call) -> None:
        if call.data == self._directory:
            self._open[call.fd] = None
            return
        if not call.data.startswith(self._directory + b"/"):
            self._open[call.fd] = _File()  # of no concern here
            return
        if call.data not in self._names:
            self._names[call.data] = _File()
            self._changes.append((b"", call.data, self._names[call.data]))
        self._open[call.fd] = self._names[call.data]

    def _changed(self, call: Call) -> None:
        file = self._open[call.fd]
        if file is None:
            assert call.op == "s"
            self._durable_names = dict(self._names)
            self._changes = []
        elif call.op == "s":
            file.sync()
        else:
            file.pending.append((call.number, call.data if call.op == "w" else None))

    def image(self, target: Path, how: str, chance: random.Random) -> None:
        """Write to `target` what may be left: ``none`` or ``all`` of what is not synced, or ``some`` by chance."""
        names = self._surviving_names({"none": 0, "all": len(self._changes)}.get(how, -1), chance)
        target.mkdir(parents=True)
        for name, file in names.items():
            count = len(file.pending)
            if how == "some":
                content = file.after([chance.random() < 0.5 for _ in range(count)], torn=chance)
            else:
                content = file.after([how == "all"] * count)
            (target / os.fsdecode(os.path.basename(name))).write_bytes(content)

    def _surviving_names(self, arrived: int, chance: random.Random) -> dict[bytes, _File]:
        names = dict(self._durable_names)
        count = chance.randint(0, len(self._changes)) if arrived < 0 else arrived
        for old, new, file in self._changes[:count]:
            names.pop(old, None)
            if new:
                names[new] = file
        return names
