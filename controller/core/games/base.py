"""What happens to the ANTE and the BET: the base game's showdown (rules 7). They never touch the pot."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from controller.core.cards import Card, Hand, best_five, class_of, strength
from controller.core.games.game import Base, Game, Pays
from controller.core.messages import msg
from controller.core.money import Minor

BET_OF_ANTE = 2
"""The BET is exactly so many times the ANTE (7)."""

Result = Literal["win", "lose", "return"]


class Stake(Struct, frozen=True):
    """What becomes of one stake: it is won, lost or given back; `pays` is what the house adds to a stake that won."""

    result: Result
    pays: Minor = Minor(0)


class Shown(Struct, frozen=True):
    """The five cards that somebody plays, and what they are."""

    hand: Hand
    cards: tuple[Card, ...]
    strength: int


class Showdown(Struct, frozen=True):
    """The end of a base game for one player who did not fold.

    `bet` is None where the ANTE plays alone, `dealer` where there is no dealer's hand. `why` is a message id that says
    which line of the rules applies; `line` is that of the pay table, when the player won by it.
    """

    ante: Stake
    bet: Stake | None
    player: Shown
    dealer: Shown | None
    why: str
    clause: str
    line: Pays | None = None


def shown(cards: tuple[Card, ...]) -> Shown:
    """The best five of five or more different cards."""
    five = best_five(cards)
    points = strength(five)
    return Shown(class_of(points), five, points)


def opens(game: Game, cards: tuple[Card, ...]) -> bool:
    """Whether the dealer opens with these, shared cards included. Only for a game with a dealer's hand."""
    assert game.opens is not None
    return shown(cards).strength >= game.opens


def showdown(
    game: Game,
    base: Base,
    ante: Minor,
    player: tuple[Card, ...],
    dealer: tuple[Card, ...] = (),
    board: tuple[Card, ...] = (),
) -> Showdown:
    """Both stakes of a player who did not fold. All cards differ, and are as many as the deal gives.

    `base` is the game's own, or the configuration's where no source gives one.
    """
    mine = shown((*player, *board))
    theirs = shown((*dealer, *board)) if game.opens is not None else None
    line = base.pays.get(mine.hand)
    lost, back = Stake("lose"), Stake("return")

    def end(ante: Stake, bet: Stake, clause: str, why: str, line: Pays | None = None) -> Showdown:
        return Showdown(ante, bet if base.bet else None, mine, theirs, why, clause, line)

    if theirs is not None:
        if not opens(game, theirs.cards):
            text = msg("The dealer does not open: the ANTE wins 1 to 1, the BET goes back.")
            return end(Stake("win", ante), back, "7", text)
        if theirs.strength == mine.strength:
            return end(back, back, "7.1", msg("A tie with an open dealer: both stakes go back."))
        if theirs.strength > mine.strength:
            return end(lost, lost, "7", msg("The dealer opens with the higher hand: both stakes are lost."))
    if line is None:
        return end(lost, lost, "7", msg("The pay table has no line for this hand: the stakes are lost."))
    return end(_won(ante, line.ante), _won(Minor(BET_OF_ANTE * ante), line.bet), "7", msg("The player wins."), line)


def _won(stake: Minor, times: int) -> Stake:
    return Stake("win", Minor(times * stake)) if times else Stake("return")
