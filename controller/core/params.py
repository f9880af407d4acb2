"""The parameters of a pot: what they must obey, and how one of them is changed by name (rules 2.5, 4, 5.7).

Names are the paths of the configuration file, so a person writes the same word in the file and in
``schedule``: ``bet.max``, ``pot.limit``, ``prizes.flush``. Everything here is exact; what happens in the long
run is a `Fraction`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from difflib import get_close_matches
from fractions import Fraction
from typing import NamedTuple

from msgspec.structs import replace

from controller.core.cards import HANDS, STRENGTH, Hand
from controller.core.messages import msg
from controller.core.money import (
    WHOLE,
    AmountError,
    Minor,
    Rate,
    format_minor,
    format_rate,
    parse_amount,
    parse_rate,
)
from controller.core.potwords import Params, PrizeRule
from controller.core.refusals import Refusal
from controller.core.state import Setup

COUNTS: dict[Hand, int] = {
    Hand.HIGH_CARD: 1_302_540,
    Hand.PAIR: 1_098_240,
    Hand.TWO_PAIR: 123_552,
    Hand.THREE_OF_A_KIND: 54_912,
    Hand.STRAIGHT: 10_200,
    Hand.FLUSH: 5_108,
    Hand.FULL_HOUSE: 3_744,
    Hand.FOUR_OF_A_KIND: 624,
    Hand.STRAIGHT_FLUSH: 36,
    Hand.ROYAL_FLUSH: 4,
}
"""How many of the five-card hands are of each class (rules 6)."""

DEALS = 2_598_960
"""How many five-card hands there are."""

PLENTY = 10**14
"""Base, limit, bets and fixed prizes stay below this many minor units, so that a pot, counted in 1/10 000 of
them, always fits the 64-bit integers of the journal and of those who read it."""

MOST_TIMES = 1_000_000
"""The largest multiple of the bet that a prize or a cap may name; more is a typing mistake."""


def main_share(params: Params) -> Rate:
    """The part of every bet that goes to the main pot (rules 4.1)."""
    return Rate(WHOLE - params.commission - params.reserve)


def drain(params: Params) -> Fraction:
    """What fixed prizes take from the pot on average, as a part of all bets: 1 is all of them (rules 4.9)."""
    paid = sum(rule.times * COUNTS[rule.hand] for rule in params.prizes if rule.times is not None)
    return Fraction(paid, DEALS)


def percent(part: Fraction, digits: int = 4) -> str:
    """`part` of one as a percentage, rounded half up in exact arithmetic: 0.362376 is "36.2376%"."""
    scale: int = 10**digits
    rounded = (part * 100 * scale + Fraction(1, 2)) // 1
    return format_minor(rounded, digits) + "%"


# --- What parameters must obey --------------------------------------------------------------------


def problems(params: Params, setup: Setup) -> tuple[Refusal, ...]:
    """Every rule that `params` breaks at a table such as `setup`; empty when they are sound.

    Each refusal's ``args["key"]`` is the configuration path to look at.
    """
    of_prizes = tuple(_prize_problems(params, setup))
    of_drain = () if of_prizes or main_share(params) < 0 else _drain_problems(params)
    return (*_bet_problems(params, setup), *_pot_problems(params, setup), *of_prizes, *of_drain)


def _refusal(code: str, clause: str, key: str, text: str, **args: object) -> Refusal:
    return Refusal(code, clause, text, {"key": key} | {name: str(value) for name, value in args.items()})


def _bet_problems(params: Params, setup: Setup) -> Iterator[Refusal]:
    lowest, highest, step = params.bet_min, params.bet_max, setup.denomination
    if lowest < 1:
        yield _refusal("bad-bet", "2.5", "bet.min", msg("The minimum bet must be at least 1."))
    for key, amount in (("bet.min", lowest), ("bet.max", highest)):
        if amount % step:
            text = msg("{key} must be a whole number of denominations ({denomination}).")
            yield _refusal("bad-bet", "2.5", key, text, denomination=format_minor(step, setup.digits))
    if highest < lowest:
        text = msg("The maximum bet, {max}, is below the minimum, {min}: raise bet.max or lower bet.min.")
        figures = {"max": format_minor(highest, setup.digits), "min": format_minor(lowest, setup.digits)}
        yield _refusal("bad-bet", "2.5", "bet.max", text, **figures)
    if highest >= PLENTY:
        yield _too_large("bet.max", "2.5")


def _pot_problems(params: Params, setup: Setup) -> Iterator[Refusal]:
    amounts: dict[str, int] = {"pot.base": params.base, "pot.approve_from": params.approve_from}
    if params.limit is not None:
        amounts["pot.limit"] = params.limit
    rates: dict[str, int] = {"pot.commission": params.commission, "pot.reserve": params.reserve}
    for key, value in (amounts | rates).items():
        if value < 0:
            yield _refusal("bad-pot", "4", key, msg("{key} is negative; write zero or more."))
    for key, value in amounts.items():
        if value >= PLENTY:
            yield _too_large(key, "4")
    if params.limit is not None and params.limit < params.base:
        text = msg("The limit, {limit}, is below the base, {base}: raise pot.limit or lower pot.base.")
        figures = {
            "limit": format_minor(params.limit, setup.digits),
            "base": format_minor(params.base, setup.digits),
        }
        yield _refusal("bad-pot", "4.5", "pot.limit", text, **figures)
    if main_share(params) < 0:
        text = msg("Commission {commission} and reserve {reserve} together exceed 100%: lower one of them.")
        shares = {"commission": format_rate(params.commission), "reserve": format_rate(params.reserve)}
        yield _refusal("over-100", "4.1", "pot.commission", text, **shares)


def _too_large(key: str, clause: str) -> Refusal:
    return _refusal("too-large", clause, key, msg("{key} is larger than any amount on a table: look for extra zeros."))


def _prize_problems(params: Params, setup: Setup) -> Iterator[Refusal]:
    if not params.prizes:
        yield _refusal("bad-prize", "5.7", "prizes", msg("There are no prizes: name at least one hand that wins."))
    seen: set[Hand] = set()
    whole = [rule.hand for rule in params.prizes if rule.share == WHOLE]
    for rule in params.prizes:
        key = f"prizes.{rule.hand}"
        if rule.hand in seen:
            text = msg("{hand} has two prizes: keep one of them.")
            yield _refusal("two-prizes", "5.7", key, text, hand=rule.hand)
        elif rule.hand in whole[1:]:
            text = msg("Only one hand can win 100% of the pot, and {hand} already does: give this one less.")
            yield _refusal("bad-prize", "5.7", key, text, hand=whole[0])
        seen.add(rule.hand)
        yield from _rule_problems(rule, key, params, setup)


def _rule_problems(rule: PrizeRule, key: str, params: Params, setup: Setup) -> Iterator[Refusal]:
    if (rule.times is None) == (rule.share is None):
        text = msg("{key} needs either times (a multiple of the bet) or share (a part of the pot), and not both.")
        yield _refusal("times-or-share", "5.7", key, text)
    if rule.share is not None and not 0 < rule.share <= WHOLE:
        yield _refusal("bad-prize", "5.7", f"{key}.share", msg("{key} must be more than 0% and at most 100%."))
    if rule.cap_times is not None and rule.share is None:
        text = msg("{key} limits a share of the pot, and this prize has none: remove it, or give a share.")
        yield _refusal("cap-without-share", "5.7", f"{key}.cap_times", text)
    for name, times in (("times", rule.times), ("cap_times", rule.cap_times)):
        if times is not None and not 1 <= times <= MOST_TIMES:
            text = msg("{key} must be a whole number from 1 to {most}.")
            yield _refusal("bad-prize", "5.7", f"{key}.{name}", text, most=MOST_TIMES)
        elif times is not None and times * params.bet_max >= PLENTY > params.bet_max:
            amount = format_minor(times * params.bet_max, setup.digits)
            text = msg("{key} makes a prize of {amount} at the maximum bet, more than any table pays.")
            yield _refusal("too-large", "5.7", f"{key}.{name}", text, amount=amount)


def _drain_problems(params: Params) -> Iterator[Refusal]:
    fixed, share = drain(params), main_share(params)
    if fixed > 0 and Fraction(share, WHOLE) <= fixed:
        text = msg(
            "Fixed prizes of {times} drain {drain} of bets, so the main share must exceed it; it is {share} "
            "(100% less commission and reserve): lower the prizes, the commission or the reserve."
        )
        times = "/".join(str(rule.times) for rule in params.prizes if rule.times is not None)
        figures = {"times": times, "drain": percent(fixed), "share": format_rate(share)}
        yield _refusal("drain", "4.9", "prizes", text, **figures)


# --- One parameter by its name --------------------------------------------------------------------

NONE = "none"
"""The word that takes a limit, a cap or a prize away."""


class BadValueError(ValueError):
    """A value cannot be read; `text` is a message id that says what to write, `values` fill it.

    ``{value}`` is left to whoever knows how the value was written. `nearest` is a word that may be meant.
    """

    def __init__(self, text: str, *, nearest: str = "", **values: object) -> None:
        super().__init__(text)
        self.text = text
        self.nearest = nearest
        self.values = {name: str(value) for name, value in values.items()}


class _Field(NamedTuple):
    """One plain parameter: its field in `Params`, and how its value is read and written."""

    name: str
    read: Callable[[str, Setup], object]
    write: Callable[[Params, Setup], str]


def _read_count(value: str, _setup: Setup) -> int:
    if not re.fullmatch("[0-9]{1,9}", value, re.ASCII):
        raise BadValueError(msg("{value} is not a whole number; write plain digits, such as 50."))
    return int(value)


def _read_denominations(value: str, setup: Setup) -> Minor:
    return Minor(_read_count(value, setup) * setup.denomination)


def read_amount(value: str, currency: str, digits: int) -> Minor:
    """An amount as a person writes it, in minor units of a currency with `digits` decimals. BadValueError."""
    try:
        return parse_amount(value, digits)
    except AmountError as error:
        text = msg("{value} is not an amount in {currency}; write plain digits with at most {digits} decimals.")
        raise BadValueError(text, currency=currency, digits=digits) from error


def read_rate(value: str) -> Rate:
    """A percentage as a person writes it. Raises BadValueError."""
    try:
        return parse_rate(value)
    except AmountError as error:
        text = msg("{value} is not a rate; write a percentage up to 100%, with at most two decimals, such as 12.5%.")
        raise BadValueError(text) from error


def _read_amount(value: str, setup: Setup) -> Minor:
    return read_amount(value, setup.currency, setup.digits)


def _read_limit(value: str, setup: Setup) -> Minor | None:
    return None if value == NONE else _read_amount(value, setup)


def _read_order(value: str, _setup: Setup) -> str:
    if value not in ("first", "last"):
        raise BadValueError(msg("{value} is no order of payment; write first or last."))
    return value


_FIELDS: dict[str, _Field] = {
    "bet.min": _Field("bet_min", _read_denominations, lambda p, s: str(p.bet_min // s.denomination)),
    "bet.max": _Field("bet_max", _read_denominations, lambda p, s: str(p.bet_max // s.denomination)),
    "pot.base": _Field("base", _read_amount, lambda p, s: format_minor(p.base, s.digits)),
    "pot.limit": _Field(
        "limit", _read_limit, lambda p, s: NONE if p.limit is None else format_minor(p.limit, s.digits)
    ),
    "pot.commission": _Field("commission", lambda value, _: read_rate(value), lambda p, s: format_rate(p.commission)),
    "pot.reserve": _Field("reserve", lambda value, _: read_rate(value), lambda p, s: format_rate(p.reserve)),
    "pot.fixed_prizes": _Field("fixed_prizes", _read_order, lambda p, s: p.fixed_prizes),
    "pot.approve_from": _Field("approve_from", _read_amount, lambda p, s: format_minor(p.approve_from, s.digits)),
}
_PRIZE_KEYS: dict[str, tuple[Hand, str]] = {
    f"prizes.{hand}{suffix}": (hand, suffix) for hand in HANDS for suffix in ("", ".times", ".share", ".cap_times")
}

KEYS: tuple[str, ...] = (*_FIELDS, *_PRIZE_KEYS)
"""Every parameter that can be scheduled, by its full name."""

_NAMES: dict[str, str] = {name: key for key in KEYS for name in (key.partition(".")[2], key)}
"""Full names, and the same without their section."""


def nearest(word: str, known: Iterable[str]) -> str:
    """The one of `known` that `word` was probably meant to be; empty when none is like it."""
    return next(iter(get_close_matches(word[:80], list(known), n=1)), "")


def apply_change(params: Params, setup: Setup, key: str, value: str) -> Params | Refusal:
    """`params` with `key` set to `value`, as a person writes them, or why not (rules 4.8).

    Keys are those of the configuration file, with or without their section: ``pot.base`` or ``base``,
    ``prizes.flush`` or ``flush``. Bets count denominations; a hand's value is a multiple of the bet or a
    percentage of the pot; ``none`` takes away a limit, a cap or a whole prize. What depends on the pot's
    value, a limit below it, is not seen here (4.5).
    """
    name, value = _NAMES.get(key), value.strip()
    if name is None:
        return _unknown_key(key)
    try:
        if name in _FIELDS:
            field = _FIELDS[name]
            changed = replace(params, **{field.name: field.read(value, setup)})
        else:
            changed = replace(params, prizes=_changed_prizes(params.prizes, setup, *_PRIZE_KEYS[name], value))
    except BadValueError as bad:
        return _refusal("bad-value", "4.8", name, bad.text, **bad.values, value=_short(value))
    found = problems(changed, setup)
    return found[0] if found else changed


def _short(text: str) -> str:
    return repr(text if len(text) <= 40 else text[:39] + "…")


def _unknown_key(key: str) -> Refusal:
    guess = _NAMES.get(nearest(key, _NAMES), "")
    if guess:
        text = msg("There is no parameter {name}. Did you mean {nearest}?")
        return _refusal("unknown-key", "4.8", key, text, name=_short(key), nearest=guess)
    text = msg("There is no parameter {name}; the parameters are {known}.")
    return _refusal("unknown-key", "4.8", key, text, name=_short(key), known=", ".join((*_FIELDS, "prizes.HAND")))


def _changed_prizes(
    rules: tuple[PrizeRule, ...], setup: Setup, hand: Hand, suffix: str, value: str
) -> tuple[PrizeRule, ...]:
    """`rules` with one hand's prize changed; ordered by strength, weakest first."""
    old = next((rule for rule in rules if rule.hand is hand), PrizeRule(hand))
    others = [rule for rule in rules if rule.hand is not hand]
    new = _changed_rule(old, setup, suffix, value)
    return tuple(sorted([*others, *([new] if new else [])], key=lambda rule: STRENGTH[rule.hand]))


