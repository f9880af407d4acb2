"""What fits where on a display, in pixels. Needs no vendor's library: a configuration can be checked on any machine."""

from __future__ import annotations

from typing import NamedTuple

from hal.display.device import Size
from hal.display.money import Money

CELL = 6
"""Pixels from one character to the next."""
HIGH = 8
"""Pixels of a line of text."""
LINE_LENGTH = 21
"""Characters of a line on an OLED: the longest words of the sign."""
MOST_DIGITS = 12
"""Digits that every meter must have room for."""


def fits(size: Size, money: Money) -> bool:
    """Whether twelve digits fit on a meter of `size` pixels, written with the marks of `money`."""
    return block(money.text(10**MOST_DIGITS - 1), room(size)) is not None


def small(size: Size) -> bool:
    """Whether a meter of `size` pixels has no room for an amount and whole lines of words: they are shown in turn."""
    return size[1] < 48 or size[0] < LINE_LENGTH * CELL - 1


def room(size: Size) -> Size:
    """Where the amount may be on a meter of `size` pixels: all of a small one, between two lines of words on others."""
    return size if small(size) else (size[0], size[1] - 2 * (HIGH + 4))


class Block(NamedTuple):
    """The measures of an amount in big digits, pixels: a digit's width, its height, its stroke, the gap."""

    wide: int
    high: int
    stroke: int
    gap: int

    def length(self, text: str) -> int:
        """Pixels that `text` takes."""
        marks = sum(not is_digit(char) for char in text)
        return (len(text) - marks) * self.wide + marks * self.stroke + (len(text) - 1) * self.gap


def is_digit(char: str) -> bool:
    """Whether `char` is drawn in strokes, and no mark between digits."""
    return char in "0123456789-"


def block(text: str, room: Size) -> Block | None:
    """The biggest digits in which `text` fits into `room`, or None when no digits are small enough.

    A comma hangs one stroke below the line, so that much is kept free. Digits of 3×5 are the smallest.
    """
    for high in range(room[1] - 1, 4, -1):
        thick = max(1, (high + 1) // 6)
        for percent in (60, 55, 50, 45, 40):
            wide = max(3, high * percent // 100)
            stroke = min(wide // 3, thick)
            fitting = Block(wide, high, stroke, gap=max(1, stroke * 2 // 3))
            if high + thick <= room[1] and fitting.length(text) <= room[0]:
                return fitting
    return None
