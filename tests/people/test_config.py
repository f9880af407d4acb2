"""A table's file: read strictly, every mistake in one report; and compared with the journal (rules 8.4)."""

import re
import zoneinfo
from datetime import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from controller.config import Config, ConfigError, Problem, check_against, load, mismatch_report, opening
from controller.core.cards import Hand
from controller.core.evolve import evolve
from controller.core.games.catalogue import GAMES
from controller.core.games.game import Base, Pays
from controller.core.money import WHOLE, Minor, Rate
from controller.core.params import KEYS, apply_change
from controller.core.potwords import Change, Params, PrizeRule
from controller.core.state import Table
from controller.strict_toml import LARGEST_FILE

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "examples" / "tables"
PAGE = (ROOT / "docs" / "configuration.md").read_text()
GOOD = (EXAMPLES / "draw-1.toml").read_text()
HOME = {"HOME": "/anybody"}

SMALLEST = """
[table]
id = "t"
game = "draw-poker"
currency = "EUR"
[bet]
acceptor = "chips"
denomination = "0.50"
max = 4
[pot]
base = "100"
commission = "20%"
"""


def read(folder: Path, text: str | bytes) -> Config:
    """Load `text` as a file of its own."""
    file = folder / "table.toml"
    file.write_bytes(text if isinstance(text, bytes) else text.encode())
    return load(file, HOME)


def mistakes(folder: Path, text: str | bytes) -> tuple[Problem, ...]:
    with pytest.raises(ConfigError) as raised:
        read(folder, text)
    for language in ("es", "en"):
        assert "{" not in re.sub(r"\{…?\}", "", raised.value.report(language))
    return raised.value.problems


def with_line(old: str, new: str) -> str:
    """The good example with one line changed."""
    assert GOOD.count(old) == 1, old
    return GOOD.replace(old, new)


def line_of(text: str, line: str) -> int:
    return next(n for n, found in enumerate(text.split("\n"), 1) if line and found.startswith(line.split("\n")[-1]))


# --- what is good --------------------------------------------------------------------------------------


@pytest.mark.parametrize("file", sorted(EXAMPLES.glob("*.toml")), ids=lambda file: file.name)
def test_every_example_loads(file: Path) -> None:
    assert load(file, HOME).setup.table


def test_the_contract_is_read_whole(tmp_path: Path) -> None:
    config = read(tmp_path, GOOD)
    assert config.setup.table == "draw-1"
    assert (config.setup.game, config.setup.seats) == ("draw-poker", 6)
    assert (config.setup.currency, config.setup.digits) == ("CLP", 0)
    assert (config.setup.acceptor, config.setup.denomination) == ("credits", 1000)
    assert config.params == Params(
        bet_min=Minor(1000),
        bet_max=Minor(3000),
        base=Minor(10_000_000),
        limit=Minor(900_000_000),
        commission=Rate(2000),
        reserve=Rate(1000),
        fixed_prizes="first",
        approve_from=Minor(1_000_000),
        prizes=(
            PrizeRule(Hand.FLUSH, times=50),
            PrizeRule(Hand.FULL_HOUSE, times=100),
            PrizeRule(Hand.FOUR_OF_A_KIND, times=500),
            PrizeRule(Hand.STRAIGHT_FLUSH, share=Rate(1000), cap_times=5000),
            PrizeRule(Hand.ROYAL_FLUSH, share=WHOLE),
        ),
    )
    assert (config.language, config.timezone, config.day_starts) == ("es", "America/Santiago", time(6))


def test_what_may_be_left_out_has_a_default(tmp_path: Path) -> None:
    config = read(tmp_path, SMALLEST)
    assert config.setup.seats == 6
    assert config.setup.digits == 2
    assert config.setup.denomination == 50
    params = config.params
    assert (params.bet_min, params.bet_max, params.base, params.limit) == (50, 200, 10_000, None)
    assert (params.commission, params.reserve, params.approve_from) == (2000, 0, 0)
    assert params.fixed_prizes == "first"
    assert params.prizes == read(tmp_path, GOOD).params.prizes
    assert (config.language, config.timezone, config.day_starts) == ("es", "", time(6))
    assert config.backend == "simulated"
    assert config.keep == 400
    assert config.allow == {}


