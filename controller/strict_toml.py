"""A TOML file read strictly: every key is asked for, every mistake is collected, and each has its place.

``tomllib`` stops at the first mistake of form and keeps no lines; this reads on past every mistake of
content, and finds the line again in the text. Who reads gives, for each key, a function from the raw value to
the wanted one that raises `BadValueError`, and a stand-in with which to go on, so that one reading finds all:

    document = read(path)
    table = document.section("table")
    game = table.need("game", choice("draw-poker"), "draw-poker")
    seats = table.get("seats", whole_number(1, 7), 7)
    table.close()                           # what has not been asked for is unknown
    document.finish()                       # raises ConfigError when there was any mistake
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from msgspec import Struct

from controller.core.messages import msg
from controller.core.params import BadValueError, nearest

if TYPE_CHECKING:  # with gettext behind it, only needed when something is wrong
    from controller.i18n import Language

LARGEST_FILE = 1_000_000
"""Bytes; a configuration has a thousand or two."""

LONGEST_LINE = 6_000
"""Characters; a path has 4 096 at most. tomllib's work grows with the square of the dots in a key."""

Place = tuple[str | int, ...]
"""Where a value stands: names of tables and keys, numbers in arrays, counted from 0."""

T = TypeVar("T")


class Problem(Struct, frozen=True):
    """One mistake: where, what stands there, why it cannot be, and the nearest known word (or empty).

    `line` counts from 1, 0 when it has none; `text` is a message id that `args` fill.
    """

    file: str
    line: int
    key: str
    value: str
    text: str
    args: dict[str, str] = {}
    nearest: str = ""

    def reason(self, language: Language = "en") -> str:
        """The sentence in `language`."""
        from controller.i18n import translator

        speak = translator(language).text
        sentence = speak(self.text, **self.args)
        if self.nearest:
            sentence += " " + speak(msg("Did you mean {nearest}?"), nearest=self.nearest)
        return sentence


class ConfigError(Exception):
    """A file cannot be used; `problems` are all its mistakes, in the order of their lines.

    `language` is the file's own when it could be read, else Spanish, the first language of the house.
    """

    def __init__(self, problems: tuple[Problem, ...], language: Language = "es") -> None:
        super().__init__(problems, language)
        self.problems = problems
        self.language: Language = language

    def __str__(self) -> str:
        return self.report("en")

    def report(self, language: Language | None = None) -> str:
        """All mistakes for a person, two lines each, in `language` or the file's own."""
        from controller.i18n import translator

        spoken = language or self.language
        speak = translator(spoken).text
        one, many = msg("{file} has a mistake:"), msg("{file} has {count} mistakes:")
        count = len(self.problems)
        lines = [speak(one if count == 1 else many, file=self.problems[0].file, count=count)]
        for problem in self.problems:
            place = speak(msg("line {line}"), line=problem.line) if problem.line else ""
            shown = problem.key + (f" = {problem.value}" if problem.value else "")
            lines.append("  " + ": ".join(part for part in (place, shown) if part))
            lines.append("      " + problem.reason(spoken))
        return "\n".join(lines)


class Decimal(str):
    """A TOML float as it is written in the file: nothing here ever becomes a binary fraction."""


def printable(text: str, most: int) -> str:
    """`text` without anything that could move a terminal's cursor, and at most `most` characters of it."""
    text = text if len(text) <= most else text[: most - 1] + "…"
    return "".join(c if c.isprintable() else ascii(c)[1:-1] for c in text)


