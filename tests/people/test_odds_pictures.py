"""The simulated year against the exact figures, and the pictures that are drawn of both."""

from __future__ import annotations

import io
from fractions import Fraction
from math import exp, log
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from msgspec.structs import replace

from controller.config import Config, load
from controller.core.money import Minor
from controller.core.params import drain
from controller.core.potwords import Params
from controller.odds.cli import main
from controller.odds.growth import pot_at_jackpot
from controller.odds.returns import chance
from controller.odds.simulate import Setting, Year, year
from controller.progress import progress_bar

EXAMPLES = Path(__file__).parents[2] / "examples" / "tables"
BET = Minor(1_000)


def table(name: str = "draw-1") -> Config:
    return load(EXAMPLES / f"{name}.toml", {"HOME": "/anybody"})


def uncapped(params: Params) -> Params:
    return replace(params, limit=None, prizes=tuple(replace(rule, cap_times=None) for rule in params.prizes))


def busy(params: Params, pot: Minor, *, seed: int = 3, years: int = 100) -> Year:
    """Years of 300 days with 60 000 bets each: some 28 jackpots a year, a share of the pot nearly every day."""
    return year(params, Setting(pot, BET, 6, 10_000, seed, years, 300))


# --- The simulation --------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", [1, 2])
def test_6_every_prize_falls_as_often_as_its_count_says(seed: int) -> None:
    """Chernoff's bound holds for every number of bets: exceeded once in a million such tests at most."""
    params = table().params
    found = busy(params, params.base, seed=seed)
    assert found.bets == 100 * 300 * 60_000
    for rule in params.prizes:
        p, seen = float(chance(rule.hand)), found.hits[rule.hand] / found.bets
        distance = seen * log(seen / p) + (1 - seen) * log((1 - seen) / (1 - p))
        assert 2 * exp(-found.bets * distance) > 1e-6, rule.hand


@pytest.mark.parametrize("capped", [False, True])
def test_the_jackpot_finds_the_pot_that_the_equations_say(capped: bool) -> None:
    """Started from that mean, every jackpot finds it on average (exactly so without a cap): five standard errors."""
    params = replace(table().params, limit=None) if capped else uncapped(table().params)
    known = pot_at_jackpot(params, BET)
    assert known is not None
    assert known.exact is not capped
    pots = busy(params, Minor(round(known.mean))).jackpots
    assert len(pots) > 2_000
    error = float(pots.std(ddof=1)) / len(pots) ** 0.5
    assert abs(float(pots.mean()) - float(known.mean)) < 5 * error
    assert error < 0.025 * float(known.mean)


def test_3_3_without_shares_the_meter_grows_by_what_is_kept() -> None:
    """70 % of the bets less the fixed prizes: the mean of a year is known exactly."""
    params = replace(uncapped(table().params), prizes=table().params.prizes[:3])
    found = year(params, Setting(params.base, BET, 6, 300, 4, 500, 30))
    expected = params.base + 30 * 1_800 * 1_000 * (Fraction(7, 10) - drain(params))
    assert abs(found.mean - float(expected)) < 5 * found.error
    assert len(found.jackpots) == 0


def test_4_5_the_limit_holds_and_4_6_the_pot_is_never_negative() -> None:
    params = replace(table().params, limit=Minor(11_000_000))
    found = busy(params, params.base, years=20)
    assert float(found.quantiles.max()) <= 11_000_000
    assert float(found.jackpots.max()) <= 11_000_000
    poor = year(replace(params, base=Minor(0)), Setting(Minor(0), BET, 1, 5, 1, 200, 30))
    assert float(poor.quantiles.min()) == 0


def test_4_4_after_a_jackpot_the_pot_is_at_its_base() -> None:
    """With no other prize it only ever grows from there."""
    params = replace(table().params, prizes=table().params.prizes[-1:])
    found = busy(params, Minor(5 * params.base), years=20)
    assert len(found.jackpots) > 400
    assert params.base <= float(found.quantiles.min()) < 2 * params.base
    assert float(found.jackpots.min()) > params.base


def test_a_year_is_told_with_its_error() -> None:
    seen: list[tuple[int, int]] = []
    params = table().params
    found = year(params, Setting(params.base, BET, 6, 300, 5, 400, 20), lambda *step: seen.append(step))
    assert seen == [(day, 20) for day in range(21)]
    assert np.all(np.diff(found.quantiles, axis=0) >= 0)
    assert found.quantiles[:, 0].tolist() == [params.base] * 3
    assert found.median[0] <= found.quantiles[1, -1] <= found.median[1]
    assert found.error > 0


def test_the_same_seed_is_the_same_year() -> None:
    params = table().params
    one, two, other = (year(params, Setting(params.base, BET, 6, 300, seed, 50, 10)).mean for seed in (1, 1, 2))
    assert one == two != other


# --- The pictures ----------------------------------------------------------------------------------------


def drawn(file: Path, *arguments: str, name: str = "draw-1") -> bytes:
    assert main([str(EXAMPLES / f"{name}.toml"), "--plot", str(file), "--years", "60", "--json", *arguments]) == 0
    return file.read_bytes()


@pytest.mark.parametrize(("name", "language"), [("draw-1", "es"), ("texas-1", "en")])
def test_svg_is_drawn_and_well_formed(name: str, language: str, tmp_path: Path) -> None:
    picture = drawn(tmp_path / "odds.svg", "--language", language, name=name)
    assert ElementTree.fromstring(picture).tag == "{http://www.w3.org/2000/svg}svg"


def test_png_is_drawn_whatever_the_case_of_its_name(tmp_path: Path) -> None:
    assert drawn(tmp_path / "odds.PNG", "--pot", "400000000").startswith(b"\x89PNG")


def test_the_same_seed_draws_the_same_picture(tmp_path: Path) -> None:
    assert drawn(tmp_path / "one.svg") == drawn(tmp_path / "two.svg")


def test_the_error_is_said_on_standard_error(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    drawn(tmp_path / "odds.svg", "--language", "en")
    out, err = capsys.readouterr()
    assert out.startswith("{")
    assert "on the last day the median pot lies between" in err
    assert "(standard error)" in err
    assert "\r" not in err  # nobody is looking: no bar


def test_a_full_disk_is_told(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """The file opens, and then nothing can be written to it."""
    full = tmp_path / "full.svg"
    full.symlink_to("/dev/full")
    assert main([str(EXAMPLES / "draw-1.toml"), "--language", "en", "--years", "50", "--plot", str(full)]) == 2
    assert "full.svg cannot be written (No space left on device)" in capsys.readouterr().err


def test_a_bar_grows_where_somebody_is_looking() -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    out = Terminal()
    show = progress_bar(out, width=4)
    for day in range(9):
        show(day, 8)
    written = out.getvalue()
    assert "\r[····]   0 %" in written
    assert "\r[██··]  50 %" in written
    assert written.endswith("\r\x1b[K")
    progress_bar(silent := io.StringIO())(1, 2)
    assert silent.getvalue() == ""
