"""The section ``[base]`` of a table's configuration: what the base game pays, where no source says so (rules 7).

[base]
bet = true                  # the player folds or BETs; false: the ANTE plays alone

[[base.pays]]
hand = "pair"
ante = 0                    # to one; 0 gives the stake back
bet = 0
"""

from __future__ import annotations

from controller.core.cards import HANDS, Hand
from controller.core.games.game import Base, Game, Pays
from controller.core.messages import msg
from controller.strict_toml import Document, Section, choice, truth, whole_number

MOST_TO_ONE = 10_000
"""No base game pays more than that to one; a larger number is a typing mistake."""


def read_base(document: Document, game: Game | None) -> Base | None:
    """What the base game of `game` pays: its own table, or that of the file, or None when nobody says.

    Mistakes are noted in `document`; `game` is None when the file names none that is known.
    """
    section = document.section("base")
    written = "base" in document.root
    bet = section.get("bet", truth, True)
    pays: dict[Hand, Pays] = {}
    for item in section.sections("pays") or []:
        _line(document, item, bet, pays)
    section.close()
    if not written or game is None:
        return game.base if game is not None else None
    if game.base is not None:
        text = msg("What {game} pays is published and no table's own: remove the section.")
        document.note("base", text, game=game.name)
    elif not pays and not document.marked("base"):
        document.note("base", msg("There is no line: add [[base.pays]] for each hand that wins."))
    return Base(pays, bet)


def _line(document: Document, section: Section, bet: bool, pays: dict[Hand, Pays]) -> None:
    word = section.need("hand", choice(*HANDS), "")
    if word:
        section.rename(f"base.pays.{word}")
    to_one = whole_number(0, MOST_TO_ONE)
    ante = section.need("ante", to_one, 0)
    # Where the ANTE plays alone, a line that speaks of a BET is a mistake: its key is unknown.
    of_bet = section.need("bet", to_one, 0) if bet else 0
    section.close()
    if word and Hand(word) in pays:
        document.note(f"base.pays.{word}", msg("{hand} has two lines: keep one of them."), hand=word)
    elif word:
        pays[Hand(word)] = Pays(ante, of_bet)