def shown(value: object) -> str:
    """A value much as the file has it, on one line, short and printable."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, dict):
        return "{…}" if value else "{}"
    if isinstance(value, list):
        return "[" + ", ".join(shown(item) for item in value[:4]) + (", …]" if len(value) > 4 else "]")
    quote = '"' if type(value) is str else ""
    # A huge whole number cannot even be turned into text (ValueError), and nobody would read it.
    text = hex(value) if isinstance(value, int) and value.bit_length() > 200 else str(value)
    return quote + printable(text, 60) + quote


# --- The file ----------------------------------------------------------------------------------------


def read(path: Path) -> Document:
    """Read and parse `path`. Raises ConfigError with the one problem that keeps the file from being read."""

    def failed(text: str, line: int = 0, **args: object) -> ConfigError:
        values = {name: str(value) for name, value in args.items()}
        return ConfigError((Problem(str(path), line, "", "", text, values),))

    try:
        with path.open("rb") as file:
            data = file.read(LARGEST_FILE + 1)
    except (OSError, ValueError) as error:  # ValueError: a NUL in the name
        why = getattr(error, "strerror", None) or str(error)
        raise failed(msg("The file cannot be read ({why}): check its name and permissions."), why=why) from error
    if len(data) > LARGEST_FILE:
        raise failed(msg("The file is larger than any configuration: is it another kind of file?"))
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise failed(msg("The file is not text in UTF-8: save it again in that encoding."), line) from error
    for number, written in enumerate(text.split("\n"), 1):
        if len(written) > LONGEST_LINE:
            raise failed(msg("This line is longer than any of a configuration: is it another kind of file?"), number)
    try:
        return Document(str(path), text, tomllib.loads(text, parse_float=Decimal))
    except RecursionError as error:
        raise failed(msg("Values are nested too deeply.")) from error
    except ValueError as error:  # TOMLDecodeError, or a number of thousands of digits
        why = str(error)
        place = re.search(r" \(at (?:line (\d+), column \d+|end of document)\)$", why)
        line = 0 if place is None else int(place[1] or text.count("\n") + 1)
        why = "".join(c if c.isprintable() else ascii(c)[1:-1] for c in why[: place.start() if place else 200])
        text_of_it = msg("This is not TOML ({why}): look at this line and the one before it.")
        raise failed(text_of_it, line, why=why[:200]) from error


class Document:
    """A parsed file, and the mistakes found in it so far."""

    def __init__(self, file: str, text: str, data: dict[str, object]) -> None:
        self.file = file
        self.problems: list[Problem] = []
        self.marks: set[str] = set()
        self._data = data
        self._lines = _lines(text)
        self._places: dict[str, Place] = {}
        self.root = Section(self, "", (), data)

    def section(self, name: str) -> Section:
        """The table `name` of the file; an empty one when there is none."""
        return self.root.section(name)

    def place(self, key: str, place: Place) -> None:
        """Remember that `key`, as people call it, stands at `place`."""
        self._places[key] = place

    def note(self, key: str, text: str, *, near: str = "", **args: object) -> None:
        """Add a problem with what stands under `key`."""
        place = self._places.get(key, tuple(key.split(".")))
        value = self._value(place)
        named = printable(key, 80)
        values = {"key": named, "value": shown(value)} | {name: str(arg) for name, arg in args.items()}
        written = "" if value is None or isinstance(value, dict) else shown(value)
        self.problems.append(Problem(self.file, self._line(key, place), named, written, text, values, near))
        self.marks.add(key)

    def marked(self, *keys: str) -> bool:
        """Whether a problem is known with one of `keys`, or with something inside or around it."""
        return any(
            mark == key or mark.startswith((key + ".", key + "[")) or key.startswith(mark + ".")
            for key in keys
            for mark in self.marks
        )

    def finish(self, language: Language) -> None:
        """Raise ConfigError when there was any problem, unknown sections included."""
        self.root.close()
        if self.problems:
            in_order = sorted(self.problems, key=lambda problem: problem.line or LARGEST_FILE)
            raise ConfigError(tuple(in_order), language)

    def _value(self, place: Place) -> object:
        value: object = self._data
        for step in place:
            if isinstance(value, dict):
                value = value.get(step)
            elif isinstance(value, list) and isinstance(step, int):
                value = value[step]
            else:
                return None
        return value

    def _line(self, key: str, place: Place) -> int:
        """The line of `place`, else of the nearest thing around it that has one."""
        if key not in self._places:  # such as a key under prizes.flush: the prize's place is known
            outer = key.rpartition(".")[0]
            if outer in self._places:
                place = self._places[outer]
        while place and place not in self._lines:
            place = place[:-1]
        return self._lines.get(place, 0)


_PART = r"""(?:[A-Za-z0-9_-]+|"[^"]*"|'[^']*')"""
_DOTTED = rf"({_PART}(?:\s*\.\s*{_PART})*)"
_HEADER = re.compile(rf"\s*(\[\[?)\s*{_DOTTED}\s*\]")
_KEY = re.compile(rf"\s*{_DOTTED}\s*=")


def _lines(text: str) -> dict[Place, int]:
    """The line of every header and key that starts a line. What is written otherwise is not found."""
    found: dict[Place, int] = {}
    tables: dict[Place, int] = {}
    header: Place = ()
    inside = ""  # the quotes of a text of several lines
    for number, line in enumerate(text.split("\n"), 1):
        starts_inside = inside
        for quotes in ('"""', "'''"):
            if inside in ("", quotes) and line.count(quotes) % 2:
                inside = "" if inside else quotes
        if starts_inside:
            continue
        if match := _HEADER.match(line):
            header = _parts(match[2])
            if match[1] == "[[":
                tables[header] = tables.get(header, -1) + 1
                found.setdefault(header, number)
                header = (*header, tables[header])
            found.setdefault(header, number)
        elif match := _KEY.match(line):
            place = (*header, *_parts(match[1]))
            for end in range(len(header) + 1, len(place) + 1):
                found.setdefault(place[:end], number)
    return found


