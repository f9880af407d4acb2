"""`pozo odds`: every figure of rules 6, the identities behind the others, and what is refused."""

import json
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from controller.config import Config, load
from controller.core.cards import HANDS, Hand
from controller.core.games.catalogue import GAMES
from controller.core.money import WHOLE, Minor, Rate
from controller.core.params import COUNTS, DEALS, drain, percent
from controller.core.potwords import Params, PrizeRule
from controller.odds.cli import main
from controller.odds.growth import pot_at_jackpot
from controller.odds.report import as_json, decimal, odds, significant
from controller.odds.returns import (
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
from tests.people.test_check import plain, tables

EXAMPLES = Path(__file__).parents[2] / "examples" / "tables"
ONE = Minor(1)
"""A bet of one: pots are then bet-units, as in rules 6."""


def prizes(four: int, full: int, flush: int, cap: int | None = None) -> tuple[PrizeRule, ...]:
    """Fixed prizes as given; a straight flush takes 10 %, a royal flush 100 % (5.7)."""
    return (
        PrizeRule(Hand.FLUSH, times=flush),
        PrizeRule(Hand.FULL_HOUSE, times=full),
        PrizeRule(Hand.FOUR_OF_A_KIND, times=four),
        PrizeRule(Hand.STRAIGHT_FLUSH, share=Rate(1000), cap_times=cap),
        PrizeRule(Hand.ROYAL_FLUSH, share=WHOLE),
    )


PUBLISHED = prizes(500, 100, 50)
CAPPED = prizes(500, 100, 50, cap=5_000)


def params(rules: tuple[PrizeRule, ...], **changes: object) -> Params:
    values: dict[str, object] = {"limit": None, "base": Minor(10_000), "prizes": rules}
    return replace(table().params, **(values | changes))


def table(name: str = "draw-1") -> Config:
    return load(EXAMPLES / f"{name}.toml", {"HOME": "/anybody"})


# --- Rules 6 ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("hand", "count"),
    [
        (Hand.ROYAL_FLUSH, 4),
        (Hand.STRAIGHT_FLUSH, 36),
        (Hand.FOUR_OF_A_KIND, 624),
        (Hand.FULL_HOUSE, 3_744),
        (Hand.FLUSH, 5_108),
        (Hand.STRAIGHT, 10_200),
        (Hand.THREE_OF_A_KIND, 54_912),
        (Hand.TWO_PAIR, 123_552),
        (Hand.PAIR, 1_098_240),
        (Hand.HIGH_CARD, 1_302_540),
    ],
)
def test_6_each_class_is_as_frequent_as_its_count(hand: Hand, count: int) -> None:
    assert chance(hand) == Fraction(count, 2_598_960)


def test_6_the_classes_are_all_hands() -> None:
    assert sum(map(chance, HANDS)) == 1


@pytest.mark.parametrize(
    ("hand", "points"), [(Hand.FLUSH, "9.8270%"), (Hand.FULL_HOUSE, "14.4058%"), (Hand.FOUR_OF_A_KIND, "12.0048%")]
)
def test_6_what_each_fixed_prize_returns(hand: Hand, points: str) -> None:
    rule = next(rule for rule in PUBLISHED if rule.hand is hand)
    assert percent(chance(hand) * wins(rule, Fraction(0), ONE)) == points


def test_6_the_fixed_return() -> None:
    assert percent(returned(PUBLISHED, Fraction(0), ONE)) == "36.2376%"
    assert returned(PUBLISHED, Fraction(0), ONE) == drain(params(PUBLISHED))


def test_6_what_each_10_000_bet_units_of_pot_add() -> None:
    assert decimal(rise(PUBLISHED) * 10_000 * 100, 5) == "2.92425"
    grown = returned(PUBLISHED, Fraction(10_000), ONE) - returned(PUBLISHED, Fraction(0), ONE)
    assert percent(grown, 5) == "2.92425%"


def test_6_break_even_without_a_cap() -> None:
    pot = break_even(PUBLISHED, ONE)
    assert pot is not None
    assert decimal(pot, 2) == "218047.37"
    assert break_even(CAPPED, ONE, capped=False) == pot


def test_6_the_cap_binds_above_50_000_units() -> None:
    straight_flush = CAPPED[3]
    assert cap_binds(straight_flush, ONE) == 50_000
    assert wins(straight_flush, Fraction(50_000), ONE) == 5_000 == wins(straight_flush, Fraction(50_001), ONE)
    assert wins(straight_flush, Fraction(49_999), ONE) == Fraction(49_999, 10)


def test_6_break_even_with_the_cap() -> None:
    assert break_even(CAPPED, ONE) == 369_290


