"""A table whose hardware and people obey: every input goes through the real core, and lamps follow the panel.

There is no clock: stamps grow by a hundredth of a second from one input to the next.
"""

from __future__ import annotations

from collections.abc import Collection
from functools import reduce
from typing import cast

from msgspec.structs import replace

from controller.core.decide import advance
from controller.core.events import Event, TableOpened
from controller.core.evolve import evolve
from controller.core.inputs import Act, Actor, Command, Input, Start
from controller.core.messages import msg
from controller.core.panel import panel
from controller.core.pot import PotError
from controller.core.state import Table
from controller.journal.codec import UndecodableError, decode, encode
from controller.simulate.findings import AuditError
from controller.version import VERSION
from hal.port import CompleteTo, KeyTurned, LampSensed, Signal, Stamp

DEALER = Actor("dealer", ("dealer",), "terminal")
SUPERVISOR = Actor("supervisor", ("supervisor",), "terminal")
BOOT = 1
STEP_NS = 10_000_000


class Floor:
    """One table, from its opening on. All that is fed raises AuditError when the table answers as it must not.

    `inputs` and `events` are counted; `replayed` counts events that were read back and led to the same table.
    """

    def __init__(self, opening: TableOpened) -> None:
        self.state: Table = evolve(None, opening)
        self.inputs = 0
        self.events = 0
        self.replayed = 0
        self._ns = 0
        self._lit = [False] * opening.setup.seats
        self._before: Table | None = None
        self._noted: list[Event] = []
        self.feed(Start(BOOT, VERSION))

    def feed(self, given: Input, refusals: Collection[str] = ()) -> None:
        """One input, and then what lamps do about it. It may be refused for one of `refusals`, by their codes."""
        refused = self._advance(given)
        if refused and refused not in refusals:
            text = msg("{what} was refused: {code}")
            act = given.act if isinstance(given, Command) else given
            raise AuditError("10", text, what=type(act).__name__, code=refused)
        for index, seat in enumerate(panel(self.state).seats):
            if seat.lamp != self._lit[index]:
                self._lit[index] = seat.lamp
                self._advance(LampSensed(seat.seat, seat.lamp, self.now()))

    def _advance(self, given: Input) -> str:
        try:
            decision = advance(self.state, given)
        except PotError as error:
            raise AuditError("3.3", msg("the table itself stopped: {why}"), why=error) from error
        self.state = decision.state
        self.inputs += 1
        self.events += len(decision.events)
        if self._before is not None:
            self._noted.extend(decision.events)
        return decision.refusal.code if decision.refusal is not None else ""

    def now(self) -> Stamp:
        """The next instant."""
        self._ns += STEP_NS
        return Stamp(BOOT, self._ns)

    # --- hardware and people -----------------------------------------------------------------------------

    def order(self, act: Act, by: Actor = DEALER) -> None:
        """A command, which must not be refused."""
        self.feed(Command(act, by))

    def open(self) -> None:
        """The dealer turns the key: a round begins."""
        self.feed(KeyTurned("open", self.now()))
        self._expect("2.9", self.state.round is not None and self.state.round.phase == "betting")

    def lock(self, overtaking: list[Signal], late: list[Signal]) -> None:
        """The key ends betting. `overtaking` signals arrive before it and `late` ones after it; all of them are stamped
        after its edge, and none may enter (2.8)."""
        edge = self.now()
        after = self.now()
        for signal in overtaking:
            self.feed(replace(signal, at=after), ("no-credits", "over-maximum"))
        self.feed(KeyTurned("locked", edge))
        for signal in late:
            self.feed(replace(signal, at=after), ("not-open",))
        for seat in self.state.seats:
            self.feed(CompleteTo(seat.seat, after))
        self._expect("2.8", self.state.round is not None and self.state.round.sealed)

    def finished(self) -> None:
        """The round must be over."""
        self._expect("2.9", self.state.round is None)

    def _expect(self, clause: str, held: bool) -> None:
        if not held:
            phase = self.state.round.phase if self.state.round is not None else "idle"
            raise AuditError(clause, msg("the round did not go on; it stands at {phase}"), phase=phase)

    # --- reading back ------------------------------------------------------------------------------------

    def note(self) -> None:
        """Keep every event from here on."""
        self._before, self._noted = self.state, []

    def replay(self) -> None:
        """Write all that was kept as the journal does, read it back, and let it lead from the table as it stood to the
        table as it stands. Nothing, when nothing was kept."""
        if self._before is None:
            return
        read = (cast(Event, decode(*encode(event))) for event in self._noted)
        try:
            again = reduce(evolve, read, self._before)
        except (PotError, UndecodableError) as error:
            raise AuditError("8.3", msg("events cannot be read back: {why}"), why=error) from error
        if again != self.state:
            raise AuditError("8.3", msg("events that were read back lead to another table than the live one"))
        self.replayed += len(self._noted)
        self._before, self._noted = None, []
