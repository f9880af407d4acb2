"""Hands in a process of their own: they pull lines at instants given beforehand, and tell when they did.

So the table under test does not share its interpreter with whoever plays at it.

    python -m tests.hil.guest.hands < SCHEDULE

The schedule is JSON: ``{"files": [...], "moves": [[offset, file, high], ...]}``, offsets in nanoseconds from a start
that the hands choose. What they print is ``[[before, after], ...]``, the instants (ns of ``CLOCK_MONOTONIC``) around
each pull.

They have no real-time priority: with it gpio-sim now and then holds back an edge for a tenth of a second, as a reader
of nothing but the kernel's own events sees too.
"""

from __future__ import annotations

import asyncio
import gc
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterable
from typing import NamedTuple

from hal.gpio.wiring import Pin
from tests.hil.guest.lines import Lines

LEAD_NS = 20_000_000
"""Before the first move."""


class Move(NamedTuple):
    """`pin` goes to a level, `at` nanoseconds after the start."""

    at: int
    pin: Pin
    high: bool


class Done(NamedTuple):
    """A move that was made: between the instants `before` and `after` (ns)."""

    pin: Pin
    high: bool
    before: int
    after: int


async def play(lines: Lines, moves: Iterable[Move]) -> list[Done]:
    """Make the moves, in the order of time. They leave each line where they found it, or `lines` knows it wrong."""
    moves = sorted(moves)
    pins = sorted({move.pin for move in moves})
    numbers = {pin: number for number, pin in enumerate(pins)}
    asked = {
        "files": [str(lines.pull_file(pin)) for pin in pins],
        "moves": [(move.at, numbers[move.pin], move.high) for move in moves],
    }
    schedule = json.dumps(asked).encode()
    del asked
    gc.collect()  # a course is much to look through, 35 ms: not among the edges of a table that would have none of it
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "tests.hil.guest.hands", stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    out, _ = await process.communicate(schedule)
    assert process.returncode == 0, f"the hands ended with {process.returncode}"
    return [Done(move.pin, move.high, *made) for move, made in zip(moves, json.loads(out), strict=True)]


def main() -> None:
    """Be the hands."""
    asked = json.load(sys.stdin)
    files = [os.open(file, os.O_WRONLY) for file in asked["files"]]
    made = []
    gc.disable()
    start = time.monotonic_ns() + LEAD_NS
    for offset, number, high in asked["moves"]:
        due = start + offset
        while (left := due - time.monotonic_ns()) > 0:
            time.sleep(left / 1e9)
        before = time.monotonic_ns()
        os.pwrite(files[number], b"pull-up" if high else b"pull-down", 0)
        made.append((before, time.monotonic_ns()))
    json.dump(made, sys.stdout)


if __name__ == "__main__":
    main()
