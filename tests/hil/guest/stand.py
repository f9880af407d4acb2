"""A table under trial: hands on its lines, the persons at its socket, and what must hold there whatever fails.

`Stand` brings the installed table to a phase, looks at it from both ends (what it says, and which lamps are lit in
fact), and puts everything right again by the ways that the rules give.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from decimal import Decimal
from typing import Any, Literal, NamedTuple

from hal.gpio.wiring import Pin
from tests.hil.guest.report import note, tell
from tests.hil.guest.served import Client, Served
from tests.hil.guest.table import ElectricTable

Phase = Literal["idle", "bare", "open", "sealed"]
"""No round; betting open, without a bet at the seat on trial; with one; locked and sealed with one."""

HEALTHY = 2
"""A seat that nothing ever befalls while a row is tried, and that has a bet in every round."""

QUIET_S = 0.15
"""A signal's delivery, its commit, and what follows from it, on the slowest board."""

PULSES_S = 3.0
"""Seconds that the counter has for what was sealed: a round's pulses, at eight a second, and time for one too many."""

HELD_BACK = 0.03
"""What share of preparations and reopenings, and one more, an edge that gpio-sim holds back may spoil. It holds one
back for 125 ms now and then, which spoils one in a hundred; a lost tenth press would spoil one in five."""

CREDITS = 40
FORGET_NOISE_S = 61


class Seat(NamedTuple):
    """A seat as the table tells of it, amounts in units of its smallest bet."""

    open: bool
    reason: str | None
    credits: int
    bet: int
    owed: int
    commanded: bool
    lit: bool
    """In fact."""

    @property
    def worth(self) -> int:
        """What is the player's, wherever it lies."""
        return self.credits + self.bet + self.owed


class Sight(NamedTuple):
    """The table at one instant."""

    phase: str
    sealed: bool
    out_of_service: str | None
    seats: dict[int, Seat]
    meters: dict[str, Any]
    pot: dict[str, str]
    prizes: list[dict[str, Any]]
    failed: list[str]
    alarms: list[str]
    """But for edges that a seat has lost: see `lost`."""
    lost: int
    key: str


