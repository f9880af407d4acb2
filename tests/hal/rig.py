"""A rig for conditioning: feeds edges, wakes when asked, and checks on every step what every source promises."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from hypothesis import strategies as st

from hal.conditioning import Button, Line, Sense, Slot, Source
from hal.debounce import MS, Timing
from hal.lock_key import Key
from hal.port import Signal, Stamp

BOOT = 3
TIMING = Timing()
US = 1_000


def at(ns: int) -> Stamp:
    """A stamp of the rig's boot."""
    return Stamp(BOOT, ns)


class Edge(NamedTuple):
    """`line` goes to `level` at `at`."""

    at: int
    line: str
    level: bool


class Rig:
    """One source under test."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.signals: list[Signal] = []

    def feed(self, edges: Iterable[Edge], rest: int = 20_000 * MS) -> list[Signal]:
        """Feed `edges`, waking in between as asked, then let `rest` nanoseconds pass. Returns all signals."""
        last = self.source.complete_to
        for edge in edges:
            self.pass_to(edge.at - 1)
            self.source.edge(edge.line, edge.at, edge.level)
            self.advance(edge.at)
            last = edge.at
        self.pass_to(last + rest)
        assert self.source.complete_to == last + rest, "something is still pending though nothing happens"
        return self.signals

    def pass_to(self, now: int) -> None:
        """Let time pass, waking when the source asks."""
        woken = 0
        while (wake := self.source.wake) is not None and wake <= now:
            self.advance(wake)
            woken += 1
            assert woken < 100, "the source asks to be woken again and again"
        self.advance(now)

    def advance(self, now: int) -> None:
        """One step. Signals come in the order of their stamps, and none where the source was complete (2.8)."""
        promised = self.source.complete_to
        told = self.source.advance(now)
        stamps = [signal.at.ns for signal in told]
        assert all(stamp > promised for stamp in stamps), "CompleteTo lied"
        assert stamps == sorted(stamps)
        assert all(stamp <= self.source.complete_to for stamp in stamps)
        assert promised <= self.source.complete_to <= max(now, promised)
        self.source.promise(self.source.complete_to)
        self.signals += told

    def of(self, kind: type) -> list[Signal]:
        """The signals of one kind so far."""
        return [signal for signal in self.signals if isinstance(signal, kind)]


def button(pressed: bool = False) -> Rig:
    """A credits seat: its button and its lamp's sensor."""
    return _seat(Button(5, BOOT, pressed, 0, TIMING))


def slot(broken: bool = False, value: int = 500) -> Rig:
    """A chips seat: its slot and its lamp's sensor."""
    return _seat(Slot(5, BOOT, broken, 0, TIMING, value))


def key(*, opened: bool = False, locked: bool = True) -> Rig:
    """The lock key."""
    lock = Key(BOOT, {"open": opened, "locked": locked}, 0, TIMING)
    return Rig(Source(0, BOOT, {"open": lock.contact("open"), "locked": lock.contact("locked")}, 0))


def _seat(acceptor: Line) -> Rig:
    return Rig(Source(5, BOOT, {"acceptor": acceptor, "current": Sense(5, BOOT, False, TIMING)}, 0))


stays = st.integers(1, TIMING.settle - 1)
"""How long a bouncing contact may stay where it is: never at rest."""

spikes = st.integers(1, 1 * MS)
"""Static on a line lasts a millisecond at most."""

bounces = st.lists(st.tuples(stays, stays), max_size=4)
"""A bounce train: how long the level is held, and left again. At most 40 ms in all."""


def going(line: str, start: int, level: bool, train: list[tuple[int, int]]) -> list[Edge]:
    """A contact goes to `level` at `start`, and bounces as `train` says."""
    edges = [Edge(start, line, level)]
    for held, left in train:
        edges.append(Edge(edges[-1].at + held, line, not level))
        edges.append(Edge(edges[-1].at + left, line, level))
    return edges


@st.composite
def wild_edges(draw: st.DrawFn, lines: tuple[str, ...]) -> list[Edge]:
    """Anything at all, in the order of time: chatter, equal edges, long silences."""
    gaps = st.one_of(st.integers(0, 8 * MS), st.integers(0, 200 * MS), st.integers(0, 12_000 * MS))
    moves = draw(st.lists(st.tuples(gaps, st.sampled_from(lines), st.booleans()), max_size=40))
    edges, now = [], 1
    for gap, line, level in moves:
        now += gap
        edges.append(Edge(now, line, level))
    return edges