@pytest.mark.parametrize(("fixed", "published"), [((100, 75, 50), "263205"), ((150, 100, 50), "246784")])
def test_6_published_break_evens_of_other_prizes(fixed: tuple[int, int, int], published: str) -> None:
    pot = break_even(prizes(*fixed), ONE)
    assert pot is not None
    assert decimal(pot, 0) == published


def test_6_the_shipped_tables_say_so_in_their_own_money() -> None:
    """A bet of 1 000 pesos: the published figures times 1 000."""
    found = odds(table(), Minor(10_000_000), Minor(1_000), 6)
    assert found.break_even == 369_290_000
    assert found.break_even_uncapped is not None
    assert decimal(found.break_even_uncapped, 0) == "218047368"
    assert percent(found.returned) == "39.1618%"


# --- Return, break-even, spread --------------------------------------------------------------------------

rules = st.builds(
    lambda drawn: tuple(PrizeRule(hand, *drawn[hand]) for hand in HANDS if hand in drawn),
    st.dictionaries(
        st.sampled_from(HANDS),
        st.tuples(st.integers(1, 900), st.none(), st.none())
        | st.tuples(st.none(), st.integers(1, WHOLE).map(Rate), st.none() | st.integers(1, 9_000)),
        min_size=1,
    ),
)


@given(rules, st.integers(1, 10_000).map(Minor), st.booleans())
def test_break_even_is_where_the_return_reaches_the_bet(drawn: tuple[PrizeRule, ...], bet: Minor, capped: bool) -> None:
    pot = break_even(drawn, bet, capped=capped)
    if pot is None:
        assert returned(drawn, Fraction(10**30), bet, capped=capped) < 1
    elif pot == 0:
        assert returned(drawn, pot, bet, capped=capped) >= 1
    else:
        assert returned(drawn, pot, bet, capped=capped) == 1
        assert returned(drawn, pot - Fraction(1, 10**9), bet, capped=capped) < 1


@given(rules, st.integers(0, 10**12).map(Fraction), st.integers(1, 10_000).map(Minor))
def test_the_variance_is_that_of_the_winnings_themselves(
    drawn: tuple[PrizeRule, ...], pot: Fraction, bet: Minor
) -> None:
    mean = returned(drawn, pot, bet)
    won = {rule.hand: wins(rule, pot, bet) / bet for rule in drawn}
    spread = sum(COUNTS[hand] * (won.get(hand, Fraction(0)) - mean) ** 2 for hand in HANDS) / DEALS
    assert variance(drawn, pot, bet) == spread


def test_roots_are_roots() -> None:
    assert str(root(Fraction(2))) == "1.41421356237"
    assert root(Fraction(1, 4)) == root(Fraction(1, 16)) * 2


def test_5_10_a_bet_alone_shares_with_nobody() -> None:
    alone: dict[Hand, tuple[Fraction, ...]] = {rule.hand: (1 - chance(rule.hand), chance(rule.hand)) for rule in CAPPED}
    for pot in (10_000, 60_000, 400_000):
        assert shared_return(CAPPED, Fraction(pot), ONE, alone) == returned(CAPPED, Fraction(pot), ONE)


def test_5_10_sharing_costs_what_two_winners_do_not_get_twice() -> None:
    """Without a cap the pot pays its share once a round, however many win."""
    pot = Fraction(100_000)
    chances = {}
    for rule in PUBLISHED[3:]:
        counted = winners(2, 3, (rule.hand,), 6)
        assert counted is not None
        chances[rule.hand] = counted
    paid = sum(((1 - chances[rule.hand][0]) * wins(rule, pot, ONE) for rule in PUBLISHED[3:]), Fraction(0))
    assert shared_return(PUBLISHED, pot, ONE, chances) == drain(params(PUBLISHED)) + paid / 6
    assert shared_return(PUBLISHED, pot, ONE, chances) < returned(PUBLISHED, pot, ONE)


# --- The pot at the jackpot ------------------------------------------------------------------------------


def test_4_4_the_mean_pot_balances_what_came_in_and_what_went_out() -> None:
    """Per jackpot: base and main share in; fixed prizes, tenths and the jackpot out. Exactly, without a cap."""
    drawn = params(PUBLISHED)
    found = pot_at_jackpot(drawn, ONE)
    assert found is not None
    assert found.exact
    bets = 1 / chance(Hand.ROYAL_FLUSH)
    came = drawn.base + bets * Fraction(7, 10)
    fixed = bets * drain(drawn)
    tenths = bets * chance(Hand.STRAIGHT_FLUSH) * Fraction(1, 10) * found.mean  # the same pot, on average
    assert came - fixed - tenths == found.mean


