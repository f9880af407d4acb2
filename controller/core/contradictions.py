"""What cannot be: hands and shared cards that contradict each other, or a deck of 52 (rules 5.12).

Shared cards may be told at once, or as they are turned; what is told later replaces what was told before, and must
not contradict the hands declared until then. Hands may be declared before the shared cards are told.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

from controller.core.cards import DECK, Card, CardError, Hand, card_name, class_of, hand_class, strength
from controller.core.games.catalogue import GAMES
from controller.core.games.game import Game, royals_possible
from controller.core.messages import msg
from controller.core.refusals import Refusal
from controller.core.state import Round, Table


def of_hand(table: Table, seat: int, hand: Hand | None, cards: tuple[Card, ...]) -> Refusal | None:
    """Why `seat` cannot have that hand, by its class or by its cards; None when it may."""
    game, round = GAMES[table.setup.game], table.round
    assert round is not None
    if cards:
        try:
            found = hand_class(cards)
        except CardError as error:
            return _impossible(msg("These cards are no hand: {why}."), why=str(error))
        if hand not in (None, found):
            return _impossible(msg("These cards make another hand: {found}."), found=found)
        refusal = _cards(game, round, seat, cards)
        hand = found
    elif hand is None:
        return _impossible(msg("Declare the hand by its name, or by its five cards."))
    else:
        refusal = _class(game, round, round.board, seat, hand)
    return refusal or _royals(game, round, seat, hand)


def of_board(table: Table, board: tuple[Card, ...]) -> Refusal | None:
    """Why these cannot be the shared cards: their number, a card twice, a hand declared already."""
    game, round = GAMES[table.setup.game], table.round
    assert round is not None
    if len(board) not in game.boards:
        allowed = ", ".join(map(str, game.boards))
        return _impossible(
            msg("{count} shared cards cannot lie here; tell all that do: {allowed}."),
            count=str(len(board)), allowed=allowed,
        )  # fmt: skip
    if any(card not in DECK for card in board):
        return _impossible(msg("There is no such card in the deck."))
    for card in board:
        if board.count(card) > 1:
            return _impossible(msg("{card} is there twice."), card=card_name(card))
    for seat, bet in enumerate(round.bets, start=1):
        if bet.cards:
            refusal = _against_board(game, board, bet.cards)
        elif bet.hand is not None and bet.forfeit is None:
            refusal = _class(game, round, board, seat, bet.hand)
        else:
            continue
        if refusal is not None:
            return _impossible(
                msg("The hand of seat {seat} cannot be with these shared cards; if they are right, undeclare it."),
                seat=str(seat),
            )
    return None


def _impossible(text: str, **args: str) -> Refusal:
    return Refusal("impossible-hand", "5.12", text, args)


def _names(cards: tuple[Card, ...]) -> str:
    return " ".join(map(card_name, cards))


# --- by cards --------------------------------------------------------------------------------------------


def _cards(game: Game, round: Round, seat: int, cards: tuple[Card, ...]) -> Refusal | None:
    """Five cards that are a hand, beside the shared cards and the other seats' hands."""
    if round.board:
        refusal = _against_board(game, round.board, cards)
        if refusal is not None:
            return refusal
    elif game.shared_cards:
        return _without_board(game, round, seat, cards)
    shared = round.board[: game.shared_cards]
    for other, theirs in _others(round, seat):
        for card in cards:
            if card in theirs and card not in shared:
                return _impossible(
                    msg("{card} was declared at seat {seat} already; the same card cannot be there twice."),
                    card=card_name(card), seat=str(other),
                )  # fmt: skip
    return None


def _against_board(game: Game, board: tuple[Card, ...], cards: tuple[Card, ...]) -> Refusal | None:
    """A hand is all shared cards that count and the own cards, and no other shared card (5.4, 5.5)."""
    counting, later = board[: game.shared_cards], board[game.shared_cards :]
    for card in counting:
        if card not in cards:
            return _impossible(
                msg("{card} is missing: the hand is made of {shared} and of {own} own cards."),
                card=card_name(card), shared=_names(counting), own=str(game.own_cards),
            )  # fmt: skip
    for card in later:
        if card in cards:
            return _impossible(
                msg("{card} is a shared card that does not count; only {shared} and the own cards do."),
                card=card_name(card), shared=_names(counting),
            )  # fmt: skip
    return None


def _without_board(game: Game, round: Round, seat: int, cards: tuple[Card, ...]) -> Refusal | None:
    """While nobody has told the shared cards: all hands have the same ones in common, and no others."""
    found: set[frozenset[Card]] = set()
    for other, theirs in _others(round, seat):
        common = frozenset(cards) & frozenset(theirs)
        found.add(common)
        if len(common) != game.shared_cards or len(found) > 1:
            return _impossible(
                msg("This hand and that of seat {seat} must have the {count} shared cards in common, and no other."),
                seat=str(other), count=str(game.shared_cards),
            )  # fmt: skip
    return None


def _others(round: Round, seat: int) -> Iterator[tuple[int, tuple[Card, ...]]]:
    """The other seats that showed cards; a hand that was folded later was there all the same."""
    for other, bet in enumerate(round.bets, start=1):
        if other != seat and bet.cards:
            yield other, bet.cards


# --- by class --------------------------------------------------------------------------------------------


def _class(game: Game, round: Round, board: tuple[Card, ...], seat: int, hand: Hand) -> Refusal | None:
    """Whether any own cards make `hand` with the shared ones: each pair or three of those left is tried."""
    if not board:
        return None
    shared = board[: game.shared_cards]
    gone = set(board).union(*(theirs for _, theirs in _others(round, seat)))
    left = [card for card in DECK if card not in gone]
    for own in combinations(left, game.own_cards):
        if class_of(strength((*shared, *own))) is hand:
            return None
    return _impossible(
        msg("No {own} own cards make this hand with {shared}: {hand}."),
        own=str(game.own_cards), shared=_names(shared), hand=hand,
    )  # fmt: skip


def _royals(game: Game, round: Round, seat: int, hand: Hand) -> Refusal | None:
    """No more royal flushes than suits; one, where cards are shared."""
    royals = 1 + sum(
        1
        for other, bet in enumerate(round.bets, start=1)
        if other != seat and bet.hand is Hand.ROYAL_FLUSH and bet.forfeit is None
    )
    if hand is not Hand.ROYAL_FLUSH or royals <= royals_possible(game):
        return None
    return _impossible(msg("There cannot be {count} royal flushes in one round of this game."), count=str(royals))
