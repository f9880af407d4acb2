"""A world around a table: random tables, hardware that lags and fails, and what must be true after every step.

`World.feed` is the only way in. It lets the table advance, checks every property that can be checked from the
outside, keeps a ledger of its own (see `ledger`), and raises AssertionError naming the clause that broke.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Any, Literal

import msgspec
from hypothesis import strategies as st
from msgspec.structs import replace

from controller.core import inputs as do
from controller.core.cards import DECK, HANDS, Card, Hand
from controller.core.deadlines import deadlines
from controller.core.decide import advance
from controller.core.draft import Decision
from controller.core.events import AnyEvent, Event, TableOpened
from controller.core.evolve import evolve
from controller.core.inputs import Act, Actor, Command, Deadline, Input, Start
from controller.core.money import Minor, Rate, Units
from controller.core.panel import panel
from controller.core.params import apply_change, drain, problems
from controller.core.potwords import Params, Pot, PotMeters, PrizeRule
from controller.core.state import Hit, Role, Round, Setup, Table
from hal.port import (
    ChipDropped,
    CompleteTo,
    KeyFound,
    KeyTurned,
    LampSensed,
    PartFailed,
    Pressed,
    Signal,
    Stamp,
)
from tests.core import ledger
from tests.core.ledger import ALL, Books, Stake, Won

MS = 1_000_000
ROLES: tuple[Role, ...] = ("dealer", "supervisor", "technician", "auditor")
EVERYBODY = Actor("Eva", ROLES, "console")
SECOND = Actor("Otto", ROLES, "console")

# --- tables ----------------------------------------------------------------------------------------------

_TIMES = {
    Hand.STRAIGHT: 10,
    Hand.FLUSH: 60,
    Hand.FULL_HOUSE: 120,
    Hand.FOUR_OF_A_KIND: 600,
    Hand.STRAIGHT_FLUSH: 5_000,
    Hand.ROYAL_FLUSH: 50_000,
}
"""Hands that may win, and how many times the bet at most: together they leave a main share to choose (4.9)."""

SHARES = (1, 333, 1_000, 1_237, 5_000, 9_999)


@st.composite
def setups(draw: st.DrawFn) -> Setup:
    """Any table that a configuration could describe."""
    return Setup(
        table="t",
        game="draw-poker",
        seats=draw(st.integers(1, 6)),
        currency="CLP",
        digits=draw(st.sampled_from([0, 2])),
        acceptor=draw(st.sampled_from(["credits", "chips"])),
        denomination=Minor(draw(st.sampled_from([1, 3, 100, 1_000]))),
    )


@st.composite
def _rules(draw: st.DrawFn) -> tuple[PrizeRule, ...]:
    rules = [PrizeRule(Hand.FLUSH, times=draw(st.integers(1, 60)))]
    whole = draw(st.sampled_from([Hand.ROYAL_FLUSH, Hand.ROYAL_FLUSH, Hand.STRAIGHT_FLUSH, None]))
    for hand in (Hand.STRAIGHT, Hand.FULL_HOUSE, Hand.FOUR_OF_A_KIND, Hand.STRAIGHT_FLUSH, Hand.ROYAL_FLUSH):
        kind = "share" if hand is whole else draw(st.sampled_from(["times", "share", "share", "none"]))
        if kind == "times":
            rules.append(PrizeRule(hand, times=draw(st.integers(1, _TIMES[hand]))))
        elif kind == "share":
            share = ALL if hand is whole else draw(st.sampled_from(SHARES))
            cap = draw(st.sampled_from([None, None, 1, 7, 5_000]))
            rules.append(PrizeRule(hand, share=Rate(share), cap_times=cap))
    return tuple(sorted(rules, key=lambda rule: HANDS.index(rule.hand)))


@st.composite
def params(draw: st.DrawFn, setup: Setup) -> Params:
    """Any sound parameters: odd rates, small pots and large, limits near by."""
    rules = draw(_rules())
    low = draw(st.integers(1, 2)) * setup.denomination
    base = draw(st.sampled_from([0, 1, 7, 100 * setup.denomination, 12_345 * setup.denomination]))
    room = draw(st.sampled_from([None, 0, 1, 5 * setup.denomination]))
    sound = Params(
        bet_min=Minor(low),
        bet_max=Minor(low + draw(st.integers(0, 3)) * setup.denomination),
        base=Minor(base),
        limit=None if room is None else Minor(base + room),
        commission=Rate(0),
        reserve=Rate(0),
        fixed_prizes=draw(st.sampled_from(["first", "last"])),
        approve_from=Minor(draw(st.sampled_from([0, 50, 10**6, next(r.times for r in rules if r.times) or 0])) * low),
        prizes=rules,
    )
    most = int((1 - drain(sound)) * ALL) - 1
    taken = min(draw(st.sampled_from([0, 1_237, 3_001, most])), most)
    commission = draw(st.integers(0, taken))
    sound = replace(sound, commission=Rate(commission), reserve=Rate(taken - commission))
    assert problems(sound, setup) == ()
    return sound


@st.composite
def openings(draw: st.DrawFn) -> TableOpened:
    """The first event of a journal; a pot opens at its base (4.2)."""
    setup = draw(setups())
    rules = draw(params(setup))
    return TableOpened(setup, rules, Units(rules.base * ALL), Units(0))


def changes() -> st.SearchStrategy[tuple[str, str]]:
    """Keys and values to schedule; many are not sound at a given table."""
    rate = st.sampled_from(["0%", "12.37%", "20%", "99.99%", "100%"])
    amount = st.sampled_from(["0", "1", "77", "12345", "100000000"])
    return st.one_of(
        st.tuples(st.sampled_from(["pot.commission", "reserve", "prizes.straight-flush", "royal-flush"]), rate),
        st.tuples(st.sampled_from(["pot.base", "limit", "approve_from"]), amount),
        st.tuples(st.sampled_from(["bet.max", "bet.min", "flush", "straight", "full-house"]), st.sampled_from("1239")),
        st.tuples(st.sampled_from(["limit", "straight", "royal-flush", "nonsense"]), st.just("none")),
        st.tuples(st.just("fixed_prizes"), st.sampled_from(["first", "last", "never"])),
    )


def hands() -> st.SearchStrategy[Hand]:
    """Classes of hands, winners more often than at a real table."""
    return st.sampled_from([*HANDS, Hand.FLUSH, Hand.STRAIGHT_FLUSH, Hand.ROYAL_FLUSH, Hand.ROYAL_FLUSH])


def five_cards() -> st.SearchStrategy[tuple[Card, ...]]:
    """Cards as they are dealt: nearly always five different ones."""
    royal = st.integers(0, 3).map(lambda suit: tuple(Card(rank * 4 + suit) for rank in range(8, 13)))
    flush = st.integers(0, 3).map(lambda suit: tuple(Card(rank * 4 + suit) for rank in (0, 2, 4, 6, 8)))
    dealt = st.lists(st.sampled_from(DECK), min_size=5, max_size=5, unique=True).map(tuple)
    wrong = st.lists(st.integers(-1, 60).map(Card), max_size=6).map(tuple)
    return st.one_of(royal, flush, dealt, wrong)


# --- what must be true -----------------------------------------------------------------------------------

_events = msgspec.json.Decoder(AnyEvent)
_tables = msgspec.json.Decoder(Table)
_encoder = msgspec.json.Encoder(order="deterministic")

# Clause 10, once more, by hand.
_FLOOR = {"dealer", "supervisor"}
_HANDS: tuple[type[Act], ...] = (do.Fold, do.Exchange, do.Board, do.Declare, do.Undeclare, do.Irregular, do.Settle)
_ROLE: dict[type[Act], set[str]] = dict.fromkeys((*_HANDS, do.Load, do.CashOut, do.Paid, do.Close), _FLOOR)
_ROLE |= {kind: {"supervisor"} for kind in (do.Restore, do.Unsettle, do.Void, do.Approve, do.Deny)}
_ROLE |= {do.Service: {"technician"}}


def check_role(table: Table, command: Command) -> None:
    """10: an act that was taken was taken from somebody who may."""
    act, roles = command.act, set(command.actor.roles)
    if isinstance(act, do.Schedule | do.Correct | do.Transfer | do.Receive):
        other = command.second
        assert other is not None, f"10: {act} by one person"
        assert other.person != command.actor.person, f"10: {act} by one person twice"
        pair = (roles, set(other.roles))
        assert any("supervisor" in a and "technician" in b for a, b in (pair, pair[::-1])), f"10: {act} by {pair}"
    elif isinstance(act, do.Reopen):
        fault = table.seats[act.seat - 1].closed not in (None, "dealer")
        assert roles & ({"technician"} if fault else _FLOOR), f"10, 2.10: {act} by {roles}"
    elif isinstance(act, do.Ack):
        assert roles & (_FLOOR if act.seat else {"supervisor"}), f"10: {act} by {roles}"
    else:
        assert roles & _ROLE[type(act)], f"10: {act} by {roles}"


def check_journal(before: Table, decision: Decision) -> list[bytes]:
    """3.1, design: events hold no float, survive JSON, and lead from the state before to the state after."""
    bodies = []
    table = before
    for event in decision.events:
        body = _encoder.encode(event)
        again: Event = _events.decode(body)
        assert again == event, f"design: {event} does not survive JSON"
        assert not any(isinstance(value, float) for value in _leaves(msgspec.json.decode(body))), f"3.1: {body!r}"
        table = evolve(table, again)
        bodies.append(body)
    assert table == decision.state, "design: replay does not equal live"
    return bodies


def _leaves(value: object) -> Iterator[object]:
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        for inner in value:
            yield from _leaves(inner)
    else:
        yield value


def check_snapshot(table: Table) -> None:
    """Design: a snapshot is the state, and the panel is a function of the state (2.6: lamps only for valid bets)."""
    again = _tables.decode(_encoder.encode(table))
    assert again == table, "design: a snapshot is not the state"
    shown = panel(table)
    assert panel(again) == shown, "design: the panel is no function of the state"
    for seat, picture in zip(table.seats, shown.seats, strict=True):
        if picture.lamp and not seat.testing:
            assert table.round is not None, f"2.6: seat {seat.seat} is lit without a round"
            bet = table.round.bets[seat.seat - 1]
            valid = bet.bet > 0 and bet.forfeit is None and not bet.void
            enough = table.round.sealed or bet.bet >= table.pot.params.bet_min
            assert valid, f"2.6: seat {seat.seat} is lit for {bet}"
            assert enough, f"2.6: seat {seat.seat} is lit under the minimum"
            assert table.round.sealed or not table.out_of_service, "2.6: lit while out of service"


def check_identities(pot: Pot) -> None:
    """3.3, worked out here, exactly."""
    m = pot.meters
    assert m.bets == m.commission + m.to_reserve + m.to_main, f"3.3: bets {m}"
    assert pot.main == (
        m.opening_main + m.to_main + m.seed_reserve + m.seed_house - m.paid_from_main - m.overflow
        + m.corrections_main + m.transfers_in_main - m.transfers_out_main
    ), f"3.3: main {pot}"  # fmt: skip
    assert pot.reserve == (
        m.opening_reserve + m.to_reserve + m.overflow - m.seed_reserve - m.reserve_cover
        + m.corrections_reserve + m.transfers_in_reserve - m.transfers_out_reserve
    ), f"3.3: reserve {pot}"  # fmt: skip
    assert m.fixed_prizes + m.share_prizes == m.paid_from_main + m.reserve_cover + m.house_cover, f"3.3: prizes {m}"
    assert pot.main >= 0 <= pot.reserve, f"3: a pot is negative: {pot}"
    assert pot.params.limit is None or pot.main <= pot.params.limit * ALL, "4.5: over the limit"


def check_shape(table: Table) -> None:
    """What is true of every state, whatever led to it."""
    step, rules, round = table.setup.denomination, table.pot.params, table.round
    for seat in table.seats:
        assert seat.credits >= 0, f"2.2: {seat}"
        assert min(seat.owed_returned, seat.owed_late, seat.owed_excess) >= 0, f"2.4: {seat}"
        assert seat.testing == "" or round is None, f"10.2: seat {seat.seat} is tested in a live round"
        assert set(seat.failed) <= {"edges"} or seat.closed, f"2.10: {seat} is open with a bad part"
    assert not (table.service and round is not None), "10.2: service mode in a live round"
    if round is None:
        return
    for seat, bet in zip(table.seats, round.bets, strict=True):
        assert round.phase != "betting" or seat.closed is None or not bet.bet, f"2.10: a bet at the closed {seat}"
    if round.waiting:
        assert round.edge is not None, "2.8: waiting for reports before the lock"
        assert round.edge.boot == table.boot, "2.8, 8.3: nobody reports any more up to an edge before the power cut"
    if not round.sealed:
        assert round.phase in ("betting", "locked"), f"2.8: {round.phase} without a seal"
    elif round.phase == "locked":
        for bet in round.bets:
            assert not bet.bet or bet.bet >= rules.bet_min, f"2.5: a sealed bet under the minimum: {bet}"
    for bet in round.bets:
        assert bet.bet % step == 0, f"1: {bet} is no multiple of {step}"
        assert bet.bet >= 0, f"2: {bet}"
        assert round.phase == "paying" or bet.bet <= rules.bet_max, f"2.5: {bet} over the maximum"
    if round.phase == "locked" and not round.sealed and not table.out_of_service:
        assert any(d.what in ("seal", "lamp") for d in deadlines(table)), "2.8: nothing will ever seal this round"
    if table.settlement is not None and round.phase == "paying":
        assert any(p.status in ("unapproved", "payable") for p in table.settlement.prizes), "2.9: never ends"


def check_money(table: Table, books: Books) -> None:
    """3.3, 4, 5: the table's pot is what the second bookkeeper has in the books, to the last unit."""
    pot = table.pot
    assert Fraction(pot.main, ALL) == books.main, f"main pot {pot.main} is not {books.main} (3.3, 4, 5)"
    assert Fraction(pot.reserve, ALL) == books.reserve, f"reserve pot {pot.reserve} is not {books.reserve} (3.3, 4)"
    for name in PotMeters.__struct_fields__:
        shown, kept = getattr(pot.meters, name), books.meter(name)
        assert Fraction(shown, ALL) == kept, f"meter {name} {shown} is not {kept} (3.3)"
    assert (pot.params, pot.planned) == (books.params, books.planned), "4.8: parameters"
    assert tuple((change.key, change.value) for change in pot.scheduled) == books.scheduled, "4.8: scheduled"
    assert pot.closed == books.closed, "4.10"


