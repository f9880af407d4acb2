"""Crash at every step: whatever interrupts the journal, the next start finds a state that a correct run had, whole
commits only, and nothing that was acknowledged is missing (rules 2.7, 8.3, 8.5).

A child process runs one evening (`journal_child`) and is interrupted before and after every single call that
changes a file. Beside that, the disk images that a power cut could leave are built from the log of such a run.
With POZO_SOAK=1 in the environment every call fails in every way, and many more images are tried.
"""

from __future__ import annotations

import json
import os
import random
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from controller.core.evolve import evolve
from controller.journal.errors import JournalMissing
from controller.journal.verify import verify
from controller.journal.writer import Journal
from tests.engine.disk import Disk, calls, compiled_shim, under_shim
from tests.engine.journal_child import BOUNDARIES
from tests.engine.journals import FIRST, SMALL, WALL, Run, loaded, states

SOAK = os.environ.get("POZO_SOAK") == "1"
CHILD = "tests.engine.journal_child"
STATES = states(BOUNDARIES[-1])


@pytest.fixture(scope="module")
def shim(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return compiled_shim(tmp_path_factory.mktemp("shim"))


@pytest.fixture
def root() -> Iterator[Path]:
    """A directory in memory where there is one: a killed program loses nothing that a disk would keep, and the
    thousands of syncs here would only wear the disk out."""
    memory = Path("/dev/shm")
    usable = memory.is_dir() and os.access(memory, os.W_OK)
    directory = Path(tempfile.mkdtemp(prefix="pozo-crash-", dir=memory if usable else None))
    yield directory / "runs"
    shutil.rmtree(directory)


def check(directory: Path, acknowledged: int, number: int) -> None:
    """What is left in `directory` is what a correct run could have left.

    In every fourth case (every one when soaking) it is also verified to the last byte, and played on.
    """
    try:
        journal = Journal.open(directory, evolve, "draw-1", SMALL)
    except JournalMissing:
        assert acknowledged < 0, "a journal that was acknowledged is gone"
        journal = Journal.create(directory, FIRST, WALL, evolve, SMALL)
    state = journal.recovered.state
    journal.abandon()
    count = loaded(state)
    assert count in BOUNDARIES, "half a commit"
    assert count >= acknowledged, "an acknowledged commit is missing"
    assert count <= next((more for more in BOUNDARIES if more > acknowledged), count), "more than was ever asked for"
    assert state == STATES[count]

    if SOAK or number % 4 == 0:
        report = verify(directory, evolve)
        assert report.damage is None, str(report.damage)
        _play_on(directory)


def _play_on(directory: Path) -> None:
    run = Run(directory, create=False)
    run.load(2)
    run.close_period()
    run.load()
    run.journal.close()
    report = verify(directory, evolve)
    assert report.damage is None, str(report.damage)
    assert not [name for name in os.listdir(directory) if ".tmp" in name or "-wal" in name]


def outcomes(shim: Path, root: Path, *modes: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in under_shim(shim, CHILD, root, *modes)]


@pytest.mark.parametrize("mode", ["killed-before", "killed-after"])
def test_a_program_killed_at_any_call_loses_nothing(shim: Path, root: Path, mode: str) -> None:
    runs = outcomes(shim, root, mode)
    assert len(runs) > 200
    assert all(run["killed"] for run in runs)
    for run in runs:
        check(Path(run["directory"]), run["acknowledged"], run["call"])


@pytest.mark.parametrize("mode", ["full", "read-only", "failing-once"])
def test_8_5_a_disk_that_fails_at_any_call_stops_the_journal_and_loses_nothing(
    shim: Path, root: Path, mode: str
) -> None:
    every = 1 if SOAK else 7
    runs = outcomes(shim, root, mode, str(every))
    assert len(runs) * every > 200
    for run in runs:
        assert not run["error"], run
        assert not run["killed"]
        check(Path(run["directory"]), run["acknowledged"], run["call"])
    assert sum(bool(run["failure"]) for run in runs) > len(runs) * 0.8


@pytest.mark.parametrize("how", ["none", "all", "some"])
def test_a_power_cut_after_any_call_loses_nothing(shim: Path, root: Path, how: str) -> None:
    """`none`: nothing arrived but what was synced; `all`: everything did; `some`: sectors by chance."""
    (run,) = outcomes(shim, root, "log")
    directory = Path(run["directory"])
    disk, acknowledged = Disk(directory), -1
    tries = (20 if SOAK else 1) if how == "some" else 1
    for number, call in enumerate(calls(root.with_suffix(".log").read_bytes())):
        if call.op == "a":
            acknowledged = call.number
            continue
        disk.take(call)
        if call.op == "c":
            continue
        for attempt in range(tries):
            image = root / f"{how}-{number}-{attempt}"
            disk.image(image, how, random.Random(number * 1_000 + attempt))
            check(image, acknowledged, number)
            shutil.rmtree(image)
