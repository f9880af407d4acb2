"""How large the pot is when the 100 % prize falls, on average (rules 4.4, 4.5, 5.7–5.10).

One bet follows another. Each brings the main share; each wins a fixed prize, a share of the pot, or nothing; with the
chance p of the 100 % prize the pot ends there. V(x) is the mean pot at that end, seen from a pot of x; all amounts
here are in bets.

Without cap and limit V is a straight line and known exactly. A cap bends it and a limit ends it; then the many small
moves are taken at their mean g (their spread shifts the result by less than one part in a thousand) and

    g · V'(x) = (p + Σ p_j) · V(x) − p · x − Σ p_j · V(x − d_j(x)),    d_j(x) = min(share_j · x, cap_j)

is integrated from an empty pot upwards by trapezoids. The unknown V(0) is carried along and found at the far end,
where V is a straight line again, or where the limit stops the growth. On the way errors grow like e^(x/g), which is why
the arithmetic carries some hundred digits.
"""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal, localcontext
from fractions import Fraction
from typing import NamedTuple

from controller.core.money import WHOLE, Minor
from controller.core.params import drain, main_share
from controller.core.potwords import Params, PrizeRule
from controller.odds.returns import chance, share

STEPS = 2_000
FAR = 15
COARSEST = Fraction(1, 5)
"""The most of an e-folding that one step may cover. Where shares fall more often there is no pot to speak of."""


class JackpotPot(NamedTuple):
    """The mean pot at the moment of the 100 % prize, in minor units. `exact`: no cap and no limit is in its way."""

    mean: Fraction
    exact: bool


def jackpot(prizes: Sequence[PrizeRule]) -> PrizeRule | None:
    """The prize that wins the whole pot, if there is one."""
    return next((rule for rule in prizes if rule.share == WHOLE), None)


def pot_at_jackpot(params: Params, bet: Minor) -> JackpotPot | None:
    """What the 100 % prize finds on average, when every bet is `bet` and the pot starts from its base.

    None without such a prize, for a pot that does not grow, or where shares fall so often that it hardly does.
    """
    whole = jackpot(params.prizes)
    gain = Fraction(main_share(params), WHOLE) - drain(params)
    if whole is None or gain <= 0:
        return None
    end = chance(whole.hand)
    partial = [rule for rule in params.prizes if rule.share is not None and rule is not whole]
    start = Fraction(params.base, bet)
    if params.limit is None and all(rule.cap_times is None for rule in partial):
        return JackpotPot(_line(params, end, partial, start) * bet, True)
    limit = None if params.limit is None else Fraction(params.limit, bet)
    found = _bent(_Course(end, gain, partial, start, limit))
    return None if found is None else JackpotPot(found * bet, False)


def _line(params: Params, end: Fraction, partial: list[PrizeRule], start: Fraction) -> Fraction:
    """V(`start`) where V(x) = a·x + b solves V = p·(x + m) + Σ chance · V(what the prize leaves of x + m)."""
    main = Fraction(main_share(params), WHOLE)
    lost = sum((chance(rule.hand) * share(rule) for rule in partial), Fraction(0))
    a = end / (end + lost)
    b = main + a * (main * (1 - end - lost) - drain(params)) / end
    return a * start + b


class _Course(NamedTuple):
    """The pot between two jackpots, in bets: its end's chance, mean gain a bet, shares, start and limit."""

    end: Fraction
    gain: Fraction
    partial: list[PrizeRule]
    start: Fraction
    limit: Fraction | None

    def taken(self, pot: Decimal) -> list[Decimal]:
        """What each share takes from `pot`."""
        parts = [pot * (rule.share or 0) / WHOLE for rule in self.partial]
        caps = (rule.cap_times for rule in self.partial)
        return [part if cap is None else min(part, Decimal(cap)) for part, cap in zip(parts, caps, strict=True)]

    @property
    def rate(self) -> Fraction:
        """How often any share falls."""
        return self.end + sum((chance(rule.hand) for rule in self.partial), Fraction(0))

    @property
    def top(self) -> Fraction:
        """Where the equation's other end is: the limit, or where the pot will be once in e^FAR jackpots."""
        far = self.start + FAR * self.gain / self.end
        return far if self.limit is None else min(self.limit, far)

    def line(self, pot: Fraction) -> Fraction:
        """V far up, where it is straight: caps that bind take what they may, other shares their part."""
        bound = [rule.cap_times for rule in self.partial if rule.cap_times is not None and self._binds(rule, pot)]
        chances = [chance(rule.hand) for rule in self.partial if self._binds(rule, pot)]
        capped = sum((p * cap for p, cap in zip(chances, bound, strict=True)), Fraction(0))
        free = [chance(rule.hand) * share(rule) for rule in self.partial if not self._binds(rule, pot)]
        slope = self.end / (self.end + sum(free, Fraction(0)))
        return slope * pot + slope * (self.gain - capped) / self.end

    def _binds(self, rule: PrizeRule, pot: Fraction) -> bool:
        return rule.cap_times is not None and share(rule) * pot > rule.cap_times


