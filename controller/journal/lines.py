"""Entries as lines for people: what `controller.story` tells, and what is told nowhere but in a journal.

An evening's story leaves out what says nothing by itself. In a dispute everything may matter, so here each
entry has its line: who gave which command, what the journal does itself, and the bare kind of the rest.
"""

from __future__ import annotations

from controller import words
from controller.core.events import CommandRefused, CommandTaken, Event
from controller.core.inputs import Act, Actor
from controller.core.messages import msg
from controller.core.state import Setup
from controller.i18n import Translator
from controller.journal.codec import PeriodClosed, PeriodOpened, PeriodsPruned, Record
from controller.journal.entries import Entry
from controller.story import Story

OPENED = msg("Period {period} begins, with the balances at the end of the one before.")
CLOSED = msg("Period {period} ends.")
PRUNED = msg("The files of the periods up to {through} are removed.")
BY_TWO = msg("{first} and {second}")


class Lines:
    """Writes the entries of one table's journal as lines in one language."""

    def __init__(self, setup: Setup, translator: Translator) -> None:
        self._story = Story(setup, translator)
        self._digits = setup.digits
        self._text = translator.text

    def line(self, entry: Entry, item: Event | Record) -> str:
        """Number, time and what happened; `item` is what `entry` says."""
        # A reason that somebody typed may have had several lines; an entry has one.
        told = " ".join(self._tell(item).split())
        return f"{entry.seq:>8}  {entry.wall:<25}  {told or entry.kind}"

    def _tell(self, item: Event | Record) -> str:
        match item:
            case CommandTaken():
                return f"{self._who(item.actor, item.second)}: {self._act(item.act)}"
            case CommandRefused():
                return f"{self._story.tell(item)} {self._act(item.act)}"
            case PeriodOpened():
                return self._text(OPENED, period=item.period)
            case PeriodClosed():
                return self._text(CLOSED, period=item.period)
            case PeriodsPruned():
                return self._text(PRUNED, through=item.through)
            case Event():
                return self._story.tell(item)
        return ""

    def _who(self, actor: Actor, second: Actor | None) -> str:
        if second is None:
            return f"{actor.person} ({actor.way})"
        return self._text(BY_TWO, first=self._who(actor, None), second=self._who(second, None))

    def _act(self, act: Act) -> str:
        """The act in the words that people type."""
        return words.format(act, self._digits) if type(act) in words.BY_MEANING else type(act).__name__
