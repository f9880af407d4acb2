"""The pages of the dealer's menu: pure data, and what can be chosen on each, as the table stands (rules 10).

What a page offers is what the dealer may do and what could make sense now. Whether it is right is for the rules to say:
they refuse with a sentence, which is shown. Nothing here does anything: an act is confirmed first (`Confirm`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from controller.core import inputs as do
from controller.core.cards import HANDS, RANKS, SUITS, Card, Hand, card_name
from controller.core.expected import expected
from controller.core.games.game import NEEDS_SEAT, Game
from controller.core.hands import game_of
from controller.core.inputs import Act
from controller.core.messages import msg
from controller.core.panel import owed
from controller.core.potwords import Params
from controller.core.state import Bet, Prize, Table
from controller.terminal.words import (
    KIND_NAMES,
    SUIT_NAMES,
    Say,
    fitting,
    hand_name,
    phase,
    prize_line,
    seat_line,
    sentence,
    table_text,
)
from hal.display.menu import COLUMNS, SELECTED

LONGEST_PIN = 12
MOST_DIGITS = 6
"""Of a number of credits: a seat's counter holds no more."""


NO_BREAK = "\u00a0"
"""A space at which no line ends."""

_ROOM = COLUMNS - len(SELECTED)
"""Characters of a line that can be chosen."""


class Sight(Struct, frozen=True):
    """What the menu can see: the published table, who may deal here, why nothing is decided any more (8.5).

    `say` is ``Translator.text``, `money` writes minor units.
    """

    table: Table
    say: Say
    money: Callable[[int], str]
    dealers: tuple[str, ...] = ()
    stopped: str = ""

    def amount(self, minor: int) -> str:
        """Minor units as one word, wherever a line ends: some currencies have a space between thousands."""
        return self.money(minor).replace(" ", NO_BREAK)


# --- the pages -------------------------------------------------------------------------------------------


class Dealers(Struct, frozen=True):
    """Who is it? Those who may deal."""


class Pin(Struct, frozen=True):
    """The PIN of `person`, as far as it is `typed`."""

    person: str
    typed: str = ""


class Main(Struct, frozen=True):
    """The first page of somebody who has proved who they are."""


class Picture(Struct, frozen=True):
    """The table in words: seats, chips to hand back, alarms, failed parts."""


class Seats(Struct, frozen=True):
    """Every seat in a line."""


class OneSeat(Struct, frozen=True):
    """What can be done at one seat."""

    seat: int


class Credits(Struct, frozen=True):
    """How many credits are loaded on `seat` (2.2), as far as `typed`."""

    seat: int
    typed: str = ""


class Hands(Struct, frozen=True):
    """The classes that `seat` can declare (5.12)."""

    seat: int


class Cards(Struct, frozen=True):
    """`count` cards, one by one: those of the hand at `seat`, or the shared ones when it is 0 (5.12).

    `rank` is that of the card whose suit is asked for, -1 when the rank is.
    """

    seat: int
    count: int
    cards: tuple[Card, ...] = ()
    rank: int = -1


class Boards(Struct, frozen=True):
    """How many shared cards lie face up."""


class Kinds(Struct, frozen=True):
    """The irregular deals of this game (7.3)."""


class Concerned(Struct, frozen=True):
    """The seat that an irregular deal of `kind` concerns."""

    kind: str


class Owed(Struct, frozen=True):
    """Chips to be handed back (2.4)."""


class Prizes(Struct, frozen=True):
    """The prizes of the round, in the order in which they are paid (5.11)."""


class Confirm(Struct, frozen=True):
    """`act`, in the words in which it was shown, and what it was about then (``Command.expect``): what has changed
    meanwhile is shown and asked again."""

    act: Act
    said: str
    expect: str | None


class Notice(Struct, frozen=True):
    """Something to be read."""

    said: str


Page = (
    Dealers | Pin | Main | Picture | Seats | OneSeat | Credits | Hands | Cards | Boards | Kinds | Concerned | Owed
    | Prizes | Confirm | Notice
)  # fmt: skip


class LogIn(Struct, frozen=True):
    """Somebody says to be `person`, and gives a PIN to prove it (10.1)."""

    person: str
    pin: str


class LogOut(Struct, frozen=True):
    """Whoever was here leaves."""


Goes = Page | Act | LogIn | LogOut


class Item(NamedTuple):
    """A line that can be chosen, and where it leads."""

    label: str
    goes: Goes


class View(NamedTuple):
    """A page as it stands: something to choose from, or a text to read."""

    title: str
    items: tuple[Item, ...] = ()
    text: str = ""


# --- what stands on them ---------------------------------------------------------------------------------