class Stand:
    """The table `served`, on `electricity`."""

    def __init__(self, served: Served, electricity: ElectricTable) -> None:
        self.served, self.electricity = served, electricity
        self.wiring = electricity.wiring
        self.smallest = Decimal(served.config.setup.denomination)
        self.least = served.config.params.bet_min // served.config.setup.denomination
        self.chips = electricity.acceptor == "chips"
        self.seats = range(1, len(self.wiring.seats) + 1)
        self.opening = Decimal(served.config.params.base) / 10**served.config.setup.digits
        self.tally: Counter[str] = Counter()
        """What was tried, and what was tried once more or passed over since an edge was held back: see `held_back`."""

    # --- coming and going -------------------------------------------------------------------------------------

    async def start(self) -> None:
        """Start the table, and listen to what is journaled. People log in when they have something to say."""
        await self.served.start()
        self._there: dict[str, Client] = {}
        self.eyes: Client = await self.served.connect()
        await self.eyes.ask(op="subscribe")
        self._counted = self.electricity.pulses
        await self.electricity.quiet(QUIET_S)

    async def stop(self) -> None:
        """Stop it in order."""
        await self.leave()
        await self.served.stop()

    async def cut(self) -> None:
        """End it without a word."""
        await self.leave()
        await self.served.kill()

    async def anew(self) -> None:
        """End it, whatever it does, and begin with a new journal."""
        await self.cut()
        await self.served.fresh()
        await self.start()

    async def leave(self) -> None:
        """Everybody goes."""
        for client in (self.eyes, *self._there.values()):
            await client.close()

    # --- what there is to see -----------------------------------------------------------------------------------

    async def look(self) -> Sight:
        """Look at it."""
        said = await self.eyes.state()
        state, attention = said["state"], said["attention"]
        codes = [
            (" ".join(filter(None, (alarm["code"], alarm["detail"]))), alarm["seat"]) for alarm in attention["alarms"]
        ]
        alarms = [code for code, seat in codes if code != "edges-lost" or not seat]
        seats = {seat["seat"]: self._seat(seat) for seat in state["seats"]}
        return Sight(
            state["phase"], state["sealed"], state["out_of_service"], seats, state["meters"], state["pot"],
            state["prizes"], attention["failed"], alarms, len(codes) - len(alarms), attention["key"],
        )  # fmt: skip

    def _seat(self, seat: dict[str, Any]) -> Seat:
        return Seat(
            seat["status"] == "open",
            seat["reason"],
            seat["credits"],
            int(Decimal(seat["bet"]) / self.unit),
            int(Decimal(seat["owed"]) / self.unit),
            seat["lamp"] == "lit",
            self.electricity.lamp_lit(seat["seat"]),
        )

    @property
    def unit(self) -> Decimal:
        """The smallest bet, in the currency's unit."""
        return self.smallest / Decimal(10**self.served.config.setup.digits)

    def journaled(self, since: int = 0) -> Iterator[dict[str, Any]]:
        """The journal's entries since the start, but for the first `since` messages."""
        return (said["event"] for said in self.eyes.streamed[since:] if "event" in said)

    async def counter(self) -> list[str]:
        """The counter beside the table has had a pulse for each credit that was sealed since the start, and no more."""
        sealed = sum(entry["total"] for entry in self.journaled() if entry["kind"] == "RoundSealed")
        credits = sealed // self.served.config.setup.denomination
        await asyncio.sleep(PULSES_S)
        return [] if self._pulses() == credits > 0 else [f"{self._pulses()} pulses for {credits} sealed credits"]

    def _pulses(self) -> int:
        return self.electricity.pulses - self._counted

    def held_back(self) -> None:
        """One finding: how much was tried once more, or passed over, since gpio-sim had held back an edge. A table that
        loses edges by itself spoils more than that."""
        spoilt = {
            "prepared once more": "preparations",
            "reopened once more": "reopenings",
            "edges lost at a seat": "preparations",
            "alarms of lost edges at a seat": "preparations",
        }
        detail, ok = [], True
        for what, of in spoilt.items():
            ok &= self.tally[what] <= 1 + HELD_BACK * self.tally[of]
            detail.append(f"{what}: {self.tally[what]} of {self.tally[of]}")
        tell(f"edges held back at the table with {self.electricity.acceptor} spoil few trials", ok, "; ".join(detail))

    # --- bringing it somewhere ------------------------------------------------------------------------------------

    async def reach(self, phase: Phase, seats: Iterable[int]) -> list[str]:
        """From idle to `phase`, with a bet each at `seats` and at the healthy one; what is wrong on the way. Once more,
        if an edge was held back: that is not on trial here, and it is counted."""
        wanted = tuple(seats)
        self.tally["preparations"] += 1
        wrong = await self._reach(phase, wanted)
        if wrong:
            self.tally["prepared once more"] += 1
            note(f"prepared once more, since {'; '.join(wrong)}")
            await self.put_right(patient=False)
            wrong = await self._reach(phase, wanted)
        return wrong

    async def _reach(self, phase: Phase, seats: Iterable[int]) -> list[str]:
        if not self.chips:
            await self._load({*seats, HEALTHY})
        if phase == "idle":
            return []
        self.electricity.turn_key("open")
        await self.electricity.quiet(QUIET_S)
        betting = {HEALTHY} if phase == "bare" else {*seats, HEALTHY}
        for number in betting:
            self.bet(number)
        await self.electricity.quiet(QUIET_S if phase == "sealed" else 0)
        if phase == "sealed":
            self.electricity.turn_key("locked")
            await self.electricity.quiet(0)
        wrong = ["nobody has looked"]
        for _ in range(5):
            if wrong:
                await asyncio.sleep(QUIET_S)
                wrong = self._reached(phase, betting, await self.look())
        return wrong

    def _reached(self, phase: Phase, betting: set[int], sight: Sight) -> list[str]:
        bets = {number: self.least if number in betting else 0 for number in self.seats}
        found = {number: seat.bet for number, seat in sight.seats.items()}
        wrong = [] if found == bets else [f"before: bets {found}"]
        wrong += [] if sight.sealed == (phase == "sealed") else [f"before: {sight.phase}, sealed {sight.sealed}"]
        wrong += [f"before: {what}" for what in lamps(sight)]
        closed = {number: seat.reason for number, seat in sight.seats.items() if not seat.open}
        more = f"closed {closed}, alarms {sight.alarms}, edges lost by {sight.lost} seats"
        return [*wrong, more] if wrong else []

    def bet(self, seat: int) -> None:
        """The least that is a bet."""
        for _ in range(self.least):
            if self.chips:
                self.electricity.chip(seat)
            else:
                self.electricity.press(seat)

    async def _load(self, seats: Iterable[int]) -> None:
        wanted = sorted(seats)
        sight = await self.look()
        for seat in wanted:
            if sight.seats[seat].credits < 5:
                await self.told("ana", f"load {seat} {CREDITS}")

    async def end_round(self) -> list[str]:
        """Lock, settle, and pay what there is; what is refused."""
        refused = []
        self.electricity.turn_key("locked")
        await self.electricity.quiet(QUIET_S)
        sight = await self.look()
        if sight.phase == "locked":
            refused += await self.told("ana", "settle")
            sight = await self.look()
        if sight.phase == "paying":
            for prize in sight.prizes:
                if prize["status"] == "unapproved":
                    refused += await self.told("ana", f"approve {prize['seat']}")
                refused += await self.told("ana", f"paid {prize['seat']}")
        return refused

    async def settled(self) -> Sight:
        """Look, when what was mended is seen to work, or ought to be: a commit may take a while on a busy machine."""
        sight = await self.look()
        for _ in range(8):
            if sight.failed:
                await asyncio.sleep(2 * QUIET_S)
                sight = await self.look()
        return sight

    async def told(self, who: str, line: str) -> list[str]:
        """Somebody gives a command; its refusal, if it is refused."""
        if who not in self._there:
            self._there[who] = await self.served.login(who)
        said = await self._there[who].command(line)
        return [] if said["ok"] else [f"{line}: {said.get('refusal') or said.get('error')}"]

    async def put_right(self, *, patient: bool = True) -> list[str]:
        """Everything is mended: end the round, hand back, reopen, acknowledge. What cannot be put right. Who is not
        `patient` leaves a seat that was noisy closed: its noise is forgotten after a minute."""
        wrong = await self.end_round()
        sight = await self.look()
        noisy = {number for number, seat in sight.seats.items() if seat.reason == "noise"}
        if noisy and patient:
            await self._forgotten(noisy)
        shut = [n for n, seat in sight.seats.items() if not seat.open and (patient or n not in noisy)]
        self.tally["reopenings"] += len(shut)
        sight, refused = await self._reopened(shut)
        wrong += refused
        if failed := [number for number in shut if not sight.seats[number].open]:
            # gpio-sim holds back a sense's edge now and then: the lamp's test fails, and a technician tries again.
            self.tally["reopened once more"] += len(failed)
            note(f"reopened once more: {failed}")
            sight, refused = await self._reopened(failed)
            wrong += refused
        for number, seat in sight.seats.items():
            if seat.owed:
                wrong += await self.told("ana", f"ack {number}")
        self.tally["alarms of lost edges at a seat"] += sight.lost
        if sight.alarms or sight.lost:
            wrong += await self.told("ana", "ack")
        sight = await self.look()
        shut = [n for n, seat in sight.seats.items() if not seat.open and (patient or n not in noisy)]
        wrong += [f"still closed: {shut}"] if shut else []
        wrong += [f"still failed: {sight.failed}"] if sight.failed else []
        wrong += [f"still {sight.phase}"] if sight.phase != "idle" else []
        owed = {number: seat.owed for number, seat in sight.seats.items() if seat.owed}
        wrong += [f"still owed: {owed}"] if owed else []
        return wrong

    async def _reopened(self, shut: Collection[int]) -> tuple[Sight, list[str]]:
        """The technician reopens seats: what there is to see then, and what was refused."""
        refused = [each for number in shut for each in await self.told("leo", f"reopen {number}")]
        sight = await self.look()
        for _ in range(5):  # a lamp's test takes its time
            if any(not sight.seats[number].open for number in shut):
                await self.electricity.quiet(QUIET_S)
                sight = await self.look()
        return sight, refused

    async def _forgotten(self, noisy: set[int]) -> None:
        """Wait until the table has heard nothing of these seats for a minute, and says so."""
        for _ in range(FORGET_NOISE_S):
            works: set[int] = set()
            for entry in self.journaled():
                if entry["kind"] == "NoiseCounted":
                    works.discard(entry["seat"])
                elif entry["kind"] == "PartWorks" and entry["part"] == "noise":
                    works.add(entry["seat"])
            if noisy <= works:
                return
            await asyncio.sleep(1)
            await self.look()  # what was told meanwhile

    def pin(self, line: str) -> Pin:
        """The line that is called so: `key_open`, `jumper in`, `button 1`, `chip 1 1000`, `lamp 3`, `dealer up` … Not
        the meter's: it is driven, and nothing senses what hangs at it, so whatever is amiss there changes nothing."""
        what, *more = line.split()
        wiring = self.wiring
        if what in ("key_open", "key_locked"):
            pin: Pin = getattr(wiring, what)
            return pin
        if what == "jumper":
            return wiring.loop_in if more[0] == "in" else wiring.loop_out
        if what == "dealer":
            return dict(wiring.dealer_keys)[more[0]]
        seat = wiring.seats[int(more[0]) - 1]
        if what == "chip":
            return dict(seat.chips)[int(more[1])]
        found = {"lamp": seat.lamp, "sense": seat.sense, "button": seat.button}[what]
        assert found is not None
        return found


