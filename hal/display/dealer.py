"""The dealer's screen: the round, its phase, how many bets there are, and which seats have something to say.

Little is lit all the time in one place, for the panel's sake; only out of service is the heading dark on a lit ground.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import zip_longest

from PIL import Image, ImageDraw

from hal.display import ink, measures, menu, pages
from hal.display.device import Size
from hal.display.money import Money
from hal.display.texts import Texts
from hal.port import Panel

_TEXT = 26
"""The first line, in pixels, of what seats and displays have to say; four lines of text are below it."""
_LINE = measures.HIGH + 1
_MENU_LINE = measures.HIGH + 2
"""Lines of a menu are farther apart: one that is lit has its edge."""


Row = tuple[str, ...]
"""A line, or two halves of one."""


def render(
    panel: Panel, size: Size, texts: Texts, money: Money, silent: Sequence[str] = (), now: int = 0
) -> Image.Image:
    """The screen of `size` pixels, 126×62 at least. `silent` are the displays that have failed. `now` (nanoseconds)
    turns the pages of what does not fit at once."""
    image = Image.new("1", size)
    _head(image, panel, texts)
    if panel.banner != "out-of-service":
        ImageDraw.Draw(image).rectangle((0, 10, size[0] - 1, 10), fill=1)
        _bets(image, panel, texts)
        _seats(image, panel)
    all_pages = _pages(panel, size, texts, money, silent)
    _rows(image, _TEXT, all_pages[pages.shown(len(all_pages), now)])
    if silent:
        failed = f"{silent[pages.shown(len(silent), now)]}: {texts.silent}"
        ink.write(image, 0, _TEXT + _LINE * _room(size, silent), failed)
    pages.mark(image, len(all_pages), now)
    return image


def turns(panel: Panel, size: Size, texts: Texts, money: Money, silent: Sequence[str] = (), now: int = 0) -> int | None:
    """Nanoseconds until the screen changes by itself; None when it does not."""
    turning = max(len(silent), len(_pages(panel, size, texts, money, silent))) > 1
    return pages.left(now) if turning else None


def render_menu(lines: Sequence[str], size: Size) -> Image.Image:
    """A menu instead: the first of `lines` is its title, what begins with ``menu.SELECTED`` is lit, as the title is.

    `size` is 126×62 pixels at least, in which ``menu.LINES`` of ``menu.COLUMNS`` characters fit.
    """
    image = Image.new("1", size)
    for i, line in enumerate(lines[: menu.LINES]):
        y = _MENU_LINE * i + (2 if i else 0)
        lit = i == 0 or line.startswith(menu.SELECTED)
        if lit:
            ImageDraw.Draw(image).rectangle((0, y, size[0] - 1, y + _MENU_LINE - 1), fill=1)
        ink.write(image, 0, y + 1, line[: menu.COLUMNS], dark=lit)
    return image


def _head(image: Image.Image, panel: Panel, texts: Texts) -> None:
    """The phase and the round; the round's number without the word when there is no room for both."""
    if panel.banner == "out-of-service":
        for i, line in enumerate(ink.wrap(texts.banners[panel.banner], ink.columns(image.width - 8))[:2]):
            ink.label(image, i * 11, line)
        return
    phase, round = texts.phases[panel.banner], f"{texts.round} {panel.round}"
    if len(phase) + 1 + len(round) > ink.columns(image.width):
        round = str(panel.round)
    ink.write(image, 0, 0, phase)
    ink.write(image, image.width - ink.width(round), 0, round)


def _bets(image: Image.Image, panel: Panel, texts: Texts) -> None:
    """The number to compare with the bets on the table, big."""
    number = str(panel.bets)
    size = measures.block(number, (28, 14))
    if size is not None:
        ink.amount(image, 0, 12, number, size)
        ink.write(image, size.length(number) + 4, 14, texts.bets)


def _seats(image: Image.Image, panel: Panel) -> None:
    """A box a seat, at the right: its number, dark on lit while its lamp is lit; struck out while it is closed."""
    draw = ImageDraw.Draw(image)
    left = image.width - 9 * len(panel.seats) + 1
    for i, seat in enumerate(panel.seats):
        x = left + 9 * i
        draw.rectangle((x, 13, x + 7, 22), outline=1, fill=1 if seat.lamp else 0)
        if seat.tells("closed"):
            draw.line((x + 2, 16, x + 5, 19), fill=0 if seat.lamp else 1)
            draw.line((x + 2, 19, x + 5, 16), fill=0 if seat.lamp else 1)
        else:
            ink.write(image, x + 2, 14, str(seat.seat), dark=seat.lamp)


def _pages(panel: Panel, size: Size, texts: Texts, money: Money, silent: Sequence[str]) -> list[list[Row]]:
    """What there is to say, page after page, one at least: chips to be handed back, other words; out of service the
    whole reason, whose remedy comes last.

    Words that have no lines of their own share them by two; amounts are never left out.
    """
    room, columns = _room(size, silent), ink.columns(size[0])
    if panel.banner == "out-of-service":
        return _filled([[(line,)] for line in ink.wrap(panel.reason, columns)], room)
    owed: list[list[Row]] = []
    words: list[Row] = []
    for seat in panel.seats:
        for said in seat.says:
            if said.amount:
                owed.append(_owed(f"{seat.seat} {texts.seats[said.text]}", money.text(said.amount), columns))
            elif said.text != "locked":
                words.append((f"{seat.seat} {texts.seats[said.text]}",))
    if sum(map(len, owed)) + len(words) > room:
        words = [left + right for left, right in zip_longest(words[::2], words[1::2], fillvalue=())]
    return _filled([*owed, *([row] for row in words)], room)


def _room(size: Size, silent: Sequence[str]) -> int:
    """Rows of a page: the last line belongs to the displays that have failed, while there are any."""
    return (size[1] - _TEXT) // _LINE - bool(silent)


def _filled(blocks: Sequence[list[Row]], room: int) -> list[list[Row]]:
    """`blocks` on pages of `room` rows, each block on one of them; there is one page at least."""
    filled: list[list[Row]] = [[]]
    for block in blocks:
        if len(filled[-1]) + len(block) > room:
            filled.append([])
        filled[-1] += block
    return filled


def _owed(text: str, amount: str, columns: int) -> list[Row]:
    """What has to be handed back, in a line of `columns` characters, else in two: an amount is never shown in part."""
    line = f"{text} {amount}"
    return [(line,)] if len(line) <= columns else [(text,), (amount.rjust(columns),)]


def _rows(image: Image.Image, y: int, rows: Sequence[Row]) -> None:
    for i, row in enumerate(rows):
        if len(row) == 1:
            ink.write(image, 0, y + _LINE * i, row[0])
            continue
        for half, text in enumerate(row):  # its longest word fits when the seat's number is nearer to it
            number, word = text.split(" ", 1)
            x = half * (image.width // 2 + 1)
            ink.write(image, x, y + _LINE * i, number)
            ink.write(image, x + measures.CELL + 2, y + _LINE * i, word)
