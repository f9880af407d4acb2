"""What a power cut left in the journal, against what was acknowledged before it: nothing but data, nothing is played.

Acknowledged is a list of what was said to the host, in order (``tests.hil.guest.dark``):

- ``{"seq", "state"}`` a state that was shown; ``{"event"}`` an entry that was told, with its ``seq`` and ``kind``;
- ``{"asked"}`` a command that is about to be given, ``{"answer", "seq"}`` one that was answered;
- ``{"lit", "round"}``, ``{"dark"}`` the seat whose lamp was switched.

Amounts here are in the currency's unit.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from decimal import Decimal
from typing import Any

import msgspec

from controller.core import events as ev
from controller.core.evolve import evolve
from controller.core.money import WHOLE
from controller.core.potwords import Params
from controller.core.state import Table
from controller.view import view
from tests.hil.guest.stand import Sight, books

Said = dict[str, Any]

DONE: dict[str, type[ev.Event]] = {
    "load": ev.CreditsLoaded,
    "declare": ev.HandDeclared,
    "settle": ev.RoundSettled,
    "approve": ev.PrizeApproved,
    "paid": ev.PrizePaid,
}
"""What a command brings about."""


class Survived:
    """The events of a journal by number, and what they come to."""

    def __init__(self, events: Sequence[tuple[int, ev.Event]]) -> None:
        self.events = events
        self.states: dict[int, Table] = {}
        state: Table | None = None
        for seq, event in events:
            state = self.states[seq] = evolve(state, event)
        self.state = state

    @property
    def last(self) -> int:
        """The number of the last event."""
        return self.events[-1][0] if self.events else 0

    def missing(self, said: Iterable[Said]) -> list[int]:
        """The numbers that were told, shown or answered, and are not there."""
        numbers = {each["event"]["seq"] if "event" in each else each.get("seq", 0) for each in said} - {0}
        return sorted(numbers - self.states.keys())

    def altered(self, said: Iterable[Said]) -> list[str]:
        """Events that are not as they were told."""
        told = {each["event"]["seq"]: each["event"] for each in said if "event" in each}
        there = [(seq, event) for seq, event in self.events if seq in told]
        return [
            f"{seq}: {told[seq]} was told, {event} survived" for seq, event in there if _told(seq, event) != told[seq]
        ]

    def unaccounted(self, said: Iterable[Said]) -> list[str]:
        """States that were shown and do not follow from the events."""
        shown = [(each["seq"], each["state"]) for each in said if "state" in each and each["seq"] in self.states]
        return [f"state {seq}" for seq, state in shown if amounts(state) != amounts(seen(self.states[seq]))]

    def extinguished(self, said: Iterable[Said]) -> list[str]:
        """Seats that were seen lit and have no bet, though nothing took it and the round goes on (2.7)."""
        seen_lit = lit(said)
        number, ended, bets, taken = 0, 0, dict[int, int](), set[int]()
        for _, event in self.events:
            match event:
                case ev.BettingOpened(round=number):
                    bets, taken = {}, set()
                case ev.RoundEnded(round=ended):
                    pass
                case ev.BetChanged(seat=seat, bet=bet) | ev.BetStripped(seat=seat, bet=bet):
                    bets[seat] = bet
                    taken |= {seat} if not bet else set()
                case ev.BetReturned(seat=seat) | ev.HandForfeited(seat=seat):
                    taken.add(seat)
        return [
            f"seat {seat} was lit in round {then}; the journal is in round {number} with bets {bets}"
            for seat, then in seen_lit.items()
            if then > number or (then == number and then != ended and not bets.get(seat) and seat not in taken)
        ]

    def miscounted(self, said: Iterable[Said]) -> list[str]:
        """Commands that were answered and not done, or done more often than they were given; loads by their credits."""
        asked, answered, done = Counter[str](), Counter[str](), Counter[str]()
        for each in said:
            for key, counter in (("asked", asked), ("answer", answered)):
                if key in each:
                    verb, *more = each[key].split()
                    counter[f"{verb} {more[0] if more else ''}"] += int(more[1]) if verb == "load" else 1
        for _, event in self.events:
            for verb, kind in DONE.items():
                if isinstance(event, kind):
                    done[f"{verb} {getattr(event, 'seat', '')}"] += getattr(event, "count", 1)
        return [
            f"{what}: {answered[what]} answered, {done[what]} done, {asked[what]} asked"
            for what in sorted(asked | answered | done)
            if not answered[what] <= done[what] <= asked[what]
        ]

    def credits(self, denomination: int) -> dict[int, tuple[int, int]]:
        """The credits of every seat and the credits in its bet: what was loaded, less what was bet since."""
        free, bet = Counter[int](), Counter[int]()
        for _, event in self.events:
            match event:
                case ev.CreditsLoaded(seat=seat, count=count):
                    free[seat] += count
                case ev.CreditsCashed(seat=seat, count=count):
                    free[seat] -= count
                case ev.BetChanged(seat=seat, bet=amount) | ev.BetStripped(seat=seat, bet=amount):
                    free[seat] += bet[seat] - amount // denomination
                    bet[seat] = amount // denomination
                case ev.BetReturned(seat=seat):
                    free[seat] += bet.pop(seat)
                case ev.RoundEnded():
                    bet.clear()
        return {seat: (free[seat], bet[seat]) for seat in free}


def lit(said: Iterable[Said]) -> dict[int, int]:
    """The seats whose lamp was seen lit and not seen to go dark since, and in which round that was."""
    found = dict[int, int]()
    for each in said:
        if "lit" in each:
            found[each["lit"]] = each["round"]
        elif "dark" in each:
            found.pop(each["dark"], None)
    return found


def resumed(before: Said, params: Params) -> Said:
    """The amounts and the phase to which a start comes from those `before`, in which its key was found (8.3): the same.

    But a key found locked locks, and what is locked and not sealed is sealed: then the bets enter the pots, and nothing
    else."""
    if before["key"] != "locked" or before["sealed"] or before["phase"] not in ("betting", "locked"):
        return before
    bets = [bet for _, _, bet, _ in before["seats"] if bet]
    total = sum(bets, Decimal(0))
    commission, reserve = total * params.commission / WHOLE, total * params.reserve / WHOLE
    main = total - commission - reserve
    gains = {"bet_count": len(bets), "bets": total, "turnover": total}
    gains |= {"commission": commission, "to_reserve": reserve, "to_main": main}
    meters = {name: value + gains.get(name, 0) for name, value in before["meters"].items()}
    pot = {**before["pot"], "main": before["pot"]["main"] + main, "reserve": before["pot"]["reserve"] + reserve}
    return {**before, "phase": "locked", "sealed": True, "pot": pot, "meters": meters}


def seen(state: Table) -> Said:
    """A state as the control socket shows it."""
    shown: Said = json.loads(msgspec.json.encode(view(state, "")))
    return shown


def amounts(state: Said) -> Said:
    """What is worth money in a state that was shown, and the phase; as numbers."""
    seats = [(seat["seat"], seat["credits"], Decimal(seat["bet"]), Decimal(seat["owed"])) for seat in state["seats"]]
    meters = {name: Decimal(value) for name, value in state["meters"].items() if name != "hits"}
    pot = {name: Decimal(value) for name, value in state["pot"].items()}
    more = {name: state[name] for name in ("phase", "sealed", "round", "prizes", "out_of_service")}
    return {"seats": seats, "meters": meters, "hits": state["meters"]["hits"], "pot": pot, **more}


def broken(state: Said, opening: Decimal) -> list[str]:
    """The identities of 3.3 that do not hold in a state that was shown."""
    nothing: Any = {}
    sight = Sight(
        state["phase"], state["sealed"], None, nothing, state["meters"], state["pot"], state["prizes"], [], [], 0, ""
    )
    return books(sight, opening)


def _told(seq: int, event: ev.Event) -> Said:
    """An entry as the control socket tells it."""
    fields: Said = json.loads(msgspec.json.encode(event))
    return {"seq": seq, "kind": fields.pop("type"), **fields}
