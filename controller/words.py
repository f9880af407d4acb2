"""The vocabulary: a line of text ⇄ what it means; shared by scenarios, console, control socket and tests.

One table, `VOCABULARY`, is the grammar, the printer and the help. Three groups of words:

* ``command``: an `Act` of a person, decided by the rules;
* ``hardware``: what hands, parts and power do to a simulated table, and the passing of time;
* ``check``: what a scenario expects to be so.

What a line *says* is judged here, whether it is *right* by the rules: ``load 99 5`` parses, and is refused
with ``unknown-seat``.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from typing import Any, Literal, NoReturn, TypeVar, cast

from msgspec import Struct
from msgspec.structs import astuple

from controller import slots as s
from controller.core import inputs
from controller.core.cards import Hand
from controller.core.inputs import Act
from controller.core.messages import msg
from controller.core.money import Minor
from controller.slots import SimulatedPart, Slot, UnfitError, nearest

LONGEST = 1000
"""Characters in a line, at most."""


class Press(Struct, frozen=True):
    """The bet button of a seat is pressed and let go, `times` times in a row (rules 2.2)."""

    seat: int
    times: int = 1


class Chip(Struct, frozen=True):
    """A chip goes through the slot of a seat (rules 2.3): `value` minor units, None for one denomination."""

    seat: int
    value: Minor | None = None


class TurnKey(Struct, frozen=True):
    """The dealer turns the lock key (rules 2.8)."""

    position: Literal["open", "locked"]


class Wait(Struct, frozen=True):
    """Time passes: `ns` nanoseconds."""

    ns: int


class Break(Struct, frozen=True):
    """A part of a seat breaks; `seat` is 0 for the table's own display."""

    part: SimulatedPart
    seat: int = 0


class Mend(Struct, frozen=True):
    """A part that was broken works again; `seat` is 0 for the table's own display."""

    part: SimulatedPart
    seat: int = 0


class Power(Struct, frozen=True):
    """The power goes or comes, without warning."""

    on: bool


class Expect(Struct, frozen=True):
    """At `path` of the published state stands `value`."""

    path: str
    value: str


class Refused(Struct, frozen=True):
    """The line before was refused with `code`."""

    code: str


Physical = Press | Chip | TurnKey | Wait | Break | Mend | Power
Check = Expect | Refused
Word = Act | Physical | Check
Group = Literal["command", "hardware", "check"]


class WordError(ValueError):
    """A line says nothing that is known here. As a string it is the English sentence.

    `text` is a message id and `values` fill its placeholders; the value called ``wants`` is a message id
    itself. `column` counts from 1; it is 0 when the line as a whole is meant.
    """

    def __init__(self, text: str, values: dict[str, str], column: int = 0) -> None:
        super().__init__(text.format_map(values))
        self.text = text
        self.values = values
        self.column = column

    def said(self, translate: Callable[..., str]) -> str:
        """The sentence by way of `translate`, which is a ``Translator.text``."""
        values = dict(self.values)
        if "wants" in values:
            values["wants"] = translate(values["wants"])
        return translate(self.text, **values)


class Entry(Struct, frozen=True):
    """One word of the vocabulary: `means` is built from the values of `slots`, in their order.

    `make` and `take` translate between the slots' values and the struct where these differ. `summary` is a
    message id.
    """

    word: str
    group: Group
    means: type[Struct]
    slots: tuple[Slot, ...]
    summary: str
    make: Callable[..., Struct] | None = None
    take: Callable[[Any], tuple[Any, ...]] = astuple

    @property
    def usage(self) -> str:
        """The word with its slots, optional ones in brackets: ``press SEAT [TIMES]``."""
        return " ".join([self.word, *(f"[{slot.name}]" if slot.optional else slot.name for slot in self.slots)])


# --- The table of words ---------------------------------------------------------------------------


def _make_declare(seat: int, shown: Any) -> inputs.Declare:
    return inputs.Declare(seat, hand=shown) if isinstance(shown, Hand) else inputs.Declare(seat, cards=shown)


def _take_declare(act: inputs.Declare) -> tuple[Any, ...]:
    return act.seat, act.hand or act.cards


_T = TypeVar("_T", Break, Mend)


def _make_part(means: type[_T]) -> Callable[[SimulatedPart, int | None], _T]:
    def make(part: SimulatedPart, seat: int | None) -> _T:
        if seat is None and part != "display":
            raise UnfitError
        return means(part, seat or 0)

    return make


def _take_part(word: Break | Mend) -> tuple[Any, ...]:
    return word.part, word.seat or None


