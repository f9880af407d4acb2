"""The words that displays show: given by the caller, in the table's language, checked once.

``hal`` translates nothing. What is missing or does not fit is found when the texts are made, not
in the middle of an evening.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import get_args

from hal.display.measures import LINE_LENGTH
from hal.display.vendor import segments
from hal.port import Banner, SeatText

CELLS = 8
"""Digits of a seat's counter."""

PHASE_LENGTH, SEAT_LENGTH = 10, 9
"""The longest words, in characters, for a phase and for a seat on the dealer's screen."""


@dataclass(frozen=True)
class Texts:
    """Everything that is said in words. Raises ValueError for a word that is missing or does not fit.

    `banners` are the phases as the public reads them, `phases` as the dealer does. `seats` are what a seat has to say,
    on the dealer's screen, and `digits` the same on the seat's own counter, in letters that seven segments can make;
    both may leave out "" and "locked", which are shown without words. `wins` has a place for the winners, ``{seats}``;
    `approval` is what the public reads while every prize waits for a supervisor.
    """

    banners: Mapping[Banner, str]
    phases: Mapping[Banner, str]
    seats: Mapping[SeatText, str]
    digits: Mapping[SeatText, str]
    pot: str
    round: str
    bets: str
    wins: str
    approval: str
    silent: str
    """What a display does that has failed: "no answer"."""

    def __post_init__(self) -> None:
        for banner in get_args(Banner):
            if not self.banners.get(banner):
                raise ValueError(f"texts: the banner {banner!r} has no words")
            if not 0 < len(self.phases.get(banner, "")) <= PHASE_LENGTH and banner != "out-of-service":
                raise ValueError(f"texts: the phase {banner!r} needs 1 to {PHASE_LENGTH} characters")
        for words in (*self.banners.values(), self.approval, self.wins.replace("{seats}", "7")):
            if len(words) > LINE_LENGTH:
                raise ValueError(f"texts: {words!r} has more than {LINE_LENGTH} characters")
        for text in get_args(SeatText):
            if text in ("", "locked"):
                continue
            if not 0 < len(self.seats.get(text, "")) <= SEAT_LENGTH:
                raise ValueError(f"texts: the seat text {text!r} needs 1 to {SEAT_LENGTH} characters")
            if not 0 < len(segments(self.digits.get(text, ""))) <= CELLS:
                raise ValueError(f"texts: the seat text {text!r} needs 1 to {CELLS} digits")
        if "{seats}" not in self.wins:
            raise ValueError("texts: wins says who wins, with the place {seats}")
