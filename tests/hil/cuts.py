"""Power cuts: the machine goes dark at a random moment, with what its disk had not yet written, and comes back.

The journal is on a disk of its own, served by nbdkit with a cache that is written back when it is told to flush. A cut
kills the machine *and* that cache: what was not flushed is gone, as from a card that loses its supply. The machine then
is as it was before that disk was plugged in, and the disk as it was left: its file system recovers, systemd starts the
table, and the table must know everything that it had acknowledged (``tests.hil.guest.dark`` plays and examines).

The last start is a cold one: the whole machine boots. And so that this is known to find what is lost: a disk that only
says that it has written what it was told to flush must be found out.
"""

from __future__ import annotations

import json
import os
import subprocess
import threading
import time
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any, Literal

from tests.hil.guest import dark
from tests.hil.guest.report import Finding, told
from tests.hil.image import say
from tests.hil.installed import HARNESS_PYTHON, READY, Ready
from tests.hil.machine import MachineError

Found = Callable[[Finding], None]

CUTS = 20
SIZE_MB = 64
SEED = 1
WHY = "systemctl status --no-pager -l pozo@bench; journalctl --no-pager -n 30; ps axo pid,stat,wchan:30,args | tail -40"
"""What is asked of a machine in which an evening does not begin."""

LYING = 101
"""The number of the evening on the disk that lies."""
PLAYED_S = 2.5
"""The power is cut up to so many seconds after play has begun; every fourth time after the table was told to start."""

PREPARED = "prepared"

DARK = f"cd /srv/pozo && exec {HARNESS_PYTHON} -m tests.hil.guest.dark"
BEGIN = f"echo {{}} > {dark.ASKED} && exec cat {dark.SAID}"
"""An evening begins at once where the harness waits for it (`Evenings.prepare`)."""


Cache = Literal["writeback", "unsafe"]
"""Written when it is told to flush, or then neither."""


