"""Between the seal and the settlement: folds, exchanges, declared hands, irregular deals (rules 5, 7.3)."""

from __future__ import annotations

from typing import Literal

from controller.core import contradictions
from controller.core import inputs as do
from controller.core.betting import give_back
from controller.core.cards import hand_class
from controller.core.draft import Draft
from controller.core.events import (
    BoardShown,
    HandDeclared,
    HandForfeited,
    HandRestored,
    HandUndeclared,
    IrregularDeal,
    SeatVoided,
)
from controller.core.games.catalogue import GAMES
from controller.core.games.game import NEEDS_SEAT, Game
from controller.core.messages import msg
from controller.core.potwords import Return
from controller.core.refusals import Refusal
from controller.core.state import Table


def game_of(table: Table) -> Game:
    """The game that `table` plays."""
    return GAMES[table.setup.game]


def not_sealed(table: Table) -> Refusal | None:
    """Why hands cannot be spoken of now (2.9); None between the seal and the settlement."""
    round = table.round
    if round is None or round.phase == "betting":
        return Refusal("not-locked", "2.9", msg("Lock betting first; hands need a sealed round."))
    if not round.sealed:
        return Refusal("not-sealed", "2.9", msg("The round is not sealed yet; wait a moment and try again."))
    if round.phase == "paying":
        return Refusal("not-locked", "5.15", msg("The round is settled; a supervisor can undo that with unsettle."))
    return None


def _has_bet(d: Draft, seat: int) -> bool:
    """Whether the seat's bet is in play; else says why not."""
    refusal = not_sealed(d.state)
    if refusal is None:
        bet, args = d.bet(seat), {"seat": str(seat)}
        if bet.forfeit is not None or bet.void:
            refusal = Refusal(
                "forfeited", "5.6", msg("The side bet of seat {seat} is forfeited or void; it cannot win."), args
            )
        elif not bet.bet:
            refusal = Refusal("no-bet", "2.1", msg("Seat {seat} has no side bet in this round."), args)
    if refusal is not None:
        d.refuse(refusal)
    return refusal is None


def fold(d: Draft, act: do.Fold) -> None:
    """The player does not go on (5.2)."""
    _forfeit(d, act.seat, "fold")


def exchange(d: Draft, act: do.Exchange) -> None:
    """The player exchanges cards: the side bet is forfeited, even with a royal flush (5.3)."""
    if not game_of(d.state).exchanges:
        d.refuse(Refusal("not-allowed", "5.3", msg("Nobody exchanges cards in this game.")))
    else:
        _forfeit(d, act.seat, "exchange")


def _forfeit(d: Draft, seat: int, why: Literal["fold", "exchange"]) -> None:
    """What the game's rules say to it: `Game.forfeits`."""
    if why not in game_of(d.state).forfeits:
        clause = "5.3" if why == "exchange" else "5.2"
        d.refuse(Refusal("not-allowed", clause, msg("That does not cost the side bet in this game; go on.")))
    elif _has_bet(d, seat):
        d.emit(HandForfeited(seat, why))


def restore(d: Draft, act: do.Restore) -> None:
    """Undo a fold or an exchange before settling (5.15)."""
    refusal = not_sealed(d.state)
    if refusal is None and d.bet(act.seat).forfeit is None:
        refusal = Refusal(
            "not-forfeited",
            "5.15",
            msg("The side bet of seat {seat} is not forfeited; nothing to restore."),
            {"seat": str(act.seat)},
        )
    if refusal is None and (hand := d.bet(act.seat).hand) is not None:
        refusal = contradictions.of_hand(d.state, act.seat, hand, d.bet(act.seat).cards)
    if refusal is not None:
        return d.refuse(refusal)
    return d.emit(HandRestored(act.seat))


def declare(d: Draft, act: do.Declare) -> None:
    """A hand is declared, by class or by its cards; a second one replaces the first (5.12, 5.15)."""
    if not _has_bet(d, act.seat):
        return
    refusal = contradictions.of_hand(d.state, act.seat, act.hand, act.cards)
    if refusal is not None:
        d.refuse(refusal)
        return
    hand = hand_class(act.cards) if act.cards else act.hand
    assert hand is not None
    d.emit(HandDeclared(act.seat, hand, act.cards))


def undeclare(d: Draft, act: do.Undeclare) -> None:
    """Take a declared hand back before settling (5.15)."""
    refusal = not_sealed(d.state)
    if refusal is None and d.bet(act.seat).hand is None:
        refusal = Refusal("no-hand", "5.15", msg("No hand was declared at seat {seat}."), {"seat": str(act.seat)})
    if refusal is not None:
        return d.refuse(refusal)
    return d.emit(HandUndeclared(act.seat))


def board(d: Draft, act: do.Board) -> None:
    """All shared cards that lie face up so far; told again, they replace those told before (5.4, 5.5, 5.12)."""
    if not game_of(d.state).boards:
        d.refuse(Refusal("not-allowed", "5.5", msg("This game has no shared cards.")))
        return
    refusal = not_sealed(d.state) or contradictions.of_board(d.state, act.cards)
    if refusal is not None:
        d.refuse(refusal)
    else:
        d.emit(BoardShown(act.cards))


# --- irregular deals -------------------------------------------------------------------------------------


def irregular(d: Draft, act: do.Irregular) -> None:
    """An irregular deal is recorded, with what the game's rules say to it; a void seat takes effect at once (7.3)."""
    outcome = game_of(d.state).irregular.get(act.kind)
    if outcome is None:
        d.refuse(Refusal("not-allowed", "7.3", msg("{kind} is no irregular deal of this game."), {"kind": act.kind}))
        return
    if (act.kind in NEEDS_SEAT) != bool(act.seat):
        d.refuse(_seat_wanted(act))
        return
    round = d.state.round
    # A side bet without ANTE can be found as long as betting is open; the rest needs cards on the table (2.9).
    betting = act.kind == "no-ante" and round is not None and round.phase == "betting"
    refusal = None if betting else not_sealed(d.state)
    if refusal is not None:
        d.refuse(refusal)
        return
    if outcome in ("void-seat", "return-bet", "lose-all") and not d.bet(act.seat).bet:
        d.refuse(Refusal("no-bet", "7.3", msg("Seat {seat} has no side bet in this round."), {"seat": str(act.seat)}))
        return
    d.emit(IrregularDeal(act.kind, outcome, act.seat))
    if outcome == "lose-all":
        if d.bet(act.seat).forfeit is None:
            d.emit(HandForfeited(act.seat, "information"))
    elif outcome in ("void-seat", "return-bet"):
        _return_seat(d, act.seat, void=outcome == "void-seat")


def _seat_wanted(act: do.Irregular) -> Refusal:
    if act.seat:
        return Refusal("not-allowed", "7.3", msg("{kind} concerns the whole table; name no seat."), {"kind": act.kind})
    return Refusal("unknown-seat", "7.3", msg("{kind} concerns one seat; name it."), {"kind": act.kind})


def _return_seat(d: Draft, seat: int, *, void: bool) -> None:
    """Return one seat's bet (5.13, 2.1); what had entered the pot is undone first (3.3)."""
    if void:
        d.emit(SeatVoided(seat))
    if d.round.sealed:
        d.ask("return", Return(((seat, d.bet(seat).bet),), d.round.overflowed))
    else:
        give_back(d, seat, "irregular")
