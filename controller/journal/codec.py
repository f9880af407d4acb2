"""Events, records and states as bytes, and old versions of them as today's.

The bytes are canonical: JSON without spaces, fields in the order of their declaration, defaults left out,
dictionaries sorted. What does not encode again to the very bytes it was read from is refused, so a field that
this version does not know can never be dropped in silence.

To change the meaning of an event, raise its ``VERSION`` and register in `UPCASTERS` a pure function that turns
the old body, decoded from JSON, into the new one. To change the state, raise ``STATE_VERSION`` and register
such a function in `STATE_UPCASTERS`: snapshots of another version are merely ignored, but the opening balances
of a period stand for everything before them and must be understood for ever.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any, ClassVar, NamedTuple

import msgspec

from controller.core.events import KINDS, Event
from controller.core.state import STATE_VERSION, Table


class Record(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What the journal itself writes into the chain. It changes no state."""

    VERSION: ClassVar[int] = 1


class PeriodOpened(Record, frozen=True, tag=True):
    """The first entry of every file but the first: the balances it starts from.

    `previous` is the hash (hex) of the entry before, the last of the file before; all files up to number
    `pruned` had been removed on purpose. `state` is a `Table` of version `state_version`.
    """

    table: str
    period: int
    previous: str
    pruned: int
    state_version: int
    state: msgspec.Raw


class PeriodClosed(Record, frozen=True, tag=True):
    """The last entry of a closed file: its closing balances."""

    period: int
    state_version: int
    state: msgspec.Raw


class PeriodsPruned(Record, frozen=True, tag=True):
    """All files up to number `through` are removed, the last entry among them having the hash `last` (hex)."""

    through: int
    last: str


RECORDS: dict[str, type[Record]] = {kind.__name__: kind for kind in (PeriodOpened, PeriodClosed, PeriodsPruned)}
"""The kinds of entry that are the journal's own."""

Body = dict[str, Any]
UPCASTERS: dict[tuple[str, int], Callable[[Body], tuple[str, int, Body]]] = {}
"""By kind and version: what an old body is today, or one step nearer to it. Pure functions."""

STATE_UPCASTERS: dict[int, Callable[[Body], Body]] = {}
"""By state version: the state as the version after it would have written it. Pure functions."""


class UnknownVersionError(Exception):
    """A kind or version that this program has never heard of; it was written by a newer one."""


class UndecodableError(Exception):
    """Bytes that no version of this program can have written; the message says why."""


class Encoded(NamedTuple):
    """An event or record as it is stored."""

    kind: str
    version: int
    body: bytes


_encoder = msgspec.json.Encoder(order="deterministic")


def encode(item: Event | Record) -> Encoded:
    """The canonical bytes of an event or record, with the name and version that go beside them."""
    return Encoded(type(item).__name__, item.VERSION, _encoder.encode(item))


@cache
def _decoder(kind: str) -> msgspec.json.Decoder[Event | Record]:
    return msgspec.json.Decoder(KINDS.get(kind) or RECORDS[kind])


def _current(kind: str) -> int | None:
    known = KINDS.get(kind) or RECORDS.get(kind)
    return known.VERSION if known else None


def decode(kind: str, version: int, body: bytes) -> Event | Record:
    """The event or record that `encode` made these bytes of, upcast when its version is an old one.

    Raises UnknownVersionError or UndecodableError.
    """
    try:
        if version == _current(kind):
            return _exactly(kind, body)
        values: Body = msgspec.json.decode(body)
        while version != _current(kind):
            step = UPCASTERS.get((kind, version))
            if step is None:
                raise UnknownVersionError(f"{kind} version {version}")
            kind, version, values = step(values)
        return _decoder(kind).decode(_encoder.encode(values | {"type": kind}))
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise UndecodableError(f"{kind} version {version}: {error}") from error


def _exactly(kind: str, body: bytes) -> Event | Record:
    item = _decoder(kind).decode(body)
    if _encoder.encode(item) != body:
        raise UndecodableError(f"{kind}: holds what this version does not know, or is not in canonical form")
    return item


@cache
def _state_decoder() -> msgspec.json.Decoder[Table]:
    return msgspec.json.Decoder(Table)


def encode_state(state: Table) -> bytes:
    """The canonical bytes of a state of version `STATE_VERSION`."""
    return _encoder.encode(state)


def decode_state(version: int, state: bytes) -> Table:
    """The state that `encode_state` of that version made these bytes of, as one of today's version.

    Raises UnknownVersionError (newer, or an old one that nobody has taught us) or UndecodableError.
    """
    try:
        if version != STATE_VERSION:
            state = _upcast_state(version, state)
        table = _state_decoder().decode(state)
        if _encoder.encode(table) != state:
            raise UndecodableError(f"state version {version}: holds unknown fields, or is not in canonical form")
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise UndecodableError(f"state version {version}: {error}") from error
    return table


def _upcast_state(version: int, state: bytes) -> bytes:
    values: Body = msgspec.json.decode(state)
    while version != STATE_VERSION:
        step = STATE_UPCASTERS.get(version)
        if step is None:
            raise UnknownVersionError(f"state version {version}")
        values = step(values)
        version += 1
    # Back and forth once through the type, so that the result is canonical whatever order the steps leave.
    return _encoder.encode(msgspec.convert(values, Table))
