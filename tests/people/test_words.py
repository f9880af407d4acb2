"""The vocabulary reads and writes the same language, exactly, and answers nonsense with a sentence."""

from __future__ import annotations

from contextlib import suppress
from typing import Any, get_args

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from msgspec import Struct

from controller import slots, words
from controller.core import inputs
from controller.core.cards import Hand, parse_card
from controller.core.games.catalogue import GAMES
from controller.core.games.game import KINDS
from controller.core.money import Minor
from controller.words import (
    Break,
    Chip,
    Expect,
    Mend,
    Power,
    Press,
    Refused,
    TurnKey,
    Wait,
    Word,
    WordError,
)

ROYAL = tuple(map(parse_card, ("As", "Ks", "Qs", "Js", "Ts")))

MEANT: dict[str, Word] = {
    "load 3 5": inputs.Load(3, 5),
    "cashout 2": inputs.CashOut(2),
    "fold 1": inputs.Fold(1),
    "exchange 6": inputs.Exchange(6),
    "restore 6": inputs.Restore(6),
    "declare 2 As Ks Qs Js Ts": inputs.Declare(2, cards=ROYAL),
    "declare 2 flush": inputs.Declare(2, hand=Hand.FLUSH),
    "undeclare 2": inputs.Undeclare(2),
    "board As Ks": inputs.Board(ROYAL[:2]),
    "irregular exposed": inputs.Irregular("exposed"),
    "irregular wrong-count 3": inputs.Irregular("wrong-count", 3),
    "void a card fell, all saw it": inputs.Void("a card fell, all saw it"),
    "settle": inputs.Settle(),
    "unsettle wrong seat": inputs.Unsettle("wrong seat"),
    "approve 4": inputs.Approve(4),
    "deny 4 marked cards": inputs.Deny(4, "marked cards"),
    "paid 4": inputs.Paid(4),
    "close 5": inputs.Close(5),
    "reopen 5": inputs.Reopen(5),
    "ack": inputs.Ack(),
    "ack 3": inputs.Ack(3),
    "schedule pot.base 20000000": inputs.Schedule("pot.base", "20000000"),
    "schedule pot.commission 12.5 %": inputs.Schedule("pot.commission", "12.5 %"),
    "correct main -1000 counted twice": inputs.Correct("main", Minor(-1000), "counted twice"),
    "correct reserve 5 found": inputs.Correct("reserve", Minor(5), "found"),
    "transfer draw-2 table sold": inputs.Transfer("draw-2", "table sold"),
    "receive draw-2 1000.2500 0.0001 table sold": inputs.Receive("draw-2", 10_002_500, 1, "table sold"),
    "service on": inputs.Service(on=True),
    "service off": inputs.Service(on=False),
    "key open": TurnKey("open"),
    "key lock": TurnKey("locked"),
    "press 1": Press(1),
    "press 1 3": Press(1, 3),
    "chip 1": Chip(1),
    "chip 1 5000": Chip(1, Minor(5000)),
    "wait 2": Wait(2_000_000_000),
    "wait 0.000000001": Wait(1),
    "break lamp 2": Break("lamp", 2),
    "break lamp-on 2": Break("lamp-on", 2),
    "break button 2": Break("button", 2),
    "break slot 2": Break("slot", 2),
    "break node 2": Break("node", 2),
    "break display": Break("display"),
    "mend node 2": Mend("node", 2),
    "power off": Power(on=False),
    "power on": Power(on=True),
    "expect seat.1.bet 2000": Expect("seat.1.bet", "2000"),
    "expect out_of_service the disk is full": Expect("out_of_service", "the disk is full"),
    "refused no-credits": Refused("no-credits"),
}


@pytest.mark.parametrize("line", MEANT)
def test_a_line_means_one_thing_and_is_written_the_same_way(line: str) -> None:
    assert words.parse(line, 0) == MEANT[line]
    assert words.format(MEANT[line], 0) == line


def test_the_examples_cover_the_vocabulary() -> None:
    assert {line.split()[0] for line in MEANT} == set(words.BY_WORD)


def test_every_act_has_a_word_and_no_word_is_there_twice() -> None:
    assert set(get_args(inputs.Act)) == {e.means for e in words.VOCABULARY if e.group == "command"}
    assert set(get_args(words.Physical)) == {e.means for e in words.VOCABULARY if e.group == "hardware"}
    assert len(words.BY_WORD) == len(words.BY_MEANING) == len(words.VOCABULARY)


def test_every_irregular_deal_of_every_game_can_be_said() -> None:
    """Clause 7.3."""
    assert {kind for game in GAMES.values() for kind in game.irregular} <= set(KINDS)


