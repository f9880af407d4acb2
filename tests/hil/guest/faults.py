"""Everything that can go wrong with a table's lines, its display, its expander and its card (rules 8.5), at the table
as it is installed. The lines are in ``fault_table``; here is what one start after the other is used for: each begins
with something that is amiss at a start, and ends with a card that takes no more.

    python -m tests.hil.guest.faults [--only SUBSTRING]
"""

from __future__ import annotations

import argparse
import asyncio
import os
from collections.abc import Awaitable, Callable
from pathlib import Path

from tests.hil.guest.card import Card, Trouble, sure
from tests.hil.guest.chance import at_random
from tests.hil.guest.fault_table import (
    NOISY_BUTTONS,
    ROWS_OF_BUTTONS_AND_LAMPS,
    ROWS_OF_SENSORS,
    ROWS_OF_STATIC,
    ROWS_OF_THE_KEY,
    ROWS_OF_THE_TABLE,
    try_rows,
)
from tests.hil.guest.pairs import in_pairs
from tests.hil.guest.report import note, tell
from tests.hil.guest.round import money
from tests.hil.guest.served import LAMPS, SENSES, STATE, Served, hal, run
from tests.hil.guest.stand import QUIET_S, Phase, Sight, Stand, books, lamps, untouched
from tests.hil.guest.table import ElectricTable

CREDITS_MONEY, CHIPS_MONEY = Path("examples/tables/draw-1.toml"), Path("examples/tables/draw-chips.toml")

SENSORS = {1: ("1000", "5000"), **dict.fromkeys(range(2, 7), ("1000",))}

ALARMS = {"key-failed", "lamp-failed", "button-failed"}

STOPPED_S = 1.0
"""From a decision that could not be made durable to lamps that are dark."""


def credits_hal() -> str:
    """Buttons; seats 3 and 4 have lamp and sense at the header; the fourth dealer's key has what this frees."""
    text = hal(6, None)
    for seat, lamp, sense in ((3, 18, 19), (4, 14, 15)):
        text = text.replace(f'lamp = "x{LAMPS[seat - 1]}"', f'lamp = "GPIO{lamp}"')
        text = text.replace(f'sense = "x{SENSES[seat - 1]}"', f'sense = "GPIO{sense}"')
    return text.replace('ok = "GPIO26"', f'ok = "GPIO26"\nback = "x{SENSES[2]}"')


def told(name: str, wrong: list[str]) -> None:
    """One finding."""
    tell(name, not wrong, "; ".join(wrong))


def differs(what: str, found: object, expected: object) -> list[str]:
    """Nothing, if they are equal."""
    return [] if found == expected else [f"{what}: {found}, not {expected}"]


# --- the card ------------------------------------------------------------------------------------------------


async def card_fails(stand: Stand, card: Card, kind: Trouble, phase: Phase, seat: int, besides: str = "") -> Sight:
    """Rules 8.5: it never plays on from memory. Returns what was durable; the table is stopped, the card mended.
    `besides` is what is amiss already, in `phase`, and `seat` is one that is not concerned."""
    wrong = [] if besides else await stand.reach(phase, {seat})
    durable = await stand.look()
    await card.trouble(kind)
    for _ in range(300):
        if await stand.told("ana", f"load {seat} 1"):
            break
        durable = await stand.look()
    await asyncio.sleep(STOPPED_S)
    stopped = await stand.look()
    wrong += [] if stopped.out_of_service else ["the table plays on"]
    wrong += same(durable, stopped)
    lit = {number for number in stand.seats if stopped.seats[number].lit}
    bets = {number for number in stand.seats if stopped.seats[number].bet}
    wrong += differs("lit", lit, bets if phase == "sealed" else set())
    wrong += differs("a command is refused", bool(await stand.told("ana", f"load {seat} 1")), True)
    stand.electricity.press(seat)
    stand.electricity.turn_key("locked" if phase == "open" else "open")
    await stand.electricity.quiet(QUIET_S)
    wrong += [f"played on: {what}" for what in same(durable, await stand.look())]
    stand.electricity.turn_key("open" if phase == "open" else "locked")
    await stand.electricity.quiet(QUIET_S)
    told(
        f"card {kind}, {phase}: out of service, lamps of unsealed rounds dark, nothing from memory (8.5){besides}",
        wrong,
    )
    await stand.stop()
    await card.mend(kind)
    return durable


def same(durable: Sight, now: Sight) -> list[str]:
    """What was durable is there, and nothing else."""
    wrong = []
    for part in ("phase", "sealed", "pot", "meters"):
        wrong += differs(part, getattr(now, part), getattr(durable, part))
    for number, seat in now.seats.items():
        was = durable.seats[number]
        kept = (seat.open, seat.reason, seat.credits, seat.bet, seat.owed)
        wrong += differs(f"seat {number}", kept, (was.open, was.reason, was.credits, was.bet, was.owed))
    return wrong


