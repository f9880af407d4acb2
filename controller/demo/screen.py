"""The live picture: drawn a few times a second over itself, on the terminal's other screen, and gone when it ends."""

from __future__ import annotations

import asyncio
import termios
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console, Group
from rich.live import Live
from rich.text import Text

from controller.demo.picture import picture
from controller.demo.scene import Scene

STDIN = 0
"""The keyboard's file descriptor, if there is a keyboard."""

FRAME_MS = 66
"""Real milliseconds from one picture to the next."""


@contextmanager
def hushed(stream: int) -> Iterator[None]:
    """Keys that are hit meanwhile do not write into the picture; Ctrl-C goes on to work."""
    try:
        found = termios.tcgetattr(stream)
    except termios.error:  # no keyboard
        yield
        return
    quiet = list(found)
    quiet[3] &= ~termios.ECHO
    termios.tcsetattr(stream, termios.TCSADRAIN, quiet)
    try:
        yield
    finally:
        termios.tcsetattr(stream, termios.TCSAFLUSH, found)


async def watch(scene: Callable[[int], Scene], speed: float, console: Console | None = None) -> None:
    """Draw what `scene` shows, until cancelled. It is told the milliseconds since it was asked before."""
    console = console or Console()
    drawn: list[Text] = []
    with (
        hushed(STDIN),
        Live(console=console, screen=True, auto_refresh=False, redirect_stderr=False) as live,
    ):
        while True:
            size = console.size
            lines = picture(scene(FRAME_MS), size.width, size.height)
            if lines != drawn:
                drawn = lines
                live.update(Group(*lines), refresh=True)
            await asyncio.sleep(FRAME_MS / 1000 * speed)
