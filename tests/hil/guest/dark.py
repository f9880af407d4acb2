"""An evening that ends in the dark: what survived the last power cut is examined, then it is played until the next.

    python -m tests.hil.guest.dark NUMBER      # NUMBER seeds what is played
    python -m tests.hil.guest.dark wait        # the same, begun later: NUMBER is written to ASKED, all is said in SAID

The journal is on a disk of its own, plugged in when this begins. Whatever the table answers or tells is sent to the
host at once, as a line ``@{...}``: once it is there it is *acknowledged*, and must be found after the next start. What
was acknowledged before the last cut is in `BEFORE`.
"""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import Any

import msgspec

from controller.core.events import Event
from controller.core.evolve import evolve
from controller.core.state import Table
from controller.journal import reading
from controller.view import view
from tests.hil.guest.report import note, tell
from tests.hil.guest.round import MONEY, money
from tests.hil.guest.served import STATE, Client, Served, UnitError, hal, run
from tests.hil.guest.table import ElectricTable, Position

BEFORE = Path("/run/before.json")
ASKED, SAID = Path("/run/dark.asked"), Path("/run/dark.said")
DISK = Path("/dev/disk/by-id/virtio-journal")
SEATS = 6

Said = dict[str, Any]


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
        self._state: Said = {}

    async def go_on(self) -> None:
        """Examine, then play until the power is cut."""
        if any("seq" in said for said in self._before):
            await self._verify()
        acknowledge(starting=True)
        try:
            await self._served.start()
        except UnitError as error:
            tell("the table starts", False, str(error))
            return
        dealer = await self._served.login("ana")
        self._state = (await dealer.state())["state"]
        if self._before:
            survived = [(said.entry.seq, said.item) for said in reading.read(STATE) if isinstance(said.item, Event)]
            self._compare(survived)
            await self._compare_lamps()
        follower = await self._served.login("ana")
        following = asyncio.create_task(self._follow(follower))
        acknowledge(playing=True)
        await asyncio.gather(following, self._play(dealer))

    # --- what survived ---------------------------------------------------------------------------------------

    async def _verify(self) -> None:
        status, said = await run("runuser", "-u", "pozo", "--", "pozo", "journal", "verify", "--journal", str(STATE))
        tell("the chain is whole after the cut", status == 0, said.strip()[-400:])

    def _compare(self, survived: list[tuple[int, Event]]) -> None:
        """Every event that was told is there, and every state that was shown follows from the entries."""
        told = {said["event"]["seq"]: said["event"] for said in self._before if "event" in said}
        shown = {said["seq"]: said["state"] for said in self._before if "state" in said}
        answered = max((said["seq"] for said in self._before if said.get("answer")), default=0)
        last = survived[-1][0]
        newest = max([answered, *told, *shown], default=0)
        tell("nothing acknowledged is missing", newest <= last, f"{newest} acknowledged, {last} survived")
        states: dict[int, Table] = {}
        state: Table | None = None
        wrong = []
        for seq, event in survived:
            state = states[seq] = evolve(state, event)
            if seq in told and _as_told(seq, event) != told[seq]:
                wrong.append(f"{seq}: {told[seq]} was told, {event} survived")
        tell("every event is as it was told", not wrong, f"{len(told)} events; {wrong[:3]}")
        wrong = [
            f"{seq}" for seq, seen in shown.items() if seq in states and _amounts(_seen(states[seq])) != _amounts(seen)
        ]
        tell("every state that was shown can be accounted for", not wrong, f"{len(shown)} states; wrong: {wrong[:3]}")
        self._compare_phase(survived, states)

    def _compare_phase(self, survived: list[tuple[int, Event]], states: dict[int, Table]) -> None:
        """The round goes on where it stood: same phase, bets, credits, prizes and pots (8.3)."""
        started = [seq for seq, event in survived if type(event).__name__ == "Started"]
        if len(started) < 2:
            return
        before, after = _seen(states[started[-1] - 1]), self._state
        was, is_ = _amounts(before), _amounts(after)
        # A key that is found locked locks, and what was locked and not sealed is sealed now: bets enter the pots.
        sealing = before["phase"] in ("betting", "locked") and not before["sealed"]
        same = was == is_ or (sealing and was["seats"] == is_["seats"])
        other = "" if same else str([(was[key], is_[key]) for key in was if was[key] != is_[key]])
        tell("the round goes on where it stood", same, f"{before['phase']}, then {after['phase']} {other}")

    async def _compare_lamps(self) -> None:
        wanted = {seat["seat"] for seat in self._state["seats"] if seat["lamp"] == "lit"}
        lit: set[int] = set()
        for _ in range(60):
            lit = {n for n in range(1, SEATS + 1) if self._electricity.lamp_lit(n)}
            if lit == wanted:
                break
            await asyncio.sleep(0.05)
        tell("the lamps show what is bet", lit == wanted, f"lit {lit}, to be lit {wanted}")

    # --- what is told ---------------------------------------------------------------------------------------

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
                await self._credits(dealer)
                if self._key == "open":  # found so at the start: betting opens at a fresh turn (2.9)
                    self._turn("locked")
                    await self._electricity.quiet(0.1)
                self._turn("open")
            elif phase == "betting":
                for seat in self._rng.sample(range(1, SEATS + 1), self._rng.randint(1, SEATS)):
                    self._electricity.press(seat, self._rng.randint(1, 3))
                await self._electricity.quiet(self._rng.choice((0.0, 0.05, 0.2)))
                self._turn("locked")
            else:
                await self._settle(dealer)
            await self._electricity.quiet(0.1)

    def _turn(self, position: Position) -> None:
        acknowledge(key=position)
        self._key = position
        self._electricity.turn_key(position)

    async def _say(self, dealer: Client, line: str) -> None:
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

    async def _pay(self, dealer: Client) -> None:
        for prize in self._state["prizes"]:
            if prize["status"] == "unapproved":
                await self._say(dealer, f"approve {prize['seat']}")
        for prize in self._state["prizes"]:
            if prize["status"] in ("unapproved", "payable"):
                await self._say(dealer, f"paid {prize['seat']}")


