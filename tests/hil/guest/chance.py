"""Running play, and what befalls it: faults of random lines at random moments, of which the sequence is fixed.

Nobody says here what each must lead to; what may never happen is watched: a bet of a seat that is well is lost, one is
made up, the books do not balance, a lamp is lit without a bet, or dark with one.
"""

from __future__ import annotations

import asyncio
from random import Random
from typing import Literal, NamedTuple, get_args

from tests.hil.guest.report import tell
from tests.hil.guest.stand import QUIET_S, Sight, Stand, books
from tests.hil.guest.table import Sticking

SEED = 85
ROUNDS = 6
EACH = 4
"""Faults in one round."""

Moment = Literal["before the opening", "before the bets", "before the lock", "after the lock"]

SEATS = (1, 3, 4)
"""Whom something may befall; the others stay well."""

LINES = (
    *(f"{what} {seat}" for what in ("button", "lamp", "sense") for seat in SEATS),
    "key_open", "key_locked", "jumper in", "jumper out", "dealer ok",
)  # fmt: skip


class Fault(NamedTuple):
    """What befalls which line, and when."""

    line: str
    how: Sticking
    moment: Moment
    lasts: float
    """Seconds, or until the end of the round."""


async def at_random(stand: Stand) -> None:
    """All rounds."""
    rng = Random(SEED)
    for number in range(1, ROUNDS + 1):
        faults = [_fault(rng) for _ in range(EACH)]
        wrong, back = await _Round(stand, faults, rng).run()
        what = ", ".join(f"{f.line} {f.how} {f.moment} {f.lasts:g} s" for f in faults)
        tell(
            f"random {number}: {what}: no healthy bet lost, none made up, books balance (3.3)", not wrong, _said(wrong)
        )
        if not tell(f"random {number}: {what}: the way back (2.10)", not back, _said(back)):
            await stand.anew()


def _said(wrong: list[str]) -> str:
    return "; ".join(wrong)


def _fault(rng: Random) -> Fault:
    how, moment = rng.choice(get_args(Sticking)), rng.choice(get_args(Moment))
    return Fault(rng.choice(LINES), how, moment, rng.choice((0.004, 0.06, 0.5, 3)))


class _Round:
    """One round, with its faults."""

    def __init__(self, stand: Stand, faults: list[Fault], rng: Random) -> None:
        self.stand, self.faults, self.rng = stand, faults, rng
        self.wrong: list[str] = []
        self.mending: list[asyncio.Task[None]] = []

    async def run(self) -> tuple[list[str], list[str]]:
        """Play it; what happened that never may, and what could not be put right."""
        stand, hands = self.stand, self.stand.electricity
        for number, seat in (await stand.look()).seats.items():
            if seat.credits < 5:
                await stand.told("ana", f"load {number} 40")
        before = await stand.look()
        await self._befall("before the opening")
        hands.turn_key("open")
        await hands.quiet(QUIET_S)
        await self._befall("before the bets")
        opened = await self._seen(before)
        pressed = {number: self.rng.randint(0, 2) for number in stand.seats}
        for number, times in pressed.items():
            hands.press(number, times)
        await hands.quiet(QUIET_S)
        betting = await self._seen(before)
        self._bet(opened, betting, pressed)
        await self._befall("before the lock")
        self._same_bets(betting, await self._seen(before))
        hands.turn_key("locked")
        await hands.quiet(0.25 + QUIET_S)
        locked = await self._seen(before)
        self._same_bets(betting, locked)
        await self._befall("after the lock")
        self._same_bets(locked, await self._seen(before))
        return self.wrong, await self._mend()

    async def _befall(self, moment: Moment) -> None:
        hands = self.stand.electricity
        for fault in self.faults:
            if fault.moment == moment:
                pin = self.stand.pin(fault.line)
                hands.stick(pin, fault.how)
                self.mending.append(asyncio.create_task(self._pass(fault)))
        await asyncio.sleep(self.rng.choice((0.01, 0.1, 0.3, 1)))

    async def _pass(self, fault: Fault) -> None:
        await asyncio.sleep(fault.lasts)
        self.stand.electricity.unstick(self.stand.pin(fault.line))

    async def _seen(self, before: Sight) -> Sight:
        """Look, and watch what must always hold. A seat's worth is what it was: nothing is settled yet."""
        sight = await self.stand.look()
        self.wrong += books(sight, self.stand.opening)
        faulty = self._faulty()
        for number, seat in sight.seats.items():
            was = before.seats[number].worth
            if seat.worth != was:
                self.wrong.append(f"seat {number} was worth {was} and is worth {seat.worth}")
            if number not in faulty and seat.lit != (seat.bet > 0):
                self.wrong.append(f"seat {number} is {'lit' if seat.lit else 'dark'} with a bet of {seat.bet}")
        if sight.out_of_service:
            self.wrong.append(f"out of service: {sight.out_of_service}")
        return sight

    def _faulty(self) -> set[int]:
        words = [fault.line.split() for fault in self.faults]
        return {int(more[0]) for _, *more in words if more and more[0].isdigit()}

    def _bet(self, opened: Sight, betting: Sight, pressed: dict[int, int]) -> None:
        """What was pressed is bet, where seats are well and betting has been open all the while: it does not open again
        without a turn of the key (2.9)."""
        faulty = self._faulty()
        if (opened.phase, betting.phase) != ("betting", "betting"):
            return
        for number, seat in betting.seats.items():
            if number not in faulty and seat.open and seat.bet != pressed[number]:
                self.wrong.append(f"the bet of seat {number} is {seat.bet}, and {pressed[number]} was pressed")

    def _same_bets(self, before: Sight, after: Sight) -> None:
        """Nobody has touched anything in between, and these seats are well."""
        faulty = self._faulty()
        for number, seat in after.seats.items():
            if number not in faulty and seat.bet != before.seats[number].bet:
                self.wrong.append(f"the bet of seat {number} was {before.seats[number].bet} and is {seat.bet}")

    async def _mend(self) -> list[str]:
        for task in self.mending:
            task.cancel()
        for pin in self.stand.electricity.stuck:
            self.stand.electricity.unstick(pin)
        await asyncio.sleep(2.5 if any(fault.line.startswith("jumper") for fault in self.faults) else QUIET_S)
        return await self.stand.put_right()
