"""`make hil`: pozo as it is installed, on a real kernel, with hands, electricity and power cuts (docs/bench.md).

    python -m tests.hil [--short | --long] [--or-skip] [--only PART ...] [--json FILE]

Builds what is not in the cache, plays the parts on machines side by side, prints what was found, and exits 1 when
anything is not as it must be, 3 when the bench cannot be had here, which is said loudly; 0 then with ``--or-skip``.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import sys
import threading
import time
import traceback
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from queue import Empty, SimpleQueue
from tempfile import TemporaryDirectory
from typing import NamedTuple

from tests.hil import cuts, serial_line
from tests.hil.guest.report import Finding, all_told, told
from tests.hil.image import CannotBeHadError, say
from tests.hil.installed import HARNESS_PYTHON, READY, Ready, ready
from tests.hil.machine import MachineError

Found = Callable[[Finding], None]

WORKERS = min(4, os.cpu_count() or 1)
"""Machines side by side: each keeps one processor of the host busy."""

WITHIN_S = 1800
"""Seconds that a part may take on a slow host."""


class Part(NamedTuple):
    """One part of the bench: what it is called, and what plays it with a folder of its own. One that measures real
    time is played `alone`, before the others."""

    name: str
    play: Callable[[Ready, Path, Found], None]
    alone: bool = False


def in_machine(name: str, *words: str, virtual: bool) -> Part:
    """A part that is a module of ``tests.hil.guest``, run in a machine of its own."""

    def play(made: Ready, folder: Path, found: Found) -> None:
        machine = made.machine(folder, virtual=virtual)
        heard, count = 0, None
        try:
            machine.on(READY)
            command = f"cd /srv/pozo && exec {HARNESS_PYTHON} -m tests.hil.guest.{' '.join(words)}"
            for line in machine.stream("sh", "-c", command, within=WITHIN_S):
                if isinstance(line, int):
                    if line or heard != count:
                        found(Finding("ends in order", False, f"exit {line}, {heard} findings of {count}"))
                elif (finding := told(line)) is not None:
                    found(finding)
                    heard += 1
                elif (all_of_them := all_told(line)) is not None:
                    count = all_of_them
                else:
                    say(f"{name}: {line}")
        finally:
            machine.cut()

    return Part(name, play)


SHORT = (Part("cut", partial(cuts.play, cuts=1)), in_machine("round", "round", virtual=True))
FULL = (
    in_machine("durable", "figures", "durable", virtual=False)._replace(alone=True),
    in_machine("faults", "faults", virtual=True),
    Part("cuts", cuts.play),
    in_machine("many", "figures", "virtual", "chips", "rubbish-buttons", "rubbish-sensors", virtual=True),
    in_machine("evenings 1", "evening", "--part", "1/2", virtual=True),
    in_machine("evenings 2", "evening", "--part", "2/2", virtual=True),
    in_machine("figures", "figures", "virtual", "latency", "seal-credits", "seal-chips", "idle", virtual=True),
    in_machine("unit", "unit", virtual=True),
    in_machine("contract", "contract", virtual=True),
    in_machine("picture", "picture", virtual=True),
    in_machine("doctor", "technician", virtual=True),
    Part("serial line", serial_line.play),
    in_machine("round", "round", virtual=True),
)
"""What takes longest comes first, so that all machines have done at the same time."""

LONG = (*FULL, in_machine("upgrade", "upgrade", virtual=True))


class Row(NamedTuple):
    """A finding, and the part that made it."""

    part: str
    finding: Finding


def play(parts: Sequence[Part], made: Ready, workers: int) -> list[Row]:
    """Play all parts; what they found, in the order of parts. If this is ended, so are they: their machines end with
    the threads that have switched them on."""
    with TemporaryDirectory(prefix="pozo-hil-", ignore_cleanup_errors=True) as folder:
        return _play(parts, made, workers, Path(folder))


def _play(parts: Sequence[Part], made: Ready, workers: int, folder: Path) -> list[Row]:
    waiting: SimpleQueue[Part] = SimpleQueue()
    rows: dict[str, list[Row]] = {part.name: [] for part in parts}
    for part in parts:
        if part.alone:
            _play_one(part, made, folder, rows[part.name])
        else:
            waiting.put(part)

    def work() -> None:
        while True:
            try:
                part = waiting.get_nowait()
            except Empty:
                return
            _play_one(part, made, folder, rows[part.name])

    threads = [threading.Thread(target=work, name=f"bench {n}", daemon=True) for n in range(workers)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for part in parts:
        if not rows[part.name]:
            rows[part.name].append(Row(part.name, Finding("something is found", False, "the part told nothing")))
    return [row for part in parts for row in rows[part.name]]


def _play_one(part: Part, made: Ready, room: Path, rows: list[Row]) -> None:
    began = time.monotonic()

    def found(finding: Finding) -> None:
        rows.append(Row(part.name, finding))
        if not finding.ok:
            say(f"{part.name}: NOT {finding.name}: {finding.detail}")

    folder = room / part.name.replace(" ", "-")
    folder.mkdir()
    try:
        part.play(made, folder, found)
    except MachineError as error:
        found(Finding("the machine goes on", False, str(error)))
    except Exception:
        found(Finding("the bench goes on", False, traceback.format_exc()))
    shutil.rmtree(folder, ignore_errors=True)
    say(f"{part.name}: {len(rows)} findings in {time.monotonic() - began:.0f} s")


def table(rows: Sequence[Row]) -> str:
    """What was found, for people."""
    lines = []
    for row in rows:
        finding = row.finding
        figure = "" if finding.figure is None else f"{finding.figure:.4g}  "
        figure = figure if finding.limit is None else f"{finding.figure:.4g} of {finding.limit:.4g}  "
        first = finding.detail.splitlines()[0] if finding.detail else ""
        lines.append(f"{'ok ' if finding.ok else 'NOT'}  {row.part:<10}  {finding.name}  {figure}{first}")
    return "\n".join(lines)


def main(argv: Sequence[str] | None = None) -> int:
    """Play the bench."""
    parser = argparse.ArgumentParser(prog="make hil", description=__doc__.partition("\n")[0])
    which = parser.add_mutually_exclusive_group()
    which.add_argument(
        "--short", dest="parts", action="store_const", const=SHORT, help="one start, round and power cut"
    )
    which.add_argument("--long", dest="parts", action="store_const", const=LONG, help="and upgrades beside a table")
    parser.set_defaults(parts=FULL)
    parser.add_argument("--or-skip", action="store_true", help="where the bench cannot be had, that is no failure")
    parser.add_argument("--only", nargs="+", metavar="PART", help="only these parts", choices=[p.name for p in LONG])
    parser.add_argument("--json", type=Path, metavar="FILE", help="keep what was found")
    parser.add_argument("--workers", type=int, choices=range(1, 9), default=WORKERS, help="machines side by side")
    args = parser.parse_args(argv)
    began = time.monotonic()
    parts = [part for part in LONG if part.name in args.only] if args.only else args.parts
    try:
        made = ready()
    except CannotBeHadError as error:
        print(f"\n*** SKIPPED: THE BENCH WITH A REAL KERNEL CANNOT BE HAD HERE. {error}\n", flush=True)
        return 0 if args.or_skip else 3
    rows = play(parts, made, args.workers)
    print(table(rows))
    bad = sum(not row.finding.ok for row in rows)
    print(f"\n{len(rows) - bad} as it must be, {bad} not; {time.monotonic() - began:.0f} s")
    if args.json:
        args.json.write_text(json.dumps([{"part": row.part, **row.finding._asdict()} for row in rows], indent=1))
    return 1 if bad or not rows else 0


if __name__ == "__main__":
    sys.exit(main())
