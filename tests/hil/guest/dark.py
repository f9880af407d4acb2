"""An evening that ends in the dark: what survived the last power cut is examined, then it is played until the next.

    python -m tests.hil.guest.dark NUMBER [damage]  # NUMBER seeds what is played
    python -m tests.hil.guest.dark wait             # the same, begun later: the words are written to ASKED, all is said
                                                    # in SAID

The journal is on a disk of its own, plugged in when this begins. Whatever the table answers or tells, by its lamps too,
is sent to the host at once, as a line ``@{...}``: once it is there it is *acknowledged*, and must be found before the
next start (``tests.hil.guest.survived``). What was acknowledged before the last cut is in `BEFORE`.
"""

from __future__ import annotations

import asyncio
import json
import os
import sqlite3
import subprocess
import sys
import time
from collections.abc import Sequence
from contextlib import closing
from decimal import Decimal
from pathlib import Path
from random import Random
from typing import Any

from controller.core.events import Event
from controller.core.evolve import evolve
from controller.core.state import Table
from controller.journal import reading
from controller.journal.directory import period_file, periods
from controller.journal.errors import JournalError
from controller.journal.verify import verify
from hal.gpio.wiring import Pin
from tests.hil.guest.report import note, tell
from tests.hil.guest.round import MONEY, money
from tests.hil.guest.served import STATE, Client, Served, UnitError, hal
from tests.hil.guest.survived import Said, Survived, amounts, broken, resumed, seen
from tests.hil.guest.table import ElectricTable, Position

BEFORE = Path("/run/before.json")
ASKED, SAID = Path("/run/dark.asked"), Path("/run/dark.said")
DISK = Path("/dev/disk/by-id/virtio-journal")
SEATS = 6

MISSING = "nothing acknowledged is missing"
VERIFIES = "a start verifies the chain, and refuses one that was altered"


def acknowledge(**said: Any) -> None:
    """From here on the host knows it."""
    sys.stdout.write("@" + json.dumps(said) + "\n")
    sys.stdout.flush()


def plugged() -> None:
    """Mount the journal's disk, once the kernel has found it: its file system recovers from the cut."""
    while not DISK.exists():
        time.sleep(0.02)
    STATE.mkdir(parents=True, exist_ok=True)
    subprocess.run(["mount", str(DISK), str(STATE)], check=True)


