"""The seats' counters: credits left at the left, the bet at the right, in eight seven-segment digits a seat.

A seat that has something to say says it and its figures in turn. A MAX7219 module knows neither position nor language:
module n of the chain is the n-th seat of `chain`.
"""

from __future__ import annotations

from collections.abc import Sequence

from PIL import Image

from hal.display.money import Money
from hal.display.texts import CELLS, Texts
from hal.display.vendor import segments
from hal.port import Panel, SeatPanel

SECOND = 1_000_000_000
TURN = 3 * SECOND // 2
"""How long each thing is shown that a seat has to say, nanoseconds."""

NO_BET = "---"
DARK = "-" * CELLS


def says(seat: SeatPanel, panel: Panel, texts: Texts, money: Money) -> tuple[str, ...]:
    """What `seat` shows, one after the other; each is at most eight digits.

    Out of service: dashes. Once betting is locked, a seat without a bet shows dashes where others have theirs (2.8).
    """
    if panel.banner == "out-of-service":
        return (DARK,)
    parts: list[str] = []
    for said in seat.says:
        if said.text != "locked":
            parts.append(texts.digits[said.text])
        if said.amount:
            parts.append(_amount(money.plain(said.amount)))
    owes = any(said.amount for said in seat.says)
    if seat.bet or seat.credits or not (owes or seat.tells("closed")):
        parts += _figures(seat, panel, money)
    return tuple(parts)


def _figures(seat: SeatPanel, panel: Panel, money: Money) -> tuple[str, ...]:
    bet = NO_BET if not seat.bet and panel.banner in ("locked", "paying", "pending") else money.plain(seat.bet)
    if seat.credits is None:
        return (_amount(bet),)
    credits = str(seat.credits)
    room = CELLS - len(segments(credits)) - len(segments(bet))
    if room > 0:
        return (credits + " " * room + bet,)
    return (_amount(credits, "C"), _amount(bet))


def _amount(text: str, mark: str = "") -> str:
    """`text` at the right. What is longer than the counter is not shown in part: a part is another amount."""
    room = CELLS - len(segments(text)) - len(mark)
    return mark + " " * room + text if room >= 0 else mark + "-" * (CELLS - len(mark))


def render(panel: Panel, chain: Sequence[int], texts: Texts, money: Money, now: int) -> tuple[str, ...]:
    """What the counters of the seats in `chain` show at `now`, nanoseconds: the text of each."""
    seats = {seat.seat: seat for seat in panel.seats}
    shown = []
    for number in chain:
        parts = says(seats[number], panel, texts, money) if number in seats else ("",)
        shown.append(parts[now // TURN % len(parts)])
    return tuple(shown)


def turns(panel: Panel, texts: Texts, money: Money, now: int) -> int | None:
    """Nanoseconds until the counters change by themselves; None when they do not."""
    changing = any(len(says(seat, panel, texts, money)) > 1 for seat in panel.seats)
    return TURN - now % TURN if changing else None


def picture(shown: Sequence[str]) -> Image.Image:
    """The texts as ``vendor.digits`` takes them: a column a digit, a row a segment; a module's leftmost digit is the
    rightmost of its eight columns, as its registers are numbered."""
    image = Image.new("1", (CELLS * len(shown), CELLS))
    for module, text in enumerate(shown):
        for place, byte in enumerate(segments(text)):
            column = CELLS * module + CELLS - 1 - place
            for segment in range(8):
                if byte >> segment & 1:
                    image.putpixel((column, segment), 1)
    return image
