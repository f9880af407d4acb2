"""What parameters must obey (rules 2.5, 4, 5.7), and how one of them is changed by name (4.8)."""

from fractions import Fraction
from itertools import combinations

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from msgspec.structs import replace

from controller.core.cards import DECK, HANDS, Hand, hand_class
from controller.core.money import WHOLE, Minor, Rate
from controller.core.params import (
    COUNTS,
    DEALS,
    KEYS,
    MOST_TIMES,
    PLENTY,
    apply_change,
    differences,
    drain,
    main_share,
    nearest,
    percent,
    problems,
)
from controller.core.potwords import Params, PrizeRule
from controller.core.refusals import Refusal
from controller.core.state import Setup

SETUP = Setup("draw-1", "draw-poker", 6, "CLP", 0, "credits", Minor(1000))
PARAMS = Params(
    bet_min=Minor(1000),
    bet_max=Minor(3000),
    base=Minor(10_000_000),
    limit=Minor(900_000_000),
    commission=Rate(2000),
    reserve=Rate(1000),
    fixed_prizes="first",
    approve_from=Minor(1_000_000),
    prizes=(
        PrizeRule(Hand.FLUSH, times=50),
        PrizeRule(Hand.FULL_HOUSE, times=100),
        PrizeRule(Hand.FOUR_OF_A_KIND, times=500),
        PrizeRule(Hand.STRAIGHT_FLUSH, share=Rate(1000), cap_times=5000),
        PrizeRule(Hand.ROYAL_FLUSH, share=WHOLE),
    ),
)


def with_prize(rule: PrizeRule) -> Params:
    """The parameters with one hand's rule replaced."""
    return replace(PARAMS, prizes=(*(other for other in PARAMS.prizes if other.hand is not rule.hand), rule))


def changed(key: str, value: str, params: Params = PARAMS) -> Params:
    result = apply_change(params, SETUP, key, value)
    assert isinstance(result, Params), result
    return result


def refused(key: str, value: str) -> Refusal:
    result = apply_change(PARAMS, SETUP, key, value)
    assert isinstance(result, Refusal), result
    return result


# --- figures -------------------------------------------------------------------------------------------


def test_6_counts_are_all_the_deals_there_are() -> None:
    assert sum(COUNTS.values()) == DEALS == 52 * 51 * 50 * 49 * 48 // 120
    assert tuple(COUNTS) == HANDS


def test_6_hands_of_one_suit_are_counted_on_the_deck() -> None:
    """Every hand of one suit is classified, and there are four suits."""
    spades = [card for card in DECK if card & 3 == 3]
    classes = [hand_class(cards) for cards in combinations(spades, 5)]
    for hand in (Hand.FLUSH, Hand.STRAIGHT_FLUSH, Hand.ROYAL_FLUSH):
        assert classes.count(hand) * 4 == COUNTS[hand]


def test_4_9_the_published_prizes_drain_36_2376_percent() -> None:
    assert drain(PARAMS) == Fraction(50 * 5108 + 100 * 3744 + 500 * 624, 2_598_960)
    assert percent(drain(PARAMS)) == "36.2376%"
    assert main_share(PARAMS) == Rate(7000)
    assert problems(PARAMS, SETUP) == ()


@pytest.mark.parametrize(
    ("part", "text"),
    [
        (Fraction(0), "0.0000%"),
        (Fraction(1), "100.0000%"),
        (Fraction(1, 3), "33.3333%"),
        (Fraction(5, 10_000_000), "0.0001%"),
        (Fraction(4, 10_000_000), "0.0000%"),
        (Fraction(-1, 3), "-33.3333%"),
    ],
)
def test_percentages_are_rounded_half_up(part: Fraction, text: str) -> None:
    assert percent(part) == text


