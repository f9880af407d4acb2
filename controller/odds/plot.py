"""Two pictures of a table: what a bet returns by what the pot holds, and what the pot may hold in a year."""

from __future__ import annotations

import sys
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

import matplotlib as mpl
from babel.numbers import format_compact_decimal, format_decimal
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.layout_engine import ConstrainedLayoutEngine
from matplotlib.ticker import FuncFormatter, MaxNLocator

from controller.config import Config
from controller.core.games.catalogue import GAMES
from controller.core.messages import msg
from controller.core.money import Minor
from controller.core.potwords import Params
from controller.i18n import Language
from controller.odds.returns import break_even, cap_binds, returned
from controller.odds.simulate import QUANTILES, Setting, Year, year
from controller.odds.text import Teller
from controller.progress import progress_bar

if TYPE_CHECKING:
    from matplotlib.typing import RcKeyType

__all__ = ["Setting", "draw"]

BLUE, ORANGE, GREY, INK = "#1f5a8a", "#c8641b", "#8a8f98", "#22262b"
STYLE: dict[RcKeyType, Any] = {
    "font.size": 10,
    "axes.edgecolor": GREY,
    "axes.labelcolor": INK,
    "axes.titlecolor": INK,
    "axes.titlelocation": "left",
    "axes.titlesize": 12,
    "axes.titleweight": "bold",
    "axes.titlepad": 12,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.color": "#e4e6ea",
    "text.color": INK,
    "xtick.color": INK,
    "ytick.color": INK,
    "legend.frameon": False,
    "svg.hashsalt": "pozo",
}


def draw(file: Path, config: Config, language: Language, setting: Setting) -> str:
    """Draw both pictures into `file`, whose suffix says how, and return what the simulation found in one sentence.

    The same seed draws the same file. Raises OSError.
    """
    t = Scribe(config, language)
    found = year(config.params, setting, progress_bar(sys.stderr))
    with mpl.rc_context(STYLE):
        engine = ConstrainedLayoutEngine(h_pad=0.15, w_pad=0.15, hspace=0.06)
        figure = Figure(figsize=(11, 10), layout=engine, facecolor="white")
        above, below = figure.subplots(2, 1)
        figure.suptitle(t.heading(), x=0.015, ha="left", fontsize=10, color=GREY)
        _returns(above, t, setting)
        _year(below, t, setting, found)
        figure.supxlabel("\n".join((_assumptions(t, setting), t.error(found, setting.years))), fontsize=8.5, color=GREY)
        metadata = {"Date": None} if file.suffix.lower() == ".svg" else {"Software": None}
        figure.savefig(file, format=file.suffix[1:].lower(), dpi=150, metadata=metadata)
    return t.error(found, setting.years)


class Scribe(Teller):
    """Labels in the table's language."""

    def compact(self, minor: float, _position: object = None) -> str:
        """An amount for an axis or a label: "369 M"."""
        amount = minor / 10**self.setup.digits
        written: str = format_compact_decimal(amount, locale=self._locale, fraction_digits=1)
        return written

    def share(self, part: float, _position: object = None) -> str:
        """A part of one for an axis: "40 %"."""
        pattern: str = self._locale.percent_formats[None].pattern
        return pattern.replace("#,##0", format_decimal(round(part * 100), locale=self._locale))

    def heading(self) -> str:
        title = self.text(GAMES[self.setup.game].title)
        return " · ".join((self.text(msg("Table {table}"), table=self.setup.table), title, self.currency()))

    def error(self, found: Year, years: int) -> str:
        """How well the simulation knows what it says."""
        low, high = (self.compact(value) for value in found.median)
        return self.text(
            msg(
                "{years} simulated years: on the last day the median pot lies between {low} and {high} ({sure} "
                "confidence), and the mean is {mean} ± {error} (standard error)."
            ),
            years=self.number(years),
            sure=self.share(0.95),
            low=low,
            high=high,
            mean=self.compact(found.mean),
            error=self.compact(found.error),
        )


# --- What a bet returns ----------------------------------------------------------------------------------


