"""The contracted shape of the state, and the paths of `expect`."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from controller.config import default_prizes
from controller.core.cards import Hand
from controller.core.events import TableOpened
from controller.core.evolve import evolve
from controller.core.money import Minor, Rate, Units
from controller.core.potwords import Params, PotMeters
from controller.core.state import Bet, Meters, Prize, Round, Settlement, Setup, Table
from controller.view import PathError, find, same, view, words

PARAMS = Params(
    bet_min=Minor(250),
    bet_max=Minor(1000),
    base=Minor(1_000_000),
    limit=None,
    commission=Rate(2000),
    reserve=Rate(1000),
    fixed_prizes="first",
    approve_from=Minor(0),
    prizes=default_prizes("draw-poker"),
)


def opened(digits: int = 2) -> Table:
    """A table that has just opened."""
    setup = Setup("draw-1", "draw-poker", 3, "EUR", digits, "chips", Minor(250))
    return evolve(None, TableOpened(setup, PARAMS, Units(10_000_000_000), Units(0)))


def playing() -> Table:
    """A table with a locked and sealed round, a closed seat, prizes of the round before, and figures on its meters."""
    table = opened()
    bets = (
        Bet(bet=Minor(500), hand=Hand.STRAIGHT_FLUSH),
        Bet(bet=Minor(250), forfeit="exchange"),
        Bet(),
    )
    prizes = (
        Prize(1, Hand.FLUSH, Minor(12_500), False, "paid", Minor(12_500), Minor(0), Minor(0), Units(0), Units(0)),
        Prize(
            3,
            Hand.ROYAL_FLUSH,
            Minor(1_000_001),
            True,
            "unapproved",
            Minor(1_000_001),
            Minor(0),
            Minor(0),
            Units(0),
            Units(0),
        ),
    )
    seats = (
        replace(table.seats[0], owed_late=Minor(100), owed_excess=Minor(20), owed_returned=Minor(3)),
        table.seats[1],
        replace(table.seats[2], closed="lamp", credits=4),
    )
    meters = Meters(
        bet_count=2, turnover=Minor(800), returned=Minor(50), credits_in=9, credits_out=5, late_chips=1,
        excess_chips=2, hits={"flush": 3, "straight": 1},
    )  # fmt: skip
    pot_meters = PotMeters(bets=Units(7_500_000), commission=Units(1_500_000), to_main=Units(5_250_001))
    return replace(
        table,
        rounds=7,
        round=Round(number=7, phase="locked", bets=bets, sealed=True),
        seats=seats,
        meters=meters,
        pot=replace(table.pot, main=Units(10_000_012_345), meters=pot_meters),
        settlement=Settlement(6, prizes, PotMeters(), Units(0), Units(0)),
    )


def test_the_shape_is_the_contract() -> None:
    assert view(playing()) == {
        "table": "draw-1",
        "round": 7,
        "phase": "locked",
        "sealed": True,
        "out_of_service": None,
        "pot": {"main": "10000.012345", "reserve": "0.000000", "base": "10000.000000"},
        "seats": [
            {"seat": 1, "status": "open", "reason": None, "credits": 0, "bet": "5.00", "lamp": "lit",
             "forfeit": None, "hand": "straight-flush", "owed": "1.23"},
            {"seat": 2, "status": "open", "reason": None, "credits": 0, "bet": "2.50", "lamp": "off",
             "forfeit": "exchange", "hand": None, "owed": "0.00"},
            {"seat": 3, "status": "closed", "reason": "lamp", "credits": 4, "bet": "0.00", "lamp": "off",
             "forfeit": None, "hand": None, "owed": "0.00"},
        ],
        "prizes": [
            {"seat": 1, "hand": "flush", "amount": "125.00", "status": "paid"},
            {"seat": 3, "hand": "royal-flush", "amount": "10000.01", "status": "unapproved"},
        ],
        "meters": {
            "bet_count": 2, "bets": "7.500000", "commission": "1.500000", "to_main": "5.250001",
            "to_reserve": "0.000000", "overflow": "0.000000", "seed_reserve": "0.000000", "seed_house": "0.000000",
            "reserve_cover": "0.000000", "house_cover": "0.000000", "fixed_prizes": "0.000000",
            "share_prizes": "0.000000", "turnover": "8.00", "returned": "0.50", "credits_in": 9, "credits_out": 5,
            "late_chips": 1, "excess_chips": 2,
            "hits": {"flush": 3, "full-house": 0, "four-of-a-kind": 0, "straight-flush": 0, "royal-flush": 0,
                     "straight": 1},
        },
    }  # fmt: skip


def test_the_order_of_the_keys_is_the_contract() -> None:
    shown = view(playing())
    assert list(shown) == [
        "table", "round", "phase", "sealed", "out_of_service", "pot", "seats", "prizes", "meters",
    ]  # fmt: skip
    assert isinstance(shown["meters"], dict)
    assert list(shown["meters"]) == [
        "bet_count", "bets", "commission", "to_main", "to_reserve", "overflow", "seed_reserve", "seed_house",
        "reserve_cover", "house_cover", "fixed_prizes", "share_prizes", "turnover", "returned", "credits_in",
        "credits_out", "late_chips", "excess_chips", "hits",
    ]  # fmt: skip


def test_a_new_table_is_idle() -> None:
    shown = view(opened(0))
    assert (shown["round"], shown["phase"], shown["sealed"]) == (0, "idle", False)
    assert shown["prizes"] == []
    assert find(shown, "seat.1.bet") == "0"
    assert find(shown, "pot.main") == "1000000.0000"


def test_it_is_json() -> None:
    assert json.loads(json.dumps(view(playing()))) == view(playing())


def test_8_5_out_of_service_has_its_reason_and_unsealed_lamps_are_dark() -> None:
    table = playing()
    assert table.round is not None
    betting = replace(table, round=replace(table.round, phase="betting", sealed=False))
    assert find(view(betting), "seat.1.lamp") == "lit"
    stopped = view(betting, "disk full")
    assert stopped["out_of_service"] == "disk full"
    assert find(stopped, "seat.1.lamp") == "off"
    assert find(view(table, "disk full"), "seat.1.lamp") == "lit"
    recorded = view(replace(table, out_of_service="hardware"))
    assert recorded["out_of_service"] == "hardware"


# --- find ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("table", "draw-1"),
        ("phase", "locked"),
        ("round", 7),
        ("sealed", True),
        ("out_of_service", None),
        ("pot.main", "10000.012345"),
        ("seat.1.bet", "5.00"),
        ("seats.1.bet", "5.00"),
        ("seat.3.reason", "lamp"),
        ("seat.1.reason", None),
        ("prize.1.amount", "125.00"),
        ("prizes.3.status", "unapproved"),
        ("prizes.2.amount", None),
        ("prize.2", None),
        ("meters.hits.flush", 3),
        ("meters.turnover", "8.00"),
    ],
)
def test_a_path_finds_what_stands_there(path: str, value: object) -> None:
    assert find(view(playing()), path) == value


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("pott.main", "Did you mean pot?"),
        ("pot.mian", "Did you mean main?"),
        ("zzz", "there are table, round"),
        ("", "there is no"),
        ("pot", "is a group: add one of main, reserve, base"),
        ("seat", "is a group: add one of 1, 2, 3"),
        ("seat.1", "is a group"),
        ("seat.0.bet", "there is no 0"),
        ("seat.99.bet", "there is no 99"),
        ("seat.x.bet", "there is no x"),
        ("seat.1.bett", "Did you mean bet?"),
        ("prize.99.amount", "there is no 99"),
        ("prize.2.amuont", "Did you mean amount?"),
        ("prize.2.amount.more", "there is no"),
        ("phase.more", "goes on after the value of phase"),
        ("pot.main.", "goes on after the value of main"),
        ("meters.hits.flushh", "Did you mean flush?"),
    ],
)
def test_a_path_that_leads_nowhere_says_why(path: str, reason: str) -> None:
    with pytest.raises(PathError, match=r".*") as raised:
        find(view(playing()), path)
    assert reason in str(raised.value)
    assert raised.value.text.format_map(raised.value.args_of_text) == str(raised.value)


@given(
    st.text(max_size=40) | st.lists(st.sampled_from(["seat", "prize", "1", "2", "pot", "meters", "x"])).map(".".join)
)
def test_any_path_is_found_or_refused(path: str) -> None:
    try:
        value = find(view(playing()), path)
    except PathError:
        return
    assert value is None or isinstance(value, bool | int | str)


# --- same ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("found", "expected", "answer"),
    [
        ("10004200.0000", "10004200", True),
        ("2000", "2000.00", True),
        ("2000", "2000.01", False),
        (0, "0", True),
        (7, "7.0", True),
        ("-5.00", "-5", True),
        ("lit", "lit", True),
        ("lit", "Lit", False),
        ("lit", "1", False),
        (None, "none", True),
        (None, "null", True),
        (None, "None", True),
        (None, "0", False),
        (None, "false", False),
        ("none", "null", False),
        (True, "true", True),
        (True, "True", True),
        (True, "1", False),
        (False, "false", True),
        (False, "0", False),
        ("1", "true", False),
        ("0", "٠", False),
        ("5", "5 ", True),
        ("5", "NaN", False),
    ],
)
def test_values_compare_as_numbers_where_both_are_numbers(
    found: bool | int | str | None, expected: str, answer: bool
) -> None:
    assert same(found, expected) is answer


@given(st.none() | st.booleans() | st.integers() | st.text(alphabet="abc.-019", min_size=1))
def test_a_value_is_the_same_as_its_words(found: bool | int | str | None) -> None:
    assert same(found, words(found))
