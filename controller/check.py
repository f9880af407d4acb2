"""``pozo check FILE``: what a table with this configuration will do, in plain words, or what is wrong with it.

Exit status 0 when the table could open, 2 when it could not. All figures are exact and rounded only to be shown.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Iterable, Sequence
from decimal import Decimal
from fractions import Fraction

from babel.numbers import format_currency, format_decimal, get_currency_name

from controller.columns import Row, section
from controller.config import Config, ConfigError, load
from controller.core.cards import Hand
from controller.core.games.catalogue import GAMES
from controller.core.messages import msg
from controller.core.money import WHOLE, Minor, Rate, format_minor, format_rate, share_of_pot, to_units
from controller.core.params import COUNTS, DEALS, drain, main_share, percent
from controller.core.potwords import PrizeRule
from controller.displays import display_names
from controller.i18n import Language, translator
from controller.locales import locale_of
from hal.display.places import Display

HAND_NAMES: dict[Hand, str] = {
    Hand.HIGH_CARD: msg("high card"),
    Hand.PAIR: msg("pair"),
    Hand.TWO_PAIR: msg("two pair"),
    Hand.THREE_OF_A_KIND: msg("three of a kind"),
    Hand.STRAIGHT: msg("straight"),
    Hand.FLUSH: msg("flush"),
    Hand.FULL_HOUSE: msg("full house"),
    Hand.FOUR_OF_A_KIND: msg("four of a kind"),
    Hand.STRAIGHT_FLUSH: msg("straight flush"),
    Hand.ROYAL_FLUSH: msg("royal flush"),
}

_LETTER_AND_DIGIT = re.compile(r"(?<=[A-Za-z])(?=[0-9])")
"""CLDR wants a space between them in "CLP 1.000" (UTS 35, currencySpacing); Babel leaves it out."""


def main(argv: Sequence[str]) -> int:
    """Run ``pozo check`` with the arguments after the word. Returns the exit status."""
    parser = argparse.ArgumentParser("pozo check", description="Say what a table with this configuration will do.")
    parser.add_argument("file", help="the table's configuration, in TOML")
    parser.add_argument("--language", choices=("es", "en"), help="of the answer; the table's own by default")
    options = parser.parse_args(argv)
    try:
        config = load(options.file)
    except ConfigError as error:
        print(error.report(options.language), file=sys.stderr)
        return 2
    print(describe(config, options.language or config.language))
    return 0


def describe(config: Config, language: Language) -> str:
    """What the table will do, as a text of several sections in `language`."""
    speaker = Speaker(config, language)
    parts = [_heading(speaker), *(part(speaker) for part in (_bets, _shares, _prizes, _pot, _long_run))]
    parts.extend(_base(speaker))
    parts.append(_machine(speaker))
    parts.extend(_warnings(speaker))
    return "\n\n".join(parts)


class Speaker:
    """Words and numbers of one configuration in one language, as its country writes them."""

    def __init__(self, config: Config, language: Language) -> None:
        self.config = config
        self.setup = config.setup
        self.params = config.params
        self.language = language
        self.text = translator(language).text
        self._locale = locale_of(language, config.setup.currency)

    def money(self, amount: Minor) -> str:
        """An amount with its currency: "$10.000.000"."""
        plain = Decimal(format_minor(amount, self.setup.digits))
        written = format_currency(plain, self.setup.currency, locale=self._locale)
        return _LETTER_AND_DIGIT.sub("\N{NO-BREAK SPACE}", written)

    def number(self, count: int) -> str:
        """A whole number, grouped: "5.000"."""
        return format_decimal(count, locale=self._locale)

    def percent(self, written: str) -> str:
        """An exact percentage such as "36.2376%" with the language's comma and space."""
        decimals = len(written.rstrip("%").partition(".")[2])
        number = format_decimal(Decimal(written.rstrip("%")), "#,##0." + "0" * decimals, locale=self._locale)
        pattern: str = self._locale.percent_formats[None].pattern
        return pattern.replace("#,##0", number)

    def rate(self, rate: Rate) -> str:
        """A rate with as many decimals as it needs: "12,5 %"."""
        return self.percent(format_rate(rate))

    def currency(self) -> str:
        """The currency's name and code: "peso chileno (CLP)"."""
        return f"{get_currency_name(self.setup.currency, locale=self._locale.language)} ({self.setup.currency})"


