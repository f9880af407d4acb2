"""The words between a table and its pot: what a pot is, the parameters that govern it, and what can be asked of it.

Amounts are pot units (1/10 000 of a minor unit, rules 3.2) unless they are called ``Minor``.
"""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from controller.core.cards import Hand
from controller.core.money import Minor, Rate, Units

PotKey = tuple[str, int, str, int]
"""Table, round, kind and number of a question."""


class PrizeRule(Struct, frozen=True):
    """What one hand wins: `times` the bet, or a `share` of the main pot, at most `cap_times` the bet (5.7)."""

    hand: Hand
    times: int | None = None
    share: Rate | None = None
    cap_times: int | None = None


class Params(Struct, frozen=True):
    """The money rules in force; under a live pot they change only by schedule (rules 4.8).

    `bet_min` and `bet_max` are in minor units.
    """

    bet_min: Minor
    bet_max: Minor
    base: Minor
    limit: Minor | None
    commission: Rate
    reserve: Rate
    fixed_prizes: Literal["first", "last"]
    approve_from: Minor
    prizes: tuple[PrizeRule, ...]


class Change(Struct, frozen=True):
    """A scheduled change of a parameter: key and value as they were asked for, and who asked (rules 4.8)."""

    key: str
    value: str
    authors: tuple[str, ...]


class PotMeters(Struct, frozen=True):
    """The cumulative meters of 3.3, in pot units. They never reset."""

    opening_main: Units = Units(0)
    opening_reserve: Units = Units(0)
    bets: Units = Units(0)
    commission: Units = Units(0)
    to_main: Units = Units(0)
    to_reserve: Units = Units(0)
    overflow: Units = Units(0)
    seed_reserve: Units = Units(0)
    seed_house: Units = Units(0)
    paid_from_main: Units = Units(0)
    reserve_cover: Units = Units(0)
    house_cover: Units = Units(0)
    fixed_prizes: Units = Units(0)
    share_prizes: Units = Units(0)
    corrections_main: Units = Units(0)
    corrections_reserve: Units = Units(0)
    transfers_in_main: Units = Units(0)
    transfers_in_reserve: Units = Units(0)
    transfers_out_main: Units = Units(0)
    transfers_out_reserve: Units = Units(0)


class Pot(Struct, frozen=True):
    """A main pot and its reserve, with the parameters that govern it (rules 4).

    `planned` is what will be in force after the next seeding or transfer, by the changes in `scheduled` (4.8).
    """

    main: Units
    reserve: Units
    meters: PotMeters
    params: Params
    planned: Params | None = None
    scheduled: tuple[Change, ...] = ()
    closed: bool = False


# --- questions -------------------------------------------------------------------------------------------


class Contribute(Struct, frozen=True, tag=True):
    """A sealed round's bets enter the pot (4.1): seat and bet in minor units."""

    bets: tuple[tuple[int, Minor], ...]


class Return(Struct, frozen=True, tag=True):
    """Bets that had entered are undone as if never made (3.3). `overflowed`: what this round's contributions
    still have in the reserve pot because of the limit."""

    bets: tuple[tuple[int, Minor], ...]
    overflowed: Units


class FixedClaim(Struct, frozen=True):
    """A prize of so many times the bet, in minor units (5.7)."""

    seat: int
    hand: Hand
    amount: Minor


class ShareClaim(Struct, frozen=True):
    """A share of the main pot, for all the winners of one class: seat and its cap, if any, in minor units (5.10)."""

    hand: Hand
    share: Rate
    winners: tuple[tuple[int, Minor | None], ...]


class Claim(Struct, frozen=True, tag=True):
    """All prizes of a settlement at once (5.15), seats ascending."""

    fixed: tuple[FixedClaim, ...]
    shares: tuple[ShareClaim, ...]


class Award(Struct, frozen=True):
    """One prize as the pot fixed it, and where its money came from. Minor units."""

    seat: int
    hand: Hand
    amount: Minor
    share: bool
    from_main: Minor
    from_reserve: Minor
    from_house: Minor
    before: Units
    after: Units


class Release(Struct, frozen=True, tag=True):
    """A denied prize goes back where it came from (5.11).

    `jackpot_left`: another 100 % prize of the settlement still stands, or this was none; else its seeding (and what
    that sent over the limit, `overflowed`) is undone too, and
    `params_before`, `planned_before` and `scheduled_before` are in force again (when parameters had changed with it).
    """

    award: Award
    jackpot_left: bool
    seeded_reserve: Units
    seeded_house: Units
    overflowed: Units
    params_before: Params | None
    planned_before: Params | None
    scheduled_before: tuple[Change, ...]


class Undo(Struct, frozen=True, tag=True):
    """A settlement is undone (5.15): `moves` is everything that it moved, denials included."""

    moves: PotMeters
    params_before: Params | None
    planned_before: Params | None
    scheduled_before: tuple[Change, ...]


class Plan(Struct, frozen=True, tag=True):
    """New parameters wait for the next seeding or transfer (4.8): `params` is what will then be in force."""

    params: Params
    change: Change


class Amend(Struct, frozen=True, tag=True):
    """A documented correction (4.7): signed minor units for the main pot and for the reserve pot."""

    main: Minor
    reserve: Minor


class Empty(Struct, frozen=True, tag=True):
    """The pot closes and its exact contents leave (4.10)."""


class Fill(Struct, frozen=True, tag=True):
    """The exact contents of a closed pot arrive (4.10)."""

    main: Units
    reserve: Units


Ask = Contribute | Return | Claim | Release | Undo | Plan | Amend | Empty | Fill
