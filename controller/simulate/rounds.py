"""Complete games, one after another: the cards, the people, the real core, and the second bookkeeper beside it."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from controller.config import Config, opening
from controller.core import inputs as do
from controller.core.cards import Hand
from controller.core.games.catalogue import GAMES
from controller.core.games.game import Base
from controller.core.messages import msg
from controller.core.panel import owed
from controller.deal import Deck, Felt
from controller.simulate.books import Books, Claim, identities
from controller.simulate.findings import AuditError
from controller.simulate.floor import SUPERVISOR, Floor
from controller.simulate.people import BOUGHT, CASHES, Habits, Plan
from controller.simulate.tally import Tally
from hal.port import ChipDropped, Pressed, Signal

NOTED, OF = 10, 500
"""So many rounds of every so many are written as the journal does and read back, beginning with the first."""


class Simulation:
    """A table that plays `config`'s game. The same seed deals the same cards and leads to the same figures.

    `tally` counts what was seen, `books` what it must come to, `floor` is the table. Raises AuditError in the round in
    which they disagree.
    """

    def __init__(self, config: Config, rng: Random) -> None:
        first = opening(config)
        self.config = config
        self.game = GAMES[config.setup.game]
        self.ante = config.setup.denomination
        """One credit, or the smallest chip: no configuration names an ANTE."""
        self.floor = Floor(first)
        self.books = Books(first)
        self.tally = Tally(config.setup.seats, first.main)
        self._rng = rng
        self.by_example = config.base is None and self.game.example is not None
        """No source and no file says what the base game pays: the game's example is played."""
        self.base = config.base or self.game.example or Base({}, bet=False)
        self._habits = Habits(config.setup, config.params)
        self._prizes = frozenset(rule.hand for rule in config.params.prizes)
        self._chips = config.setup.acceptor == "chips"

    def run(
        self, rounds: int, progress: Callable[[int, int], None] = lambda done, of: None,
        enough: Callable[[], bool] = lambda: False,
    ) -> None:  # fmt: skip
        """Play `rounds`, or until it is `enough`; `progress` hears of each that is over."""
        for number in range(rounds):
            if enough():
                break
            if number % OF == 0:
                self.floor.note()
            self.round()
            if number % OF == NOTED - 1:
                self.floor.replay()
            progress(number + 1, rounds)
        self.floor.replay()
        identities(self.floor.state)

    def round(self) -> None:
        """One complete game: bets, lock, cards, decisions, settlement, payments; then the books are compared."""
        rng, seats = self._rng, range(1, self.config.setup.seats + 1)
        plans = {seat: self._habits.plan(rng) for seat in seats}
        self.floor.open()
        self._bet(plans)
        bets = self._lock(plans)
        felt = Felt(self.game, self.base, Deck(rng), seats)
        claims = self._play(felt, bets)
        self._settle(self.books.settled(claims))
        self._clear_up()
        self.floor.finished()
        self.tally.over(felt, self.ante, self.floor.state.pot.main)
        self.books.compare(self.floor.state)

    # --- betting -----------------------------------------------------------------------------------------

    def _bet(self, plans: dict[int, Plan]) -> None:
        """Credits are loaded where they are short; then buttons and slots, in any order."""
        acts = [seat for seat, plan in plans.items() for _ in range(plan.acts)]
        self._rng.shuffle(acts)
        if not self._chips:
            for seat, plan in plans.items():
                if (short := self._habits.peak(plan) - self.books.credits[seat]) > 0:
                    self._load(seat, short + self._rng.randrange(BOUGHT))
        for seat in acts:
            self.floor.feed(self._act(seat), ("over-maximum",) if plans[seat].excess else ())
        self.books.counted["excess_chips"] += sum(plan.excess for plan in plans.values())

    def _load(self, seat: int, credits: int) -> None:
        self.floor.order(do.Load(seat, credits))
        self.books.credits[seat] += credits
        self.books.counted["credits_in"] += credits

    def _act(self, seat: int) -> Signal:
        at = self.floor.now()
        return ChipDropped(seat, self.config.setup.denomination, at) if self._chips else Pressed(seat, at)

    def _lock(self, plans: dict[int, Plan]) -> dict[int, int]:
        """The key is turned; the books are told. Returns what each seat has bet, in minor units (2.5, 2.8, 4.1)."""
        credit = self.config.setup.denomination
        overtaking = [self._act(seat) for seat, plan in plans.items() if plan.overtakes]
        late = [self._act(seat) for seat, plan in plans.items() if plan.late and not plan.overtakes]
        self.floor.lock(overtaking, late)
        if self._chips:
            beyond = sum(plan.overtakes and plan.stake == self._habits.most for plan in plans.values())
            self.books.counted["excess_chips"] += beyond
            self.books.counted["late_chips"] += len(overtaking) + len(late) - beyond
        bets = {}
        for seat, plan in plans.items():
            if plan.stake >= self._habits.least:
                bets[seat] = plan.stake * credit
                self.books.credits[seat] -= 0 if self._chips else plan.stake
            elif plan.stake:
                self.books.under_minimum(plan.stake * credit)
        self.books.sealed(list(bets.values()))
        self.tally.pot(self.floor.state.pot.main)
        return bets

    # --- cards -------------------------------------------------------------------------------------------

    def _play(self, felt: Felt, bets: dict[int, int]) -> dict[int, Claim]:
        """Decisions, exchanges, the dealer's cards; hands that may still win are declared by their cards (5.12)."""
        floor, forfeits, forfeited = self.floor, self.game.forfeits, set()
        if felt.first_board:
            floor.order(do.Board(felt.first_board))
        for seat in tuple(felt.own):
            prizes: frozenset[Hand] = self._prizes if seat in bets else frozenset()
            if felt.decide(seat, prizes) == "fold":
                if seat in bets and "fold" in forfeits:
                    floor.order(do.Fold(seat))
                    forfeited.add(seat)
            elif felt.exchange(seat, prizes) and seat in bets and "exchange" in forfeits:
                floor.order(do.Exchange(seat))
                forfeited.add(seat)
        if felt.board != felt.first_board:
            floor.order(do.Board(felt.board))
        felt.dealers_draw()
        claims = {}
        for seat, bet in bets.items():
            if seat not in forfeited:
                floor.order(do.Declare(seat, cards=felt.five(seat)))
                claims[seat] = Claim(felt.hand(seat), bet)
        return claims

    # --- money -------------------------------------------------------------------------------------------

    def _settle(self, expected: dict[int, int]) -> None:
        """Settle, approve, pay, seat 1 upward (5.11); the prizes must be `expected`, in minor units by seat."""
        floor = self.floor
        floor.order(do.Settle())
        settlement = floor.state.settlement
        prizes = settlement.prizes if settlement is not None else ()
        found = {prize.seat: int(prize.amount) for prize in prizes}
        if found != expected:
            text = msg("prizes by seat are {found}; by the cards they must be {wanted}")
            raise AuditError("5.9", text, found=found, wanted=expected)
        for prize in prizes:
            must = prize.share or prize.amount >= self.config.params.approve_from
            if must != (prize.status == "unapproved"):
                raise AuditError(
                    "5.11", msg("the prize of seat {seat} is {status}"), seat=prize.seat, status=prize.status
                )
            if must:
                floor.order(do.Approve(prize.seat), SUPERVISOR)
            floor.order(do.Paid(prize.seat))
            self.tally.paid(prize.hand, prize.amount)

    def _clear_up(self) -> None:
        """Chips that are owed go back; now and then somebody takes credits home."""
        for seat in self.floor.state.seats:
            if owed(seat):
                self.floor.order(do.Ack(seat.seat))
            if seat.credits and self._rng.random() < CASHES:
                self.floor.order(do.CashOut(seat.seat))
                self.books.counted["credits_out"] += self.books.credits[seat.seat]
                self.books.credits[seat.seat] = 0