def check_refused(before: Table, after: Table) -> None:
    """Design: a refused command changes answers, alarms and the meter of refused access, and nothing else."""
    bare = [
        replace(table, answers=(), alarms=(), meters=replace(table.meters, refused_access=0))
        for table in (before, after)
    ]
    assert bare[0] == bare[1], "design: a refused command changed something"


# --- the world -------------------------------------------------------------------------------------------


class World:
    """A table, what is physically there, what has been reported of it, and a second set of books."""

    def __init__(self, opening: TableOpened) -> None:
        self.journal: list[bytes] = [_encoder.encode(opening)]
        self.table = evolve(None, opening)
        self.books = ledger.opened(opening.params, Fraction(opening.main, ALL), Fraction(opening.reserve, ALL))
        self.seats = opening.setup.seats
        self.step = opening.setup.denomination
        self.now = 0
        self.key: Literal["open", "locked"] = "locked"
        self.wire: dict[int, deque[Signal]] = {source: deque() for source in range(self.seats + 1)}
        self.lamp: list[str] = ["good"] * self.seats
        self.light = [False] * self.seats
        """Whether each lamp's current flows, as its node last measured it."""
        self.alive = [True] * self.seats
        self.old_deadlines: list[Deadline] = []
        # What the second bookkeeper keeps besides the pot.
        self.loaded = [0] * self.seats
        self.cashed = [0] * self.seats
        self.kept = [0] * self.seats
        """Minor units of bets that ended rounds not void."""
        self.handed_back = [0] * self.seats
        self.dropped = [0] * self.seats
        self.chips_counted: Counter[str] = Counter()
        self.returned = 0
        self.opened = Stamp(0, 0)
        """When the key opened the round (2.9)."""
        self.before_round = self.books
        self.before_settle = self.books
        self.won: list[Won] = []
        self.gone: set[int] = set()
        """Seats whose prize was denied."""
        self.hits: list[Hit] = []
        self.acts: list[list[tuple[Stamp, int]]] = [[] for _ in range(self.seats)]
        """The acts of each player in this round that were taken: stamp, and value of the chip (or one credit)."""
        self.lit_for: set[int] = set()
        """Seats whose lamp was seen lit for the bet that stands there."""
        self.dark_since: dict[int, Stamp] = {}
        """When each lamp was last seen going dark, in this boot."""
        self.suspect: set[int] = set()
        """Seats that closed since the lock, so that their prize needs a supervisor (2.10, 5.11)."""
        self.feed(Start(1, "test"))
        self.feed(KeyFound("locked", self.stamp()))

    # --- time and wires ----------------------------------------------------------------------------------

    def stamp(self) -> Stamp:
        """The next instant."""
        self.now += MS
        return Stamp(self.table.boot, self.now)

    def send(self, source: int, signal: Signal) -> None:
        """A source reports something; it is on its way. A dead node reports nothing."""
        if source == 0 or self.alive[source - 1]:
            self.wire[source].append(signal)

    def deliver(self, source: int, most: int = 100) -> None:
        """What a source has on its way arrives, in its order."""
        queue = self.wire[source]
        for _ in range(min(most, len(queue))):
            self.feed(queue.popleft())

    def deliver_all(self) -> None:
        for source in self.wire:
            self.deliver(source)

    def turn(self, position: Literal["open", "locked"], at_once: Sequence[int] = ()) -> None:
        """The dealer turns the key; every working source will report that it has told everything (2.8).

        The players at the seats `at_once` act at the very instant of its edge.
        """
        if position == self.key:
            return
        self.key = position
        edge = self.stamp()
        self.send(0, KeyTurned(position, edge))
        for seat in at_once:
            self.play(seat, edge)
        for seat in range(1, self.seats + 1):
            self.send(seat, CompleteTo(seat, self.stamp()))

    def play(self, seat: int, at: Stamp | None = None) -> None:
        """A press, or the smallest chip, is on its way."""
        at = self.stamp() if at is None else at
        credits = self.table.setup.acceptor == "credits"
        self.send(seat, Pressed(seat, at) if credits else ChipDropped(seat, self.step, at))

    def follow(self, seat: int) -> None:
        """A lamp does what it is told, as far as it can; its node reports the change."""
        shown = panel(self.table).seats[seat - 1].lamp
        lit = {"good": shown, "open": False, "short": True}[self.lamp[seat - 1]]
        if lit != self.light[seat - 1] and self.alive[seat - 1]:
            self.light[seat - 1] = lit
            self.send(seat, LampSensed(seat, lit, self.stamp()))

    def settle_down(self) -> None:
        """Everything on its way arrives, and every lamp is seen as it is."""
        for _ in range(2):
            self.deliver_all()
            for seat in range(1, self.seats + 1):
                self.follow(seat)
        self.deliver_all()

    def act(self, act: Act, **more: Any) -> Decision:
        """Somebody who may do everything does something, with a second person at hand."""
        return self.feed(Command(act, EVERYBODY, SECOND, **more))

    # --- the only way in ---------------------------------------------------------------------------------

    def feed(self, given: Input) -> Decision:
        """The table advances; everything that must be true is checked."""
        before = self.table
        decision = advance(before, given)
        self.table = decision.state
        self.journal += check_journal(before, decision)
        refused = decision.refusal is not None
        if isinstance(given, Command):
            if refused:
                check_refused(before, decision.state)
            elif decision.events:
                check_role(before, given)
        if decision.events:
            self._keep_books(before, given, refused)
            check_snapshot(self.table)
            check_identities(self.table.pot)
            check_shape(self.table)
            check_money(self.table, self.books)
            self._check_seats()
            self._check_meters()
        else:
            assert decision.state == before, "design: a state changed without an event"
        self._remember_deadlines()
        return decision

    def _remember_deadlines(self) -> None:
        for deadline in deadlines(self.table):
            if deadline not in self.old_deadlines:
                self.old_deadlines = [*self.old_deadlines[-20:], deadline]

    def power_cut(self, key: Literal["open", "locked"]) -> None:
        """Everything on the wires is lost; the journal is read from its first byte; the daemon starts again (8.3)."""
        table: Table | None = None
        for body in self.journal:
            table = evolve(table, _events.decode(body))
        assert table == self.table, "8.3: the journal does not lead to the state"
        for queue in self.wire.values():
            queue.clear()
        self.now, self.key = 0, key
        before = self.table
        self.feed(Start(before.boot + 1, "test"))
        after = self.table
        if before.round is None or before.round.sealed or after.round is None or not after.round.sealed:
            assert after.pot == before.pot, "8.3: a power cut moved money"
            assert [seat.credits for seat in after.seats] == [seat.credits for seat in before.seats], "8.3"
        assert [seat.closed for seat in after.seats] == [seat.closed for seat in before.seats], "8.3"
        self.feed(KeyFound(key, self.stamp()))
        for seat in range(1, self.seats + 1):
            self.light[seat - 1] = False
            if not self.alive[seat - 1]:
                self.feed(PartFailed(seat, "node", self.stamp()))
        self.settle_down()

    # --- the second bookkeeper ---------------------------------------------------------------------------

    def _keep_books(self, before: Table, given: Input, refused: bool) -> None:
        self._watch_lamps(before, given)
        self._watch_players(before, given, refused)
        if not refused and isinstance(given, Command):
            self._keep_command(before, given.act, given.actor.person)
        self._watch_seal(before, given)
        self._watch_closings(before)
        if _is_new_round(before, self.table):
            assert isinstance(given, KeyTurned), "2.9: opening needs a fresh turn of the key"
            self.opened = given.at
            self.before_round = self.books
            self.acts = [[] for _ in range(self.seats)]
            self.suspect.clear()

    def _watch_lamps(self, before: Table, given: Input) -> None:
        """Which lamps were seen lit for the bet that stands now (2.6)."""
        if isinstance(given, LampSensed) and not given.lit:
            self.dark_since[given.seat] = given.at
        for seat in range(1, self.seats + 1):
            picture = self.table.seats[seat - 1]
            bet = 0 if self.table.round is None else self.table.round.bets[seat - 1].bet
            if not bet:
                if isinstance(given, LampSensed) and given.seat == seat and not given.lit:
                    self.lit_for.discard(seat)
                if before.round is None or isinstance(given, Command):
                    self.lit_for.discard(seat)
            elif picture.sensed:
                self.lit_for.add(seat)

    def _watch_players(self, before: Table, given: Input, refused: bool) -> None:
        if isinstance(given, Pressed) or (isinstance(given, ChipDropped) and given.value > 0):
            assert refused != _enters(before, given, self.opened), (
                f"2.2, 2.3, 2.8: {given} {'does not enter' * refused}"
            )
        match given:
            case Pressed() if not refused:
                self.acts[given.seat - 1].append((given.at, self.step))
            case ChipDropped() if given.value > 0 and before.setup.acceptor == "chips":
                self.dropped[given.seat - 1] += given.value
                if refused:
                    self.chips_counted["all"] += 1
                else:
                    self.acts[given.seat - 1].append((given.at, given.value))
            case _:
                pass

    def model_bet(self, seat: int, edge: Stamp | None) -> int:
        """The bet that the player's acts up to the edge amount to, from the rules alone (2.2, 2.3, 2.8)."""
        bet, most = 0, self.table.pot.params.bet_max
        for at, value in self.acts[seat - 1]:
            if edge is None or at <= edge:
                bet += value
                if bet > most:
                    bet = 0
        return bet

    def _watch_seal(self, before: Table, given: Input) -> None:
        """Returns before the seal, the lock, and the seal itself (2.5, 2.6, 2.8, 2.10)."""
        round, was = self.table.round, before.round
        if was is None or was.sealed:
            return
        locking = was.edge is None and (round is not None and round.edge is not None)
        edge = round.edge if round is not None else None
        for seat in range(1, self.seats + 1):
            acts = self.acts[seat - 1]
            due = self.model_bet(seat, edge)
            if locking and edge is not None:
                late = [act for act in acts if act[0] > edge]
                if before.setup.acceptor == "chips":
                    self.chips_counted["all"] += len(late)
                if before.setup.acceptor == "credits" and due:
                    there = before.seats[seat - 1].credits * self.step + was.bets[seat - 1].bet
                    due = due if there >= due else 0  # taken back after the edge, and cashed out since
                self.acts[seat - 1] = [act for act in acts if act[0] <= edge] if due else []
            stands = 0 if round is None else round.bets[seat - 1].bet
            if stands != due:
                assert stands == 0, f"2.8: seat {seat} has {stands} in the round, not {due}"
                assert not isinstance(given, Pressed | ChipDropped), f"2.2: {given} took {due} away"
                self.returned += due
                self.acts[seat - 1] = []
        if round is not None and round.sealed:
            self._sealed(round)

    def _sealed(self, round: Round) -> None:
        bets = {seat: bet.bet for seat, bet in enumerate(round.bets, start=1) if bet.bet}
        for seat, amount in bets.items():
            bet = round.bets[seat - 1]
            edge = round.edge
            assert edge is not None
            assert all(act.at <= edge for act in bet.increments), f"2.8: seat {seat} bet after the edge"
            assert amount == self.model_bet(seat, edge), f"2.8: seat {seat} is sealed with {amount}"
            silent = "node" in self.table.seats[seat - 1].failed
            outlasted = self.dark_since.get(seat, edge) > edge
            assert silent or outlasted or seat in self.lit_for, (
                f"2.6: seat {seat} is sealed but its lamp was never seen lit"
            )
        self.books = ledger.contributed(self.books, bets.values())

    def _watch_closings(self, before: Table) -> None:
        for was, seat in zip(before.seats, self.table.seats, strict=True):
            if seat.closed != was.closed and seat.closed and before.round is not None and before.round.edge:
                self.suspect.add(seat.seat)

    def _keep_command(self, before: Table, act: Act, by: str) -> None:
        match act:
            case do.Load():
                self.loaded[act.seat - 1] += act.credits
            case do.CashOut():
                self.cashed[act.seat - 1] += before.seats[act.seat - 1].credits
            case do.Ack() if act.seat:
                seat = before.seats[act.seat - 1]
                self.handed_back[act.seat - 1] += seat.owed_returned + seat.owed_late + seat.owed_excess
            case do.Settle():
                self._settle(before)
            case do.Unsettle():
                self._unsettle(before)
            case do.Deny():
                self._deny(before, act.seat)
            case do.Approve():
                self._hit(act.seat, by)
            case do.Paid():
                self._check_paid(before, act.seat)
            case do.Void():
                self._void(before)
            case do.Irregular():
                self._irregular(before, act.seat)
            case do.Schedule() | do.Correct() | do.Transfer() | do.Receive():
                self._by_two(act)
            case _:
                pass
        if before.round is not None and self.table.round is None and not isinstance(act, do.Void):
            for i, bet in enumerate(before.round.bets):
                self.kept[i] += bet.bet

    def _by_two(self, act: do.Schedule | do.Correct | do.Transfer | do.Receive) -> None:
        books = self.books
        match act:
            case do.Schedule():
                plan = apply_change(books.planned or books.params, self.table.setup, act.key, act.value)
                assert isinstance(plan, Params)
                self.books = _with(books, planned=plan, scheduled=(*books.scheduled, (act.key, act.value)))
            case do.Correct():
                if act.pot == "main":
                    self.books = books.moved(act.amount, 0, corrections_main=act.amount).capped()
                else:
                    self.books = books.moved(0, act.amount, corrections_reserve=act.amount)
            case do.Transfer():
                books = books.moved(
                    -books.main, -books.reserve, transfers_out_main=books.main, transfers_out_reserve=books.reserve
                )
                if books.planned is not None:
                    books = _with(books, params=books.planned, planned=None, scheduled=())
                self.books = _with(books, closed=True)
            case do.Receive():
                main, reserve = Fraction(act.main, ALL), Fraction(act.reserve, ALL)
                books = books.moved(main, reserve, transfers_in_main=main, transfers_in_reserve=reserve)
                self.books = _with(books.capped(), closed=False)

    def _settle(self, before: Table) -> None:
        assert before.round is not None
        stakes = [
            Stake(seat, bet.hand, bet.bet)
            for seat, bet in enumerate(before.round.bets, start=1)
            if bet.bet and bet.hand is not None and bet.forfeit is None and not bet.void
        ]
        self.before_settle = self.books
        self.books, self.won = ledger.settled(self.books, stakes)
        self.gone = set()
        settlement = self.table.settlement
        assert settlement is not None
        shown = [
            Won(p.seat, p.hand, p.amount, p.share, p.from_main, p.from_reserve, p.from_house) for p in settlement.prizes
        ]
        assert shown == self.won, "5.9, 5.10: the prizes are not those of the rules"
        threshold = self.before_settle.params.approve_from
        for prize in settlement.prizes:
            must = prize.share or prize.amount >= threshold or prize.seat in self.suspect
            assert (prize.status == "unapproved") == must, f"5.11: {prize}"
            pots = (prize.before, prize.after)
            self.hits.append(Hit(before.round.number, prize.seat, prize.hand, prize.amount, *pots))

    def _unsettle(self, before: Table) -> None:
        settlement = before.settlement
        assert settlement is not None
        assert not any(prize.status == "paid" for prize in settlement.prizes), "5.15: undone though paid"
        now, old = self.books, self.before_settle
        self.books = ledger.with_schedule_of(old, now, now.params is not old.params)
        self.hits = [hit for hit in self.hits if hit.round != settlement.round]
        self.won = []
        if before.round is None:  # the round had ended: its bets had been kept
            assert self.table.round is not None
            self.suspect |= {seat.seat for seat in self.table.seats if seat.closed}
            for i, bet in enumerate(self.table.round.bets):
                self.kept[i] -= bet.bet

    def _deny(self, before: Table, seat: int) -> None:
        prize = next(prize for prize in self.won if prize.seat == seat)
        self.gone.add(seat)
        standing = [other for other in self.won if other.seat not in self.gone]
        self.books = ledger.denied(self.books, self.before_settle, standing, prize)
        self._hit(seat, None)

    def _hit(self, seat: int, approved_by: str | None) -> None:
        """A hit is approved, or (None) is none any more (8.2)."""
        assert self.table.settlement is not None
        number = self.table.settlement.round
        for i, hit in enumerate(self.hits):
            if (hit.round, hit.seat) == (number, seat):
                self.hits[i : i + 1] = [] if approved_by is None else [replace(hit, approved_by=approved_by)]

    def _check_paid(self, before: Table, seat: int) -> None:
        settlement = before.settlement
        assert settlement is not None
        prize = next(prize for prize in settlement.prizes if prize.seat == seat)
        for other in settlement.prizes:
            assert other.seat >= seat or other.status in ("paid", "denied"), f"5.11: {seat} before {other.seat}"
        amount, threshold = prize.amount, self.before_settle.params.approve_from
        if prize.share or amount >= threshold or seat in self.suspect:
            assert prize.approved_by, f"5.11: {prize} was paid without approval"

    def _void(self, before: Table) -> None:
        """5.13, 3.3: every bet goes back, both pots stand as before the round."""
        round = before.round
        assert round is not None
        if round.phase == "paying":
            self._unsettle(before)
        if round.sealed:
            start = self.before_round
            self.books = _with(start, planned=self.books.planned, scheduled=self.books.scheduled)
            self.returned += sum(bet.bet for bet in round.bets)
        assert self.table.round is None, "5.13"

    def _irregular(self, before: Table, seat: int) -> None:
        round, after = before.round, self.table.round
        assert round is not None
        assert after is not None
        if not seat or round.bets[seat - 1].bet == after.bets[seat - 1].bet or not round.sealed:
            return
        assert after.bets[seat - 1].bet == 0, "7.3"
        self.returned += round.bets[seat - 1].bet
        rest = [bet.bet for bet in after.bets if bet.bet]
        start = _with(self.before_round, planned=self.books.planned, scheduled=self.books.scheduled)
        self.books = ledger.contributed(start, rest)

    # --- what the second bookkeeper finds ----------------------------------------------------------------

    def _check_seats(self) -> None:
        """2.2, 2.3, 2.4: at every seat, what came in is there, went back, or was lost in a round."""
        round = self.table.round
        for i, seat in enumerate(self.table.seats):
            bet = 0 if round is None else round.bets[i].bet
            if self.table.setup.acceptor == "credits":
                there = (seat.credits + self.cashed[i]) * self.step + bet + self.kept[i]
                assert self.loaded[i] * self.step == there, f"2.2, 2.4: credits of seat {seat.seat}"
                assert seat.owed_returned == seat.owed_late == seat.owed_excess == 0, "2.4"
            else:
                owed = seat.owed_returned + seat.owed_late + seat.owed_excess
                there = owed + self.handed_back[i] + bet + self.kept[i]
                assert self.dropped[i] == there, f"2.3, 2.4: chips of seat {seat.seat}"
                assert seat.credits == 0, "2.3"

    def _check_meters(self) -> None:
        """8.1, 8.2."""
        m, books = self.table.meters, self.books
        assert m.turnover - m.returned == books.meter("bets"), "3.3: turnover less returned is not bets"
        assert m.returned == self.returned, f"8.1: returned {m.returned} is not {self.returned}"
        assert m.credits_in == sum(self.loaded), "8.1"
        assert m.credits_out == sum(self.cashed), "8.1"
        assert m.late_chips + m.excess_chips == self.chips_counted["all"], "2.3: late and excess chips"
        counted = Counter(hit.hand.value for hit in self.hits)
        assert {hand: count for hand, count in m.hits.items() if count} == dict(counted), "8.1: hits"
        assert list(self.table.hits) == self.hits[-25:], "8.2: the last 25 hits"
        if self.won and self.table.settlement is not None:
            status = {p.seat: p.status for p in self.table.settlement.prizes}
            assert {seat for seat, how in status.items() if how == "denied"} == self.gone, "5.11"


def _enters(table: Table, act: Pressed | ChipDropped, opened: Stamp) -> bool:
    """Whether an act of a player becomes part of the bet (2.2, 2.3, 2.8, 2.10, 8.5)."""
    round, seat, step = table.round, table.seats[act.seat - 1], table.setup.denomination
    if round is None or seat.closed or table.out_of_service:
        return False
    in_time = act.at >= opened and not round.sealed and (round.edge is None or act.at <= round.edge)
    room = table.pot.params.bet_max - round.bets[act.seat - 1].bet
    if isinstance(act, ChipDropped):
        fits = table.setup.acceptor == "chips" and act.value % step == 0 and 0 < act.value <= room
    else:
        fits = table.setup.acceptor == "credits" and (seat.credits > 0 or room < step)
    return in_time and fits


def _with(books: Books, **changes: Any) -> Books:
    return Books(**{**{name: getattr(books, name) for name in books.__dataclass_fields__}, **changes})


def _is_new_round(before: Table, after: Table) -> bool:
    return after.rounds != before.rounds
