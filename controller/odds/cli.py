"""``pozo odds TABLE.toml``: what the side bet returns, and what the pot will do.

Exit status 0, or 2 with a sentence when something that was asked for cannot be.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from controller.config import Config, ConfigError, load
from controller.core.messages import msg
from controller.core.money import AmountError, Minor, format_minor, parse_amount
from controller.i18n import translator
from controller.odds.report import as_json, odds
from controller.odds.text import tell

FORMATS = (".svg", ".png")
ROUNDS = 300
"""Rounds of a day, unless told otherwise: ten hours of thirty."""
MOST_ROUNDS = 10_000
YEARS = 4_000
LEAST_YEARS, MOST_YEARS = 50, 100_000
SEED = 1


class RequestError(Exception):
    """What was asked for cannot be; `text` is a message id that `values` fill."""

    def __init__(self, text: str, **values: object) -> None:
        super().__init__(text)
        self.text = text
        self.values = values


def main(argv: Sequence[str]) -> int:
    """Run ``pozo odds`` with the arguments after the word. Returns the exit status."""
    options = _parser().parse_args(argv)
    try:
        config = load(options.file)
    except ConfigError as error:
        print(error.report(options.language), file=sys.stderr)
        return 2
    language = options.language or config.language
    try:
        pot, bet, seats = _pot(config, options.pot), _bet(config, options.bet), _seats(config, options.seats)
        draw = _drawing(options, config) if options.plot else None
        found = odds(config, pot, bet, seats)
        print(json.dumps(as_json(found), indent=2) if options.json else tell(found, language))
        if draw is not None:
            print(draw(pot, bet, seats), file=sys.stderr)
    except RequestError as error:
        print(translator(language).text(error.text, **error.values), file=sys.stderr)
        return 2
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser("pozo odds", description="What a side bet returns, and what its pot will do.")
    parser.add_argument("file", help="the table's configuration, in TOML")
    parser.add_argument("--pot", metavar="AMOUNT", help="what the pot holds; its base by default")
    parser.add_argument(
        "--bet", default="minimum", metavar="minimum|maximum|N", help="the bet, N in denominations; minimum by default"
    )
    parser.add_argument("--seats", metavar="N", help="how many seats bet; all by default")
    parser.add_argument("--json", action="store_true", help="exact fractions and decimals, for programs")
    parser.add_argument("--plot", metavar="FILE", help="draw the return and a simulated year, as .svg or .png")
    parser.add_argument("--rounds", metavar="N", default=str(ROUNDS), help=f"of the simulated day; {ROUNDS} by default")
    parser.add_argument("--years", metavar="N", default=str(YEARS), help=f"simulated; {YEARS} by default")
    parser.add_argument("--seed", metavar="N", default=str(SEED), help=f"of the simulation; {SEED} by default")
    parser.add_argument("--language", choices=("es", "en"), help="of the answer; the table's own by default")
    return parser


def _pot(config: Config, asked: str | None) -> Minor:
    setup, params = config.setup, config.params
    if asked is None:
        return params.base
    try:
        pot = parse_amount(asked, setup.digits, signed=True)
    except AmountError as error:
        text = msg("--pot: {value} is not an amount in {currency}; write plain digits, such as {example}.")
        example = format_minor(params.base, setup.digits)
        raise RequestError(text, value=repr(asked), currency=setup.currency, example=example) from error
    if pot < 0:
        raise RequestError(msg("--pot: a pot is never negative, and {value} is; write zero or more."), value=asked)
    if params.limit is not None and pot > params.limit:
        text = msg("--pot: {value} is above the limit of this pot, {limit}; what exceeds it goes to the reserve pot.")
        raise RequestError(text, value=asked, limit=format_minor(params.limit, setup.digits))
    return pot


def _bet(config: Config, asked: str) -> Minor:
    setup, params = config.setup, config.params
    if asked in ("minimum", "maximum"):
        return params.bet_min if asked == "minimum" else params.bet_max
    lowest, highest = (bet // setup.denomination for bet in (params.bet_min, params.bet_max))
    count = _count(asked)
    if count is None or not lowest <= count <= highest:
        text = msg(
            "--bet: write minimum, maximum, or from {lowest} to {highest} denominations; {value} is none of these."
        )
        raise RequestError(text, lowest=lowest, highest=highest, value=repr(asked))
    return Minor(count * setup.denomination)


def _seats(config: Config, asked: str | None) -> int:
    most = config.setup.seats
    count = most if asked is None else _count(asked)
    if count is None or not 1 <= count <= most:
        text = msg("--seats: write a number from 1 to {most}, the seats of this table; {value} is none.")
        raise RequestError(text, most=most, value=repr(asked))
    return count


def _count(written: str) -> int | None:
    return int(written) if written.isascii() and written.isdigit() and len(written) <= 9 else None


def _drawing(options: argparse.Namespace, config: Config) -> Callable[[Minor, Minor, int], str]:
    """What draws the picture. All that can be known to go wrong with it is found before any work is done."""
    file = Path(options.plot)
    if file.suffix.lower() not in FORMATS:
        text = msg("--plot: {file} must end in .svg or .png, which says how to draw it.")
        raise RequestError(text, file=file)
    rounds = _between("--rounds", options.rounds, 1, MOST_ROUNDS)
    years = _between("--years", options.years, LEAST_YEARS, MOST_YEARS)
    seed = _count(options.seed)
    if seed is None:
        raise RequestError(msg("--seed: write a whole number; {value} is none."), value=repr(options.seed))
    try:
        from controller.odds import plot
    except ImportError as error:
        text = msg("--plot needs {missing}, which is not installed; install pozo[plots].")
        raise RequestError(text, missing=error.name) from error
    _try_to_write(file)

    def draw(pot: Minor, bet: Minor, seats: int) -> str:
        setting = plot.Setting(pot, bet, seats, rounds, seed, years)
        try:
            return plot.draw(file, config, options.language or config.language, setting)
        except OSError as error:
            raise _unwritable(file, error) from error

    return draw


def _between(option: str, asked: str, least: int, most: int) -> int:
    count = _count(asked)
    if count is None or not least <= count <= most:
        text = msg("{option}: write a number from {least} to {most}; {value} is none.")
        raise RequestError(text, option=option, least=least, most=most, value=repr(asked))
    return count


def _try_to_write(file: Path) -> None:
    """Before any work is done for it; an existing file is left as it is."""
    try:
        with file.open("ab"):
            pass
    except OSError as error:
        raise _unwritable(file, error) from error


def _unwritable(file: Path, error: OSError) -> RequestError:
    text = msg("--plot: {file} cannot be written ({why}); choose another place.")
    return RequestError(text, file=file, why=error.strerror)
