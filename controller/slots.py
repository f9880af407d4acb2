"""What can stand after a word of the vocabulary: a seat, an amount, a hand, a reason; read and written.

Each slot is judged on its own and exactly: amounts never pass through floating point, and what does not fit
raises `UnfitError`, from which `words` makes a sentence.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from difflib import get_close_matches
from typing import Any, Literal, get_args

from msgspec import Struct
from msgspec.structs import replace

from controller.core.cards import Card, CardError, Hand, card_name, parse_card
from controller.core.games.game import KINDS
from controller.core.messages import msg
from controller.core.money import LARGEST, UNITS, AmountError, Minor, format_minor, format_units, parse_amount

SimulatedPart = Literal["lamp", "lamp-on", "button", "slot", "node", "display"]
"""What breaks on a simulated table: lamp-on is a shorted lamp, button a stuck one, slot a jammed one."""

Read = Callable[[list[str], int], Any]
"""From the words in a slot and the currency's decimals to a value. Raises UnfitError."""

Write = Callable[[Any, int], str]
"""The inverse of `Read`."""


class UnfitError(Exception):
    """The word at `index` of those in a slot does not fit. `wants`, a message id, replaces the slot's own."""

    def __init__(self, index: int = 0, wants: str = "") -> None:
        super().__init__(index, wants)
        self.index = index
        self.wants = wants


class Slot(Struct, frozen=True):
    """One place after a word: how the usage calls it, and how it is read and written.

    `wants` is a message id that says what fits; `choices` are the words that do, if they can be listed.
    `rest` takes all remaining words. An `optional` slot left empty holds `default`, and is written empty when
    it does.
    """

    name: str
    wants: str
    read: Read
    write: Write
    choices: tuple[str, ...] = ()
    rest: bool = False
    optional: bool = False
    default: Any = None


def maybe(slot: Slot, default: Any) -> Slot:
    """`slot`, which may be left empty and then holds `default`."""
    return replace(slot, optional=True, default=default)


def nearest(word: str, known: tuple[str, ...] | dict[str, Any]) -> str:
    """The known word that is most like `word`, or an empty string."""
    return next(iter(get_close_matches(word[:40].lower(), known, n=1)), "")


# --- Numbers --------------------------------------------------------------------------------------


def _whole(most_digits: int, least: int = 0) -> Read:
    shape = re.compile(f"[0-9]{{1,{most_digits}}}")

    def read(words: list[str], _digits: int) -> int:
        if shape.fullmatch(words[0]) is None or int(words[0]) < least:
            raise UnfitError
        return int(words[0])

    return read


def _above_zero(words: list[str], digits: int) -> Minor:
    amount = _signed(words, digits)
    if amount <= 0:
        raise UnfitError
    return amount


def _signed(words: list[str], digits: int) -> Minor:
    try:
        return parse_amount(words[0], digits, signed=True)
    except AmountError:
        raise UnfitError from None


def _decimal(text: str, integers: int, decimals: int) -> int:
    """A plain decimal number, in units of the last of its `decimals`, exactly."""
    match = re.fullmatch(rf"([0-9]{{1,{integers}}})(?:\.([0-9]{{1,{decimals}}}))?", text)
    if match is None:
        raise UnfitError
    return int(match[1] + (match[2] or "").ljust(decimals, "0"))


def _pot_amount(words: list[str], digits: int) -> int:
    amount = _decimal(words[0], 16, digits + 4)
    if amount >= LARGEST * UNITS:
        raise UnfitError
    return amount


def _nanoseconds(words: list[str], _digits: int) -> int:
    return _decimal(words[0], 7, 9)


def _seconds(ns: int, _digits: int) -> str:
    return format_minor(ns, 9).rstrip("0").rstrip(".")


def _plain(value: Any, _digits: int) -> str:
    return str(value)


# --- Names, choices, free text --------------------------------------------------------------------


def _shape(pattern: str) -> Read:
    shape = re.compile(pattern)

    def read(words: list[str], _digits: int) -> str:
        if shape.fullmatch(words[0]) is None:
            raise UnfitError
        return words[0]

    return read


def _choice(name: str, wants: str, means: dict[str, Any]) -> Slot:
    """A slot for one of the keys of `means`, which stands for its value."""
    names = {value: word for word, value in means.items()}

    def read(words: list[str], _digits: int) -> Any:
        if words[0] not in means:
            raise UnfitError
        return means[words[0]]

    def write(value: Any, _digits: int) -> str:
        return names[value]

    return Slot(name, wants, read, write, choices=tuple(means))


