"""Quantities with a tolerance: the lowest, the nominal and the highest value, carried through a calculation.

Worst case, not statistics: the ends are those of the least favourable combination. As with any interval arithmetic a
quantity that appears twice in a formula is taken as if it could differ from itself, so a result is never too narrow.
"""

from __future__ import annotations

from typing import NamedTuple


class Span(NamedTuple):
    """Between `low` and `high`, meant to be `nominal`. SI units without prefixes."""

    low: float
    nominal: float
    high: float

    def plus(self, other: Span) -> Span:
        """Sum."""
        return Span(self.low + other.low, self.nominal + other.nominal, self.high + other.high)

    def minus(self, other: Span) -> Span:
        """Difference."""
        return Span(self.low - other.high, self.nominal - other.nominal, self.high - other.low)

    def times(self, other: Span) -> Span:
        """Product."""
        ends = [a * b for a in (self.low, self.high) for b in (other.low, other.high)]
        return Span(min(ends), self.nominal * other.nominal, max(ends))

    def over(self, other: Span) -> Span:
        """Quotient. Raises ValueError when the divisor may be zero."""
        if other.low <= 0 <= other.high:
            raise ValueError(f"{other} contains zero")
        return self.times(Span(1 / other.high, 1 / other.nominal, 1 / other.low))

    def atop(self, other: Span) -> Span:
        """The tap of a divider, as a fraction: `other` below, this above."""
        return Span(
            other.low / (other.low + self.high),
            other.nominal / (other.nominal + self.nominal),
            other.high / (other.high + self.low),
        )

    def at_most(self, ceiling: Span) -> Span:
        """Cut off by a rail."""
        return Span(*(min(mine, its) for mine, its in zip(self, ceiling, strict=True)))


def exactly(value: float) -> Span:
    """No tolerance."""
    return Span(value, value, value)


def within(value: float, tolerance: float) -> Span:
    """`tolerance` as a fraction, both ways."""
    return Span(value * (1 - tolerance), value, value * (1 + tolerance))
