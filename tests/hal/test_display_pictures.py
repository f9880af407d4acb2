"""What each display draws, to the pixel: golden pictures in ``pictures/``, one bit a pixel.

    POZO_PICTURES=write python -m pytest tests/hal/test_display_pictures.py

draws them anew; then look at every one of them that has changed.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from PIL import Image, ImageChops, ImageDraw

from hal.display import care, counters, dealer, menu, meter, pages
from hal.display.money import Money
from hal.display.texts import Texts
from hal.port import Panel
from tests.hal.display_scenes import (
    BETTING,
    BOLIVIANOS,
    BROKEN,
    BUSY,
    CHIPS,
    CROWDED,
    ENGLISH,
    EUROS,
    IDLE,
    LONG_MENU,
    LUCKY,
    MENU,
    MISWIRED,
    PENDING,
    PESOS,
    REVIEW,
    SPANISH,
    STOPPED,
    panel,
)

PICTURES = Path(__file__).parent / "pictures"
WRITE = os.environ.get("POZO_PICTURES") == "write"
SECOND = 1_000_000_000

OLED = care.OLED.room((128, 64))
MATRIX = (64, 8)
TWO_ROWS = (96, 16)


def of_dealer(shown: Panel, texts: Texts, money: Money, *silent: str, page: int = 0) -> Image.Image:
    return dealer.render(shown, OLED, texts, money, silent, page * pages.TURN)


def of_meter(
    shown: Panel, texts: Texts, money: Money, size: tuple[int, int] = OLED, seconds: int = 0, pot: int | None = None
) -> Image.Image:
    return meter.render(shown, size, shown.pot if pot is None else pot, texts, money, seconds * SECOND)


def of_seats(shown: Panel, texts: Texts, money: Money, turn: int = 0) -> Image.Image:
    """The six modules of a chain below one another, seat 1 on top, as what they are: seven segments and a point."""
    texts_shown = counters.render(shown, range(1, 7), texts, money, turn * counters.TURN)
    columns = counters.picture(texts_shown)
    image = Image.new("1", (8 * 12, 6 * 20))
    draw = ImageDraw.Draw(image)
    for place in range(48):
        module, left = divmod(place, 8)
        x, y = left * 12, module * 20
        bars = (
            (x + 2, y + 8, x + 6, y + 8), (x + 1, y + 2, x + 1, y + 7), (x + 1, y + 9, x + 1, y + 14),
            (x + 2, y + 15, x + 6, y + 15), (x + 7, y + 9, x + 7, y + 14), (x + 7, y + 2, x + 7, y + 7),
            (x + 2, y + 1, x + 6, y + 1), (x + 9, y + 14, x + 10, y + 15),
        )  # fmt: skip
        for bit, bar in enumerate(bars):  # G F E D C B A and the point: bit 0 to bit 7 (MAX7219 datasheet, table 6)
            if columns.getpixel((8 * module + 7 - left, bit)):
                draw.rectangle(bar, fill=1)
    return image


DRAWN: dict[str, Callable[[], Image.Image]] = {
    "dealer-betting-es": lambda: of_dealer(BETTING, SPANISH, PESOS),
    "dealer-betting-en": lambda: of_dealer(BETTING, ENGLISH, EUROS),
    "dealer-chips-es": lambda: of_dealer(CHIPS, SPANISH, PESOS, "visor"),
    "dealer-busy-es": lambda: of_dealer(BUSY, SPANISH, BOLIVIANOS, "visor"),
    "dealer-busy-en": lambda: of_dealer(BUSY, ENGLISH, EUROS, "sign"),
    "dealer-busy-2-en": lambda: of_dealer(BUSY, ENGLISH, EUROS, "sign", page=1),
    "dealer-crowded-1-es": lambda: of_dealer(CROWDED, SPANISH, BOLIVIANOS),
    "dealer-crowded-2-es": lambda: of_dealer(CROWDED, SPANISH, BOLIVIANOS, page=1),
    "dealer-crowded-3-es": lambda: of_dealer(CROWDED, SPANISH, BOLIVIANOS, page=2),
    "dealer-crowded-1-en": lambda: of_dealer(CROWDED, ENGLISH, PESOS),
    "dealer-broken-es": lambda: of_dealer(BROKEN, SPANISH, PESOS),
    "dealer-broken-en": lambda: of_dealer(STOPPED, ENGLISH, PESOS),
    "dealer-miswired-1-es": lambda: of_dealer(MISWIRED, SPANISH, PESOS),
    "dealer-miswired-2-es": lambda: of_dealer(MISWIRED, SPANISH, PESOS, page=1),
    "dealer-miswired-failed-es": lambda: of_dealer(MISWIRED, SPANISH, PESOS, "letrero", "contador", page=2),
    "dealer-lucky-es": lambda: of_dealer(LUCKY, SPANISH, PESOS),
    "dealer-lucky-failed-es": lambda: of_dealer(LUCKY, SPANISH, PESOS, "letrero", "contador", page=1),
    "dealer-pending-es": lambda: of_dealer(PENDING, SPANISH, PESOS),
    "dealer-review-es": lambda: of_dealer(REVIEW, SPANISH, PESOS),
    "meter-review-es": lambda: of_meter(REVIEW, SPANISH, PESOS),
    "matrix-review-en": lambda: of_meter(REVIEW, ENGLISH, PESOS, MATRIX, 4),
    "seats-review-es": lambda: of_seats(REVIEW, SPANISH, PESOS),
    "seats-review-en": lambda: of_seats(REVIEW, ENGLISH, PESOS),
    "dealer-idle-en": lambda: of_dealer(IDLE, ENGLISH, PESOS),
    "dealer-long-round-es": lambda: of_dealer(panel(banner="idle", round=1_234_567), SPANISH, PESOS),
    "dealer-menu-es": lambda: dealer.render_menu(MENU, OLED),
    "dealer-menu-en": lambda: dealer.render_menu(LONG_MENU, OLED),
    "meter-betting-es": lambda: of_meter(BETTING, SPANISH, PESOS),
    "meter-betting-en": lambda: of_meter(BETTING, ENGLISH, EUROS),
    "meter-locked-es": lambda: of_meter(CHIPS, SPANISH, PESOS),
    "meter-winner-es": lambda: of_meter(BUSY, SPANISH, BOLIVIANOS),
    "meter-winner-en": lambda: of_meter(BUSY, ENGLISH, PESOS),
    "meter-lucky-1-es": lambda: of_meter(LUCKY, SPANISH, BOLIVIANOS),
    "meter-lucky-2-es": lambda: of_meter(LUCKY, SPANISH, BOLIVIANOS, seconds=3),
    "meter-lucky-2-en": lambda: of_meter(LUCKY, ENGLISH, BOLIVIANOS, seconds=3),
    "meter-pending-es": lambda: of_meter(PENDING, SPANISH, PESOS),
    "meter-broken-es": lambda: of_meter(BROKEN, SPANISH, PESOS),
    "meter-broken-en": lambda: of_meter(STOPPED, ENGLISH, PESOS),
    "meter-miswired-1-es": lambda: of_meter(MISWIRED, SPANISH, PESOS),
    "meter-miswired-3-es": lambda: of_meter(MISWIRED, SPANISH, PESOS, seconds=6),
    "meter-idle-en": lambda: of_meter(IDLE, ENGLISH, PESOS),
    "matrix-betting-es": lambda: of_meter(BETTING, SPANISH, PESOS, MATRIX),
    "matrix-betting-en": lambda: of_meter(BETTING, ENGLISH, EUROS, MATRIX),
    "matrix-twelve-digits-es": lambda: of_meter(BUSY, SPANISH, PESOS, MATRIX),
    "matrix-twelve-digits-bob": lambda: of_meter(BUSY, SPANISH, BOLIVIANOS, MATRIX),
    "matrix-locked-1-es": lambda: of_meter(CHIPS, SPANISH, PESOS, MATRIX, 4),
    "matrix-locked-2-es": lambda: of_meter(CHIPS, SPANISH, PESOS, MATRIX, 6),
    "matrix-winner-1-en": lambda: of_meter(BUSY, ENGLISH, PESOS, MATRIX, 4),
    "matrix-winner-2-en": lambda: of_meter(BUSY, ENGLISH, PESOS, MATRIX, 6),
    "matrix-pending-es": lambda: of_meter(PENDING, SPANISH, PESOS, MATRIX, 4),
    "matrix-broken-1-es": lambda: of_meter(BROKEN, SPANISH, PESOS, MATRIX),
    "matrix-broken-2-es": lambda: of_meter(BROKEN, SPANISH, PESOS, MATRIX, 2),
    "two-rows-betting-es": lambda: of_meter(BETTING, SPANISH, PESOS, TWO_ROWS),
    "two-rows-twelve-digits-es": lambda: of_meter(BUSY, SPANISH, PESOS, TWO_ROWS),
    "two-rows-broken-es": lambda: of_meter(BROKEN, SPANISH, PESOS, TWO_ROWS),
    "seats-betting-es": lambda: of_seats(BETTING, SPANISH, PESOS),
    "seats-chips-1-es": lambda: of_seats(CHIPS, SPANISH, PESOS),
    "seats-chips-2-es": lambda: of_seats(CHIPS, SPANISH, PESOS, 1),
    "seats-busy-1-es": lambda: of_seats(BUSY, SPANISH, BOLIVIANOS),
    "seats-busy-2-es": lambda: of_seats(BUSY, SPANISH, BOLIVIANOS, 1),
    "seats-busy-1-en": lambda: of_seats(BUSY, ENGLISH, PESOS),
    "seats-broken-es": lambda: of_seats(BROKEN, SPANISH, PESOS),
}  # fmt: skip


@pytest.mark.parametrize("name", DRAWN)
def test_the_picture_is_the_golden_one(name: str) -> None:
    image = DRAWN[name]()
    path = PICTURES / f"{name}.png"
    if WRITE:
        image.save(path, optimize=True)
    with Image.open(path) as golden:
        assert image.size == golden.size
        wrong = ImageChops.logical_xor(image, golden.convert("1")).getbbox()
        assert wrong is None, f"{name} differs from {path} within {wrong}"


def test_a_menu_fits_as_it_is_promised_and_what_is_beyond_is_not_shown() -> None:
    full = tuple("> " + "M" * (menu.COLUMNS - 2) for _ in range(menu.LINES))
    lit = dealer.render_menu(full, OLED)
    assert lit == dealer.render_menu((*(line + "M" for line in full), "one more"), OLED)
    assert lit.getbbox() == (0, 0, *OLED)


def test_every_golden_picture_is_drawn_by_a_test() -> None:
    assert {path.stem for path in PICTURES.glob("*.png")} == set(DRAWN)
