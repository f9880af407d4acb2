"""What a table knows at one instant: frozen values, changed only by `evolve`.

Everything here survives a power cut, because it is rebuilt from the journal. Amounts are minor units, except in
`Pot`, `PotMeters`, `Moves` and `Round.overflowed`, which count pot units (1/10 000 of a minor unit, rules 3.2).
"""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from controller.core.cards import Card, Hand
from controller.core.money import Minor, Units
from controller.core.potwords import Ask, Change, Params, Pot, PotKey, PotMeters
from hal.port import Part, Stamp

STATE_VERSION = 1
"""Tags snapshots: a snapshot of another version is ignored and the journal replayed instead."""

Cause = Literal["dealer", "lamp", "button", "slot", "node", "noise"]
"""Why a seat is closed; all but ``dealer`` are faults (rules 2.10)."""

ReturnCause = Literal["lamp", "closing", "minimum", "void", "irregular"]
Forfeit = Literal["fold", "exchange", "information"]
Phase = Literal["betting", "locked", "paying"]
PrizeStatus = Literal["unapproved", "payable", "paid", "denied"]
Role = Literal["dealer", "supervisor", "technician", "auditor"]


class Setup(Struct, frozen=True):
    """What a table is, for as long as its journal lives (rules 8.4).

    `denomination` is one credit, or the smallest chip, in minor units; `digits` the currency's decimals.
    """

    table: str
    game: str
    seats: int
    currency: str
    digits: int
    acceptor: Literal["credits", "chips"]
    denomination: Minor


class Prize(Struct, frozen=True):
    """One prize of a settlement, and where its money came from (rules 5.15; sources for 5.11's denial)."""

    seat: int
    hand: Hand
    amount: Minor
    share: bool
    status: PrizeStatus
    from_main: Minor
    from_reserve: Minor
    from_house: Minor
    before: Units
    after: Units
    approved_by: str = ""


class Hit(Struct, frozen=True):
    """One of the last 25 hits (rules 8.2). Pot values are pot units of the main pot."""

    round: int
    seat: int
    hand: Hand
    amount: Minor
    pot_before: Units
    pot_after: Units
    approved_by: str = ""


class Increment(Struct, frozen=True, array_like=True):
    """One act at a seat in this round: when it happened and the bet that it led to (rules 2.8)."""

    at: Stamp
    bet: Minor


class Bet(Struct, frozen=True):
    """What one seat has in this round.

    `confirmed`: its lamp was sensed lit for this bet. `returned`: what was given back, for good.
    `approval`: the seat closed after the lock, so its prize needs approval (2.10).
    """

    bet: Minor = Minor(0)
    increments: tuple[Increment, ...] = ()
    confirmed: bool = False
    forfeit: Forfeit | None = None
    void: bool = False
    approval: bool = False
    hand: Hand | None = None
    cards: tuple[Card, ...] = ()


class Round(Struct, frozen=True):
    """One deal, from the opening of betting to the last payment ("pase").

    `opened` is the key's stamp at the opening, `edge` the lock's; `waiting` the sources still to report up to it;
    `overflowed` what this round's contributions sent over the limit.
    """

    number: int
    phase: Phase
    bets: tuple[Bet, ...]
    opened: Stamp | None = None
    edge: Stamp | None = None
    waiting: tuple[int, ...] = ()
    sealed: bool = False
    overflowed: Units = Units(0)
    board: tuple[Card, ...] = ()
    advised_void: bool = False


class Seat(Struct, frozen=True):
    """The furniture of one seat, which outlives rounds.

    `failed` holds the parts known to be bad; `sensed` the lamp as it was last sensed, at `sensed_at`;
    `owed_*` are chips to be handed back (2.4): returned bets, late chips, excess chips.
    `testing` is the stage of a lamp test on the way to reopening.
    """

    seat: int
    credits: int = 0
    closed: Cause | None = None
    failed: tuple[Part, ...] = ()
    owed_returned: Minor = Minor(0)
    owed_late: Minor = Minor(0)
    owed_excess: Minor = Minor(0)
    sensed: bool = False
    sensed_at: Stamp | None = None
    noise: tuple[Stamp, ...] = ()
    testing: Literal["", "lit", "dark"] = ""


class Settlement(Struct, frozen=True):
    """The last settlement: its prizes, and what is needed to undo it exactly (rules 5.15).

    `moves` is everything it moved, denials included; `seeded_*` are what its seeding took; `params_before`,
    `planned_before` and `scheduled_before` were in force before, when it changed them. `displaced` are the hits that
    its own pushed out of the last 25; `undo` is the round as it stood, while undoing is still possible; `round_before`
    and `prizes_before` are the last settled round's again when this one is undone.
    """

    round: int
    prizes: tuple[Prize, ...]
    moves: PotMeters
    seeded_reserve: Units
    seeded_house: Units
    params_before: Params | None = None
    planned_before: Params | None = None
    scheduled_before: tuple[Change, ...] = ()
    displaced: tuple[Hit, ...] = ()
    undo: Round | None = None
    round_before: int = 0
    prizes_before: tuple[Prize, ...] = ()


class Alarm(Struct, frozen=True):
    """Something a supervisor must see and acknowledge. `code` names it; `detail` is plain data."""

    code: str
    seat: int = 0
    detail: str = ""


class Meters(Struct, frozen=True):
    """The table's own cumulative meters (rules 8.1). They never reset.

    `turnover` and `returned` are minor units, gross: turnover - returned = bets, always. Credits and
    chips are counts. `hits` and `faults` are pairs of name and count.
    """

    bet_count: int = 0
    turnover: Minor = Minor(0)
    returned: Minor = Minor(0)
    credits_in: int = 0
    credits_out: int = 0
    late_chips: int = 0
    excess_chips: int = 0
    refused_access: int = 0
    corrections: int = 0
    transfers: int = 0
    hits: dict[str, int] = {}
    faults: dict[str, int] = {}


class Answer(Struct, frozen=True):
    """The first answer to a command's id, given again to a repeat by the same person, so that a retry never doubles."""

    id: str
    person: str
    code: str = ""
    clause: str = ""
    text: str = ""
    args: dict[str, str] = {}


class Asked(Struct, frozen=True):
    """A question that the pot has not answered yet; after a restart it is asked again, with the same key (9.3)."""

    key: PotKey
    ask: Ask


class Table(Struct, frozen=True):
    """One table with its own pot. `round` is None in phase idle; `settings` are the configuration's free keys as they
    were at the last start (8.4)."""

    setup: Setup
    pot: Pot
    seats: tuple[Seat, ...]
    rounds: int = 0
    round: Round | None = None
    settlement: Settlement | None = None
    meters: Meters = Meters()
    hits: tuple[Hit, ...] = ()
    alarms: tuple[Alarm, ...] = ()
    failed: tuple[Part, ...] = ()
    key: Literal["open", "locked"] = "locked"
    out_of_service: str = ""
    service: bool = False
    boot: int = 0
    settings: str = ""
    asks: int = 0
    asked: Asked | None = None
    answers: tuple[Answer, ...] = ()