def test_4_2_a_pot_opens_at_its_base(tmp_path: Path) -> None:
    opened = opening(read(tmp_path, GOOD))
    assert (opened.main, opened.reserve) == (10_000_000 * 10_000, 0)


def test_prizes_are_exactly_those_of_the_file(tmp_path: Path) -> None:
    config = read(tmp_path, SMALLEST + '[[prizes]]\nhand = "straight"\ntimes = 9\n')
    assert config.params.prizes == (PrizeRule(Hand.STRAIGHT, times=9),)


def test_inline_tables_and_dotted_keys_are_toml_too(tmp_path: Path) -> None:
    text = """
table = { id = "t", game = "draw-poker", currency = "EUR" }
bet.acceptor = "chips"
bet.denomination = "0.50"
bet.max = 4
pot = { base = "100", commission = "20%" }
"""
    assert read(tmp_path, text).params == read(tmp_path, SMALLEST).params


def test_a_byte_order_mark_and_dos_lines_are_no_mistake(tmp_path: Path) -> None:
    text = b"\xef\xbb\xbf" + GOOD.replace("\n", "\r\n").encode()
    assert read(tmp_path, text).params == read(tmp_path, GOOD).params


def test_the_page_shows_a_file_that_loads(tmp_path: Path) -> None:
    match = re.search(r"```toml\n(.*?)```", PAGE, re.DOTALL)
    assert match
    config = read(tmp_path, match[1])
    assert config.params == read(tmp_path, GOOD).params
    assert config.allow == {"croupier": ("dealer",), "@jefes": ("dealer", "supervisor")}


def test_the_page_names_every_key() -> None:
    for key in KEYS:
        assert f"`{re.sub(r'prizes.[a-z-]+', 'prizes.HAND', key, count=1).removesuffix('.HAND')}`" in PAGE, key


# --- places --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("environment", "journal", "socket"),
    [
        ({"HOME": "/h"}, "/h/.local/state/pozo/t", "/h/.local/state/pozo/t/pozo-t.sock"),
        ({"HOME": "/h", "XDG_STATE_HOME": "/x"}, "/x/pozo/t", "/x/pozo/t/pozo-t.sock"),
        ({"HOME": "/h", "XDG_STATE_HOME": "rel"}, "/h/.local/state/pozo/t", "/h/.local/state/pozo/t/pozo-t.sock"),
        ({"STATE_DIRECTORY": "/var/lib/pozo:/b", "HOME": "/h"}, "/var/lib/pozo", "/var/lib/pozo/pozo-t.sock"),
        ({"STATE_DIRECTORY": "/s", "RUNTIME_DIRECTORY": "/run/pozo"}, "/s", "/run/pozo/pozo-t.sock"),
        ({"HOME": "/h", "XDG_RUNTIME_DIR": "/run/user/7"}, "/h/.local/state/pozo/t", "/run/user/7/pozo-t.sock"),
    ],
)
def test_default_places_follow_systemd_then_xdg(
    tmp_path: Path, environment: dict[str, str], journal: str, socket: str
) -> None:
    (tmp_path / "table.toml").write_text(SMALLEST)
    config = load(tmp_path / "table.toml", environment)
    assert (str(config.journal), str(config.socket)) == (journal, socket)
    assert config.people == Path(journal, "people.json")


def test_without_a_home_the_journal_needs_a_place(tmp_path: Path) -> None:
    (tmp_path / "table.toml").write_text(SMALLEST)
    with pytest.raises(ConfigError) as raised:
        load(tmp_path / "table.toml", {})
    assert [problem.key for problem in raised.value.problems] == ["journal.directory"]


