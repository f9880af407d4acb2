"""The lock key: betting ends at the first instant that the open contact breaks (rules 2.8)."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from hal.debounce import MS
from hal.lock_key import Key
from hal.port import KeyFound, KeyTurned, PartFailed, PartMended, Signal
from tests.hal.rig import BOOT, TIMING, Edge, at, bounces, going, key, wild_edges

turns = st.lists(st.tuples(st.integers(70 * MS, 5_000 * MS), bounces, st.integers(0, 5 * MS), bounces), max_size=8)
"""Pauses, the contact that breaks bouncing, travel, the one that makes bouncing: 50 ms at most in all."""


def ms(*moves: tuple[int, str, bool]) -> list[Edge]:
    return [Edge(when * MS, line, level) for when, line, level in moves]


@given(turns)
def test_each_turn_counts_once_and_locks_at_the_first_break(
    train: list[tuple[int, list[tuple[int, int]], int, list[tuple[int, int]]]],
) -> None:
    rig = key()
    edges: list[Edge] = []
    expected: list[Signal] = []
    now, position = 0, "locked"
    for pause, breaking, travel, making in train:
        left, position = position, "open" if position == "locked" else "locked"
        start = now + pause
        edges += going(left, start, False, breaking)
        made = edges[-1].at + travel
        edges += going(position, made, True, making)
        now = edges[-1].at
        opened = KeyTurned("open", at(made))
        expected.append(opened if position == "open" else KeyTurned("locked", at(start)))
    rig.feed(sorted(edges))
    assert rig.of(KeyTurned) == expected


def test_a_key_on_its_way_holds_its_source_back() -> None:
    rig = key(opened=True, locked=False)
    rig.source.edge("open", 100 * MS, False)
    rig.pass_to(120 * MS)
    assert rig.source.complete_to == 100 * MS - 1
    rig.source.edge("locked", 121 * MS, True)
    rig.pass_to(126 * MS)
    assert rig.signals == [KeyTurned("locked", at(100 * MS))]
    assert rig.source.complete_to == 126 * MS


def test_a_knock_that_opens_the_contact_for_a_moment_does_not_lock() -> None:
    rig = key(opened=True, locked=False)
    assert rig.feed(ms((100, "open", False), (120, "open", True))) == []


def test_a_key_that_goes_back_and_then_turns_locks_at_the_last_break() -> None:
    rig = key(opened=True, locked=False)
    told = rig.feed(ms((100, "open", False), (120, "open", True), (200, "open", False), (210, "locked", True)))
    assert told == [KeyTurned("locked", at(200 * MS))]


def test_a_wire_that_breaks_locks_and_alarms() -> None:
    rig = key(opened=True, locked=False)
    told = rig.feed(ms((100, "open", False)))
    assert told == [KeyTurned("locked", at(100 * MS)), PartFailed(0, "key", at(150 * MS))]


def test_both_contacts_made_for_long_locks_and_alarms() -> None:
    rig = key(opened=True, locked=False)
    told = rig.feed(ms((100, "locked", True)))
    assert told == [KeyTurned("locked", at(100 * MS)), PartFailed(0, "key", at(150 * MS))]


def test_both_contacts_made_for_a_moment_is_a_turn() -> None:
    rig = key(opened=True, locked=False)
    told = rig.feed(ms((100, "locked", True), (120, "open", False)))
    assert told == [KeyTurned("locked", at(120 * MS))]


def test_mending_the_wire_does_not_open_only_a_fresh_turn_does() -> None:
    rig = key(opened=True, locked=False)
    told = rig.feed(ms((100, "open", False), (900, "open", True)))
    assert told[-1] == PartMended(0, "key", at(900 * MS))
    assert not [signal for signal in told if signal == KeyTurned("open", at(900 * MS))]
    start = 30_000
    turn = ms(
        (start, "open", False), (start + 9, "locked", True), (start + 500, "locked", False), (start + 509, "open", True)
    )
    assert rig.feed(turn)[-1] == KeyTurned("open", at((start + 509) * MS))


def test_a_slow_hand_alarms_and_still_opens() -> None:
    # The locked position was properly left: this is a fresh turn, only a slow one.
    told = key().feed(ms((100, "locked", False), (300, "open", True)))
    assert told == [
        PartFailed(0, "key", at(150 * MS)),
        PartMended(0, "key", at(300 * MS)),
        KeyTurned("open", at(300 * MS)),
    ]


def test_the_position_found_is_locked_unless_it_is_surely_open() -> None:
    for opened in (False, True):
        for locked in (False, True):
            found, *_ = Key(BOOT, {"open": opened, "locked": locked}, 7, TIMING).found(7)
            assert found == KeyFound("open" if (opened, locked) == (True, False) else "locked", at(7))


def test_a_key_found_between_its_positions_needs_a_fresh_turn() -> None:
    told = key(opened=False, locked=False).feed(ms((20, "open", True)))
    assert told == []


@given(wild_edges(("open", "locked")), st.booleans(), st.booleans())
def test_no_train_of_edges_breaks_a_promise(edges: list[Edge], opened: bool, locked: bool) -> None:
    rig = key(opened=opened, locked=locked)
    rig.feed(edges)
    positions = [signal.position for signal in rig.signals if isinstance(signal, KeyTurned)]
    first = "locked" if (opened, locked) == (True, False) else "open"
    other = {"open": "locked", "locked": "open"}
    assert positions == [first if n % 2 == 0 else other[first] for n in range(len(positions))]
