"""The file of persons: read with suspicion, replaced as a whole.

Whoever reads it finds the old file or the new one, never a mixture, whatever happens to the power. A file that is
damaged is left alone and named; of a PIN only a memory-hard hash is kept.
"""

from __future__ import annotations

import fcntl
import os
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import msgspec
from msgspec import Struct

from controller.core.messages import msg
from controller.core.state import Role

VERSION = 1

LARGEST_FILE = 1_000_000
"""Bytes; a casino's whole staff takes a tenth of it."""

NAME = re.compile(r"[^\W_][\w.-]{0,31}")
"""How a person may be called."""

NO_NAME = msg("“{name}” cannot be a name: write up to 32 letters, digits, dots or dashes.")


class PeopleError(Exception):
    """Something about persons cannot be done; `text` is a message id that `values` fill. As a string: English."""

    def __init__(self, text: str, **values: str) -> None:
        super().__init__(text.format_map(values))
        self.text = text
        self.values = values


class Record(Struct, frozen=True, forbid_unknown_fields=True):
    """A person as the file has it: `salt` and `hash` in hexadecimal; `n`, `r`, `p` are scrypt's."""

    name: str
    roles: tuple[Role, ...]
    salt: str
    hash: str
    n: int
    r: int = 8
    p: int = 1


class _File(Struct, frozen=True, forbid_unknown_fields=True):
    version: int
    people: tuple[Record, ...]


def fingerprint(path: Path) -> tuple[int, ...]:
    """What differs when the file was replaced; empty when there is none."""
    try:
        seen = os.stat(path)
    except OSError:
        return ()
    return seen.st_dev, seen.st_ino, seen.st_size, seen.st_mtime_ns


def read(path: Path) -> dict[str, Record]:
    """The records of the file at `path`, by name. Raises PeopleError; a file that is not there holds nobody."""
    try:
        with path.open("rb") as file:
            data = file.read(LARGEST_FILE + 1)
    except FileNotFoundError:
        return {}
    except OSError as error:
        raise unusable(path, error) from error
    try:
        if len(data) > LARGEST_FILE:
            raise ValueError(f"more than {LARGEST_FILE} bytes")
        return _checked(data)
    except (ValueError, RecursionError) as error:
        raise PeopleError(
            msg("{path} is damaged and was left as it is ({why}): put a copy back, or move it away and start anew."),
            path=str(path),
            why=str(error),
        ) from error


def _checked(data: bytes) -> dict[str, Record]:
    """Raises ValueError, of which msgspec's errors are kinds, for anything that this program did not write."""
    file = msgspec.json.decode(data, type=_File)
    if file.version != VERSION:
        raise ValueError(f"version {file.version}; this program reads {VERSION}")
    for record in file.people:
        sound = 2 <= record.n <= 2**17 and record.n & (record.n - 1) == 0 and record.r == 8 and record.p == 1
        if not sound or len(bytes.fromhex(record.hash)) != 32 or len(bytes.fromhex(record.salt)) < 8:
            raise ValueError(f"the PIN of {record.name!r}")
        if NAME.fullmatch(record.name) is None or not record.roles:
            raise ValueError(f"the person {record.name!r}")
    by_name = {record.name: record for record in file.people}
    if len(by_name) != len(file.people):
        raise ValueError("a person is there twice")
    return by_name


def write(path: Path, records: Iterable[Record]) -> None:
    """Replace the file at `path`: durable when this returns, untouched when it raises PeopleError."""
    file = _File(VERSION, tuple(sorted(records, key=lambda record: record.name)))
    try:
        _replace(path, msgspec.json.format(msgspec.json.encode(file), indent=2) + b"\n")
    except OSError as error:
        raise unusable(path, error) from error


@contextmanager
def only_editor(path: Path) -> Iterator[None]:
    """Whoever else would edit the file at `path` waits. Makes the folder if need be. Raises PeopleError."""
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        folder = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY)
    except OSError as error:
        raise unusable(path, error) from error
    try:
        fcntl.flock(folder, fcntl.LOCK_EX)
        yield
    finally:
        os.close(folder)


def _replace(path: Path, data: bytes) -> None:
    """Replace a file so that a power cut leaves the old one or the new one. Raises OSError."""
    draft = path.with_name(f".{path.name}.{os.getpid()}")
    with suppress(FileNotFoundError):
        draft.unlink()
    folder = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY)
    try:
        with open(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
            _keep_owner(file.fileno(), path)
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        draft.rename(path)
        os.fsync(folder)
    except BaseException:
        with suppress(OSError):
            draft.unlink()
        raise
    finally:
        os.close(folder)


def _keep_owner(file: int, path: Path) -> None:
    """Written by root for a daemon that is not, the file stays readable to the daemon. Raises OSError."""
    owner = os.stat(path if path.exists() else path.parent)
    if os.geteuid() == 0:
        os.fchown(file, owner.st_uid, owner.st_gid)


def unusable(path: Path, error: OSError) -> PeopleError:
    """What to say of a file that the system does not let be used."""
    return PeopleError(
        msg("{path} cannot be used: {why}. Check the folder, its owner and the disk."),
        path=str(path),
        why=error.strerror or str(error),
    )
