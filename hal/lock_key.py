"""The lock key: two contacts that must agree, and the instant at which betting ends (rules 2.8)."""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Mapping
from typing import Literal

from hal.conditioning import Fact, Line
from hal.debounce import Change, Debounce, Spike, Timing
from hal.port import KeyFound, KeyTurned, PartFailed, PartMended, Stamp

Contact = Literal["open", "locked"]
"""The lock key's two contacts, one made in each position."""


class Key:
    """The lock key (rules 2.8): ``locked`` dates from the first instant that the open contact broke.

    Both contacts or neither for more than 50 ms counts as locked, so a broken wire locks the table. It does not
    open by mending the wire: opening takes a fresh turn from a locked position that was properly seen (2.9).
    """

    def __init__(self, boot: int, made: Mapping[Contact, bool], at: int, timing: Timing) -> None:
        self._boot, self._timing = boot, timing
        self._contacts = {name: Debounce(level, timing) for name, level in made.items()}
        self._made = dict(made)
        self._changes: list[tuple[int, Contact, bool]] = []
        self.position: Literal["open", "locked"] = "open" if made["open"] and not made["locked"] else "locked"
        self._fresh = made["locked"] and not made["open"]
        """A proper locked position was seen since the key was last open."""
        self._broke = at
        self._odd_since = at if made["open"] == made["locked"] else None
        self._disagree = False

    def found(self, at: int) -> list[KeyFound | PartMended]:
        """Where the key stands at the start (rules 8.3), and that its contacts agree, if they do."""
        stamp = Stamp(self._boot, at)
        agree = [] if self._odd_since is not None else [PartMended(0, "key", stamp)]
        return [KeyFound(self.position, stamp), *agree]

    def contact(self, name: Contact) -> Line:
        """One of the two contacts, as a line of the source 0."""
        return _KeyContact(self, name)

    def raw(self, name: Contact) -> bool:
        """The level of a contact's last edge."""
        return self._contacts[name].raw

    @property
    def wake(self) -> int | None:
        """When a contact settles, or the two have disagreed for too long."""
        pending = [contact.wake for contact in self._contacts.values() if contact.wake is not None]
        if pending:
            return min(pending)
        in_transit = self._odd_since is not None and not self._disagree
        return self._odd_since + self._timing.travel + 1 if in_transit and self._odd_since is not None else None

    def edge(self, name: Contact, at: int, level: bool) -> list[Fact]:
        """A contact was made (True) or broke."""
        told = self.advance(at)
        self._note(name, self._contacts[name].edge(at, level))
        return told

    def advance(self, now: int) -> list[Fact]:
        """Turns decided, a disagreement found. Changes of the two contacts are taken in the order of stamps."""
        for name, contact in self._contacts.items():
            self._note(name, contact.advance(now))
        certain = self._certain(now)
        told: list[Fact] = []
        while self._changes and self._changes[0][0] <= certain:
            at, name, level = heapq.heappop(self._changes)
            told += self._disagreed(at)
            told += self._moved(name, at, level)
        return told + self._disagreed(certain)

    def complete_to(self, now: int) -> int:
        """Held back by a contact that still bounces, and by a key in travel."""
        certain = self._certain(now)
        travelling = self._odd_since is not None and not self._disagree
        return min(certain, self._odd_since - 1) if travelling and self._odd_since is not None else certain

    def _note(self, name: Contact, decided: Iterable[Change | Spike]) -> None:
        for what in decided:
            if isinstance(what, Change):
                heapq.heappush(self._changes, (what.at, name, what.level))

    def _certain(self, now: int) -> int:
        return min([now, *(c.first - 1 for c in self._contacts.values() if c.first is not None)])

    def _moved(self, name: Contact, at: int, level: bool) -> list[Fact]:
        self._made[name] = level
        if name == "open" and not level:
            self._broke = at
        if self._made["open"] == self._made["locked"]:
            self._odd_since = at if self._odd_since is None else self._odd_since
            return []
        told: list[Fact] = []
        if self._disagree:
            told.append(PartMended(0, "key", Stamp(self._boot, at)))
        self._odd_since, self._disagree = None, False
        if self._made["locked"]:
            self._fresh = True
            told += self._turned("locked", self._broke)
        elif self._fresh:
            self._fresh = False
            told += self._turned("open", at)
        return told

    def _disagreed(self, until: int) -> list[Fact]:
        if self._odd_since is None or self._disagree or until <= self._odd_since + self._timing.travel:
            return []
        self._disagree = True
        failed = PartFailed(0, "key", Stamp(self._boot, self._odd_since + self._timing.travel))
        return [*self._turned("locked", self._odd_since), failed]

    def _turned(self, position: Literal["open", "locked"], at: int) -> list[Fact]:
        if position == self.position:
            return []
        self.position = position
        return [KeyTurned(position, Stamp(self._boot, at))]


class _KeyContact:
    """One contact of the key; what it tells, the key tells."""

    def __init__(self, key: Key, name: Contact) -> None:
        self._key, self._name = key, name

    @property
    def raw(self) -> bool:
        return self._key.raw(self._name)

    @property
    def wake(self) -> int | None:
        return self._key.wake

    def edge(self, at: int, level: bool) -> list[Fact]:
        return self._key.edge(self._name, at, level)

    def advance(self, now: int) -> list[Fact]:
        return self._key.advance(now)

    def complete_to(self, now: int) -> int:
        return self._key.complete_to(now)
