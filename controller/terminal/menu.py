"""The dealer's menu, pure: state and key give the next state, and what somebody else has to do about it.

    step = press(menu, "ok", sight, stood)  # after what the screen shows has stood so many seconds
    menu, wish = step.menu, step.wish       # a wish is an act, a login, a logout, or nothing
    lines(menu, sight)                      # what the screen shows; nothing: the table's usual picture

Four keys: up and down choose, ok goes on, back goes back. An act is done from one page only, `Confirm`, which has said
what will be done; whatever has changed since it was said is said and asked again. A command means the round in which
the dealer left the first page, and what the page said that it is about; if another round is on when it is decided, or
it is about something else by then, the rules refuse it as stale (10.1).
"""

from __future__ import annotations

import textwrap
from typing import Literal, NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from controller.core.events import Event
from controller.core.games.game import ADVICE
from controller.core.hands import game_of
from controller.core.inputs import Act, Actor, Command, Irregular
from controller.core.messages import msg
from controller.core.refusals import Refusal
from controller.core.roles import allowed
from controller.terminal.pages import (
    NO_BREAK,
    Cards,
    Confirm,
    Dealers,
    Goes,
    LogIn,
    LogOut,
    Main,
    Notice,
    Owed,
    Page,
    Pin,
    Prizes,
    Seats,
    Sight,
    View,
    confirm,
    undone,
    view,
)
from controller.terminal.words import done, fitting
from hal.display.menu import COLUMNS, LINES, SELECTED

Key = Literal["up", "down", "ok", "back"]
KEYS: tuple[Key, ...] = ("up", "down", "ok", "back")

SEEN_S = 0.4
"""Seconds that something has to stand before a key can answer it: a screen takes 0.1 to be drawn, and the second tap of
two in a row comes after 0.3 at most."""

_LISTS = (Seats, Owed, Prizes)
"""Where the dealer goes on after something was done there: usually the next seat's turn has come."""


class Open(Struct, frozen=True):
    """A page that is open, and the line that is chosen on it, or the first that is to be read."""

    page: Page
    at: int = 0


class Menu(Struct, frozen=True):
    """What the menu shows, and who uses it. Without `pages` the screen has the table's usual picture.

    `round` is the round that commands mean; `waiting`: an answer is under way, and keys do nothing; `title` stands
    over the page until the next key.
    """

    pages: tuple[Open, ...] = ()
    person: str = ""
    round: int = 0
    waiting: bool = False
    title: str = ""


class Do(Struct, frozen=True):
    """The dealer wants `act` done, in `round` (0: in any), while it is about what it was shown to be (`expect`)."""

    act: Act
    round: int
    expect: str | None = None


Wish = Do | LogIn | LogOut


class Step(NamedTuple):
    """What a key has led to."""

    menu: Menu
    wish: Wish | None = None


def dealer(person: str) -> Actor:
    """Whoever works the terminal does so as a dealer, whatever else they may do elsewhere (10)."""
    return Actor(person, ("dealer",), "terminal")


# --- keys ------------------------------------------------------------------------------------------------


def press(menu: Menu, key: Key, sight: Sight, stood: float) -> Step:
    """A key was pressed, `stood` seconds after the screen was given what it shows. The first one only opens the menu,
    and nothing is confirmed, nor a notice put away, that nobody can have seen."""
    if menu.waiting or (stood < SEEN_S and _answers(menu, key)):
        return Step(menu)
    menu = replace(menu, title="")
    if not menu.pages:
        return Step(opened(menu, sight))
    if key == "ok":
        return _ok(menu, sight)
    if key == "back":
        return Step(_back(menu))
    return Step(_moved(menu, sight, -1 if key == "up" else 1))


def _answers(menu: Menu, key: Key) -> bool:
    """Whether `key` means that what is shown has been read."""
    page = menu.pages[-1].page if menu.pages else None
    return (isinstance(page, Confirm) and key == "ok") or (isinstance(page, Notice) and key in ("ok", "back"))