def _as_told(seq: int, event: Event) -> Said:
    """An entry as the control socket tells it."""
    fields: Said = json.loads(msgspec.json.encode(event))
    return {"seq": seq, "kind": fields.pop("type"), **fields}


def _seen(state: Table) -> Said:
    """A state as the control socket shows it."""
    seen: Said = json.loads(msgspec.json.encode(view(state, "")))
    return seen


def _amounts(state: Said) -> Said:
    """What is worth money in a state, and the phase."""
    seats = [(seat["seat"], seat["credits"], seat["bet"], seat["owed"]) for seat in state["seats"]]
    return {"seats": seats, **{key: state[key] for key in ("phase", "round", "pot", "prizes", "meters")}}


async def rehearse() -> None:
    """Start and stop the table once: what it reads is in memory then."""
    served = Served(money(MONEY), hal(SEATS, None, displays=False))
    electricity = ElectricTable(served.hardware.wiring, "credits")
    await served.start()
    await served.fresh()
    await electricity.close()


def wait() -> int:
    """Be ready to begin at once, in a process of its own: the machine is kept as it is then. Returns the number."""
    asyncio.run(rehearse())
    for pipe in (ASKED, SAID):
        os.mkfifo(pipe)
    if os.fork():
        os._exit(0)  # the host has been waiting for this
    os.setsid()
    nowhere = os.open(os.devnull, os.O_RDWR)
    for stream in (sys.stdout, sys.stderr):
        os.dup2(nowhere, stream.fileno())
    number = int(ASKED.read_text())
    said = os.open(SAID, os.O_WRONLY)
    for stream in (sys.stdout, sys.stderr):
        os.dup2(said, stream.fileno())
    return number


def main() -> None:
    """Until the lights go out."""
    number = wait() if sys.argv[1] == "wait" else int(sys.argv[1])
    before = json.loads(BEFORE.read_text()) if BEFORE.exists() else []
    plugged()
    note(f"{len(before)} lines were acknowledged before the cut")

    async def evening() -> None:
        await Evening(number, before).go_on()

    asyncio.run(evening())


if __name__ == "__main__":
    main()