def _parts(dotted: str) -> Place:
    return tuple(part.strip("\"'") for part in re.findall(_PART, dotted))


# --- Its sections ------------------------------------------------------------------------------------


class Section:
    """One table of a document, whose keys are asked for one by one."""

    def __init__(self, document: Document, label: str, place: Place, values: dict[str, object]) -> None:
        self._document = document
        self._label = label
        self._place = place
        self._values = values
        self._known: list[str] = []
        self._missing: list[str] = []
        if label:
            document.place(label, place)
        for name in values:
            document.place(self.key(name), (*place, name))

    def key(self, name: str) -> str:
        """`name` with its path, as people write it."""
        return f"{self._label}.{name}" if self._label else name

    def __iter__(self) -> Iterator[str]:
        """The names of everything that stands in this section."""
        return iter(tuple(self._values))

    def __contains__(self, name: str) -> bool:
        return name in self._values

    def section(self, name: str) -> Section:
        """The table `name` within this one; an empty one when there is none or it is something else."""
        self._known.append(name)
        value = self._values.get(name, {})
        if not isinstance(value, dict):
            self._document.note(self.key(name), msg("{key} is a section: write [{key}] on a line of its own."))
            value = {}
        return Section(self._document, self.key(name), (*self._place, name), value)

    def sections(self, name: str) -> list[Section] | None:
        """The tables ``[[name]]``, or None when there are none."""
        self._known.append(name)
        if name not in self._values:
            return None
        value = self._values[name]
        if not isinstance(value, list) or not all(isinstance(item, dict) for item in value):
            self._document.note(self.key(name), msg("Write [[{key}]] on a line of its own, before each of them."))
            return []
        return [
            Section(self._document, f"{self.key(name)}[{n + 1}]", (*self._place, name, n), item)
            for n, item in enumerate(value)
        ]

    def rename(self, label: str) -> None:
        """Call this section `label` from here on; for tables of an array, which have no name of their own."""
        self._label = label
        self._document.place(label, self._place)
        for name in self._values:
            self._document.place(self.key(name), (*self._place, name))

    def get(self, name: str, read: Callable[[object], T], default: T, stand_in: T | None = None) -> T:
        """The value of an optional key, or `default`; when it is wrong, note it and go on with `stand_in`."""
        self._known.append(name)
        if name not in self._values:
            return default
        try:
            return read(self._values[name])
        except BadValueError as bad:
            self._document.note(self.key(name), bad.text, near=bad.nearest, **bad.values)
            return default if stand_in is None else stand_in

    def need(self, name: str, read: Callable[[object], T], stand_in: T) -> T:
        """The value of a required key; `stand_in` when it is missing or wrong, which is noted."""
        if name not in self._values:
            self._missing.append(name)
        return self.get(name, read, stand_in)

    def close(self) -> None:
        """Note what is unknown and what is missing; a missing key that was misspelt is noted once."""
        for name in self._values:
            if name not in self._known:
                guess = nearest(name, self._known)
                if guess in self._missing:
                    self._missing.remove(guess)
                    self._document.marks.add(self.key(guess))
                if guess:
                    self._document.note(self.key(name), msg("{key} is unknown."), near=self.key(guess))
                else:
                    text = msg("{key} is unknown; known here: {known}.")
                    self._document.note(self.key(name), text, known=", ".join(self._known))
        for name in self._missing:
            self._document.note(self.key(name), msg("{key} is missing."))


# --- Readers of plain values -------------------------------------------------------------------------


def text(value: object) -> str:
    """A text of one line that is not empty."""
    if type(value) is not str:
        raise BadValueError(msg("{value} must be a text: write it in quotes."))
    if not value.strip() or not value.isprintable():
        raise BadValueError(msg("{value} must be a text of one line, not empty and without control characters."))
    return value


def whole_number(low: int, high: int) -> Callable[[object], int]:
    """A whole number from `low` to `high`, without quotes."""

    def read_it(value: object) -> int:
        if type(value) is not int:
            text_ = msg("{value} must be a whole number from {low} to {high}, written without quotes or decimals.")
            raise BadValueError(text_, low=low, high=high)
        if not low <= value <= high:
            raise BadValueError(msg("{value} must be from {low} to {high}."), low=low, high=high)
        return value

    return read_it


def truth(value: object) -> bool:
    """``true`` or ``false``."""
    if type(value) is not bool:
        raise BadValueError(msg("{value} must be true or false, without quotes."))
    return value


def choice(*words: str) -> Callable[[object], str]:
    """One of `words`."""

    def read_it(value: object) -> str:
        word = text(value)
        if word not in words:
            known = ", ".join(words)
            near = nearest(word, words)
            raise BadValueError(msg("{value} is not one of: {known}."), known=known, nearest=near)
        return word

    return read_it
