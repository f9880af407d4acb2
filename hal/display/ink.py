"""Characters and big digits on a picture of one bit a pixel: exact, the same everywhere, no font files.

Texts are the 5×8 characters of `vendor.glyph`, in cells of 6 pixels, enlarged by whole factors. Amounts are drawn:
block digits as high and as wide as the room allows.
"""

from __future__ import annotations

import unicodedata
from functools import cache

from PIL import Image, ImageChops, ImageDraw

from hal.display.measures import CELL, HIGH, Block, is_digit
from hal.display.vendor import glyph


@cache
def _char(char: str, scale: int) -> Image.Image:
    """`char`, else its letter without the accent, else a question mark.

    The font keeps its eighth line for a cursor and squeezes tails into seven; here they hang where tails belong.
    """
    found = glyph(char) or glyph(unicodedata.normalize("NFD", char)[0]) or glyph("?")
    assert found is not None
    if char in "gpqy":
        found = ImageChops.offset(found, 0, 1)
    return found.resize((5 * scale, HIGH * scale), Image.Resampling.NEAREST)


def width(text: str, scale: int = 1) -> int:
    """Pixels that `text` takes."""
    return max(0, (len(text) * CELL - 1) * scale)


def write(image: Image.Image, x: int, y: int, text: str, *, scale: int = 1, dark: bool = False) -> None:
    """`text` with its upper left corner at `x`, `y`; `dark` on a lit ground. What sticks out is cut off."""
    for i, char in enumerate(text):
        image.paste(0 if dark else 1, (x + i * CELL * scale, y), _char(char, scale))


def centred(image: Image.Image, y: int, text: str, *, scale: int = 1) -> None:
    """`text` in the middle of line `y`."""
    write(image, (image.width - width(text, scale)) // 2, y, text, scale=scale)


def label(image: Image.Image, y: int, text: str) -> None:
    """`text` in the middle, dark on a lit ground: what somebody has to see."""
    x = (image.width - width(text)) // 2
    ImageDraw.Draw(image).rectangle((max(0, x - 4), y, min(image.width - 1, x + width(text) + 3), y + 9), fill=1)
    write(image, x, y + 1, text, dark=True)


def columns(pixels: int, scale: int = 1) -> int:
    """Characters that fit into `pixels`."""
    return (pixels // scale + 1) // CELL


def wrap(text: str, room: int) -> list[str]:
    """`text` in lines of at most `room` characters, broken between words where that is possible."""
    lines: list[str] = []
    for word in text.split():
        if lines and len(lines[-1]) + 1 + len(word) <= room:
            lines[-1] += " " + word
        else:
            lines += [word[i : i + room] for i in range(0, len(word), room)]
    return lines


# --- amounts ---------------------------------------------------------------------------------------------

_STROKES = {
    "0": "abcdef", "1": "bc", "2": "abged", "3": "abgcd", "4": "fgbc",
    "5": "afgcd", "6": "afgecd", "7": "abc", "8": "abcdefg", "9": "abfgcd", "-": "g",
}  # fmt: skip


def amount(image: Image.Image, x: int, y: int, text: str, size: Block) -> None:
    """`text` in big digits with its upper left corner at `x`, `y`."""
    draw = ImageDraw.Draw(image)
    for char in text:
        if is_digit(char):
            _digit(draw, x, y, char, size)
            x += size.wide + size.gap
        else:
            bottom = y + size.high - 1
            if char.strip():
                tail = size.stroke if char in ",'" else 0
                draw.rectangle((x, bottom - size.stroke + 1, x + size.stroke - 1, bottom + tail), fill=1)
            x += size.stroke + size.gap


def _digit(draw: ImageDraw.ImageDraw, x: int, y: int, char: str, size: Block) -> None:
    wide, high, stroke, _ = size
    right, bottom, middle = x + wide - 1, y + high - 1, y + (high - stroke) // 2
    inner = stroke - 1
    bars = {
        "a": (x, y, right, y + inner),
        "b": (right - inner, y, right, middle + inner),
        "c": (right - inner, middle, right, bottom),
        "d": (x, bottom - inner, right, bottom),
        "e": (x, middle, x + inner, bottom),
        "f": (x, y, x + inner, middle + inner),
        "g": (x, middle, right, middle + inner),
    }
    if char == "1":  # in the middle of its place, on a foot, so that it does not hang at the next digit
        stem = x + (wide - stroke) // 2
        draw.rectangle((stem, y, stem + inner, bottom), fill=1)
        draw.rectangle((max(x, stem - stroke), y + stroke, stem, y + stroke + inner), fill=1)
        draw.rectangle((max(x, stem - stroke), bottom - inner, min(right, stem + inner + stroke), bottom), fill=1)
        return
    for stroke_name in _STROKES[char]:
        draw.rectangle(bars[stroke_name], fill=1)
    for corner in _round(char, x, y, right, bottom) if wide >= 5 else ():
        draw.point(corner, fill=0)


def _round(char: str, x: int, y: int, right: int, bottom: int) -> list[tuple[int, int]]:
    """The outer corners that `char` has round."""
    corners = {"nw": (x, y), "ne": (right, y), "sw": (x, bottom), "se": (right, bottom)}
    rounded = {
        "0": "nw ne sw se",
        "2": "ne",
        "3": "ne se",
        "5": "se",
        "6": "nw sw se",
        "8": "nw ne sw se",
        "9": "nw ne se",
    }
    return [corners[name] for name in rounded.get(char, "").split()]