def _heading(speak: Speaker) -> str:
    game = speak.text(GAMES[speak.setup.game].title)
    seats = speak.text(msg("{seats} seats"), seats=speak.setup.seats)
    return " · ".join((speak.text(msg("Table {table}"), table=speak.setup.table), game, seats, speak.currency()))


def _bets(speak: Speaker) -> str:
    setup, params = speak.setup, speak.params
    credits = setup.acceptor == "credits"
    unit = speak.text(
        msg("credits of {amount}, by a button") if credits else msg("chips from {amount}, through a slot"),
        amount=speak.money(setup.denomination),
    )
    rows = [
        (speak.text(msg("each seat takes")), unit),
        (speak.text(msg("posted minimum")), speak.money(params.bet_min)),
        (speak.text(msg("posted maximum")), speak.money(params.bet_max)),
    ]
    return section(speak.text(msg("Side bets")), rows)


def _shares(speak: Speaker) -> str:
    params = speak.params
    rows = [
        (speak.text(msg("commission of the house")), speak.rate(params.commission)),
        (speak.text(msg("to the reserve pot")), speak.rate(params.reserve)),
        (speak.text(msg("to the main pot")), speak.rate(main_share(params))),
    ]
    return section(speak.text(msg("Of every bet")), rows, right=1)


def _prizes(speak: Speaker) -> str:
    params = speak.params
    head = ("", "", speak.text(msg("minimum bet")), speak.text(msg("maximum bet")))
    rows = [
        (
            speak.text(HAND_NAMES[rule.hand]),
            _what_it_wins(speak, rule),
            *(speak.money(_amount(speak, rule, bet)) for bet in (params.bet_min, params.bet_max)),
        )
        for rule in params.prizes
    ]
    title = speak.text(msg("Prizes, with the pot at its base of {base}"), base=speak.money(params.base))
    return section(title, [head, *rows], right=2)


def _what_it_wins(speak: Speaker, rule: PrizeRule) -> str:
    if rule.share is None:
        return speak.text(msg("{times} times the bet"), times=speak.number(rule.times or 0))
    share = speak.rate(rule.share)
    if rule.cap_times is None:
        return speak.text(msg("{share} of the main pot"), share=share)
    return speak.text(
        msg("{share} of the main pot, at most {times} times the bet"), share=share, times=speak.number(rule.cap_times)
    )


def _amount(speak: Speaker, rule: PrizeRule, bet: Minor) -> Minor:
    """What one winner with `bet` would get with the pot at its base."""
    if rule.share is None:
        return Minor((rule.times or 0) * bet)
    amount = share_of_pot(to_units(speak.params.base), rule.share)
    return amount if rule.cap_times is None else min(amount, Minor(rule.cap_times * bet))


def _pot(speak: Speaker) -> str:
    params = speak.params
    limit = (
        speak.text(msg("none"))
        if params.limit is None
        else speak.text(msg("{limit}; what exceeds it goes to the reserve pot"), limit=speak.money(params.limit))
    )
    order = (
        msg("fixed prizes, then shares of the pot") if params.fixed_prizes == "first"
        else msg("shares of the pot, then fixed prizes")
    )  # fmt: skip
    approvals = (
        speak.text(msg("every prize"))
        if params.approve_from == 0
        else speak.text(
            msg("prizes from {amount}, and every share of the pot"), amount=speak.money(params.approve_from)
        )
    )
    rows = [
        (speak.text(msg("opens, and is raised again, at")), speak.money(params.base)),
        (speak.text(msg("limit")), limit),
        (speak.text(msg("order within a round")), speak.text(order)),
        (speak.text(msg("a supervisor approves")), approvals),
    ]
    return section(speak.text(msg("Pot")), rows)