class Disk:
    """The journal's disk, with a cache of its own."""

    def __init__(self, folder: Path, cache: Cache = "writeback") -> None:
        self._file, self._socket = folder / "journal.disk", folder / "journal.sock"
        self._cache = cache
        self._process: subprocess.Popen[bytes] | None = None
        with self._file.open("wb") as file:
            file.truncate(SIZE_MB << 20)
        path = f"{os.environ.get('PATH', '')}:/usr/sbin:/sbin"
        make = ["mke2fs", "-q", "-t", "ext4", "-L", "journal", str(self._file)]
        subprocess.run(make, check=True, env={**os.environ, "PATH": path})

    def on(self) -> str:
        """Serve it; where. Raises MachineError."""
        self._socket.unlink(missing_ok=True)
        words = ["setpriv", "--pdeathsig", "KILL", "nbdkit", "--foreground", "-U", str(self._socket)]
        words += ["--filter=cache", "file", str(self._file), f"cache={self._cache}"]
        self._process = subprocess.Popen(words, stdin=subprocess.DEVNULL)
        for _ in range(500):
            if self._socket.exists():
                return f"nbd:unix:{self._socket}"
            time.sleep(0.01)
        raise MachineError("nbdkit does not serve the journal's disk")

    def cut(self) -> None:
        """Lose what it has not written."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None


class Evenings:
    """Evenings that end in the dark, one after the other, on one journal."""

    def __init__(self, made: Ready, folder: Path) -> None:
        self.found: list[Finding] = []
        self._folder = folder
        self._machine = made.machine(folder)
        self._disk = Disk(folder)
        self._acknowledged: list[dict[str, Any]] = []
        self._moments = Random(SEED)
        self._events = 0

    def prepare(self) -> None:
        """The machine with the harness waiting in it, kept as it is: every evening begins there."""
        self._machine.on(READY)
        self._machine.run("sh", "-c", f"{DARK} wait && sync")
        self._machine.keep(PREPARED)
        self._machine.cut()

    def exchange(self, cache: Cache) -> None:
        """Another disk, new, and nothing acknowledged."""
        self._disk, self._acknowledged, self.found = Disk(self._folder, cache), [], []

    def evening(self, number: int) -> None:
        """Start with what is left of the evening before, examine it, play, and cut the power."""
        before = len(self._acknowledged)
        self._machine.on(PREPARED)
        self._hand_over()
        after = "starting" if number % 4 == 0 else "playing"
        moment = self._moments.uniform(0.1, PLAYED_S)
        phase = self._play(BEGIN.format(number), moment, after)
        events = sum("event" in said for said in self._acknowledged[before:])
        self._events += events
        say(f"cuts: {number}, {moment:.1f} s after {after}, {phase}; {events} events acknowledged meanwhile")

    def last(self, number: int, *, cold: bool) -> None:
        """A last start, only to examine. `cold`: the whole machine boots, its own disk too as the last cut left it."""
        self._machine.on(None if cold else PREPARED)
        self._hand_over()
        self._play(f"{DARK} {number}" if cold else BEGIN.format(number), 0.2, "playing")

    def played(self, cuts: int) -> Finding:
        """Whether there was anything to lose."""
        told_of = f"{self._events} events acknowledged"
        return Finding("the cuts met a table at play", self._events >= 5 * cuts, told_of)

    def _hand_over(self) -> None:
        self._machine.put("/run/before.json", json.dumps(self._acknowledged))
        self._machine.plug(self._disk.on(), "journal")

    def _play(self, command: str, moment: float, after: str) -> str:
        """Let an evening play until `moment` seconds after it was `after`; the phase that was shown last."""
        phase, other = "nothing shown", ""
        cutting: threading.Timer | None = None
        try:
            for line in self._machine.stream("sh", "-c", command, within=120):
                if isinstance(line, int):
                    self.found.append(
                        Finding("the evening lasts until the power is cut", False, f"exit {line}: {other}")
                    )
                elif line.startswith("@"):
                    said = json.loads(line[1:])
                    if after in said:
                        cutting = threading.Timer(moment, self.cut)
                        cutting.start()
                    self._acknowledged.append(said)
                    phase = said["state"]["phase"] if "state" in said else phase
                elif (finding := told(line)) is not None:
                    self.found.append(finding)
                else:
                    other = f"{other}\n{line}"[-2000:]
        except MachineError as error:
            if cutting is None:
                said = self._machine.run("sh", "-c", WHY, check=False, within=30)
                raise MachineError(f"{error}\n{said}") from error
        if cutting is not None:
            cutting.join()
        self.cut()
        return phase

    def cut(self) -> None:
        """The lights go out."""
        self._machine.cut()
        self._disk.cut()


def play(made: Ready, folder: Path, found: Found, cuts: int = CUTS) -> None:
    """The part of the bench: so many cuts, a look after each, and a disk that lies."""
    evenings = Evenings(made, folder)
    try:
        evenings.prepare()
        evenings.evening(1)
        for number in range(1, cuts + 1):
            evenings.found = []
            if number < cuts:
                evenings.evening(number + 1)
            else:
                evenings.last(number, cold=True)
            _tell(f"cut {number}", evenings.found, found)
        found(evenings.played(cuts))
        evenings.exchange("unsafe")
        evenings.evening(LYING)
        evenings.last(LYING, cold=False)
        lost = [finding for finding in evenings.found if not finding.ok]
        found(Finding("a disk that lies about what it has written is found out", bool(lost), f"{len(lost)} findings"))
    finally:
        evenings.cut()


def _tell(cut: str, what: list[Finding], found: Found) -> None:
    """A line for a cut that did no harm, one for each harm that was done."""
    for finding in what:
        if not finding.ok:
            found(finding._replace(name=f"{cut}: {finding.name}"))
    if all(finding.ok for finding in what):
        said = "; ".join(f"{finding.name} ({finding.detail})" if finding.detail else finding.name for finding in what)
        found(Finding(f"{cut}: {len(what)} things hold", bool(what), said.replace("\n", " ")))
