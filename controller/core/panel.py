"""state → Panel: lamps are never switched on, they are shown because the state says so (rules 2.6)."""

from __future__ import annotations

from collections.abc import Mapping

from controller.core.money import Minor, whole
from controller.core.state import Bet, Seat, Table
from hal.port import Banner, Panel, Said, SeatPanel, SeatText

Notices = Mapping[int, SeatText]
"""Short-lived hints by seat ("no credits"); volatile, gone with a restart."""

NO_NOTICES: Notices = {}


_LOCKED = (Said("locked"),)
"""What most seats say for most of a round; made once, for speed."""


def valid_bet(table: Table, bet: Bet) -> bool:
    """Whether `bet` is a valid side bet (2.6): recorded, at the minimum, neither forfeited nor void."""
    if bet.forfeit is not None or bet.void or not bet.bet:
        return False
    assert table.round is not None
    return table.round.sealed or bet.bet >= table.pot.params.bet_min


def lamp_on(table: Table, index: int) -> bool:
    """Whether the lamp of the seat at `index` (0 for seat 1) is commanded on.

    Lit = there is a valid side bet, and the light of a lamp test. Out of service the lamps of unsealed rounds are
    dark, which neither cancels a bet nor counts as a fault (2.6, 8.5).
    """
    if table.seats[index].testing:
        return table.seats[index].testing == "lit"
    round = table.round
    if round is None or not round.bets[index].bet:
        return False
    if table.out_of_service and not round.sealed:
        return False
    return valid_bet(table, round.bets[index])


def panel(table: Table, notices: Notices = NO_NOTICES, stopped: str = "") -> Panel:
    """The whole picture. `stopped` is the engine's own reason for being out of service (8.5), which the journal
    could not take; it darkens the same lamps as a recorded one."""
    round = table.round
    dark = bool(stopped) and (round is None or not round.sealed)
    chips = table.setup.acceptor == "chips"
    prizes = _prizes(table)
    seats = []
    for i, seat in enumerate(table.seats):
        bet = round.bets[i] if round is not None else None
        lamp = not dark and lamp_on(table, i)
        credits = None if chips else seat.credits
        says = _says(table, seat, bet, notices.get(seat.seat, ""), prizes.get(seat.seat, ""))
        # By place: by name they would take half as long again, and a panel is drawn for every input.
        seats.append(SeatPanel(seat.seat, lamp, credits, bet.bet if bet is not None else 0, says))
    reason = stopped or table.out_of_service
    return Panel(
        seats=tuple(seats),
        banner="out-of-service" if reason else _banner(table),
        pot=whole(table.pot.main),
        round=table.rounds,
        bets=sum(1 for bet in round.bets if bet.bet) if round is not None else 0,
        reason=reason,
    )


def _prizes(table: Table) -> Mapping[int, SeatText]:
    """What a seat with a prize shows: that it has won, or first that a supervisor has to approve it (5.11)."""
    if table.round is None or table.round.phase != "paying" or table.settlement is None:
        return {}
    standing = [prize for prize in table.settlement.prizes if prize.status != "denied"]
    return {prize.seat: "approval" if prize.status == "unapproved" else "winner" for prize in standing}


def _banner(table: Table) -> Banner:
    round = table.round
    if table.asked is not None:
        return "pending"
    if round is None:
        return "idle"
    return "open" if round.phase == "betting" else round.phase


def _says(table: Table, seat: Seat, bet: Bet | None, notice: SeatText, prize: SeatText) -> tuple[Said, ...]:
    """Everything that `seat` has to say. Nothing hides a prize that waits (5.11) or chips to be handed back (2.4)."""
    said = []
    if prize:
        said.append(Said(prize))
    if seat.closed is not None:
        said.append(Said("closed"))
    if notice:
        said.append(Said(notice))
    if due := owed(seat):
        said.append(Said(_to_hand_back(seat, due), due))
    if bet is not None and bet.forfeit is not None:
        said.append(Said("forfeit"))
    if said:
        return tuple(said)
    return () if table.round is not None and table.round.phase == "betting" else _LOCKED


def _to_hand_back(seat: Seat, due: Minor) -> SeatText:
    """Why the chips worth `due` are to be handed back, as far as it is the same for all of them (2.3, 2.4)."""
    return "late" if seat.owed_late == due else "excess" if seat.owed_excess == due else "returned"


def owed(seat: Seat) -> Minor:
    """What the dealer has to hand back at `seat` (2.4)."""
    return Minor(seat.owed_returned + seat.owed_late + seat.owed_excess)
