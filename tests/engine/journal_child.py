"""The program that the crash tests interrupt: one evening of a journal, run under ``disk_shim.c``.

    python -m tests.engine.journal_child ROOT log            one whole run, with a log of its calls in ROOT.log
    python -m tests.engine.journal_child ROOT MODE EVERY     a run for each (EVERYth) call, interrupted there

MODE is one of `MODES`. In the log, acknowledgements stand among the calls as ops 'a'. Every run has a directory of
its own, ROOT/MODE-N, and a line of JSON on standard output. Runs are forks of this one process, so that each costs
milliseconds.
"""

from __future__ import annotations

import ctypes
import errno
import itertools
import json
import os
import struct
import sys
from collections.abc import Callable
from pathlib import Path

from controller.journal.errors import JournalFailed
from tests.engine.journals import Run

MODES = {
    "killed-before": -1,
    "killed-after": -2,
    "full": errno.ENOSPC,
    "read-only": errno.EROFS,
    "failing-once": 1000 + errno.EIO,
}


def evening(directory: Path, acknowledge: Callable[[int], None]) -> None:
    """Commits of one and of many, snapshots, checkpoints, a restart, periods closed and pruned, twice in one go."""
    run = Run(directory)
    try:
        acknowledge(0)
        for count in (1, 1, 3, 1, 1):
            acknowledge(run.load(count))
        run.journal.tidy()
        acknowledge(run.load(2))
        run.close_period()
        acknowledge(run.load())
        run.reopen()
        for count in (1, 4, 1):
            acknowledge(run.load(count))
        run.close_period()
        acknowledge(run.load())
        run.journal.prune(1, "2025-03-02T08:00:00.000Z")
        acknowledge(run.load(2))
        run.close_period()
        run.journal.prune(1, "2025-03-03T08:00:00.000Z")
        acknowledge(run.load())
    finally:
        run.journal.close()


BOUNDARIES = tuple(itertools.accumulate((0, 1, 1, 3, 1, 1, 2, 1, 1, 4, 1, 1, 2, 1)))
"""The counts of events at which an evening may be found: whole commits only."""


def _run(directory: Path, number: int, mode: int, log: int) -> dict[str, object]:
    """Run an evening in a fork, interrupted at call `number`, and report how it ended."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        shim = ctypes.CDLL(None)
        shim.pozo_shim_arm(number, mode, log)
        code = 0

        def acknowledge(count: int) -> None:
            os.write(writing, b"a%d " % count)
            if log >= 0:
                os.write(log, struct.pack("=ciqI", b"a", -1, count, 0))

        try:
            evening(directory, acknowledge)
        except JournalFailed as failure:
            os.write(writing, b"f" + str(failure).replace(" ", "_").encode() + b" ")
        except BaseException as error:
            os.write(writing, b"e" + repr(error).replace(" ", "_").encode() + b" ")
            code = 1
        os.write(writing, b"n%d " % shim.pozo_shim_calls())
        os._exit(code)
    os.close(writing)
    with os.fdopen(reading, "rb") as pipe:
        words = pipe.read().decode().split()
    _, status = os.waitpid(child, 0)
    said = {kind: [word[1:] for word in words if word[0] == kind] for kind in "afen"}
    return {
        "directory": str(directory),
        "acknowledged": max(map(int, said["a"]), default=-1),
        "failure": "".join(said["f"]).replace("_", " "),
        "error": "".join(said["e"]).replace("_", " "),
        "calls": int((said["n"] or ["0"])[0]),
        "killed": os.WIFSIGNALED(status),
    }


def main(root: Path, mode: str, every: int = 1) -> None:
    """Print one line of JSON per run."""
    if mode == "log":
        log = os.open(root.with_suffix(".log"), os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        print(json.dumps(_run(root / "log-0", 0, 0, log)))
        return
    calls = int(str(_run(root / "whole-0", 0, 0, -1)["calls"]))
    for number in range(1, calls + 1, every):
        print(json.dumps({"call": number} | _run(root / f"{mode}-{number}", number, MODES[mode], -1)))


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2], *map(int, sys.argv[3:]))
