"""What there is to see at this instant, taken from the table itself: its display, its lamps, what lies on the felt."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from typing import NamedTuple

from controller.core.state import Prize, Table
from controller.demo.chronicle import Money
from controller.demo.game import Lying
from controller.i18n import Translator
from hal.port import Panel

NEWS_MS = 5_000
"""How long it is said by how much the pot has just changed."""

REMEMBERED = 40
"""Lines of the story that a tall screen may show."""


class Scene(NamedTuple):
    """One instant. `display` is what the sign shows, None while it is dark; `lamps` is physical truth.

    `pot` is the main pot in minor units as the counter has it, never more than there is; `change` what it has just
    gained or lost.
    """

    table: Table
    display: Panel | None
    lamps: tuple[bool, ...]
    pot: int
    change: int
    names: Mapping[int, str]
    felt: Lying
    lines: deque[str]
    footer: str
    money: Money
    speak: Translator

    @property
    def waits_for_approval(self) -> bool:
        """Whether a prize of the round that is being paid waits for the supervisor (5.11)."""
        prizes = [self.prize(seat) for seat in self.names]
        return any(prize is not None and prize.status == "unapproved" for prize in prizes)

    def prize(self, seat: int) -> Prize | None:
        """What the seat wins in the round that is being paid."""
        round, settlement = self.table.round, self.table.settlement
        if round is None or round.phase != "paying" or settlement is None:
            return None
        return next((prize for prize in settlement.prizes if prize.seat == seat), None)


class Counter:
    """A meter that counts up smoothly to the pot, never past it; it falls at once, as the pot does.

    `change` is the last rise or fall, in minor units, for as long as it is news; then 0.
    """

    def __init__(self) -> None:
        self.shown: int | None = None
        self.change = 0
        self._pot = 0
        self._news_ms = 0

    def step(self, pot: int, milliseconds: int, *, dark: bool) -> int:
        """What to show of `pot` now, `milliseconds` after the last time. `dark`: begin afresh after it."""
        self._note(pot, milliseconds, dark or self.shown is None)
        if dark or self.shown is None or self.shown >= pot:
            self.shown = pot
        else:
            gap = pot - self.shown
            self.shown += min(gap, max(1, gap * milliseconds // 700))
        return self.shown

    def _note(self, pot: int, milliseconds: int, afresh: bool) -> None:
        self._news_ms -= milliseconds
        if afresh or self._news_ms <= 0:
            self.change = 0
        if pot != self._pot and not afresh:
            self.change, self._news_ms = pot - self._pot, NEWS_MS
        self._pot = pot