_SEAT = (s.SEAT,)
_PART = (s.PART, s.maybe(s.SEAT, None))
_GIVEN = (s.TABLE, s.MAIN, s.RESERVE, s.REASON)

# fmt: off
VOCABULARY: tuple[Entry, ...] = (
    Entry("load", "command", inputs.Load, (s.SEAT, s.CREDITS), msg("load credits that a player has bought")),
    Entry("cashout", "command", inputs.CashOut, _SEAT, msg("pay back the unspent credits of a seat")),
    Entry("fold", "command", inputs.Fold, _SEAT, msg("the player does not go on")),
    Entry("exchange", "command", inputs.Exchange, _SEAT, msg("the player exchanges cards")),
    Entry("restore", "command", inputs.Restore, _SEAT, msg("undo a fold or an exchange")),
    Entry("declare", "command", inputs.Declare, (s.SEAT, s.HAND),
          msg("declare a hand, by class or by its five cards"), _make_declare, _take_declare),
    Entry("undeclare", "command", inputs.Undeclare, _SEAT, msg("take a declared hand back")),
    Entry("board", "command", inputs.Board, (s.CARDS,), msg("the shared cards")),
    Entry("irregular", "command", inputs.Irregular, (s.KIND, s.maybe(s.SEAT, 0)),
          msg("record an irregular deal")),
    Entry("void", "command", inputs.Void, (s.REASON,), msg("void the round: every side bet goes back")),
    Entry("settle", "command", inputs.Settle, (), msg("fix all prizes and move the money")),
    Entry("unsettle", "command", inputs.Unsettle, (s.REASON,),
          msg("undo a settlement of which nothing is paid")),
    Entry("approve", "command", inputs.Approve, _SEAT, msg("approve a prize")),
    Entry("deny", "command", inputs.Deny, (s.SEAT, s.REASON),
          msg("deny a prize: it goes back where it came from")),
    Entry("paid", "command", inputs.Paid, _SEAT, msg("a prize has been handed over")),
    Entry("close", "command", inputs.Close, _SEAT, msg("close a seat")),
    Entry("reopen", "command", inputs.Reopen, _SEAT, msg("reopen a seat")),
    Entry("ack", "command", inputs.Ack, (s.maybe(s.CHIPS_SEAT, 0),),
          msg("chips of a seat were handed back; without a seat: the alarms were seen")),
    Entry("schedule", "command", inputs.Schedule, (s.KEY, s.SETTING),
          msg("a new parameter for the pot, from the next seeding (two people)")),
    Entry("correct", "command", inputs.Correct, (s.POT, s.CHANGE, s.REASON),
          msg("correct a pot (two people)")),
    Entry("transfer", "command", inputs.Transfer, (s.TABLE, s.REASON),
          msg("close the pot and move it to another table (two people)")),
    Entry("receive", "command", inputs.Receive, _GIVEN,
          msg("take in a pot that another table closed (two people)")),
    Entry("service", "command", inputs.Service, (s.SWITCH,), msg("enter or leave service mode")),
    Entry("key", "hardware", TurnKey, (s.POSITION,), msg("turn the lock key")),
    Entry("press", "hardware", Press, (s.SEAT, s.maybe(s.TIMES, 1)), msg("press a bet button")),
    Entry("chip", "hardware", Chip, (s.SEAT, s.maybe(s.CHIP, None)), msg("put a chip through a slot")),
    Entry("wait", "hardware", Wait, (s.SECONDS,), msg("let time pass")),
    Entry("break", "hardware", Break, _PART, msg("a part breaks"), _make_part(Break), _take_part),
    Entry("mend", "hardware", Mend, _PART, msg("a part works again"), _make_part(Mend), _take_part),
    Entry("power", "hardware", Power, (s.SWITCH,), msg("the power goes or comes, without warning")),
    Entry("expect", "check", Expect, (s.PATH, s.EXPECTED), msg("what should be so")),
    Entry("refused", "check", Refused, (s.CODE,), msg("the line before was refused with that code")),
)
# fmt: on

BY_WORD: dict[str, Entry] = {entry.word: entry for entry in VOCABULARY}
BY_MEANING: dict[type[Struct], Entry] = {entry.means: entry for entry in VOCABULARY}

# --- Reading and writing --------------------------------------------------------------------------

_COMMENT = re.compile(r"(?<!\S)#.*", re.DOTALL)
_TOKEN = re.compile(r"\S+")

_Token = tuple[int, str]
"""Column, counted from 1, and word."""


