"""From the first press to the seal: what players do, the lock, and when the round's bets are final (rules 2)."""

from __future__ import annotations

from controller.core.deadlines import lamp_pending
from controller.core.draft import Draft
from controller.core.events import (
    BetChanged,
    BetReturned,
    BetStripped,
    BettingClosed,
    BettingOpened,
    ChipSetAside,
    KeyMoved,
    PartWorks,
    RoundSealed,
    SeatTested,
    SourceCompleted,
)
from controller.core.messages import msg
from controller.core.money import Minor
from controller.core.panel import owed
from controller.core.potwords import Contribute
from controller.core.refusals import Refusal
from controller.core.state import Bet, ReturnCause, Round, Seat, Table
from hal.port import ChipDropped, CompleteTo, KeyFound, KeyTurned, Pressed, Stamp

WIRING = ("unknown-seat", "wrong-acceptor")
"""Refusals of signals that this table should not be able to give: somebody must look at its wires."""


def pressed(d: Draft, s: Pressed) -> None:
    """A button: one credit more, or at the maximum all of them back (2.2)."""
    refusal = _not_betting(d.state, s.seat, s.at, "credits")
    if refusal is not None:
        _note_wiring(d, refusal, s.seat)
        return d.refuse(refusal)
    seat, bet, params = d.seat(s.seat), d.bet(s.seat).bet, d.state.pot.params
    credit = d.state.setup.denomination
    if bet + credit > params.bet_max:
        d.emit(BetChanged(s.seat, Minor(0), seat.credits + bet // credit, s.at))
    elif seat.credits == 0:
        d.refuse(
            Refusal(
                "no-credits", "2.2", msg("Seat {seat} has no credits left; load some first."), {"seat": str(s.seat)}
            )
        )
    else:
        d.emit(BetChanged(s.seat, Minor(bet + credit), seat.credits - 1, s.at))
    return None


def chip_dropped(d: Draft, s: ChipDropped) -> None:
    """A chip through the slot: part of the bet, or set aside as late or excess (2.3)."""
    if s.value < 1:
        return d.alarm("worthless-chip", s.seat)
    refusal = _not_betting(d.state, s.seat, s.at, "chips")
    if refusal is not None:
        if refusal.code not in WIRING:
            d.emit(ChipSetAside(s.seat, Minor(s.value), "late", s.at))
        _note_wiring(d, refusal, s.seat)
        return d.refuse(refusal)
    bet = Minor(d.bet(s.seat).bet + s.value)
    if s.value % d.state.setup.denomination:  # smaller than the smallest chip, so a bet cannot hold it (2.5)
        d.emit(ChipSetAside(s.seat, Minor(s.value), "excess", s.at))
        d.refuse(
            Refusal(
                "odd-chip",
                "2.5",
                msg("The chip at seat {seat} is no multiple of the smallest one; hand it back."),
                {"seat": str(s.seat)},
            )
        )
    elif bet > d.state.pot.params.bet_max:
        d.emit(ChipSetAside(s.seat, Minor(s.value), "excess", s.at))
        d.refuse(
            Refusal(
                "over-maximum",
                "2.3",
                msg("The chip at seat {seat} goes beyond the maximum bet; hand it back."),
                {"seat": str(s.seat)},
            )
        )
    else:
        d.emit(BetChanged(s.seat, bet, d.seat(s.seat).credits, s.at))
    return None


def _note_wiring(d: Draft, refusal: Refusal, seat: int) -> None:
    """A signal that cannot be bets nothing, but is seen: a chip may have vanished with it."""
    if refusal.code in WIRING:
        d.alarm(refusal.code, seat)


def _not_betting(table: Table, seat: int, at: Stamp, acceptor: str) -> Refusal | None:
    """Why an act of the player at `seat`, stamped `at`, bets nothing; None if it may."""
    if not 1 <= seat <= len(table.seats):
        return Refusal("unknown-seat", "1", msg("There is no seat {seat} at this table."), {"seat": str(seat)})
    args = {"seat": str(seat)}
    if table.setup.acceptor != acceptor:
        return Refusal("wrong-acceptor", "2.2", msg("Seat {seat} does not take bets in this way."), args)
    if table.seats[seat - 1].closed is not None:
        return Refusal("seat-closed", "2.10", msg("Seat {seat} is closed; it must be reopened first."), args)
    if table.out_of_service:
        return Refusal("out-of-service", "8.5", msg("The table is out of service."), args)
    round = table.round
    if round is None or not (round.phase == "betting" or _before_edge(round, at)) or _before_opening(round, at):
        return Refusal("not-open", "2.8", msg("Betting is not open; wait for the dealer's key."), args)
    return None


def _before_opening(round: Round, at: Stamp) -> bool:
    """Whether an act stamped `at` belongs before this round, whenever it is reported."""
    return round.opened is not None and at < round.opened


def _before_edge(round: Round, at: Stamp) -> bool:
    """Whether an act stamped `at` still enters a locked round: before the edge, and before the seal (2.8)."""
    return not round.sealed and round.edge is not None and at <= round.edge


# --- the key ---------------------------------------------------------------------------------------------


def key_turned(d: Draft, s: KeyTurned) -> None:
    """The lock key ends betting with its edge, and begins the next only when nothing is left to settle (2.8, 2.9)."""
    if d.state.key != s.position:
        d.emit(KeyMoved(s.position))
    if s.position == "locked":
        if d.state.round is not None and d.state.round.phase == "betting":
            lock(d, s.at, working_sources(d.state))
        return
    if d.state.round is not None and d.state.round.phase == "betting":
        return
    refusal = cannot_open(d.state)
    if refusal is None:
        for seat in d.state.seats:
            if seat.testing:
                d.emit(SeatTested(seat.seat, "failed"))
        d.emit(BettingOpened(d.state.rounds + 1, s.at))
        return
    d.refuse(refusal)
    d.alarm("key-open-early", detail=refusal.code)


def key_found(d: Draft, s: KeyFound) -> None:
    """Where the key stands at power-on: locked while betting was open locks now; open never opens (8.3)."""
    if d.state.key != s.position:
        d.emit(KeyMoved(s.position))
    round = d.state.round
    if s.position == "locked":
        if round is not None and round.phase == "betting":
            # Nobody turned it, so no source will report up to it; and what they had not reported is gone (2.8).
            lock(d, s.at, waiting=())
    elif round is None or round.phase != "betting":
        d.alarm("key-found-open")


def cannot_open(table: Table) -> Refusal | None:
    """Why betting cannot open now (2.9); None if it can."""
    if table.out_of_service:
        return Refusal("out-of-service", "8.5", msg("The table is out of service."))
    round = table.round
    if round is not None:
        return Refusal(
            "not-settled",
            "2.9",
            msg("Round {round} is not finished: settle it and pay or deny every prize, or void it."),
            {"round": str(round.number)},
        )
    for seat in table.seats:
        if owed(seat):
            return Refusal(
                "not-settled",
                "2.4",
                msg("Chips are owed at seat {seat}: hand them back and acknowledge."),
                {"seat": str(seat.seat)},
            )
    if table.asked is not None:
        return Refusal("pending", "9.3", msg("The pot has not answered yet; wait for it."))
    if table.service:
        return Refusal("not-allowed", "10.2", msg("The table is in service mode; leave it before play goes on."))
    if "display" in table.failed:
        return Refusal("out-of-service", "8.5", msg("No display works; mend it before betting opens."))
    if table.pot.closed:
        return Refusal("out-of-service", "4.10", msg("The pot of this table was closed and moved away."))
    return None


def working_sources(table: Table) -> tuple[int, ...]:
    """The seats that will report up to a turn of the key."""
    return tuple(seat.seat for seat in table.seats if "node" not in seat.failed)


def lock(d: Draft, edge: Stamp, waiting: tuple[int, ...]) -> None:
    """Betting ends with `edge`: what is stamped later is taken out again; the seal awaits the sources `waiting`."""
    d.emit(BettingClosed(d.round.number, edge, waiting))
    for seat in d.state.seats:
        _strip(d, seat, d.bet(seat.seat), edge)
    try_seal(d)


def _strip(d: Draft, seat: Seat, bet: Bet, edge: Stamp) -> None:
    """Take out the acts at a seat that are stamped after the edge."""
    kept = tuple(act for act in bet.increments if act.at <= edge)
    if len(kept) == len(bet.increments):
        return
    stays = kept[-1].bet if kept else Minor(0)
    if d.state.setup.acceptor == "chips":
        dropped = len(bet.increments) - len(kept)
        d.emit(BetStripped(seat.seat, stays, seat.credits, kept, Minor(bet.bet - stays), dropped))
        return
    credits = seat.credits + (bet.bet - stays) // d.state.setup.denomination
    if credits < 0:  # a bet taken back after the edge has been cashed out since: it cannot stand any more
        credits, stays, kept = seat.credits + bet.bet // d.state.setup.denomination, Minor(0), ()
    d.emit(BetStripped(seat.seat, stays, credits, kept))


# --- the seal --------------------------------------------------------------------------------------------


def complete_to(d: Draft, s: CompleteTo) -> None:
    """A source has reported everything up to a stamp. One that had failed, being silent, is thereby seen to work: only
    working sources report, and nothing else would tell (2.10)."""
    if 1 <= s.source <= len(d.state.seats) and "node" in d.seat(s.source).failed:
        d.emit(PartWorks(s.source, "node"))
    round = d.state.round
    if round is None or round.edge is None or round.sealed:
        return
    if s.source in round.waiting and s.at >= round.edge:
        d.emit(SourceCompleted(s.source))
        try_seal(d)


def try_seal(d: Draft) -> None:
    """Seal the round, if every source has reported and every commanded lamp is sensed or timed out (2.8).

    Bets under the minimum go back first (2.5); then the bets enter the pot (4.1).
    """
    round = d.state.round
    if round is None or round.phase != "locked" or round.sealed or round.waiting:
        return
    if d.state.out_of_service or d.state.asked is not None:
        return
    if any(lamp_pending(d.state, i) for i, bet in enumerate(round.bets) if bet.bet):
        return
    for seat, bet in enumerate(round.bets, start=1):
        if 0 < bet.bet < d.state.pot.params.bet_min:
            give_back(d, seat, "minimum")
    bets = tuple((seat, bet.bet) for seat, bet in enumerate(d.round.bets, start=1) if bet.bet)
    d.emit(RoundSealed(round.number, len(bets), Minor(sum(bet for _, bet in bets))))
    if bets:
        d.ask("contribute", Contribute(bets))


def give_back(d: Draft, seat: int, cause: ReturnCause) -> None:
    """Return a seat's bet (2.4): to its credits, or as chips to be handed back. After the seal, when the bets have
    entered the pot, that has been asked before."""
    bet, sealed = d.bet(seat), d.round.sealed
    credits = d.state.setup.acceptor == "credits"
    d.emit(
        BetReturned(
            seat,
            bet.bet,
            cause,
            credits=bet.bet // d.state.setup.denomination if credits else 0,
            owed=Minor(0) if credits else bet.bet,
            turnover=Minor(0) if sealed else bet.bet,
            bet_count=-1 if sealed else 0,
        )
    )
