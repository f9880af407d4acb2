"""An amount in digits three or five lines high, made of block characters."""

from __future__ import annotations

from collections.abc import Mapping

Lines = tuple[str, ...]

_SMALL: dict[str, Lines] = {
    "0": ("█▀▀█", "█  █", "█▄▄█"),
    "1": ("▄█ ", " █ ", "▄█▄"),
    "2": ("▀▀▀█", "█▀▀▀", "█▄▄▄"),
    "3": ("▀▀▀█", " ▀▀█", "▄▄▄█"),
    "4": ("█  █", "▀▀▀█", "   █"),
    "5": ("█▀▀▀", "▀▀▀█", "▄▄▄█"),
    "6": ("█▀▀▀", "█▀▀█", "█▄▄█"),
    "7": ("▀▀▀█", "   █", "   █"),
    "8": ("█▀▀█", "█▀▀█", "█▄▄█"),
    "9": ("█▀▀█", "▀▀▀█", "▄▄▄█"),
    ".": (" ", " ", "▄"),
    ",": (" ", " ", "▟"),
}

_DOTS = {
    "0": "### # # # # # # ###",
    "1": " #  ##   #   #  ###",
    "2": "###   # ### #   ###",
    "3": "###   # ###   # ###",
    "4": "# # # # ###   #   #",
    "5": "### #   ###   # ###",
    "6": "### #   ### # # ###",
    "7": "###   #   #   #   #",
    "8": "### # # ### # # ###",
    "9": "### # # ###   # ###",
}


def _large(dots: str) -> Lines:
    return tuple("".join("██" if dot == "#" else "  " for dot in dots[row : row + 3]) for row in range(0, 20, 4))


_LARGE: dict[str, Lines] = {
    **{digit: _large(dots) for digit, dots in _DOTS.items()},
    ".": ("  ", "  ", "  ", "  ", "██"),
    ",": ("  ", "  ", "  ", "██", "▄▀"),
}


def big(text: str, width: int, height: int) -> Lines:
    """`text` in the largest digits that fit: five lines of them, three, or one. Signs without a glyph are blank."""
    for glyphs in (_LARGE, _SMALL):
        lines = _set(text, glyphs)
        if len(lines) <= height and len(lines[0]) <= width:
            return lines
    return (text[:width],)


def _set(text: str, glyphs: Mapping[str, Lines]) -> Lines:
    height = len(glyphs["0"])
    blank = ("  ",) * height
    return tuple(" ".join(glyphs.get(sign, blank)[row] for sign in text) for row in range(height))
