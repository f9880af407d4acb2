"""What `pozo check` says of a table, or of a file that is none."""

import re
import subprocess
import sys
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from msgspec.structs import replace

from controller.check import Speaker, describe, main
from controller.config import Config, load
from controller.core.cards import HANDS
from controller.core.money import Minor, Rate
from controller.core.params import drain, main_share, percent, problems
from controller.core.potwords import PrizeRule
from controller.i18n import Language

EXAMPLES = Path(__file__).parents[2] / "examples" / "tables"


def plain(text: str) -> str:
    """`text` with ordinary spaces, one at a time."""
    return re.sub(r"[ \u00a0\u202f]+", " ", text)


def config(name: str = "draw-1.toml") -> Config:
    return load(EXAMPLES / name, {"HOME": "/anybody"})


def said(table: Config, language: Language = "en") -> str:
    return plain(describe(table, language))


@pytest.mark.parametrize("file", sorted(EXAMPLES.glob("*.toml")), ids=lambda file: file.name)
@pytest.mark.parametrize("arguments", [[], ["--language", "es"], ["--language", "en"]], ids=str)
def test_every_example_is_described(file: Path, arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(file), *arguments]) == 0
    out, err = capsys.readouterr()
    assert load(file).setup.table in out
    assert err == ""
    assert max(map(len, out.splitlines())) < 120
    assert all(line == line.rstrip() for line in out.splitlines())


def test_the_words_are_those_of_the_rules() -> None:
    text = said(config())
    for line in (
        "Table draw-1 · Draw Poker Progressive · 6 seats · Chilean ",
        "each seat takes credits of CLP 1,000, by a button",
        "posted minimum CLP 1,000",
        "posted maximum CLP 3,000",
        "commission of the house 20%",
        "to the reserve pot 10%",
        "to the main pot 70%",
        "flush 50 times the bet CLP 50,000 CLP 150,000",
        "four of a kind 500 times the bet CLP 500,000 CLP 1,500,000",
        "straight flush 10% of the main pot, at most 5,000 times the bet CLP 1,000,000 CLP 1,000,000",
        "royal flush 100% of the main pot CLP 10,000,000 CLP 10,000,000",
        "limit CLP 900,000,000; what exceeds it goes to the reserve pot",
        "a supervisor approves prizes from CLP 1,000,000, and every share of the pot",
        "fixed prizes return, and drain from the pot 36.2376%",
        "the pot keeps, and grows by 33.7624%",
        "journal /anybody/.local/state/pozo/draw-1",
        "control socket /anybody/.local/state/pozo/draw-1/pozo-draw-1.sock",
        "a gaming day starts at 06:00 (America/Santiago)",
        "! The hardware is simulated: no button, lamp or sign will work.",
    ):
        assert line in text, line


def test_6_the_return_at_the_base_follows_the_published_growth() -> None:
    """36.2376 % and 2.92425 points for each 10 000 bet-units of pot: the base holds 10 000 of the minimum bet."""
    assert "all prizes return at the base, minimum bet 39.1618%" in said(config())


def test_the_cap_binds_where_it_must() -> None:
    """A base of 100 000 minimum bets: a tenth of it is more than 5 000 of them."""
    table = config()
    rich = replace(table, params=replace(table.params, base=Minor(100_000_000)))
    assert "at most 5,000 times the bet CLP 5,000,000 CLP 10,000,000" in said(rich)


def test_spanish_amounts_are_written_as_in_their_country() -> None:
    spanish = Speaker(config(), "es")
    assert spanish.money(Minor(10_000_000)) == "$10.000.000"
    assert plain(spanish.percent("36.2376%")).replace(" ", "") == "36,2376%"
    bolivian = Speaker(config("draw-chips-bob.toml"), "es")
    assert plain(bolivian.money(Minor(123_456))).replace(" ", "") == "Bs1.234,56"
    assert spanish.rate(Rate(1225)).startswith("12,25")


