"""What the demo tells: every event in plain words, the narrator's own lines, and a count kept beside the books.

The count is made from what was announced, never from the meters, so that at the end the two can be compared.
"""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal

from babel.numbers import format_decimal

from controller.core import events as ev
from controller.core.messages import msg
from controller.core.money import UNITS
from controller.core.state import Setup, Table
from controller.i18n import Translator
from controller.published import Published
from controller.story import Story

Tell = Callable[[str, bool], None]
"""Hears one line; True when it says only what a picture of the table shows anyway."""

_SEEN = (ev.KeyMoved, ev.PotMoved, ev.BettingClosed)


_LAMPS = {
    True: (msg("The lamp of seat {seat} is lit."), msg("The lamps of seats {seats} are lit.")),
    False: (msg("The lamp of seat {seat} is dark."), msg("The lamps of seats {seats} are dark.")),
}


class Money:
    """Amounts as people write them in one language: whole groups of digits, the currency's own decimals."""

    def __init__(self, setup: Setup, language: str) -> None:
        self._digits = setup.digits
        self._language = language
        self._pattern = "#,##0" + ("." + "0" * setup.digits if setup.digits else "")
        self.currency = setup.currency

    def text(self, minor: int) -> str:
        """`minor` units without the currency's name: 1250000 is "1.250.000" in Spanish, for pesos."""
        return format_decimal(Decimal(minor).scaleb(-self._digits), format=self._pattern, locale=self._language)

    def signed(self, minor: int) -> str:
        """The same with its sign, for what is won or lost: "+4.000", "−1.000", "0"."""
        return ("+" if minor > 0 else "−" if minor < 0 else "") + self.text(abs(minor))

    def of_units(self, units: int) -> str:
        """Pot units, rounded down to whole minor units: never more than there is (3.2)."""
        return self.text(units // UNITS)


class Tally:
    """What was announced: rounds, bets that stayed, prizes that were paid. Amounts are minor units."""

    def __init__(self) -> None:
        self.rounds = 0
        self.bets = 0
        self.bet = 0
        self.prizes = 0
        self.paid = 0

    def hear(self, event: ev.Event) -> None:
        """Count `event`."""
        if isinstance(event, ev.RoundEnded):
            self.rounds += 1
        elif isinstance(event, ev.RoundSealed):
            self.bets += event.bets
            self.bet += event.total
        elif isinstance(event, ev.BetReturned) and not event.turnover:  # it had been sealed (3.3)
            self.bets -= 1
            self.bet -= event.amount
        elif isinstance(event, ev.PrizePaid):
            self.prizes += 1
            self.paid += event.amount

    def agrees(self, table: Table) -> bool:
        """Whether the books of `table` say the same as the announcements."""
        meters, waiting = table.pot.meters, 0
        if table.settlement is not None:
            waiting = sum(p.amount for p in table.settlement.prizes if p.status in ("unapproved", "payable"))
        return (
            meters.bets == self.bet * UNITS
            and table.meters.bet_count == self.bets
            and meters.fixed_prizes + meters.share_prizes == (self.paid + waiting) * UNITS
        )


class Chronicle:
    """Listens to the engine and to the narrator, and tells `tell` line by line, in the table's language."""

    def __init__(self, setup: Setup, speak: Translator, tell: Tell) -> None:
        self.tally = Tally()
        self.money = Money(setup, speak.language)
        self.text = speak.text
        self._story = Story(setup, speak)
        self._listener = tell
        self._lamps: dict[bool, list[int]] = {}

    def hear(self, published: Published) -> None:
        """One commit of the engine."""
        for _, event in published.entries:
            self.tally.hear(event)
            if isinstance(event, ev.LampChanged):
                self._lamps.setdefault(event.lit, []).append(event.seat)
            elif line := self._story.tell(event):
                self._tell(line, isinstance(event, _SEEN))
        for _, refusal in published.refusals:
            self._tell("✗ " + self.text(refusal.text, **refusal.args))
        if published.stopped:
            self._tell(published.stopped)

    def say(self, sentence: str, **args: object) -> None:
        """A line of the narrator's own."""
        self._tell(self.text(sentence, **args))

    def show(self, sentence: str, **args: object) -> None:
        """The same, of something that a picture of the table shows anyway."""
        self._tell(self.text(sentence, **args), seen=True)

    def pause(self) -> None:
        """Tell what was held back: lamps that change together change in an order that nobody sees."""
        lamps, self._lamps = self._lamps, {}
        for lit, seats in lamps.items():
            one, many = _LAMPS[lit]
            sentence = many if len(seats) > 1 else one
            line = self.text(sentence, seat=seats[0], seats=", ".join(str(seat) for seat in sorted(seats)))
            self._listener(line, True)

    def _tell(self, line: str, seen: bool = False) -> None:
        self.pause()
        self._listener(line, seen)
