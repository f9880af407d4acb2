"""`make bench`: speed, as ratios to what the machine itself can do, in one run on one real disk.

    python -m tests.bench [--folder DIR] [--quick] [--json FILE]

Prints a table with the absolute times, keeps it as JSON, and exits 1 when a limit is missed.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import platform
import sqlite3
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

from tests.bench import bets, odds, ranking, rules, simulation, start
from tests.bench.bed import NoDiskError, refuse_memory


class Row(NamedTuple):
    """One figure against its limit. `detail` gives the absolute times."""

    name: str
    figure: float
    limit: float
    unit: str
    detail: str

    @property
    def held(self) -> bool:
        return self.figure <= self.limit


def ms(seconds: float) -> str:
    """A time for people."""
    return f"{seconds * 1e3:.3f} ms" if seconds >= 1e-4 else f"{seconds * 1e6:.1f} µs"


def measure(folder: Path, quick: bool) -> list[Row]:
    """All figures. `quick` takes fewer samples, for a first look."""
    rows = []
    n = 100 if quick else 1_000

    def sub(name: str) -> Path:
        (folder / name).mkdir()
        return folder / name

    r = asyncio.run(bets.one_bet(sub("bet"), n, 0))
    detail = f"{ms(r['ours'])}, bare commit {ms(r['bare'])}"
    rows.append(Row("bet, signal to panel / bare commit", r["ratio"], 2.5, "×", detail))
    r = asyncio.run(bets.one_bet(sub("slow"), n // 5, 0.005))
    detail = f"{ms(r['ours'])}, bare commit {ms(r['bare'])}"
    rows.append(Row("the same, 5 ms added to every commit", r["ratio"], 1.1, "×", detail))
    r = asyncio.run(bets.stalled_disk(sub("stall")))
    rows.append(Row("3 s stall of the disk: lag of the loop", r["lag"] * 1e3, 50, "ms", ""))
    rows.append(Row("3 s stall of the disk: false faults", r["faults"], 0, "", ""))
    rows.append(Row("3 s stall of the disk: bets lost", r["lost"], 0, "", ""))
    r = asyncio.run(bets.all_at_once(sub("seven")))
    rows.append(Row("seven seats at once: commits to the bets", r["commits"], 2, "", "the most of 20 times"))
    r = rules.one_input(5_000 if quick else 20_000)
    detail = f"{ms(r['ours'])}, encoding and SHA-256 {ms(r['least'])}"
    rows.append(Row("core, one input / its event's encoding", r["ratio"], 40, "×", detail))
    r = simulation.rounds(500 if quick else 3_000)
    detail = f"{ms(r['ours'])} of {r['inputs']:.0f} inputs, encoding and SHA-256 {ms(r['least'])}"
    rows.append(Row("a simulated round / one event's encoding", r["ratio"], 1_500, "×", detail))
    r = ranking.five_cards(5 if quick else 30)
    detail = f"{ms(r['ours'])}, treys {ms(r['theirs'])}; tables in {ms(r['build'])}, treys {ms(r['their_build'])}"
    rows.append(Row("ranking five cards / treys", r["ratio"], 1, "×", detail))
    large = 50_000 if quick else 1_000_000
    r = start.journals(sub("journals"), 1_000, large, 5 if quick else 15)
    detail = f"{ms(r['large'])} with {large} entries, {ms(r['small'])} with 1000"
    rows.append(Row("start on a long journal / on a short one", r["ratio"], 1.3, "×", detail))
    r = start.ready(sub("ready"), 5 if quick else 15)
    detail = f"{ms(r['ours'])}, python and imports {ms(r['bare'])}"
    rows.append(Row("pozo run to READY / python with imports", r["ratio"], 3, "×", detail))
    rows.append(Row("pozo run, resident", r["resident"], 45, "MB", ""))
    r = start.displayed(sub("displayed"))
    detail = f"{r['failing']:.1f} MB when none of them can be reached"
    rows.append(Row("pozo run on the header with its displays, resident", r["drawing"], 60, "MB", detail))
    r = start.idle(sub("idle"), 10 if quick else 30)
    rows.append(Row("idle, wake-ups a second", r["wakes"], 1, "/s", ""))
    r = odds.seconds(3 if quick else 9)
    detail = ", ".join(f"{table} {ms(took)}" for table, took in r.items())
    rows.append(Row("pozo odds, without a picture", max(r.values()), 1, "s", detail))
    return rows


def main() -> int:
    """Measure, print, keep."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench")
    parser.add_argument("--folder", type=Path, default=Path.cwd(), help="where the disk is that is measured")
    parser.add_argument("--json", type=Path, default=Path("bench-latest.json"), help="where the figures are kept")
    parser.add_argument("--quick", action="store_true", help="fewer samples")
    args = parser.parse_args()
    try:
        kind = refuse_memory(args.folder.resolve())
    except NoDiskError as error:
        print(error, file=sys.stderr)
        return 2
    with tempfile.TemporaryDirectory(prefix="bench-", dir=args.folder) as folder:
        rows = measure(Path(folder), args.quick)
    width = max(len(row.name) for row in rows)
    print(f"Python {platform.python_version()}, SQLite {sqlite3.sqlite_version}, {os.cpu_count()} CPUs, {kind}")
    for row in rows:
        mark = "ok  " if row.held else "MISS"
        print(f"{mark} {row.name:{width}} {row.figure:9.2f} {row.unit:2} (limit {row.limit:g})  {row.detail}")
    report = {"python": platform.python_version(), "filesystem": kind, "rows": [row._asdict() for row in rows]}
    args.json.write_text(json.dumps(report, indent=2) + "\n")
    return 0 if all(row.held for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
