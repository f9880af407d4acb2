"""A decision while it is made: events are laid down one by one, and the state moves along with them."""

from __future__ import annotations

from msgspec import Struct

from controller.core.events import AlarmRaised, Event, PotAsked
from controller.core.evolve import evolve
from controller.core.potwords import Ask
from controller.core.refusals import Refusal
from controller.core.state import Alarm, Bet, Round, Seat, Table


class Decision(Struct, frozen=True):
    """What an input led to: `events` in order, the `state` after them, and why something did not happen.

    A refused command has only the event that records it. A signal is a fact: it may be refused its effect and
    still leave events (a chip too many is set aside and owed back).
    """

    state: Table
    events: tuple[Event, ...] = ()
    refusal: Refusal | None = None


class Draft:
    """Collects a decision's events on a working copy of the state."""

    __slots__ = ("events", "refusal", "state")

    def __init__(self, state: Table) -> None:
        self.state = state
        self.events: list[Event] = []
        self.refusal: Refusal | None = None

    def emit(self, event: Event) -> None:
        """Lay down `event`; the state is the one after it from here on."""
        self.state = evolve(self.state, event)
        self.events.append(event)

    def refuse(self, refusal: Refusal) -> None:
        """Say why it does not happen."""
        self.refusal = refusal

    def alarm(self, code: str, seat: int = 0, detail: str = "") -> None:
        """Raise an alarm, unless the same one is waiting to be seen already."""
        alarm = Alarm(code, seat, detail)
        if alarm not in self.state.alarms:
            self.emit(AlarmRaised(alarm))

    def ask(self, kind: str, ask: Ask) -> None:
        """Put a question to the pot; its answer will be an input."""
        state = self.state
        self.emit(PotAsked((state.setup.table, state.rounds, kind, state.asks + 1), ask))

    def done(self) -> Decision:
        """The decision."""
        return Decision(self.state, tuple(self.events), self.refusal)

    @property
    def round(self) -> Round:
        """The round under way. Only for code that has made sure that there is one."""
        assert self.state.round is not None
        return self.state.round

    def seat(self, seat: int) -> Seat:
        """Seat number `seat`."""
        return self.state.seats[seat - 1]

    def bet(self, seat: int) -> Bet:
        """What seat number `seat` has in the round under way."""
        return self.round.bets[seat - 1]