def test_relative_paths_start_at_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir("/")
    text = SMALLEST + '[journal]\ndirectory = "../j"\nkeep = 7\n[control]\nsocket = "s"\n[people]\nfile = "/etc/p"\n'
    config = read(tmp_path, text)
    assert config.journal == tmp_path.parent / "j"
    assert config.copy is None
    assert config.socket == tmp_path / "s"
    assert config.people == Path("/etc/p")
    assert config.keep == 7


def test_people_may_be_allowed_roles(tmp_path: Path) -> None:
    text = SMALLEST + '[control.allow]\nana = ["supervisor", "dealer", "dealer"]\n"@techs" = ["technician"]\n'
    assert read(tmp_path, text).allow == {"ana": ("dealer", "supervisor"), "@techs": ("technician",)}


# --- one mistake at a time -----------------------------------------------------------------------------

MISTAKES = [
    ('id = "draw-1"', 'id = "../etc"', "table.id", "cannot name a table"),
    ('id = "draw-1"', 'id = ""', "table.id", "not empty"),
    ('id = "draw-1"', "id = 7", "table.id", "in quotes"),
    ('id = "draw-1"', "id = 2024-01-01", "table.id", "in quotes"),
    ('id = "draw-1"', 'id = "a\\u001b[2J"', "table.id", "control characters"),
    ('game = "draw-poker"', 'game = "draw-pocker"', "table.game", "Did you mean draw-poker?"),
    ('game = "draw-poker"', 'game = "blackjack"', "table.game", "is not one of"),
    ('game = "draw-poker"', "game = []", "table.game", "in quotes"),
    ("seats = 6", "seats = 0", "table.seats", "from 1 to 6"),
    ("seats = 6", "seats = 99", "table.seats", "from 1 to 6"),
    ("seats = 6", "seats = 6.0", "table.seats", "whole number"),
    ("seats = 6", "seats = true", "table.seats", "whole number"),
    ("seats = 6", 'seats = "6"', "table.seats", "without quotes"),
    ('currency = "CLP"', 'currency = "CPL"', "table.currency", "Did you mean CLP?"),
    ('currency = "CLP"', 'currency = "clp"', "table.currency", "Did you mean CLP?"),
    ('currency = "CLP"', 'currency = "pesos"', "table.currency", "ISO 4217"),
    ('language = "es"', 'language = "fr"', "table.language", "es, en"),
    (
        'timezone = "America/Santiago"',
        'timezone = "America/Santigo"',
        "table.timezone",
        "Did you mean America/Santiago",
    ),
    ('timezone = "America/Santiago"', 'timezone = "America"', "table.timezone", "IANA"),
    ('timezone = "America/Santiago"', 'timezone = "../../etc/passwd"', "table.timezone", "IANA"),
    ('day_starts = "06:00"', 'day_starts = "24:00"', "table.day_starts", "hours and minutes"),
    ('day_starts = "06:00"', "day_starts = 06:00:00", "table.day_starts", "hours and minutes"),
    ('acceptor = "credits"', 'acceptor = "credit"', "bet.acceptor", "Did you mean credits?"),
    ('denomination = "1000"', "denomination = 1000", "bet.denomination", 'in quotes, "1000"'),
    ('denomination = "1000"', 'denomination = "0"', "bet.denomination", "more than zero"),
    ('denomination = "1000"', 'denomination = "1000.50"', "bet.denomination", "at most 0 decimals"),
    ('denomination = "1000"', 'denomination = "-1000"', "bet.denomination", "plain digits"),
    ("min = 1 ", "min = 0 ", "bet.min", "from 1"),
    ("min = 1 ", "min = 4 ", "bet.max", "below the minimum"),
    ("min = 1 ", 'min = "1" ', "bet.min", "without quotes"),
    ("max = 3", "max = 1e3", "bet.max", "whole number"),
    ("max = 3", f"max = {10**400}", "bet.max", "from 1"),
    ('base = "10000000"', "base = 10000000.0", "pot.base", 'in quotes, "10000000"'),
    ('base = "10000000"', "base = 10000000", "pot.base", 'in quotes, "10000000"'),
    ('base = "10000000"', "base = nan", "pot.base", "is not money"),
    ('base = "10000000"', "base = -inf", "pot.base", "is not money"),
    ('base = "10000000"', "base = 1e7", "pot.base", "is not money"),
    ('base = "10000000"', "base = true", "pot.base", "is not money"),
    ('base = "10000000"', 'base = "NaN"', "pot.base", "plain digits"),
    ('base = "10000000"', 'base = "10.000.000"', "pot.base", "plain digits"),
    ('base = "10000000"', 'base = "999999999999999"', "pot.base", "larger than any amount"),
    ('base = "10000000"', 'base = "900000001"', "pot.limit", "below the base"),
    ('limit = "900000000"', 'limit = "none"', "pot.limit", "plain digits"),
    ('commission = "20%"', 'commission = "20"', "pot.commission", "percentage"),
    ('commission = "20%"', "commission = 20", "pot.commission", "in quotes"),
    ('commission = "20%"', "commission = 0.2", "pot.commission", "in quotes"),
    ('commission = "20%"', 'commission = "100.01%"', "pot.commission", "up to 100%"),
    ('commission = "20%"', 'commission = "-1%"', "pot.commission", "percentage"),
    ('commission = "20%"', 'commission = "20.005%"', "pot.commission", "two decimals"),
    ('commission = "20%"', 'commission = "91%"', "pot.commission", "together exceed 100%"),
    ('commission = "20%"', 'commission = "54%"', "prizes", "drain 36.2376% of bets"),
    ('fixed_prizes = "first"', 'fixed_prizes = "frist"', "pot.fixed_prizes", "Did you mean first?"),
    ('approve_from = "1000000"', 'approve_from = "much"', "pot.approve_from", "plain digits"),
    ('hand = "flush"', 'hand = "flash"', "prizes[1].hand", "Did you mean flush?"),
    ('hand = "flush"', 'hand = "straight-flush"', "prizes.straight-flush", "two prizes"),
    ("times = 50\n", "times = 50.0\n", "prizes.flush.times", "whole number"),
    ("times = 50\n", "times = 0\n", "prizes.flush.times", "from 1"),
    ("times = 50\n", "", "prizes.flush", "either times"),
    ("times = 50\n", 'times = 50\nshare = "1%"\n', "prizes.flush", "not both"),
    ("times = 50\n", "times = 50\ncap_times = 5\n", "prizes.flush.cap_times", "limits a share"),
    ("times = 50\n", 'share = "0%"\n', "prizes.flush.share", "more than 0%"),
    ("times = 50\n", 'share = "100%"\n', "prizes.royal-flush", "Only one hand"),
    ("times = 50\n", "time = 50\n", "prizes.flush.time", "Did you mean prizes.flush.times?"),
    ('backend = "simulated"', 'backend = "serial"', "hal.backend", "not in this version"),
    ('backend = "simulated"', 'backend = "gpoi"', "hal.backend", "Did you mean gpio?"),
    ("[hal]", "[hall]", "hall", "Did you mean hal?"),
    ("[hal]", "[zzzzzzz]", "zzzzzzz", "known here: table"),
    ("[hal]", '[hal]\n"a\\u001bb" = 1', "hal.a\\x1bb", "is unknown"),
    ("[hal]", '[journal]\ndirectory = "~/j"\n[hal]', "journal.directory", "whole path"),
    ("[hal]", "[journal]\nkeep = 0\n[hal]", "journal.keep", "from 1"),
    ("[hal]", '[journal]\ndirectory = "j"\ncopy = "j/copy"\n[hal]', "journal.copy", "in one another"),
    ("[hal]", f'[control]\nsocket = "/{"x" * 107}"\n[hal]', "control.socket", "107 bytes"),
    ("[hal]", '[control.allow]\nana = ["king"]\n[hal]', "control.allow.ana", "dealer, supervisor"),
    ("[hal]", "[control.allow]\nana = []\n[hal]", "control.allow.ana", "list of roles"),
    ("[hal]", '[control.allow]\n"a b" = ["dealer"]\n[hal]', "control.allow.a b", "no Unix user"),
    ("[hal]", "[control]\nallow = 3\n[hal]", "control.allow", "is a section"),
    ("[hal]", "[people]\nfile = 3\n[hal]", "people.file", "in quotes"),
]


