"""Bytes that outlive the program: golden lines, upcasters, and the hash rule computed a second time."""

from __future__ import annotations

from hashlib import sha256
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from controller.core.events import KINDS, CreditsLoaded
from controller.core.state import STATE_VERSION, Table
from controller.journal import codec
from controller.journal.chain import Link, entry_hash, netstrings, origin, snapshot_hash
from controller.journal.codec import RECORDS, UndecodableError, UnknownVersionError, decode, decode_state, encode
from controller.journal.wall import read_wall, wall
from tests.engine.journal_golden import STATE, Line, kept, todays
from tests.engine.journals import states

ADVICE = (
    "the bytes of {key} changed. What is in a released journal cannot change: raise its VERSION (or STATE_VERSION), "
    "register an upcaster in controller/journal/codec.py, and run `python -m tests.engine.journal_golden`"
)
GOLDEN = kept()


def test_every_kind_has_its_golden_lines() -> None:
    have = {line.key for line in GOLDEN}
    missing = [line.key for line in todays() if line.key not in have]
    assert not missing, "run `python -m tests.engine.journal_golden` and commit what it adds"


def test_the_bytes_of_what_is_written_today_are_the_golden_ones() -> None:
    golden = {line.key: line.body for line in GOLDEN}
    for line in todays():
        assert golden.get(line.key, line.body) == line.body, ADVICE.format(key=line.key)


@pytest.mark.parametrize("line", GOLDEN, ids=lambda line: "-".join(map(str, line.key)))
def test_every_version_ever_written_can_be_read(line: Line) -> None:
    body = line.body.encode()
    if line.kind == STATE:
        assert isinstance(decode_state(line.version, body), Table)
        return
    item = decode(line.kind, line.version, body)
    known = KINDS.get(line.kind) or RECORDS.get(line.kind)
    if known is not None and line.version == known.VERSION:
        assert encode(item) == (line.kind, line.version, body)


def test_every_older_state_version_can_be_converted() -> None:
    """Snapshots of an older version are ignored, but opening balances must be understood for ever."""
    assert set(codec.STATE_UPCASTERS) == set(range(1, STATE_VERSION))
    assert all(KINDS.get(kind, RECORDS.get(kind)) is not None for kind, _ in codec.UPCASTERS if kind in KINDS)


# --- old versions ----------------------------------------------------------------------------------------


@pytest.fixture
def invented(monkeypatch: pytest.MonkeyPatch) -> None:
    """An event that was called CreditsBought, whose `by` became `count` in version 2, and was renamed after."""

    def counted(old: dict[str, Any]) -> tuple[str, int, dict[str, Any]]:
        new = {name: value for name, value in old.items() if name != "by"}
        return "CreditsBought", 2, {**new, "count": old["by"]}

    def renamed(old: dict[str, Any]) -> tuple[str, int, dict[str, Any]]:
        return "CreditsLoaded", 1, old

    monkeypatch.setitem(codec.UPCASTERS, ("CreditsBought", 1), counted)
    monkeypatch.setitem(codec.UPCASTERS, ("CreditsBought", 2), renamed)


@pytest.mark.usefixtures("invented")
def test_old_versions_are_read_as_todays() -> None:
    todays_event = CreditsLoaded(seat=2, count=5, credits=9)
    first = b'{"type":"CreditsBought","seat":2,"by":5,"credits":9}'
    second = b'{"type":"CreditsBought","seat":2,"count":5,"credits":9}'
    assert decode("CreditsBought", 1, first) == todays_event
    assert decode("CreditsBought", 2, second) == todays_event
    with pytest.raises(UnknownVersionError, match="CreditsBought version 3"):
        decode("CreditsBought", 3, second)


@pytest.mark.usefixtures("invented")
def test_an_old_version_that_does_not_fit_is_undecodable() -> None:
    with pytest.raises(UndecodableError, match="CreditsLoaded"):
        decode("CreditsBought", 1, b'{"type":"CreditsBought","seat":"two","by":5,"credits":9}')


def test_opening_balances_of_an_old_state_version_are_converted(monkeypatch: pytest.MonkeyPatch) -> None:
    (state,) = states(0)
    old = msgspec.json.decode(codec.encode_state(state))
    old["lock"] = old.pop("key")

    def renamed(values: dict[str, Any]) -> dict[str, Any]:
        return {("key" if name == "lock" else name): value for name, value in values.items()}

    monkeypatch.setitem(codec.STATE_UPCASTERS, 0, renamed)
    assert decode_state(0, msgspec.json.encode(old)) == state
    with pytest.raises(UnknownVersionError):
        decode_state(STATE_VERSION + 1, msgspec.json.encode(old))


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"[]",
        b"\xff\xfe",
        b'{"type":"BetChanged","seat":1,"count":1,"credits":1}',
        b'{"type":"CreditsLoaded","seat":1,"count":1.5,"credits":1}',
        b'{"type":"CreditsLoaded","seat":1,"count":1,"credits":1 }',
        b'{"type":"CreditsLoaded","seat":1,"count":2,"count":1,"credits":1}',
        b'{"type":"CreditsLoaded","seat":1,"count":1,"credits":1,"more":1}',
    ],
)
def test_bytes_that_are_not_canonical_are_refused(body: bytes) -> None:
    with pytest.raises(UndecodableError):
        decode("CreditsLoaded", 1, body)


# --- hashes ----------------------------------------------------------------------------------------------


def test_the_hash_rule_as_the_document_gives_it() -> None:
    """Computed here from docs/journal.md, not from the code."""
    previous = sha256(b"12:pozo journal,6:draw-1,1:1,0:,").digest()
    assert origin("draw-1", 1, b"") == previous
    text = b"1:1,24:2025-03-01T20:15:00.250Z,11:TableOpened,1:1,2:{},"
    digest = sha256(previous + text).digest()
    assert entry_hash(previous, 1, "2025-03-01T20:15:00.250Z", "TableOpened", 1, b"{}") == digest
    snapshot = sha256(b"13:pozo snapshot,32:" + digest + b",1:1,1:1,2:{},").digest()
    assert snapshot_hash(Link(1, digest), 1, b"{}") == snapshot


@given(st.lists(st.binary(max_size=5)), st.lists(st.binary(max_size=5)))
def test_different_fields_never_give_the_same_bytes(one: list[bytes], other: list[bytes]) -> None:
    assert (netstrings(*one) == netstrings(*other)) == (one == other)


# --- times -----------------------------------------------------------------------------------------------


@given(st.datetimes(timezones=st.timezones()), st.booleans())
def test_times_are_utc_and_say_whether_the_clock_was_right(now: Any, synchronised: bool) -> None:
    text = wall(now, synchronised)
    assert text.endswith("Z" if synchronised else "Z?")
    read, right = read_wall(text)
    assert right == synchronised
    assert abs((read - now).total_seconds()) < 1