def test_4_5_a_far_cap_and_a_far_limit_change_nothing() -> None:
    """The equation that a cap needs, where the straight line is known: they agree to some millionths."""
    known = pot_at_jackpot(params(PUBLISHED), ONE)
    assert known is not None
    for other in (params(prizes(500, 100, 50, cap=400_000)), params(PUBLISHED, limit=Minor(6_000_000))):
        found = pot_at_jackpot(other, ONE)
        assert found is not None
        assert not found.exact
        assert abs(found.mean / known.mean - 1) < Fraction(1, 100_000)


def test_5_10_a_cap_leaves_more_in_the_pot_and_a_limit_less() -> None:
    free, capped, limited = (
        pot_at_jackpot(drawn, ONE)
        for drawn in (params(PUBLISHED), params(CAPPED), params(CAPPED, limit=Minor(100_000)))
    )
    assert free is not None
    assert capped is not None
    assert limited is not None
    assert limited.mean < 100_000 < free.mean < capped.mean
    # A straight flush never takes more than its cap: nine of them a jackpot, 5 000 each.
    bets = 1 / chance(Hand.ROYAL_FLUSH)
    least = 10_000 + bets * (Fraction(7, 10) - drain(params(CAPPED))) - 9 * 5_000
    assert least < capped.mean < least + 9 * 500


def test_a_pot_that_never_ends_or_never_grows_has_no_such_mean() -> None:
    assert pot_at_jackpot(params(PUBLISHED[:4]), ONE) is None
    assert pot_at_jackpot(params(PUBLISHED[3:], commission=WHOLE, reserve=Rate(0)), ONE) is None
    # A pair takes a capped tenth every other round: there is no meter to speak of.
    often = (PrizeRule(Hand.PAIR, share=Rate(1000), cap_times=50), PUBLISHED[4])
    assert pot_at_jackpot(params(often), ONE) is None
    empty = pot_at_jackpot(params(CAPPED, base=Minor(0), limit=Minor(0)), ONE)
    assert empty is not None
    assert empty.mean == 0


# --- What is said ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("file", sorted(EXAMPLES.glob("*.toml")), ids=lambda file: file.name)
@pytest.mark.parametrize("language", ["es", "en"])
def test_every_example_is_told(file: Path, language: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(file), "--language", language, "--bet", "maximum"]) == 0
    out, err = capsys.readouterr()
    assert load(file).setup.table in out
    assert "{" not in out
    assert err == ""
    assert max(map(len, out.splitlines())) < 130
    assert all(line == line.rstrip() for line in out.splitlines())


def test_the_words_are_those_of_the_rules(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(EXAMPLES / "draw-1.toml"), "--language", "en"]) == 0
    text = plain(capsys.readouterr().out)
    for line in (
        "A side bet of CLP 1,000 with the pot at CLP 10,000,000",
        "returns on average, alone in its round 39.1618%",
        "the house's edge 60.8382%",
        "standard deviation of what it wins 15.71 bets",
        "flush 509 CLP 50,000 9.8270%",
        "four of a kind 4,165 CLP 500,000 12.0048%",
        "royal flush 649,740 CLP 10,000,000 1.5391%",
        "any prize 273 39.1618%",
        "with the cap CLP 369,290,000",
        "if there were no cap CLP 218,047,368",
        "the cap of the straight flush binds above CLP 50,000,000",
        "fixed prizes drain from it 36.2376%",
        "goes to the main pot 70.0000%",
        "falls once in so many bets 649,740",
    ):
        assert line in text, line


def test_a_pot_above_the_limit_is_said_to_be(capsys: pytest.CaptureFixture[str]) -> None:
    """Three credits need a pot of 1 108 million, and the limit is 900."""
    assert main([str(EXAMPLES / "draw-1.toml"), "--language", "en", "--bet", "3"]) == 0
    assert "CLP 1,107,870,000, above the limit" in plain(capsys.readouterr().out)


@pytest.mark.parametrize("name", ["draw-1", "draw-eur", *sorted({"texas-1", "go-1"})])
def test_programs_get_exact_fractions(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(EXAMPLES / f"{name}.toml"), "--json", "--seats", "2"]) == 0
    found = json.loads(capsys.readouterr().out)
    setup = table(name).setup
    assert (found["table"], found["game"], found["seats"]) == (setup.table, setup.game, 2)
    paid = sum(Fraction(prize["return"]["exact"]) for prize in found["prizes"])
    assert Fraction(found["return"]["exact"]) == paid == 1 - Fraction(found["house_edge"]["exact"])
    assert found["long_run"]["drain"]["decimal"] == "0.362375719519"
    for by_seats in found["several"].values():
        assert list(by_seats) == [str(n) for n in range(1, setup.seats + 1)]
        assert all(sum(Fraction(p["exact"]) for p in chances) == 1 for chances in by_seats.values())


