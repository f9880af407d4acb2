"""How long a manager waits for the odds of a table, as the program that is started."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path
from statistics import median

EXAMPLES = Path(__file__).parents[2] / "examples" / "tables"


def seconds(count: int) -> dict[str, float]:
    """Medians of `pozo odds`, without a picture, at every kind of deal that the examples have; the slowest of them."""
    took = {}
    for table in ("draw-1", "texas-1", "caribbean-1", "go-1"):
        command = [sys.executable, "-m", "controller.cli", "odds", str(EXAMPLES / f"{table}.toml")]
        runs = []
        for _ in range(count):
            began = time.perf_counter()
            subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
            runs.append(time.perf_counter() - began)
        took[table] = median(runs)
    return took