def _same(words: tuple[str, ...]) -> dict[str, str]:
    return {word: word for word in words}


# A word of free text that begins with "#" would begin a comment, so it is written with a backslash before it.
_ESCAPED = re.compile(r"(?<!\S)\\(?=\\*#)")
_TO_ESCAPE = re.compile(r"(?<!\S)(?=\\*#)")


def _text(words: list[str], _digits: int) -> str:
    return _ESCAPED.sub("", " ".join(words))


def _write_text(text: str, _digits: int) -> str:
    return _TO_ESCAPE.sub(lambda _: "\\", " ".join(text.split()))


# --- Cards ----------------------------------------------------------------------------------------


def _cards(words: list[str], _digits: int) -> tuple[Card, ...]:
    cards = []
    for index, word in enumerate(words):
        try:
            cards.append(parse_card(word))
        except CardError:
            raise UnfitError(index) from None
    if len(cards) > 5:
        raise UnfitError(5)
    return tuple(cards)


def _shown(words: list[str], digits: int) -> Hand | tuple[Card, ...]:
    if len(words) == 1 and words[0] in set(Hand):
        return Hand(words[0])
    cards = _cards(words, digits)
    if len(cards) != 5:
        raise UnfitError(len(words) - 1, msg("the last of exactly five cards"))
    return cards


def _write_cards(cards: tuple[Card, ...], _digits: int) -> str:
    return " ".join(map(card_name, cards))


def _write_shown(shown: Hand | tuple[Card, ...], digits: int) -> str:
    return shown.value if isinstance(shown, Hand) else _write_cards(shown, digits)


# --- The slots ------------------------------------------------------------------------------------

SEAT = Slot("SEAT", msg("a seat's number, such as 3"), _whole(4), _plain)
CHIPS_SEAT = Slot("SEAT", msg("a seat's number, such as 3, or nothing for the alarms"), _whole(4, 1), _plain)
CREDITS = Slot("CREDITS", msg("a whole number of credits, 1 to 999999"), _whole(6, 1), _plain)
TIMES = Slot("TIMES", msg("how many times, 1 to 999"), _whole(3, 1), _plain)
CHIP = Slot("VALUE", msg("an amount above zero in plain digits, such as 1000"), _above_zero, format_minor)
CHANGE = Slot("AMOUNT", msg("an amount in plain digits, such as 1000 or -1000"), _signed, format_minor)
MAIN = Slot("MAIN", msg("what the other table's main pot held, such as 1000.2500"), _pot_amount, format_units)
RESERVE = Slot("RESERVE", msg("what its reserve pot held, such as 0"), _pot_amount, format_units)
SECONDS = Slot("SECONDS", msg("seconds below ten million, such as 2 or 0.25"), _nanoseconds, _seconds)

REASON = Slot("REASON", msg("a reason in your own words"), _text, _write_text, rest=True)
SETTING = Slot("VALUE", msg("the parameter's new value"), _text, _write_text, rest=True)
EXPECTED = Slot("VALUE", msg("the value that should stand there"), _text, _write_text, rest=True)

KEY = Slot("KEY", msg("a parameter, such as pot.base"), _shape(r"[a-z][a-z0-9_.-]{0,99}"), _plain)
TABLE = Slot("TABLE", msg("the other table's id"), _shape(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,99}"), _plain)
PATH = Slot("PATH", msg("a path into the state, such as seat.1.bet"), _shape(r"[a-z0-9_-]+(\.[a-z0-9_-]+)*"), _plain)
CODE = Slot("CODE", msg("a refusal's code, such as no-credits"), _shape(r"[a-z][a-z0-9-]*"), _plain)

KIND = _choice("KIND", msg("a kind of irregular deal"), _same(tuple(KINDS)))
PART = _choice("PART", msg("a part of the table"), _same(get_args(SimulatedPart)))
POT = _choice("main|reserve", msg("the pot's name"), _same(("main", "reserve")))
SWITCH = _choice("on|off", msg("one of the two"), {"on": True, "off": False})
POSITION = _choice("open|lock", msg("one of the two"), {"open": "open", "lock": "locked"})

CARDS = Slot("CARD…", msg("one to five cards, such as As Td 9c"), _cards, _write_cards, rest=True)
HAND = Slot(
    "HAND|CARD…",
    msg("a hand, such as full-house, or five cards, such as As Kh Qd Jc Ts"),
    _shown,
    _write_shown,
    choices=tuple(Hand),
    rest=True,
)
