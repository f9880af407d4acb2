"""Power cuts: the machine goes dark at a random moment, with what its disk had not yet written, and comes back.

The journal is on a disk of its own, served by nbdkit with a cache that is written back when it is told to flush. A cut
kills the machine *and* that cache: what was not flushed is gone, as from a card that loses its supply. The machine then
is as it was before that disk was plugged in, and the disk as it was left: its file system recovers, systemd starts the
table, and the table must know everything that it had acknowledged (``tests.hil.guest.dark`` plays and examines).

The power is cut where something is at stake: when a lamp has just been seen lit, a settlement or a payment has just
been asked for, the table has just opened its journal at a start, or at any time while it plays.

The last start is a cold one: the whole machine boots. And so that this is known to find what is lost: a disk that only
says that it has written what it was told to flush must be found out, and by what is missing.
"""

from __future__ import annotations

import json
import os
import subprocess
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from random import Random
from threading import Event, Timer
from typing import Any, Literal, NamedTuple

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
LONGEST_S = 20.0
"""The power is cut so many seconds after play has begun, whatever was to be awaited."""
LIT = "lit"
AT_STAKE = (LIT, "CreditsLoaded", "BetChanged", "RoundSealed", "PotMoved", "HandDeclared", "RoundSettled", "PrizePaid")
"""What nobody may lose: lamps that were lit in play, and events."""

PREPARED = "prepared"

DARK = f"cd /srv/pozo && exec {HARNESS_PYTHON} -m tests.hil.guest.dark"
BEGIN = f"echo {{}} > {dark.ASKED} && exec cat {dark.SAID}"
"""An evening begins at once where the harness waits for it (`Evenings.prepare`)."""


Cache = Literal["writeback", "unsafe"]
"""Written when it is told to flush, or then neither."""


class Moment(NamedTuple):
    """When the power is cut: `then` seconds after the line that says `after` was heard for the `nth` time. What is said
    in play counts from the first lamp on that is lit there: from then on something is at stake."""

    after: str
    nth: int
    then: float

    def __str__(self) -> str:
        return f"{self.then:.2f} s after {self.after} {self.nth}"