class Evening:
    """One start, up to the cut."""

    def __init__(self, number: int, before: Sequence[Said]) -> None:
        self._rng = Random(number)
        self._before = before
        self._served = Served(money(MONEY), hal(SEATS, None, displays=False))
        keys: list[Position] = [said["key"] for said in before if "key" in said]
        self._key: Position = keys[-1] if keys else "locked"
        self._electricity = ElectricTable(self._served.hardware.wiring, "credits", seed=number, key=self._key)
        self._state: Said = {"round": 0}
        self._lamps = {pins.lamp: seat for seat, pins in enumerate(self._served.hardware.wiring.seats, 1)}
        self._lit: set[int] = set()
        lines, aio = self._electricity.lines, asyncio.get_running_loop()
        physics = lines.heard

        def heard(pin: Pin, high: bool, at: int) -> None:
            if pin in self._lamps:
                aio.call_soon_threadsafe(self._switched, self._lamps[pin], high)
            physics(pin, high, at)

        lines.heard = heard

    async def go_on(self, *, damaged: bool) -> None:
        """Examine, then play until the power is cut. Before that a journal is to be `damaged`."""
        survived = self._examine() if any("seq" in said for said in self._before) else None
        opening = asyncio.create_task(self._opened())
        acknowledge(starting=True)
        try:
            await self._served.start()
        except UnitError as error:
            tell("the table starts", False, str(error))
            return
        acknowledge(ready=True)
        opening.cancel()
        dealer = await self._served.login("ana")
        if survived is not None and survived.state is not None:
            await self._compare(survived, survived.state, dealer)
        if damaged:
            await self._damage()
            dealer = await self._served.login("ana")
        self._state = (await dealer.state())["state"]
        follower = await self._served.login("ana")
        following = asyncio.create_task(self._follow(follower))
        acknowledge(playing=True)
        await asyncio.gather(following, self._play(dealer))

    # --- what survived ---------------------------------------------------------------------------------------

    def _examine(self) -> Survived:
        """What there is before the start: everything that was acknowledged, in a whole chain. It takes its time: lamps
        are to be sensed within 200 ms while a table runs, so nothing of this is done then."""
        before, events, damage = self._before, list[tuple[int, Event]](), ""
        try:
            damage = str(verify(STATE, evolve).damage or "")
            events = [(said.entry.seq, said.item) for said in reading.read(STATE) if isinstance(said.item, Event)]
        except JournalError as error:
            damage = str(error)
        tell("the chain is whole after the cut", not damage, damage)
        survived = Survived(events)
        acknowledged = max(said["event"]["seq"] if "event" in said else said.get("seq", 0) for said in before)
        for name, wrong in (
            (MISSING, survived.missing(before)),
            ("every event is as it was told", survived.altered(before)),
            ("every state that was shown can be accounted for", survived.unaccounted(before)),
            ("no bet is gone that was seen lit (2.7)", survived.extinguished(before)),
            ("what was answered was done, and nothing twice", survived.miscounted(before)),
        ):
            tell(name, not wrong, f"{acknowledged} acknowledged, {survived.last} survived; {_few(wrong)}")
        acknowledge(examined=survived.last)
        if survived.state is not None:
            self._state = seen(survived.state)
            acknowledge(survived=self._state["phase"])
        return survived

    async def _compare(self, survived: Survived, before: Table, dealer: Client) -> None:
        """The start goes on where the journal ended: phase, bets, credits, prizes, pots and meters (8.3)."""
        config = self._served.config
        was = amounts(self._state) | {"key": self._key, "out_of_service": None}
        wanted = resumed(was, config.params)
        sealing = {**was, "phase": wanted["phase"]}  # until the lamps are sensed
        until = time.monotonic() + 3
        while True:
            said = await dealer.state()
            state, attention = said["state"], said["attention"]
            found = amounts(state) | {"key": attention["key"]}
            if found == wanted or found != sealing or time.monotonic() > until:
                break
            await asyncio.sleep(0.05)
        acknowledge(seq=said["seq"], state=state)
        wrong = [f"{name} was {was[name]}, is {found[name]}" for name in wanted if found[name] != wanted[name]]
        early = self._key == "open" and was["phase"] != "betting"
        alarms = sum(alarm["code"] == "key-found-open" for alarm in attention["alarms"])
        if alarms - sum(alarm.code == "key-found-open" for alarm in before.alarms) != early:
            wrong.append(f"{alarms} alarms for a key found open")
        tell("the round goes on where it stood", not wrong, f"{was['phase']}, then {found['phase']}; {_few(wrong)}")
        unit = Decimal(config.setup.denomination) / 10**config.setup.digits
        counted = survived.credits(config.setup.denomination)
        held = {seat: (credits, int(bet / unit)) for seat, credits, bet, _ in found["seats"] if credits or bet}
        wrong = [f"counted {counted}, held {held}"] if {n: c for n, c in counted.items() if any(c)} != held else []
        tell("credits are what was loaded, less what was bet", not wrong, _few(wrong))
        opening = Decimal(config.params.base) / 10**config.setup.digits
        shown = [said["state"] for said in self._before if "state" in said]
        wrong = [each for seen in (*shown, self._state, state) for each in broken(seen, opening)]
        tell("the books balance (3.3)", not wrong, f"{len(shown) + 2} states; {_few(wrong)}")
        await self._compare_lamps({seat for seat, _, bet, _ in found["seats"] if bet})

    async def _compare_lamps(self, wanted: set[int]) -> None:
        lit: set[int] = set()
        for _ in range(60):
            lit = {n for n in range(1, SEATS + 1) if self._electricity.lamp_lit(n)}
            if lit == wanted:
                break
            await asyncio.sleep(0.05)
        tell("the lamps show what is bet", lit == wanted, f"lit {lit}, to be lit {wanted}")

    async def _damage(self) -> None:
        """Alter the last entry. The start verifies the chain: the table is out of service, and says why (8.4)."""
        await self._served.stop()
        with closing(sqlite3.connect(period_file(STATE, periods(STATE)[-1]), isolation_level=None)) as db:
            (last,) = db.execute("SELECT max(seq) FROM entry").fetchone()
            db.execute("UPDATE entry SET wall = wall || ' ' WHERE seq = ?", (last,))
        await self._served.start()
        reason = (await (await self._served.login("ana")).state())["state"]["out_of_service"] or ""
        tell(VERIFIES, str(last) in reason, reason)

    # --- what is told ---------------------------------------------------------------------------------------

    async def _opened(self) -> None:
        """Acknowledge that the table has opened its journal, once it holds the journal's lock."""
        while not _locked(STATE / "lock"):  # noqa: ASYNC110 - the kernel tells nobody
            await asyncio.sleep(0.01)
        acknowledge(opened=True)

    def _switched(self, seat: int, high: bool) -> None:
        """Whoever sits there has seen it."""
        if high and seat not in self._lit:
            acknowledge(lit=seat, round=self._state["round"])
            self._lit.add(seat)
        elif not high and seat in self._lit:
            acknowledge(dark=seat)
            self._lit.discard(seat)

    async def _follow(self, client: Client) -> None:
        """Everything that the table tells is acknowledged."""
        said = await client.ask(op="subscribe")
        while True:
            if "state" in said:
                self._state = said["state"]
                acknowledge(seq=said["seq"], state=said["state"])
            elif "event" in said:
                acknowledge(event=said["event"])
            said = await client.next()

    # --- what is played -------------------------------------------------------------------------------------

    async def _play(self, dealer: Client) -> None:
        while True:
            phase = self._state["phase"]
            if phase in ("idle", "paying"):
                await self._pay(dealer)
                await self._until("idle")
                await self._credits(dealer)
                if self._key == "open":  # found so at the start: betting opens at a fresh turn (2.9)
                    self._turn("locked")
                    await self._electricity.quiet(0.1)
                self._turn("open")
                await self._until("betting")
            elif phase == "betting":
                for seat in self._rng.sample(range(1, SEATS + 1), self._rng.randint(1, SEATS)):
                    self._electricity.press(seat, self._rng.randint(1, 3))
                await self._electricity.quiet(self._rng.choice((0.0, 0.05, 0.2)))
                self._turn("locked")
                await self._until("locked")
            else:
                await self._settle(dealer)
            await self._electricity.quiet(0.1)

    async def _until(self, *phases: str) -> None:
        """Wait until the table tells that it is in one of these phases; 3 s at most."""
        for _ in range(60):
            if self._state["phase"] in phases:
                break
            await asyncio.sleep(0.05)

    def _turn(self, position: Position) -> None:
        acknowledge(key=position)
        self._key = position
        self._electricity.turn_key(position)

    async def _say(self, dealer: Client, line: str) -> None:
        acknowledge(asked=line, **{line.split()[0]: True})
        said = await dealer.command(line)
        if said["ok"]:
            acknowledge(answer=line, seq=said["seq"])

    async def _credits(self, dealer: Client) -> None:
        for seat in self._state["seats"]:
            if seat["credits"] < 3:
                await self._say(dealer, f"load {seat['seat']} {self._rng.randint(3, 9)}")

    async def _settle(self, dealer: Client) -> None:
        hands = ("pair", "flush", "full-house", "four-of-a-kind", "straight-flush", "royal-flush")
        if not self._state["sealed"]:
            await asyncio.sleep(0.05)
            return
        for seat in self._state["seats"]:
            if seat["bet"] != "0" and self._rng.random() < 0.5:
                await self._say(dealer, f"declare {seat['seat']} {self._rng.choice(hands)}")
        await self._say(dealer, "settle")
        await self._until("paying", "idle")

    async def _pay(self, dealer: Client) -> None:
        for prize in self._state["prizes"]:
            if prize["status"] == "unapproved":
                await self._say(dealer, f"approve {prize['seat']}")
        for prize in self._state["prizes"]:
            if prize["status"] in ("unapproved", "payable"):
                await self._say(dealer, f"paid {prize['seat']}")


