"""Who may do what (rules 10)."""

from __future__ import annotations

from controller.core import inputs as do
from controller.core.inputs import Act, Actor, Command
from controller.core.messages import msg
from controller.core.refusals import Refusal
from controller.core.state import Role, Table

_FLOOR: tuple[Role, ...] = ("dealer", "supervisor")

MAY: dict[type[Act], tuple[Role, ...]] = {
    do.Load: _FLOOR,
    do.CashOut: _FLOOR,
    do.Fold: _FLOOR,
    do.Exchange: _FLOOR,
    do.Board: _FLOOR,
    do.Declare: _FLOOR,
    do.Undeclare: _FLOOR,
    do.Irregular: _FLOOR,
    do.Settle: _FLOOR,
    do.Paid: _FLOOR,
    do.Close: _FLOOR,
    do.Restore: ("supervisor",),
    do.Unsettle: ("supervisor",),
    do.Void: ("supervisor",),
    do.Approve: ("supervisor",),
    do.Deny: ("supervisor",),
    do.Service: ("technician",),
}
"""The acts that one person does alone. `Reopen` and `Ack` depend on what they are about; see `allowed`."""

TWO: frozenset[type[Act]] = frozenset({do.Schedule, do.Correct, do.Transfer, do.Receive})
"""The acts that need a supervisor and a technician, two persons, each with the own PIN (4.7, 10)."""


def allowed(table: Table, command: Command) -> Refusal | None:
    """Why `command` is not for its actor; None if it is. Clause 10."""
    act, actor = command.act, command.actor
    if type(act) in TWO:
        return (
            None
            if _two_people(actor, command.second)
            else Refusal("not-allowed", "10", msg("This needs a supervisor and a technician, each with their own PIN."))
        )
    may = _may(table, act)
    if any(role in may for role in actor.roles):
        return None
    return Refusal(
        "not-allowed",
        "10",
        msg("This is not for {person}; it needs the role: {roles}."),
        {"person": actor.person, "roles": ", ".join(may)},
    )


def _may(table: Table, act: Act) -> tuple[Role, ...]:
    if isinstance(act, do.Reopen):
        known = 1 <= act.seat <= len(table.seats)
        by_dealer = known and table.seats[act.seat - 1].closed in (None, "dealer")
        return _FLOOR if by_dealer else ("technician",)
    if isinstance(act, do.Ack):
        return _FLOOR if act.seat else ("supervisor",)
    return MAY[type(act)]


def _two_people(one: Actor, other: Actor | None) -> bool:
    """Two different persons who are supervisor and technician between them. A scenario acts for every role."""
    if one.way == "scenario":
        return True
    if other is None or one.person == other.person:
        return False
    return ("supervisor" in one.roles and "technician" in other.roles) or (
        "technician" in one.roles and "supervisor" in other.roles
    )
