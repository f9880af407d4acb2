"""`pozo simulate`: what it tells, in two languages and to programs, and how it ends."""

import json
import os
import pty
import re
import select
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from controller.cli import main as pozo
from controller.core import cards, pot
from controller.core.cards import HANDS, Hand
from controller.core.money import Units
from controller.simulate.cli import main
from tests.people.test_check import plain

TABLES = Path(__file__).parents[2] / "examples" / "tables"
DRAW, GO = str(TABLES / "draw-1.toml"), str(TABLES / "go-1.toml")
PATIENCE_S = 60.0
"""Real seconds that another process may take; a bound, never a wait."""


def asked(capsys: pytest.CaptureFixture[str], *arguments: str, status: int = 0) -> str:
    assert main(list(arguments)) == status
    said = capsys.readouterr()
    assert said.err == ""
    return plain(said.out)


def as_json(capsys: pytest.CaptureFixture[str], *arguments: str, status: int = 0) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(asked(capsys, *arguments, "--json", status=status))
    return found


# --- what it tells ---------------------------------------------------------------------------------------


def test_people_are_told_everything(capsys: pytest.CaptureFixture[str]) -> None:
    text = asked(capsys, DRAW, "--rounds", "60", "--seed", "1", "--language", "en")
    lines = text.splitlines()
    assert lines[0] == "Table draw-1 · Draw Poker Progressive · 6 seats · Chilean Peso (CLP)"
    assert lines[1].startswith("60 rounds, seed 1: ")
    assert sum(line.endswith(" ✓") for line in lines) == len(HANDS)
    assert re.search(r"main pot at the beginning +CLP 10,000,000", text)
    assert re.search(r"players who put an ANTE +360", text)
    assert "✓ The sums of 3.3 hold exactly; all meters are what 60 rounds of bets and cards make them." in text
    assert "An honest deck puts a given count outside in one run of 600,000, any of them in one of 10,000" in text
    assert "✗" not in text


def test_the_table_speaks_its_own_language(capsys: pytest.CaptureFixture[str]) -> None:
    assert asked(capsys, DRAW, "--rounds", "2").startswith("Mesa draw-1 · ")


def test_programs_are_told_the_same(capsys: pytest.CaptureFixture[str]) -> None:
    found = as_json(capsys, GO, "--rounds", "80", "--seed", "9")
    assert (found["ok"], found["rounds"], found["asked"], found["seed"], found["found"]) == (True, 80, 80, 9, None)
    assert [law["hand"] for law in found["hands"]] == list(HANDS)
    assert sum(sum(law["counts"]) for law in found["hands"]) == 80 * 7 == found["base_game"]["antes"]
    assert found["doubt"] == {"run": "1/10000", "count": "1/700000"}
    assert found["pot"]["start"] == "10000000.0000"
    assert found["base_game"]["opened"] is None, "Go Poker's dealer has no hand"
    assert found["base_game"]["example"] is False
    bets = sum(float(found["meters"][name]) for name in ("commission", "to_reserve", "to_main"))
    assert bets == float(found["meters"]["bets"]) > 0
    again = as_json(capsys, GO, "--rounds", "80", "--seed", "9")
    clock = {"seconds", "rounds_per_second"}
    assert {key: again[key] for key in again.keys() - clock} == {key: found[key] for key in found.keys() - clock}


def test_without_a_seed_the_one_that_was_drawn_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    first = as_json(capsys, DRAW, "--rounds", "5")
    assert as_json(capsys, DRAW, "--rounds", "5", "--seed", str(first["seed"]))["hands"] == first["hands"]


def test_a_table_without_a_pay_table_plays_by_the_example_and_says_so(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    table = tmp_path / "table.toml"
    table.write_text(Path(GO).read_text().partition("[base]")[0])
    text = asked(capsys, str(table), "--rounds", "3", "--language", "en")
    assert "(the file has no section [base]: the game's example was played)" in text


def test_it_is_a_command_of_pozo(capsys: pytest.CaptureFixture[str]) -> None:
    assert pozo(["simulate", DRAW, "--rounds", "1", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["rounds"] == 1


# --- what it finds ---------------------------------------------------------------------------------------


def test_3_3_a_sum_that_does_not_hold_is_told_with_its_round(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    right = pot._contribute
    monkeypatch.setattr(
        pot, "_contribute", lambda *args: replace(answer := right(*args), reserve=Units(answer.reserve + 1))
    )
    text = asked(capsys, DRAW, "--rounds", "9", "--language", "en", status=1)
    assert "✗ Round 1 is NOT IN ORDER: the table itself stopped: reserve pot" in text
    assert "[3.3]" in text
    found = as_json(capsys, DRAW, "--rounds", "9", status=1)
    assert (found["ok"], found["rounds"]) == (False, 0)
    assert (found["found"]["round"], found["found"]["clause"]) == (1, "3.3")


def test_6_hands_that_are_too_rare_are_told(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cards, "_SHAPES", cards._SHAPES | {(2, 1, 1, 1): Hand.TWO_PAIR, (2, 2, 1): Hand.PAIR})
    monkeypatch.setattr(cards, "_MIXED", cards._Strengths(suited=False))
    text = asked(capsys, DRAW, "--rounds", "150", "--language", "en", status=1)
    assert "✓ The sums of 3.3 hold exactly" in text
    assert "✗ 12 of 60 counts of hands lie outside what an honest deck gives." in text
    assert sum(line.endswith(" ✗") for line in text.splitlines()) == 2


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--rounds", "0"], "--rounds: write a whole number from 1 to 100000000; '0' is none."),
        (["--rounds", "1e3"], "'1e3' is none."),
        (["--rounds", "9" * 30], "is none."),
        (["--seed", "-1"], "--seed: write a whole number; '-1' is none."),
    ],
)
def test_nonsense_gets_a_sentence_and_exit_status_2(
    capsys: pytest.CaptureFixture[str], arguments: list[str], said: str
) -> None:
    assert main([DRAW, "--language", "en", *arguments]) == 2
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    assert said in err


def test_a_file_that_cannot_be_read_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["nowhere.toml", "--language", "en"]) == 2
    assert "nowhere.toml" in capsys.readouterr().err


# --- while it runs ---------------------------------------------------------------------------------------


def test_ctrl_c_ends_it_with_the_figures_so_far() -> None:
    """A bar grows on the terminal; the round under way is played to its end, the bar goes, the report comes."""
    command = (sys.executable, "-m", "controller.cli", "simulate", DRAW, "--rounds", "2000", "--json", "--seed", "1")
    master, slave = pty.openpty()
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=slave)
    os.close(slave)
    try:
        seen = b""
        while "█".encode() not in seen:
            assert select.select([master], [], [], PATIENCE_S)[0], "no bar"
            seen += os.read(master, 65536)
        process.send_signal(signal.SIGINT)
        out, _ = process.communicate(timeout=PATIENCE_S)
        seen += os.read(master, 65536) if select.select([master], [], [], 0)[0] else b""
    finally:
        process.kill()
        process.wait()
        os.close(master)
    found = json.loads(out)
    assert process.returncode == 0
    assert found["ok"]
    assert 0 < found["rounds"] < 2000 == found["asked"]
    assert seen.endswith(b"\r\x1b[K")