@pytest.mark.parametrize(("old", "new", "key", "reason"), MISTAKES, ids=lambda value: value.strip()[:40])
def test_a_mistake_is_told_with_its_place_and_what_to_do(
    tmp_path: Path, old: str, new: str, key: str, reason: str
) -> None:
    text = with_line(old, new)
    problems = mistakes(tmp_path, text)
    found = [problem for problem in problems if problem.key == key]
    assert found, problems
    assert any(reason in problem.reason() for problem in found), [problem.reason() for problem in found]
    assert all(problem.line or problem.key == "prizes" for problem in problems)
    assert all(problem.file == str(tmp_path / "table.toml") for problem in problems)
    assert len(problems) <= 2


@pytest.mark.parametrize(
    "line",
    ['id = "draw-1"', 'game = "draw-poker"', 'currency = "CLP"', 'acceptor = "credits"', 'denomination = "1000"',
     "max = 3", 'base = "10000000"', 'commission = "20%"', 'hand = "flush"'],
)  # fmt: skip
def test_what_is_required_is_missed(tmp_path: Path, line: str) -> None:
    (problem,) = mistakes(tmp_path, with_line(line, ""))
    assert problem.key.rpartition(".")[2] == line.split(" ")[0]
    assert problem.reason().endswith("is missing.")


