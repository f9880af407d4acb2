"""Amounts on displays: how they are written, that they fit, that a meter never shows more than there is."""

from __future__ import annotations

import dataclasses
from itertools import pairwise
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from hal.display import care, counters, dealer, ink, measures, meter, pages
from hal.display.money import Money
from hal.display.texts import Texts
from hal.port import Panel, SeatText
from tests.hal.display_scenes import (
    BOLIVIANOS,
    BROKEN,
    BUSY,
    CROWDED,
    ENGLISH,
    EUROS,
    LUCKY,
    MISWIRED,
    PESOS,
    SPANISH,
    panel,
    seat,
)

SECOND = 1_000_000_000
KUWAIT = Money(3, ",", ".", "KWD")


# --- writing -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("money", "minor", "text", "plain"),
    [
        (PESOS, 0, "0", "0"),
        (PESOS, 999, "999", "999"),
        (PESOS, 10_004_200, "10.004.200", "10004200"),
        (PESOS, 999_999_999_999, "999.999.999.999", "999999999999"),
        (BOLIVIANOS, 5, "0,05", "0.05"),
        (BOLIVIANOS, 123_456, "1.234,56", "1234.56"),
        (EUROS, 100, "1.00", "1.00"),
        (KUWAIT, 1_234_005, "1,234.005", "1234.005"),
        (BOLIVIANOS, -123_456, "-1.234,56", "-1234.56"),
    ],
)
def test_3_1_an_amount_is_written_with_the_currencys_marks(money: Money, minor: int, text: str, plain: str) -> None:
    assert (money.text(minor), money.plain(minor)) == (text, plain)


@pytest.mark.parametrize("size", [(128, 64), (126, 62), (64, 8), (64, 16), (96, 8), (256, 64)])
@pytest.mark.parametrize("money", [PESOS, BOLIVIANOS, EUROS, KUWAIT])
def test_twelve_digits_fit_on_every_meter(size: tuple[int, int], money: Money) -> None:
    assert measures.fits(size, money)


@pytest.mark.parametrize("size", [(32, 8), (48, 8), (64, 5)])
def test_a_sign_that_is_too_small_is_found_out(size: tuple[int, int]) -> None:
    assert not measures.fits(size, PESOS)


@given(st.integers(0, 10**12 - 1), st.sampled_from([(126, 62), (64, 8), (64, 16)]))
def test_no_digit_sticks_out(amount: int, size: tuple[int, int]) -> None:
    text = PESOS.text(amount)
    block = measures.block(text, size)
    assert block is not None
    assert block.length(text) <= size[0]
    assert block.high + block.stroke <= size[1]


def test_text_that_the_font_has_not_is_shown_without_its_accent_or_asked_about() -> None:
    shown = {char: ink._char(char, 1).tobytes() for char in "ÍI€?"}
    assert shown["Í"] == shown["I"]
    assert shown["€"] == shown["?"]


def test_lines_break_between_words_and_long_words_anywhere() -> None:
    assert ink.wrap("no se puede escribir", 8) == ["no se", "puede", "escribir"]
    assert ink.wrap("desafortunadamente no", 8) == ["desafort", "unadamen", "te no"]
    assert ink.wrap("", 8) == []


# --- counting ------------------------------------------------------------------------------------------


@given(st.lists(st.tuples(st.integers(0, 10**12), st.integers(0, 3 * SECOND)), min_size=1))
def test_4_7_the_meter_is_never_past_its_true_value_and_falls_at_once(story: list[tuple[int, int]]) -> None:
    counter, now, before = meter.Counter(), 0, 0
    for pot, passed in story:
        now += passed
        shown = counter.shown(pot, now)
        assert min(before, pot) <= shown <= pot
        before = shown
    pot = story[-1][0]
    assert counter.shown(pot, now + meter.RISE) == pot


