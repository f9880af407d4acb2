"""What the engine hands to people's interfaces: what was committed, and how a command ended."""

from __future__ import annotations

from msgspec import Struct

from controller.core.events import Event
from controller.core.refusals import Refusal
from controller.core.state import Table


class Published(Struct, frozen=True):
    """One commit: the state after it, and its journal entries with their sequence numbers, in order.

    `refusals` are what players' acts were refused, by seat; refused commands answer to whoever gave them.
    `stopped` is why the engine no longer decides (rules 8.5), empty while it runs; with it `entries` may be
    empty, and `state` is the last durable one.
    """

    state: Table
    entries: tuple[tuple[int, Event], ...]
    stopped: str
    refusals: tuple[tuple[int, Refusal], ...] = ()


class Outcome(Struct, frozen=True):
    """How a command ended: refused, or done (`refusal` is None). `seq` is the last entry of its commit, `events` are
    those of its own."""

    refusal: Refusal | None
    seq: int
    events: tuple[Event, ...] = ()