class Disk:
    """The journal's disk, with a cache of its own."""

    cache: Cache = "writeback"

    def __init__(self, folder: Path) -> None:
        self._file, self._socket = folder / "journal.disk", folder / "journal.sock"
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
        words += ["--filter=cache", "file", str(self._file), f"cache={self.cache}"]
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
        self.disk = Disk(folder)
        self._machine = made.machine(folder)
        self._acknowledged: list[dict[str, Any]] = []
        self._moments = Random(SEED)
        self._dark = Event()
        self._timer: Timer | None = None
        self._start_s = 1.0
        """How long the last start took, from when it had opened the journal."""
        self._told: Counter[str] = Counter()
        """How many events of each kind were told."""
        self._phases: Counter[str] = Counter()
        """In which phases the cuts were made."""
        self._at_stake = 0

    def prepare(self) -> None:
        """The machine with the harness waiting in it, kept as it is: every evening begins there."""
        self._machine.on(READY)
        self._machine.run("sh", "-c", f"{DARK} wait && sync")
        self._machine.keep(PREPARED)
        self.cut()

    def evening(self, number: int) -> list[Finding]:
        """Start with what is left of the evening before, play, and cut the power; what was found of that evening."""
        draw = self._moments
        moment = (
            Moment("opened", 1, draw.uniform(0, self._start_s)),
            Moment("lit", draw.randint(1, 6), draw.uniform(0, 0.05)),
            Moment("settle", 1, draw.uniform(0, 0.2)),
            Moment("paid", draw.randint(1, 2), draw.uniform(0, 0.2)),
            Moment("lit", 1, draw.uniform(0.1, 4)),
        )[number % 5]
        return self._evening(str(number), moment)

    def lie(self) -> list[Finding]:
        """An evening on a disk that writes nothing, with bets; what was found of the evening before."""
        self.disk.cache = "unsafe"
        return self._evening(str(LYING), Moment("lit", 3, 0.3))

    def last(self, words: str, *, cold: bool) -> list[Finding]:
        """A last start, only to examine. `cold`: the whole machine boots, its own disk too as the last cut left it."""
        self._machine.on(None if cold else PREPARED)
        command = f"{DARK} {words}" if cold else BEGIN.format(words)
        return self._play(command, Moment("playing", 1, 0.0))[0]

    def played(self, cuts: int) -> Finding:
        """Whether there was anything to lose."""
        least = {LIT: cuts, "RoundSealed": cuts // 4, "RoundSettled": cuts // 4, "PrizePaid": cuts // 4}
        enough = self._at_stake >= cuts and all(self._told[kind] >= number for kind, number in least.items())
        if cuts >= CUTS:
            enough = enough and {"betting", "locked", "paying"} <= self._phases.keys()
        events = ", ".join(f"{self._told[kind]} {kind}" for kind in AT_STAKE)
        phases = ", ".join(f"{phase} {number}" for phase, number in self._phases.most_common())
        detail = f"{self._at_stake} of {cuts} with something at stake; told: {events}; cut in: {phases}"
        return Finding("the cuts met a table at play", enough, detail)

    def _evening(self, words: str, moment: Moment) -> list[Finding]:
        self._machine.on(PREPARED)
        found, said = self._play(BEGIN.format(words), moment)
        kinds = [each["event"]["kind"] for each in said if "event" in each]
        began = next((number for number, each in enumerate(said) if "playing" in each), len(said))
        kinds += [LIT for each in said[began:] if "lit" in each]
        self._told.update(kinds)
        events = sum(kind in AT_STAKE for kind in kinds)
        starting = moment.after == "opened" and any("opened" in each for each in said)
        self._at_stake += bool(events or starting)
        say(f"cuts: {words}, {moment}; {events} things at stake; a start of {self._start_s:.1f} s")
        return found

    def _play(self, command: str, moment: Moment) -> tuple[list[Finding], list[dict[str, Any]]]:
        """Let an evening play until `moment`; what is found, and what was acknowledged."""
        self._machine.put("/run/before.json", json.dumps(self._acknowledged))
        self._machine.plug(self.disk.on(), "journal")
        self._dark.clear()
        found: list[Finding] = []
        acknowledged: list[dict[str, Any]] = []
        other, heard, opened, playing, betting = "", 0, 0.0, False, False
        try:
            for line in self._machine.stream("sh", "-c", command, within=120):
                if isinstance(line, int):
                    found.append(Finding("the evening lasts until the power is cut", False, f"exit {line}: {other}"))
                elif line.startswith("@"):
                    said = json.loads(line[1:])
                    acknowledged.append(said)
                    self._examined(said)
                    if "opened" in said:
                        opened = time.monotonic()
                    elif "ready" in said and opened:
                        self._start_s = time.monotonic() - opened
                    elif "playing" in said:
                        playing = True
                        if self._timer is None:
                            self._cut_after(LONGEST_S)
                    betting = betting or (playing and LIT in said)
                    if moment.after in said and (betting or moment.after in ("opened", "playing")):
                        heard += 1
                        if heard == moment.nth:
                            self._cut_after(moment.then)
                elif (finding := told(line)) is not None:
                    found.append(finding)
                else:
                    other = f"{other}\n{line}"[-2000:]
        except MachineError as error:
            if not self._dark.is_set():
                raise MachineError(f"{error}\n{self._why()}") from error
        finally:
            self._forget_timer()
        self.cut()
        self._acknowledged += acknowledged
        return found, acknowledged

    def _examined(self, said: dict[str, Any]) -> None:
        """What was told and shown has been found: only its last number is still to be there at the next start."""
        if "examined" in said:
            kept = [each for each in self._acknowledged if not {"event", "state"} & each.keys()]
            self._acknowledged = [*kept, {"seq": said["examined"]}]
        if "survived" in said:
            self._phases[said["survived"]] += 1

    def _why(self) -> str:
        """What a machine says in which an evening does not go on, if it still can."""
        try:
            return self._machine.run("sh", "-c", WHY, check=False, within=30)
        except MachineError as error:
            return str(error)

    def _cut_after(self, seconds: float) -> None:
        """Cut the power so many seconds from now, and not when it was to be cut before."""
        self._forget_timer()
        self._timer = Timer(seconds, self.cut)
        self._timer.start()

    def _forget_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer.join()
            self._timer = None

    def cut(self) -> None:
        """The lights go out."""
        self._dark.set()
        self._machine.cut()
        self.disk.cut()


def play(made: Ready, folder: Path, found: Found, cuts: int = CUTS) -> None:
    """The part of the bench: so many cuts, a look after each, and a disk that lies."""
    evenings = Evenings(made, folder)
    try:
        evenings.prepare()
        for finding in evenings.evening(1):
            found(finding)
        for number in range(1, cuts):
            _tell(f"cut {number}", evenings.evening(number + 1), found)
        _tell(f"cut {cuts}", evenings.last(str(cuts + 1), cold=True), found)
        found(evenings.played(cuts))
        _tell("before the disk lies", evenings.lie(), found)
        seen = evenings.last(f"{LYING + 1} damage", cold=False)
        lost = [finding.name for finding in seen if not finding.ok]
        found(Finding("a disk that lies is found out by what is missing", dark.MISSING in lost, "; ".join(lost)))
        found(next((each for each in seen if each.name == dark.VERIFIES), Finding(dark.VERIFIES, False, "not told")))
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
