"""The figures of a table in plain words and the numbers of its language."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

from babel.numbers import format_decimal

from controller.check import HAND_NAMES, Speaker
from controller.columns import Row, section
from controller.core.cards import Hand
from controller.core.games.catalogue import GAMES
from controller.core.messages import msg
from controller.core.money import WHOLE, Minor
from controller.core.params import drain, main_share, percent
from controller.i18n import Language
from controller.odds.growth import jackpot
from controller.odds.report import ANY, Odds, decimal
from controller.odds.returns import any_chance, cap_binds, chance, root

VAST = 10**10
"""Rarer than once in so many is written as a power of ten."""
_RAISED = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")


class Teller(Speaker):
    """A speaker of fractions."""

    def part(self, value: Fraction) -> str:
        """A part of one as a percentage: "36,2376 %"."""
        return self.percent(percent(value))

    def amount(self, value: Fraction) -> str:
        """Minor units, rounded half up to whole ones."""
        return self.money(Minor((value + Fraction(1, 2)) // 1))

    def decimal(self, written: str) -> str:
        """A plain decimal number, as the language writes it."""
        decimals = len(written.partition(".")[2])
        return format_decimal(Decimal(written), "#,##0" + ("." + "0" * decimals if decimals else ""), self._locale)

    def one_in(self, part: Fraction) -> str:
        """The N of "one in N"; few decimals, and none where N is large."""
        if part == 0:
            return self.text(msg("never"))
        if part < Fraction(1, VAST):
            digits = len(str(int(1 / part))) - 1
            return f"{self.decimal(decimal(1 / part / 10**digits, 2))}·10{str(digits).translate(_RAISED)}"
        return self.decimal(decimal(1 / part, 2 if part > Fraction(1, 100) else 0))


def tell(found: Odds, language: Language) -> str:
    """All of it, in sections."""
    teller = Teller(found.config, language)
    sections = (_heading, _return, _prizes, _break_even, _long_run, _jackpot, _several, _at_this_table)
    return "\n\n".join(text for part in sections if (text := part(teller, found)))


def _heading(t: Teller, found: Odds) -> str:
    setup = t.setup
    seats = t.text(msg("{seats} seats"), seats=setup.seats)
    title = t.text(GAMES[setup.game].title)
    return " · ".join((t.text(msg("Table {table}"), table=setup.table), title, seats, t.currency()))


def _return(t: Teller, found: Odds) -> str:
    title = t.text(msg("A side bet of {bet} with the pot at {pot}"), bet=t.money(found.bet), pot=t.money(found.pot))
    rows = [
        (t.text(msg("returns on average, alone in its round")), t.part(found.returned)),
        (t.text(msg("the house's edge")), t.part(1 - found.returned)),
    ]
    if found.shared is not None and found.seats > 1:
        label = t.text(msg("returns with {seats} seats betting, who share a prize of the pot"), seats=found.seats)
        rows.append((label, t.part(found.shared)))
    deviation = t.text(msg("{count} bets"), count=t.decimal(decimal(Fraction(root(found.variance)), 2)))
    rows.append((t.text(msg("standard deviation of what it wins")), deviation))
    return section(title, rows, right=1)


def _prizes(t: Teller, found: Odds) -> str:
    head = ("", t.text(msg("one in")), t.text(msg("wins")), t.text(msg("returns, of the bet")))
    rows: list[Row] = [
        (t.text(HAND_NAMES[prize.rule.hand]), t.one_in(prize.chance), t.amount(prize.wins), t.part(prize.returns))
        for prize in found.prizes
    ]
    total = (t.text(msg("any prize")), t.one_in(any_chance(t.params.prizes)), "", t.part(found.returned))
    return section(t.text(msg("Prizes")), [head, *rows, total], right=1)


def _break_even(t: Teller, found: Odds) -> str:
    def pot(value: Fraction | None) -> str:
        if value is None:
            return t.text(msg("never"))
        written = t.amount(value)
        limit = t.params.limit
        if limit is not None and value > limit:
            return t.text(msg("{pot}, above the limit"), pot=written)
        return written

    caps = [(rule, binds) for rule in t.params.prizes if (binds := cap_binds(rule, found.bet)) is not None]
    if not caps:
        rows = [(t.text(msg("there")), pot(found.break_even))]
    else:
        rows = [
            (t.text(msg("with the cap")), pot(found.break_even)),
            (t.text(msg("if there were no cap")), pot(found.break_even_uncapped)),
        ]
    for rule, binds in caps:
        label = t.text(msg("the cap of the {hand} binds above"), hand=t.text(HAND_NAMES[rule.hand]))
        rows.append((label, t.amount(binds)))
    return section(t.text(msg("Pot at which this bet returns itself on average")), rows, right=1)


def _long_run(t: Teller, found: Odds) -> str:
    params = t.params
    main, drained = Fraction(main_share(params), WHOLE), drain(params)
    rows = [
        (t.text(msg("goes to the main pot")), t.part(main)),
        (t.text(msg("fixed prizes drain from it")), t.part(drained)),
        (t.text(msg("so it grows, prizes of the pot aside, by")), t.part(main - drained)),
        (t.text(msg("goes to the reserve pot, and back to players through it")), t.rate(params.reserve)),
        (t.text(msg("stays with the house")), t.rate(params.commission)),
    ]
    return section(t.text(msg("In the long run, of all bets")), rows, right=1)


def _jackpot(t: Teller, found: Odds) -> str:
    whole, mean = jackpot(t.params.prizes), found.jackpot
    if whole is None:
        return ""
    hand = t.text(HAND_NAMES[whole.hand])
    title = t.text(msg("The prize of the whole pot: {hand}"), hand=hand)
    rows = [(t.text(msg("falls once in so many bets")), t.one_in(chance(whole.hand)))]
    if mean is not None:
        pot = t.amount(mean.mean)
        label = t.text(msg("the pot at that moment, on average, if every bet is {bet}"), bet=t.money(found.bet))
        rows.append((label, pot if mean.exact else t.text(msg("about {pot}"), pot=pot)))
    return section(title, rows, right=1)


def _name(t: Teller, name: str) -> str:
    return t.text(msg("any prize")) if name == ANY else t.text(HAND_NAMES[Hand(name)])


def _several(t: Teller, found: Odds) -> str:
    if t.setup.seats < 2:
        return ""
    counted = {name: by_seats for name, by_seats in found.several.items() if by_seats is not None}
    title = t.text(msg("Two winners or more in one round, by the seats that bet: one round in"))
    rows: list[Row] = [(t.text(msg("seats")), *(_name(t, name) for name in counted))]
    for seats in range(2, t.setup.seats + 1):
        chances = (by_seats[seats - 1] for by_seats in counted.values())
        rows.append((t.decimal(str(seats)), *(t.one_in(1 - p[0] - p[1]) for p in chances)))
    text = section(title, rows, right=1) if counted else ""
    missing = [_name(t, name) for name in found.several if name not in counted]
    if missing:
        note = t.text(msg("Not counted, the cards being too entangled: {hands}."), hands=", ".join(missing))
        text = "\n".join(filter(None, (text, "  " + note)))
    if GAMES[t.setup.game].shared_cards and counted:
        note = t.text(msg("The shared cards bring several winners together, or rule them out; both are counted."))
        text += "\n  " + note
    return text


def _at_this_table(t: Teller, found: Odds) -> str:
    counted = {name: by_seats for name, by_seats in found.several.items() if by_seats is not None}
    seats = found.seats
    if not counted or seats < 2:
        return ""
    title = t.text(msg("With {seats} seats betting, exactly so many winners: one round in"), seats=seats)
    rows: list[Row] = [(t.text(msg("winners")), *(_name(t, name) for name in counted))]
    for k in range(1, seats + 1):
        chances = [by_seats[seats - 1][k] for by_seats in counted.values()]
        if any(chances):
            rows.append((t.decimal(str(k)), *(t.one_in(p) for p in chances)))
    return section(title, rows, right=1)
