"""What a game is, as far as the side bet is concerned: data and a few small functions (rules 5, 7)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from msgspec import Struct

Outcome = Literal["burn", "go-on", "choose", "void-round", "void-seat", "house-rules", "lose-all", "return-bet"]
"""What the rules say to an irregular deal (7.3): burn the card, go on, the player chooses the card to burn, void
the round (advice: the supervisor does it), void the seat, the house's own rules, the offender loses every bet,
the side bet is returned."""


class Game(Struct, frozen=True):
    """One game of the table.

    `own_cards` and `shared_cards` are how many of the player's and of the shared cards make the five that count
    for the side bet; `exchange_forfeits` whether exchanging cards forfeits it (5.3), None where nobody exchanges.
    `irregular` maps each kind of irregular deal (7.3) to its outcome; a kind that is not there cannot happen.
    """

    name: str
    max_seats: int
    own_cards: int
    shared_cards: int
    exchange_forfeits: bool | None
    straight_flush_cap: int | None
    irregular: Mapping[str, Outcome]


NEEDS_SEAT = frozenset({"wrong-count", "information", "no-ante"})
"""The kinds of irregular deal that name a seat (7.3)."""

ROYALS = 4
"""A deck holds no more royal flushes, one a suit; with shared cards at most one can be made (5.12)."""


def royals_possible(game: Game) -> int:
    """How many royal flushes one round of `game` can hold (5.12)."""
    return 1 if game.shared_cards else ROYALS
