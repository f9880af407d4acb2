"""The table of 7.3, cell by cell, and what the dealer is told."""

from typing import get_args

import pytest

from controller.core.games.catalogue import GAMES
from controller.core.games.game import ADVICE, KINDS, NEEDS_SEAT, Outcome
from controller.i18n import translator
from controller.slots import KIND
from controller.story import Story

from ..table import T, setup

USUAL = {
    "exposed": "burn",
    "player-card": "go-on",
    "player-cards": "void-round",
    "dealer-card": "void-round",
    "stuck": "choose",
    "wrong-count": "void-seat",
    "dealer-count": "void-round",
    "information": "house-rules",
    "no-ante": "return-bet",
}
CARIBBEAN = {
    **dict.fromkeys(USUAL, "void-round"),
    "information": "lose-all",
    "no-ante": "return-bet",
}
TABLE = {
    "draw-poker": USUAL,
    "texas-holdem-plus": {**USUAL, "fourth-flop": "burn"},
    "go-poker": USUAL,
    "caribbean-poker": CARIBBEAN,
}
CELLS = [(game, kind, outcome) for game, column in TABLE.items() for kind, outcome in column.items()]


def test_7_3_every_game_has_its_column() -> None:
    assert {name: dict(game.irregular) for name, game in GAMES.items()} == TABLE


@pytest.mark.parametrize(("game", "kind", "outcome"), CELLS)
def test_7_3_each_cell(game: str, kind: str, outcome: str) -> None:
    t = T(game=game)
    t.deal(1, 2)
    level = t.pots
    t.irregular(kind, 2 if kind in NEEDS_SEAT else 0)
    assert [event.outcome for event in t.last if hasattr(event, "outcome")] == [outcome]
    assert t.state.round is not None
    assert t.state.round.advised_void is (outcome == "void-round")
    goes_back = outcome in ("void-seat", "return-bet")
    assert t["phase"] == "locked"
    assert (t["seat.2.bet"], t["seat.2.credits"]) == (("0", 2) if goes_back else ("2000", 0))
    assert t["seat.2.forfeit"] == ("information" if outcome == "lose-all" else None)
    assert t.lit() == ([1] if goes_back or outcome == "lose-all" else [1, 2])
    assert (t.pots == level) is not goes_back
    assert t["seat.1.bet"] == "1000"  # nobody else loses or wins by it


@pytest.mark.parametrize(("game", "kind"), [(game, kind) for game in GAMES for kind in KINDS])
def test_7_3_a_kind_that_a_game_does_not_have_is_refused(game: str, kind: str) -> None:
    t = T(game=game)
    t.deal(1)
    if kind not in TABLE[game]:
        assert kind == "fourth-flop"
        with t.refuses("not-allowed", "7.3"):
            t.irregular(kind)


@pytest.mark.parametrize(("game", "kind"), [(game, kind) for game, kind, outcome in CELLS if outcome == "void-round"])
def test_7_3_the_round_is_void_when_the_supervisor_says_so(game: str, kind: str) -> None:
    t = T(game=game)
    before = t.pots
    t.deal(1, 2)
    t.irregular(kind, 2 if kind in NEEDS_SEAT else 0)
    t.void()
    assert (t["phase"], t.pots) == ("idle", before)
    assert [t[f"seat.{seat}.credits"] for seat in (1, 2)] == [1, 2]


@pytest.mark.parametrize("game", GAMES)
def test_7_3_a_side_bet_without_ante_may_be_found_while_betting_is_open(game: str) -> None:
    t = T(game=game)
    t.open()
    t.bet(1)
    t.irregular("no-ante", 1)
    assert (t["seat.1.bet"], t["seat.1.credits"]) == ("0", 1)


def test_7_3_the_offender_at_caribbean_cannot_win_any_more() -> None:
    t = T(game="caribbean-poker")
    t.deal(1)
    t.declare(1, "royal-flush")
    t.irregular("information", 1)
    with t.refuses("forfeited", "5.6"):
        t.declare(1, "royal-flush")
    t.settle()
    assert t.state.settlement is not None
    assert t.state.settlement.prizes == ()


@pytest.mark.parametrize("language", ["es", "en"])
@pytest.mark.parametrize(("game", "kind", "outcome"), CELLS)
def test_7_3_the_dealer_is_told_what_to_do(game: str, kind: str, outcome: str, language: str) -> None:
    speak = translator("es" if language == "es" else "en")
    t = T(game=game)
    t.deal(1)
    seat = 1 if kind in NEEDS_SEAT else 0
    t.irregular(kind, seat)
    story = Story(setup(game=game), speak)
    told = [story.tell(event) for event in t.last if hasattr(event, "outcome")]
    assert len(told) == 1
    assert speak.text(KINDS[kind]) in told[0]
    assert speak.text(ADVICE[outcome]) in told[0]
    assert ("1" in told[0]) is bool(seat)


def test_7_3_every_kind_and_outcome_has_words() -> None:
    assert set(ADVICE) == set(get_args(Outcome))
    assert set(KINDS) == set(KIND.choices) == {kind for column in TABLE.values() for kind in column}
    assert set(KINDS) >= NEEDS_SEAT