def _locked(file: Path) -> bool:
    """Whether somebody holds a lock on `file`."""
    if not file.exists():
        return False
    found = file.stat()
    held = f" {os.major(found.st_dev):02x}:{os.minor(found.st_dev):02x}:{found.st_ino} "
    return held in Path("/proc/locks").read_text()


def _few(wrong: Sequence[Any]) -> str:
    return f"wrong: {wrong[:3]} of {len(wrong)}" if wrong else "none wrong"


async def rehearse() -> None:
    """Start and stop the table once: what it reads is in memory then."""
    served = Served(money(MONEY), hal(SEATS, None, displays=False))
    electricity = ElectricTable(served.hardware.wiring, "credits")
    await served.start()
    await served.fresh()
    await electricity.close()


def wait() -> list[str]:
    """Be ready to begin at once, in a process of its own: the machine is kept as it is then. Returns the words."""
    asyncio.run(rehearse())
    for pipe in (ASKED, SAID):
        os.mkfifo(pipe)
    if os.fork():
        os._exit(0)  # the host has been waiting for this
    os.setsid()
    nowhere = os.open(os.devnull, os.O_RDWR)
    for stream in (sys.stdout, sys.stderr):
        os.dup2(nowhere, stream.fileno())
    words = ASKED.read_text().split()
    said = os.open(SAID, os.O_WRONLY)
    for stream in (sys.stdout, sys.stderr):
        os.dup2(said, stream.fileno())
    return words


def main() -> None:
    """Until the lights go out."""
    number, *more = wait() if sys.argv[1] == "wait" else sys.argv[1:]
    before = json.loads(BEFORE.read_text()) if BEFORE.exists() else []
    plugged()
    note(f"{len(before)} lines were acknowledged before the cut")

    async def evening() -> None:
        await Evening(int(number), before).go_on(damaged="damage" in more)

    asyncio.run(evening())


if __name__ == "__main__":
    main()
