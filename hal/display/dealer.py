"""The dealer's screen: the round, its phase, how many bets there are, and which seats have something to say.

Little is lit all the time in one place, for the panel's sake; only out of service is the heading dark on a lit ground.
"""

from __future__ import annotations

from collections.abc import Sequence

from PIL import Image, ImageDraw

from hal.display import ink, measures, menu
from hal.display.device import Size
from hal.display.money import Money
from hal.display.texts import Texts
from hal.port import Panel, SeatPanel

_TEXT = 26
"""The first line, in pixels, of what seats and displays have to say; four lines of text are below it."""
_LINE = measures.HIGH + 1
_MENU_LINE = measures.HIGH + 2
"""Lines of a menu are farther apart: one that is lit has its edge."""


def render(panel: Panel, size: Size, texts: Texts, money: Money, silent: Sequence[str] = ()) -> Image.Image:
    """The screen of `size` pixels, 126×62 at least. `silent` are the displays that have failed."""
    image = Image.new("1", size)
    _head(image, panel, texts)
    if panel.banner == "out-of-service":
        _lines(image, 24, ink.wrap(panel.reason, ink.columns(size[0])))
        return image
    ImageDraw.Draw(image).rectangle((0, 10, size[0] - 1, 10), fill=1)
    _bets(image, panel, texts)
    _seats(image, panel)
    lines = [f"{name}: {texts.silent}" for name in silent]
    saying = [seat for seat in panel.seats if seat.text not in ("", "locked")]
    room = (size[1] - _TEXT) // _LINE - len(lines)
    if len(saying) <= room:
        lines = [_said(seat, texts, money) for seat in saying] + lines
        _lines(image, _TEXT, lines)
    else:
        _columns(image, saying, texts, lines)
    return image


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
        if seat.text == "closed":
            draw.line((x + 2, 16, x + 5, 19), fill=0 if seat.lamp else 1)
            draw.line((x + 2, 19, x + 5, 16), fill=0 if seat.lamp else 1)
        else:
            ink.write(image, x + 2, 14, str(seat.seat), dark=seat.lamp)


def _said(seat: SeatPanel, texts: Texts, money: Money) -> str:
    said = f"{seat.seat} {texts.seats[seat.text]}"
    return f"{said} {money.text(seat.flash)}" if seat.flash else said


def _lines(image: Image.Image, y: int, lines: Sequence[str]) -> None:
    for i, line in enumerate(lines):
        ink.write(image, 0, y + _LINE * i, line)


def _columns(image: Image.Image, saying: Sequence[SeatPanel], texts: Texts, below: Sequence[str]) -> None:
    """More entries than lines: in two columns, without the amounts, which stand at the seats too."""
    wide = image.width // 2 + 1
    for i, seat in enumerate(saying):
        x, y = i % 2 * wide, _TEXT + _LINE * (i // 2)
        ink.write(image, x, y, str(seat.seat))
        ink.write(image, x + measures.CELL + 2, y, texts.seats[seat.text])
    _lines(image, _TEXT + _LINE * ((len(saying) + 1) // 2), below)
