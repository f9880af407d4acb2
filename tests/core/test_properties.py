"""Properties over random tables: whatever players, people, parts and power do, the rules hold after every step.

What is checked, and by which clause, stands in `world`: `World.feed` checks it all after every single input.
"""

from __future__ import annotations

from typing import Literal

from hypothesis import strategies as st
from hypothesis.stateful import precondition, rule

from controller.core import inputs as do
from controller.core.cards import Hand
from controller.core.deadlines import deadlines
from controller.core.decide import advance, decide
from controller.core.inputs import Command, PotAnswer, Start, Timeout
from controller.core.money import Minor
from controller.core.pot import respond
from hal.port import PartFailed
from tests.core.machines import BETS, POSITIONS, SEATS, SHOWN, Hands, Office, Parts, Wires, anything, more
from tests.core.world import EVERYBODY, SECOND, changes


class Money(Hands):
    """One round after another on hardware that works, with everything that moves money in between."""

    @precondition(lambda self: self.idle())
    @rule(bets=BETS, shown=SHOWN, folds=st.one_of(st.just(99), SEATS), how=st.integers(0, 3))
    def a_round(self, bets: list[int], shown: list[Hand], folds: int, how: int) -> None:
        """A round is dealt and locked; mostly it is shown down, settled and paid too."""
        self.open_and_bet(bets)
        self.world.settle_down()
        self.world.turn("locked")
        self.world.settle_down()
        assert self.sealed(), "2.8: everybody reported and every lamp is lit"
        if how:
            self.showdown(shown, folds)
        if how > 2 and self.paying():
            self.pay_all(how + folds)

    @rule(change=changes())
    def schedule(self, change: tuple[str, str]) -> None:
        self.world.act(do.Schedule(*change))

    @precondition(lambda self: self.idle())
    @rule(what=st.sampled_from(["main", "reserve", "in", "out"]), amount=st.integers(-100, 10**6))
    def two_people_act(self, what: Literal["main", "reserve", "in", "out"], amount: int) -> None:
        if what == "out":
            self.world.act(do.Transfer("t2", "moved"))
        elif what == "in":
            self.world.act(do.Receive("t2", amount, 12_345, "moved"))
        else:
            self.world.act(do.Correct(what, Minor(amount), "counted twice"))

    @precondition(lambda self: self.paying())
    @rule(n=SEATS)
    def deny(self, n: int) -> None:
        settlement = self.world.table.settlement
        assert settlement is not None
        self.world.act(do.Deny(settlement.prizes[n % len(settlement.prizes)].seat, "the hand was exchanged"))

    @rule(n=SEATS, which=st.integers(0, 99))
    def slow_pot(self, n: int, which: int) -> None:
        """9.3: while the pot owes an answer nothing else asks it; in the end all is as if it had answered at once."""
        acts = anything(self.seat(n))
        command = Command(acts[which % len(acts)], EVERYBODY, SECOND)
        asked = decide(self.world.table, command).state
        if asked.asked is None:
            return
        for act in acts:
            meanwhile = decide(asked, Command(act, EVERYBODY, SECOND))
            assert meanwhile.state.asked == asked.asked, f"9.3: {act} while an answer is pending"
            assert meanwhile.state.pot == asked.pot, f"9.3: {act} while an answer is pending"
        restarted = decide(asked, Start(asked.boot + 1, "test"))
        assert restarted.state.asked == asked.asked, "8.3, 9.3: a restart forgot what the pot owes"
        while asked.asked is not None:
            answer = PotAnswer(asked.asked.key, respond(asked.pot, asked.asked.ask))
            asked = decide(asked, answer).state
        assert asked == advance(self.world.table, command).state, "9.1"

    @precondition(lambda self: not self.idle())
    @rule(n=SEATS)
    def seat_fails(self, n: int) -> None:
        self.world.feed(PartFailed(self.seat(n), "button", self.world.stamp()))


class Lock(Wires, Parts):
    """The lock, over and over, with everything late, early, dark or silent."""

    @rule(n=SEATS, anew=st.booleans(), then=st.integers(0, 2), cut=st.booleans())
    def lamp_dies_in_play(self, n: int, anew: bool, then: int, cut: bool) -> None:
        """2.6: a lamp that has lit for one bet dies before the next, perhaps with a power cut behind the lock."""
        self.be_betting()
        world, seat = self.world, self.seat(n)
        first = world.table.pot.params.bet_max // world.step + 1 if anew else 1
        if world.table.setup.acceptor == "credits":
            world.act(do.Load(seat, 1 + first + then))
        for _ in range(first):
            self.play(seat, 1)
            world.settle_down()
        world.lamp[seat - 1] = "open"
        self.play(seat, then)
        world.deliver(seat)
        world.turn("locked")
        world.deliver_all()
        if cut:
            world.power_cut("locked")
        for deadline in deadlines(world.table):
            world.feed(Timeout(deadline))

    @precondition(lambda self: self.sealed() or self.paying())
    @rule()
    def round_is_over(self) -> None:
        if self.sealed():
            self.world.act(do.Settle())
        else:
            self.world.act(do.Void("enough"))

    @rule(key=POSITIONS)
    def power_cut(self, key: Literal["open", "locked"]) -> None:
        self.world.power_cut(key)

    @rule(n=SEATS)
    def close(self, n: int) -> None:
        self.world.act(do.Close(self.seat(n)))

    @precondition(lambda self: self.betting())
    @rule(n=SEATS)
    def no_ante(self, n: int) -> None:
        self.world.act(do.Irregular("no-ante", self.seat(n)))


class Evening(Wires, Parts, Hands, Office):
    """Everything at once."""


TestMoney, TestLock, TestEvening = Money.TestCase, Lock.TestCase, Evening.TestCase
TestMoney.settings = more(2)
TestLock.settings = more(3)
TestEvening.settings = more(2)
