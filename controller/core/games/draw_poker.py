"""Draw Poker Progresivo (S0): five own cards against the dealer's five, and up to two of them exchanged."""

from __future__ import annotations

from controller.core.cards import STRENGTH, Card, Hand, at_least, hand_class
from controller.core.games.game import USUAL_IRREGULAR, Draw, Game, bet_by_table
from controller.core.messages import msg

# --- the dealer's own draw (7.2) -------------------------------------------------------------------------


def dealers_draw(cards: tuple[Card, ...]) -> Draw:
    """What the dealer must change of five cards: the first line of 7.2 that fits. Raises CardError."""
    hand = hand_class(cards)
    ranks = [card >> 2 for card in cards]
    single = sorted((card for card in cards if ranks.count(card >> 2) == 1), reverse=True)
    if STRENGTH[hand] >= STRENGTH[Hand.STRAIGHT]:
        return Draw((), msg("a straight or better: stand"))
    if hand is Hand.THREE_OF_A_KIND:
        return _change(single, msg("three of a kind: change the other two"))
    if hand is Hand.TWO_PAIR:
        return _change(single, msg("two pair: change one"))
    if hand is Hand.PAIR:
        return _change(single[1:], msg("a pair: change two, keep the pair and the highest other card"))
    for odd in cards:
        if _one_suit(set(cards) - {odd}):
            return _change([odd], msg("four cards of one suit: change the fifth"))
    for odd in cards:
        if _in_a_row(set(cards) - {odd}):
            return _change([odd], msg("four cards in a row: change the fifth"))
    return _change(single[3:], msg("nothing yet: change two, keep the three highest"))


def _change(cards: list[Card], rule: str) -> Draw:
    """The cards to change, the lowest first."""
    return Draw(tuple(sorted(cards)), rule)


def _one_suit(four: set[Card]) -> bool:
    return len({card & 3 for card in four}) == 1


def _in_a_row(four: set[Card]) -> bool:
    """Four consecutive ranks; an ace is low in A-2-3-4 and high in J-Q-K-A. A gap is none (7.2)."""
    ranks = sorted(card >> 2 for card in four)
    return ranks == list(range(ranks[0], ranks[0] + 4)) or ranks == [0, 1, 2, 12]


# --- the rule sheet --------------------------------------------------------------------------------------

DRAW_POKER = Game(
    name="draw-poker",
    title=msg("Draw Poker Progressive"),
    max_seats=6,
    # The deal, and the decision: fold, or BET and exchange.
    own_cards=5,
    dealer_cards=5,
    exchanges=2,
    # The dealer opens after drawing.
    draw=dealers_draw,
    opens=at_least(Hand.PAIR, "8"),
    base=bet_by_table(
        {
            Hand.PAIR: 1,
            Hand.TWO_PAIR: 1,
            Hand.THREE_OF_A_KIND: 2,
            Hand.STRAIGHT: 3,
            Hand.FLUSH: 5,
            Hand.FULL_HOUSE: 7,
            Hand.FOUR_OF_A_KIND: 20,
            Hand.STRAIGHT_FLUSH: 50,
            Hand.ROYAL_FLUSH: 100,
        }
    ),
    # The side bet: the five own cards as they were dealt (5.3).
    forfeits=("fold", "exchange"),
    straight_flush_cap=5_000,
    irregular=USUAL_IRREGULAR,
)
