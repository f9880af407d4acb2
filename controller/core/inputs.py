"""What can reach the rules: a signal, a command, a timeout, a pot's answer, a start. Nothing else."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from controller.core.cards import Card, Hand
from controller.core.money import Minor
from controller.core.pot import Moved
from controller.core.potwords import PotKey
from controller.core.state import Role
from hal.port import Signal, Stamp

Way = Literal["terminal", "console", "page", "scenario", "demo"]


class Actor(Struct, frozen=True):
    """Who acts, in which roles, and by which way in; authenticated by the daemon (rules 10.1)."""

    person: str
    roles: tuple[Role, ...]
    way: Way


class Load(Struct, frozen=True, tag="load"):
    """Credits bought with chips are loaded on a seat (2.2)."""

    seat: int
    credits: int


class CashOut(Struct, frozen=True, tag="cashout"):
    """All unspent credits of a seat are paid back in chips (2.2)."""

    seat: int


class Fold(Struct, frozen=True, tag="fold"):
    """The player does not go on: the side bet is forfeited (5.2)."""

    seat: int


class Exchange(Struct, frozen=True, tag="exchange"):
    """The player exchanges cards: the side bet is forfeited (5.3)."""

    seat: int


class Restore(Struct, frozen=True, tag="restore"):
    """Undo a fold or an exchange before settling (5.15)."""

    seat: int


class Declare(Struct, frozen=True, tag="declare"):
    """A hand is declared, by class or by its five cards (5.12). Exactly one of the two is given."""

    seat: int
    hand: Hand | None = None
    cards: tuple[Card, ...] = ()


class Undeclare(Struct, frozen=True, tag="undeclare"):
    """Take a declared hand back before settling (5.15)."""

    seat: int


class Board(Struct, frozen=True, tag="board"):
    """The shared cards (5.4, 5.5)."""

    cards: tuple[Card, ...]


class Irregular(Struct, frozen=True, tag="irregular"):
    """An irregular deal is recorded (7.3). `seat` is 0 where the kind names none."""

    kind: str
    seat: int = 0


class Void(Struct, frozen=True, tag="void"):
    """The round is void: every side bet goes back (5.13)."""

    reason: str


class Settle(Struct, frozen=True, tag="settle"):
    """Fix all prizes, move the money, seed (5.15)."""


class Unsettle(Struct, frozen=True, tag="unsettle"):
    """Undo a settlement of which nothing is paid (5.15)."""

    reason: str


class Approve(Struct, frozen=True, tag="approve"):
    """A supervisor approves a seat's prize (5.11)."""

    seat: int


class Deny(Struct, frozen=True, tag="deny"):
    """A supervisor denies a seat's prize; it goes back where it came from (5.11)."""

    seat: int
    reason: str


class Paid(Struct, frozen=True, tag="paid"):
    """The dealer confirms that a seat's prize has been handed over (5.11)."""

    seat: int


class Close(Struct, frozen=True, tag="close"):
    """Close a seat (2.10)."""

    seat: int


class Reopen(Struct, frozen=True, tag="reopen"):
    """Reopen a seat: the dealer what the dealer closed, a technician what a fault closed (2.10)."""

    seat: int


class Ack(Struct, frozen=True, tag="ack"):
    """Chips of a seat have been handed back (2.4); with seat 0, the alarms have been seen (10)."""

    seat: int = 0


class Schedule(Struct, frozen=True, tag="schedule"):
    """New parameter for the pot, from the next seeding or transfer (4.8). Two people."""

    key: str
    value: str


class Correct(Struct, frozen=True, tag="correct"):
    """A documented correction of a pot's meter (4.7). `amount` is signed minor units. Two people."""

    pot: Literal["main", "reserve"]
    amount: Minor
    reason: str


class Transfer(Struct, frozen=True, tag="transfer"):
    """Close the pot and move its exact contents to another table's pot (4.10). Two people."""

    to: str
    reason: str


class Receive(Struct, frozen=True, tag="receive"):
    """Take in the contents of a pot that another table closed (4.10), in pot units. Two people."""

    source: str
    main: int
    reserve: int
    reason: str


class Service(Struct, frozen=True, tag="service"):
    """Enter or leave service mode (10.2). Only between rounds."""

    on: bool


Act = (
    Load
    | CashOut
    | Fold
    | Exchange
    | Restore
    | Declare
    | Undeclare
    | Board
    | Irregular
    | Void
    | Settle
    | Unsettle
    | Approve
    | Deny
    | Paid
    | Close
    | Reopen
    | Ack
    | Schedule
    | Correct
    | Transfer
    | Receive
    | Service
)


class Command(Struct, frozen=True, tag="command"):
    """An act by a person. `second` is the other person where two are needed (10); `id` makes a repeat harmless;
    `round` (0: any) is the round that the command means, and `expect` (None: anything) what it is about, in the words
    of ``controller.core.expected``; when another round is on, or it is about something else, it is refused as stale."""

    act: Act
    actor: Actor
    second: Actor | None = None
    id: str = ""
    round: int = 0
    expect: str | None = None


class Deadline(Struct, frozen=True):
    """Something that must be decided if it has not come to pass `after_ns` from its start.

    The start is the completed show of the panel in which it first appears (``shown``), or `since` where the rule
    counts from a stamp of this boot. Its identity is its value: while `deadlines(state)` goes on to hold an
    equal one, its clock runs on.
    """

    what: Literal["lamp", "seal", "noise"]
    seat: int
    serial: int
    after_ns: int
    since: Stamp | None = None


class Timeout(Struct, frozen=True, tag="timeout"):
    """A deadline has run out. Stale ones are ignored."""

    deadline: Deadline


class Start(Struct, frozen=True, tag="start"):
    """The daemon has started: every input from here on belongs to `boot` (rules 8.3). `version` is the program's;
    `settings` are the configuration's free keys (8.4)."""

    boot: int
    version: str
    settings: str = ""


class OutOfService(Struct, frozen=True, tag="out-of-service"):
    """The daemon takes the table out of service for a reason, or (empty) puts it back (rules 8.4)."""

    reason: str


class AccessRefused(Struct, frozen=True, tag="access-refused"):
    """People's door: a failed PIN, a lock-out, a role that the connection may not ask for (rules 10.1)."""

    person: str
    way: str
    what: str
    suppressed: int = 0


class PotAnswer(Struct, frozen=True, tag="pot-answer"):
    """A pot's answer to the question `key`, with everything that it moved."""

    key: PotKey
    answer: Moved


Input = Signal | Command | Timeout | Start | OutOfService | AccessRefused | PotAnswer
