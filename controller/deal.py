"""Complete games from one deck: the deal, what players decide, the dealer's draw, the end of ANTE and BET (rules 7).

Nothing here knows the side bet's money: its five cards and its forfeits are told, and the core decides about them.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from random import Random
from typing import Literal, NamedTuple

from controller.core.cards import DECK, Card, Hand, at_least, class_of, strength
from controller.core.games.base import BET_OF_ANTE, Showdown, opens, showdown, shown
from controller.core.games.game import Base, Draw, Game
from controller.core.money import Minor

Cards = tuple[Card, ...]

Choice = Literal["fold", "bet", "ante"]
"""What a player does: goes, doubles the stake, or has nothing to decide and plays on with the ANTE alone."""

_PAIR = at_least(Hand.PAIR)
_QUEEN = 10


class Deck:
    """One shuffled deck of 52."""

    def __init__(self, rng: Random) -> None:
        self._cards = list(DECK)
        rng.shuffle(self._cards)

    def draw(self, count: int) -> Cards:
        """The next `count` cards. ValueError when there are fewer."""
        if count > len(self._cards):
            raise ValueError(f"{count} cards wanted, {len(self._cards)} are left")
        taken = tuple(self._cards[:count])
        del self._cards[:count]
        return taken


# --- a sensible player -----------------------------------------------------------------------------------


def choice(game: Game, base: Base, cards: Cards, wins: bool) -> Choice:
    """What a player with `cards` does, the shared ones included that lie face up. `wins`: they win a side bet, which
    folding would forfeit (5.2)."""
    if not base.bet:
        return "ante"
    if wins or len(cards) < 5 or _good(game, base, cards):
        return "bet"
    return "fold"


def _good(game: Game, base: Base, cards: Cards) -> bool:
    """A hand worth a BET: it would open, holds a pair, or may well become something with the cards to come."""
    hand = shown(cards)
    if game.opens is None:
        return hand.hand in base.pays
    if hand.strength >= min(game.opens, _PAIR):
        return True
    more_to_come = game.exchanges > 0 or game.board_cards > len(cards) - game.own_cards
    high = any(card >> 2 >= _QUEEN for card in cards[: game.own_cards])
    return more_to_come and (high or _one_card_short(cards))


def _one_card_short(cards: Cards) -> bool:
    """Four of one suit, or four in a row that another at either end would complete."""
    suits = [card & 3 for card in cards]
    if any(suits.count(suit) == 4 for suit in suits):
        return True
    ranks = {card >> 2 for card in cards}
    return any(ranks.issuperset(range(low, low + 4)) for low in range(9))


def to_change(game: Game, cards: Cards, wins: bool) -> Cards:
    """Which of `cards` a player exchanges: what the dealer would, unless they win a side bet, which any exchange
    forfeits (5.3)."""
    if wins or not game.exchanges or game.draw is None:
        return ()
    return game.draw(cards).change[: game.exchanges]


# --- one round -------------------------------------------------------------------------------------------


class Result(NamedTuple):
    """The end of the base game for one player. `end` is None for one who folded. `ante` and `bet` are what the player
    has won with each stake, in minor units, below zero when it is lost."""

    end: Showdown | None
    ante: int
    bet: int


class Felt:
    """What lies on the felt in one round of `game`: each playing seat's cards, the dealer's, and the shared ones.

    `dealt` are the own cards as they were dealt, `own` as they are now; a player who folds has none left. `stacked`
    are own cards and shared ones that were taken out of the deck before.
    """

    def __init__(
        self, game: Game, base: Base, deck: Deck, seats: Iterable[int], *,
        stacked: Mapping[int, Cards] | None = None, board: Cards = (),
    ) -> None:  # fmt: skip
        self.game = game
        self.base = base
        self._deck = deck
        stacked = stacked or {}
        self.dealt = {seat: stacked.get(seat) or deck.draw(game.own_cards) for seat in seats}
        self.own = dict(self.dealt)
        self.dealer = deck.draw(game.dealer_cards)
        self.board = board + deck.draw(game.board_cards - len(board))

    @property
    def first_board(self) -> Cards:
        """The shared cards that lie face up when players decide."""
        return self.board[: self.game.boards[0]] if self.game.boards else ()

    def five(self, seat: int) -> Cards:
        """The five cards that count for a seat's side bet (5.3-5.5)."""
        return self.dealt[seat] + self.board[: self.game.shared_cards]

    def hand(self, seat: int) -> Hand:
        """The class of `five`."""
        return class_of(strength(self.five(seat)))

    def decide(self, seat: int, prizes: Collection[Hand]) -> Choice:
        """The player's decision; `prizes` are the hands that win this seat's side bet. A fold lays the cards down."""
        decision = choice(self.game, self.base, self.own[seat] + self.first_board, self.hand(seat) in prizes)
        if decision == "fold":
            del self.own[seat]
        return decision

    def exchange(self, seat: int, prizes: Collection[Hand]) -> Cards:
        """The cards that the player gives away, new ones drawn for them; none when the player stands."""
        gone = to_change(self.game, self.own[seat], self.hand(seat) in prizes)
        self.own[seat] = self._replaced(self.own[seat], gone)
        return gone

    def dealers_draw(self) -> Draw | None:
        """The dealer's own draw (7.2), carried out; None where the dealer draws nothing."""
        if self.game.draw is None:
            return None
        draw = self.game.draw(self.dealer)
        self.dealer = self._replaced(self.dealer, draw.change)
        return draw

    def _replaced(self, cards: Cards, gone: Cards) -> Cards:
        return tuple(card for card in cards if card not in gone) + self._deck.draw(len(gone))

    @property
    def opens(self) -> bool | None:
        """Whether the dealer opens, as the cards lie now; None where there is no dealer's hand."""
        return None if self.game.opens is None else opens(self.game, self.dealer + self.board)

    def result(self, seat: int, ante: Minor) -> Result:
        """What becomes of a player's ANTE and BET."""
        if seat not in self.own:
            return Result(None, -ante, 0)
        end = showdown(self.game, self.base, ante, self.own[seat], self.dealer, self.board)
        bet = 0
        if end.bet is not None:
            bet = -BET_OF_ANTE * ante if end.bet.result == "lose" else end.bet.pays
        return Result(end, -ante if end.ante.result == "lose" else end.ante.pays, bet)