def _changed_rule(old: PrizeRule, setup: Setup, suffix: str, value: str) -> PrizeRule | None:
    if suffix == ".cap_times":
        return replace(old, cap_times=None if value == NONE else _read_count(value, setup))
    if value == NONE and not suffix:
        return None
    if suffix == ".share" or (not suffix and value.endswith("%")):
        return PrizeRule(old.hand, share=read_rate(value), cap_times=old.cap_times)
    if not suffix and not value.isdigit():
        raise BadValueError(msg("{value} is no prize; write a multiple of the bet (50), a share (10%) or none."))
    return PrizeRule(old.hand, times=_read_count(value, setup))


# --- Two sets of parameters side by side ----------------------------------------------------------


class Difference(NamedTuple):
    """A parameter that differs, with both values as a person writes them in ``schedule KEY NEW``."""

    key: str
    old: str
    new: str


def differences(old: Params, new: Params, setup: Setup) -> tuple[Difference, ...]:
    """What must be scheduled, one by one, to turn `old` into `new` at a table such as `setup`.

    The order is one in which each change is sound after those before it, where there is such an order.
    """
    pending = [*_field_differences(old, new, setup), *_prize_differences(old.prizes, new.prizes)]
    ordered: list[Difference] = []
    current = old
    while pending:
        for change in pending:
            changed = apply_change(current, setup, change.key, change.new)
            if isinstance(changed, Params):
                break
        else:
            return (*ordered, *pending)
        current = changed
        pending.remove(change)
        ordered.append(change)
    return tuple(ordered)


def _field_differences(old: Params, new: Params, setup: Setup) -> Iterator[Difference]:
    for key, field in _FIELDS.items():
        if getattr(old, field.name) != getattr(new, field.name):
            yield Difference(key, field.write(old, setup), field.write(new, setup))


def _prize_differences(old: tuple[PrizeRule, ...], new: tuple[PrizeRule, ...]) -> Iterator[Difference]:
    before, after = ({rule.hand: rule for rule in rules} for rules in (old, new))
    for hand in HANDS:
        was, becomes = before.get(hand), after.get(hand)
        if _prize_text(was) != _prize_text(becomes):
            yield Difference(f"prizes.{hand}", _prize_text(was), _prize_text(becomes))
        kept = was.cap_times if was else None
        if becomes and becomes.share is not None and becomes.cap_times != kept:
            yield Difference(f"prizes.{hand}.cap_times", _cap_text(kept), _cap_text(becomes.cap_times))


def _prize_text(rule: PrizeRule | None) -> str:
    if rule is None:
        return NONE
    return str(rule.times) if rule.share is None else format_rate(rule.share)


def _cap_text(cap: int | None) -> str:
    return NONE if cap is None else str(cap)
