"""The cards of an evening: dealt, decided, turned over; what the base game pays; who shows a winning hand.

Every seat plays the base game, with or without a side bet. The rules are the table's own game's, the cards real.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from random import Random

from controller.core import inputs as do
from controller.core.cards import Hand, card_name
from controller.core.games.base import shown
from controller.core.games.catalogue import GAMES
from controller.core.games.game import NEEDS_SEAT, Base
from controller.core.messages import msg
from controller.core.money import Minor
from controller.deal import Cards, Felt
from controller.demo.chronicle import Chronicle
from controller.demo.deck import StackedDeck, in_order
from controller.demo.house import House
from controller.demo.luck import gifts
from controller.demo.people import DEALER, SUPERVISOR
from controller.story import HANDS


class Lying:
    """What can be seen on the felt. `covered` counts the dealer's cards that lie face down; `results` is what each seat
    has won in the base game, in minor units, below zero what it has lost."""

    def __init__(self) -> None:
        self.own: dict[int, Cards] = {}
        self.board: Cards = ()
        self.dealer: Cards = ()
        self.covered = 0
        self.results: dict[int, int] = {}

    def hand(self, seat: int) -> Hand | None:
        """What a seat's cards make with the shared ones that lie face up; None while they are fewer than five."""
        cards = self.own.get(seat, ()) + self.board
        return shown(cards).hand if len(cards) >= 5 else None