@settings(max_examples=20)
@given(tables())
def test_every_sound_table_has_figures(config: Config) -> None:
    found = odds(config, config.params.base, config.params.bet_min, config.setup.seats)
    told = as_json(found)
    assert json.loads(json.dumps(told)) == told
    assert found.returned == sum(prize.returns for prize in found.prizes)


@given(st.fractions(min_value=0, max_value=10**6).filter(bool))
def test_significant_digits_are_right(value: Fraction) -> None:
    written = Fraction(significant(value))
    assert abs(written - value) <= value / 10**11 / 2 + Fraction(1, 10**400)


# --- What is refused -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--pot", "-5"], "--pot: a pot is never negative, and -5 is; write zero or more."),
        (["--pot", "ten"], "--pot: 'ten' is not an amount in CLP; write plain digits, such as 10000000."),
        (["--pot", "1.5"], "--pot: '1.5' is not an amount in CLP; write plain digits, such as 10000000."),
        (
            ["--pot", "900000001"],
            "--pot: 900000001 is above the limit of this pot, 900000000; what exceeds it goes to the reserve pot.",
        ),
        (
            ["--bet", "4"],
            "--bet: write minimum, maximum, or from 1 to 3 denominations; '4' is none of these.",
        ),
        (["--bet", "much"], "--bet: write minimum, maximum, or from 1 to 3 denominations; 'much' is none of these."),
        (["--seats", "7"], "--seats: write a number from 1 to 6, the seats of this table; '7' is none."),
        (["--seats", "0"], "--seats: write a number from 1 to 6, the seats of this table; '0' is none."),
        (["--plot", "odds.pdf"], "--plot: odds.pdf must end in .svg or .png, which says how to draw it."),
        (["--plot", "odds"], "--plot: odds must end in .svg or .png, which says how to draw it."),
        (
            ["--plot", "/no/such/place/odds.svg"],
            "--plot: /no/such/place/odds.svg cannot be written (No such file or directory); choose another place.",
        ),
        (["--plot", "odds.svg", "--rounds", "0"], "--rounds: write a number from 1 to 10000; '0' is none."),
        (["--plot", "odds.svg", "--years", "49"], "--years: write a number from 50 to 100000; '49' is none."),
        (["--plot", "odds.svg", "--seed", "x"], "--seed: write a whole number; 'x' is none."),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_what_cannot_be_is_refused_in_a_sentence(
    arguments: list[str], sentence: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([str(EXAMPLES / "draw-1.toml"), "--language", "en", *arguments]) == 2
    out, err = capsys.readouterr()
    assert (out, err) == ("", sentence + "\n")
    assert not Path("odds.svg").exists()


def test_a_file_that_is_missing_or_wrong_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(tmp_path / "none.toml")]) == 2
    assert "none.toml" in capsys.readouterr().err
    wrong = tmp_path / "wrong.toml"
    wrong.write_text('[table]\nlanguage = "en"\n')
    assert main([str(wrong)]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert "mistakes" in err


def test_4_9_a_table_that_drains_its_pot_is_refused_with_the_figures(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "drain.toml"
    file.write_text((EXAMPLES / "draw-1.toml").read_text().replace('commission = "20%"', 'commission = "60%"'))
    assert main([str(file), "--language", "en"]) == 2
    assert "drain 36.2376% of bets" in capsys.readouterr().err


def test_figures_need_neither_numpy_nor_matplotlib(tmp_path: Path) -> None:
    """A table in a casino has none of them: the program without a picture must not even look."""
    code = (
        "import sys; sys.modules['numpy'] = sys.modules['matplotlib'] = None\n"
        "from controller.odds.cli import main\n"
        f"assert main([{str(EXAMPLES / 'draw-1.toml')!r}]) == 0\n"
        f"sys.exit(main([{str(EXAMPLES / 'draw-1.toml')!r}, '--language', 'en', '--plot', 'x.svg']))"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, cwd=tmp_path)
    assert run.returncode == 2
    assert "not installed; install pozo[plots]" in run.stderr
    assert not any(tmp_path.iterdir())


def test_no_game_is_known_by_name() -> None:
    folder = Path(__file__).parents[2] / "controller" / "odds"
    assert not [(file.name, name) for file in folder.glob("*.py") for name in GAMES if name in file.read_text()]
