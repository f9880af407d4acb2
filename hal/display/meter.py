"""The public meter: the pot, big, counting up to its true value; who wins; why nobody can bet.

A sign as big as an OLED shows amount and words together; a smaller one (a matrix of LEDs) shows the amount and, every
few seconds, the words.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from PIL import Image

from hal.display import ink, measures, pages
from hal.display.device import Size
from hal.display.money import Money
from hal.display.texts import Texts
from hal.port import Panel

SECOND = 1_000_000_000
RISE = 2 * SECOND
"""How long the meter takes to count up, nanoseconds."""
FRAME = 50_000_000
"""Nanoseconds between two pictures of a counting meter."""
AMOUNT_TURN, WORDS_TURN = 4 * SECOND, 2 * SECOND
"""How long a small sign shows the amount, and each page of words."""
_BIG_LINE = 2 * measures.HIGH + 1


class Counter:
    """An amount that counts up smoothly to its true value, never past it, and falls at once (rules 4.7).

    A function of what it was told and when, however often it is asked; integers only.
    """

    def __init__(self) -> None:
        self._from = 0
        self._to: int | None = None
        self._since = 0

    def shown(self, true: int, now: int) -> int:
        """What to show of `true` at `now`, nanoseconds. The first amount is shown at once."""
        if self._to is None or true < self._value(now):
            self._from = self._to = true
        elif true != self._to:
            self._from, self._to, self._since = self._value(now), true, now
        return self._value(now)

    def _value(self, now: int) -> int:
        assert self._to is not None
        gone = max(0, min(now - self._since, RISE))
        return self._from + (self._to - self._from) * gone // RISE


class Told(NamedTuple):
    """What a meter says beside the amount: sentences, one after the other, and whether they want to be seen."""

    words: tuple[str, ...]
    loud: bool


def said(panel: Panel, texts: Texts, columns: int | None = None) -> Told:
    """What the public is told in words, in sentences of at most `columns` characters, or in one. Nobody is told to have
    won whose prize waits for approval (5.11)."""
    if panel.banner == "paying":
        if winners := [str(seat.seat) for seat in panel.seats if seat.tells("winner")]:
            return Told(_wins(winners, texts, columns), True)
        if any(seat.tells("approval") for seat in panel.seats):
            return Told((texts.approval,), False)
    return Told((texts.banners[panel.banner],), panel.banner == "pending")


def _wins(winners: Sequence[str], texts: Texts, columns: int | None) -> tuple[str, ...]:
    """Who wins: as many in each sentence as fit."""
    room = len(winners)
    while True:
        groups = (winners[i : i + room] for i in range(0, len(winners), room))
        sentences = tuple(texts.wins.format(seats=", ".join(group)) for group in groups)
        if columns is None or room == 1 or all(len(sentence) <= columns for sentence in sentences):
            return sentences
        room -= 1


def render(panel: Panel, size: Size, amount: int, texts: Texts, money: Money, now: int) -> Image.Image:
    """The sign of `size` pixels, with `amount` minor units on it. `now` (nanoseconds) turns its pages.

    Out of service no amount is shown: it is an offer, and there is none.
    """
    image = Image.new("1", size)
    if measures.small(size):
        _small(image, panel, amount, texts, money, now)
    elif panel.banner == "out-of-service":
        _out_of_service(image, panel, texts, now)
    else:
        _big_sign(image, panel, amount, texts, money, now)
    return image


def turns(panel: Panel, size: Size, texts: Texts, now: int) -> int | None:
    """Nanoseconds until the picture changes by itself, but for counting; None when it does not."""
    if not measures.small(size):
        broken = panel.banner == "out-of-service"
        many = _reason(panel, size, texts) if broken else said(panel, texts, ink.columns(size[0])).words
        return pages.left(now) if len(many) > 1 else None
    parts = _parts(panel, size, texts)
    return _at(parts, now)[1] if len(parts) > 1 else None


def _big_sign(image: Image.Image, panel: Panel, amount: int, texts: Texts, money: Money, now: int) -> None:
    ink.write(image, 0, 0, texts.pot)
    ink.write(image, image.width - ink.width(money.name), 0, money.name)
    _amount(image, measures.HIGH + 2, measures.room(image.size), money.text(amount))
    told = said(panel, texts, ink.columns(image.width))
    words = told.words[pages.shown(len(told.words), now)]
    if told.loud:
        ink.label(image, image.height - 10, words)
    else:
        ink.centred(image, image.height - 9, words)


def _out_of_service(image: Image.Image, panel: Panel, texts: Texts, now: int) -> None:
    for i, line in enumerate(_big(texts, image.width)):
        ink.centred(image, _BIG_LINE * i, line, scale=2)
    reason = _reason(panel, image.size, texts)
    top = _BIG_LINE * len(_big(texts, image.width)) + 1
    for i, line in enumerate(reason[pages.shown(len(reason), now)]):
        ink.centred(image, top + (measures.HIGH + 1) * i, line)
    pages.mark(image, len(reason), now)


def _big(texts: Texts, width: int) -> list[str]:
    """That the table is out of service, in big lines."""
    return ink.wrap(texts.banners["out-of-service"], ink.columns(width, 2))


def _reason(panel: Panel, size: Size, texts: Texts) -> list[list[str]]:
    """The whole reason (8.4), page after page, one at least: its remedy comes last."""
    lines = ink.wrap(panel.reason, ink.columns(size[0]))
    room = max(1, (size[1] - _BIG_LINE * len(_big(texts, size[0])) - 1) // (measures.HIGH + 1))
    return [lines[i : i + room] for i in range(0, len(lines), room)] or [[]]


def _small(image: Image.Image, panel: Panel, amount: int, texts: Texts, money: Money, now: int) -> None:
    page = _at(_parts(panel, image.size, texts), now)[0]
    if page is None:
        _amount(image, 0, image.size, money.text(amount))
    else:
        scale = max(1, min(image.height // measures.HIGH, image.width // max(1, ink.width(page))))
        ink.centred(image, (image.height - measures.HIGH * scale) // 2, page, scale=scale)


def _amount(image: Image.Image, top: int, room: Size, text: str) -> None:
    size = measures.block(text, room)
    if size is None:  # a meter is built for twelve digits; a part of an amount would be another amount
        ink.centred(image, top + (room[1] - measures.HIGH) // 2, "-" * min(8, ink.columns(image.width)))
        return
    x = (image.width - size.length(text)) // 2
    ink.amount(image, x, top + (room[1] - size.high - (size.stroke if room[1] > measures.HIGH else 0)) // 2, text, size)


def _parts(panel: Panel, size: Size, texts: Texts) -> list[str | None]:
    """The pages of a small sign, in turn; None is the amount."""
    room = ink.columns(size[0])
    if panel.banner == "out-of-service":
        return [*ink.wrap(f"{texts.banners['out-of-service']} {panel.reason}", room)]
    (words,) = said(panel, texts).words
    return [None] if panel.banner in ("idle", "open") else [None, *ink.wrap(words, room)]


def _at(parts: Sequence[str | None], now: int) -> tuple[str | None, int]:
    """The page that is shown at `now`, and the nanoseconds that are left of it."""
    lengths = [AMOUNT_TURN if part is None else WORDS_TURN for part in parts]
    gone = now % sum(lengths)
    for part, length in zip(parts, lengths, strict=True):
        if gone < length:
            return part, length - gone
        gone -= length
    raise AssertionError("the turns fill the whole")