def test_a_misspelt_required_key_is_one_mistake(tmp_path: Path) -> None:
    (problem,) = mistakes(tmp_path, with_line('commission = "20%"', 'comission = "20%"'))
    assert (problem.key, problem.value, problem.nearest) == ("pot.comission", '"20%"', "pot.commission")


@pytest.mark.parametrize("section", ["table", "bet", "pot", "base", "hal", "journal", "control", "people"])
def test_a_section_must_be_one(tmp_path: Path, section: str) -> None:
    problems = mistakes(tmp_path, f"{section} = 3\n" + re.sub(rf"(?s)\[{section}\].*?(?=\n\[|\Z)", "", GOOD))
    assert problems[0].key == section
    assert problems[0].line == 1


@pytest.mark.parametrize("prizes", ["prizes = 3", "prizes = [1, 2]", 'prizes = "flush"', "prizes = []"])
def test_prizes_must_be_tables(tmp_path: Path, prizes: str) -> None:
    problems = mistakes(tmp_path, prizes + SMALLEST)
    assert {problem.key for problem in problems} == {"prizes"}


def test_a_machine_without_time_zones_says_what_to_install(tmp_path: Path) -> None:
    zoneinfo.reset_tzpath([])
    try:
        if zoneinfo.available_timezones():
            pytest.skip("the tzdata package of Python is installed")
        zoneinfo.ZoneInfo.clear_cache()
        (problem,) = mistakes(tmp_path, GOOD)
    finally:
        zoneinfo.reset_tzpath()
    assert "install the package tzdata" in problem.reason()


# --- all of them at once -------------------------------------------------------------------------------


def test_every_mistake_is_in_one_report_with_its_line(tmp_path: Path) -> None:
    text = GOOD
    wanted = []
    for old, new, key, line in [
        ("seats = 6", "seats = 99", "table.seats", "seats = 99"),
        ('currency = "CLP"', 'currency = "CPL"', "table.currency", "currency"),
        ('acceptor = "credits"', 'aceptor = "credits"', "bet.aceptor", "aceptor"),
        ('base = "10000000"', "base = 10000000.0", "pot.base", "base"),
        ('commission = "20%"', 'commission = "120%"', "pot.commission", "commission"),
        ('hand = "full-house"', 'hand = "full"', "prizes[2].hand", 'hand = "full"'),
        ("cap_times = 5000", "cap_times = 0", "prizes.straight-flush.cap_times", "cap_times"),
        ('backend = "simulated"', 'backend = "serial"', "hal.backend", "backend"),
    ]:
        text = text.replace(old, new)
        wanted.append((key, line))
    problems = mistakes(tmp_path, text)
    assert [(problem.key, problem.line) for problem in problems] == [(key, line_of(text, line)) for key, line in wanted]


