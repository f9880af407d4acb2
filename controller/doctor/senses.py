"""How the doctor sees: the only part of it that touches the machine, and only by reading.

Files are looked for under `root`, so that a test can show it another machine's ``/proc``, ``/sys`` and ``/dev``. What
no folder can pretend (programs, ioctls, the clock) are methods, which a test's own senses replace.
"""

from __future__ import annotations

import ctypes
import fcntl
import os
import pwd
import socket
import struct
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from controller.clock import WallClock

GPIO_GET_CHIPINFO = 0x8044B401  # _IOR(0xB4, 1, struct gpiochip_info), linux/gpio.h
_CHIPINFO = struct.Struct("=32s32sI")
GPIO_V2_GET_LINEINFO = 0xC100B405  # _IOWR(0xB4, 5, struct gpio_v2_line_info)
_LINEINFO = struct.Struct("=32s32sIIQ160s16s")
_USED = 1 << 0

I2C_SLAVE = 0x0703  # linux/i2c-dev.h
I2C_SMBUS = 0x0720
_READ, _BYTE = 1, 1
"""I2C_SMBUS_READ, I2C_SMBUS_BYTE: one byte is read, and nothing is written, not even a register's number."""

FIRST_ADDRESS, LAST_ADDRESS = 0x08, 0x77
"""The others are reserved (I2C-bus specification, 3.1.12)."""

PATIENCE_S = 15
"""No program that is asked may take longer."""


class Senses:
    """The machine that this program runs on."""

    def __init__(self, root: Path = Path("/")) -> None:
        self.root = root
        self._for: pwd.struct_passwd | None = None

    def stand_in_for(self, owner: int) -> None:
        """Root may do anything: let it judge permissions as those of user `owner`, whom the service runs as."""
        if os.geteuid() == 0 and owner != 0:
            with suppress(KeyError):
                self._for = pwd.getpwuid(owner)

    def user(self) -> str:
        """Whose permissions are judged."""
        try:
            return (self._for or pwd.getpwuid(os.geteuid())).pw_name
        except KeyError:
            return str(os.geteuid())

    # --- files -------------------------------------------------------------------------------------------

    def text(self, path: str) -> str:
        """What a small file says, without the NUL and line feed at its end; "" when it cannot be read."""
        try:
            with self.at(path).open("rb") as file:
                return file.read(1_000_000).decode(errors="replace").rstrip("\0\n ")
        except OSError:
            return ""

    def raw(self, path: str) -> bytes:
        """A small binary file; empty when it cannot be read."""
        try:
            with self.at(path).open("rb") as file:
                return file.read(4096)
        except OSError:
            return b""

    def named(self, pattern: str) -> list[Path]:
        """The files that `pattern` (without a leading /) matches under the root, sorted as people count."""
        try:
            return sorted(self.root.glob(pattern), key=lambda path: (len(path.name), path.name))
        except OSError:
            return []

    def at(self, path: str) -> Path:
        """`path` under the root."""
        return self.root / path.lstrip("/")

    def shown(self, path: Path) -> str:
        """`path` as it is called on the machine that is looked at."""
        return f"/{path.relative_to(self.root)}"

    def usable(self, path: Path) -> bool:
        """Whether the user may read and write the file."""
        if self._for is None:
            return os.access(path, os.R_OK | os.W_OK, effective_ids=True)
        try:
            return may_use(path.stat(), self._for.pw_uid, os.getgrouplist(self._for.pw_name, self._for.pw_gid))
        except OSError:
            return False

    def free(self, directory: Path) -> int:
        """Bytes that whoever is not root may still write there."""
        seen = os.statvfs(directory)
        return seen.f_bavail * seen.f_frsize

    # --- what no folder can pretend ----------------------------------------------------------------------

    def run(self, *command: str) -> tuple[int, str] | None:
        """Exit code and standard output of a program that only tells; None when there is none."""
        environment = {**os.environ, "LC_ALL": "C.UTF-8"}
        try:
            done = subprocess.run(
                command, stdin=subprocess.DEVNULL, capture_output=True, timeout=PATIENCE_S, check=False, env=environment
            )
        except (OSError, subprocess.TimeoutExpired):
            return None
        return done.returncode, done.stdout.decode(errors="replace").strip()

    def packages(self, names: Iterable[str]) -> dict[str, str]:
        """The versions of those packages that this Python can import."""
        there = {}
        for name in names:
            with suppress(PackageNotFoundError):
                there[name] = version(name)
        return there

    def open_factory(self, arguments: Sequence[str]) -> tuple[int, str]:
        """Exit code and complaint of `controller.doctor.opening`, which gets a folder of its own for lgpio's pipe."""
        command = [sys.executable, "-m", "controller.doctor.opening", *arguments]
        with tempfile.TemporaryDirectory(prefix="pozo-doctor-") as folder:
            environment = {**os.environ, "LG_WD": folder, "PYTHONPATH": os.pathsep.join(p for p in sys.path if p)}
            try:
                done = subprocess.run(
                    command, cwd=folder, env=environment, stdin=subprocess.DEVNULL, capture_output=True,
                    timeout=PATIENCE_S, check=False,
                )  # fmt: skip
            except (OSError, subprocess.TimeoutExpired) as error:
                return 1, str(error)
        said = done.stdout.decode(errors="replace").strip()
        complaint = done.stderr.decode(errors="replace").strip().rpartition("\n")[2]
        return done.returncode, said or complaint

    def chip(self, path: Path) -> tuple[str, int]:
        """The label and the number of lines of a gpiochip. Raises OSError."""
        file = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        try:
            answer = fcntl.ioctl(file, GPIO_GET_CHIPINFO, bytes(_CHIPINFO.size))
        finally:
            os.close(file)
        _, label, lines = _CHIPINFO.unpack(answer)
        return label.rstrip(b"\0").decode(errors="replace"), lines

    def held(self, path: Path, lines: int) -> dict[int, str]:
        """The lines of a gpiochip that somebody uses, and the name that was given for it. Raises OSError."""
        file = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        try:
            return dict(_used(file, lines))
        finally:
            os.close(file)

    def answering(self, path: Path) -> tuple[int, ...]:
        """The addresses of an I2C bus that answer when one byte is read; those of kernel drivers are left alone."""
        file = os.open(path, os.O_RDWR | os.O_CLOEXEC)
        try:
            return tuple(address for address in range(FIRST_ADDRESS, LAST_ADDRESS + 1) if _answers(file, address))
        finally:
            os.close(file)

    def answers(self, path: Path, address: int) -> bool:
        """Whether that one address of an I2C bus answers. Raises OSError."""
        file = os.open(path, os.O_RDWR | os.O_CLOEXEC)
        try:
            return _answers(file, address)
        finally:
            os.close(file)

    def now(self) -> datetime:
        """The wall clock, aware."""
        return WallClock().now()

    def synchronised(self) -> bool:
        """Whether the network has set it."""
        return WallClock().synchronised()

    def greet(self, path: Path, hello: bytes) -> bytes | None:
        """What the program that listens at a Unix socket answers; None when nobody listens. Raises OSError."""
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as peer:
            peer.settimeout(3)
            try:
                peer.connect(str(path))
            except (ConnectionRefusedError, FileNotFoundError):
                return None
            peer.sendall(hello)
            return peer.recv(4096)


