"""What a simulation found: whether deck and books are right, and all its figures, for people and for programs."""

from __future__ import annotations

from fractions import Fraction
from typing import NamedTuple

from controller.config import Config
from controller.core.cards import HANDS, Hand
from controller.core.money import format_minor, format_units, to_units
from controller.core.params import COUNTS, DEALS
from controller.simulate.books import AMOUNTS, COUNTED, MOVES
from controller.simulate.chance import honest
from controller.simulate.findings import AuditError
from controller.simulate.rounds import Simulation

Json = dict[str, object]

DOUBT = Fraction(1, 10_000)
"""How many honest runs are called wrong, at most: all counts of a run together leave out so much."""


class Law(NamedTuple):
    """One class of hand: how often each seat was dealt it, and between which counts an honest deck lies.

    The hands of one seat are independent from round to round, those of one round are not: they come from one deck. So
    each seat is judged by itself, and the doubt is divided among all counts, which is right whatever joins them.
    """

    hand: Hand
    counts: tuple[int, ...]
    expected: Fraction
    least: int
    most: int

    @property
    def held(self) -> bool:
        """Whether every seat's count is believed."""
        return all(self.least <= count <= self.most for count in self.counts)


class Report(NamedTuple):
    """A simulation that is over, or was ended. `found` is what was wrong with the table, if anything.

    `doubt` is the part of honest runs that each single count leaves out. `seconds` of real time it took.
    """

    config: Config
    simulation: Simulation
    seed: int
    asked: int
    seconds: float
    laws: tuple[Law, ...]
    doubt: Fraction
    found: AuditError | None

    @property
    def ok(self) -> bool:
        """Whether nothing was found."""
        return self.found is None and all(law.held for law in self.laws)

    @property
    def round(self) -> int:
        """The number of the last round that began."""
        return self.simulation.floor.state.rounds

    @property
    def rate(self) -> int:
        """Rounds in a second."""
        return int(self.simulation.tally.rounds / self.seconds) if self.seconds > 0 else 0


def laws(hands: dict[Hand, list[int]], rounds: int) -> tuple[tuple[Law, ...], Fraction]:
    """Every class against rules 6, and how much doubt each single count was given."""
    doubt = DOUBT / sum(len(counts) for counts in hands.values())
    found = []
    for hand in HANDS:
        part = Fraction(COUNTS[hand], DEALS)
        found.append(Law(hand, tuple(hands[hand]), rounds * part, *honest(rounds, part, float(doubt))))
    return tuple(found), doubt


def report(simulation: Simulation, seed: int, asked: int, seconds: float, found: AuditError | None) -> Report:
    """The report of a `simulation` of `asked` rounds, which ended with `found`."""
    tally = simulation.tally
    judged, doubt = laws(tally.hands, tally.rounds)
    return Report(simulation.config, simulation, seed, asked, seconds, judged, doubt, found)


def as_json(found: Report) -> Json:
    """All of it. Amounts are decimal texts of the currency's unit, pots and their meters with four digits more."""
    tally, floor, digits = found.simulation.tally, found.simulation.floor, found.config.setup.digits
    pot, meters = floor.state.pot, floor.state.meters

    def amount(minor: int) -> str:
        return format_minor(minor, digits)

    return {
        "ok": found.ok,
        "table": found.config.setup.table,
        "game": found.config.setup.game,
        "seed": found.seed,
        "asked": found.asked,
        "rounds": tally.rounds,
        "inputs": floor.inputs,
        "events": floor.events,
        "replayed": floor.replayed,
        "seconds": f"{found.seconds:.3f}",
        "rounds_per_second": found.rate,
        "found": _found(found),
        "doubt": {"run": str(DOUBT), "count": str(found.doubt)},
        "hands": [
            {
                "hand": law.hand.value, "counts": law.counts, "expected": f"{float(law.expected):.2f}",
                "least": law.least, "most": law.most, "held": law.held,
            }
            for law in found.laws
        ],
        "pot": {
            "start": format_units(to_units(found.config.params.base), digits),
            "least": format_units(tally.least, digits),
            "most": format_units(tally.most, digits),
            "end": format_units(pot.main, digits),
            "reserve": format_units(pot.reserve, digits),
        },
        "meters": {name: format_units(getattr(pot.meters, name), digits) for name in MOVES}
        | {name: amount(getattr(meters, name)) if name in AMOUNTS else getattr(meters, name) for name in COUNTED},
        "prizes": {
            hand.value: {"count": prizes.count, "total": amount(prizes.total)} for hand, prizes in tally.prizes.items()
        },
        "base_game": {
            "example": found.simulation.by_example, "ante": amount(found.simulation.ante), "antes": tally.antes,
            "folds": tally.folds, "doubled": tally.doubled,
            "opened": None if found.simulation.game.opens is None else tally.opened,
            "players_win": {"ante": amount(tally.ante), "bet": amount(tally.bet)},
        },
    }  # fmt: skip


def _found(found: Report) -> Json | None:
    if found.found is None:
        return None
    return {"round": found.round, "clause": found.found.clause, "message": str(found.found)}
