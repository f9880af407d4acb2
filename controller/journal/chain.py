"""The hash chain: what ties every entry to all entries before it, and every file to the file before it.

Every hash is SHA-256 over *netstrings* (the decimal length, a colon, the bytes, a comma), so that no two
different lists of fields give the same bytes. Numbers are hashed as their decimal digits, texts as UTF-8. An
auditor can compute each hash with a few lines of any language; ``docs/journal.md`` shows how.
"""

from __future__ import annotations

from hashlib import sha256
from typing import NamedTuple

NO_PREVIOUS = b""
"""What stands for the hash of the file before the first one."""


class Link(NamedTuple):
    """A place in the chain: an entry's number and its hash (32 bytes)."""

    seq: int
    hash: bytes


def netstrings(*fields: bytes | str | int) -> bytes:
    """The fields, each as a netstring, one after the other."""
    joined = bytearray()
    for field in fields:
        data = field if isinstance(field, bytes) else str(field).encode()
        joined += b"%d:%b," % (len(data), data)
    return bytes(joined)


def origin(table: str, period: int, previous: bytes) -> bytes:
    """The hash that the first entry of a file follows.

    `previous` is the hash of the last entry of the file before it, `NO_PREVIOUS` for the first file.
    """
    return sha256(netstrings("pozo journal", table, period, previous)).digest()


def entry_hash(previous: bytes, seq: int, wall: str, kind: str, version: int, body: bytes) -> bytes:
    """The hash of an entry that follows an entry (or an origin) whose hash is `previous`."""
    return sha256(previous + netstrings(seq, wall, kind, version, body)).digest()


def snapshot_hash(at: Link, version: int, state: bytes) -> bytes:
    """The hash of a snapshot of the state after the entry `at`; it binds the snapshot to the chain."""
    return sha256(netstrings("pozo snapshot", at.hash, at.seq, version, state)).digest()