def _return_at_base(speak: Speaker, bet: Minor) -> Fraction:
    """The part of a bet of `bet` that comes back on average with the pot at its base, alone at the table."""
    won = sum(_amount(speak, rule, bet) * COUNTS[rule.hand] for rule in speak.params.prizes)
    return Fraction(won, DEALS * bet)


def _long_run(speak: Speaker) -> str:
    fixed = drain(speak.params)
    figures = [
        (msg("fixed prizes return, and drain from the pot"), fixed),
        (msg("the pot keeps, and grows by"), Fraction(main_share(speak.params), WHOLE) - fixed),
        (msg("all prizes return at the base, minimum bet"), _return_at_base(speak, speak.params.bet_min)),
        (msg("all prizes return at the base, maximum bet"), _return_at_base(speak, speak.params.bet_max)),
    ]
    rows = [(speak.text(label), speak.percent(percent(part))) for label, part in figures]
    return section(speak.text(msg("In the long run, of all bets")), rows, right=1)


def _base(speak: Speaker) -> Iterable[str]:
    """What the base game pays, where this table's file says it and no rule sheet does."""
    base = speak.config.base
    if base is None or GAMES[speak.setup.game].base is not None:
        return
    rows: list[Row] = [("", "ANTE", "BET") if base.bet else ("", "ANTE")]
    for hand, line in base.pays.items():
        stakes = (line.ante, line.bet) if base.bet else (line.ante,)
        rows.append((speak.text(HAND_NAMES[hand]), *(_to_one(speak, times) for times in stakes)))
    yield section(speak.text(msg("The base game, which never touches the pot, pays")), rows, right=1)


def _to_one(speak: Speaker, times: int) -> str:
    return speak.text(msg("{times} to 1"), times=speak.number(times)) if times else speak.text(msg("stake back"))


def _machine(speak: Speaker) -> str:
    config = speak.config
    zone = config.timezone or speak.text(msg("the machine's time zone"))
    allowed = "; ".join(f"{name}: {', '.join(roles)}" for name, roles in config.allow.items())
    rows = [
        (speak.text(msg("hardware")), config.backend),
        *((speak.text(msg("display")), _display(speak, display)) for display in config.displays),
        (speak.text(msg("journal")), str(config.journal)),
        (speak.text(msg("closed days kept")), speak.number(config.keep)),
        (speak.text(msg("control socket")), str(config.socket)),
        (speak.text(msg("who may connect")), allowed or speak.text(msg("root and the daemon's own user"))),
        (speak.text(msg("people and PINs")), str(config.people)),
        (speak.text(msg("a gaming day starts at")), f"{config.day_starts:%H:%M} ({zone})"),
    ]
    return section(speak.text(msg("Machine")), rows)


def _display(speak: Speaker, display: Display) -> str:
    """What it is called, what it is, where it hangs: "visor: MAX7219, 64×8, spidev0.0"."""
    name = display.name or display_names(speak.language)[display.shows]
    what = [display.kind.upper(), str(display.place)]
    if display.shows == "seats":
        what.insert(1, speak.text(msg("seats {seats}"), seats=" ".join(map(str, display.chain))))
    else:
        what.insert(1, "×".join(map(str, display.size)))
    return f"{name}: {', '.join(what)}"


def _warnings(speak: Speaker) -> list[str]:
    """What is allowed, and still worth a second look."""
    params = speak.params
    found = []
    if speak.config.backend == "simulated" and speak.config.displays:
        found.append(msg("The hardware is simulated, but for its displays: no button or lamp will work."))
    elif speak.config.backend == "simulated":
        found.append(msg("The hardware is simulated: no button, lamp or sign will work."))
    if all(rule.share != WHOLE for rule in params.prizes):
        found.append(msg("No hand wins the whole pot: a scheduled change will wait for a transfer of the pot."))
    if params.limit == params.base and params.limit is not None:
        found.append(msg("The limit is the base: the meter will never rise, the reserve pot will."))
    return ["\n".join("! " + speak.text(warning) for warning in found)] if found else []