def test_a_mistake_does_not_invent_others(tmp_path: Path) -> None:
    """The rules that look at a wrong value are silent; the others still speak."""
    text = with_line("max = 3", "max = 3.5").replace('base = "10000000"', 'base = "x"').replace('"20%"', '"95%"')
    assert [problem.key for problem in mistakes(tmp_path, text)] == ["bet.max", "pot.base", "pot.commission"]


def test_the_report_reads_well(tmp_path: Path) -> None:
    text = with_line('game = "draw-poker"', 'game = "draw-pocker"').replace("max = 3", "max = 0")
    with pytest.raises(ConfigError) as raised:
        read(tmp_path, text)
    assert str(raised.value) == (
        f"{tmp_path}/table.toml has 2 mistakes:\n"
        '  line 5: table.game = "draw-pocker"\n'
        '      "draw-pocker" is not one of: draw-poker, texas-holdem-plus, caribbean-poker, go-poker. '
        "Did you mean draw-poker?\n"
        "  line 16: bet.max = 0\n"
        "      0 must be from 1 to 1000000."
    )
    assert raised.value.language == "es"


def test_the_report_speaks_the_language_of_the_table(tmp_path: Path) -> None:
    with pytest.raises(ConfigError) as raised:
        read(tmp_path, with_line('language = "es"', 'language = "en"').replace("max = 3", "max = 0"))
    assert raised.value.language == "en"
    assert raised.value.report() == str(raised.value)


# --- no such file, no such text --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "line", "reason"),
    [
        (b"[table\n", 1, "not TOML"),
        (b"[table]\nid = \n", 2, "not TOML"),
        (b'[table]\nid = "a"\nid = "b"\n', 3, "not TOML"),
        (b'[table]\nid = """', 2, "not TOML"),
        (b"a = 1" + b"0" * 5000, 0, "not TOML"),
        (b"[table]\n\xff\xfe", 2, "UTF-8"),
        (b"\x00" * 100, 1, "not TOML"),
        (b"a = " + b"[" * 20_000, None, ""),
        (b"[table]\n" + b".".join([b"a"] * 30_000) + b" = 1", 2, "longer than any"),  # tomllib would take a minute
        (b"x" * (LARGEST_FILE + 1), 0, "larger than any configuration"),
    ],
    ids=lambda value: repr(value)[:30],
)
def test_what_is_no_toml_is_one_problem(tmp_path: Path, text: bytes, line: int | None, reason: str) -> None:
    (problem,) = mistakes(tmp_path, text)
    assert reason in problem.reason()
    assert line is None or problem.line == line


def test_an_empty_file_lacks_what_is_required(tmp_path: Path) -> None:
    assert {problem.key for problem in mistakes(tmp_path, "")} == {
        "table.id", "table.game", "table.currency", "bet.acceptor", "bet.denomination", "bet.max", "pot.base",
        "pot.commission",
    }  # fmt: skip


@pytest.mark.parametrize("name", ["missing.toml", ".", "a\0b", "x" * 300])
def test_a_file_that_cannot_be_read_is_told(tmp_path: Path, name: str) -> None:
    with pytest.raises(ConfigError) as raised:
        load(tmp_path / name, HOME)
    (problem,) = raised.value.problems
    assert "cannot be read" in problem.reason()


@given(st.binary(max_size=300))
def test_any_bytes_are_read_or_refused(tmp_path_factory: pytest.TempPathFactory, text: bytes) -> None:
    with pytest.raises(ConfigError) as raised:
        read(tmp_path_factory.getbasetemp(), text)
    assert raised.value.report("en")


