"""People's hands at a simulated table: what the physical words of scenarios and console do to it."""

from __future__ import annotations

from controller import words
from hal.port import HardwareError
from hal.simulated.table import ImpossibleError, SimulatedTable


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


async def perform_live(hardware: SimulatedTable, word: words.Physical) -> None:
    """The same at a running table, with the error that the control socket knows. Raises HardwareError."""
    try:
        perform(hardware, word)
    except ImpossibleError as error:
        raise HardwareError(str(error)) from error