def test_the_meter_counts_up_evenly_and_arrives() -> None:
    counter = meter.Counter()
    assert counter.shown(1_000, 0) == 1_000  # the first amount is no news
    seen = [counter.shown(3_000, SECOND + step * meter.RISE // 4) for step in range(6)]
    assert seen == [1_000, 1_500, 2_000, 2_500, 3_000, 3_000]
    assert counter.shown(500, 9 * SECOND) == 500


def test_what_comes_while_it_counts_is_counted_from_where_it_is() -> None:
    counter = meter.Counter()
    counter.shown(0, 0)
    counter.shown(1_000, 0)
    assert counter.shown(9_000, meter.RISE // 2) == 500
    assert counter.shown(9_000, meter.RISE // 2 + meter.RISE) == 9_000
    counter.shown(20_000, 10 * SECOND)
    assert counter.shown(9_500, 10 * SECOND + 1) <= 9_500  # it had just begun to rise: no fall is needed
    assert counter.shown(9_500, 20 * SECOND) == 9_500


def test_8_5_out_of_service_there_is_no_amount_to_be_seen() -> None:
    stopped = [panel(banner="out-of-service", pot=pot, reason="x") for pot in (1_000, 999_999)]
    for size in ((126, 62), (128, 32), (64, 8)):
        pictures = {meter.render(p, size, p.pot, SPANISH, PESOS, 0).tobytes() for p in stopped}
        assert len(pictures) == 1


# --- seats ---------------------------------------------------------------------------------------------


def test_2_2_a_credits_seat_shows_credits_and_bet_and_2_3_a_chips_seat_the_bet_alone() -> None:
    shown = panel(seat(1, credits=12, bet=3_000), seat(2, credits=None, bet=3_000))
    assert counters.render(shown, (1, 2), SPANISH, PESOS, 0) == ("12  3000", "    3000")


def test_2_8_once_locked_seats_with_and_without_a_bet_differ() -> None:
    shown = panel(seat(1, "locked", credits=5, bet=1_000), seat(2, "locked", credits=5), banner="locked")
    assert counters.render(shown, (1, 2), SPANISH, PESOS, 0) == ("5   1000", "5    ---")


def test_2_3_what_is_to_be_handed_back_flashes() -> None:
    shown = panel(seat(1, "late", credits=None, owed=5_000), banner="locked")
    turns = [counters.render(shown, (1,), SPANISH, PESOS, n * counters.TURN)[0] for n in range(3)]
    assert turns == ["tArdE", "    5000", "tArdE"]


def test_2_4_a_counter_tells_a_closed_seats_prize_from_what_has_to_be_handed_back_there() -> None:
    owed, won = (
        seat(1, "closed", "returned", credits=None, owed=2_000),
        seat(2, "winner", "late", bet=1_000, owed=5_000),
    )
    shown = panel(owed, won, banner="paying")
    assert counters.says(owed, shown, SPANISH, PESOS) == ("CErrAdA", "dEvUELtA", "    2000")
    assert counters.says(won, shown, SPANISH, PESOS) == ("GAnA", "tArdE", "    5000", "4   1000")


def test_what_does_not_fit_side_by_side_is_shown_in_turn_and_never_in_part() -> None:
    shown = panel(seat(1, credits=1_234, bet=1_000_000), seat(2, credits=None, bet=1_234_567_890))
    turns = [counters.render(shown, (1, 2), SPANISH, PESOS, n * counters.TURN) for n in range(2)]
    assert turns == [("C   1234", "--------"), (" 1000000", "--------")]


def test_modules_may_hang_in_any_order_and_more_of_them_than_seats() -> None:
    shown = panel(seat(1, credits=None, bet=1_000), seat(2, credits=None, bet=2_000))
    assert counters.render(shown, (2, 9, 1), SPANISH, PESOS, 0) == ("    2000", "", "    1000")


@given(
    st.lists(st.sampled_from(get_args(SeatText)), unique=True),
    st.none() | st.integers(0, 10**6),
    st.integers(0, 10**9),
    st.integers(0, 10**9),
)
def test_every_counter_has_eight_digits(texts: list[SeatText], credits: int | None, bet: int, owed: int) -> None:
    shown = panel(seat(1, *texts, credits=credits, bet=bet, owed=owed))
    for part in counters.says(shown.seats[0], shown, SPANISH, BOLIVIANOS):
        assert counters.picture([part]).size == (8, 8)


# --- the dealer's screen ---------------------------------------------------------------------------------

ALL_TEXTS = [text for text in get_args(SeatText) if text not in ("", "locked")]
OWED_TEXTS: tuple[SeatText, ...] = ("late", "excess", "returned")


@given(
    st.lists(st.lists(st.sampled_from(ALL_TEXTS), unique=True), min_size=6, max_size=7),
    st.sampled_from([0, 1_000, 24_950_049_000, 10**12 - 1]),
    st.sampled_from([(SPANISH, PESOS), (SPANISH, BOLIVIANOS), (ENGLISH, KUWAIT)]),
)
def test_2_4_the_dealer_reads_everything_that_seats_have_to_say_and_each_amount_whole(
    texts: list[list[SeatText]], owed: int, words: tuple[Texts, Money]
) -> None:
    shown = panel(*(seat(n, *said, owed=owed) for n, said in enumerate(texts, 1)), banner="paying")
    rows = [row for page in dealer._pages(shown, (126, 62), *words, ()) for row in page]
    assert all(len(text) <= ink.columns(126) for row in rows for text in row)
    read = " ".join(" ".join(text.split()) for row in rows for text in row)
    for n, said in enumerate(texts, 1):
        for text in said:
            amount = f" {words[1].text(owed)}" if owed and text in OWED_TEXTS else ""
            assert f"{n} {words[0].seats[text]}{amount}" in read


@pytest.mark.parametrize("shown", [panel(), CROWDED, BUSY, LUCKY, BROKEN, MISWIRED], ids=lambda shown: shown.banner)
def test_the_dealer_sees_each_failed_display_whatever_else_there_is_to_say(shown: Panel) -> None:
    line = (0, 53, 126, 61)

    def drawn(*silent: str, page: int = 0) -> bytes:
        image = dealer.render(shown, (126, 62), SPANISH, PESOS, silent, page * pages.TURN)
        return image.crop(line).tobytes()

    def written(text: str) -> bytes:
        image = Image.new("1", (126, 62))
        ink.write(image, 0, 53, text)
        return image.crop(line).tobytes()

    for page in range(8):
        assert drawn("letrero", page=page) == written("letrero: no responde")
    seen = {drawn("letrero", "contador", page=page) for page in range(8)}
    assert seen == {written("letrero: no responde"), written("contador: no responde")}
    assert dealer.turns(shown, (126, 62), SPANISH, PESOS, ("letrero", "contador"), 1) == pages.TURN - 1


def test_what_does_not_fit_on_the_dealers_screen_comes_in_turn() -> None:
    few, many = panel(seat(1, "late", owed=1_000)), panel(*(seat(n, "late", owed=1_000) for n in range(1, 7)))
    assert dealer.turns(few, (126, 62), SPANISH, PESOS) is None
    assert dealer.turns(many, (126, 62), SPANISH, PESOS, now=pages.TURN + 1) == pages.TURN - 1
    seen = [dealer.render(many, (126, 62), SPANISH, PESOS, now=n * pages.TURN).tobytes() for n in range(3)]
    assert seen[0] == seen[2] != seen[1]


@given(st.text("abc ó:,", max_size=400), st.sampled_from([(), ("sign",), ("sign", "counters")]))
def test_8_4_out_of_service_the_dealer_reads_the_whole_reason(reason: str, silent: tuple[str, ...]) -> None:
    shown = panel(banner="out-of-service", reason=reason)
    rows = [row for page in dealer._pages(shown, (126, 62), ENGLISH, PESOS, silent) for row in page]
    assert "".join(text for row in rows for text in row).replace(" ", "") == "".join(reason.split())
    turn = dealer.turns(shown, (126, 62), ENGLISH, PESOS, silent)
    assert turn == (pages.TURN if len(rows) > 4 else turn)


def test_a_sign_that_is_high_and_narrow_says_its_words_in_turn_with_the_amount() -> None:
    shown = panel(banner="locked")
    assert meter._parts(shown, (64, 32), SPANISH) == [None, "Apuestas", "cerradas"]
    assert meter.turns(shown, (64, 32), SPANISH, 0) == meter.AMOUNT_TURN
    words = meter.render(shown, (64, 32), shown.pot, SPANISH, PESOS, meter.AMOUNT_TURN).getbbox()
    assert words is not None
    assert 0 < words[0] < words[2] < 64


@given(
    st.text("abc ó:,", max_size=400),
    st.sampled_from([SPANISH, ENGLISH]),
    st.sampled_from([(126, 62), (128, 48), (256, 48)]),
)
def test_8_4_out_of_service_the_sign_shows_the_whole_reason(reason: str, texts: Texts, size: tuple[int, int]) -> None:
    shown = panel(banner="out-of-service", reason=reason)
    all_pages = meter._reason(shown, size, texts)
    assert "".join(line for page in all_pages for line in page).replace(" ", "") == "".join(reason.split())
    assert meter.turns(shown, size, texts, 0) == (pages.TURN if len(all_pages) > 1 else None)
    pictures = [meter.render(shown, size, 0, texts, PESOS, n * pages.TURN) for n in range(len(all_pages))]
    assert len({picture.tobytes() for picture in pictures}) == len(all_pages)


# --- words and care ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "wrong",
    [
        {"banners": {**SPANISH.banners, "open": ""}},
        {"phases": {**SPANISH.phases, "open": "Apuestas abiertas"}},
        {"seats": {**SPANISH.seats, "late": "demasiado tarde"}},
        {"digits": {**SPANISH.digits, "late": "dEMASIAdO"}},
        {"digits": {**SPANISH.digits, "late": "tardía"}},
        {"wins": "alguien gana"},
        {"wins": "Gana la posición número {seats}"},
        {"approval": "El premio está en revisión"},
    ],
    ids=str,
)
def test_words_that_are_missing_or_do_not_fit_are_refused(wrong: dict[str, object]) -> None:
    fields = {field.name: getattr(SPANISH, field.name) for field in dataclasses.fields(SPANISH)}
    with pytest.raises(ValueError, match=r"texts: |seven segments"):
        Texts(**{**fields, **wrong})


def test_5_11_the_public_reads_who_has_won_once_it_is_approved() -> None:
    waits, won = seat(2, "approval", lamp=True), seat(4, "winner", lamp=True)
    assert meter.said(panel(waits, banner="paying"), ENGLISH) == (("Prize under review",), False)
    assert meter.said(panel(waits, won, banner="paying"), ENGLISH) == (("Seat 4 wins",), True)
    assert meter.said(panel(banner="paying"), ENGLISH) == (("Paying prizes",), False)


@pytest.mark.parametrize(("prize", "told"), [("approval", "Prize under review"), ("winner", "Seat 2 wins")])
def test_5_11_the_public_reads_of_a_prize_whatever_else_its_seat_has_to_say(prize: SeatText, told: str) -> None:
    shown = panel(seat(2, prize, "closed", "late", owed=1_000), banner="paying")
    assert meter.said(shown, ENGLISH).words == (told,)


@pytest.mark.parametrize("texts", [SPANISH, ENGLISH])
@pytest.mark.parametrize("count", range(1, 8))
def test_the_public_reads_every_winner_on_a_high_sign(texts: Texts, count: int) -> None:
    shown = panel(*(seat(n, "winner") for n in range(1, count + 1)), banner="paying")
    sentences, loud = meter.said(shown, texts, ink.columns(126))
    assert loud
    assert all(len(sentence) <= ink.columns(126) for sentence in sentences)
    assert [char for sentence in sentences for char in sentence if char.isdigit()] == [*"1234567"[:count]]
    assert meter.turns(shown, (126, 62), texts, 1) == (pages.TURN - 1 if len(sentences) > 1 else None)


def test_a_panel_is_dimmed_when_nothing_happens() -> None:
    levels = [care.OLED.contrast(minutes * 60 * SECOND) for minutes in (0, 4, 5, 29, 30, 1_000)]
    assert levels == [0xCF, 0xCF, 0x50, 0x50, 0x08, 0x08]


def test_a_picture_is_never_further_than_a_pixel_from_where_it_was() -> None:
    picture = Image.new("1", care.OLED.room((128, 64)), 1)
    boxes = [care.OLED.place(picture, (128, 64), minute * care.SHIFT_EVERY).getbbox() for minute in range(13)]
    corners = [box[:2] for box in boxes if box is not None]
    assert len(set(corners)) == 9
    assert corners[0] == corners[12]
    for (x0, y0), (x1, y1) in pairwise(corners):
        assert abs(x0 - x1) + abs(y0 - y1) == 1
    assert all(box[2] - box[0] == 126 and box[3] - box[1] == 62 for box in boxes if box is not None)


@pytest.mark.parametrize("steps", [(), ((5, 10),), ((0, 10), (0, 20)), ((0, 256),)])
def test_a_contrast_plan_that_makes_no_sense_is_refused(steps: tuple[tuple[int, int], ...]) -> None:
    with pytest.raises(ValueError, match="contrast steps"):
        care.Care(steps, shifted=False)


def test_time_left_is_never_nothing() -> None:
    for idle in (0, 299 * SECOND, 300 * SECOND, 10_000 * SECOND):
        for now in (0, 1, 59 * SECOND, 60 * SECOND):
            assert 0 < care.OLED.changes(idle, now) <= care.SHIFT_EVERY
