"""Everything in examples/: each scenario holds, and its money adds up to the last ten-thousandth (rules 3.3)."""

from __future__ import annotations

import logging
from decimal import Decimal
from pathlib import Path
from typing import Any, cast

import pytest

from controller.config import load
from controller.play import DEFAULT_TABLE, Result, play

EXAMPLES = Path(__file__).parents[2] / "examples"
SCENARIOS = sorted((EXAMPLES / "scenarios").glob("*.txt"))
TABLES = sorted((EXAMPLES / "tables").glob("*.toml"))
TABLE_LINE = "# table: "
FEWEST_EXPECTS = 5

# What nobody sees in the view: corrections and transfers move a pot beside the meters that are shown.
BESIDES = {"correction-and-transfer", "schedule", "seeding", "two-royals"}


def table_of(scenario: Path) -> Path:
    """The table that `scenario` is for: the one that its first line names, or the default."""
    first = scenario.read_text(encoding="utf-8").partition("\n")[0]
    if not first.startswith(TABLE_LINE):
        return DEFAULT_TABLE
    return EXAMPLES / "tables" / first.removeprefix(TABLE_LINE)


def unannounced(scenario: Path, result: Result) -> list[str]:
    """Refusals that no ``refused`` line expects."""
    met = {(refusal.line, refusal.code) for refusal in result.refusals}
    announced: set[tuple[int, str]] = set()
    act = 0
    for number, line in enumerate(scenario.read_text(encoding="utf-8").split("\n"), start=1):
        words = line.partition("#")[0].split()
        if words[:1] == ["refused"]:
            announced.add((act, words[1]))
        elif words and words[0] != "expect":
            act = number
    return [f"line {line}: {code}" for line, code in sorted(met - announced)]


def amount(group: Any, name: str) -> Decimal:
    """An amount or a count of the view, exactly."""
    return Decimal(str(group[name]))


def check_identities(state: dict[str, Any], base: Decimal, *, besides: bool) -> None:
    """The identities of 3.3, recomputed from what everybody can read. `besides`: pots were also moved by hand."""
    m, pot = state["meters"], state["pot"]
    assert amount(m, "bets") == amount(m, "commission") + amount(m, "to_reserve") + amount(m, "to_main")
    assert amount(m, "bets") == amount(m, "turnover") - amount(m, "returned")
    prizes = amount(m, "fixed_prizes") + amount(m, "share_prizes")
    cover = amount(m, "reserve_cover") + amount(m, "house_cover")
    seeds = amount(m, "seed_reserve") + amount(m, "seed_house")
    main = base + amount(m, "to_main") + seeds - (prizes - cover) - amount(m, "overflow")
    reserve = amount(m, "to_reserve") + amount(m, "overflow") - amount(m, "seed_reserve") - amount(m, "reserve_cover")
    if not besides:
        assert amount(pot, "main") == main
        assert amount(pot, "reserve") == reserve
    assert amount(pot, "main") >= 0
    assert amount(pot, "reserve") >= 0


def check_credits(state: dict[str, Any], denomination: Decimal) -> None:
    """Credits bought are still on a seat, in a bet that has not entered the pot, cashed out, or were bet (2.2)."""
    m = state["meters"]
    there = sum(int(seat["credits"]) for seat in state["seats"])
    entered = amount(m, "bets") / denomination
    waiting = sum(Decimal(seat["bet"]) for seat in state["seats"]) / denomination if not state["sealed"] else Decimal(0)
    if state["phase"] == "idle":
        waiting = Decimal(0)
    assert m["credits_in"] - m["credits_out"] == there + entered + waiting


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda path: path.stem)
def test_an_example_holds(scenario: Path, caplog: pytest.LogCaptureFixture) -> None:
    config = load(table_of(scenario))
    story: list[str] = []
    with caplog.at_level(logging.WARNING):
        result = play(config, scenario, story.append)
    assert result.failed == []
    assert result.ok
    assert unannounced(scenario, result) == []
    assert not caplog.records
    assert story
    lines = scenario.read_text(encoding="utf-8").split("\n")
    assert sum(line.startswith("expect ") for line in lines) >= FEWEST_EXPECTS

    state = cast(dict[str, Any], result.state)
    assert state["out_of_service"] is None
    base = Decimal(config.params.base) / 10**config.setup.digits
    check_identities(state, base, besides=scenario.stem in BESIDES)
    if config.setup.acceptor == "credits":
        check_credits(state, Decimal(config.setup.denomination) / 10**config.setup.digits)


@pytest.mark.parametrize("table", TABLES, ids=lambda path: path.stem)
def test_an_example_table_is_sound_and_used(table: Path) -> None:
    load(table)
    used = {table_of(scenario).name for scenario in SCENARIOS}
    assert table.name in used


def test_the_table_of_the_examples_is_the_one_that_play_takes_by_default() -> None:
    assert (EXAMPLES / "tables" / DEFAULT_TABLE.name).read_bytes() == DEFAULT_TABLE.read_bytes()


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda path: path.stem)
def test_an_example_is_told_by_the_readme(scenario: Path) -> None:
    assert f"({scenario.relative_to(EXAMPLES)})" in (EXAMPLES / "README.md").read_text(encoding="utf-8")


def test_the_examples_are_all_there() -> None:
    """What the project promises to show; a file that is renamed or lost is missed."""
    assert len(SCENARIOS) >= 35
    assert len(TABLES) >= 8
