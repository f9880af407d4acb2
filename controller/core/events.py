"""What was decided, journaled for ever: past tense, versioned, results and not intentions.

An event states each amount moved, from where to where; `evolve` only assigns and adds. The name of a kind and the
meaning of its fields never change once released: a new meaning is a new version, with an upcaster in
``controller.journal.codec``. Golden bytes of every version are kept in ``tests/engine/golden``.

Constructing an event refuses floats: events are the only way into the state, so no float can get there.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar, Literal

from msgspec import Struct
from msgspec.structs import astuple

from controller.core.cards import Card, Hand
from controller.core.inputs import Act, Actor
from controller.core.money import Minor, Units
from controller.core.potwords import Ask, Change, Params, PotKey, PotMeters
from controller.core.state import Alarm, Answer, Cause, Forfeit, Hit, Increment, ReturnCause, Round, Settlement, Setup
from hal.port import Part, Stamp


class Event(Struct, frozen=True, omit_defaults=True):
    """What all events share: their version, and the refusal of floats. Raises TypeError."""

    VERSION: ClassVar[int] = 1

    def __post_init__(self) -> None:
        if _holds_float(astuple(self)):
            raise TypeError(f"{_place_of_float(self)} is a float; amounts and stamps are integers")


_PLAIN = frozenset({int, str, bool, type(None), Hand})
"""What most fields hold, and what no float hides in."""


def _parts(value: object) -> Iterable[object]:
    """What `value` is made of."""
    if isinstance(value, Struct):
        return astuple(value)
    if isinstance(value, dict):
        return value.values()
    return value if isinstance(value, tuple) else ()


def _holds_float(values: Iterable[object]) -> bool:
    """Whether a float is among `values`, however deep. Every event is looked through, so this has to be fast."""
    for value in values:
        kind = type(value)
        if kind not in _PLAIN and (kind is float or _holds_float(_parts(value))):
            return True
    return False


def _place_of_float(value: object) -> str:
    """The path of the first float in `value`, which holds one, for the message."""
    path = type(value).__name__
    while type(value) is not float:
        names = value.__struct_fields__ if isinstance(value, Struct) else ()
        n, value = next((n, part) for n, part in enumerate(_parts(value)) if _holds_float((part,)))
        path += f".{names[n]}" if names else f"[{n}]"
    return path


class TableOpened(Event, frozen=True, tag=True):
    """The first event of a journal: what the table is, the parameters in force, the pot at its opening (4.2)."""

    setup: Setup
    params: Params
    main: Units
    reserve: Units


class Started(Event, frozen=True, tag=True):
    """The program started; inputs from here on belong to `boot`. Senses and running deadlines begin afresh.

    `settings` are the configuration's free keys, when they differ from those of the start before (8.4).
    """

    boot: int
    version: str
    settings: str = ""


class CommandTaken(Event, frozen=True, tag=True):
    """A command was accepted; the events that follow it in the same commit are what it did."""

    actor: Actor
    act: Act
    second: Actor | None = None
    answer: Answer | None = None


class CommandRefused(Event, frozen=True, tag=True):
    """A command was refused; it changed no money, seat or round. `access`: the role was not allowed (10.1)."""

    actor: Actor
    act: Act
    code: str
    clause: str
    access: bool = False
    answer: Answer | None = None


class AccessDenied(Event, frozen=True, tag=True):
    """Somebody was not let in (10.1). `suppressed` more like it were not journaled one by one."""

    person: str
    way: str
    what: str
    suppressed: int = 0


class BettingOpened(Event, frozen=True, tag=True):
    """Betting opened for round `round`, by a fresh turn of the key at `at`."""

    round: int
    at: Stamp


class BetChanged(Event, frozen=True, tag=True):
    """A bet became `bet`, and its seat's credits `credits`, by an act of the player stamped `at` (2.2, 2.3)."""

    seat: int
    bet: Minor
    credits: int
    at: Stamp


class BetStripped(Event, frozen=True, tag=True):
    """Acts stamped after the lock were taken out again (2.8): the bet is `bet`, the credits `credits`, chips of
    `late` are to be handed back (`late_chips` of them), `increments` are the acts that stay."""

    seat: int
    bet: Minor
    credits: int
    increments: tuple[Increment, ...]
    late: Minor = Minor(0)
    late_chips: int = 0


