"""Keeps ``golden/journal.jsonl``: the bytes of every kind and version that was ever journaled, one line each.

    python -m tests.engine.journal_golden            add the lines of kinds and versions that have none
    python -m tests.engine.journal_golden --replace  write today's lines anew (only before the first release)

A released line never changes: a field more is a new version, with an upcaster, and a line of its own. Each kind is
built in its smallest form, with defaults left out, and once for every alternative (each act of a command, say) with
every field filled.
"""

from __future__ import annotations

import enum
import itertools
import sys
import types
import typing
from pathlib import Path
from typing import Any

import msgspec

from controller.core.events import KINDS, Event
from controller.core.state import STATE_VERSION, Table
from controller.journal.codec import RECORDS, Record, encode, encode_state

GOLDEN = Path(__file__).parent / "golden" / "journal.jsonl"
STATE = "state"
"""The kind under which states stand, beside those of events and records."""


class Line(msgspec.Struct, frozen=True):
    """One line: kind, version, which of its forms, and the body as text."""

    kind: str
    version: int
    form: int
    body: str

    @property
    def key(self) -> tuple[str, int, int]:
        return self.kind, self.version, self.form


class _Builder:
    """Values for the fields of any type, the same ones each time. `choice` picks among alternatives."""

    def __init__(self, choice: int | None) -> None:
        self._choice = choice
        self._numbers = itertools.count(1)
        self.alternatives = 1

    def struct(self, kind: type[Any]) -> Any:
        """An instance; without a choice, only the fields that must be given."""
        hints = typing.get_type_hints(kind)
        fields = msgspec.structs.fields(kind)
        return kind(**{f.name: self.value(hints[f.name]) for f in fields if f.required or self._choice is not None})

    def value(self, hint: Any) -> Any:
        """A value of a type."""
        if hint is msgspec.Raw:
            return msgspec.Raw(encode_state(_Builder(self._choice).struct(Table)))
        origin, args = typing.get_origin(hint), typing.get_args(hint)
        if hasattr(hint, "__supertype__"):
            return self.value(hint.__supertype__)
        if origin in (typing.Union, types.UnionType):
            return self._one_of(tuple(arg for arg in args if arg is not type(None)))
        if origin is typing.Literal:
            return args[-1]
        if origin is tuple:
            return tuple(self.value(arg) for arg in args if arg is not Ellipsis)
        if origin is dict:
            return {"b": self.value(args[1]), "a": self.value(args[1])}
        return self._plain(hint)

    def _one_of(self, alternatives: tuple[Any, ...]) -> Any:
        self.alternatives = max(self.alternatives, len(alternatives))
        return self.value(alternatives[(self._choice or 0) % len(alternatives)])

    def _plain(self, hint: Any) -> Any:
        if hint is bool:
            return True
        if hint is int:
            return next(self._numbers)
        if hint is str:
            return f"ñ{next(self._numbers)}"
        if isinstance(hint, enum.EnumType):
            return list(hint)[-1]
        return self.struct(hint)


def _forms(kind: type[Any]) -> list[Any]:
    """An instance of the smallest form, then one for each alternative."""
    probe = _Builder(0)
    first = probe.struct(kind)
    return [_Builder(None).struct(kind), first, *(_Builder(n).struct(kind) for n in range(1, probe.alternatives))]


def todays() -> list[Line]:
    """What this version of the program writes."""
    lines = []
    kinds: dict[str, type[Event] | type[Record]] = {**KINDS, **RECORDS}
    for kind in kinds.values():
        for form, item in enumerate(_forms(kind)):
            name, version, body = encode(item)
            lines.append(Line(name, version, form, body.decode()))
    for form, table in enumerate(_forms(Table)):
        lines.append(Line(STATE, STATE_VERSION, form, encode_state(table).decode()))
    return lines


def kept() -> list[Line]:
    """What stands in the file."""
    if not GOLDEN.exists():
        return []
    return [msgspec.json.decode(line, type=Line) for line in GOLDEN.read_bytes().splitlines()]


def main(replace: bool) -> None:
    """Add today's lines to the file; those that stand there stay, unless they are to be replaced."""
    lines = {} if replace else {line.key: line for line in kept()}
    for line in todays():
        lines.setdefault(line.key, line)
    if replace:
        current = {line.key[:2] for line in lines.values()}
        lines = {line.key: line for line in kept() if line.key[:2] not in current} | lines
    ordered = sorted(lines.values(), key=lambda line: line.key)
    GOLDEN.write_bytes(b"".join(msgspec.json.encode(line) + b"\n" for line in ordered))


if __name__ == "__main__":
    main(replace=sys.argv[1:] == ["--replace"])