@pytest.mark.parametrize("line", ["", "   ", "\t", "# a comment", "   # settle", "#settle", "\r\n"])
def test_blank_lines_and_comments_say_nothing(line: str) -> None:
    assert words.parse(line, 0) is None


def test_a_comment_may_follow() -> None:
    assert words.parse("load 3 5\t# the lady in red\n", 0) == inputs.Load(3, 5)
    assert words.parse("void table#3 #3", 0) == inputs.Void("table#3")


def test_a_reason_may_hold_what_looks_like_a_comment() -> None:
    assert words.parse(r"void chip \#3 fell", 0) == inputs.Void("chip #3 fell")


@pytest.mark.parametrize("seat", [0, 7, 99, 9999])
def test_seats_that_do_not_exist_are_for_the_rules_to_refuse(seat: int) -> None:
    assert words.parse(f"load {seat} 5", 0) == inputs.Load(seat, 5)


def test_amounts_are_of_the_currencys_unit() -> None:
    assert words.parse("chip 1 12.50", 2) == Chip(1, Minor(1250))
    assert words.format(Chip(1, Minor(1250)), 2) == "chip 1 12.50"
    assert words.parse("receive bob-2 1.000001 0 sold", 2) == inputs.Receive("bob-2", 1_000_001, 0, "sold")


@pytest.mark.parametrize(
    ("line", "column", "says"),
    [
        ("lod 3 5", 1, "Did you mean “load”?"),
        ("  SETTLE", 3, "Did you mean “settle”?"),
        ("zzzzzz", 1, "see “help”"),
        ("load x 5", 6, "“x” does not fit SEAT: it is a seat's number, such as 3. Write: load SEAT CREDITS"),
        ("load -1 5", 6, "“-1” does not fit SEAT"),
        ("load 3.0 5", 6, "“3.0” does not fit SEAT"),
        ("load 10000 5", 6, "does not fit SEAT"),
        ("load ３ 5", 6, "does not fit SEAT"),
        ("load 3 0", 8, "“0” does not fit CREDITS"),
        ("load 3 1e3", 8, "does not fit CREDITS"),
        ("load 3 1000000", 8, "“1000000” does not fit CREDITS: it is a whole number of credits, 1 to 999999."),
        ("load 3", 0, "CREDITS is missing after “load”"),
        ("load 3 5 6", 10, "“6” is too much. Write: load SEAT CREDITS"),
        ("settle now", 8, "“now” is too much. Write: settle"),
        ("press 1 0", 9, "does not fit TIMES"),
        ("chip 1 0", 8, "does not fit VALUE"),
        ("chip 1 -5", 8, "does not fit VALUE"),
        ("chip 1 NaN", 8, "does not fit VALUE"),
        ("chip 1 1.5", 8, "does not fit VALUE"),
        ("chip 1 1e3", 8, "does not fit VALUE"),
        ("chip 1 9999999999999999", 8, "does not fit VALUE"),
        ("correct pot 5 why", 9, "“pot” does not fit main|reserve: it is one of main, reserve"),
        ("correct main 1.5 why", 14, "does not fit AMOUNT"),
        ("correct main 5", 0, "REASON is missing after “correct”"),
        ("receive t 9999999999999999 0 why", 11, "does not fit MAIN"),
        ("receive t -1 0 why", 11, "does not fit MAIN"),
        ("receive t 1.00001 0 why", 11, "does not fit MAIN"),
        ("declare 2 flsh", 11, "Did you mean “flush”?"),
        ("declare 2 As Kx Qs Js Ts", 14, "“Kx” does not fit"),
        ("declare 2 As Ks Qs Js", 20, "the last of exactly five cards"),
        ("board As Ks Qs Js Ts 9s", 22, "“9s” does not fit CARD…"),
        ("irregular wrong-cuont 3", 11, "Did you mean “wrong-count”?"),
        ("void", 0, "REASON is missing"),
        ("void # no reason", 0, "REASON is missing"),
        ("ack 0", 5, "nothing for the alarms"),
        ("key shut", 5, "it is one of open, lock"),
        ("service yes", 9, "it is one of on, off"),
        ("wait -1", 6, "does not fit SECONDS"),
        ("wait 0.0000000001", 6, "does not fit SECONDS"),
        ("wait inf", 6, "does not fit SECONDS"),
        ("wait 10000000", 6, "does not fit SECONDS: it is seconds below ten million, such as 2 or 0.25."),
        ("break lamp", 0, "SEAT is missing"),
        ("break lmp 3", 7, "Did you mean “lamp”?"),
        ("expect seat..bet 3", 8, "does not fit PATH"),
        ("refused 5.6", 9, "does not fit CODE"),
        ("transfer ../x why", 10, "does not fit TABLE"),
        ("void a\x00b", 7, "the character U+0000 is not text"),
        ("void a\nsettle", 7, "the character U+000A is not text"),
        ("\ufeffsettle", 1, "U+FEFF"),
        ("void " + "x" * 996, 0, "1001 characters: write at most 1000"),
    ],
)
def test_what_does_not_fit_is_named_with_its_place_and_the_way_out(line: str, column: int, says: str) -> None:
    with pytest.raises(WordError) as caught:
        words.parse(line, 0)
    assert says in str(caught.value)
    assert caught.value.column == column