# --- starts ----------------------------------------------------------------------------------------------------


async def found_at_the_start(stand: Stand) -> None:
    """What is amiss already when the table starts."""
    amiss = {"key_open": "low", "button 1": "low", "lamp 3": "high", "sense 4": "low"}
    for line, how in amiss.items():
        stand.electricity.stick(stand.pin(line), how)  # type: ignore[arg-type] # words of `Sticking`
    await stand.electricity.quiet(QUIET_S)
    await stand.start()
    sight = await stand.look()
    told("key contacts both made at the start: locked, alarm (8.5)", differs("failed", sight.failed, ["key"]))
    reasons = {number: seat.reason for number, seat in sight.seats.items()}
    told("lamp lit at the start without a bet: closes (2.6)", differs("seat 3", reasons[3], "lamp"))
    told("sensed lit at the start without a bet: closes (2.6)", differs("seat 4", reasons[4], "lamp"))
    later = {"button 5": "low", "dealer up": "low", "dealer back": "low"}
    for line, how in later.items():
        stand.electricity.stick(stand.pin(line), how)  # type: ignore[arg-type] # words of `Sticking`
    await asyncio.sleep(9.5)
    early = await stand.look()
    await asyncio.sleep(1)
    sight = await stand.look()
    wrong = differs("seat 1", sight.seats[1].reason, "button") + differs("phase", sight.phase, "idle")
    told("button found pressed at the start: no press, closes after 10 s (8.5)", wrong)
    wrong = differs("seat 5, after 9.5 s", early.seats[5].reason, None)
    wrong += differs("seat 5", sight.seats[5].reason, "button") + differs("seat 5", sight.seats[5].worth, 0)
    told("button 5 low, idle: closes button, within 10 s (8.5 button stuck, 2.10)", wrong)
    wrong = differs("seats that are well", [sight.seats[n].open for n in (2, 6)], [True, True])
    told("dealer up and back low, idle: nothing (8.5)", wrong + differs("alarms", set(sight.alarms), ALARMS))
    for line in (*amiss, *later):
        stand.electricity.unstick(stand.pin(line))
    await asyncio.sleep(QUIET_S)
    told("all that, mended: reopened by the technician, alarm acknowledged (2.10)", await stand.put_right())


async def without_display(stand: Stand, durable: Sight) -> None:
    """The bus of the only display is not there when the table starts in a round (8.5: no display working)."""
    await sure("modprobe", "-r", "i2c-stub")
    await stand.start()
    await asyncio.sleep(2)
    sight = await stand.look()
    told("card read-only, mended: everything as durable (8.5)", same(durable, sight) + lamps(sight))
    wrong = differs("failed", sight.failed, ["display"]) + differs("alarms", sight.alarms, ["display-failed"])
    stand.electricity.press(4)
    await stand.electricity.quiet(QUIET_S)
    wrong += differs("bet of seat 4", (await stand.look()).seats[4].bet, 1)
    wrong += await stand.end_round()
    wrong += books(await stand.look(), stand.opening)
    told("no display, betting open: the round goes on to its end, accounting goes on (8.5)", wrong)
    stand.electricity.turn_key("open")
    await stand.electricity.quiet(QUIET_S)
    told("no display: betting does not open again (8.5)", differs("phase", (await stand.look()).phase, "idle"))
    await sure("modprobe", "i2c-stub", "chip_addr=0x3c")
    for _ in range(31):
        await asyncio.sleep(1)
        sight = await stand.look()
        if not sight.failed:
            break
    wrong = differs("failed", sight.failed, []) + differs("phase", sight.phase, "idle") + await stand.put_right()
    told("the display is back: works again by itself, and opening takes a fresh turn (2.9)", wrong)


async def without_jumper(stand: Stand, durable: Sight) -> None:
    """The jumper is out when the table starts (8.4)."""
    stand.electricity.stick(stand.wiring.loop_out, "open")
    await stand.start()
    sight = await stand.look()
    reason = sight.out_of_service or ""
    wrong = [] if "GPIO20" in reason and "GPIO21" in reason else [f"the reason is {reason!r}"]
    told("jumper out at the start: out of service, with the reason (8.4)", wrong + same(durable, sight))
    await stand.stop()
    stand.electricity.unstick(stand.wiring.loop_out)
    await stand.start()
    sight = await stand.look()
    wrong = differs("out of service", sight.out_of_service, None) + same(durable, sight) + lamps(sight)
    told("card failing, mended, and the jumper in: everything as durable (8.5)", wrong + await stand.put_right())


