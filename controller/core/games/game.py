"""What a game is: data and a few small functions, in the order of a rule sheet (rules 5, 7).

How to add one is told in ``docs/games.md``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Literal

from msgspec import Struct

from controller.core.cards import Card, Hand
from controller.core.messages import msg

# --- the base game ---------------------------------------------------------------------------------------


class Pays(Struct, frozen=True):
    """A line of a base pay table: what the ANTE and the BET win, to one; at 0 the stake goes back without more."""

    ante: int
    bet: int


class Base(Struct, frozen=True):
    """What the base game pays. A hand that is not in `pays` wins nothing, and loses both stakes.

    `bet`: the player decides between folding and a BET; else the ANTE plays alone, and nobody decides anything.
    """

    pays: Mapping[Hand, Pays]
    bet: bool = True


def bet_by_table(table: Mapping[Hand, int]) -> Base:
    """The BET wins by a table, the ANTE one to one."""
    return Base({hand: Pays(ante=1, bet=times) for hand, times in table.items()})


def ante_by_table(table: Mapping[Hand, int]) -> Base:
    """The ANTE wins by a table, the BET one to one."""
    return Base({hand: Pays(ante=times, bet=1) for hand, times in table.items()})


class Draw(Struct, frozen=True):
    """What the dealer must change of the dealt hand, and by which line of the rules, a message id (7.2)."""

    change: tuple[Card, ...]
    rule: str


# --- irregular deals -------------------------------------------------------------------------------------

Outcome = Literal["burn", "go-on", "choose", "void-round", "void-seat", "house-rules", "lose-all", "return-bet"]
"""What the rules say to an irregular deal (7.3); `ADVICE` says it to the dealer."""

ADVICE: dict[str, str] = {
    "burn": msg("burn the card and go on"),
    "go-on": msg("go on"),
    "choose": msg("the player chooses the card to burn; go on"),
    "void-round": msg("stop: the supervisor voids the round"),
    "void-seat": msg("the hand of that seat is void, its side bet goes back; go on"),
    "house-rules": msg("call the supervisor: the house's rules decide"),
    "lose-all": msg("the player loses every bet, the side bet too; go on"),
    "return-bet": msg("the side bet goes back; go on"),
}

KINDS: dict[str, str] = {
    "exposed": msg("a card came off the deck face up"),
    "player-card": msg("a player's card was seen"),
    "player-cards": msg("several of the players' cards were seen"),
    "dealer-card": msg("a covered card of the dealer was seen"),
    "stuck": msg("cards stuck together"),
    "wrong-count": msg("a player has a wrong number of cards"),
    "dealer-count": msg("the dealer has a wrong number of cards"),
    "fourth-flop": msg("a fourth card was turned at the flop"),
    "information": msg("players exchanged information"),
    "no-ante": msg("a side bet without an ANTE"),
}
"""Every kind of irregular deal (7.3), and what it is."""

NEEDS_SEAT = frozenset({"wrong-count", "information", "no-ante"})
"""The kinds of irregular deal that name a seat (7.3)."""

USUAL_IRREGULAR: dict[str, Outcome] = {
    "exposed": "burn",
    "player-card": "go-on",
    "player-cards": "void-round",
    "dealer-card": "void-round",
    "stuck": "choose",
    "wrong-count": "void-seat",
    "dealer-count": "void-round",
    "information": "house-rules",
    "no-ante": "return-bet",
}
"""The column of 7.3 that Draw Poker, Texas Hold'em Plus and Go Poker share."""


# --- the game --------------------------------------------------------------------------------------------


class Game(Struct, frozen=True, kw_only=True):
    """One game of the table.

    `own_cards` go to each player, `dealer_cards` to the dealer, the last `dealer_face_up` of them face up; `boards` are
    the numbers of shared cards that can lie face up, the last one all of them. Of the shared cards the first
    `shared_cards` count for the side bet, with all own cards (5.4, 5.5). `exchanges` is how many cards a player may
    exchange.

    `opens` is the least strength with which the dealer opens, None where there is no dealer's hand; `draw` the
    dealer's own draw. `base` is what the base game pays, None where no source says so and each configuration may,
    as in `example`.

    `forfeits` is what costs a player the side bet (5.2, 5.3). `irregular` maps each kind of irregular deal (7.3) to
    its outcome; a kind that is not there cannot happen. `straight_flush_cap` is the published cap of that prize, in
    bets (5.7).
    """

    name: str
    title: str
    max_seats: int

    own_cards: int
    dealer_cards: int = 0
    dealer_face_up: int = 0
    boards: tuple[int, ...] = ()

    exchanges: int = 0
    opens: int | None = None
    draw: Callable[[tuple[Card, ...]], Draw] | None = None
    base: Base | None = None
    example: Base | None = None

    shared_cards: int = 0
    forfeits: tuple[Literal["fold", "exchange"], ...] = ("fold",)
    straight_flush_cap: int | None = None
    irregular: Mapping[str, Outcome]

    @property
    def board_cards(self) -> int:
        """All shared cards of a complete deal."""
        return self.boards[-1] if self.boards else 0


ROYALS = 4
"""A deck holds no more royal flushes, one a suit; with shared cards at most one can be made (5.12)."""


def royals_possible(game: Game) -> int:
    """How many royal flushes one round of `game` can hold (5.12)."""
    return 1 if game.shared_cards else ROYALS