class Game:
    """The game of the table in `house`, round after round."""

    def __init__(
        self, house: House, chronicle: Chronicle, rng: Random, pause: Callable[[float], Awaitable[None]]
    ) -> None:
        config = house.config
        self.lying = Lying()
        self._rules = GAMES[config.setup.game]
        self._base = config.base or self._rules.example or Base({}, bet=False)
        self._ante: Minor = config.setup.denomination
        self._seats = range(1, config.setup.seats + 1)
        self._house = house
        self._chronicle = chronicle
        self._rng = rng
        self._pause = pause

    def clear(self) -> None:
        """The cards are taken away."""
        self.lying = Lying()

    async def play(self, luck: str) -> None:
        """From the deal to the winning hands, in a sealed round. `luck` says whose cards are helped (see `gifts`)."""
        felt, lying = self._deal(luck), self.lying
        for seat, own in felt.own.items():
            await self._pause(0.3)
            lying.own[seat] = in_order(own)
            self._chronicle.show(msg("Seat {seat} is dealt {cards}."), seat=seat, cards=_names(lying.own[seat]))
        lying.covered = self._rules.dealer_cards - self._rules.dealer_face_up
        lying.dealer = felt.dealer[lying.covered :]
        if lying.dealer:
            self._chronicle.show(msg("The dealer shows {cards}."), cards=_names(lying.dealer))
        await self._turn(felt.first_board)
        for seat in self._seats:
            await self._decide(felt, seat)
        if felt.board != felt.first_board:
            await self._turn(felt.board)
        await self._dealers_turn(felt)
        await self._pay_base(felt)
        await self._declare(felt)

    def _deal(self, luck: str) -> Felt:
        """From an honest deck, but for the hands that `luck` has found in it before."""
        state, rules = self._house.state, self._rules
        assert state.round is not None
        deck = StackedDeck(self._rng)
        seats = [seat for seat in self._seats if self._in_play(seat)]
        found = {seat: deck.find(hand) for seat, hand in gifts(self._rng, luck, seats, state).items()}
        board: Cards = ()
        for five in found.values():  # one at most where cards are shared
            board = five[rules.own_cards :]
        own = {seat: five[: rules.own_cards] for seat, five in found.items()}
        return Felt(rules, self._base, deck, self._seats, stacked=own, board=board)

    def _in_play(self, seat: int) -> bool:
        """Whether the seat has a side bet that may win."""
        round = self._house.state.round
        if round is None:
            return False
        bet = round.bets[seat - 1]
        return bool(bet.bet) and bet.forfeit is None and not bet.void

    def _prizes(self, seat: int) -> frozenset[Hand]:
        """The hands that win something for the seat's side bet; none without one."""
        rules = self._house.state.pot.params.prizes
        return frozenset(rule.hand for rule in rules) if self._in_play(seat) else frozenset()

    # --- the players -------------------------------------------------------------------------------------

    async def _turn(self, board: Cards) -> None:
        """Shared cards are turned over, and told to the table."""
        if board:
            await self._pause(0.8)
            await self._house.order(do.Board(board), DEALER)
            self.lying.board = board

    async def _decide(self, felt: Felt, seat: int) -> None:
        """The player folds, or goes on and may exchange; what that costs the side bet, the rules say (5.2, 5.3)."""
        prizes, forfeits, own = self._prizes(seat), self._rules.forfeits, self.lying.own
        await self._pause(0.3)
        if felt.decide(seat, prizes) == "fold":
            del own[seat]
            if "fold" in forfeits and self._in_play(seat):
                await self._house.order(do.Fold(seat), DEALER)
            else:
                self._chronicle.say(msg("Seat {seat} folds."), seat=seat)
        elif gone := felt.exchange(seat, prizes):
            own[seat] = in_order(felt.own[seat])
            text = msg("Seat {seat} exchanges {gone} and holds {cards}.")
            self._chronicle.show(text, seat=seat, gone=_names(gone), cards=_names(own[seat]))
            if "exchange" in forfeits and self._in_play(seat):
                await self._house.order(do.Exchange(seat), DEALER)

    # --- the dealer --------------------------------------------------------------------------------------

    async def _dealers_turn(self, felt: Felt) -> None:
        """The dealer's cards are turned over, exchanged by the rules, and open or do not (7.2)."""
        if not self._rules.dealer_cards:
            return
        lying, say, text = self.lying, self._chronicle.say, self._chronicle.text
        await self._pause(0.8)
        lying.covered, lying.dealer = 0, in_order(felt.dealer)
        if (draw := felt.dealers_draw()) is not None:
            await self._pause(0.8)
            say(msg("The dealer's draw: {rule}."), rule=text(draw.rule))
            lying.dealer = in_order(felt.dealer)
        best = shown(felt.dealer + felt.board)
        opens = msg("The dealer opens: {hand} ({cards})."), msg("The dealer does not open: {hand} ({cards}).")
        say(opens[0] if felt.opens else opens[1], hand=text(HANDS[best.hand]), cards=_names(in_order(best.cards)))

    async def _pay_base(self, felt: Felt) -> None:
        """ANTE and BET are paid, seat 1 upward, before any prize (5.11)."""
        money, told = self._chronicle.money, []
        for seat in self._seats:
            result = felt.result(seat, self._ante)
            self.lying.results[seat] = result.ante + result.bet
            told.append(f"{seat}: {money.signed(result.ante + result.bet)}")
        text = msg("The base game, by seat, with an ANTE of {ante}: {results}.")
        self._chronicle.show(text, ante=money.text(self._ante), results=" · ".join(told))
        await self._pause(1.2)

    async def _declare(self, felt: Felt) -> None:
        """Winning hands are shown, by their cards (5.12)."""
        for seat in self._seats:
            if felt.hand(seat) in self._prizes(seat):
                await self._house.order(do.Declare(seat, cards=in_order(felt.five(seat))), DEALER)
                await self._pause(1.2)

    async def misdeal(self) -> None:
        """Something goes wrong with the deal for which the rules void the round; the supervisor does (7.3, 5.13)."""
        void = [
            kind
            for kind, outcome in self._rules.irregular.items()
            if outcome == "void-round" and kind not in NEEDS_SEAT
            and (self._rules.dealer_cards or not kind.startswith("dealer"))
        ]  # fmt: skip
        if void:
            kind = self._rng.choice(void)
            await self._house.order(do.Irregular(kind), DEALER)
            await self._pause(1.5)
            await self._house.order(do.Void(kind), SUPERVISOR)


def _names(cards: Cards) -> str:
    return " ".join(map(card_name, cards))
