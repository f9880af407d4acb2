"""Two bad things at once (rules 8.5)."""

from __future__ import annotations

import asyncio

from tests.hil.guest.report import tell
from tests.hil.guest.stand import QUIET_S, Sight, Stand, books, lamps
from tests.hil.guest.table import Sticking

LONG_S = 2.5
"""By then it is known that no edge arrives over the jumper, or that edges arrive again."""


async def in_pairs(stand: Stand) -> None:
    """All of them, from idle to idle."""
    await _try(stand, "jumper pulled, then the key is locked", _locked_deaf, "key")
    await _try(stand, "jumper pulled, then the key's wire comes off", _locked_deaf, "wire")
    await _try(stand, "button stuck and lamp dark at one seat", _one_seat)
    await _try(stand, "a sense broken, another and the key full of static", _static)


async def _try(stand: Stand, name: str, play: object, *more: str) -> None:
    wrong: list[str] = await stand.reach("open", {1})
    wrong += await play(stand, *more)  # type: ignore[operator]
    wrong += books(await stand.look(), stand.opening)
    for pin in stand.electricity.stuck:
        stand.electricity.unstick(pin)
    await asyncio.sleep(LONG_S)
    back = await stand.put_right()
    tell(f"{name}: each by its own rule (8.5)", not wrong, "; ".join(wrong))
    if not tell(f"{name}, mended: the way back without a restart (2.10)", not back, "; ".join(back)):
        await stand.anew()


async def _locked_deaf(stand: Stand, how: str) -> list[str]:
    """No source can say that it is complete: a round is sealed without them, on what was lit (2.8, 2.10)."""
    _stick(stand, {"jumper out": "open"})
    await asyncio.sleep(LONG_S)
    if how == "key":
        stand.electricity.turn_key("locked")
    else:
        _stick(stand, {"key_open": "open"})
    await stand.electricity.quiet(0.25 + QUIET_S)
    sight = await stand.look()
    alarms = {"edges-lost", "node-failed"} if how == "key" else {"edges-lost", "node-failed", "key-failed"}
    wrong = [] if set(sight.alarms) == alarms else [f"alarms {sight.alarms}"]
    wrong += [] if sight.sealed else ["not sealed 250 ms after the edge"]
    wrong += [f"seat {n} {s.reason}" for n, s in sight.seats.items() if s.reason != "node"]
    return wrong + _bets(sight, {1: 1, 2: 1}) + lamps(sight)


async def _one_seat(stand: Stand, *_: str) -> list[str]:
    worth = (await stand.look()).seats[1].worth
    _stick(stand, {"lamp 1": "open", "button 1": "low"})
    await asyncio.sleep(0.2 + QUIET_S)
    seat = (await stand.look()).seats[1]
    wrong = [] if (seat.reason, seat.bet, seat.worth) == ("lamp", 0, worth) else [f"first {seat}, was worth {worth}"]
    await asyncio.sleep(10)
    sight = await stand.look()
    seat = sight.seats[1]
    wrong += [] if (seat.open, seat.bet, seat.worth) == (False, 0, worth) else [f"then {seat}, was worth {worth}"]
    wrong += _bets(sight, {2: 1}) + await stand.end_round()
    stand.electricity.unstick(stand.pin("lamp 1"))
    await asyncio.sleep(QUIET_S)
    wrong += [] if await stand.told("leo", "reopen 1") else ["reopened with its button stuck"]
    return wrong


async def _static(stand: Stand, *_: str) -> list[str]:
    _stick(stand, {"sense 1": "open", "sense 3": "noisy", "key_locked": "noisy"})
    await asyncio.sleep(2)
    sight = await stand.look()
    closed = {number: seat.reason for number, seat in sight.seats.items() if not seat.open}
    wrong = [] if closed == {1: "lamp"} else [f"closed {closed}"]
    wrong += [] if (sight.phase, sight.failed) == ("betting", []) else [f"{sight.phase}, failed {sight.failed}"]
    return wrong + _bets(sight, {2: 1})


def _stick(stand: Stand, amiss: dict[str, Sticking]) -> None:
    for line, how in amiss.items():
        stand.electricity.stick(stand.pin(line), how)


def _bets(sight: Sight, expected: dict[int, int]) -> list[str]:
    found = {number: seat.bet for number, seat in sight.seats.items() if seat.bet}
    return [] if found == expected else [f"bets {found}, not {expected}"]
