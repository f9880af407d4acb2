"""Exact money: minor units, pot units, rates (rules 3.1, 3.2). No floating point can get in.

* ``Minor``: whole minor units of the currency (a peso, a centavo).
* ``Units``: 1/10 000 of a minor unit, in which pots are kept, so that every rate of two decimals of a percent
  divides exactly.
* ``Rate``: hundredths of a percent; 10 000 is the whole.

The three are distinct types for the checker and plain ``int`` at run time; `exact` is the gate at which a
value of any other type (a float, a bool) is refused.
"""

from __future__ import annotations

import re
from typing import NewType

Minor = NewType("Minor", int)
Units = NewType("Units", int)
Rate = NewType("Rate", int)

UNITS = 10_000
"""Pot units in one minor unit."""

WHOLE = Rate(10_000)
"""One hundred percent."""

LARGEST = 10**15
"""No amount on a table reaches this many minor units; larger ones are typing mistakes. With the 10 000 units
and a rate multiplied in, sums stay within what SQLite and JSON readers hold exactly."""


class AmountError(ValueError):
    """A text is not an amount, a rate or a count; the message says why, for people."""


def exact(value: object) -> int:
    """Return `value` if it is a true ``int``. Raises TypeError for a float, a bool, or anything else."""
    if type(value) is not int:
        raise TypeError(f"money must be an int, not {type(value).__name__} ({value!r})")
    return value


def to_units(amount: Minor) -> Units:
    """Whole minor units as pot units."""
    return Units(amount * UNITS)


def whole(amount: Units) -> Minor:
    """The whole minor units in `amount`, rounded down (rules 3.2)."""
    return Minor(amount // UNITS)


def part_of_bet(bet: Minor, rate: Rate) -> Units:
    """`rate` of a bet, exactly: a minor unit holds 10 000 units and a whole 10 000 rates, so none is lost."""
    return Units(bet * rate)


def share_of_pot(pot: Units, rate: Rate) -> Minor:
    """`rate` of a pot, rounded down once to whole minor units (rules 3.2)."""
    return Minor(pot * rate // (WHOLE * UNITS))


_AMOUNT = re.compile(r"(-?)([0-9]{1,16})(?:\.([0-9]{1,4}))?", re.ASCII)
_RATE = re.compile(r"([0-9]{1,3})(?:\.([0-9]{1,2}))?\s?%", re.ASCII)


def parse_amount(text: str, digits: int, *, signed: bool = False) -> Minor:
    """Read "1000" or "12.50" as minor units of a currency with `digits` decimals.

    Raises AmountError: not a plain decimal number, more decimals than the currency has, negative (unless
    `signed`), or not below `LARGEST`.
    """
    match = _AMOUNT.fullmatch(text)
    if match is None:
        raise AmountError(f"{text!r} is not an amount; write plain digits, such as 1000 or 12.50")
    sign, integer, fraction = match.group(1), match.group(2), match.group(3) or ""
    if sign and not signed:
        raise AmountError(f"{text!r} is negative; an amount here is zero or more")
    if len(fraction.rstrip("0")) > digits:
        raise AmountError(f"{text!r} has more decimals than the currency, which has {digits}")
    value = int(integer) * 10**digits + int(fraction[:digits].ljust(digits, "0") or "0")
    if value >= LARGEST:
        raise AmountError(f"{text!r} is larger than any amount on a table")
    return Minor(-value if sign else value)


def parse_rate(text: str) -> Rate:
    """Read "20%" or "12.25%" as hundredths of a percent, 0 to 100 %. Raises AmountError."""
    match = _RATE.fullmatch(text)
    if match is None:
        raise AmountError(f"{text!r} is not a rate; write a percentage with at most two decimals, such as 12.5%")
    rate = Rate(int(match.group(1)) * 100 + int((match.group(2) or "").ljust(2, "0")))
    if rate > WHOLE:
        raise AmountError(f"{text!r} is more than 100%")
    return rate


def format_minor(amount: int, digits: int) -> str:
    """Minor units as a decimal text of the currency's unit: 1250 with two digits is "12.50"."""
    if digits == 0:
        return str(amount)
    sign, amount = ("-", -amount) if amount < 0 else ("", amount)
    integer, fraction = divmod(amount, 10**digits)
    return f"{sign}{integer}.{fraction:0{digits}d}"


def format_units(amount: int, digits: int) -> str:
    """Pot units as a decimal text with four digits beyond the currency's own."""
    return format_minor(amount, digits + 4)


def format_rate(rate: int) -> str:
    """2000 is "20%", 1225 is "12.25%"."""
    percent, hundredths = divmod(rate, 100)
    return f"{percent}.{hundredths:02d}".rstrip("0").rstrip(".") + "%"