def test_a_huge_word_is_not_repeated_in_full() -> None:
    with pytest.raises(WordError) as caught:
        words.parse("x" * 900, 0)
    assert len(str(caught.value)) < 200


def test_the_sentence_can_be_said_in_another_language() -> None:
    with pytest.raises(WordError) as caught:
        words.parse("load x 5", 0)

    def shout(text: str, **values: str) -> str:
        return (
            text.upper()
            .replace("{WANTS}", "{wants}")
            .replace("{GIVEN}", "{given}")
            .format_map({"COLUMN": 6, "NAME": "SEAT", "USAGE": ""} | values)
        )

    assert "IT IS A SEAT'S NUMBER, SUCH AS 3" in caught.value.said(shout)


# --- Properties

cards = st.integers(0, 51)
free_text = st.text(st.characters(categories=("L", "N", "P", "S", "Zs")), min_size=1, max_size=60).map(
    lambda text: " ".join(text.split())
)
FIELD: dict[str, st.SearchStrategy[Any]] = {
    "SEAT": st.integers(1, 9999),
    "CREDITS": st.integers(1, 999_999),
    "TIMES": st.integers(1, 999),
    "VALUE": st.integers(1, 10**15 - 1),
    "AMOUNT": st.integers(1 - 10**15, 10**15 - 1),
    "MAIN": st.integers(0, 10**19 - 1),
    "RESERVE": st.integers(0, 10**19 - 1),
    "SECONDS": st.integers(0, 10**16 - 1),
    "REASON": free_text.filter(bool),
    "KEY": st.from_regex(r"[a-z][a-z0-9_.-]{0,20}", fullmatch=True),
    "TABLE": st.from_regex(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,20}", fullmatch=True),
    "PATH": st.from_regex(r"[a-z_]{1,5}(\.[a-z0-9_]{1,5}){0,3}", fullmatch=True),
    "CODE": st.from_regex(r"[a-z][a-z0-9-]{0,20}", fullmatch=True),
    "CARD…": st.lists(cards, min_size=1, max_size=5).map(tuple),
    "HAND|CARD…": st.sampled_from(Hand) | st.lists(cards, min_size=5, max_size=5).map(tuple),
    "KIND": st.sampled_from(tuple(KINDS)),
    "PART": st.sampled_from(get_args(slots.SimulatedPart)),
    "main|reserve": st.sampled_from(["main", "reserve"]),
    "on|off": st.booleans(),
    "open|lock": st.sampled_from(["open", "locked"]),
}


@st.composite
def any_word(draw: st.DrawFn) -> Struct:
    """Any word, built from the table of words itself, so that a new one is tested from its first day."""
    entry = draw(st.sampled_from(words.VOCABULARY))
    values = []
    for slot in entry.slots:
        field = FIELD["REASON"] if slot.rest and slot.name == "VALUE" else FIELD[slot.name]
        needed = not slot.optional or entry.word in ("break", "mend")
        values.append(draw(field if needed else st.just(slot.default) | field))
    return (entry.make or entry.means)(*values)


@given(any_word(), st.integers(0, 4))
def test_what_is_written_is_read_back_the_same(word: Word, digits: int) -> None:
    line = words.format(word, digits)
    assert words.parse(line, digits) == word
    assert words.format(word, digits) == line


@given(st.binary(max_size=300), st.integers(0, 4))
@example(b"\xff\xfe\x00", 0)
def test_junk_raises_nothing_but_word_errors(junk: bytes, digits: int) -> None:
    for text in (junk.decode("utf-8", "surrogateescape"), junk.decode("latin-1")):
        with suppress(WordError):
            words.parse(text, digits)


@given(
    st.lists(
        st.sampled_from([*words.BY_WORD, *Hand, "0", "3", "-1", "As", "NaN", "1.5", "#", "\\#", "main", "on"])
        | st.text(max_size=8),
        max_size=8,
    )
)
def test_nearly_right_lines_are_read_or_answered(parts: list[str]) -> None:
    with suppress(WordError):
        word = words.parse(" ".join(parts), 0)
        assert word is None or words.parse(words.format(word, 0), 0) == word
