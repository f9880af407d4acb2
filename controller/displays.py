"""A table's displays: their words and their money, and what stands for them where there is nothing to drive.

`hal.display` and the vendors' libraries behind it are imported for a table that has displays, and for no other.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import TYPE_CHECKING, Protocol

from controller.core.messages import msg
from controller.core.state import Setup
from controller.i18n import Language, translator
from hal.display.money import Money
from hal.display.places import Display, Shows
from hal.port import Panel, PartFailed, PartMended, Stamp

if TYPE_CHECKING:
    from hal.display.texts import Texts

_log = logging.getLogger(__name__)

LIBRARIES = ("luma.oled", "luma.led_matrix", "smbus2", "pillow")
"""The packages of the extra "display"."""

Emit = Callable[[PartFailed | PartMended], None]
Now = Callable[[], Stamp]
Drive = Callable[[int, bool], None]
"""Sets a line of the header (BCM) high or low, on a display's thread. Raises OSError."""


class Showing(Protocol):
    """What a running table does with its displays. Nothing raises, and nothing waits but ``stop``, for a second."""

    lost: Callable[[], None]
    """Called when the dealer's screen cannot be read any more."""

    def start(self, emit: Emit, now: Now) -> None:
        """Begin. `emit` hears that no display works or that one does (8.5), and that one of several does not or that
        all do; `now` stamps it."""

    def show(self, panel: Panel) -> None:
        """Show `panel`, as soon as each display can."""

    def menu(self, lines: tuple[str, ...]) -> None:
        """Show `lines` on the dealer's screen instead, while there are any (``hal.display.menu``)."""

    def legible(self) -> bool:
        """Whether what was last shown can be read on the dealer's screen."""

    def stop(self) -> None:
        """Go dark. Idempotent."""


class Nothing:
    """A table without displays, or one whose displays cannot be driven, which is as bad as none that works (8.5)."""

    def __init__(self, trouble: str = "") -> None:
        self.lost: Callable[[], None] = lambda: None
        self._trouble = trouble

    def start(self, emit: Emit, now: Now) -> None:
        if self._trouble:
            _log.error("displays: %s", self._trouble)
            emit(PartFailed(0, "display", now()))
        else:  # one that had failed may have been taken out of the configuration
            emit(PartMended(0, "display", now()))
            emit(PartMended(0, "screen", now()))

    def show(self, panel: Panel) -> None: ...

    def menu(self, lines: tuple[str, ...]) -> None: ...

    def legible(self) -> bool:
        return False

    def stop(self) -> None: ...


def showing(displays: tuple[Display, ...], language: Language, setup: Setup, drive: Drive | None) -> Showing:
    """The `displays` of a table, not started; `drive` drives the lines of OLEDs on SPI.

    Whatever goes wrong is a failure of the displays: the table goes on without them until its round is over (8.5).
    """
    if not displays:
        return Nothing()
    try:
        from hal.display.build import built

        return built(displays, display_names(language), texts_of(language), money_of(language, setup), drive)
    except ImportError as error:
        return Nothing(f"none works: {error}. Install the extra: pip install 'pozo[display]'")
    except Exception as error:
        _log.exception("a mistake in the program, not of a display")
        return Nothing(f"none works: {error}")


def money_of(language: Language, setup: Setup) -> Money:
    """How amounts are written, from CLDR (rules 3.1)."""
    from babel.numbers import get_decimal_symbol, get_group_symbol

    from controller.locales import locale_of

    locale = locale_of(language, setup.currency)
    marks = (get_group_symbol(locale), get_decimal_symbol(locale))
    thousands, decimal = ("".join(" " if char.isspace() else char for char in mark) for mark in marks)
    return Money(setup.digits, thousands, decimal, setup.currency)


def display_names(language: Language) -> dict[Shows, str]:
    """What a display is called that the configuration does not name; eight characters at most."""
    say = translator(language).text
    return {"dealer": say(msg("terminal")), "seats": say(msg("counters")), "meter": say(msg("sign"))}


def texts_of(language: Language) -> Texts:
    """All words of the displays. What is too long for its place, or cannot be written there, raises ValueError."""
    from hal.display.texts import Texts

    say = translator(language).text
    return Texts(
        banners={
            "open": say(msg("Place your bets")),
            "locked": say(msg("Betting closed")),
            "paying": say(msg("Paying prizes")),
            "idle": say(msg("Waiting")),
            "pending": say(msg("Pending")),
            "out-of-service": say(msg("Out of service")),
        },
        phases={
            "open": say(msg("Open")),
            "locked": say(msg("Locked")),
            "paying": say(msg("Paying")),
            "idle": say(msg("Waiting")),
            "pending": say(msg("Pending")),
        },
        seats={
            "closed": say(msg("closed")),
            "no-credits": say(msg("no credit")),
            "late": say(msg("late")),
            "excess": say(msg("excess")),
            "returned": say(msg("hand back")),
            "forfeit": say(msg("forfeited")),
            "winner": say(msg("prize")),
            "approval": say(msg("approve!")),
        },
        digits={
            "closed": say(msg("CLOSEd")),
            "no-credits": say(msg("no CrEd")),
            "late": say(msg("LAtE")),
            "excess": say(msg("EXtrA")),
            "returned": say(msg("rEtUrn")),
            "forfeit": say(msg("ForFEit")),
            "winner": say(msg("Hit")),
            "approval": say(msg("HoLd")),
        },
        pot=say(msg("JACKPOT")),
        round=say(msg("round")),
        bets=say(msg("bets")),
        wins=translator(language).text(msg("Seat {seats} wins"), seats="{seats}"),
        approval=say(msg("Prize under review")),
        silent=say(msg("no answer")),
    )