WORDS = st.sampled_from([
    "table", "bet", "pot", "prizes", "allow", "id", "hand", '"a.b"', "[", "]", "[[", "]]", "=", "{", "}", ",", ".", "1",
    "1.5", "nan", "1979-05-27", "true", '"', '"""', "'", "'''", "#", "\\n", "20%", "\n", "\r\n", "[table]\n",
    "[[prizes]]\n", "[prizes]\n", "a = 1\n", "[control.allow]\n",
])  # fmt: skip


@given(st.lists(WORDS, max_size=40).map("".join))
def test_any_words_are_read_or_refused(tmp_path_factory: pytest.TempPathFactory, text: str) -> None:
    with pytest.raises(ConfigError) as raised:
        read(tmp_path_factory.getbasetemp(), text)
    assert raised.value.report("es")


TOML_VALUES = st.sampled_from(
    ["1", "-1", "0", "1.5", "nan", "true", '""', '"x"', '"1"', '"100%"', "[]", "[[1]]", "{}", "{a = 1}", "1979-05-27",
     "12:00:00", "'''\nx\n'''", "0xffffffffffffffffffff", '"\\u0000"']
)  # fmt: skip


@given(st.integers(0, 40), TOML_VALUES)
def test_any_value_under_any_key_is_read_or_refused(
    tmp_path_factory: pytest.TempPathFactory, index: int, value: str
) -> None:
    lines = [n for n, line in enumerate(GOOD.split("\n")) if " = " in line and not line.startswith("#")]
    text = GOOD.split("\n")
    place = lines[index % len(lines)]
    text[place] = text[place].partition(" = ")[0] + " = " + value
    unplaced: tuple[Problem, ...] = ()
    try:
        config = read(tmp_path_factory.getbasetemp(), "\n".join(text))
    except ConfigError as error:
        unplaced = tuple(problem for problem in error.problems if not problem.line)
    else:
        assert opening(config).main >= 0
    assert not unplaced


# --- against the journal ---------------------------------------------------------------------------------


def table_of(config: Config) -> Table:
    return evolve(None, opening(config))


def test_8_4_a_file_that_opened_the_journal_agrees_with_it(tmp_path: Path) -> None:
    config = read(tmp_path, GOOD)
    assert check_against(config, table_of(config)) == ()


def test_8_4_differing_parameters_are_told_with_the_command(tmp_path: Path) -> None:
    table = table_of(read(tmp_path, GOOD))
    new = read(tmp_path, with_line('base = "10000000"', 'base = "20000000"').replace("times = 50\n", "times = 60\n"))
    found = check_against(new, table)
    assert [(item.key, item.journal, item.file) for item in found] == [
        ("pot.base", "10000000", "20000000"),
        ("prizes.flush", "50", "60"),
    ]
    report = mismatch_report(found)
    assert "schedule pot.base 20000000\n" in report
    assert report.endswith("schedule prizes.flush 60")
    assert mismatch_report(found, "es")


def test_8_4_what_is_scheduled_may_stand_in_the_file_already(tmp_path: Path) -> None:
    old, new = read(tmp_path, GOOD), read(tmp_path, with_line('reserve = "10%"', 'reserve = "5%"'))
    table = table_of(old)
    planned = apply_change(table.pot.params, table.setup, "reserve", "5%")
    assert isinstance(planned, Params)
    pot = replace(table.pot, planned=planned, scheduled=(Change("reserve", "5%", ("ana", "luis")),))
    waiting = replace(table, pot=pot)
    assert check_against(old, waiting) == ()
    assert check_against(new, waiting) == ()
    other = read(tmp_path, with_line('reserve = "10%"', 'reserve = "6%"'))
    assert [item.key for item in check_against(other, waiting)] == ["pot.reserve"]


