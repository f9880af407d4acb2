"""What the electromechanical counter beside a table counts: each credit of a sealed bet, once (docs/gpio.md).

It hears of commits, never of intentions, and of each commit once: what a restart finds in the journal is not counted
again. So after a power cut pulses may be missing, and none is double.
"""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import Protocol, runtime_checkable

from controller.core.events import RoundSealed
from controller.engine import Engine
from controller.published import Published
from hal.port import Backend

PATIENCE_S = 10.0
"""Seconds that the counter has, at an orderly stop, for what is still to be counted."""


@runtime_checkable
class Totaliser(Protocol):
    """Hardware with a counter."""

    def count(self, pulses: int) -> None:
        """Give so many pulses more. Returns at once."""

    async def counted(self) -> None:
        """Return when all of them are out."""


def pulses(published: Published) -> int:
    """How many pulses a commit is worth: one for each credit, or smallest chip, that was sealed in it (2.8)."""
    sealed = sum(event.total for _, event in published.entries if type(event) is RoundSealed)
    return sealed // published.state.setup.denomination


def follow(engine: Engine, hardware: Backend) -> None:
    """Have the counter of `hardware`, if it has one, count what `engine` commits from now on."""
    if isinstance(hardware, Totaliser):
        engine.listen(lambda published: hardware.count(pulses(published)))


async def finish(hardware: Backend) -> None:
    """Return when the counter of `hardware` has been given everything, or has taken too long over it."""
    if isinstance(hardware, Totaliser):
        with suppress(TimeoutError):
            async with asyncio.timeout(PATIENCE_S):
                await hardware.counted()