class ChipSetAside(Event, frozen=True, tag=True):
    """A chip that is no part of a bet: beyond the maximum, or too late (2.3). It is to be handed back."""

    seat: int
    value: Minor
    why: Literal["excess", "late"]
    at: Stamp


class BetReturned(Event, frozen=True, tag=True):
    """A seat's bet went back (2.4), to its credits or as chips to be handed back.

    `turnover` is what the gross meter learns with it: the bet, when it had not been sealed yet; else 0.
    """

    seat: int
    amount: Minor
    cause: ReturnCause
    credits: int = 0
    owed: Minor = Minor(0)
    turnover: Minor = Minor(0)
    bet_count: int = 0


class BettingClosed(Event, frozen=True, tag=True):
    """The key's edge ended betting (2.8); `waiting` are the sources still to report up to it."""

    round: int
    edge: Stamp
    waiting: tuple[int, ...]


class SourceCompleted(Event, frozen=True, tag=True):
    """A source has reported everything up to the lock's edge."""

    source: int


class RoundSealed(Event, frozen=True, tag=True):
    """The round's bets are final: `bets` of them, `total` minor units."""

    round: int
    bets: int
    total: Minor


class PotAsked(Event, frozen=True, tag=True):
    """A question to the pot; until its answer it stands in `Table.asked`."""

    key: PotKey
    ask: Ask


class PotMoved(Event, frozen=True, tag=True):
    """The pot's answer: what moved (each meter's increase), and what the pots then hold.

    `scheduled` not None means that the scheduled changes are now these and `planned` what they lead to.
    """

    key: PotKey
    moves: PotMeters
    main: Units
    reserve: Units
    overflowed: Units = Units(0)
    params: Params | None = None
    planned: Params | None = None
    scheduled: tuple[Change, ...] | None = None
    closed: bool | None = None


class RoundSettled(Event, frozen=True, tag=True):
    """All prizes are fixed (5.15). `hits` are the last 25 as they are now, `counts` what each hand's meter gains."""

    settlement: Settlement
    hits: tuple[Hit, ...]
    counts: dict[str, int]


class RoundUnsettled(Event, frozen=True, tag=True):
    """A settlement was undone; the round stands as before it. `counts` is what the hit meters lose (negative),
    `settlement` the one before, which is the last again."""

    round: Round
    hits: tuple[Hit, ...]
    counts: dict[str, int]
    settlement: Settlement | None = None


class PrizeApproved(Event, frozen=True, tag=True):
    """A supervisor approved a prize."""

    seat: int
    by: str


class PrizeHeld(Event, frozen=True, tag=True):
    """A prize that could be paid at once needs approval now: its seat closed meanwhile (5.11)."""

    seat: int


class PrizeDenied(Event, frozen=True, tag=True):
    """A supervisor denied a prize; the `PotMoved` before it put the money back.

    `moves` is all that the settlement has moved now, `seeded_*` what is left of its seeding; `params_back`: the
    parameters that it had brought into force wait again.
    """

    seat: int
    hand: Hand
    hits: tuple[Hit, ...]
    moves: PotMeters
    seeded_reserve: Units
    seeded_house: Units
    params_back: bool = False


class PrizePaid(Event, frozen=True, tag=True):
    """The dealer confirmed that a prize was handed over."""

    seat: int
    amount: Minor


class RoundEnded(Event, frozen=True, tag=True):
    """The round is over: settled, paid, or void (5.13; the reason stands in the command). Lamps go out."""

    round: int
    how: Literal["settled", "paid", "void"]


class HandForfeited(Event, frozen=True, tag=True):
    """A side bet was forfeited (5.2, 5.3); its contribution stays."""

    seat: int
    why: Forfeit


class HandRestored(Event, frozen=True, tag=True):
    """A forfeit was undone."""

    seat: int


class HandDeclared(Event, frozen=True, tag=True):
    """A hand was declared; `cards` when they were shown. It replaces an earlier one."""

    seat: int
    hand: Hand
    cards: tuple[Card, ...] = ()


class HandUndeclared(Event, frozen=True, tag=True):
    """A declared hand was taken back."""

    seat: int


class BoardShown(Event, frozen=True, tag=True):
    """The shared cards are these."""

    cards: tuple[Card, ...]