@pytest.mark.parametrize(
    ("old", "new", "key"),
    [
        ('id = "draw-1"', 'id = "draw-2"', "table.id"),
        ("seats = 6", "seats = 5", "table.seats"),
        ('currency = "CLP"', 'currency = "PYG"', "table.currency"),
        ('acceptor = "credits"', 'acceptor = "chips"', "bet.acceptor"),
        ('denomination = "1000"', 'denomination = "500"', "bet.denomination"),
    ],
)
def test_8_4_what_makes_another_table_cannot_be_scheduled(tmp_path: Path, old: str, new: str, key: str) -> None:
    table = table_of(read(tmp_path, GOOD))
    (item,) = check_against(read(tmp_path, with_line(old, new)), table)
    assert item.key == key
    assert "schedule" not in mismatch_report((item,))
    assert "journal" in mismatch_report((item,))


def test_8_4_free_keys_are_no_difference(tmp_path: Path) -> None:
    table = table_of(read(tmp_path, GOOD))
    free = with_line('language = "es"', 'language = "en"').replace("06:00", "07:30")
    assert check_against(read(tmp_path, free + "[journal]\nkeep = 3\n"), table) == ()


# --- the base game, where no source says what it pays ----------------------------------------------------


GO = (EXAMPLES / "go-1.toml").read_text()
LINE = '\n[[base.pays]]\nhand = "flush"\nante = 1\nbet = 5\n'


def go(base: str) -> str:
    """The smallest Go Poker table with that section."""
    return SMALLEST.replace("draw-poker", "go-poker") + base


@pytest.mark.parametrize("name", GAMES)
def test_7_every_game_can_be_configured_with_its_own_seats_cap_and_pay_table(tmp_path: Path, name: str) -> None:
    config = read(tmp_path, SMALLEST.replace("draw-poker", name))
    game = GAMES[name]
    assert config.setup.seats == game.max_seats
    assert config.base == game.base
    (capped,) = [rule for rule in config.params.prizes if rule.hand is Hand.STRAIGHT_FLUSH]
    assert capped.cap_times == game.straight_flush_cap
    (problem,) = mistakes(tmp_path, SMALLEST.replace('"draw-poker"', f'"{name}"\nseats = {game.max_seats + 1}'))
    assert problem.key == "table.seats"


def test_7_go_pokers_pay_table_is_the_files(tmp_path: Path) -> None:
    assert read(tmp_path, GO).base == GAMES["go-poker"].example
    assert read(tmp_path, go(LINE)).base == Base({Hand.FLUSH: Pays(1, 5)})
    alone = "\n[base]\nbet = false\n" + LINE.replace("bet = 5\n", "")
    assert read(tmp_path, go(alone)).base == Base({Hand.FLUSH: Pays(1, 0)}, bet=False)
    assert read(tmp_path, go("")).base is None


@pytest.mark.parametrize(
    ("base", "key", "reason"),
    [
        ("\n[base]\n", "base", "There is no line"),
        ('\n[base]\nbet = "yes"\n' + LINE, "base.bet", "true or false"),
        ("\n[base]\nbets = true\n" + LINE, "base.bets", "unknown"),
        (LINE.replace('"flush"', '"color"'), "base.pays[1].hand", "is not one of"),
        (LINE.replace("ante = 1\n", ""), "base.pays.flush.ante", "is missing"),
        (LINE.replace("bet = 5", "bet = -5"), "base.pays.flush.bet", "from 0 to 10000"),
        (LINE.replace("bet = 5", "bet = 1.5"), "base.pays.flush.bet", "whole number"),
        ("\n[base]\nbet = false\n" + LINE, "base.pays.flush.bet", "unknown"),
        (LINE + LINE, "base.pays.flush", "two lines"),
    ],
)
def test_every_mistake_in_a_base_section(tmp_path: Path, base: str, key: str, reason: str) -> None:
    (problem,) = mistakes(tmp_path, go(base))
    assert problem.key == key
    assert reason in problem.reason()
    assert problem.line > SMALLEST.count("\n")


def test_7_a_published_pay_table_cannot_be_changed(tmp_path: Path) -> None:
    (problem,) = mistakes(tmp_path, SMALLEST + LINE)
    assert problem.key == "base"
    assert "draw-poker" in problem.reason()