def parse(line: str, digits: int) -> Word | None:
    """What `line` says, or None when it says nothing (blank, or a comment).

    `digits` are the decimals of the table's currency. Raises WordError with a sentence that says what does
    not fit, where, and what would.
    """
    line = line.rstrip("\r\n")
    _check_characters(line)
    tokens = [(match.start() + 1, match.group()) for match in _TOKEN.finditer(_COMMENT.sub("", line))]
    if not tokens:
        return None
    entry = BY_WORD.get(tokens[0][1])
    if entry is None:
        _unknown(tokens[0])
    return _build(entry, tokens, digits)


def format(word: Word, digits: int) -> str:  # noqa: A001 - read as words.format wherever it is used
    """The line that says `word`, such that `parse` gives an equal word back, for all that `parse` gives."""
    entry = BY_MEANING[type(word)]
    filled = list(zip(entry.slots, entry.take(word), strict=True))
    while filled and filled[-1][0].optional and filled[-1][1] == filled[-1][0].default:
        filled.pop()
    return " ".join([entry.word, *(slot.write(value, digits) for slot, value in filled)])


def _check_characters(line: str) -> None:
    if len(line) > LONGEST:
        raise WordError(
            msg("The line has {length} characters: write at most {limit}."),
            {"length": str(len(line)), "limit": str(LONGEST)},
        )
    for column, character in enumerate(line, 1):
        if not (character.isprintable() or character == "\t" or unicodedata.category(character) == "Zs"):
            raise WordError(
                msg("Column {column}: the character {character} is not text: take it out."),
                {"column": str(column), "character": f"U+{ord(character):04X}"},
                column,
            )


def _build(entry: Entry, tokens: list[_Token], digits: int) -> Word:
    """`entry`'s struct from the words after it."""
    values: list[Any] = []
    at = 1
    for slot in entry.slots:
        given = tokens[at:] if slot.rest else tokens[at : at + 1]
        if given:
            values.append(_read(entry, slot, given, digits))
        elif slot.optional:
            values.append(slot.default)
        else:
            _missing(entry, slot)
        at += len(given)
    if at < len(tokens):
        _too_much(entry, tokens[at])
    try:
        return cast(Word, (entry.make or entry.means)(*values))
    except UnfitError:
        _missing(entry, entry.slots[-1])


def _read(entry: Entry, slot: Slot, given: list[_Token], digits: int) -> Any:
    try:
        return slot.read([word for _, word in given], digits)
    except UnfitError as unfit:
        _unfit(entry, slot, given[unfit.index], unfit.wants or slot.wants)


# --- What to say when it does not fit -------------------------------------------------------------


def _quoted(word: str) -> str:
    return f"“{word}”" if len(word) <= 40 else f"“{word[:40]}…”"


def _unknown(token: _Token) -> NoReturn:
    column, word = token
    values = {"column": str(column), "given": _quoted(word), "nearest": nearest(word, BY_WORD)}
    text = msg("Column {column}: {given} is not a word of this table: see “help” for those that are.")
    if values["nearest"]:
        text = msg("Column {column}: {given} is not a word of this table. Did you mean “{nearest}”?")
    raise WordError(text, values, column)


def _unfit(entry: Entry, slot: Slot, token: _Token, wants: str) -> NoReturn:
    column, word = token
    values = {"column": str(column), "given": _quoted(word), "name": slot.name, "usage": entry.usage}
    like = nearest(word, slot.choices)
    if like:
        text = msg("Column {column}: {given} does not fit {name}. Did you mean “{nearest}”? Write: {usage}")
        raise WordError(text, values | {"nearest": like}, column)
    if slot.choices and not slot.rest:
        text = msg("Column {column}: {given} does not fit {name}: it is one of {known}. Write: {usage}")
        raise WordError(text, values | {"known": ", ".join(slot.choices)}, column)
    text = msg("Column {column}: {given} does not fit {name}: it is {wants}. Write: {usage}")
    raise WordError(text, values | {"wants": wants}, column)


def _missing(entry: Entry, slot: Slot) -> NoReturn:
    raise WordError(
        msg("{name} is missing after “{word}”: it is {wants}. Write: {usage}"),
        {"word": entry.word, "name": slot.name, "wants": slot.wants, "usage": entry.usage},
    )


def _too_much(entry: Entry, token: _Token) -> NoReturn:
    column, word = token
    raise WordError(
        msg("Column {column}: {given} is too much. Write: {usage}"),
        {"column": str(column), "given": _quoted(word), "usage": entry.usage},
        column,
    )