# --- problems ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("params", "code", "clause", "key"),
    [
        (replace(PARAMS, bet_min=Minor(0)), "bad-bet", "2.5", "bet.min"),
        (replace(PARAMS, bet_min=Minor(-1000)), "bad-bet", "2.5", "bet.min"),
        (replace(PARAMS, bet_min=Minor(1500)), "bad-bet", "2.5", "bet.min"),
        (replace(PARAMS, bet_max=Minor(2500)), "bad-bet", "2.5", "bet.max"),
        (replace(PARAMS, bet_min=Minor(4000)), "bad-bet", "2.5", "bet.max"),
        (replace(PARAMS, bet_max=Minor(PLENTY)), "too-large", "2.5", "bet.max"),
        (replace(PARAMS, bet_max=Minor(PLENTY // 100)), "too-large", "5.7", "prizes.full-house.times"),
        (replace(PARAMS, base=Minor(-1)), "bad-pot", "4", "pot.base"),
        (replace(PARAMS, base=Minor(PLENTY), limit=None), "too-large", "4", "pot.base"),
        (replace(PARAMS, approve_from=Minor(-1)), "bad-pot", "4", "pot.approve_from"),
        (replace(PARAMS, limit=Minor(9_999_999)), "bad-pot", "4.5", "pot.limit"),
        (replace(PARAMS, commission=Rate(-1)), "bad-pot", "4", "pot.commission"),
        (replace(PARAMS, reserve=Rate(-1)), "bad-pot", "4", "pot.reserve"),
        (replace(PARAMS, commission=Rate(9001)), "over-100", "4.1", "pot.commission"),
        (replace(PARAMS, prizes=()), "bad-prize", "5.7", "prizes"),
        (replace(PARAMS, prizes=PARAMS.prizes + PARAMS.prizes[:1]), "two-prizes", "5.7", "prizes.flush"),
        (with_prize(PrizeRule(Hand.FLUSH)), "times-or-share", "5.7", "prizes.flush"),
        (with_prize(PrizeRule(Hand.FLUSH, times=5, share=Rate(1))), "times-or-share", "5.7", "prizes.flush"),
        (with_prize(PrizeRule(Hand.FLUSH, times=5, cap_times=9)), "cap-without-share", "5.7", "prizes.flush.cap_times"),
        (with_prize(PrizeRule(Hand.FLUSH, times=0)), "bad-prize", "5.7", "prizes.flush.times"),
        (with_prize(PrizeRule(Hand.FLUSH, times=MOST_TIMES + 1)), "bad-prize", "5.7", "prizes.flush.times"),
        (with_prize(PrizeRule(Hand.FLUSH, share=Rate(0))), "bad-prize", "5.7", "prizes.flush.share"),
        (with_prize(PrizeRule(Hand.FLUSH, share=Rate(10_001))), "bad-prize", "5.7", "prizes.flush.share"),
        (with_prize(PrizeRule(Hand.FLUSH, share=Rate(1), cap_times=0)), "bad-prize", "5.7", "prizes.flush.cap_times"),
        (with_prize(PrizeRule(Hand.FLUSH, share=WHOLE)), "bad-prize", "5.7", "prizes.flush"),
        (replace(PARAMS, commission=Rate(5377)), "drain", "4.9", "prizes"),
        (with_prize(PrizeRule(Hand.FLUSH, times=222)), "drain", "4.9", "prizes"),
    ],
)
def test_each_rule_is_refused_with_its_clause_and_key(params: Params, code: str, clause: str, key: str) -> None:
    found = {(refusal.code, refusal.clause, refusal.args["key"]) for refusal in problems(params, SETUP)}
    assert (code, clause, key) in found
    assert all("{" not in refusal.english for refusal in problems(params, SETUP))


def test_all_problems_are_told_at_once() -> None:
    params = replace(PARAMS, bet_min=Minor(0), limit=Minor(1), commission=Rate(9500), prizes=())
    assert [refusal.code for refusal in problems(params, SETUP)] == ["bad-bet", "bad-pot", "over-100", "bad-prize"]


def test_4_9_the_main_share_must_exceed_the_drain_exactly() -> None:
    half = (PrizeRule(Hand.PAIR, times=1), PrizeRule(Hand.HIGH_CARD, times=1))
    params = replace(PARAMS, prizes=half, reserve=Rate(0))
    share = Fraction(COUNTS[Hand.PAIR] + COUNTS[Hand.HIGH_CARD], DEALS)
    assert drain(params) == share
    enough = Rate(10_000 - int(share * 10_000) - 1)
    assert problems(replace(params, commission=enough), SETUP) == ()
    (refusal,) = problems(replace(params, commission=Rate(enough + 1)), SETUP)
    assert refusal.code == "drain"


def test_4_9_the_refusal_has_the_figures() -> None:
    (refusal,) = problems(replace(PARAMS, commission=Rate(5500)), SETUP)
    assert refusal.english == (
        "Fixed prizes of 50/100/500 drain 36.2376% of bets, so the main share must exceed it; it is 35% "
        "(100% less commission and reserve): lower the prizes, the commission or the reserve."
    )


def test_4_9_a_pot_without_fixed_prizes_may_keep_nothing() -> None:
    params = replace(PARAMS, prizes=PARAMS.prizes[3:], commission=Rate(9000))
    assert main_share(params) == 0
    assert problems(params, SETUP) == ()


# --- one parameter by name -------------------------------------------------------------------------------


@pytest.mark.parametrize("key", ["base", "pot.base"])
def test_a_key_may_leave_out_its_section(key: str) -> None:
    assert changed(key, "20000000").base == 20_000_000


def test_every_plain_parameter_can_be_changed() -> None:
    assert changed("bet.min", "2").bet_min == 2000
    assert changed("max", "5").bet_max == 5000
    assert changed("limit", "10000000").limit == 10_000_000
    assert changed("limit", "none").limit is None
    assert changed("commission", "12.25%").commission == 1225
    assert changed("reserve", "0%").reserve == 0
    assert changed("fixed_prizes", "last").fixed_prizes == "last"
    assert changed("approve_from", " 0 ").approve_from == 0


def test_a_prize_can_be_changed_in_each_way() -> None:
    def rule(key: str, value: str, hand: Hand) -> PrizeRule | None:
        return next((rule for rule in changed(key, value).prizes if rule.hand is hand), None)

    assert rule("flush", "60", Hand.FLUSH) == PrizeRule(Hand.FLUSH, times=60)
    assert rule("prizes.flush.times", "60", Hand.FLUSH) == PrizeRule(Hand.FLUSH, times=60)
    assert rule("flush", "0.5%", Hand.FLUSH) == PrizeRule(Hand.FLUSH, share=Rate(50))
    assert rule("flush", "none", Hand.FLUSH) is None
    assert rule("prizes.straight", "5", Hand.STRAIGHT) == PrizeRule(Hand.STRAIGHT, times=5)
    hand = Hand.STRAIGHT_FLUSH
    assert rule("straight-flush", "5%", hand) == PrizeRule(hand, share=Rate(500), cap_times=5000)
    assert rule("straight-flush.share", "5%", hand) == PrizeRule(hand, share=Rate(500), cap_times=5000)
    assert rule("straight-flush.cap_times", "7", hand) == PrizeRule(hand, share=Rate(1000), cap_times=7)
    assert rule("straight-flush.cap_times", "none", hand) == PrizeRule(hand, share=Rate(1000))
    assert rule("straight-flush", "1000", hand) == PrizeRule(hand, times=1000)


def test_prizes_stay_in_the_order_of_their_strength() -> None:
    assert [rule.hand for rule in changed("straight", "1").prizes] == list(HANDS[4:])


@pytest.mark.parametrize(
    ("key", "value", "code"),
    [
        ("base", "10000000.0.", "bad-value"),
        ("base", "1.5", "bad-value"),
        ("base", "NaN", "bad-value"),
        ("base", "-1", "bad-value"),
        ("base", "none", "bad-value"),
        ("base", "x" * 5000, "bad-value"),
        ("bet.min", "1.0", "bad-value"),
        ("bet.min", "٣", "bad-value"),
        ("bet.min", "0", "bad-bet"),
        ("bet.min", "4", "bad-bet"),
        ("bet.max", "999999999", "too-large"),
        ("limit", "1", "bad-pot"),
        ("commission", "20", "bad-value"),
        ("commission", "101%", "bad-value"),
        ("commission", "91%", "over-100"),
        ("commission", "55%", "drain"),
        ("reserve", "0.001%", "bad-value"),
        ("fixed_prizes", "firts", "bad-value"),
        ("flush", "many", "bad-value"),
        ("flush", "", "bad-value"),
        ("flush", "²", "bad-value"),
        ("flush", "0", "bad-prize"),
        ("flush", "0%", "bad-prize"),
        ("flush", "100%", "bad-prize"),
        ("flush.times", "none", "bad-value"),
        ("flush.cap_times", "10", "cap-without-share"),
        ("pair.cap_times", "10", "times-or-share"),
        ("pair", "1", "drain"),
        ("comission", "20%", "unknown-key"),
        ("", "1", "unknown-key"),
        ("table.seats", "7", "unknown-key"),
        ("prizes.flushh", "7", "unknown-key"),
    ],
)
def test_what_cannot_be_scheduled_says_why(key: str, value: str, code: str) -> None:
    refusal = refused(key, value)
    assert refusal.code == code
    assert refusal.clause
    assert len(refusal.english) < 300


def test_an_unknown_key_is_answered_with_the_nearest() -> None:
    assert refused("comission", "1%").english == "There is no parameter 'comission'. Did you mean pot.commission?"
    assert "prizes.flush" in refused("flushh", "1").english
    assert "prizes.HAND" in refused("zzzzzz", "1").english
    assert nearest("qqqqq", KEYS) == ""


def test_a_refused_value_is_quoted_without_its_length() -> None:
    assert refused("base", "9" * 1000).args["value"] == repr("9" * 39 + "…")


# --- properties ------------------------------------------------------------------------------------------

rates = st.integers(0, 10_000).map(Rate)
times = st.integers(1, 600)
caps = st.none() | st.integers(1, 10_000)


@st.composite
def sound_params(draw: st.DrawFn) -> Params:
    """Random parameters without a problem."""
    prizes = []
    for hand in draw(st.sets(st.sampled_from(HANDS[4:]), min_size=1)):
        if draw(st.booleans()):
            prizes.append(PrizeRule(hand, times=draw(times)))
        else:
            prizes.append(PrizeRule(hand, share=draw(rates), cap_times=draw(caps)))
    low, high = sorted(draw(st.tuples(st.integers(1, 20), st.integers(1, 20))))
    base = draw(st.integers(0, 10**9))
    params = Params(
        bet_min=Minor(low * SETUP.denomination),
        bet_max=Minor(high * SETUP.denomination),
        base=Minor(base),
        limit=draw(st.none() | st.integers(base, 10**10).map(Minor)),
        commission=draw(rates),
        reserve=draw(rates),
        fixed_prizes=draw(st.sampled_from(("first", "last"))),
        approve_from=Minor(draw(st.integers(0, 10**9))),
        prizes=tuple(sorted(prizes, key=lambda rule: HANDS.index(rule.hand))),
    )
    assume(not problems(params, SETUP))
    return params


@given(sound_params(), sound_params())
def test_4_8_scheduling_the_differences_one_by_one_leads_to_the_other(old: Params, new: Params) -> None:
    at_once = differences(old, new, SETUP)
    current, stuck = old, False
    for key, _, value in at_once:
        result = apply_change(current, SETUP, key, value)
        if isinstance(result, Refusal):
            stuck = True  # each of two changes may need the other first; then no order helps
            continue
        assert not stuck, "what can be applied comes before what cannot"
        current = result
    assert stuck or current == new
    assert bool(at_once) == (old != new)


@given(sound_params())
def test_nothing_differs_from_itself(params: Params) -> None:
    assert differences(params, params, SETUP) == ()


@given(st.sampled_from(KEYS) | st.text(max_size=30), st.text(max_size=30) | st.from_regex(r"[0-9.%]{1,9}"))
def test_whatever_is_written_the_answer_is_sound_parameters_or_a_sentence(key: str, value: str) -> None:
    result = apply_change(PARAMS, SETUP, key, value)
    if isinstance(result, Refusal):
        assert result.english
    else:
        assert problems(result, SETUP) == ()


def test_differences_are_written_as_they_would_be_scheduled() -> None:
    new = replace(
        changed("flush", "60", changed("straight-flush.cap_times", "none", changed("straight", "5"))),
        base=Minor(1_000_000_000),
        limit=None,
        bet_min=Minor(5000),
        bet_max=Minor(6000),
    )
    assert [tuple(change) for change in differences(PARAMS, new, SETUP)] == [
        ("bet.max", "3", "6"),
        ("bet.min", "1", "5"),
        ("pot.limit", "900000000", "none"),
        ("pot.base", "10000000", "1000000000"),
        ("prizes.straight", "none", "5"),
        ("prizes.flush", "50", "60"),
        ("prizes.straight-flush.cap_times", "5000", "none"),
    ]
