"""Texas Hold'em Poker Plus Progresivo (S1): two own cards and five shared ones against the dealer's seven."""

from __future__ import annotations

from controller.core.cards import Hand, at_least
from controller.core.games.game import USUAL_IRREGULAR, Game, ante_by_table
from controller.core.messages import msg

TEXAS_HOLDEM_PLUS = Game(
    name="texas-holdem-plus",
    title=msg("Texas Hold'em Poker Plus Progressive"),
    max_seats=6,
    # The deal: the flop of three, then turn and river. The decision: fold or BET, seeing the flop.
    own_cards=2,
    dealer_cards=2,
    boards=(3, 4, 5),
    # The dealer's best five of seven.
    opens=at_least(Hand.PAIR, "4"),
    base=ante_by_table(
        {
            Hand.HIGH_CARD: 1,
            Hand.PAIR: 1,
            Hand.TWO_PAIR: 1,
            Hand.THREE_OF_A_KIND: 1,
            Hand.STRAIGHT: 1,
            Hand.FLUSH: 2,
            Hand.FULL_HOUSE: 3,
            Hand.FOUR_OF_A_KIND: 10,
            Hand.STRAIGHT_FLUSH: 20,
            Hand.ROYAL_FLUSH: 100,
        }
    ),
    # The side bet: the own cards and the flop; turn and river never count (5.4).
    shared_cards=3,
    irregular={**USUAL_IRREGULAR, "fourth-flop": "burn"},
)
