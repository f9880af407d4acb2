"""Whatever people, parts and power do, in whatever order: the books balance and the table goes on (rules 3.3, 8)."""

from __future__ import annotations

import logging
from decimal import Decimal
from pathlib import Path
from typing import Any, cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from controller.config import load
from controller.play import play
from tests.scenarios.test_examples import EXAMPLES, check_credits, check_identities

SEATS = st.integers(1, 3)
HANDS = st.sampled_from(["flush", "full-house", "four-of-a-kind", "straight-flush", "royal-flush", "pair"])
KINDS = st.sampled_from(["exposed", "dealer-card", "wrong-count 1", "wrong-count 2", "no-ante 1", "no-ante 3"])
PARTS = st.sampled_from(["lamp", "lamp-on", "node"])
SETTINGS = st.sampled_from(["pot.base 120000", "pot.limit 150000", "prizes.flush 40", "pot.commission 1.23%"])


class Complaints(logging.Handler):
    """Keeps what is logged. (pytest's own is one for all the examples of a property.)"""

    def __init__(self, level: int) -> None:
        super().__init__(level)
        self.records: list[logging.LogRecord] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.records.append(record)


def at_seat(word: str) -> st.SearchStrategy[str]:
    """`word` and a seat."""
    return SEATS.map(lambda seat: f"{word} {seat}")


def bets(*, chips: bool) -> st.SearchStrategy[str]:
    """A line that may change a bet."""
    if chips:
        return at_seat("chip") | st.builds("chip {} {}".format, SEATS, st.sampled_from([2000, 5000]))
    return at_seat("press") | st.builds("press {} {}".format, SEATS, st.integers(2, 4))


def hands() -> st.SearchStrategy[str]:
    """A line about hands, in a sealed round mostly."""
    declared = st.builds("declare {} {}".format, SEATS, HANDS)
    other = st.sampled_from(["fold", "exchange", "restore", "undeclare"]).flatmap(at_seat)
    return declared | declared | declared | other | KINDS.map("irregular {}".format)


def ends() -> st.SearchStrategy[str]:
    """A line about prizes, in a settled round mostly."""
    return st.one_of(
        st.sampled_from(["approve", "paid"]).flatmap(at_seat),
        st.builds("deny {} no".format, SEATS),
        st.sampled_from(["settle", "void why not", "unsettle why not", "settle"]),
    )


def mishaps(*, chips: bool) -> st.SearchStrategy[str]:
    """A line that may come at any time."""
    part = PARTS | st.just("slot" if chips else "button")
    return st.one_of(
        st.sampled_from(["key open", "key lock", "settle", "wait 0.1", "wait 0.3", "wait 11", "power off", "power on"]),
        st.sampled_from(["close", "reopen", "ack", "cashout"]).flatmap(at_seat),
        SETTINGS.map("schedule {}".format),
        st.builds("{} {} {}".format, st.sampled_from(["break", "mend", "mend"]), part, SEATS),
    )


@st.composite
def evenings(draw: st.DrawFn, *, chips: bool) -> list[str]:
    """Rounds as they should be played, more or less, with mishaps in between."""
    fortune = st.lists(mishaps(chips=chips), max_size=2)
    evening = []
    for _ in range(draw(st.integers(1, 5))):
        for seat in range(1, 4):
            evening += [f"ack {seat}", f"paid {seat}"] + ([] if chips else [f"load {seat} 3"])
        evening += ["key open", *draw(st.lists(bets(chips=chips), min_size=1, max_size=6)), *draw(fortune)]
        evening += ["key lock", *draw(fortune), "wait 0.3", *draw(st.lists(hands(), max_size=5)), *draw(fortune)]
        evening += ["settle", *draw(st.lists(ends(), max_size=5)), *draw(fortune), "power on"]
        for seat in range(1, 4):
            evening += [f"approve {seat}", f"paid {seat}"]
    return evening


@pytest.mark.parametrize("table", ["draw-small", "draw-limit", "draw-last", "draw-chips"])
@settings(max_examples=max(10, settings().max_examples // 5))
@given(data=st.data())
def test_3_3_the_books_balance_after_any_evening(
    table: str, tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    chips = table == "draw-chips"
    config = load(EXAMPLES / "tables" / f"{table}.toml")
    jammed: set[str] = set()
    possible = []
    for line in data.draw(evenings(chips=chips)):
        word, *rest = line.split()
        if word in ("break", "mend") and rest[0] == "slot":
            (jammed.add if word == "break" else jammed.discard)(rest[1])
        if word == "chip" and rest[0] in jammed:
            continue  # nobody could: see test_play
        possible.append(line)
    file = tmp_path_factory.getbasetemp() / "evening.txt"
    file.write_text("\n".join(possible), encoding="utf-8")

    handler = Complaints(logging.WARNING)
    logging.getLogger("controller").addHandler(handler)
    try:
        result = play(config, Path(file))
    finally:
        logging.getLogger("controller").removeHandler(handler)

    assert [record.getMessage() for record in handler.records] == []
    state = cast(dict[str, Any], result.state)
    assert state["out_of_service"] is None
    digits = config.setup.digits
    check_identities(state, Decimal(config.params.base) / 10**digits, besides=False)
    if not chips:
        check_credits(state, Decimal(config.setup.denomination) / 10**digits)
    for seat in state["seats"]:
        assert not (seat["lamp"] == "lit" and Decimal(seat["bet"]) == 0)
        assert not (seat["lamp"] == "lit" and seat["forfeit"] is not None)
