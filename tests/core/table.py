"""A table for tests: its state, hands that work it, and parts that obey or fail.

`T` feeds signals whose stamps grow by 10 ms, acts for every role, lets the lamps follow the panel as good lamps
do, and lets every seat report up to the lock. A test that wants a lamp broken or a seat silent says so first:

    t = T()
    t.open()
    t.bet(1, 2)
    t.lock()                        # locked, every seat has reported, every lamp is lit: sealed
    t.declare(1, "flush")
    t.settle()
    assert t["prize.1.amount"] == "100000"

What is refused fails the test, unless it stands in a block that expects it:

    with t.refuses("not-settled", "2.9"):
        t.open()

After every input the events are replayed upon the state before it, and must lead to the state after it.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from msgspec.structs import replace

from controller.core import inputs as do
from controller.core.cards import Hand, parse_card
from controller.core.deadlines import deadlines
from controller.core.decide import advance
from controller.core.events import Event, TableOpened
from controller.core.evolve import evolve
from controller.core.games.catalogue import GAMES
from controller.core.inputs import Act, Actor, Command, Deadline, Input, Start, Timeout
from controller.core.money import Minor, Rate, Units
from controller.core.panel import panel
from controller.core.potwords import Params, PrizeRule
from controller.core.refusals import Refusal
from controller.core.roles import MAY
from controller.core.state import Role, Seat, Setup, Table
from controller.view import find, view
from hal import port
from hal.port import Panel, Part, Stamp

MS = 1_000_000
"""Nanoseconds in a millisecond: the tests count their stamps in milliseconds."""

STEP = 10
"""Milliseconds from one input to the next."""

PRIZES = (
    PrizeRule(Hand.FLUSH, times=50),
    PrizeRule(Hand.FULL_HOUSE, times=100),
    PrizeRule(Hand.FOUR_OF_A_KIND, times=500),
    PrizeRule(Hand.STRAIGHT_FLUSH, share=Rate(1_000), cap_times=5_000),
    PrizeRule(Hand.ROYAL_FLUSH, share=Rate(10_000)),
)
"""The defaults of 5.7."""

PARAMS = Params(
    bet_min=Minor(1_000),
    bet_max=Minor(3_000),
    base=Minor(10_000_000),
    limit=None,
    commission=Rate(2_000),
    reserve=Rate(1_000),
    fixed_prizes="first",
    approve_from=Minor(1_000_000),
    prizes=PRIZES,
)
"""20 % commission, 10 % to the reserve pot, so 70 % of every bet to the main pot."""


def params(**changes: Any) -> Params:
    """`PARAMS`, but for `changes`. `cap` and `royal_cap` set the caps of the two shares; `reserve_rate` is the reserve
    pot's share, since `reserve` is what that pot holds."""
    caps = {Hand.STRAIGHT_FLUSH: changes.pop("cap", 5_000), Hand.ROYAL_FLUSH: changes.pop("royal_cap", None)}
    prizes = tuple(replace(rule, cap_times=caps.get(rule.hand)) for rule in PRIZES)
    if "reserve_rate" in changes:
        changes["reserve"] = changes.pop("reserve_rate")
    return replace(PARAMS, **{"prizes": prizes, **changes})


def setup(**changes: Any) -> Setup:
    """A table of six seats that takes credits of 1000 pesos."""
    usual = Setup(
        table="draw-1", game="draw-poker", seats=6, currency="CLP", digits=0, acceptor="credits",
        denomination=Minor(1_000),
    )  # fmt: skip
    return replace(usual, **changes)


def person(role: Role, name: str = "", way: do.Way = "terminal") -> Actor:
    """Somebody of one role."""
    return Actor(name or f"the {role}", (role,), way)


