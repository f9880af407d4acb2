"""How many seats of one round win: exact, from one deck (rules 6, 5.10).

The seats of a round are dealt from the same deck, so their hands are not independent: two seats cannot hold the
same ace, and shared cards that make a flush for one seat make it likely for the next. For `k` of the `n` betting
seats the chance follows from counting sets of disjoint winning hands (inclusion and exclusion over seats):

    S(k)      = C(n, k) · k! · Σ over shared cards of M(k)  /  Σ over shared cards of the ways to deal k seats
    P(K = j)  = Σ over k ≥ j of (-1)^(k-j) · C(k, j) · S(k)

where M(k) is the number of ways to choose k own hands, no card twice, that all win beside those shared cards. All that
is left is to count M(k), as a polynomial Σ M(k)·z^k, for one representative of each kind of shared cards:

* flush, straight flush and royal flush live in one suit. Their sets are subsets of its thirteen ranks; the few that
  are straights are counted one by one, the many that are not as all less the straights;
* four of a kind and full house live in ranks, all suits alike;
* with five own cards both kinds compete for cards. A rank hand only sees how many cards of each rank the suited hands
  have left, so suited hands are counted by that histogram.

Classes below a flush overlap in too many ways for this; of them, and of the few mixtures named in `winners`, nothing
is said rather than something approximate.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from fractions import Fraction
from functools import cache
from itertools import combinations
from math import comb, factorial, perm, prod

from controller.core.cards import Hand

RANKS = 13
SUITS = 4
DECK = RANKS * SUITS
LARGEST_TABLE = 7
"""Seats (rules 7); what is counted once for them serves every smaller number."""

SUITED = frozenset({Hand.FLUSH, Hand.STRAIGHT_FLUSH, Hand.ROYAL_FLUSH})
RANKED = frozenset({Hand.FULL_HOUSE, Hand.FOUR_OF_A_KIND})

RUNS: tuple[int, ...] = (0b1_0000_0000_1111, *(0b11111 << low for low in range(9)))
"""The ten straights as sets of ranks, bit 0 the deuce, bit 12 the ace; the first is the wheel, the last royal."""

Poly = tuple[int, ...]
"""M(0), M(1), …: numbers of sets of disjoint winning hands, by their size."""


def winners(own: int, shared: int, hands: Collection[Hand], seats: int) -> tuple[Fraction, ...] | None:
    """The chances that 0, 1, … `seats` of `seats` seats hold one of `hands`, each with `own` cards and the same
    `shared` ones; all five count. None where this is not counted: a class below a flush, one own card or four, or
    five own cards where both hands of ranks and flushes win, but not every straight flush.

    ValueError when the deck does not go round.
    """
    wanted = frozenset(hands)
    if own * seats + shared > DECK:
        raise ValueError(f"{seats} seats with {own} cards and {shared} shared ones need more than one deck")
    if not wanted <= SUITED | RANKED or own + shared != 5 or own not in (2, 3, 5):
        return None
    if own == 5 and wanted & RANKED and Hand.FLUSH in wanted and not wanted >= SUITED:
        return None
    return _chances(own, shared, wanted, seats)


@cache
def _chances(own: int, shared: int, hands: frozenset[Hand], seats: int) -> tuple[Fraction, ...]:
    sets = _sets(own, shared, hands, max(seats, LARGEST_TABLE))
    moments = []
    for k in range(seats + 1):
        dealt = comb(DECK, shared) * prod(comb(DECK - shared - own * seat, own) for seat in range(k))
        moments.append(Fraction(comb(seats, k) * factorial(k) * sets[k], dealt))
    return tuple(
        sum((Fraction((-1) ** (k - j) * comb(k, j)) * moments[k] for k in range(j, seats + 1)), Fraction(0))
        for j in range(seats + 1)
    )


@cache
def _sets(own: int, shared: int, hands: frozenset[Hand], most: int) -> Poly:
    """M(0) … M(`most`), added up over all shared cards."""
    total = [0] * (most + 1)
    for weight, board in boards(shared):
        for k, count in enumerate(winning_sets(board, own, hands, most)):
            total[k] += weight * count
    return tuple(total)


# --- Shared cards ----------------------------------------------------------------------------------------


def boards(shared: int) -> Iterator[tuple[int, tuple[int, ...]]]:
    """Shared cards that stand for all, and how many each stands for: suits are alike, and unless the cards are of
    one suit only how often each rank occurs matters. A card is rank · 4 + suit.
    """
    if shared == 0:
        yield 1, ()
        return
    suited = [(SUITS, tuple(rank * SUITS for rank in ranks)) for ranks in combinations(range(RANKS), shared)]
    yield from suited
    mixed = comb(RANKS, shared) * (SUITS**shared - SUITS)
    if shared == 2:
        yield RANKS * comb(SUITS, 2), (0, 1)
        yield mixed, (0, 5)
    else:
        yield RANKS * comb(SUITS, 3), (0, 1, 2)
        yield RANKS * comb(SUITS, 2) * (DECK - SUITS), (0, 1, 4)
        yield mixed, (0, 5, 8)


def winning_sets(board: Sequence[int], own: int, hands: frozenset[Hand], most: int) -> Poly:
    """M(0) … M(`most`) beside the shared cards `board`; what `hands` may be, `winners` says."""
    if not board:
        return _own_cards_only(hands, most)
    repeats = sorted(Counter(card // SUITS for card in board).values())
    suited = len({card % SUITS for card in board}) == 1
    ranked = _beside_three(repeats, hands, most) if own == 2 else _beside_two(repeats, hands, most)
    in_suit = _in_one_suit(sum(1 << (card // SUITS) for card in board), own, hands, most) if suited else (1,)
    # Two suited cards leave rank hands only cards of other suits: both kinds together are never short of a card.
    return _times(ranked, in_suit, most)


def _beside_three(repeats: list[int], hands: frozenset[Hand], most: int) -> Poly:
    """Two own cards beside three shared ones, of which `repeats` are of the same ranks."""
    full, four = Hand.FULL_HOUSE in hands, Hand.FOUR_OF_A_KIND in hands
    if repeats == [3]:
        pairs: Poly = (1, 6, 3) if full else (1,)  # in one rank: six pairs, three ways to hold two
        rest: Poly = (1, 3) if full else (1,)  # in a rank that has given one card away
        sets = _power(pairs, 12, most)
        if four:  # the fourth card, with any other
            sets = _plus(sets, _times((0, 48), _times(_power(pairs, 11, most), rest, most), most))
        return sets
    if repeats == [1, 2]:
        # Five cards are left of the two ranks. Any two of them make a full house, except the pair that makes four.
        return {(False, False): (1,), (False, True): (1, 1), (True, False): (1, 9, 12), (True, True): (1, 10, 15)}[
            full, four
        ][: most + 1]
    return (1,)


def _beside_two(repeats: list[int], hands: frozenset[Hand], most: int) -> Poly:
    """Three own cards beside two shared ones, of which `repeats` are of the same ranks."""
    full, four = Hand.FULL_HOUSE in hands, Hand.FOUR_OF_A_KIND in hands
    if repeats == [1, 1]:
        # Six cards are left of the two ranks. Three of one rank make four of a kind, any other three a full house,
        # and what three leave is of the same kind.
        three, other = (2, 1) if four else (0, 0), (18, 9) if full else (0, 0)
        return (1, three[0] + other[0], three[1] + other[1])[: most + 1]
    sets: Poly = (1,)
    if full:
        # Each other rank gives three cards, or a pair to join one of the shared rank's two last cards, or two such.
        sets = (0,)
        for joined, count in enumerate(_joining(12, most)):
            sets = _plus(sets, tuple(perm(2, joined) * n for n in count))
    if four:
        triples: Poly = _times((1, 1), _power((1, 4), 11, most), most) if full else (1,)
        sets = _plus(sets, _times((0, 48), triples, most))
    return sets


def _joining(ranks: int, most: int) -> tuple[Poly, Poly, Poly]:
    """Sets of triples and of pairs within ranks of four cards, by the number of pairs (no more than two)."""
    by_pairs: tuple[Poly, Poly, Poly] = ((1,), (0,), (0,))
    for _ in range(ranks):
        none, one, two = by_pairs
        by_pairs = (
            _times(none, (1, 4), most),
            _plus(_times(one, (1, 4), most), _times(none, (0, 6), most)),
            _plus(_plus(_times(two, (1, 4), most), _times(one, (0, 6), most)), _times(none, (0, 0, 3), most)),
        )
    return by_pairs


# --- One suit --------------------------------------------------------------------------------------------


def _in_one_suit(board: int, own: int, hands: frozenset[Hand], most: int) -> Poly:
    """Sets of own cards that go with the ranks `board` of their suit."""
    runs = [(run & ~board, _run_class(run)) for run in RUNS if run & board == board]
    if Hand.FLUSH not in hands:
        return _disjoint(tuple(cards for cards, hand in runs if hand in hands), most)
    free = RANKS - board.bit_count()
    missing = _disjoint(tuple(cards for cards, hand in runs if hand not in hands), most)
    return tuple(
        sum((-1) ** j * missing[j] * _subsets(free - own * j, own, k - j) for j in range(min(k, len(missing) - 1) + 1))
        for k in range(most + 1)
    )


def _run_class(run: int) -> Hand:
    return Hand.ROYAL_FLUSH if run == RUNS[-1] else Hand.STRAIGHT_FLUSH


def _subsets(cards: int, size: int, count: int) -> int:
    """In how many ways `count` disjoint sets of `size` can be taken from `cards`."""
    if size * count > cards:
        return 0
    alike: int = factorial(size) ** count
    return factorial(cards) // (alike * factorial(count) * factorial(cards - size * count))


@cache
def _disjoint(sets: tuple[int, ...], most: int) -> Poly:
    """Numbers of collections of pairwise disjoint `sets` (bit masks)."""
    if not sets or most == 0:
        return (1,)
    first, others = sets[0], sets[1:]
    with_first = _disjoint(tuple(other for other in others if not other & first), most - 1)
    return _plus(_disjoint(others, most), (0, *with_first))


# --- Five own cards --------------------------------------------------------------------------------------

Left = tuple[int, ...]
"""How many ranks have 0, 1, 2, 3, 4 cards left."""


def _own_cards_only(hands: frozenset[Hand], most: int) -> Poly:
    if not hands & RANKED:
        return _power(_in_one_suit(0, 5, hands, most), SUITS, most)
    sets: Poly = (0,)
    suited = _any_suited(most) if Hand.FLUSH in hands else _runs_only(hands, most)
    for (used, left), count in suited.items():
        ranked = _ranked(left, hands, most - used)
        sets = _plus(sets, (*(0,) * used, *(count * n for n in ranked)))
    return sets


def _any_suited(most: int) -> dict[tuple[int, Left], int]:
    """Sets of disjoint suited hands of any kind: how many, by their size and what they leave of the ranks."""
    found: Counter[tuple[int, Left]] = Counter({(0, (0, 0, 0, 0, RANKS)): 1})
    for _ in range(SUITS):
        grown: Counter[tuple[int, Left]] = Counter()
        for (used, left), count in found.items():
            for more in range(min(2, most - used) + 1):
                for after, ways in _taken(left, 5 * more):
                    grown[used + more, after] += count * ways * _subsets(5 * more, 5, more)
        found = grown
    return found


@cache
def _taken(left: Left, cards: int) -> tuple[tuple[Left, int], ...]:
    """What is left when one more suit has lost `cards` of its thirteen, and in how many ways."""
    found = []
    splits: list[tuple[int, ...]] = [()]
    for ranks in left[1:]:
        splits = [(*split, n) for split in splits for n in range(min(ranks, cards - sum(split)) + 1)]
    for split in splits:
        if sum(split) == cards:
            ways = prod(comb(ranks, n) for ranks, n in zip(left[1:], split, strict=True))
            after = [left[0], *(ranks - n for ranks, n in zip(left[1:], split, strict=True))]
            for level, n in enumerate(split):
                after[level] += n
            found.append((tuple(after), ways))
    return tuple(found)


def _runs_only(hands: frozenset[Hand], most: int) -> dict[tuple[int, Left], int]:
    """The same for straight flushes alone, which are few: suit by suit, adding up the ranks that they take.

    The cards taken of a rank are an octal digit of one number.
    """
    runs = [run for run in RUNS if _run_class(run) in hands]
    spread = {run: sum(8**rank for rank in range(RANKS) if run >> rank & 1) for run in runs}
    one = Counter({(0, 0): 1}) + Counter((1, spread[run]) for run in runs)
    one += Counter((2, spread[a] + spread[b]) for a, b in combinations(runs, 2) if not a & b)
    two: Counter[tuple[int, int]] = Counter()
    for (used, ranks), count in one.items():
        for (more, others), times in one.items():
            two[used + more, ranks + others] += count * times
    four: Counter[tuple[int, int]] = Counter()
    for (used, ranks), count in two.items():
        for (more, others), times in two.items():
            if used + more <= most:
                four[used + more, ranks + others] += count * times
    found: Counter[tuple[int, Left]] = Counter()
    for (used, ranks), count in four.items():
        found[used, _left(ranks)] += count
    return found


@cache
def _left(ranks: int) -> Left:
    digits = f"{ranks:0{RANKS}o}"
    return tuple(digits.count(str(SUITS - left)) for left in range(SUITS + 1))


@cache
def _ranked(left: Left, hands: frozenset[Hand], most: int) -> Poly:
    """Sets of disjoint full houses and fours of a kind from what is left of the ranks."""
    cards = sum(n * ranks for n, ranks in enumerate(left))
    sets = [0] * (most + 1)
    for fours in range(most + 1 if Hand.FOUR_OF_A_KIND in hands else 1):
        rest = (*left[:4], left[4] - fours)
        for fulls in range(most - fours + 1 if Hand.FULL_HOUSE in hands else 1):
            spare = cards - 4 * fours - 5 * fulls  # the fifth card of a four is any that nobody has
            if left[4] >= fours and spare >= fours:
                sets[fours + fulls] += comb(left[4], fours) * perm(spare, fours) * _full_houses(rest, fulls)
    return tuple(sets)


@cache
def _full_houses(left: Left, count: int) -> int:
    """In how many ways `count` disjoint full houses can be taken: first their triples, then a pair for each."""
    ways = 0
    for whole in range(count + 1):  # triples from ranks of four cards; the others from ranks of three
        triples = comb(left[4], whole) * 4**whole * comb(left[3], count - whole)
        if triples:
            pairs = _power((1, 6, 3), left[4] - whole, count)
            pairs = _times(pairs, _power((1, 3), left[3] - count + whole, count), count)
            pairs = _times(pairs, _power((1, 1), left[2], count), count)
            ways += triples * factorial(count) * (pairs[count] if count < len(pairs) else 0)
    return ways


# --- Polynomials -----------------------------------------------------------------------------------------


def _plus(a: Poly, b: Poly) -> Poly:
    size = max(len(a), len(b))
    return tuple(x + y for x, y in zip(_padded(a, size), _padded(b, size), strict=True))


def _padded(a: Poly, size: int) -> Iterable[int]:
    return (*a, *(0,) * (size - len(a)))


def _times(a: Poly, b: Poly, most: int) -> Poly:
    """The product, up to the power `most`."""
    product = [0] * min(len(a) + len(b) - 1, most + 1)
    for i, x in enumerate(a):
        for j, y in enumerate(b[: len(product) - i] if i < len(product) else ()):
            product[i + j] += x * y
    return tuple(product)


@cache
def _power(a: Poly, exponent: int, most: int) -> Poly:
    result: Poly = (1,)
    for _ in range(exponent):
        result = _times(result, a, most)
    return result
