"""A dealer at a table's terminal: four keys, six lines of a screen, and the rules behind it.

at = Terminal(T())
at.log_in()
at.choose("Seats", "1 -", "Load credits", "5", "OK", "yes")
assert at.screen()[0] == "Done"
"""

from __future__ import annotations

from msgspec.structs import replace

from controller.core.inputs import Command
from controller.core.refusals import Refusal
from controller.displays import money_of
from controller.i18n import Language, translator
from controller.terminal.menu import Do, Key, Menu, Wish, answered, dealer, entered, lines, press
from controller.terminal.pages import LogIn, Sight
from hal.display.menu import COLUMNS, LINES, SELECTED
from tests.core.table import T


class Terminal:
    """The menu on the table `t`, whose commands are decided at once. `wishes` are all that it has asked for. Amounts
    are written as at a table, those of `currency` if it is given."""

    def __init__(
        self, t: T, language: Language = "en", dealers: tuple[str, ...] = ("ana", "luis"), currency: str = ""
    ) -> None:
        self.t = t
        self._money = money_of(language, replace(t.state.setup, currency=currency or t.state.setup.currency))
        self.menu = Menu()
        self.dealers = dealers
        self.wishes: list[Wish] = []
        self.refusal: Refusal | None = None
        self.at_once = True
        """Whether a command is answered before the next key."""
        self._say = translator(language).text

    @property
    def sight(self) -> Sight:
        return Sight(self.t.state, self._say, self._money.text, self.dealers)

    def screen(self) -> tuple[str, ...]:
        shown = lines(self.menu, self.sight)
        assert len(shown) <= LINES
        assert all(len(line) <= COLUMNS for line in shown)
        return shown

    def chosen(self) -> str:
        """The line that is lit."""
        return next((line.removeprefix(SELECTED) for line in self.screen()[1:] if line.startswith(SELECTED)), "")

    def keys(self, *keys: Key, stood: float = 1) -> None:
        """Press `keys`, each of them when the screen has stood for `stood` seconds."""
        for key in keys:
            step = press(self.menu, key, self.sight, stood)
            self.menu = step.menu
            if step.wish is not None:
                self.wishes.append(step.wish)
            if isinstance(step.wish, LogIn):
                self.menu = entered(self.menu, step.wish.person)
            elif isinstance(step.wish, Do) and self.at_once:
                self.answer()

    def answer(self) -> None:
        """The rules answer the last command."""
        wish = self.wishes[-1]
        assert isinstance(wish, Do)
        self.t._expecting = True
        self.t.refusal = None
        self.t.feed(Command(wish.act, dealer(self.menu.person), None, "", wish.round, wish.expect))
        self.t._expecting = False
        self.refusal = self.t.refusal
        self.menu = answered(self.menu, self.refusal, self.sight, self.t.last)

    def log_in(self, person: str = "ana") -> None:
        """By a PIN of one digit, which this terminal believes."""
        self.keys("ok")
        self.choose(person, "5", "OK")

    def choose(self, *labels: str) -> None:
        """Go to the line that begins with each label, and press ok; "yes" confirms."""
        for label in labels:
            if label == "yes":
                assert self.screen()[0] == self._say("Is this right?")
                while self.chosen() == self._say("ok: more..."):
                    self.keys("ok")
            else:
                first, seen = self.chosen(), []
                while not self.chosen().startswith(label):
                    seen.append(self.chosen())
                    self.keys("down")
                    assert self.chosen() != first, f"no {label!r} among {seen}"
            self.keys("ok")
