"""A game is one file, as docs/games.md says: the page's own example is played, and nothing else knows names."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest
from msgspec.structs import replace

from controller.config import load
from controller.core.games.catalogue import GAMES
from controller.core.games.game import Game
from controller.hand import main
from controller.simulate.rounds import Simulation

from ..table import T

ROOT = Path(__file__).parents[3]
PAGE = ROOT / "docs" / "games.md"
GAMES_FOLDER = ROOT / "controller" / "core" / "games"
NAME = "five-card-stud"


@pytest.fixture
def fifth(monkeypatch: pytest.MonkeyPatch) -> Game:
    """The example of the page, in the catalogue for one test."""
    (example,) = re.findall(r"```python\n(.*?)```", PAGE.read_text(), re.DOTALL)
    names: dict[str, Any] = {}
    exec(example, names)
    (game,) = [value for value in names.values() if isinstance(value, Game)]
    monkeypatch.setitem(GAMES, game.name, game)
    return game


def test_the_example_of_the_page_is_a_game(fifth: Game) -> None:
    assert fifth.name == NAME
    t = T(game=NAME)
    t.deal(1, 1, 1)
    t.fold(1)
    t.irregular("wrong-count", 3)
    t.show(s2="2h 4h 6h 8h Th")
    assert t["prize.2.amount"] == "50000"


def test_the_example_of_the_page_can_be_configured_and_asked(
    fifth: Game, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    table = (ROOT / "examples" / "tables" / "texas-1.toml").read_text().replace("texas-holdem-plus", NAME)
    (tmp_path / "stud.toml").write_text(table)
    config = load(tmp_path / "stud.toml")
    assert config.setup.seats == fifth.max_seats
    Simulation(config, Random(1)).run(20)
    assert main(["dealer", NAME, "Qc", "Jd", "9h", "3s", "2c", "--json"]) == 0
    assert capsys.readouterr().out == '{"opens":true,"change":[],"clause":"7"}\n'


def test_5_3_a_game_may_let_cards_be_exchanged_without_a_forfeit(fifth: Game, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(GAMES, NAME, replace(fifth, exchanges=2))
    t = T(game=NAME)
    t.deal(1)
    with t.refuses("not-allowed", "5.3"):
        t.exchange(1)
    t.declare(1, "flush")


def texts(module: Path) -> Iterator[str]:
    """All texts of a module but its docstrings."""
    tree = ast.parse(module.read_text())
    told = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in told:
            yield node.value


def test_nothing_outside_the_folder_names_a_game() -> None:
    modules = [
        module
        for room in ("controller", "hal", "firmware")
        for module in (ROOT / room).rglob("*.py")
        if GAMES_FOLDER not in module.parents
    ]
    assert len(modules) > 50
    found = [f"{module}: {text}" for module in modules for text in texts(module) if text in GAMES]
    assert found == []


def test_every_game_has_a_file_and_a_table_to_copy() -> None:
    played = {load(file).setup.game for file in (ROOT / "examples" / "tables").glob("*.toml")}
    assert played == set(GAMES)
    assert {f"{name.replace('-', '_')}.py" for name in GAMES} <= {file.name for file in GAMES_FOLDER.iterdir()}
