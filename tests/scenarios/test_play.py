"""`pozo play` as its users start it: arguments in, text or JSON out, an exit code (contract in docs/scenarios.md)."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from decimal import Decimal
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from controller.core.messages import msg
from controller.i18n import translator
from controller.play import main
from tests.scenarios.test_examples import EXAMPLES, SCENARIOS, table_of

ROOT = Path(__file__).parents[2]
MB = 1_000_000


class Run(NamedTuple):
    code: int
    out: str
    err: str
    kilobytes: int


def pozo_play(*args: str | Path, environment: dict[str, str] | None = None) -> Run:
    """Run `pozo play` with `args` in a process of its own, and measure the memory it took."""
    process = subprocess.Popen(
        [sys.executable, "-m", "controller.cli", "play", *map(str, args)],
        cwd=ROOT,
        env={**os.environ, "PYTHONIOENCODING": "utf-8", **(environment or {})},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        encoding="utf-8",
    )
    out, err = process.communicate(timeout=60)
    assert "Traceback" not in err
    return Run(process.returncode, out, err, 0)


def called(capsys: pytest.CaptureFixture[str], *args: str | Path) -> Run:
    """The same in this process, for long lists of small cases."""
    code = main(list(map(str, args)))
    printed = capsys.readouterr()
    return Run(code, printed.out, printed.err, 0)


def pozo_play_measured(file: Path) -> Run:
    """As `pozo_play`, with output small enough for a pipe; `kilobytes` is the peak of resident memory."""
    process = subprocess.Popen(
        [sys.executable, "-m", "controller.cli", "play", str(file)],
        cwd=ROOT,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        encoding="utf-8",
    )
    assert process.stderr is not None
    err = process.stderr.read()
    process.stderr.close()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    return Run(process.returncode, "", err, usage.ru_maxrss)


@pytest.fixture
def write(tmp_path: Path) -> Any:
    """Writes a scenario, or a table, and returns its path."""

    def write(text: str, name: str = "evening.txt") -> Path:
        path = tmp_path / name
        path.write_text(text, encoding="utf-8")
        return path

    return write


def played(file: Path, *args: str | Path) -> tuple[int, dict[str, Any]]:
    """Exit code and JSON object."""
    run = pozo_play(file, "--json", *args)
    assert run.err == ""
    assert run.out.count("\n") == 1  # one object on one line
    return run.code, json.loads(run.out)


# --- The JSON object ------------------------------------------------------------------------------------------


TEXT_METERS = [
    "bets", "commission", "to_main", "to_reserve", "overflow", "seed_reserve", "seed_house", "reserve_cover",
    "house_cover", "fixed_prizes", "share_prizes", "turnover", "returned",
]  # fmt: skip
COUNT_METERS = ["bet_count", "credits_in", "credits_out", "late_chips", "excess_chips"]


def shape(value: object) -> object:
    """The types in a JSON value, in the order of its keys; a list by its first item."""
    if isinstance(value, dict):
        return {key: shape(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [shape(value[0])] if value else []
    return type(value).__name__


def test_the_json_object_has_the_shape_of_the_contract(write: Any) -> None:
    file = write(
        "load 1 3\nkey open\npress 1\nkey lock\ndeclare 2 flush\ndeclare 1 straight-flush\nsettle\n"
        "expect seat.1.bet 2000\n"
    )
    code, result = played(file)
    assert code == 1
    seat = {
        "seat": "int", "status": "str", "reason": "NoneType", "credits": "int", "bet": "str", "lamp": "str",
        "forfeit": "NoneType", "hand": "str", "owed": "str",
    }  # fmt: skip
    hits = ("flush", "full-house", "four-of-a-kind", "straight-flush", "royal-flush")
    pots = TEXT_METERS[:11]
    assert shape(result) == {
        "ok": "bool",
        "failed": [{"line": "int", "expected": "str", "found": "str"}],
        "refusals": [{"line": "int", "code": "str", "clause": "str", "message": "str"}],
        "state": {
            "table": "str", "round": "int", "phase": "str", "sealed": "bool", "out_of_service": "NoneType",
            "pot": {"main": "str", "reserve": "str", "base": "str"},
            "seats": [seat],
            "prizes": [{"seat": "int", "hand": "str", "amount": "str", "status": "str"}],
            "meters": {
                "bet_count": "int",
                **dict.fromkeys(pots, "str"),
                "turnover": "str", "returned": "str", "credits_in": "int", "credits_out": "int",
                "late_chips": "int", "excess_chips": "int",
                "hits": dict.fromkeys(hits, "int"),
            },
        },
    }  # fmt: skip
    assert result["ok"] is False
    assert result["failed"] == [{"line": 8, "expected": "2000", "found": "1000"}]
    assert result["refusals"][0] | {"message": ""} == {"line": 5, "code": "no-bet", "clause": "2.1", "message": ""}
    assert result["refusals"][0]["message"]
    state = result["state"]
    assert [seat["seat"] for seat in state["seats"]] == [1, 2, 3, 4, 5, 6]
    assert state["pot"] == {"main": "9000630.0000", "reserve": "100.0000", "base": "10000000.0000"}
    assert state["prizes"] == [
        {"seat": 1, "hand": "straight-flush", "amount": "1000070", "status": "unapproved"},
    ]
    assert state["seats"][0]["bet"] == "1000"
    assert state["seats"][0]["lamp"] == "lit"
    assert state["meters"]["to_main"] == "700.0000"
    assert state["meters"]["turnover"] == "1000"


def test_before_anything_happened(write: Any) -> None:
    """A new table: main pot at its base, reserve 0, no credits, key locked, phase idle."""
    code, result = played(write("# nothing happens\n\n"))
    assert (code, result["ok"], result["failed"], result["refusals"]) == (0, True, [], [])
    state = result["state"]
    assert (state["table"], state["round"], state["phase"], state["sealed"]) == ("draw-1", 0, "idle", False)
    assert state["pot"] == {"main": "10000000.0000", "reserve": "0.0000", "base": "10000000.0000"}
    assert state["prizes"] == []
    assert all(state["meters"][name] == 0 for name in COUNT_METERS)
    assert all(Decimal(state["meters"][name]) == 0 for name in TEXT_METERS)
    for seat in state["seats"]:
        assert seat | {"seat": 0} == {
            "seat": 0, "status": "open", "reason": None, "credits": 0, "bet": "0", "lamp": "off", "forfeit": None,
            "hand": None, "owed": "0",
        }  # fmt: skip


@pytest.mark.parametrize(
    ("currency", "denomination", "base", "pot", "bet"),
    [
        ("BOB", "2.50", "40000", "40001.750000", "2.50"),
        ("KWD", "0.125", "500.005", "500.0925000", "0.125"),
        ("JPY", "100", "50000", "50070.0000", "100"),
        ("EUR", "0.05", "1000.01", "1000.045000", "0.05"),
    ],
)
def test_3_1_amounts_have_the_digits_of_their_currency(
    write: Any, currency: str, denomination: str, base: str, pot: str, bet: str
) -> None:
    table = write(
        f'[table]\nid = "t"\ngame = "draw-poker"\ncurrency = "{currency}"\nlanguage = "en"\n'
        f'[bet]\nacceptor = "credits"\ndenomination = "{denomination}"\nmin = 1\nmax = 3\n'
        f'[pot]\nbase = "{base}"\ncommission = "20%"\nreserve = "10%"\n',
        "table.toml",
    )
    file = write(f"load 1 2\nkey open\npress 1\nkey lock\nexpect pot.main {pot}\nexpect seat.1.bet {bet}\n")
    code, result = played(file, "--config", table)
    assert result["failed"] == []
    assert code == 0
    assert result["state"]["pot"]["main"] == pot
    assert result["state"]["seats"][0]["bet"] == bet


def test_3_1_a_limit_and_a_rate_with_two_decimals_in_centavos(write: Any) -> None:
    table = write(
        '[table]\nid = "t"\ngame = "draw-poker"\ncurrency = "BOB"\nlanguage = "en"\n'
        '[bet]\nacceptor = "chips"\ndenomination = "0.25"\nmin = 1\nmax = 9\n'
        '[pot]\nbase = "100.10"\nlimit = "100.35"\ncommission = "12.34%"\nreserve = "0.01%"\n',
        "table.toml",
    )
    # 0.75 in three chips: commission 0.09255, reserve 0.000075, main 0.657375; 100.757375 is 0.407375 too much.
    file = write(
        "key open\nchip 1 0.25\nchip 2 0.5\nkey lock\n"
        "expect meters.commission 0.09255\nexpect meters.to_reserve 0.000075\nexpect meters.to_main 0.657375\n"
        "expect meters.overflow 0.407375\nexpect pot.main 100.35\nexpect pot.reserve 0.40745\n"
    )
    code, result = played(file, "--config", table)
    assert result["failed"] == []
    assert code == 0


# --- Exit codes, and what is said -----------------------------------------------------------------------------------


def test_0_when_everything_held(write: Any) -> None:
    run = pozo_play(write("load 1 2\nexpect seat.1.credits 2\npress 1\nrefused not-open\n"))
    assert run.code == 0
    assert run.err == ""


def test_a_refusal_that_nobody_expected_is_listed_and_does_not_fail(write: Any) -> None:
    code, result = played(write("settle\n"))
    assert code == 0
    assert result["ok"] is True
    assert [(refusal["line"], refusal["code"]) for refusal in result["refusals"]] == [(1, "not-locked")]


def test_1_when_an_expectation_did_not_hold_and_all_of_them_are_listed(write: Any) -> None:
    file = write(
        "load 1 2\n"
        "expect seat.1.credits 3\n"
        "refused no-credits\n"
        "expect seat.9.credits 0\n"
        "expect pot 5\n"
        "expect seat.1.reason none\n"
        "settle\n"
        "refused no-bet\n"
        "expect pot.main 10000000.0\n"
    )
    code, result = played(file)
    assert code == 1
    assert result["ok"] is False
    failed = {failure["line"]: failure for failure in result["failed"]}
    assert sorted(failed) == [2, 3, 4, 5, 8]
    assert (failed[2]["expected"], failed[2]["found"]) == ("3", "2")
    assert (failed[3]["expected"], failed[3]["found"]) == ("no-credits", "none")
    assert failed[4]["expected"] == "0"
    assert failed[5]["found"]
    assert (failed[8]["expected"], failed[8]["found"]) == ("no-bet", "not-locked")

    run = pozo_play(file)
    assert run.code == 1
    assert "   2 ✗ expect seat.1.credits 3" in run.out
    assert "   9 ✓ expect pot.main 10000000.0" in run.out


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("shuffle 3", "shuffle"),
        ("press", "press SEAT [TIMES]"),
        ("press one", "press SEAT [TIMES]"),
        ("press 1 2 3", "press SEAT [TIMES]"),
        ("press -1", "press SEAT [TIMES]"),
        ("load 1 1.5", "load SEAT CREDITS"),
        ("load 1 NaN", "load SEAT CREDITS"),
        ("declare 1 As Kh Qd", "declare"),
        ("declare 1 As Kh Qd Jc Xs", "declare"),
        ("declare 1 flushh", "flush"),
        ("key ajar", "key"),
        ("wait -1", "wait SECONDS"),
        ("wait 1e3", "wait SECONDS"),
        ("break leg 1", "break"),
        ("void", "void REASON"),
        ("expect seat.1.bet", "expect PATH VALUE"),
        ("refused", "refused CODE"),
        ("\x00\x01", "U+0000"),
        ("press 1 \u2028 key open", "U+2028"),
    ],
)
def test_2_for_a_line_that_says_nothing_known(
    write: Any, capsys: pytest.CaptureFixture[str], line: str, said: str
) -> None:
    file = write(f"# an evening\nkey open\n{line}\nkey lock\n")
    run = called(capsys, file, "--json")
    assert run.code == 2
    assert run.out == ""
    assert run.err.startswith(f"{file}:3: ")
    assert said in run.err


def test_2_with_every_wrong_line_at_once_counted_as_editors_count(write: Any) -> None:
    file = write("pres 1\r\n\x0c\nkey open\x0bkey lock\nload 1 1\nprss 2\n")
    run = pozo_play(file)
    assert run.code == 2
    assert [line.removeprefix(f"{file}:").split(":")[0] for line in run.err.splitlines()] == ["1", "2", "3", "5"]


def test_lines_may_end_as_on_other_systems_and_begin_with_a_mark(write: Any) -> None:
    file = write("\ufeff# from a Windows editor\r\nload 1 2\r\nexpect seat.1.credits 2\r\n")
    assert pozo_play(file).code == 0


def test_2_for_files_that_are_no_scenarios(tmp_path: Path, write: Any) -> None:
    nowhere, folder, binary = tmp_path / "nowhere.txt", tmp_path / "folder", tmp_path / "binary"
    folder.mkdir()
    binary.write_bytes(bytes(range(256)) * 400)
    for file in (nowhere, folder):
        run = pozo_play(file)
        assert run.code == 2
        assert run.out == ""
        assert str(file) in run.err
        assert "Errno" not in run.err
        assert run.err.count("\n") == 1
    run = pozo_play(binary)
    assert run.code == 2
    assert run.out == ""
    assert f"{binary}:1: " in run.err
    assert run.err.count("\n") < 30  # the first lines say it all
    assert len(run.err) < 10_000
    run = pozo_play()
    assert run.code == 2
    assert "FILE" in run.err


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_2_for_a_file_that_may_not_be_read(write: Any) -> None:
    file = write("key open\n")
    file.chmod(0)
    run = pozo_play(file)
    assert run.code == 2
    assert str(file) in run.err


@pytest.mark.parametrize("byte", [b"\0", b"x", b"#"])
def test_a_line_of_100_mb_is_refused_and_not_read(tmp_path: Path, byte: bytes) -> None:
    file = tmp_path / "long.txt"
    with file.open("wb") as out:
        out.write(b"key open\n")
        for _ in range(100):
            out.write(byte * MB)
    small = tmp_path / "small.txt"
    small.write_text("key ajar\n")
    run, usual = pozo_play_measured(file), pozo_play_measured(small)
    assert usual.code == 2
    assert run.code == 2
    assert run.err.startswith(f"{file}:2: ")
    assert len(run.err) < 1000
    assert run.kilobytes - usual.kilobytes < 10_000


def test_2_for_a_configuration_that_is_wrong(tmp_path: Path, write: Any) -> None:
    file = write("key open\n")
    missing = tmp_path / "nowhere.toml"
    run = pozo_play(file, "--config", missing)
    assert run.code == 2
    assert str(missing) in run.err
    table = write('[table]\nid = "t"\ngame = "draw-pokr"\ncurrency = "XXQ"\nseats = 99\n', "table.toml")
    run = pozo_play(file, "--config", table)
    assert run.code == 2
    assert run.out == ""
    for said in (str(table), "draw-poker", "XXQ", "99"):
        assert said in run.err


@pytest.mark.parametrize(
    ("table", "line"),
    [
        ("draw-1", "chip 1 1000"),
        ("draw-1", "break slot 1"),
        ("draw-1", "break display 1"),
        ("draw-chips", "press 1"),
        ("draw-chips", "chip 1 1500"),
        ("draw-chips-bob", "chip 1 3"),
        ("draw-chips", "break button 1"),
    ],
)
def test_2_for_what_no_such_table_could_do(
    write: Any, capsys: pytest.CaptureFixture[str], table: str, line: str
) -> None:
    file = write(f"key open\n{line}\n")
    run = called(capsys, file, "--json", "--config", EXAMPLES / "tables" / f"{table}.toml")
    assert run.code == 2
    assert run.out == ""
    assert run.err.startswith(f"{file}:2: {line}: ")
    assert len(run.err) < 400


def test_a_chip_that_is_none_is_named_in_the_tables_currency(write: Any) -> None:
    run = pozo_play(write("chip 1 3\n"), "--config", EXAMPLES / "tables" / "draw-chips-bob.toml")
    assert run.code == 2
    assert "3.00" in run.err
    assert "2.50" in run.err


def test_what_nobody_has_is_no_seat(write: Any) -> None:
    file = write("press 0\nrefused unknown-seat\npress 7\nrefused unknown-seat\nbreak node 99\nrefused unknown-seat\n")
    assert pozo_play(file).code == 0


# --- The same again -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("stem", "how"), [("in-flight-at-lock", ["--json"]), ("power-cut-unsealed", [])])
def test_two_runs_print_the_same_bytes(stem: str, how: list[str]) -> None:
    """Whatever the order in which this Python happens to keep its sets."""
    scenario = EXAMPLES / "scenarios" / f"{stem}.txt"
    one, other = (pozo_play(scenario, *how, environment={"PYTHONHASHSEED": seed}) for seed in ("1", "2"))
    assert one == other
    assert one.code == 0


def test_nothing_is_left_behind(tmp_path: Path, write: Any) -> None:
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    for text in ("load 1 3\n", "chip 1\n", "power off\n"):
        pozo_play(write(text), environment={"TMPDIR": str(temporary)})
        assert list(temporary.iterdir()) == []


# --- The story --------------------------------------------------------------------------------------------------------


def test_the_story_is_the_file_with_what_it_led_to(write: Any) -> None:
    table = EXAMPLES / "tables" / "draw-small.toml"
    file = write(
        "# Two players.\n\nload 1 2   # a little\nkey open\npress 1\nexpect seat.1.bet 1000\nfold 1\n"
        "refused not-locked\nexpect seat.1.bet 7\nkey lock\nsettle\n"
    )
    run = pozo_play(file, "--config", table)
    assert run.code == 1
    lines = run.out.splitlines()
    at = {line.split()[0]: line for line in lines if line.split() and line.split()[0].isdigit()}
    assert at["1"] == "   1   # Two players."
    assert at["3"] == "   3   load 1 2   # a little"
    assert at["6"] == "   6 ✓ expect seat.1.bet 1000"
    assert at["8"] == "   8 ✓ refused not-locked"
    assert at["9"] == "   9 ✗ expect seat.1.bet 7"
    after = {number: lines[lines.index(line) + 1].strip() for number, line in at.items()}
    assert after["5"] == "Seat 1 bets 1000."
    assert after["7"] == "✗ Lock betting first; hands need a sealed round. [not-locked, 2.9]"
    assert after["9"] == "expected 7, found 1000"
    assert not any("was refused" in line for line in lines)  # said once
    assert lines[lines.index(at["11"]) + 1].strip() == "Settled: no prize."  # no pot that did not move
    assert lines[-1] == "Expectations that did not hold: 1."


def test_the_story_speaks_the_language_of_the_table(write: Any) -> None:
    file = write("settle\n")
    spanish, english = pozo_play(file), pozo_play(file, "--config", EXAMPLES / "tables" / "draw-small.toml")
    text = msg("Lock betting first; hands need a sealed round.")
    assert translator("es").text(text) in spanish.out
    assert text in english.out
    assert text not in spanish.out


def test_a_reader_who_goes_away_is_no_error() -> None:
    scenario = SCENARIOS[0]
    reads, writes = os.pipe()
    os.close(reads)
    with os.fdopen(writes, "w") as gone:
        run = subprocess.run(
            [sys.executable, "-m", "controller.cli", "play", str(scenario), "--config", str(table_of(scenario))],
            cwd=ROOT, stdout=gone, stderr=subprocess.PIPE, text=True, timeout=60, check=False,
        )  # fmt: skip
    assert run.stderr == ""
    assert run.returncode == 0