class T:
    """A table under test. See the module's docstring."""

    def __init__(
        self,
        *,
        game: str = "draw-poker",
        acceptor: str = "credits",
        denomination: int = 1_000,
        main: str | int | None = None,
        reserve: str | int = 0,
        digits: int = 0,
        **changes: Any,
    ) -> None:
        """`main` and `reserve` are the pots at their opening, in minor units, or as text with four more digits."""
        rules = params(**changes)
        opening = TableOpened(
            setup(
                game=game,
                seats=GAMES[game].max_seats,
                acceptor=acceptor,
                denomination=Minor(denomination),
                digits=digits,
            ),
            rules,
            units(rules.base if main is None else main),
            units(reserve),
        )
        self.state: Table = evolve(None, opening)
        self.events: list[Event] = [opening]
        self.last: tuple[Event, ...] = ()
        """The events of the last input that the test gave."""
        self.refusal: Refusal | None = None
        self.ms = 0
        self.dead_lamps: set[int] = set()
        """Seats whose lamps do not follow the panel; `lamp` moves them by hand."""
        self.silent: set[int] = set()
        """Seats that do not report up to the lock."""
        self._expecting = False
        self.restart()

    # --- looking -----------------------------------------------------------------------------------------

    def __getitem__(self, path: str) -> bool | int | str | None:
        """What stands in the view at `path`, such as ``seat.1.bet``."""
        return find(view(self.state), path)

    @property
    def panel(self) -> Panel:
        return panel(self.state)

    @property
    def main(self) -> int:
        """The main pot, in pot units."""
        return self.state.pot.main

    @property
    def reserve(self) -> int:
        """The reserve pot, in pot units."""
        return self.state.pot.reserve

    @property
    def pots(self) -> tuple[int, int]:
        return self.main, self.reserve

    @property
    def alarms(self) -> list[str]:
        """The codes of the alarms that wait to be acknowledged."""
        return [alarm.code for alarm in self.state.alarms]

    def seat(self, seat: int) -> Seat:
        return self.state.seats[seat - 1]

    def text(self, seat: int) -> str:
        """What the seat shows instead of figures."""
        return self.panel.seats[seat - 1].text

    def lit(self) -> list[int]:
        """The seats whose lamps are commanded on."""
        return [seat.seat for seat in self.panel.seats if seat.lamp]

    def deadline(self, what: str, seat: int = 0) -> Deadline | None:
        """The deadline of that kind which runs, if one does."""
        return next((d for d in deadlines(self.state) if (d.what, d.seat) == (what, seat)), None)

    # --- feeding -----------------------------------------------------------------------------------------

    def stamp(self, at: int | None = None) -> Stamp:
        """The next instant, or `at` milliseconds of this boot; time never goes back for the instants after it."""
        at = self.ms + STEP if at is None else at
        self.ms = max(self.ms, at)
        return Stamp(self.state.boot, at * MS)

    def feed(self, given: Input) -> None:
        """One input, and then what good lamps and awake seats answer to it."""
        self._feed(given)
        self.last, self.refusal = self._last, self._refused
        self._follow()
        if self.refusal is not None and not self._expecting:
            raise AssertionError(f"refused: {self.refusal.code} ({self.refusal.clause}) {self.refusal.english}")

    def _feed(self, given: Input) -> None:
        before = self.state
        decision = advance(before, given)
        replayed = before
        for event in decision.events:
            replayed = evolve(replayed, event)
        assert replayed == decision.state, "events do not lead to the state"
        self.state = decision.state
        self.events += decision.events
        self._last, self._refused = decision.events, decision.refusal
        if isinstance(given, Command) and decision.refusal is not None:
            same = ("pot", "seats", "round", "rounds", "settlement", "hits", "key", "service", "out_of_service")
            for name in same:
                assert getattr(before, name) == getattr(decision.state, name), f"a refused command changed {name}"

    def _follow(self) -> None:
        while odd := [
            (seat.seat, shown.lamp)
            for seat, shown in zip(self.state.seats, self.panel.seats, strict=True)
            if seat.sensed != shown.lamp and seat.seat not in self.dead_lamps and "node" not in seat.failed
        ]:
            self._feed(port.LampSensed(*odd[0], self.stamp()))
        if self.state.round is not None and self.state.round.edge is not None:
            for seat in self.state.seats:
                if seat.seat in self.state.round.waiting and seat.seat not in self.silent:
                    self._feed(port.CompleteTo(seat.seat, self.stamp()))

    @contextmanager
    def refuses(self, code: str, clause: str = "") -> Iterator[None]:
        """What is done in the block is refused with `code`, citing `clause`."""
        self.refusal, self._expecting = None, True
        try:
            yield
        finally:
            self._expecting = False
        assert self.refusal is not None, f"not refused; expected {code}"
        assert self.refusal.code == code
        assert clause in ("", self.refusal.clause)
        assert self.refusal.english, "a refusal says what to do"

    # --- players and parts -------------------------------------------------------------------------------

    def press(self, seat: int, times: int = 1, at: int | None = None) -> None:
        for _ in range(times):
            self.feed(port.Pressed(seat, self.stamp(at)))

    def chip(self, seat: int, value: int = 1_000, at: int | None = None) -> None:
        self.feed(port.ChipDropped(seat, value, self.stamp(at)))

    def key(self, position: str, at: int | None = None) -> None:
        self.feed(port.KeyTurned("open" if position == "open" else "locked", self.stamp(at)))

    def open(self) -> None:
        """The dealer turns the key to open; to locked first, when it stood open."""
        if self.state.key == "open":
            self.key("locked")
        self.key("open")

    def lock(self, at: int | None = None) -> None:
        self.key("locked", at)

    def lamp(self, seat: int, lit: bool, at: int | None = None) -> None:
        """The lamp is sensed so, whatever the panel says."""
        self.feed(port.LampSensed(seat, lit, self.stamp(at)))

    def complete(self, seat: int, at: int | None = None) -> None:
        self.feed(port.CompleteTo(seat, self.stamp(at)))

    def fails(self, part: Part, seat: int = 0) -> None:
        self.feed(port.PartFailed(seat, part, self.stamp()))

    def mended(self, part: Part, seat: int = 0) -> None:
        self.feed(port.PartMended(seat, part, self.stamp()))

    def noise(self, seat: int, at: int | None = None) -> None:
        self.feed(port.NoisePulse(seat, self.stamp(at)))

    def runs_out(self, what: str, seat: int = 0) -> None:
        """The deadline of that kind runs out."""
        deadline = self.deadline(what, seat)
        assert deadline is not None, f"no {what} deadline runs for seat {seat}"
        self.ms += deadline.after_ns // MS
        self.feed(Timeout(deadline))

    # --- power -------------------------------------------------------------------------------------------

    def restart(self, key: str = "") -> None:
        """Power comes back; the hardware reports where the key stands (as it was left, unless told)."""
        self.ms = 0
        self._feed(Start(self.state.boot + 1, "test"))
        position = key or self.state.key
        self.feed(port.KeyFound("open" if position == "open" else "locked", self.stamp()))

    def out_of_service(self, reason: str) -> None:
        self.feed(do.OutOfService(reason))

    # --- people ------------------------------------------------------------------------------------------

    def act(self, act: Act, by: Role | Actor | None = None, second: Actor | None = None, **more: Any) -> None:
        """Somebody does something: by default whoever may, with the second person where two are needed."""
        if by is None:
            by, second = self._whoever(act)
        actor = by if isinstance(by, Actor) else person(by)
        self.feed(Command(act, actor, second, **more))

    def _whoever(self, act: Act) -> tuple[Role, Actor | None]:
        if isinstance(act, do.Reopen):
            return ("dealer" if self.seat(act.seat).closed in (None, "dealer") else "technician"), None
        if isinstance(act, do.Ack):
            return ("dealer" if act.seat else "supervisor"), None
        if type(act) in MAY:
            return MAY[type(act)][0], None
        return "supervisor", person("technician")

    def load(self, seat: int, credits: int) -> None:
        self.act(do.Load(seat, credits))

    def cash_out(self, seat: int) -> None:
        self.act(do.CashOut(seat))

    def fold(self, seat: int) -> None:
        self.act(do.Fold(seat))

    def exchange(self, seat: int) -> None:
        self.act(do.Exchange(seat))

    def undo_forfeit(self, seat: int) -> None:
        self.act(do.Restore(seat))

    def declare(self, seat: int, hand: str) -> None:
        """By class ("flush") or by cards ("As Ks Qs Js Ts")."""
        if " " in hand:
            self.act(do.Declare(seat, cards=tuple(parse_card(card) for card in hand.split())))
        else:
            self.act(do.Declare(seat, Hand(hand)))

    def board(self, cards: str) -> None:
        """Shared cards, such as "As Ks Qs"."""
        self.act(do.Board(tuple(parse_card(card) for card in cards.split())))

    def undeclare(self, seat: int) -> None:
        self.act(do.Undeclare(seat))

    def irregular(self, kind: str, seat: int = 0) -> None:
        self.act(do.Irregular(kind, seat))

    def settle(self) -> None:
        self.act(do.Settle())

    def unsettle(self, reason: str = "the wrong seat was declared") -> None:
        self.act(do.Unsettle(reason))

    def void(self, reason: str = "a card of the dealer was seen") -> None:
        self.act(do.Void(reason))

    def approve(self, seat: int) -> None:
        self.act(do.Approve(seat))

    def deny(self, seat: int, reason: str = "the hand was exchanged") -> None:
        self.act(do.Deny(seat, reason))

    def paid(self, seat: int) -> None:
        self.act(do.Paid(seat))

    def close(self, seat: int) -> None:
        self.act(do.Close(seat))

    def reopen(self, seat: int) -> None:
        self.act(do.Reopen(seat))

    def ack(self, seat: int = 0) -> None:
        self.act(do.Ack(seat))

    def schedule(self, key: str, value: str) -> None:
        self.act(do.Schedule(key, value))

    def correct(self, amount: int, pot: str = "main") -> None:
        self.act(do.Correct("main" if pot == "main" else "reserve", Minor(amount), "counted twice"))

    def transfer(self) -> None:
        self.act(do.Transfer("draw-2", "the table is sold"))

    def receive(self, main: int, reserve: int) -> None:
        """Contents in pot units."""
        self.act(do.Receive("draw-2", main, reserve, "its table was sold"))

    def service(self, on: bool) -> None:
        self.act(do.Service(on))

    # --- whole stretches ---------------------------------------------------------------------------------

    def bet(self, seat: int, credits: int = 1) -> None:
        """So many denominations are bet, loaded first or dropped one by one."""
        if self.state.setup.acceptor == "chips":
            for _ in range(credits):
                self.chip(seat, self.state.setup.denomination)
        else:
            self.load(seat, credits)
            self.press(seat, credits)

    def deal(self, *credits: int) -> None:
        """A round is opened, bet upon (so many denominations at seat 1, 2, …) and locked."""
        self.open()
        for seat, count in enumerate(credits, start=1):
            if count:
                self.bet(seat, count)
        self.lock()

    def show(self, **hands: str) -> None:
        """Hands are declared (``s1="flush"``) and the round is settled."""
        for seat, hand in hands.items():
            self.declare(int(seat.removeprefix("s")), hand)
        self.settle()

    def pay_all(self) -> None:
        """Every prize is approved where it must be, and paid, seat 1 upward."""
        settlement = self.state.settlement
        assert settlement is not None
        for prize in settlement.prizes:
            if prize.status == "unapproved":
                self.approve(prize.seat)
            if prize.status != "denied":
                self.paid(prize.seat)


def units(amount: str | int) -> Units:
    """Minor units, or a text with four digits more, as pot units."""
    if isinstance(amount, int):
        return Units(amount * 10_000)
    integer, _, fraction = amount.partition(".")
    return Units(int(integer) * 10_000 + int(fraction.ljust(4, "0") or "0"))