# --- what holds whatever fails ---------------------------------------------------------------------------------


def lamps(sight: Sight, but: Collection[int] = ()) -> list[str]:
    """A lamp is lit where there is a bet, and nowhere else (2.6); `but` at seats whose lamp is on trial."""
    wrong = []
    for number, seat in sight.seats.items():
        if number not in but and seat.lit != (seat.bet > 0):
            wrong.append(f"seat {number} is {'lit' if seat.lit else 'dark'} with a bet of {seat.bet}")
    return wrong


def books(sight: Sight, opening: Decimal) -> list[str]:
    """The identities of 3.3; the main pot opened with `opening`, the reserve with nothing."""
    m = {name: Decimal(value) for name, value in sight.meters.items() if not isinstance(value, dict)}
    main, reserve = Decimal(sight.pot["main"]), Decimal(sight.pot["reserve"])
    prizes = m["fixed_prizes"] + m["share_prizes"]
    from_main = prizes - m["reserve_cover"] - m["house_cover"]
    seeds = m["seed_reserve"] + m["seed_house"]
    holds = {
        "bets": m["bets"] == m["commission"] + m["to_reserve"] + m["to_main"],
        "main": main == opening + m["to_main"] + seeds - from_main - m["overflow"],
        "reserve": reserve == m["to_reserve"] + m["overflow"] - m["seed_reserve"] - m["reserve_cover"],
        "turnover": m["turnover"] - m["returned"] == m["bets"],
    }
    return [f"3.3 does not hold for {name}: {sight.meters}, {sight.pot}" for name, held in holds.items() if not held]


def untouched(before: Sight, after: Sight, but: Collection[int]) -> list[str]:
    """Nothing has become of the other seats, or of their bets."""
    return [
        f"seat {number} was {before.seats[number]} and is {seat}"
        for number, seat in after.seats.items()
        if number not in but and seat != before.seats[number]
    ]
