"""The three kinds of display, as painters of a `Screen`. All that they remember between two pictures is the counter."""

from __future__ import annotations

from collections.abc import Sequence

from hal.display import counters, dealer, measures, meter
from hal.display.device import DisplayError, Size
from hal.display.money import Money
from hal.display.screen import Mail, Painted
from hal.display.texts import Texts


class Meter:
    """The public meter. Counts, and says at once that a sign is too small for twelve digits."""

    def __init__(self, texts: Texts, money: Money) -> None:
        self._texts = texts
        self._money = money
        self._counter = meter.Counter()

    def paint(self, mail: Mail, size: Size, now: int) -> Painted:
        """Raises DisplayError for a sign without room for twelve digits."""
        if not measures.fits(size, self._money):
            raise DisplayError(
                f"a sign of {size[0]}×{size[1]} pixels is too small for {measures.MOST_DIGITS} digits; "
                "a chain of eight 8×8 blocks is enough"
            )
        pot = mail.panel.pot
        shown = self._counter.shown(pot, now)
        image = meter.render(mail.panel, size, shown, self._texts, self._money, now)
        turn = meter.turns(mail.panel, size, self._texts, now)
        counting = meter.FRAME if shown < pot else None
        return Painted(image, min((wait for wait in (turn, counting) if wait is not None), default=None))


class Dealer:
    """The dealer's screen: the table, or a menu while there is one."""

    def __init__(self, texts: Texts, money: Money) -> None:
        self._texts = texts
        self._money = money

    def paint(self, mail: Mail, size: Size, now: int) -> Painted:
        if mail.menu:
            return Painted(dealer.render_menu(mail.menu, size))
        said = (mail.panel, size, self._texts, self._money, mail.silent, now)
        return Painted(dealer.render(*said), dealer.turns(*said))


class Counters:
    """The seats' counters; `chain` are the seats in the order of their modules, the controller's end first."""

    def __init__(self, texts: Texts, money: Money, chain: Sequence[int]) -> None:
        self._texts = texts
        self._money = money
        self._chain = tuple(chain)

    def paint(self, mail: Mail, size: Size, now: int) -> Painted:
        shown = counters.render(mail.panel, self._chain, self._texts, self._money, now)
        return Painted(counters.picture(shown), counters.turns(mail.panel, self._texts, self._money, now))
