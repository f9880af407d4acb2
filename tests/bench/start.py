"""How a table starts and how little it does when nothing happens, as the program that users start."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from statistics import median

from controller.core.evolve import evolve
from controller.journal.writer import Journal
from tests.bench.bed import CHIPS_TABLE, TABLE, WIRED
from tests.bench.journal_fill import fill


def journals(folder: Path, small: int, large: int, count: int) -> dict[str, float]:
    """Medians of opening a journal of `small` and of `large` entries, in turns."""
    sizes = (small, large)
    for size in sizes:
        fill(folder / str(size), size)
    took: dict[int, list[float]] = {small: [], large: []}
    for _ in range(count):
        for size in sizes:
            began = time.perf_counter()
            journal = Journal.open(folder / str(size), evolve)
            took[size].append(time.perf_counter() - began)
            assert journal.seq >= size
            journal.close()
    return {
        "small": median(took[small]),
        "large": median(took[large]),
        "ratio": median(took[large]) / median(took[small]),
    }


RUN = ("-m", "controller.cli")
"""What users start."""
DISPLAYED = ("-m", "tests.bench.displayed")
"""The same, with displays that take every picture."""


@contextmanager
def daemon(folder: Path, table: str = "", program: Sequence[str] = RUN) -> Iterator[tuple[int, float]]:
    """`pozo run` on a `table` in `folder`: its process, and the seconds until it said READY."""
    folder.mkdir(parents=True, exist_ok=True)
    config = folder / "table.toml"
    with tempfile.TemporaryDirectory() as short, socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as notices:
        # The sockets lie elsewhere: their paths may have 107 bytes, and this folder's may be longer.
        sections = f'[journal]\ndirectory = "{folder}/journal"\n[control]\nsocket = "{short}/control"\n'
        config.write_text(f"{table or TABLE.read_text()}\n{sections}")
        address = f"{short}/notify"
        notices.bind(address)
        notices.settimeout(20)
        began = time.perf_counter()
        process = subprocess.Popen(
            [sys.executable, *program, "run", "--config", str(config)],
            env={**os.environ, "NOTIFY_SOCKET": address},
        )
        try:
            while b"READY=1" not in notices.recv(4096):
                pass
            yield process.pid, time.perf_counter() - began
        finally:
            process.send_signal(signal.SIGTERM)
            assert process.wait(20) == 0


def ready(folder: Path, count: int) -> dict[str, float]:
    """Medians of `pozo run` to READY, and of a bare Python that imports what it stands on, in turns; resident MB."""
    ours, bare, resident = [], [], 0.0
    for n in range(count):
        with daemon(folder / str(n)) as (pid, took):
            ours.append(took)
            time.sleep(0.5)
            resident = max(resident, status(pid, "VmRSS") / 1024)
        began = time.perf_counter()
        subprocess.run([sys.executable, "-c", "import asyncio, sqlite3, msgspec"], check=True)
        bare.append(time.perf_counter() - began)
    return {"ours": median(ours), "bare": median(bare), "ratio": median(ours) / median(bare), "resident": resident}


def displayed(folder: Path) -> dict[str, float]:
    """Resident MB of a table on the header, on gpiozero's mock, with every display of the example: once all of them
    have drawn, and once none can be reached."""
    money = CHIPS_TABLE.read_text().partition("[hal]")[0]
    table = money + WIRED.read_text().replace('factory = "lgpio"', 'factory = "mock"')
    figures = {}
    for name, program in (("drawing", DISPLAYED), ("failing", RUN)):
        with daemon(folder / name, table, program) as (pid, _):
            time.sleep(3)
            figures[name] = status(pid, "VmRSS") / 1024
    return figures


def idle(folder: Path, seconds: float) -> dict[str, float]:
    """How often a table without clients wakes in a second, all its threads together, when nothing happens."""
    with daemon(folder) as (pid, _):
        time.sleep(8)  # the background verification has come and gone
        before = _wakes(pid)
        time.sleep(seconds)
        return {"wakes": (_wakes(pid) - before) / seconds}


def _wakes(pid: int) -> int:
    tasks = Path(f"/proc/{pid}/task").iterdir()
    return sum(status(pid, "voluntary_ctxt_switches", task.name) for task in tasks)


def status(pid: int, name: str, task: str = "") -> int:
    """A number of /proc/PID/status, in its own unit (kB for memory)."""
    place = f"/proc/{pid}/task/{task}/status" if task else f"/proc/{pid}/status"
    line = next(line for line in Path(place).read_text().splitlines() if line.startswith(name + ":"))
    return int(line.split()[1])
