"""What was seen: the hands that were dealt, the meter, the prizes that were paid, the base game."""

from __future__ import annotations

from controller.core.cards import HANDS, Hand
from controller.core.money import Minor, Units
from controller.deal import Felt


class Prizes:
    """How often a prize was paid, and how much in all, in minor units."""

    def __init__(self) -> None:
        self.count = 0
        self.total = 0


class Tally:
    """Counts of one simulation. `hands` has a row for each class and a column for each seat.

    `least` and `most` are pot units of the main pot, other amounts minor units. `antes` counts players who put an
    ANTE, `folds` and `doubled` what they decided; `ante` and `bet` are what they won with each stake, below zero what
    they lost; `opened` counts rounds in which the dealer opened.
    """

    def __init__(self, seats: int, main: Units) -> None:
        self.rounds = 0
        self.hands: dict[Hand, list[int]] = {hand: [0] * seats for hand in HANDS}
        self.prizes: dict[Hand, Prizes] = {}
        self.least = self.most = main
        self.antes = self.folds = self.doubled = self.opened = 0
        self.ante = self.bet = 0

    def pot(self, main: Units) -> None:
        """What the main pot holds."""
        self.least = min(self.least, main)
        self.most = max(self.most, main)

    def paid(self, hand: Hand, amount: Minor) -> None:
        """A prize."""
        prizes = self.prizes.setdefault(hand, Prizes())
        prizes.count += 1
        prizes.total += amount

    def over(self, felt: Felt, ante: Minor, main: Units) -> None:
        """The end of a round: its hands as they count for the side bet, the base game's stakes, the main pot."""
        self.rounds += 1
        self.pot(main)
        self.opened += felt.opens is True
        self.antes += len(felt.dealt)
        for seat in felt.dealt:
            self.hands[felt.hand(seat)][seat - 1] += 1
            result = felt.result(seat, ante)
            self.ante += result.ante
            self.bet += result.bet
            if result.end is None:
                self.folds += 1
            elif result.end.bet is not None:
                self.doubled += 1
