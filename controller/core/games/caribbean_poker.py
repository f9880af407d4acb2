"""Caribbean Poker, or Poker sin Descarte (S2): five own cards against the dealer's five, and none exchanged."""

from __future__ import annotations

from controller.core.cards import Hand, at_least
from controller.core.games.game import Game, bet_by_table
from controller.core.messages import msg

CARIBBEAN_POKER = Game(
    name="caribbean-poker",
    title=msg("Caribbean Poker Progressive"),
    max_seats=7,
    # The deal: the dealer's last card lies face up. The decision: fold or BET.
    own_cards=5,
    dealer_cards=5,
    dealer_face_up=1,
    opens=at_least(Hand.HIGH_CARD, "AK"),
    base=bet_by_table(
        {
            Hand.HIGH_CARD: 1,
            Hand.PAIR: 1,
            Hand.TWO_PAIR: 2,
            Hand.THREE_OF_A_KIND: 3,
            Hand.STRAIGHT: 4,
            Hand.FLUSH: 5,
            Hand.FULL_HOUSE: 7,
            Hand.FOUR_OF_A_KIND: 20,
            Hand.STRAIGHT_FLUSH: 25,
            Hand.ROYAL_FLUSH: 100,
        }
    ),
    # The side bet: the five own cards. Any error of the deal voids the round; who tells others loses every bet.
    irregular={
        "exposed": "void-round",
        "player-card": "void-round",
        "player-cards": "void-round",
        "dealer-card": "void-round",
        "stuck": "void-round",
        "wrong-count": "void-round",
        "dealer-count": "void-round",
        "information": "lose-all",
        "no-ante": "return-bet",
    },
)