Line = tuple[Decimal, Decimal]
"""A value that depends on the unknown V(0): (a, b) stands for a + b · V(0)."""


def _bent(course: _Course) -> Fraction | None:
    """V(start) by trapezoids; None where the steps would be too coarse."""
    step = course.top / STEPS
    if step == 0:  # a pot that is limited to nothing
        return Fraction(0)
    folding = course.rate * step / course.gain
    if folding > COARSEST:
        return None
    with localcontext() as context:
        context.prec = 40 + int(folding * STEPS)
        grid = _decimal(step)
        values = _march(course, grid)
        a, b = _far_end(course, grid, values)
        unknown = -a / b
        low = min(int(course.start / step), STEPS - 1)
        part = _decimal(course.start / step - low)
        (a0, b0), (a1, b1) = values[low], values[low + 1]
        found = a0 + b0 * unknown + part * (a1 - a0 + (b1 - b0) * unknown)
        context.prec = 20
        return Fraction(+found)


def _march(course: _Course, step: Decimal) -> list[Line]:
    """V at 0, step, 2·step, … STEPS·step."""
    half = step / _decimal(course.gain) / 2
    rate, end = _decimal(course.rate), _decimal(course.end)
    chances = [_decimal(chance(rule.hand)) for rule in course.partial]
    values: list[Line] = [(Decimal(0), Decimal(1))]
    slope: Line = (Decimal(0), _decimal(course.end))  # at x = 0 nothing is taken: rate − Σ p_j = p
    for n in range(1, STEPS + 1):
        pot = n * step
        known_a, known_b, own = end * pot, Decimal(0), Decimal(0)
        for taken, p in zip(course.taken(pot), chances, strict=True):
            low, part = _place(pot - taken, step, n)
            (a0, b0) = values[low]
            known_a += p * (1 - part) * a0
            known_b += p * (1 - part) * b0
            if low + 1 == n:
                own += p * part
            else:
                known_a += p * part * values[low + 1][0]
                known_b += p * part * values[low + 1][1]
        a, b = values[-1]
        scale = 1 - half * (rate - own)
        value = ((a + half * (slope[0] - known_a)) / scale, (b + half * (slope[1] - known_b)) / scale)
        slope = ((rate - own) * value[0] - known_a, (rate - own) * value[1] - known_b)
        values.append(value)
    return values


def _far_end(course: _Course, step: Decimal, values: list[Line]) -> Line:
    """What must be zero at the top: at a limit the equation without growth, else the distance from the line."""
    a, b = values[-1]
    if course.top != course.limit:
        return a - _decimal(course.line(course.top)), b
    rate = _decimal(course.rate)
    left = [rate * a - _decimal(course.end * course.top), rate * b]
    top = _decimal(course.top)
    for rule, taken in zip(course.partial, course.taken(top), strict=True):
        low, part = _place(top - taken, step, STEPS)
        for column in (0, 1):
            between = values[low][column] + part * (values[low + 1][column] - values[low][column])
            left[column] -= _decimal(chance(rule.hand)) * between
    return left[0], left[1]


def _place(pot: Decimal, step: Decimal, below: int) -> tuple[int, Decimal]:
    """The grid point at or under `pot` (always under `below`) and how far `pot` lies from it towards the next."""
    low = min(int(pot / step), below - 1)
    return low, pot / step - low


def _decimal(value: Fraction) -> Decimal:
    return Decimal(value.numerator) / Decimal(value.denominator)
