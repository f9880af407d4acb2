"""What the side bet returns, exactly, for one bet alone in its round (rules 4.9, 5.7–5.10, 6).

A pot is a `Fraction` of minor units: the meter as it stands when the prizes are fixed, this round's bets included
(4.1). Nothing is rounded; the rounding of 3.2 takes less than one minor unit from a share. Everything that is returned
is a part of the bet: 1 is the whole of it.
"""

from __future__ import annotations

from collections.abc import Sequence
from decimal import ROUND_HALF_EVEN, Decimal, localcontext
from fractions import Fraction

from controller.core.cards import Hand
from controller.core.money import WHOLE, Minor
from controller.core.params import COUNTS, DEALS
from controller.core.potwords import PrizeRule


def chance(hand: Hand) -> Fraction:
    """How often one seat is dealt `hand` (rules 6)."""
    return Fraction(COUNTS[hand], DEALS)


def any_chance(prizes: Sequence[PrizeRule]) -> Fraction:
    """How often one seat is dealt any hand that wins."""
    return sum((chance(rule.hand) for rule in prizes), Fraction(0))


def share(rule: PrizeRule) -> Fraction:
    """The part of the pot that `rule` pays; zero for a fixed prize."""
    return Fraction(rule.share or 0, WHOLE)


def wins(rule: PrizeRule, pot: Fraction, bet: Minor, *, capped: bool = True, winners: int = 1) -> Fraction:
    """What one of `winners` of this prize gets, in minor units, each having bet `bet` (5.10)."""
    if rule.times is not None:
        return Fraction(rule.times * bet)
    part = share(rule) * pot / winners
    return min(part, Fraction(rule.cap_times * bet)) if capped and rule.cap_times is not None else part


def returned(prizes: Sequence[PrizeRule], pot: Fraction, bet: Minor, *, capped: bool = True) -> Fraction:
    """What comes back of a bet on average."""
    return sum((chance(rule.hand) * wins(rule, pot, bet, capped=capped) for rule in prizes), Fraction(0)) / bet


def variance(prizes: Sequence[PrizeRule], pot: Fraction, bet: Minor) -> Fraction:
    """The variance of what one bet wins, in squared bets."""
    mean = returned(prizes, pot, bet)
    return sum((chance(rule.hand) * (wins(rule, pot, bet) / bet) ** 2 for rule in prizes), Fraction(0)) - mean**2


def rise(prizes: Sequence[PrizeRule]) -> Fraction:
    """What each unit of the pot adds to the mean win while no cap binds: 7.6 / 2 598 960 by default."""
    return sum((chance(rule.hand) * share(rule) for rule in prizes), Fraction(0))


def cap_binds(rule: PrizeRule, bet: Minor) -> Fraction | None:
    """The pot above which this prize's cap binds, for a single winner; None without a cap."""
    return None if rule.cap_times is None else rule.cap_times * bet / share(rule)


def break_even(prizes: Sequence[PrizeRule], bet: Minor, *, capped: bool = True) -> Fraction | None:
    """The smallest pot at which a bet returns itself on average; None when there is none however large.

    The return is linear between the pots at which a cap begins to bind, and never falls.
    """
    binding = (cap_binds(rule, bet) for rule in prizes) if capped else iter(())
    corners = sorted({Fraction(0), *(pot for pot in binding if pot is not None)})
    for corner, following in zip(corners, [*corners[1:], None], strict=True):
        there = returned(prizes, corner, bet, capped=capped)
        if there >= 1:
            return corner
        slope = returned(prizes, corner + 1, bet, capped=capped) - there
        if following is None or following - corner < 1:  # step inside this piece, however short it is
            step = Fraction(1) if following is None else (following - corner) / 2
            slope = (returned(prizes, corner + step, bet, capped=capped) - there) / step
        if slope > 0:
            pot = corner + (1 - there) / slope
            if following is None or pot <= following:
                return pot
    return None


def shared_return(
    prizes: Sequence[PrizeRule],
    pot: Fraction,
    bet: Minor,
    chances: dict[Hand, tuple[Fraction, ...]],
) -> Fraction:
    """What comes back of a bet when every seat bets `bet` and winners of a class divide its share (5.10).

    `chances` holds, for each hand that wins a share, the chances of 0, 1, … winners among the betting seats. That
    another class is paid first out of the same pot in the same round (5.9) is left out.
    """
    total = sum((chance(rule.hand) * rule.times for rule in prizes if rule.times is not None), Fraction(0))
    for rule in prizes:
        if rule.times is None:
            by_count = chances[rule.hand]
            seats = len(by_count) - 1
            paid = sum((p * k * wins(rule, pot, bet, winners=k) for k, p in enumerate(by_count) if k), Fraction(0))
            total += paid / seats / bet
    return total


def root(value: Fraction, digits: int = 12) -> Decimal:
    """The square root, to `digits` significant digits."""
    with localcontext() as context:
        context.prec = digits + 10
        found = (Decimal(value.numerator) / Decimal(value.denominator)).sqrt()
        context.prec, context.rounding = digits, ROUND_HALF_EVEN
        return +found
