"""People's hands at a simulated table: what the physical words of scenarios and console do to it."""

from __future__ import annotations

import asyncio
from contextlib import suppress

from controller import words
from controller.engine import Engine
from hal.port import HardwareError
from hal.simulated.table import ImpossibleError, SimulatedTable

LONGEST_ACT_S = 2.0
"""Seconds after which an act that is still under way is answered all the same."""


def perform(hardware: SimulatedTable, word: words.Physical) -> None:
    """Begin the act of `word`; its effect follows when physics allows. Raises ImpossibleError for what no real
    table could do, and for time and power, which are not in anybody's hands here."""
    match word:
        case words.Press():
            hardware.press(word.seat, word.times)
        case words.Chip():
            hardware.chip(word.seat, word.value)
        case words.TurnKey():
            hardware.turn_key(word.position)
        case words.Break():
            hardware.break_part(word.part, word.seat)
        case words.Mend():
            hardware.mend_part(word.part, word.seat)
        case words.Wait() | words.Power():
            raise ImpossibleError("only a scenario can let time pass or switch the power")


async def perform_live(hardware: SimulatedTable, engine: Engine, word: words.Physical) -> None:
    """The same at a running table: returns when the act is over and what it led to is durable, so that whoever gave it
    sees its effect next. Raises HardwareError, which the control socket knows."""
    try:
        perform(hardware, word)
    except ImpossibleError as error:
        raise HardwareError(str(error)) from error
    # At a table where others act too, it may never be quite quiet; then the answer need not wait for them.
    with suppress(TimeoutError):
        async with asyncio.timeout(LONGEST_ACT_S):
            await hardware.quiet()
            await engine.quiet()
