"""What must be decided if it does not come to pass: `deadlines(state)`, pure (rules 2.6, 2.8, fault table)."""

from __future__ import annotations

from controller.core.inputs import Deadline
from controller.core.panel import lamp_on
from controller.core.state import Bet, Table

LAMP_NS = 200_000_000
"""A lamp must be sensed as commanded within this time of the completed command (2.6)."""

SEAL_NS = 250_000_000
"""Sources that have not reported up to the lock's edge within this time of it have failed (2.8)."""

NOISE_NS = 60_000_000_000
"""The window in which noise pulses are counted (fault table)."""


def deadlines(table: Table) -> tuple[Deadline, ...]:
    """All deadlines that run in this state. An equal one in the next state is the same one, still running."""
    found = []
    round = table.round
    if round is not None and round.edge is not None and round.waiting and not round.sealed:
        found.append(Deadline("seal", 0, round.number, SEAL_NS, round.edge))
    for i, seat in enumerate(table.seats):
        if lamp_pending(table, i):
            found.append(Deadline("lamp", seat.seat, _serial(table, i), LAMP_NS))
        if "noise" in seat.failed:
            found.append(Deadline("noise", seat.seat, seat.noise[-1].ns if seat.noise else 0, NOISE_NS))
    return tuple(found)


def lamp_pending(table: Table, index: int) -> bool:
    """Whether the lamp of the seat at `index` is not sensed as it is commanded, and is still believed to work.

    A vanished node senses nothing, so its lamp is not judged; a lamp that has failed is judged in its test only. Nor is
    one that is dark while the table is out of service: perhaps there is no hardware that could light it (2.6).
    """
    seat = table.seats[index]
    if table.out_of_service and not seat.sensed and not seat.testing:
        return False
    if "node" in seat.failed or ("lamp" in seat.failed and not seat.testing):
        return False
    return seat.sensed != lamp_on(table, index)


def _serial(table: Table, index: int) -> int:
    """Tells one lighting of a lamp from the next, so that a second does not inherit the first's clock: the number of
    acts at the seat when its bet last rose to the minimum, and whether it is commanded on."""
    seat = table.seats[index]
    if seat.testing:
        return -1 if seat.testing == "lit" else -2
    if table.round is None or not lamp_on(table, index):
        return 0
    return 1 + lit_since(table.round.bets[index], table.pot.params.bet_min)


def lit_since(bet: Bet, minimum: int) -> int:
    """The number of acts after which `bet` rose to `minimum` for the last time."""
    n = len(bet.increments)
    while n > 0 and bet.increments[n - 1].bet >= minimum:
        n -= 1
    return n