def view(page: Page, sight: Sight, person: str) -> View:
    """What stands on `page` now; `person` has logged in."""
    say = sight.say
    match page:
        case Dealers():
            return View(say(msg("Who is it?")), tuple(Item(_shortened(name), Pin(name)) for name in sight.dealers))
        case Pin(name, typed):
            done = Item("OK", LogIn(name, typed)) if typed else None
            return View(f"PIN {'*' * len(typed)}", _digits(page, LONGEST_PIN, done))
        case Main():
            return View(_heading(sight), _main(sight, person))
        case Picture():
            return View(_heading(sight), text=table_text(sight.table, say, sight.amount, sight.stopped))
        case Seats():
            return View(_heading(sight), _seats(sight))
        case OneSeat(seat):
            return View(_line(sight, seat, COLUMNS), _seat(sight, seat))
        case Credits(seat, typed):
            done = Item("OK", do.Load(seat, int(typed))) if typed else None
            return View(say(msg("Seat {seat}: load {count}"), seat=seat, count=typed), _digits(page, MOST_DIGITS, done))
        case Hands(seat):
            return View(say(msg("Seat {seat}: hand"), seat=seat), _hands(sight, seat))
        case Cards():
            return View(_cards_so_far(page, say), _cards(page, say))
        case Boards():
            return View(say(msg("Shared cards")), _boards(sight))
        case Kinds():
            return View(say(msg("Irregular deal")), _kinds(sight))
        case Concerned(kind):
            seats = range(1, len(sight.table.seats) + 1)
            items = (Item(_line(sight, seat), do.Irregular(kind, seat)) for seat in seats)
            return View(say(msg("At which seat?")), tuple(items))
        case Owed():
            return View(say(msg("Hand back")), _owed(sight))
        case Prizes():
            return View(say(msg("Prizes")), _prizes(sight))
        case Confirm(_, said, _):
            return View(say(msg("Is this right?")), text=said)
        case Notice(said):
            return View(_heading(sight), text=said)


def undone(page: Page) -> Page | None:
    """`page` without what was typed last; None when nothing was."""
    match page:
        case Pin() | Credits() if page.typed:
            return replace(page, typed=page.typed[:-1])
        case Cards() if page.rank >= 0:
            return replace(page, rank=-1)
        case Cards() if page.cards:
            return replace(page, cards=page.cards[:-1])
    return None


def confirm(act: Act, sight: Sight) -> Confirm:
    """The page that asks whether `act` is meant."""
    return Confirm(act, sentence(act, sight.table, sight.say, sight.amount), expected(sight.table, act))


def _heading(sight: Sight) -> str:
    word, now = sight.say(msg("round")), phase(sight.table, sight.say)
    return fitting(COLUMNS, f"{word} {sight.table.rounds}, {now}", now)


def _line(sight: Sight, seat: int, room: int = _ROOM) -> str:
    return fitting(room, *seat_line(sight.table, seat, sight.say, sight.amount))


def _shortened(name: str) -> str:
    return name if len(name) <= _ROOM else name[: _ROOM - 3] + "..."


def _digits(page: Pin | Credits, most: int, done: Item | None) -> tuple[Item, ...]:
    """The digits, and the end of them, which is one step up from the first."""
    digits = (Item(digit, replace(page, typed=page.typed + digit)) for digit in "0123456789")
    more = tuple(digits) if len(page.typed) < most else ()
    return (*more, done) if done is not None else more


def _main(sight: Sight, person: str) -> tuple[Item, ...]:
    """What waits for the dealer's hands first."""
    table, say = sight.table, sight.say
    items: list[Item] = []
    if any(owed(seat) for seat in table.seats):
        items.append(Item(say(msg("Hand back")), Owed()))
    if _prizes(sight):
        items.append(Item(say(msg("Prizes")), Prizes()))
    items.append(Item(say(msg("Seats")), Seats()))
    if table.round is not None and table.round.phase != "paying":
        if game_of(table).boards:
            items.append(Item(say(msg("Shared cards")), Boards()))
        items.append(Item(say(msg("Settle")), do.Settle()))
        items.append(Item(say(msg("Irregular deal")), Kinds()))
    items.append(Item(say(msg("The table")), Picture()))
    items.append(Item(_shortened(say(msg("Leave: {person}"), person=person)), LogOut()))
    return tuple(items)


def _seats(sight: Sight) -> tuple[Item, ...]:
    return tuple(Item(_line(sight, seat.seat), OneSeat(seat.seat)) for seat in sight.table.seats)


