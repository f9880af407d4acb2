"""Cards as texts, and the showdown of one player, for the tests of the games."""

from __future__ import annotations

from controller.core.cards import Card, card_name, parse_card
from controller.core.games.base import Showdown, opens, showdown
from controller.core.games.catalogue import GAMES
from controller.core.games.game import Base
from controller.core.money import Minor

ANTE = Minor(1_000)


def cards(text: str) -> tuple[Card, ...]:
    """ "As Kh" """
    return tuple(parse_card(card) for card in text.split())


def names(some: tuple[Card, ...]) -> set[str]:
    return {card_name(card) for card in some}


def dealer_opens(game: str, dealer: str) -> bool:
    return opens(GAMES[game], cards(dealer))


def played(game: str, player: str, dealer: str = "", board: str = "", base: Base | None = None) -> Showdown:
    """The showdown with an ANTE of 1000, by the game's own table or by `base`."""
    rules = base or GAMES[game].base
    assert rules is not None
    return showdown(GAMES[game], rules, ANTE, cards(player), cards(dealer), cards(board))


def stakes(end: Showdown) -> tuple[str, int, str, int]:
    """What became of the ANTE, and of the BET."""
    assert end.bet is not None
    return end.ante.result, end.ante.pays, end.bet.result, end.bet.pays


LOST = ("lose", 0, "lose", 0)
BACK = ("return", 0, "return", 0)
CLOSED = ("win", 1_000, "return", 0)
"""The dealer does not open: ANTE 1:1, BET returned."""