def opened(menu: Menu, sight: Sight) -> Menu:
    """The first page of whoever is here, or the question who that is (10.1)."""
    if menu.person:
        first: Page = Main()
    elif sight.dealers:
        first = Dealers()
    else:
        first = Notice(sight.say(msg("Nobody here may deal: add a person with the role dealer (pozo people).")))
    return replace(menu, pages=(Open(first),))


def closed(menu: Menu) -> Menu:
    """The usual picture again; who is logged in stays so."""
    return replace(menu, pages=(), title="")


def _moved(menu: Menu, sight: Sight, by: int) -> Menu:
    """One line up or down: round the corner in a list, to the ends of a text."""
    top = menu.pages[-1]
    shown = view(top.page, sight, menu.person)
    if shown.items:
        at = (_chosen(top, shown) + by) % len(shown.items)
    else:
        at = min(max(top.at + by, 0), _last_line(top.page, shown))
    return _with_top(menu, Open(top.page, at))


def _back(menu: Menu) -> Menu:
    """What was typed last is taken back, else the page before."""
    top = menu.pages[-1]
    before = undone(top.page)
    if before is not None:
        return _with_top(menu, Open(before, top.at if isinstance(before, Pin) else 0))
    return replace(menu, pages=menu.pages[:-1])


def _ok(menu: Menu, sight: Sight) -> Step:
    top = menu.pages[-1]
    shown = view(top.page, sight, menu.person)
    if not shown.items and top.at < _last_line(top.page, shown):
        return Step(_moved(menu, sight, LINES - 2))
    if isinstance(top.page, Confirm):
        return _confirmed(menu, top.page, sight)
    if not shown.items:
        return Step(_back(menu))
    if isinstance(top.page, Main):
        menu = replace(menu, round=sight.table.rounds)
    return _gone(menu, shown.items[_chosen(top, shown)].goes, sight)


def _gone(menu: Menu, goes: Goes, sight: Sight) -> Step:
    """To a page; one of the same kind takes the place of the one before."""
    if isinstance(goes, LogIn):
        return Step(replace(menu, waiting=True), goes)
    if isinstance(goes, LogOut):
        return Step(Menu(), goes)
    top = menu.pages[-1]
    page = goes if isinstance(goes, Page) else confirm(goes, sight)
    if type(page) is not type(top.page):
        return Step(replace(menu, pages=(*menu.pages, Open(page))))
    return Step(_with_top(menu, Open(page, 0 if isinstance(page, Cards) else top.at)))


def _confirmed(menu: Menu, asked: Confirm, sight: Sight) -> Step:
    """Do it, if it is still what was asked, and still the dealer's to do (10)."""
    now = confirm(asked.act, sight)
    if now != asked:
        return Step(_with_top(menu, Open(now)))
    refusal = allowed(sight.table, Command(asked.act, dealer(menu.person)))
    if refusal is not None:
        return Step(answered(menu, refusal, sight))
    return Step(replace(menu, waiting=True), Do(asked.act, menu.round, asked.expect))


# --- answers ---------------------------------------------------------------------------------------------


def answered(menu: Menu, refusal: Refusal | None, sight: Sight, events: tuple[Event, ...] = ()) -> Menu:
    """A command is done, with these `events`, or refused: the refusal is shown, also when the menu was closed
    meanwhile."""
    top = menu.pages[-1].page if menu.pages else None
    menu = replace(menu, waiting=False)
    if refusal is not None:
        kept = menu.pages[:1] if refusal.code == "stale" else menu.pages[:-1]
        return _told(menu, kept, sight.say(refusal.text, **refusal.args))
    if top is None:
        return menu
    kept = menu.pages[:2] if _goes_on(menu, sight) else (Open(Main()),)
    if isinstance(top, Confirm) and isinstance(top.act, Irregular):
        outcome = game_of(sight.table).irregular[top.act.kind]
        return _told(menu, kept, sight.say(msg("Recorded; {advice}."), advice=sight.say(ADVICE[outcome])))
    return replace(menu, pages=kept, title=fitting(COLUMNS, *done(events, sight.table, sight.say, sight.amount)))