class IrregularDeal(Event, frozen=True, tag=True):
    """An irregular deal and what the game's rules say to it (7.3)."""

    kind: str
    outcome: str
    seat: int = 0


class SeatVoided(Event, frozen=True, tag=True):
    """A seat's hand is void; its bet's return comes with it."""

    seat: int


class LampChanged(Event, frozen=True, tag=True):
    """A lamp was sensed to have changed. `confirms`: it is the first light of a valid bet; `forgets`: the bet that it
    had been lit for is gone, and the next one must be seen lit anew (2.6)."""

    seat: int
    lit: bool
    at: Stamp
    confirms: bool = False
    forgets: bool = False


class PartBroke(Event, frozen=True, tag=True):
    """A part was found bad; seat 0 for the table's own."""

    seat: int
    part: Part


class PartWorks(Event, frozen=True, tag=True):
    """A part that was bad works again."""

    seat: int
    part: Part


class NoiseCounted(Event, frozen=True, tag=True):
    """A pulse outside the window was counted; `recent` are those of the last minute."""

    seat: int
    recent: tuple[Stamp, ...]


class SeatClosed(Event, frozen=True, tag=True):
    """A seat takes no bets until reopened. `approval`: its bet stands and its prize needs approval (2.10)."""

    seat: int
    cause: Cause
    approval: bool = False


class SeatTested(Event, frozen=True, tag=True):
    """A lamp test on the way to reopening a seat reached `stage`, or ended without success ("failed")."""

    seat: int
    stage: Literal["lit", "dark", "failed"]


class SeatReopened(Event, frozen=True, tag=True):
    """A seat takes bets again."""

    seat: int


class CreditsLoaded(Event, frozen=True, tag=True):
    """Credits were bought; the seat now has `credits`."""

    seat: int
    count: int
    credits: int


class CreditsCashed(Event, frozen=True, tag=True):
    """Unspent credits were paid back."""

    seat: int
    count: int


class ChipsHandedBack(Event, frozen=True, tag=True):
    """The dealer handed back what was owed at a seat (2.4)."""

    seat: int
    amount: Minor


class AlarmRaised(Event, frozen=True, tag=True):
    """A supervisor must see this."""

    alarm: Alarm


class AlarmsSeen(Event, frozen=True, tag=True):
    """The alarms were acknowledged."""

    count: int


class KeyMoved(Event, frozen=True, tag=True):
    """The lock key is found in, or was turned to, a position."""

    position: Literal["open", "locked"]


class ServiceChanged(Event, frozen=True, tag=True):
    """Service mode was entered or left (10.2)."""

    on: bool


class ServiceStopped(Event, frozen=True, tag=True):
    """The table went out of service for a reason, or (empty) came back (8.4)."""

    reason: str


class TransferRecorded(Event, frozen=True, tag=True):
    """A pot's contents left for, or came from, another pot (4.10); which, and why, stands in the command."""

    direction: Literal["out", "in"]
    main: Units
    reserve: Units


class CorrectionRecorded(Event, frozen=True, tag=True):
    """A documented correction by two people (4.7); who and why stand in the command."""

    main: Minor
    reserve: Minor


AnyEvent = (
    TableOpened | Started | CommandTaken | CommandRefused | AccessDenied | BettingOpened | BetChanged
    | BetStripped | ChipSetAside | BetReturned | BettingClosed | SourceCompleted | RoundSealed | PotAsked
    | PotMoved | RoundSettled | RoundUnsettled | PrizeApproved | PrizeHeld | PrizeDenied | PrizePaid | RoundEnded
    | HandForfeited | HandRestored | HandDeclared | HandUndeclared | BoardShown | IrregularDeal
    | SeatVoided | LampChanged | PartBroke | PartWorks | NoiseCounted | SeatClosed | SeatTested | SeatReopened
    | CreditsLoaded | CreditsCashed | ChipsHandedBack | AlarmRaised | AlarmsSeen | KeyMoved | ServiceChanged
    | ServiceStopped | TransferRecorded | CorrectionRecorded
)  # fmt: skip

KINDS: dict[str, type[Event]] = {kind.__name__: kind for kind in AnyEvent.__args__}
"""Every kind of event by the name under which it is journaled."""
