"""docs/scenarios.md says what is so: its scenario plays, its words and codes are those of the program."""

from __future__ import annotations

import json
import re
from pathlib import Path

import msgspec
import pytest

from controller.config import load
from controller.play import DEFAULT_TABLE, play
from controller.words import VOCABULARY

ROOT = Path(__file__).parents[2]
DOCUMENT = (ROOT / "docs" / "scenarios.md").read_text(encoding="utf-8")
FENCES = re.findall(r"```(\w*)\n(.*?)```", DOCUMENT, re.DOTALL)


def the_scenario() -> str:
    return str(next(text for _, text in FENCES if text.startswith("# a-flush.txt")))


def test_the_scenario_holds_and_no_refusal_surprises(tmp_path: Path) -> None:
    file = tmp_path / "a-flush.txt"
    file.write_text(the_scenario(), encoding="utf-8")
    result = play(load(DEFAULT_TABLE), file)
    assert result.ok
    assert [refusal.code for refusal in result.refusals] == ["not-open"]


def test_the_object_is_the_one_that_is_printed(tmp_path: Path) -> None:
    file = tmp_path / "a-flush.txt"
    file.write_text(the_scenario().replace("amount 100000", "amount 10000"), encoding="utf-8")
    printed = msgspec.to_builtins(play(load(DEFAULT_TABLE), file))
    written = json.loads(next(text for language, text in FENCES if language == "json"))
    printed["refusals"][0]["message"] = "…"
    printed["state"]["seats"] = printed["state"]["seats"][:1]
    assert json.dumps(written) == json.dumps(printed)  # the order of the keys, too


@pytest.mark.parametrize("entry", VOCABULARY, ids=lambda entry: entry.word)
def test_every_word_is_told_with_its_slots(entry: object) -> None:
    usage = getattr(entry, "usage", "")
    assert f"| `{usage.replace('|', chr(92) + '|')}` |" in DOCUMENT


def test_every_code_is_told_and_no_other() -> None:
    section = DOCUMENT.partition("## Codes of refusals")[2].partition("\n## ")[0]
    told = {code for row in re.findall(r"^\| (`.*?) \|", section, re.MULTILINE) for code in re.findall(r"`(.+?)`", row)}
    given: set[str] = set()
    for source in (ROOT / "controller" / "core").rglob("*.py"):
        given |= set(re.findall(r"[Rr]efusal\(\s*\"([a-z0-9-]+)\"", source.read_text(encoding="utf-8")))
    assert told == given