def _goes_on(menu: Menu, sight: Sight) -> bool:
    """Whether the list from which this was done has anything left."""
    second = menu.pages[1].page if len(menu.pages) > 2 else None
    return isinstance(second, _LISTS) and bool(view(second, sight, menu.person).items)


def entered(menu: Menu, person: str) -> Menu:
    """`person` has proved who they are."""
    return replace(menu, pages=(Open(Main()),), person=person, waiting=False)


def turned_away(menu: Menu, why: str) -> Menu:
    """Nobody is logged in any more, for the reason that is shown."""
    return _told(replace(menu, person="", waiting=False), (), why)


def told(menu: Menu, why: str) -> Menu:
    """Something could not be done, for the reason that is shown; whoever is logged in stays so."""
    return _told(replace(menu, waiting=False), menu.pages[:1], why)


def _told(menu: Menu, kept: tuple[Open, ...], said: str) -> Menu:
    return replace(menu, pages=(*kept, Open(Notice(said))))


# --- the screen ------------------------------------------------------------------------------------------


def lines(menu: Menu, sight: Sight) -> tuple[str, ...]:
    """What the screen shows: a title, then at most `LINES` - 1 lines of `COLUMNS` characters. Nothing: no menu."""
    if not menu.pages:
        return ()
    top = menu.pages[-1]
    shown = view(top.page, sight, menu.person)
    title = sight.say(msg("Please wait")) if menu.waiting else menu.title or shown.title
    below = _listed(top, shown) if shown.items else _read(top, shown, sight)
    return tuple(_whole(line).replace(NO_BREAK, " ") for line in (title, *below))


def _whole(line: str) -> str:
    """As many whole words of `line` as there is room for: a part of an amount is another amount."""
    if len(line) <= COLUMNS:
        return line
    words = line.split(" ")
    while len(" ".join(words)) + 3 > COLUMNS:
        words.pop()
    return " ".join(words) + "..."


def _listed(top: Open, shown: View) -> list[str]:
    """The lines around the one that is chosen."""
    chosen, room = _chosen(top, shown), LINES - 1
    first = min(max(0, chosen - room // 2), max(0, len(shown.items) - room))
    return [
        (SELECTED if at == chosen else " " * len(SELECTED)) + shown.items[at].label
        for at in range(first, min(first + room, len(shown.items)))
    ]


def _read(top: Open, shown: View, sight: Sight) -> list[str]:
    """A text from the line that was reached. The last line says that there is more, or by what keys it is confirmed."""
    text, last = _wrapped(shown.text)[top.at :], _last_line(top.page, shown)
    if top.at < last:
        keys = msg("ok: more...")
    elif isinstance(top.page, Confirm):
        keys = msg("ok: yes  back: no")
    else:
        return text
    text = text[: LINES - 2]
    return [*text, *[""] * (LINES - 2 - len(text)), SELECTED + sight.say(keys)]


def _wrapped(text: str) -> list[str]:
    """`text` in lines, each paragraph indented as it begins."""
    wrapped: list[str] = []
    for paragraph in text.split("\n"):
        indent = " " * (len(paragraph) - len(paragraph.lstrip(" ")))
        wrapped += textwrap.wrap(paragraph, COLUMNS, subsequent_indent=indent) or [""]
    return wrapped


def _room(page: Page) -> int:
    """Lines of text under the title."""
    return LINES - 2 if isinstance(page, Confirm) else LINES - 1


def _last_line(page: Page, shown: View) -> int:
    """The line that a text may begin with at most."""
    return max(0, len(_wrapped(shown.text)) - _room(page))


def _chosen(top: Open, shown: View) -> int:
    """The chosen line, also when the list has become shorter meanwhile."""
    return min(top.at, len(shown.items) - 1)


def _with_top(menu: Menu, top: Open) -> Menu:
    return replace(menu, pages=(*menu.pages[:-1], top))
