"""decide(state, input) → Decision: the rules' front door. Pure: no clock, no I/O, no randomness.

`advance` goes on until nothing is left to ask of a local pot: its answers are inputs of the same batch.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from controller.core import betting, faults, hands, potcare, settling, upkeep
from controller.core import inputs as do
from controller.core.draft import Decision, Draft
from controller.core.events import AccessDenied, CommandRefused, CommandTaken, Event, PotAsked, ServiceStopped, Started
from controller.core.evolve import check_table
from controller.core.expected import changed
from controller.core.inputs import AccessRefused, Command, Input, OutOfService, PotAnswer, Start, Timeout
from controller.core.messages import msg
from controller.core.pot import respond
from controller.core.refusals import Refusal
from controller.core.roles import allowed
from controller.core.state import Answer, Table
from hal.port import (
    ChipDropped,
    CompleteTo,
    KeyFound,
    KeyTurned,
    LampSensed,
    NoisePulse,
    PartFailed,
    PartMended,
    Pressed,
)


def decide(state: Table, given: Input) -> Decision:
    """What `given` leads to. Hardware signals are always accepted; commands may be refused."""
    draft = Draft(state)
    _INPUTS[type(given)](draft, given)
    return draft.done()


def advance(state: Table, given: Input) -> Decision:
    """`decide`, and then the local pot's answers, until none is pending. Checks what must always hold.

    Raises PotError when an identity would break: then nothing of it may be committed.
    """
    decision = decide(state, given)
    events: list[Event] = list(decision.events)
    refusal = decision.refusal
    while (asked := _asked(decision.events)) is not None:
        answer = respond(decision.state.pot, asked.ask)
        decision = decide(decision.state, PotAnswer(asked.key, answer))
        events.extend(decision.events)
    if events:
        check_table(decision.state)
    return Decision(decision.state, tuple(events), refusal)


def _asked(events: tuple[Event, ...]) -> PotAsked | None:
    """The question among `events`, if there is one. A decision asks one thing at a time."""
    for event in events:
        if type(event) is PotAsked:
            return event
    return None


# --- commands --------------------------------------------------------------------------------------------


def _command(d: Draft, c: Command) -> None:
    """Check who asks and whether it is the first time, then let the act decide; record the outcome either way."""
    if c.id:
        for answer in reversed(d.state.answers):
            if answer.id == c.id and answer.person == c.actor.person:
                if answer.code:
                    d.refuse(Refusal(answer.code, answer.clause, answer.text, answer.args))
                return
    refusal = allowed(d.state, c)
    access = refusal is not None
    refusal = refusal or _not_now(d.state, c) or _unknown_seat(d.state, c)
    trial = Draft(d.state)
    if refusal is None:
        trial.emit(CommandTaken(c.actor, c.act, c.second, Answer(c.id, c.actor.person) if c.id else None))
        _act(trial, c)
        refusal = trial.refusal  # says more than that something has changed
        if refusal is None and c.expect is not None:
            refusal = changed(d.state, c.act, c.expect)
    if refusal is None:
        d.state, d.events = trial.state, trial.events
        return
    who = c.actor.person
    given = Answer(c.id, who, refusal.code, refusal.clause, refusal.text, refusal.args) if c.id else None
    d.emit(CommandRefused(c.actor, c.act, refusal.code, refusal.clause, access, given))
    d.refuse(refusal)


def _act(d: Draft, c: Command) -> None:
    if isinstance(c.act, do.Approve):
        settling.approve(d, c.act, c.actor.person)
    elif isinstance(c.act, do.Schedule):
        potcare.schedule(d, c.act, tuple(actor.person for actor in (c.actor, c.second) if actor is not None))
    else:
        _ACTS[type(c.act)](d, c.act)


_WHILE_PENDING = (do.Load, do.CashOut, do.Close, do.Reopen, do.Ack)
"""What can be done while the pot owes an answer: what neither asks it nor depends on it (9.3)."""

_IN_ANY_STATE = (do.Reopen, do.Ack, do.Service, do.CashOut, do.Schedule)
"""What can be done while the table is out of service: what nobody plays with, and what puts it right (8.4)."""


def _not_now(table: Table, c: Command) -> Refusal | None:
    if c.round and c.round != table.rounds:
        return Refusal(
            "stale",
            "10.1",
            msg("That was meant for round {meant}; this is round {now}."),
            {"meant": str(c.round), "now": str(table.rounds)},
        )
    if table.asked is not None and not isinstance(c.act, _WHILE_PENDING):
        return Refusal("pending", "9.3", msg("The pot has not answered yet; wait for it."))
    if table.out_of_service and not isinstance(c.act, _IN_ANY_STATE):
        return Refusal("out-of-service", "8.5", msg("The table is out of service."))
    return None


_SEATLESS = (do.Ack, do.Irregular)
"""Acts whose seat may be left out, as 0."""


def _unknown_seat(table: Table, c: Command) -> Refusal | None:
    seat: int | None = getattr(c.act, "seat", None)
    if seat is None or 1 <= seat <= len(table.seats) or (seat == 0 and isinstance(c.act, _SEATLESS)):
        return None
    return Refusal("unknown-seat", "1", msg("There is no seat {seat} at this table."), {"seat": str(seat)})


# --- what is not a command -------------------------------------------------------------------------------


def _start(d: Draft, s: Start) -> None:
    """Every input from here on belongs to the new boot; what was pending is asked or awaited afresh (8.3)."""
    d.emit(Started(s.boot, s.version, s.settings if s.settings != d.state.settings else ""))
    if d.state.asked is not None:
        d.emit(PotAsked(d.state.asked.key, d.state.asked.ask))
    betting.try_seal(d)


def _out_of_service(d: Draft, s: OutOfService) -> None:
    if s.reason != d.state.out_of_service:
        d.emit(ServiceStopped(s.reason))
        betting.try_seal(d)


def _access_refused(d: Draft, s: AccessRefused) -> None:
    d.emit(AccessDenied(s.person, s.way, s.what, s.suppressed))


def _pot_answer(d: Draft, s: PotAnswer) -> None:
    """An answer counts once: one that nobody waits for any more is ignored (9.1)."""
    if d.state.asked is None or d.state.asked.key != s.key:
        return
    (potcare if s.key[2] in potcare.KINDS else settling).answered(d, s)
    betting.try_seal(d)


def _at_seat(handle: Callable[[Draft, Any], None]) -> Callable[[Draft, Any], None]:
    """A signal from a seat that this table does not have is a wiring mistake: it is not a bet, and it is seen."""

    def guarded(d: Draft, signal: Any) -> None:
        if 1 <= signal.seat <= len(d.state.seats):
            handle(d, signal)
        else:
            d.alarm("unknown-seat", signal.seat)

    return guarded


def _at_part(handle: Callable[[Draft, Any], None]) -> Callable[[Draft, Any], None]:
    def guarded(d: Draft, signal: Any) -> None:
        (handle if signal.seat == 0 else _at_seat(handle))(d, signal)

    return guarded


_INPUTS: dict[type, Callable[[Draft, Any], None]] = {
    Pressed: betting.pressed,
    ChipDropped: betting.chip_dropped,
    KeyTurned: betting.key_turned,
    KeyFound: betting.key_found,
    CompleteTo: betting.complete_to,
    LampSensed: _at_seat(faults.lamp_sensed),
    NoisePulse: _at_seat(faults.noise),
    PartFailed: _at_part(faults.part_failed),
    PartMended: _at_part(faults.part_mended),
    Timeout: faults.timeout,
    Command: _command,
    Start: _start,
    OutOfService: _out_of_service,
    AccessRefused: _access_refused,
    PotAnswer: _pot_answer,
}

_ACTS: dict[type, Callable[[Draft, Any], None]] = {
    do.Load: upkeep.load,
    do.CashOut: upkeep.cash_out,
    do.Fold: hands.fold,
    do.Exchange: hands.exchange,
    do.Restore: hands.restore,
    do.Declare: hands.declare,
    do.Undeclare: hands.undeclare,
    do.Board: hands.board,
    do.Irregular: hands.irregular,
    do.Void: settling.void,
    do.Settle: settling.settle,
    do.Unsettle: settling.unsettle,
    do.Deny: settling.deny,
    do.Paid: settling.paid,
    do.Close: upkeep.close_seat,
    do.Reopen: upkeep.reopen,
    do.Ack: upkeep.acknowledge,
    do.Correct: potcare.correct,
    do.Transfer: potcare.transfer,
    do.Receive: potcare.receive,
    do.Service: upkeep.service,
}