def _returns(axes: Axes, t: Scribe, setting: Setting) -> None:
    params, bet = t.params, setting.bet
    capped, free = (break_even(params.prizes, bet, capped=cap) for cap in (True, False))
    has_cap = any(rule.cap_times is not None for rule in params.prizes)
    most = _widest(params, setting, capped, free)
    curves = [(True, BLUE, "-", t.text(msg("with the cap") if has_cap else msg("return")))]
    if has_cap:
        curves.append((False, ORANGE, "--", t.text(msg("if there were no cap"))))
    for cap, colour, style, label in curves:
        xs, ys = _curve(params, bet, most, capped=cap)
        axes.plot(xs, ys, style, color=colour, lw=2, label=label)
    axes.axhline(1, color=GREY, lw=1)
    axes.set_xlim(0, most)
    for pot, colour in ((capped, BLUE), (free if has_cap else None, ORANGE)):
        if pot is not None and pot <= most:
            _mark(axes, t, pot, 1, colour, msg("returns itself at {pot}"))
    if setting.pot <= most:
        there = float(returned(params.prizes, Fraction(setting.pot), bet))
        _mark(axes, t, setting.pot, there, INK, msg("now {pot}"))
    if params.limit is not None and params.limit <= most:
        axes.axvline(params.limit, color=GREY, lw=1, ls=":")
        axes.annotate(t.text(msg("limit")), (params.limit, 0.02), xycoords=("data", "axes fraction"), color=GREY,
                      ha="right", xytext=(-4, 0), textcoords="offset points")  # fmt: skip
    axes.set(
        title=t.text(msg("What a side bet of {bet} returns on average"), bet=t.money(bet)),
        xlabel=t.text(msg("pot, in {currency}"), currency=t.currency()),
        ylim=(0, None),
    )
    axes.xaxis.set_major_formatter(FuncFormatter(t.compact))
    axes.yaxis.set_major_formatter(FuncFormatter(t.share))
    axes.legend(loc="upper left")


def _widest(params: Params, setting: Setting, *pots: Fraction | None) -> float:
    """How far the picture goes: beyond what must be seen in it, but not beyond the limit."""
    known = [float(pot) for pot in pots if pot is not None]
    most = 1.2 * max([*known, float(setting.pot), 2.0 * params.base, float(setting.bet)])
    limit = None if params.limit is None else float(params.limit)
    return most if limit is None or limit > most else max(1.05 * limit, float(setting.pot))


def _curve(params: Params, bet: Minor, most: float, *, capped: bool) -> tuple[list[float], list[float]]:
    """The return as a line through the points where its slope changes."""
    bends = [pot for rule in params.prizes if capped and (pot := cap_binds(rule, bet)) is not None and pot < most]
    xs = [Fraction(0), *sorted(bends), Fraction(most)]
    return [float(x) for x in xs], [float(returned(params.prizes, x, bet, capped=capped)) for x in xs]


def _mark(axes: Axes, t: Scribe, x: Fraction | int, y: float, colour: str, text: str) -> None:
    axes.plot([float(x)], [y], "o", color=colour, ms=7, mec="white", mew=1.5, zorder=5)
    above = y >= 1 or x > 0.7 * axes.get_xlim()[1]
    axes.annotate(
        t.text(text, pot=t.amount(Fraction(x))),
        (float(x), y),
        xytext=(-6, 8) if above else (6, -14),
        textcoords="offset points",
        ha="right" if above else "left",
        color=colour,
        bbox={"facecolor": "white", "alpha": 0.8, "linewidth": 0, "pad": 1},
    )


# --- A year of the meter ---------------------------------------------------------------------------------


def _year(axes: Axes, t: Scribe, setting: Setting, found: Year) -> None:
    days = range(found.quantiles.shape[1])
    low, median, high = found.quantiles
    band = t.text(msg("{low} to {high} of the years"), low=t.share(QUANTILES[0]), high=t.share(QUANTILES[2]))
    axes.fill_between(days, low, high, color=BLUE, alpha=0.15, lw=0, label=band)
    axes.plot(days, found.example, color=GREY, lw=0.9, label=t.text(msg("one of these years")))
    axes.plot(days, median, color=BLUE, lw=2, label=t.text(msg("median")))
    if t.params.limit is not None and t.params.limit < 1.3 * float(high.max()):
        axes.axhline(t.params.limit, color=GREY, lw=1, ls=":", label=t.text(msg("limit")))
    axes.set(
        title=t.text(msg("A year of the meter, simulated")),
        xlabel=t.text(msg("days")),
        ylabel=t.text(msg("pot, in {currency}"), currency=t.setup.currency),
        xlim=(0, len(days) - 1),
        ylim=(0, None),
    )
    axes.xaxis.set_major_locator(MaxNLocator(13, steps=[3, 10], integer=True))
    axes.yaxis.set_major_formatter(FuncFormatter(t.compact))
    axes.legend(loc="upper left")


def _assumptions(t: Scribe, setting: Setting) -> str:
    return t.text(
        msg("{seats} seats, each betting {bet} in {rounds} rounds a day; seed {seed}"),
        seats=setting.seats,
        bet=t.money(setting.bet),
        rounds=t.number(setting.rounds),
        seed=setting.seed,
    )
