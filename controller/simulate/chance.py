"""How often an honest deck gives a hand: the exact binomial law, and the counts that it leaves in doubt.

The tails are sums of positive terms, each a rational multiple of the one before. The first term comes from the
logarithm of the gamma function, whose error is below one part in a million for any number of rounds that anybody
plays; it could only matter to a count that lies on the very edge of a bound.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from math import exp, lgamma, log, log1p

NEGLIGIBLE = 1e-18
"""A term that is so small a part of the sum so far ends it: the terms after it fall at least as fast."""


def at_most(count: int, of: int, part: Fraction) -> float:
    """The chance of `count` or fewer hits in `of` independent trials, each a hit with the chance `part`, below 1."""
    if count >= of:
        return 1.0
    if count < 0:
        return 0.0
    if count > of * part:
        return 1.0 - at_least(count + 1, of, part)
    against = float((1 - part) / part)
    term = total = _exactly(count, of, part)
    for n in range(count, 0, -1):
        term *= n / (of - n + 1) * against
        total += term
        if term <= total * NEGLIGIBLE:
            break
    return min(1.0, total)


def at_least(count: int, of: int, part: Fraction) -> float:
    """The chance of `count` or more hits."""
    if 0 < count <= of * part:
        return 1.0 - at_most(count - 1, of, part)
    return at_most(of - count, of, 1 - part) if count > 0 else 1.0


def _exactly(count: int, of: int, part: Fraction) -> float:
    ways = lgamma(of + 1) - lgamma(count + 1) - lgamma(of - count + 1)
    return exp(ways + count * log(part) + (of - count) * log1p(-part))


def honest(of: int, part: Fraction, doubt: float) -> tuple[int, int]:
    """The least and the most hits in `of` trials that are believed: each side leaves out a chance of at most
    `doubt` / 2, and no more could be left out.

    A count lies between them exactly when `part` lies in the Clopper-Pearson interval of that count, whose level is
    1 - `doubt`.
    """
    middle = int(of * part)
    least = _first(lambda n: at_most(n, of, part) > doubt / 2, 0, middle)
    most = -_first(lambda n: at_least(-n, of, part) > doubt / 2, -of, -middle)
    return least, most


def _first(holds: Callable[[int], bool], low: int, high: int) -> int:
    """The first whole number from `low` for which `holds`; `high` at the latest. It goes on to hold after it."""
    while low < high:
        middle = (low + high) // 2
        if holds(middle):
            high = middle
        else:
            low = middle + 1
    return low
