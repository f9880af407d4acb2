"""What can be tried at a random table: state machines, one for each kind of hand, part and person at it.

What is checked, and by which clause, stands in `world`: `World.feed` checks it all after every single input.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule

from controller.core import inputs as do
from controller.core.cards import Card, Hand
from controller.core.deadlines import deadlines
from controller.core.events import TableOpened
from controller.core.inputs import Act, Actor, Command, OutOfService, PotAnswer, Timeout
from controller.core.money import Minor, Units
from controller.core.panel import owed
from controller.core.pot import Moved
from controller.core.state import Role
from hal.port import (
    ChipDropped,
    LampSensed,
    NoisePulse,
    Part,
    PartFailed,
    PartMended,
)
from tests.core.world import (
    EVERYBODY,
    MS,
    ROLES,
    SECOND,
    World,
    changes,
    five_cards,
    hands,
    openings,
)

SEATS = st.integers(0, 5)
BETS = st.lists(st.sampled_from([1, 0, 2, 3, 1, 4]), min_size=6, max_size=6)
SHOWN = st.lists(hands(), min_size=6, max_size=6)
POSITIONS: st.SearchStrategy[Literal["open", "locked"]] = st.sampled_from(["open", "locked"])
BREAKABLE: st.SearchStrategy[Part] = st.sampled_from(["button", "slot", "node"])


class Table(RuleBasedStateMachine):
    """One table, from its opening on, and the questions that say what can be tried."""

    world: World

    @initialize(opening=openings())
    def open_table(self, opening: TableOpened) -> None:
        self.world = World(opening)

    def seat(self, n: int) -> int:
        return n % self.world.seats + 1

    def phase(self) -> str:
        round = self.world.table.round
        return "idle" if round is None else round.phase

    def betting(self) -> bool:
        return self.phase() == "betting"

    def sealed(self) -> bool:
        round = self.world.table.round
        return round is not None and round.sealed and round.phase == "locked"

    def paying(self) -> bool:
        return self.phase() == "paying"

    def idle(self) -> bool:
        return self.phase() == "idle"

    def undoable(self) -> bool:
        settlement = self.world.table.settlement
        return settlement is not None and settlement.undo is not None

    def make_ready(self) -> None:
        """Whatever stands in the way of the next opening is put right."""
        world = self.world
        for seat in world.table.seats:
            n = seat.seat - 1
            world.alive[n], world.lamp[n] = True, "good"
            for part in seat.failed:
                if part != "lamp":
                    world.feed(PartMended(seat.seat, part, world.stamp()))
            if seat.closed:
                world.act(do.Reopen(seat.seat))
            if owed(seat):
                world.act(do.Ack(seat.seat))
        for part in world.table.failed:
            world.feed(PartMended(0, part, world.stamp()))
        world.settle_down()
        if world.table.service:
            world.act(do.Service(False))
        if world.table.pot.closed:
            world.act(do.Receive("t2", 0, 0, "back again"))
        if world.table.out_of_service:
            world.feed(OutOfService(""))

    def open_and_bet(self, bets: list[int]) -> None:
        """A fresh turn of the key, and players who bet; it is on its way when this returns."""
        world = self.world
        self.make_ready()
        world.turn("locked")
        world.turn("open")
        world.deliver_all()
        for seat, times in zip(range(1, world.seats + 1), bets, strict=False):
            if times and world.table.setup.acceptor == "credits":
                world.act(do.Load(seat, times + 1))
            self.play(seat, times)

    def be_betting(self) -> None:
        """Betting is open: a round that is locked is void first, or paid if it cannot be void."""
        world = self.world
        if self.betting():
            return
        world.feed(OutOfService(""))
        if not self.idle():
            world.act(do.Void("another one"))
        if self.paying() and world.table.settlement is not None:
            for prize in world.table.settlement.prizes:
                world.act(do.Approve(prize.seat))
                world.act(do.Paid(prize.seat))
        self.open_and_bet([])

    def play(self, seat: int, times: int) -> None:
        """So many presses, or chips, are on their way."""
        for _ in range(times):
            self.world.play(seat)


class Wires(Table):
    """Players, the key, and what is under way on the wires while it turns (2)."""

    @rule(n=SEATS, times=st.integers(1, 5), arrives=st.booleans())
    def players_act(self, n: int, times: int, arrives: bool) -> None:
        seat = self.seat(n)
        self.play(seat, times)
        if arrives:
            self.world.deliver(seat)

    @rule(n=SEATS, value=st.sampled_from([0, -1, 1, 2, 7, 10, 10**9]))
    def odd_chip(self, n: int, value: int) -> None:
        """A chip of another value; some are no multiple of the smallest chip."""
        seat = self.seat(n)
        self.world.send(seat, ChipDropped(seat, value, self.world.stamp()))

    @rule(n=SEATS, credits=st.one_of(st.integers(1, 9), st.sampled_from([-1, 0, 999_999, 10**30])))
    def load(self, n: int, credits: int) -> None:
        self.world.act(do.Load(self.seat(n), credits))

    @rule(n=SEATS)
    def cash_out(self, n: int) -> None:
        self.world.act(do.CashOut(self.seat(n)))

    @rule(position=POSITIONS, arrives=st.booleans())
    def turn_key(self, position: Literal["open", "locked"], arrives: bool) -> None:
        self.world.turn(position)
        if arrives:
            self.world.deliver(0)

    @rule(source=st.integers(0, 6), most=st.integers(1, 3))
    def deliver(self, source: int, most: int) -> None:
        self.world.deliver(source % (self.world.seats + 1), most)

    @rule()
    def settle_down(self) -> None:
        self.world.settle_down()

    @rule(seconds=st.sampled_from([0, 1, 61]))
    def wait(self, seconds: int) -> None:
        self.world.now += seconds * 1_000 * MS

    @precondition(lambda self: self.idle())
    @rule(bets=BETS, arrives=st.booleans())
    def round_opens(self, bets: list[int], arrives: bool) -> None:
        self.open_and_bet(bets)
        if arrives:
            self.world.settle_down()

    @rule(
        n=SEATS,
        before=st.integers(0, 3),
        at_once=st.booleans(),
        after=st.integers(0, 3),
        key_first=st.booleans(),
        cashes=st.booleans(),
        more=st.integers(0, 2),
    )
    def race(self, n: int, before: int, at_once: bool, after: int, key_first: bool, cashes: bool, more: int) -> None:
        """2.8: a player acts before, at and after the edge; who is heard first does not matter."""
        self.be_betting()
        world, seat = self.world, self.seat(n)
        if world.table.setup.acceptor == "credits":
            world.act(do.Load(seat, 1 + before + more))
        self.play(seat, before)
        world.turn("locked", [seat] if at_once else [])
        self.play(seat, after)
        if not key_first:
            world.deliver(seat)
        if cashes:
            world.act(do.CashOut(seat))
            world.act(do.Load(seat, 1))
            self.play(seat, more)
            world.deliver(seat, 1)
        world.settle_down()

    @precondition(lambda self: self.betting())
    @rule()
    def lock_and_seal(self) -> None:
        self.world.turn("locked")
        self.world.settle_down()


class Parts(Table):
    """Parts that fail, lag and come back (2.6, 2.10, the fault table)."""

    @rule(n=SEATS, mode=st.sampled_from(["good", "good", "open", "short"]), seen=st.booleans())
    def lamp_becomes(self, n: int, mode: str, seen: bool) -> None:
        self.world.lamp[self.seat(n) - 1] = mode
        if seen:
            self.world.follow(self.seat(n))

    @rule(n=SEATS)
    def lamp_is_seen(self, n: int) -> None:
        self.world.follow(self.seat(n))
        self.world.deliver(self.seat(n))

    @rule(n=SEATS, lit=st.booleans())
    def lamp_flickers(self, n: int, lit: bool) -> None:
        seat = self.seat(n)
        self.world.light[seat - 1] = lit
        self.world.send(seat, LampSensed(seat, lit, self.world.stamp()))

    @rule(n=SEATS, part=BREAKABLE)
    def part_fails(self, n: int, part: Part) -> None:
        world, seat = self.world, self.seat(n)
        if part == "node":
            world.alive[seat - 1] = False
            world.wire[seat].clear()
        world.feed(PartFailed(seat, part, world.stamp()))

    @rule(n=SEATS, part=BREAKABLE)
    def part_is_mended(self, n: int, part: Part) -> None:
        world, seat = self.world, self.seat(n)
        world.alive[seat - 1] = world.alive[seat - 1] or part == "node"
        world.feed(PartMended(seat, part, world.stamp()))
        if part == "node":
            world.feed(LampSensed(seat, world.light[seat - 1], world.stamp()))

    @rule(part=st.sampled_from(["key", "display", "edges", "copy"]), mended=st.booleans(), n=st.integers(0, 6))
    def table_part(self, part: Part, mended: bool, n: int) -> None:
        seat = n % (self.world.seats + 1) if part == "edges" else 0
        self.world.feed(PartFailed(seat, part, self.world.stamp()))
        if mended:
            self.world.feed(PartMended(seat, part, self.world.stamp()))

    @rule(n=SEATS, pulses=st.sampled_from([1, 3, 11]))
    def noise(self, n: int, pulses: int) -> None:
        for _ in range(pulses):
            self.world.feed(NoisePulse(self.seat(n), self.world.stamp()))

    @precondition(lambda self: bool(deadlines(self.world.table)))
    @rule(which=st.integers(0, 9))
    def deadline_runs_out(self, which: int) -> None:
        due = deadlines(self.world.table)
        deadline = due[which % len(due)]
        self.world.now += deadline.after_ns
        self.world.feed(Timeout(deadline))

    @precondition(lambda self: bool(self.world.old_deadlines))
    @rule(which=st.integers(0, 20))
    def stale_deadline(self, which: int) -> None:
        """A time-out that was under way when what it waited for came to pass is ignored."""
        old = self.world.old_deadlines[which % len(self.world.old_deadlines)]
        if old not in deadlines(self.world.table):
            decision = self.world.feed(Timeout(old))
            assert not decision.events, f"design: the stale {old} did something"


class Hands(Table):
    """Between the seal and the last payment (5, 7.3)."""

    @precondition(lambda self: self.sealed())
    @rule(n=SEATS, hand=hands())
    def declare(self, n: int, hand: Hand) -> None:
        self.world.act(do.Declare(self.seat(n), hand))

    @precondition(lambda self: self.sealed())
    @rule(n=SEATS, cards=five_cards(), hand=st.one_of(st.none(), hands()))
    def declare_cards(self, n: int, cards: tuple[Card, ...], hand: Hand | None) -> None:
        self.world.act(do.Declare(self.seat(n), hand, cards))

    @precondition(lambda self: self.sealed())
    @rule(n=SEATS, act=st.sampled_from([do.Fold, do.Exchange, do.Restore, do.Undeclare]))
    def hand_changes(self, n: int, act: Callable[[int], Act]) -> None:
        self.world.act(act(self.seat(n)))

    @precondition(lambda self: self.sealed())
    @rule(shown=SHOWN, folds=st.one_of(st.just(99), SEATS))
    def showdown(self, shown: list[Hand], folds: int) -> None:
        """Hands are declared, then somebody turns out to have folded, and the round is settled."""
        for seat, hand in zip(range(1, self.world.seats + 1), shown, strict=False):
            self.world.act(do.Declare(seat, hand))
        if folds < self.world.seats:
            self.world.act(do.Fold(folds + 1))
        self.world.act(do.Settle())

    @precondition(lambda self: not self.idle())
    @rule(
        n=st.integers(0, 6),
        kind=st.sampled_from(["no-ante", "no-ante", "wrong-count", "information", "exposed", "player-cards", "?"]),
    )
    def irregular(self, n: int, kind: str) -> None:
        self.world.act(do.Irregular(kind, n % (self.world.seats + 1)))

    @precondition(lambda self: self.sealed())
    @rule()
    def settle(self) -> None:
        self.world.act(do.Settle())

    @precondition(lambda self: self.undoable())
    @rule()
    def unsettle(self) -> None:
        """5.15: what was settled and not paid is undone, to the last unit."""
        before = self.world.before_settle
        decision = self.world.act(do.Unsettle("wrong seat"))
        if decision.refusal is None:
            assert (self.world.books.main, self.world.books.reserve) == (before.main, before.reserve), "5.15"
            assert self.world.books.meters == before.meters, "5.15"

    @precondition(lambda self: not self.idle())
    @rule()
    def void(self) -> None:
        """5.13, 3.3: a void round restores both pots exactly."""
        start = self.world.before_round
        decision = self.world.act(do.Void("a card was seen"))
        if decision.refusal is None:
            assert (self.world.books.main, self.world.books.reserve) == (start.main, start.reserve), "5.13"

    @precondition(lambda self: self.paying())
    @rule(n=SEATS, act=st.sampled_from(["approve", "deny", "paid", "paid"]))
    def prize(self, n: int, act: str) -> None:
        settlement = self.world.table.settlement
        assert settlement is not None
        seat = settlement.prizes[n % len(settlement.prizes)].seat
        acts: dict[str, Act] = {"approve": do.Approve(seat), "deny": do.Deny(seat, "no"), "paid": do.Paid(seat)}
        self.world.act(acts[act])

    @precondition(lambda self: self.paying())
    @rule(too_early=SEATS)
    def pay_all(self, too_early: int) -> None:
        """Every prize is approved and paid, seat 1 upward; somebody tries to be paid too early (5.11)."""
        settlement = self.world.table.settlement
        assert settlement is not None
        seats = [prize.seat for prize in settlement.prizes]
        self.world.act(do.Paid(seats[too_early % len(seats)]))
        for seat in seats:
            self.world.act(do.Approve(seat))
        self.world.act(do.Paid(seats[too_early % len(seats)]))
        for seat in seats:
            self.world.act(do.Paid(seat))
        if not self.world.table.out_of_service:
            assert self.world.table.round is None, "2.9: every prize is paid or denied, so the round is over"


class Office(Table):
    """Everything that people do beside the rounds (4, 10), and power (8.3)."""

    @rule(n=SEATS, act=st.sampled_from([do.Close, do.Reopen, do.Reopen, do.Ack]))
    def seat_by_hand(self, n: int, act: Callable[[int], Act]) -> None:
        self.world.act(act(self.seat(n)))

    @rule()
    def alarms_seen(self) -> None:
        self.world.act(do.Ack(0))

    @rule(on=st.booleans())
    def service(self, on: bool) -> None:
        self.world.act(do.Service(on))

    @rule(reason=st.sampled_from(["", "disk full", "config"]))
    def out_of_service(self, reason: str) -> None:
        self.world.feed(OutOfService(reason))

    @rule(change=changes())
    def schedule(self, change: tuple[str, str]) -> None:
        self.world.act(do.Schedule(*change))

    @precondition(lambda self: self.idle())
    @rule(
        pot=st.sampled_from(["main", "reserve"]),
        amount=st.one_of(st.integers(-1_000, 10_000), st.sampled_from([10**9, -(10**9), 10**30])),
    )
    def correct(self, pot: Literal["main", "reserve"], amount: int) -> None:
        self.world.act(do.Correct(pot, Minor(amount), "counted twice"))

    @precondition(lambda self: self.idle())
    @rule(
        leaves=st.booleans(),
        main=st.sampled_from([0, 1, 12_345_678, -1, 10**30]),
        reserve=st.sampled_from([0, 9_999, 10**12]),
    )
    def transfer(self, leaves: bool, main: int, reserve: int) -> None:
        if leaves:
            self.world.act(do.Transfer("t2", "moved"))
        self.world.act(do.Receive("t2", main, reserve, "moved"))

    @rule(
        roles=st.lists(st.sampled_from(ROLES), max_size=2),
        other=st.one_of(st.none(), st.sampled_from(ROLES)),
        same=st.booleans(),
        n=SEATS,
        which=st.integers(0, 99),
    )
    def somebody_acts(self, roles: list[Role], other: Role | None, same: bool, n: int, which: int) -> None:
        """10: anybody tries anything; `World.feed` checks who was let."""
        acts = anything(self.seat(n))
        one = Actor("Ana", tuple(roles), "terminal")
        two = None if other is None else Actor("Ana" if same else "Leo", (other,), "terminal")
        self.world.feed(Command(acts[which % len(acts)], one, two))

    @rule(
        one=st.sampled_from(["supervisor", "technician", "dealer"]),
        other=st.sampled_from(["technician", "supervisor", "auditor"]),
        same=st.booleans(),
    )
    def two_people(self, one: Role, other: Role, same: bool) -> None:
        """4.8, 10: what needs two people needs two persons, and those two roles."""
        first, second = Actor("Ana", (one,), "terminal"), Actor("Ana" if same else "Leo", (other,), "page")
        self.world.feed(Command(do.Schedule("approve_from", "7"), first, second))

    @rule(kind=st.sampled_from(["contribute", "claim", "undo", "void", "plan", "amend"]), n=st.integers(0, 3))
    def answered_twice(self, kind: str, n: int) -> None:
        """9.1: an answer that nobody waits for is ignored."""
        table = self.world.table
        key = (table.setup.table, table.rounds, kind, max(0, table.asks - n))
        assert not self.world.feed(PotAnswer(key, Moved(Units(5), Units(5)))).events

    @rule(n=SEATS, which=st.integers(0, 99), number=st.integers(0, 3), meant=st.integers(-1, 1))
    def repeated(self, n: int, which: int, number: int, meant: int) -> None:
        """A command that is sent twice does once, and gets its first answer again."""
        acts = anything(self.seat(n))
        meant = self.world.table.rounds + meant
        command = Command(acts[which % len(acts)], EVERYBODY, SECOND, id=f"id{number}", round=max(0, meant))
        first = self.world.feed(command)
        again = self.world.feed(command)
        assert not again.events, "design: a repeat did something"
        assert again.refusal == first.refusal, "design: a repeat got another answer"

    @rule(key=POSITIONS)
    def power_cut(self, key: Literal["open", "locked"]) -> None:
        self.world.power_cut(key)


def anything(seat: int) -> list[Any]:
    """One act of every kind."""
    acts: list[Act] = [
        do.Load(seat, 2), do.CashOut(seat), do.Fold(seat), do.Exchange(seat), do.Restore(seat),
        do.Declare(seat, Hand.FLUSH), do.Undeclare(seat), do.Board((Card(1),)), do.Irregular("no-ante", seat),
        do.Void("v"), do.Settle(), do.Unsettle("u"), do.Approve(seat), do.Deny(seat, "d"), do.Paid(seat),
        do.Close(seat), do.Reopen(seat), do.Ack(seat), do.Ack(0), do.Schedule("pot.base", "7"),
        do.Correct("reserve", Minor(5), "c"), do.Transfer("t2", "t"), do.Receive("t2", 5, 5, "r"), do.Service(True),
        do.Load(99, 1), do.Paid(0), do.Declare(seat),
    ]  # fmt: skip
    return acts


def more(examples: int) -> settings:
    """So many times the examples of the profile."""
    usual = settings.default
    assert usual is not None
    return settings(max_examples=examples * usual.max_examples)