def may_use(seen: os.stat_result, user: int, groups: Sequence[int]) -> bool:
    """Whether the modes let `user`, member of `groups`, read and write; as the kernel does, the first class that fits
    decides."""
    shift = 6 if seen.st_uid == user else 3 if seen.st_gid in groups else 0
    return seen.st_mode >> shift & 0o6 == 0o6


def _used(file: int, lines: int) -> Iterator[tuple[int, str]]:
    for line in range(lines):
        asked = _LINEINFO.pack(b"", b"", line, 0, 0, b"", b"")
        _, consumer, _, _, flags, _, _ = _LINEINFO.unpack(fcntl.ioctl(file, GPIO_V2_GET_LINEINFO, asked))
        if flags & _USED:
            yield line, consumer.rstrip(b"\0").decode(errors="replace")


class _SmbusCall(ctypes.Structure):
    """struct i2c_smbus_ioctl_data."""

    _fields_ = (
        ("read_write", ctypes.c_uint8),
        ("command", ctypes.c_uint8),
        ("size", ctypes.c_uint32),
        ("data", ctypes.c_void_p),
    )


def _answers(file: int, address: int) -> bool:
    data = ctypes.create_string_buffer(34)
    call = _SmbusCall(_READ, 0, _BYTE, ctypes.addressof(data))
    try:
        fcntl.ioctl(file, I2C_SLAVE, address)  # EBUSY: a kernel driver has it
        fcntl.ioctl(file, I2C_SMBUS, call)
    except OSError:
        return False
    return True


@contextmanager
def as_owner(path: Path) -> Iterator[None]:
    """While root looks into somebody's directory: be that somebody, so that nothing is left there in root's name.

    SQLite makes its shared-memory file anew after a power cut, even for who only reads; were it root's, the daemon
    could not open its own journal.
    """
    owner = path.stat() if path.exists() else None
    if owner is None or os.geteuid() != 0 or owner.st_uid == 0:
        yield
        return
    group = os.getegid()
    os.setegid(owner.st_gid)
    os.seteuid(owner.st_uid)
    try:
        yield
    finally:
        os.seteuid(0)
        os.setegid(group)
