"""Exact money, clauses 3.1 and 3.2."""

from decimal import Decimal
from fractions import Fraction

import pytest

from controller.core.money import (
    AmountError,
    Minor,
    Rate,
    Units,
    exact,
    format_minor,
    format_rate,
    format_units,
    parse_amount,
    parse_rate,
    part_of_bet,
    share_of_pot,
    to_units,
    whole,
)


@pytest.mark.parametrize("value", [1.0, float("nan"), True, "1", None, Decimal(1), Fraction(1)])
def test_3_1_only_integers_are_money(value: object) -> None:
    with pytest.raises(TypeError, match="money must be an int"):
        exact(value)


def test_3_1_integers_of_any_size_are() -> None:
    assert exact(-(10**30)) == -(10**30)


@pytest.mark.parametrize(
    ("text", "digits", "minor"),
    [
        ("1000", 0, 1_000),
        ("1000", 2, 100_000),
        ("12.50", 2, 1_250),
        ("12.5", 2, 1_250),
        ("0.01", 2, 1),
        ("0", 0, 0),
        ("7.00", 0, 7),
        ("0.0010", 3, 1),
        ("007", 0, 7),
        ("999999999999999", 0, 999_999_999_999_999),
    ],
)
def test_3_1_amounts_are_read_exactly(text: str, digits: int, minor: int) -> None:
    assert parse_amount(text, digits) == minor


@pytest.mark.parametrize(
    "text",
    ["", "NaN", "inf", "1e3", "1,000", "1 000", " 1", "1.", ".5", "+1", "-1", "0x10", "١٢", "1.00001", "--1", "1_000",
     "10000000000000000", "1000000000000000", "1000000000000000.00"],
)  # fmt: skip
def test_3_1_what_is_no_amount_is_refused(text: str) -> None:
    with pytest.raises(AmountError):
        parse_amount(text, 4)


def test_3_1_more_decimals_than_the_currency_has_are_refused() -> None:
    with pytest.raises(AmountError, match="more decimals than the currency, which has 0"):
        parse_amount("0.5", 0)
    with pytest.raises(AmountError, match="has 2"):
        parse_amount("0.125", 2)


def test_3_1_only_a_signed_amount_may_be_negative() -> None:
    assert parse_amount("-12.50", 2, signed=True) == -1_250
    with pytest.raises(AmountError, match="negative"):
        parse_amount("-12.50", 2)


@pytest.mark.parametrize(
    ("minor", "digits", "text"),
    [(1_000, 0, "1000"), (1_250, 2, "12.50"), (5, 2, "0.05"), (-5, 2, "-0.05"), (-1_250, 2, "-12.50"), (0, 2, "0.00")],
)
def test_3_1_amounts_are_written_exactly(minor: int, digits: int, text: str) -> None:
    assert format_minor(minor, digits) == text
    assert parse_amount(text, digits, signed=True) == minor


@pytest.mark.parametrize(
    ("text", "rate"),
    [("20%", 2_000), ("0%", 0), ("100%", 10_000), ("12.25%", 1_225), ("12.5%", 1_250), ("0.01%", 1), ("5 %", 500)],
)
def test_3_2_rates_have_two_decimals_of_a_percent(text: str, rate: int) -> None:
    assert parse_rate(text) == rate


@pytest.mark.parametrize("text", ["20", "100.01%", "101%", "-1%", "12.345%", "%", "NaN%", "1e1%", "2 0%", "٢٠%"])
def test_3_2_what_is_no_rate_is_refused(text: str) -> None:
    with pytest.raises(AmountError):
        parse_rate(text)


@pytest.mark.parametrize("rate", range(0, 10_001, 37))
def test_3_2_rates_are_written_as_they_are_read(rate: int) -> None:
    assert parse_rate(format_rate(Rate(rate))) == rate


def test_3_2_rates_in_words() -> None:
    assert [format_rate(rate) for rate in (2_000, 1_225, 1_250, 1, 0, 10_000)] == [
        "20%", "12.25%", "12.5%", "0.01%", "0%", "100%",
    ]  # fmt: skip


def test_3_2_pots_are_kept_in_ten_thousandths_of_a_minor_unit() -> None:
    assert to_units(Minor(3)) == 30_000
    assert format_units(30_000, 0) == "3.0000"
    assert format_units(30_001, 0) == "3.0001"
    assert format_units(123_456_789, 2) == "123.456789"  # bolivianos: centavos, and four digits more
    assert format_units(-1, 0) == "-0.0001"


def test_3_2_every_rate_of_every_bet_is_exact() -> None:
    # 12.34 % of 7 minor units are 0.8638; 5.67 % are 0.3969
    assert part_of_bet(Minor(7), Rate(1_234)) == 8_638
    assert part_of_bet(Minor(7), Rate(567)) == 3_969
    assert part_of_bet(Minor(1), Rate(1)) == 1  # 0.01 % of one minor unit is one pot unit: the least there is


def test_3_2_a_share_is_rounded_down_once_to_whole_minor_units() -> None:
    # 10 % of 10 000 333.3333 is 1 000 033.33333
    assert share_of_pot(Units(100_003_333_333), Rate(1_000)) == 1_000_033
    # 100 % of 0.9999 is nothing yet
    assert share_of_pot(Units(9_999), Rate(10_000)) == 0
    assert share_of_pot(Units(10_000), Rate(10_000)) == 1
    # 33.33 % of 9 is 2.9997
    assert share_of_pot(Units(90_000), Rate(3_333)) == 2


def test_3_2_whole_minor_units_are_rounded_down() -> None:
    assert (whole(Units(9_999)), whole(Units(10_000)), whole(Units(19_999))) == (0, 1, 1)
