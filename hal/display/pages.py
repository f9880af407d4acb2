"""What does not fit on a display at once is shown page after page. Functions of time only."""

from __future__ import annotations

from PIL import Image, ImageDraw

SECOND = 1_000_000_000
TURN = 3 * SECOND
"""How long each page is shown, nanoseconds."""


def shown(count: int, now: int) -> int:
    """Which of `count` pages is shown at `now`, nanoseconds."""
    return now // TURN % count


def left(now: int) -> int:
    """Nanoseconds until the next page."""
    return TURN - now % TURN


def mark(image: Image.Image, count: int, now: int) -> None:
    """In the last line of pixels, which of `count` pages this is; nothing when it is the only one."""
    if count > 1:
        start, end = (image.width * n // count for n in (shown(count, now), shown(count, now) + 1))
        ImageDraw.Draw(image).line((start, image.height - 1, end - 1, image.height - 1), fill=1)
