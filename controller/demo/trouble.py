"""What goes wrong at a table, and who puts it right: lamps burn out, plugs come off, the power goes."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from random import Random

from controller.core import inputs as do
from controller.core.messages import msg
from controller.core.state import Table
from controller.demo.chronicle import Chronicle
from controller.demo.house import House
from controller.demo.people import TECHNICIAN
from controller.view import view
from hal.simulated.table import SeatPart

SILENCE_S = 0.5
"""Seconds in which an unplugged seat has been found silent for sure (fault table)."""


class StateLostError(Exception):
    """After a power cut the table did not stand where it stood (8.3): this would be a bug, and ends the demo."""


class Trouble:
    """Breaks what is at `house`, and has it mended."""

    def __init__(
        self, house: House, chronicle: Chronicle, rng: Random, pause: Callable[[float], Awaitable[None]]
    ) -> None:
        self._house = house
        self._chronicle = chronicle
        self._rng = rng
        self._pause = pause
        self._broken: dict[int, SeatPart] = {}

    def _working(self, *, with_bet: bool = False) -> list[int]:
        state = self._house.state
        return [
            seat.seat
            for index, seat in enumerate(state.seats)
            if seat.closed is None and (not with_bet or (state.round is not None and bool(state.round.bets[index].bet)))
        ]

    async def before_the_lock(self) -> None:
        """A lamp burns out or a plug comes off while betting is open: the seat closes, its bet goes back (2.6)."""
        seats = self._working(with_bet=True) or self._working()
        if seats:
            await self._break(self._rng.choice(seats), self._rng.choice(("lamp", "node")))

    async def lamp_after_the_lock(self) -> None:
        """Sometimes a lamp burns out once the bets are sealed: the bet stands, its prize needs approval (2.10)."""
        seats = self._working(with_bet=True)
        if seats and self._rng.random() < 0.4:
            await self._break(self._rng.choice(seats), "lamp")

    async def _break(self, seat: int, part: SeatPart) -> None:
        sentence = {
            "lamp": msg("The lamp of seat {seat} burns out."),
            "node": msg("A cable comes off under seat {seat}."),
        }[part]
        self._chronicle.say(sentence, seat=seat)
        self._broken[seat] = part
        self._house.hardware.break_part(part, seat)
        await asyncio.sleep(SILENCE_S)
        await self._house.settled()
        await self._pause(1.0)

    async def mend(self) -> None:
        """Between rounds the technician may come: puts right what is broken, tests it, reopens the seat (2.10)."""
        if not self._broken or self._rng.random() < 0.3:
            return
        for seat, part in sorted(self._broken.items()):
            await self._pause(1.0)
            self._chronicle.say(msg("The technician mends seat {seat}."), seat=seat)
            self._house.hardware.mend_part(part, seat)
            await self._house.settled()
            await self._pause(0.6)
            if self._house.state.seats[seat - 1].closed is not None:
                await self._house.order(do.Reopen(seat), TECHNICIAN)
        self._broken.clear()

    async def power_cut(self) -> None:
        """The power goes in the middle of it all, and comes back. Raises StateLostError, JournalError."""
        house, say = self._house, self._chronicle.say
        before = house.state
        say(msg("POWER CUT. Everything is dark; nobody could save anything."))
        await house.power_cut()
        await self._pause(3.0)
        await house.power_on()
        after = house.state
        if view(before) != view(after):
            raise StateLostError(f"before the cut: {view(before)}\nafter it: {view(after)}")
        chips = after.setup.acceptor == "chips"
        say(
            msg("The power is back, all as it was: {bets} bets, pot {pot}.")
            if chips
            else msg("The power is back, all as it was: {bets} bets, {credits} credits, pot {pot}."),
            bets=_bets(after),
            credits=sum(seat.credits for seat in after.seats),
            pot=self._chronicle.money.of_units(after.pot.main),
        )
        await self._pause(1.5)


def _bets(table: Table) -> int:
    return 0 if table.round is None else sum(1 for bet in table.round.bets if bet.bet)