def test_what_deserves_a_second_look_is_said() -> None:
    table = config()
    odd = replace(
        table.params,
        prizes=table.params.prizes[:3],
        limit=table.params.base,
        approve_from=Minor(0),
        fixed_prizes="last",
    )
    text = said(replace(table, params=odd, allow={"ana": ("dealer",)}, timezone=""))
    assert "No hand wins the whole pot" in text
    assert "The limit is the base" in text
    assert "a supervisor approves every prize" in text
    assert "shares of the pot, then fixed prizes" in text
    assert "who may connect ana: dealer" in text
    assert "(the machine's time zone)" in text


def test_mistakes_go_to_standard_error(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "t.toml"
    file.write_text('[table]\nlanguage = "en"\n')
    assert main([str(file)]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith(f"{file} has 8 mistakes:\n")
    assert main([str(file), "--language", "es"]) == 2


def test_a_language_that_pozo_does_not_speak_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as raised:
        main(["x.toml", "--language", "fr"])
    assert raised.value.code == 2
    assert "fr" in capsys.readouterr().err


@st.composite
def tables(draw: st.DrawFn) -> Config:
    """Random sound tables in several currencies."""
    table = config()
    currency, digits = draw(st.sampled_from([("CLP", 0), ("BOB", 2), ("EUR", 2), ("TND", 3), ("USD", 2), ("XAF", 0)]))
    setup = replace(table.setup, currency=currency, digits=digits, acceptor=draw(st.sampled_from(["credits", "chips"])))
    low, high = sorted(draw(st.tuples(st.integers(1, 50), st.integers(1, 50))))
    prizes = tuple(
        PrizeRule(hand, times=draw(st.integers(1, 500)))
        if draw(st.booleans())
        else PrizeRule(hand, share=Rate(draw(st.integers(1, 9999))), cap_times=draw(st.none() | st.integers(1, 9999)))
        for hand in sorted(draw(st.sets(st.sampled_from(HANDS), min_size=1)), key=HANDS.index)
    )
    params = replace(
        table.params,
        bet_min=Minor(low * setup.denomination),
        bet_max=Minor(high * setup.denomination),
        base=Minor(draw(st.integers(0, 10**12))),
        limit=None,
        commission=Rate(draw(st.integers(0, 5000))),
        reserve=Rate(draw(st.integers(0, 5000))),
        prizes=prizes,
    )
    assume(not problems(params, setup))
    return replace(table, setup=setup, params=params)


@given(tables(), st.sampled_from(["es", "en"]))
def test_every_sound_table_has_words(table: Config, language: Language) -> None:
    text = describe(table, language)
    assert table.setup.currency in text
    assert "{" not in text
    assert len([line for line in text.splitlines() if "\t" in line]) == 0


@given(tables())
def test_the_figures_add_up(table: Config) -> None:
    text = said(table).replace(",", "")
    shares = [Decimal(found) for found in re.findall(r"(?:of the house|reserve pot|main pot) ([0-9.]+)%", text)[:3]]
    assert sum(shares) == 100
    fixed = drain(table.params)
    assert f"drain from the pot {percent(fixed)}" in text
    assert f"grows by {percent(Fraction(main_share(table.params), 10_000) - fixed)}" in text


def test_7_a_pay_table_is_shown_where_the_file_gives_it() -> None:
    text = said(config("go-1.toml"))
    for line in (
        "The base game, which never touches the pot, pays",
        "pair stake back stake back",
        "flush 1 to 1 5 to 1",
    ):
        assert line in text
    for name in ("draw-1.toml", "texas-1.toml", "caribbean-1.toml"):
        assert "The base game" not in said(config(name))
    go = config("go-1.toml")
    assert go.base is not None
    assert "The base game" not in said(replace(go, base=None))
    assert "flush 1 to 1\n" in said(replace(go, base=replace(go.base, bet=False)))


def test_a_full_disk_is_no_fault_of_the_program() -> None:
    command = [sys.executable, "-m", "controller.cli", "check", str(EXAMPLES / "draw-1.toml")]
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert (done.returncode, done.stderr) == (2, "pozo: No space left on device: what was written is not whole\n")