def _seat(sight: Sight, number: int) -> tuple[Item, ...]:
    table, say = sight.table, sight.say
    seat = table.seats[number - 1]
    items: list[Item] = []
    if owed(seat):
        items.append(Item(say(msg("Chips handed back")), do.Ack(number)))
    if any(prize.seat == number and prize.status in ("unapproved", "payable") for prize in _of_round(table)):
        items.append(Item(say(msg("Prize paid")), do.Paid(number)))
    if table.round is not None and table.round.phase != "paying":
        items += _play(table.round.bets[number - 1], game_of(table), number, say)
    if table.setup.acceptor == "credits":
        if seat.closed is None:
            items.append(Item(say(msg("Load credits")), Credits(number)))
        if seat.credits:
            items.append(Item(say(msg("Cash out")), do.CashOut(number)))
    if seat.closed is None:
        items.append(Item(say(msg("Close the seat")), do.Close(number)))
    elif seat.closed == "dealer":
        items.append(Item(say(msg("Reopen the seat")), do.Reopen(number)))
    return tuple(items)


def _play(bet: Bet, game: Game, seat: int, say: Say) -> list[Item]:
    """What the player has, and does, while the bet is in play."""
    if not bet.bet or bet.forfeit is not None or bet.void:
        return []
    items = [Item(say(msg("Hand by class")), Hands(seat)), Item(say(msg("Hand by its cards")), Cards(seat, 5))]
    if bet.hand is not None:
        items.append(Item(say(msg("Take hand back")), do.Undeclare(seat)))
    if "fold" in game.forfeits:
        items.append(Item(say(msg("Folds")), do.Fold(seat)))
    if "exchange" in game.forfeits:
        items.append(Item(say(msg("Exchanges cards")), do.Exchange(seat)))
    return items


def _hands(sight: Sight, seat: int) -> tuple[Item, ...]:
    return tuple(
        Item(hand_name(hand, sight.say), do.Declare(seat, hand=hand)) for hand in _likely(sight.table.pot.params)
    )


def _likely(params: Params) -> list[Hand]:
    """The hands that win something, the most frequent first; then the others."""
    winning = {rule.hand for rule in params.prizes}
    return [hand for hand in HANDS if hand in winning] + [hand for hand in reversed(HANDS) if hand not in winning]


def _boards(sight: Sight) -> tuple[Item, ...]:
    """Those told before need not be told again when more are turned."""
    round = sight.table.round
    told = round.board if round is not None else ()
    return tuple(
        Item(sight.say(msg("{count} cards"), count=count), Cards(0, count, told if len(told) < count else ()))
        for count in game_of(sight.table).boards
    )


def _cards_so_far(page: Cards, say: Say) -> str:
    told = " ".join(map(card_name, page.cards))
    open_ = RANKS[page.rank] if page.rank >= 0 else "?"
    return f"{told} {open_}".strip()


def _cards(page: Cards, say: Say) -> tuple[Item, ...]:
    """Ranks from the ace down; then the suits of that rank that are not there yet."""
    if page.rank < 0:
        ranks = range(len(RANKS) - 1, -1, -1)
        return tuple(Item(RANKS[rank].replace("T", "10"), replace(page, rank=rank)) for rank in ranks)
    items = []
    for suit in reversed(range(len(SUITS))):
        card = Card(page.rank * 4 + suit)
        if card not in page.cards:
            items.append(Item(say(SUIT_NAMES[suit]), _with(page, card)))
    return tuple(items)


def _with(page: Cards, card: Card) -> Goes:
    cards = (*page.cards, card)
    if len(cards) < page.count:
        return Cards(page.seat, page.count, cards)
    return do.Declare(page.seat, cards=cards) if page.seat else do.Board(cards)


def _kinds(sight: Sight) -> tuple[Item, ...]:
    return tuple(
        Item(sight.say(KIND_NAMES[kind]), Concerned(kind) if kind in NEEDS_SEAT else do.Irregular(kind))
        for kind in game_of(sight.table).irregular
    )


def _owed(sight: Sight) -> tuple[Item, ...]:
    return tuple(Item(_line(sight, seat.seat), do.Ack(seat.seat)) for seat in sight.table.seats if owed(seat))


def _prizes(sight: Sight) -> tuple[Item, ...]:
    return tuple(
        Item(fitting(_ROOM, *prize_line(prize, sight.say, sight.amount)), do.Paid(prize.seat))
        for prize in _of_round(sight.table)
    )


def _of_round(table: Table) -> list[Prize]:
    """The prizes of the round that is being paid, seat 1 first (5.11)."""
    if table.settlement is None or table.round is None or table.round.phase != "paying":
        return []
    return sorted(table.settlement.prizes, key=lambda prize: prize.seat)
