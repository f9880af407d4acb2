"""Kindness to panels: they burn in within months when they show the same at full brightness.

Dimmed when nothing has changed for a while, shifted by a pixel every minute. Functions of time only.
"""

from __future__ import annotations

from dataclasses import dataclass

from PIL import Image

from hal.display.device import Size

SECOND = 1_000_000_000
SHIFT_EVERY = 60 * SECOND
_PATH = ((0, 0), (1, 0), (2, 0), (2, 1), (1, 1), (0, 1), (0, 2), (1, 2), (2, 2), (2, 1), (1, 1), (1, 0))
"""A walk over nine places: each step is one pixel, the last one back to the first."""
MARGIN = 2
"""Pixels that a shifted picture leaves free in each direction."""


@dataclass(frozen=True)
class Care:
    """How a panel is spared. `steps` are pairs of seconds without a change and the contrast from then on (0–255), the
    first at 0; ValueError otherwise."""

    steps: tuple[tuple[int, int], ...]
    shifted: bool

    def __post_init__(self) -> None:
        times = [after for after, _ in self.steps]
        if times[:1] != [0] or times != sorted(set(times)) or not all(0 <= level <= 255 for _, level in self.steps):
            raise ValueError("contrast steps begin at 0 seconds, ascend, and have levels of 0 to 255")

    def contrast(self, idle: int) -> int:
        """The level when nothing has changed for `idle` nanoseconds."""
        return [level for after, level in self.steps if idle >= after * SECOND or after == 0][-1]

    def room(self, size: Size) -> Size:
        """What a picture may take of a panel of `size`."""
        return (size[0] - MARGIN, size[1] - MARGIN) if self.shifted else size

    def place(self, picture: Image.Image, size: Size, now: int) -> Image.Image:
        """`picture` on a panel of `size`, where it stands at `now`, nanoseconds."""
        if not self.shifted:
            return picture
        panel = Image.new("1", size)
        panel.paste(picture, _PATH[now // SHIFT_EVERY % len(_PATH)])
        return panel

    def changes(self, idle: int, now: int) -> int:
        """Nanoseconds until the next step or shift, at most a minute."""
        next_step = [after * SECOND - idle for after, _ in self.steps if after * SECOND > idle]
        return min([SHIFT_EVERY - now % SHIFT_EVERY, *next_step])


OLED = Care(((0, 0xCF), (5 * 60, 0x50), (30 * 60, 0x08)), shifted=True)
"""Organic LEDs age with every lit hour."""
LEDS = Care(((0, 0x70), (30 * 60, 0x30)), shifted=False)
"""LEDs hardly do: dimmed for the eyes, never shifted, so that a matrix of eight lines loses none."""
