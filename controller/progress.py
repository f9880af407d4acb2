"""How far a long computation is, for whoever watches it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TextIO


def progress_bar(out: TextIO, width: int = 40) -> Callable[[int, int], None]:
    """A bar on `out` that grows, and goes away when all is done; nothing where nobody is looking.

    What is returned is told how many are done, of how many.
    """
    if not out.isatty():
        return lambda done, of: None
    shown = -1

    def show(done: int, of: int) -> None:
        nonlocal shown
        filled = width * done // of
        if filled == shown and done != of:
            return
        shown = filled
        out.write(f"\r[{'█' * filled}{'·' * (width - filled)}] {100 * done // of:3} %")
        if done == of:
            out.write("\r\x1b[K")
        out.flush()

    return show
