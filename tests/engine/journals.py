"""What the tests of the journal share: a table, and events whose every prefix gives a state of its own."""

from __future__ import annotations

from itertools import accumulate
from pathlib import Path

from controller.core.cards import Hand
from controller.core.events import CreditsLoaded, Event, TableOpened
from controller.core.evolve import evolve
from controller.core.money import Minor, Rate, Units
from controller.core.potwords import Params, PrizeRule
from controller.core.state import Setup, Table
from controller.journal.writer import Journal, Limits

WALL = "2025-03-01T20:15:00.250Z"
SMALL = Limits(snapshot_every=5, tidy_pages=6, most_pages=14)
"""So that a short run meets snapshots, checkpoints when asked, and checkpoints when they cannot wait."""

FIRST = TableOpened(
    setup=Setup(
        table="draw-1",
        game="draw-poker",
        seats=6,
        currency="CLP",
        digits=0,
        acceptor="credits",
        denomination=Minor(1000),
    ),
    params=Params(
        bet_min=Minor(1000),
        bet_max=Minor(3000),
        base=Minor(10_000_000),
        limit=None,
        commission=Rate(2000),
        reserve=Rate(1000),
        fixed_prizes="first",
        approve_from=Minor(1_000_000),
        prizes=(PrizeRule(Hand.FLUSH, times=50), PrizeRule(Hand.ROYAL_FLUSH, share=Rate(10_000))),
    ),
    main=Units(100_000_000_000),
    reserve=Units(0),
)


def loading(number: int) -> Event:
    """The event numbered `number`, from 1: a credit loaded."""
    return CreditsLoaded(seat=number % 6 + 1, count=1, credits=number)


def states(count: int) -> list[Table]:
    """The table after 0, 1, … `count` events."""
    opened = evolve(None, FIRST)
    return list(accumulate(map(loading, range(1, count + 1)), evolve, initial=opened))


def loaded(state: Table) -> int:
    """How many events led to `state`."""
    return state.meters.credits_in


class Run:
    """A journal that is being written, and the state that goes with it."""

    def __init__(self, directory: Path, limits: Limits = SMALL, create: bool = True) -> None:
        self.directory = directory
        self._limits = limits
        self.journal = (
            Journal.create(directory, FIRST, WALL, evolve, limits)
            if create
            else Journal.open(directory, evolve, limits=limits)
        )
        self.state = self.journal.recovered.state

    def load(self, count: int = 1) -> int:
        """Commit the next `count` events at once; returns how many there are then."""
        number = loaded(self.state)
        events = [loading(number + n) for n in range(1, count + 1)]
        for event in events:
            self.state = evolve(self.state, event)
        self.journal.commit(events, self.state, WALL)
        return number + count

    def close_period(self) -> None:
        self.journal.close_period(self.state, WALL)

    def reopen(self) -> None:
        """Close properly and open again."""
        self.journal.close()
        self.journal = Journal.open(self.directory, evolve, limits=self._limits)
        self.state = self.journal.recovered.state
