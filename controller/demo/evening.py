"""An evening at the table: round after round, the dealer, the players, the supervisor, and now and then trouble.

One act at a time, each awaited until everything that it leads to is over. All chance comes from one generator, so an
evening can be played again exactly; its pauses are for the eye only.
"""

from __future__ import annotations

import asyncio
from random import Random

from controller.core import inputs as do
from controller.core.messages import msg
from controller.core.panel import owed
from controller.core.state import Round
from controller.demo.chronicle import Chronicle
from controller.demo.game import Game
from controller.demo.house import House
from controller.demo.luck import Bag
from controller.demo.people import DEALER, SUPERVISOR, Act, Player, limits, merged
from controller.demo.trouble import Trouble

TROUBLE = ("power", "fault", "late", "odd", "", "")
"""What befalls six rounds, in an order that is drawn: "odd" is a misdeal now and then."""


class EnoughError(Exception):
    """Somebody wants the evening to end."""


class Evening:
    """Everybody at the table of `house`, until `enough` is set. `lucky`: the deck is stacked now and then."""

    def __init__(self, house: House, chronicle: Chronicle, rng: Random, enough: asyncio.Event, *, lucky: bool) -> None:
        setup = house.config.setup
        self.players = {seat: Player(seat, rng) for seat in range(1, setup.seats + 1)}
        self.game = Game(house, chronicle, rng, self.pause)
        self._house = house
        self._chronicle = chronicle
        self._rng = rng
        self._enough = enough
        self._lucky = lucky
        self._luck = Bag(rng, ("fixed", "fixed", "share", "grand", "", ""), first="fixed")
        self._trouble = Bag(rng, TROUBLE, first="")
        self._fate = Trouble(house, chronicle, rng, self.pause)
        self._power_in = ""

    async def play(self, rounds: int | None) -> None:
        """Play `rounds`, or until it is enough. Raises EnoughError, TableStoppedError, JournalError."""
        played = 0
        while rounds is None or played < rounds:
            await self._round()
            played += 1

    async def pause(self, seconds: float) -> None:
        """Let the eye follow. Raises EnoughError as soon as it is enough."""
        try:
            async with asyncio.timeout(seconds):
                await self._enough.wait()
        except TimeoutError:
            return
        raise EnoughError

    # --- a round -----------------------------------------------------------------------------------------

    async def _round(self) -> None:
        trouble = self._trouble.draw()
        self._power_in = self._rng.choice(("betting", "locked", "paying")) if trouble == "power" else ""
        luck = self._luck.draw() if self._lucky else ""
        house = self._house
        self.game.clear()
        house.hardware.turn_key("open")
        await house.settled()
        await self._betting(trouble)
        await self._lock(trouble)
        await self.pause(1.2)
        await self._between("locked")
        if trouble == "odd" and self._rng.random() < 0.4 and self._round_now is not None:
            await self.game.misdeal()
        else:
            if trouble == "fault":
                await self._fate.lamp_after_the_lock()
            if self._round_now is not None:
                await self.game.play(luck)
            await self._pay()
        await self._clear_up()

    @property
    def _round_now(self) -> Round | None:
        return self._house.state.round

    async def _between(self, phase: str) -> None:
        """The moment of a round at which its power cut comes, if it has one."""
        if self._power_in == phase:
            self._power_in = ""
            await self._fate.power_cut()

    # --- betting -----------------------------------------------------------------------------------------

    async def _betting(self, trouble: str) -> None:
        house, rng = self._house, self._rng
        state = house.state
        bounds = limits(state)
        plans = [
            player.plan(rng, state.setup.acceptor, bounds, state.seats[seat - 1].credits)
            for seat, player in self.players.items()
        ]
        acts = merged(plans)
        crisis = rng.randrange(len(acts)) if acts else -1
        clock = 0.0
        for n, act in enumerate(acts):
            await self.pause(max(0.05, act.at - clock))
            clock = act.at
            await self._act(act)
            if n == crisis:
                if trouble == "fault":
                    await self._fate.before_the_lock()
                await self._between("betting")
        await self.pause(1.5)

    async def _act(self, act: Act) -> None:
        house = self._house
        seat = house.state.seats[act.seat - 1]
        if seat.closed is not None or owed(seat):
            return  # a player whose seat is dark, or flashes, sees it
        if act.deed == "buy":
            await house.order(do.Load(act.seat, act.credits), DEALER)
        elif act.deed == "press":
            house.hardware.press(act.seat)
        else:
            house.hardware.chip(act.seat)
        await house.settled()

    async def _lock(self, trouble: str) -> None:
        """The key is turned; sometimes a hand is quicker, sometimes one is not quick enough (2.8)."""
        house, rng = self._house, self._rng
        quick = 0
        if rng.random() < 0.3:
            quick = self._hand_at_the_lock(msg("A hand at seat {seat} is just quicker than the key …"))
        house.hardware.turn_key("locked")
        if trouble == "late":
            self._hand_at_the_lock(msg("A hand at seat {seat} is just later than the key …"), but=quick)
        await house.settled()

    def _hand_at_the_lock(self, sentence: str, but: int = 0) -> int:
        """Somebody with a bet, `but` not that seat, adds to it in this instant. Returns the seat; 0 if nobody can."""
        house = self._house
        state = house.state
        assert state.round is not None
        most, credit = state.pot.params.bet_max, state.setup.denomination
        able = [
            seat.seat
            for seat, bet in zip(state.seats, state.round.bets, strict=True)
            if seat.closed is None and seat.seat != but and not owed(seat) and 0 < bet.bet <= most - credit
            and (seat.credits or state.setup.acceptor == "chips")
        ]  # fmt: skip
        if not able:
            return 0
        seat = self._rng.choice(able)
        self._chronicle.say(sentence, seat=seat)
        if state.setup.acceptor == "chips":
            house.hardware.chip(seat)
        else:
            house.hardware.press(seat)
        return seat

    # --- money -------------------------------------------------------------------------------------------

    async def _pay(self) -> None:
        """Settle; approve what needs it; pay, seat 1 upward (5.11)."""
        house = self._house
        if self._round_now is not None:
            await house.order(do.Settle(), DEALER)
        settlement = house.state.settlement
        if self._round_now is None or settlement is None:
            return
        await self.pause(1.5)
        await self._between("paying")
        for prize in settlement.prizes:
            if prize.status == "unapproved":
                await self.pause(1.0)
                await house.order(do.Approve(prize.seat), SUPERVISOR)
            await self.pause(1.0)
            await house.order(do.Paid(prize.seat), DEALER)

    async def _clear_up(self) -> None:
        """Between rounds: chips handed back, seats mended, alarms seen, now and then somebody cashes out."""
        house, rng = self._house, self._rng
        if self._power_in:  # a cut meant for the payment of a round that won nothing
            await self._between(self._power_in)
        for seat in house.state.seats:
            if owed(seat):
                await self.pause(0.8)
                await house.order(do.Ack(seat.seat), DEALER)
        await self._fate.mend()
        if house.state.alarms:
            await house.order(do.Ack(), SUPERVISOR)
        rich = [seat.seat for seat in house.state.seats if seat.credits > 12]
        if rich and rng.random() < 0.25:
            await house.order(do.CashOut(rng.choice(rich)), DEALER)
        self._chronicle.pause()
        await house.tidy()
        await self.pause(1.5)
