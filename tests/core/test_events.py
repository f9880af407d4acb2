"""Events: every kind is told by some story, survives JSON, and takes no float."""

from functools import cache
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from controller.core import inputs as do
from controller.core.cards import Card
from controller.core.events import KINDS, AnyEvent, BetChanged, Event, TableOpened
from controller.core.evolve import evolve
from controller.core.inputs import AccessRefused
from controller.core.money import Minor, Units
from controller.core.potwords import Contribute
from controller.core.state import Table
from hal.port import Stamp

from .table import T


def evening_of_credits() -> T:
    """A table at which a little of everything happens."""
    t = T(limit=10_001_000, reserve=5)
    t.schedule("pot.base", "10000500")
    t.feed(AccessRefused("Inés", "console", "a wrong PIN"))
    t.load(1, 9)
    t.open()
    t.press(1, 2)
    t.bet(2)
    t.bet(3)
    t.bet(4)
    edge = t.ms + 5
    t.press(1, at=edge + 1)
    t.lock(at=edge)
    t.fold(2)
    t.undo_forfeit(2)
    t.declare(3, "2h 4h 6h 8h Th")
    t.undeclare(3)
    t.irregular("exposed")
    t.irregular("wrong-count", 4)
    t.show(s1="royal-flush", s2="flush", s3="straight-flush")
    t.unsettle()
    t.settle()
    t.close(2)  # its prize of 50 000 was payable, and is held now
    t.deny(2)
    t.reopen(2)
    t.pay_all()
    t.cash_out(1)
    with t.refuses("no-credits"):
        t.cash_out(1)
    t.deal(1)
    t.void()
    t.service(True)
    t.service(False)
    t.out_of_service("the disk is full")
    t.out_of_service("")
    t.close(5)
    t.reopen(5)
    t.noise(6)
    t.fails("button", 6)
    t.mended("button", 6)
    t.ack()
    t.dead_lamps = {6}
    t.lamp(6, True)
    t.runs_out("lamp", 6)
    t.reopen(6)
    t.correct(1)
    t.transfer()
    t.receive(7, 8)
    return t


def evening_of_chips() -> T:
    """What only a table of chips does."""
    t = T(acceptor="chips")
    t.open()
    t.bet(1, 3)
    with t.refuses("over-maximum"):
        t.chip(1)
    t.ack(1)
    return t


@cache
def stories() -> tuple[tuple[Event, ...], tuple[Table, ...]]:
    tables = evening_of_credits(), evening_of_chips()
    return tuple(event for t in tables for event in t.events), tuple(t.state for t in tables)


def one_of(kind: str) -> Event:
    return next(event for event in stories()[0] if type(event).__name__ == kind)


# A game without shared cards never shows a board.
UNTOLD = {"BoardShown": KINDS["BoardShown"](cards=(Card(0), Card(51)))}


def test_every_kind_of_event_is_told() -> None:
    assert {type(event).__name__ for event in stories()[0]} | set(UNTOLD) == set(KINDS)


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_round_trips_json(kind: str) -> None:
    told = [event for event in stories()[0] if type(event).__name__ == kind] or [UNTOLD[kind]]
    whole = msgspec.json.Decoder(AnyEvent)
    for event in told:
        data = msgspec.json.encode(event)
        assert msgspec.json.decode(data, type=KINDS[kind]) == event
        assert whole.decode(data) == event
        assert msgspec.json.encode(whole.decode(data)) == data


def test_the_story_read_back_from_json_leads_to_the_same_state() -> None:
    whole = msgspec.json.Decoder(AnyEvent)
    for t in (evening_of_credits(), evening_of_chips()):
        state: Table | None = None
        for event in t.events:
            state = evolve(state, whole.decode(msgspec.json.encode(event)))
        assert state == t.state


def test_the_state_round_trips_json_for_snapshots() -> None:
    for state in stories()[1]:
        assert msgspec.json.decode(msgspec.json.encode(state), type=Table) == state


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind not in UNTOLD])
def test_3_1_no_field_of_any_event_takes_a_float(kind: str) -> None:
    event = one_of(kind)
    for name in event.__struct_fields__:
        with pytest.raises(TypeError, match="float"):
            replace(event, **{name: 1.0})


@pytest.mark.parametrize(
    ("kind", "field", "value"),
    [
        ("PotMoved", "moves", {"bets": 1.0}),
        ("PotMoved", "moves", {"to_main": float("nan")}),
        ("TableOpened", "params", {"base": 1.0}),
        ("RoundSettled", "settlement", {"seeded_house": 0.5}),
        ("BetChanged", "at", {"ns": 1e9}),
        ("PotAsked", "ask", {"bets": ((1, 1_000.0),)}),
    ],
)
def test_3_1_nor_does_what_an_event_carries(kind: str, field: str, value: dict[str, Any]) -> None:
    event: Any = one_of(kind)
    if kind == "PotAsked":
        event = KINDS[kind](event.key, Contribute(((1, Minor(1_000)),)))
    with pytest.raises(TypeError, match=rf"{kind}\.{field}.* is a float"):
        replace(event, **{field: replace(getattr(event, field), **value)})


def test_3_1_nor_do_its_counts() -> None:
    event: Any = one_of("RoundSettled")
    with pytest.raises(TypeError, match="float"):
        replace(event, counts={"flush": 1.0})


def test_3_1_a_float_in_a_command_gets_nowhere() -> None:
    t = T()
    before = t.state
    with pytest.raises(TypeError, match="float"):
        t.correct(1.5)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="float"):
        t.act(do.Load(1, 2.0))  # type: ignore[arg-type]
    assert t.state == before


@pytest.mark.parametrize("number", ["1.5", "1e400", "NaN", "true", '"1"', "null"])
def test_3_1_json_that_is_no_integer_is_no_event(number: str) -> None:
    data = msgspec.json.encode(BetChanged(1, Minor(1_000), 2, Stamp(1, 5))).decode()
    assert '"bet":1000' in data
    with pytest.raises(msgspec.DecodeError):
        msgspec.json.decode(data.replace('"bet":1000', f'"bet":{number}'), type=AnyEvent)


def test_an_unknown_kind_is_no_event() -> None:
    with pytest.raises(msgspec.ValidationError):
        msgspec.json.decode(b'{"type":"BetDoubled","seat":1}', type=AnyEvent)


def test_a_journal_begins_with_its_opening() -> None:
    with pytest.raises(AssertionError, match="begins with TableOpened"):
        evolve(None, BetChanged(1, Minor(1_000), 2, Stamp(1, 5)))
    opening = one_of("TableOpened")
    assert isinstance(opening, TableOpened)
    assert evolve(None, opening).pot.main == Units(10_000_000_0000)


def test_every_version_is_a_positive_number() -> None:
    assert all(kind.VERSION >= 1 for kind in KINDS.values())
