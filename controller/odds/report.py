"""All figures of one table, for people (`controller.odds.text`) and for programs (``--json``)."""

from __future__ import annotations

from fractions import Fraction
from typing import NamedTuple

from controller.config import Config
from controller.core.cards import STRENGTH, Hand
from controller.core.games.catalogue import GAMES
from controller.core.money import WHOLE, Minor, format_minor
from controller.core.params import drain, main_share
from controller.core.potwords import PrizeRule
from controller.odds.growth import JackpotPot, jackpot, pot_at_jackpot
from controller.odds.returns import (
    any_chance,
    break_even,
    cap_binds,
    chance,
    returned,
    rise,
    root,
    shared_return,
    variance,
    wins,
)
from controller.odds.winners import winners

Json = dict[str, object]
ANY = "any"
"""Beside the hands: any of them."""


class PrizeOdds(NamedTuple):
    """One prize at the given pot: `wins` in minor units, `returns` as a part of the bet."""

    rule: PrizeRule
    chance: Fraction
    wins: Fraction
    returns: Fraction


class Odds(NamedTuple):
    """The figures of a table at `pot` and `bet` (minor units).

    `several` holds for each prize's hand, strongest first, and for `ANY`: for 1, 2, … seats the chances of 0, 1, …
    winners; None where they are not counted. `shared` is the return when `seats` seats bet alike, None likewise.
    """

    config: Config
    pot: Minor
    bet: Minor
    seats: int
    prizes: tuple[PrizeOdds, ...]
    returned: Fraction
    shared: Fraction | None
    variance: Fraction
    break_even: Fraction | None
    break_even_uncapped: Fraction | None
    jackpot: JackpotPot | None
    several: dict[str, tuple[tuple[Fraction, ...], ...] | None]


def odds(config: Config, pot: Minor, bet: Minor, seats: int) -> Odds:
    """Everything that is known of `config`'s side bet of `bet` with the pot at `pot`."""
    prizes = config.params.prizes
    value = Fraction(pot)
    return Odds(
        config=config,
        pot=pot,
        bet=bet,
        seats=seats,
        prizes=tuple(
            PrizeOdds(rule, p := chance(rule.hand), won := wins(rule, value, bet), p * won / bet) for rule in prizes
        ),
        returned=returned(prizes, value, bet),
        shared=_shared(config, value, bet, seats),
        variance=variance(prizes, value, bet),
        break_even=break_even(prizes, bet),
        break_even_uncapped=break_even(prizes, bet, capped=False),
        jackpot=pot_at_jackpot(config.params, bet),
        several=_several(config),
    )


def _several(config: Config) -> dict[str, tuple[tuple[Fraction, ...], ...] | None]:
    game = GAMES[config.setup.game]
    hands = sorted((rule.hand for rule in config.params.prizes), key=lambda hand: -STRENGTH[hand])
    found: dict[str, tuple[tuple[Fraction, ...], ...] | None] = {}
    for name, wanted in [*((str(hand), (hand,)) for hand in hands), (ANY, tuple(hands))]:
        counted = [winners(game.own_cards, game.shared_cards, wanted, n) for n in range(1, config.setup.seats + 1)]
        known = tuple(chances for chances in counted if chances is not None)
        found[name] = known if len(known) == len(counted) else None
    return found


def _shared(config: Config, pot: Fraction, bet: Minor, seats: int) -> Fraction | None:
    game = GAMES[config.setup.game]
    chances: dict[Hand, tuple[Fraction, ...]] = {}
    for rule in config.params.prizes:
        if rule.share is not None:
            counted = winners(game.own_cards, game.shared_cards, (rule.hand,), seats)
            if counted is None:
                return None
            chances[rule.hand] = counted
    return shared_return(config.params.prizes, pot, bet, chances)


# --- For programs ----------------------------------------------------------------------------------------


def as_json(found: Odds) -> Json:
    """The figures as plain values: each exact number as a fraction in text beside its decimals.

    Amounts are decimal texts of the currency's unit; parts are parts of one.
    """
    setup, params = found.config.setup, found.config.params
    digits = setup.digits
    whole = jackpot(params.prizes)
    return {
        "table": setup.table,
        "game": setup.game,
        "currency": setup.currency,
        "pot": format_minor(found.pot, digits),
        "bet": format_minor(found.bet, digits),
        "seats": found.seats,
        "return": number(found.returned),
        "house_edge": number(1 - found.returned),
        "return_shared": None if found.shared is None else number(found.shared),
        "variance": number(found.variance),
        "deviation": str(root(found.variance)),
        "growth_per_bet_of_pot": number(rise(params.prizes)),
        "prizes": [_prize(prize, found.bet, digits) for prize in found.prizes],
        "any_prize": _frequency(any_chance(params.prizes)),
        "break_even": {
            "capped": amount(found.break_even, digits),
            "uncapped": amount(found.break_even_uncapped, digits),
        },
        "long_run": {
            "drain": number(drain(params)),
            "main_share": number(Fraction(main_share(params), WHOLE)),
            "commission": number(Fraction(params.commission, WHOLE)),
            "reserve": number(Fraction(params.reserve, WHOLE)),
        },
        "jackpot": None
        if whole is None
        else {
            "hand": whole.hand,
            "pot": None if found.jackpot is None else amount(found.jackpot.mean, digits),
            "exact": found.jackpot is not None and found.jackpot.exact,
        },
        "several": {
            name: None if by_seats is None else {str(len(p) - 1): [number(one) for one in p] for p in by_seats}
            for name, by_seats in found.several.items()
        },
    }


def _prize(prize: PrizeOdds, bet: Minor, digits: int) -> Json:
    binds = cap_binds(prize.rule, bet)
    return {
        "hand": prize.rule.hand,
        **_frequency(prize.chance),
        "wins": amount(prize.wins, digits),
        "return": number(prize.returns),
        "cap_binds_above": amount(binds, digits),
    }


def _frequency(part: Fraction) -> Json:
    return {"chance": number(part), "one_in": decimal(1 / part, 4)}


def number(value: Fraction) -> Json:
    """``{"exact": "1/649740", "decimal": "0.00000153907716933"}``"""
    return {"exact": str(value), "decimal": significant(value)}


def amount(value: Fraction | None, digits: int) -> Json | None:
    """An amount in minor units as one of the currency's units."""
    return None if value is None else {"exact": str(value / 10**digits), "decimal": decimal(value / 10**digits, 4)}


def decimal(value: Fraction, digits: int) -> str:
    """`value` with `digits` decimals, rounded half up."""
    return format_minor((value * 10**digits + Fraction(1, 2)) // 1, digits)


def significant(value: Fraction, digits: int = 12) -> str:
    """`value` with so many significant digits, written without an exponent."""
    if value == 0:
        return "0"
    places = 0
    while abs(value) * 10**places < 10 ** (digits - 1) and places < 400:
        places += 1
    return decimal(value, places)