async def expander_goes(stand: Stand) -> None:
    """The expander's chip is taken away while there are bets (8.5: seat node silent)."""
    wrong = await stand.reach("open", {3, 4})
    before = await stand.look()
    stand.electricity.lines.remove("expander")
    sight = await stand.look()
    for _ in range(10):
        if any(sight.seats[number].open for number in (1, 2, 5, 6)):
            await asyncio.sleep(1)
            sight = await stand.look()
    wrong += untouched(before, sight, {1, 2, 5, 6})
    for number in (1, 2, 5, 6):
        seat = sight.seats[number]
        wrong += differs(f"seat {number}", (seat.reason, seat.bet), ("node", 0))
        wrong += differs(f"worth of seat {number}", seat.worth, before.seats[number].worth)
    told("expander gone, open: its seats close, their bets are returned; the others play (8.5, 2.10)", wrong)


async def without_expander(stand: Stand, durable: Sight) -> None:
    """It is not there at the start either; then it is."""
    await stand.start()
    sight = await stand.look()
    reason = sight.out_of_service or ""
    wrong = [] if "mcp23017" in reason else [f"the reason is {reason!r}"]
    told("expander missing at the start: out of service, with the reason (8.4)", wrong + same(durable, sight))
    await stand.stop()
    stand.electricity.lines.replace("expander")
    await stand.start()
    sight = await stand.look()
    wrong = differs("out of service", sight.out_of_service, None) + same(durable, sight) + lamps(sight)
    told("card full, mended, and the expander back: everything as durable (8.5)", wrong + await stand.put_right())


# --- courses -------------------------------------------------------------------------------------------------------


async def at_chips(card: Card, only: str) -> None:
    """One start of a table with chips."""
    served = Served(money(CHIPS_MONEY), hal(6, SENSORS))
    await served.fresh()
    stand = Stand(served, ElectricTable(served.hardware.wiring, "chips"))
    await stand.start()
    await try_rows(stand, ROWS_OF_SENSORS, only)
    await end(stand, "chips")


async def at_credits(card: Card, only: str) -> None:
    """The starts of a table with buttons, one after the other."""
    served = Served(money(CREDITS_MONEY), credits_hal())
    await served.fresh()
    stand = Stand(served, ElectricTable(served.hardware.wiring, "credits"))
    await found_at_the_start(stand)
    # A minute, in which the noise is forgotten.
    await try_rows(stand, (*ROWS_OF_STATIC, *NOISY_BUTTONS, *ROWS_OF_THE_KEY, *ROWS_OF_THE_TABLE), only)
    told("a minute without noise, and the technician reopens (2.10)", await stand.put_right())
    await try_rows(stand, ROWS_OF_BUTTONS_AND_LAMPS, only)
    if not only or only in "pairs":
        await in_pairs(stand)
    if not only or only in "random":
        await at_random(stand)
    told("credits: a pulse of the counter for each credit that was sealed meanwhile", await stand.counter())
    if not only or only in "card":
        durable = await card_fails(stand, card, "read-only", "open", 1)
        await without_display(stand, durable)
        durable = await card_fails(stand, card, "failing", "sealed", 1)
        await without_jumper(stand, durable)
        await expander_goes(stand)
        durable = await card_fails(stand, card, "full", "open", 3, ", and the expander gone")
        await without_expander(stand, durable)
    await end(stand, "credits")


async def end(stand: Stand, acceptor: str) -> None:
    """Stop in order; the chain is whole."""
    wrong = books(await stand.look(), stand.opening)
    told(f"{acceptor}: a pulse of the counter for each credit that was sealed since the start", await stand.counter())
    stand.held_back()
    await stand.stop()
    status, words = await run("runuser", "-u", "pozo", "--", "pozo", "journal", "verify", "--journal", str(STATE))
    wrong += [words.strip()[-300:]] if status else []
    told(f"after all that the books of the table with {acceptor} balance, and its chain verifies (3.3, 8.4)", wrong)
    await stand.electricity.close()


COURSES: dict[str, Callable[[Card, str], Awaitable[None]]] = {"chips": at_chips, "credits": at_credits}


async def main() -> None:
    """All courses, or with ``--only`` what has these letters in its name; with ``--course`` one of them."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--only", default="")
    parser.add_argument("--course", choices=COURSES)
    args = parser.parse_args()
    # Electricity does not wait for a busy processor: a spike would grow to a press, a lamp's glare to a chip.
    os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))
    card = Card()
    await card.insert()
    for name, course in COURSES.items():
        if args.course in (None, name):
            note(f"a table with {name}")
            await course(card, args.only)


if __name__ == "__main__":
    asyncio.run(main())
