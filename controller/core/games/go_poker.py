"""Go Poker (S3): three own cards and two shared ones; the dealer has no hand, and the pay table decides alone."""

from __future__ import annotations

from controller.core.cards import Hand
from controller.core.games.game import USUAL_IRREGULAR, Base, Game, Pays
from controller.core.messages import msg

EXAMPLE = Base(
    {
        Hand.PAIR: Pays(ante=0, bet=0),
        Hand.TWO_PAIR: Pays(ante=1, bet=1),
        Hand.THREE_OF_A_KIND: Pays(ante=1, bet=2),
        Hand.STRAIGHT: Pays(ante=1, bet=3),
        Hand.FLUSH: Pays(ante=1, bet=5),
        Hand.FULL_HOUSE: Pays(ante=1, bet=7),
        Hand.FOUR_OF_A_KIND: Pays(ante=1, bet=20),
        Hand.STRAIGHT_FLUSH: Pays(ante=1, bet=50),
        Hand.ROYAL_FLUSH: Pays(ante=1, bet=100),
    }
)
"""An example to try the tools with, and nobody's published table."""

GO_POKER = Game(
    name="go-poker",
    title=msg("Go Poker Progressive"),
    max_seats=7,
    # The deal. What there is to decide, and what a hand pays, is each table's configuration:
    # no source gives it.
    own_cards=3,
    boards=(2,),
    example=EXAMPLE,
    # The side bet: the three own cards and both shared ones (5.5).
    shared_cards=2,
    irregular=USUAL_IRREGULAR,
)
