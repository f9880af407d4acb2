"""How much, clauses 5.7 to 5.11, by figures worked out by hand.

Unless it says otherwise the pot opens at 10 000 000 and each bet of 1000 adds 700 to it before the prizes.
"""

import pytest

from .table import T, units


def amounts(t: T) -> dict[int, tuple[str, str]]:
    """Hand and amount of each prize, by seat."""
    assert t.state.settlement is not None
    return {p.seat: (p.hand.value, str(p.amount)) for p in t.state.settlement.prizes}


# --- 5.7 -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("hand", "credits", "amount"),
    [
        ("flush", 1, "50000"),  # 50 × 1000
        ("flush", 3, "150000"),
        ("full-house", 2, "200000"),  # 100 × 2000
        ("four-of-a-kind", 3, "1500000"),  # 500 × 3000
        ("straight-flush", 1, "1000070"),  # 10 % of 10 000 700
        ("straight-flush", 3, "1000210"),  # 10 % of 10 002 100
        ("royal-flush", 1, "10000700"),  # all of it
    ],
)
def test_5_7_default_prizes(hand: str, credits: int, amount: str) -> None:
    t = T()
    t.deal(credits)
    t.show(s1=hand)
    assert amounts(t) == {1: (hand, amount)}


@pytest.mark.parametrize("hand", ["high-card", "pair", "two-pair", "three-of-a-kind", "straight"])
def test_5_7_lesser_hands_win_nothing(hand: str) -> None:
    t = T()
    t.deal(1)
    t.show(s1=hand)
    assert amounts(t) == {}
    assert (t["phase"], t.main) == ("idle", units(10_000_700))


@pytest.mark.parametrize(
    ("main", "credits", "amount"),
    [
        (49_999_300, 1, "5000000"),  # 10 % of 50 000 000 is 5000 × 1000 exactly: not cut
        (60_000_000, 1, "5000000"),  # 10 % of 60 000 700 is 6 000 070, more than 5 000 000
        (60_000_000, 2, "6000140"),  # 10 % of 60 001 400, less than 5000 × 2000
    ],
)
def test_5_7_draw_pokers_straight_flush_is_at_most_5000_times_the_winners_bet(
    main: int, credits: int, amount: str
) -> None:
    t = T(main=main)
    t.deal(credits)
    t.show(s1="straight-flush")
    assert amounts(t) == {1: ("straight-flush", amount)}


def test_5_7_prizes_are_the_tables_configuration() -> None:
    t = T(prizes=tuple(rule for rule in T().state.pot.params.prizes if rule.hand != "flush"))
    t.deal(1)
    t.show(s1="flush")
    assert amounts(t) == {}


# --- 5.8 -------------------------------------------------------------------------------------------------


def test_5_8_the_stake_is_not_returned_with_a_prize() -> None:
    t = T()
    t.deal(1)
    t.show(s1="flush")
    t.pay_all()
    assert (t["seat.1.credits"], t["seat.1.owed"], t["meters.returned"]) == (0, "0", "0")
    assert t.main == units(10_000_700 - 50_000)


# --- 5.9 -------------------------------------------------------------------------------------------------


def test_5_9_fixed_prizes_first_then_10_percent_then_100_percent_then_seeding() -> None:
    t = T()
    t.deal(1, 1, 1)
    t.show(s1="royal-flush", s2="flush", s3="straight-flush")
    # 10 002 100 − 50 000 = 9 952 100; 10 % of it = 995 210; the royal takes the 8 956 890 left
    assert amounts(t) == {
        1: ("royal-flush", "8956890"), 2: ("flush", "50000"), 3: ("straight-flush", "995210"),
    }  # fmt: skip
    # seeded from the reserve's 300, then by the house
    assert (t["meters.seed_reserve"], t["meters.seed_house"]) == ("300.0000", "9999700.0000")
    assert t.main == units(10_000_000)


def test_5_9_fixed_prizes_last() -> None:
    t = T(fixed_prizes="last")
    t.deal(1, 1, 1)
    t.show(s1="royal-flush", s2="flush", s3="straight-flush")
    # 10 % of 10 002 100 = 1 000 210; the royal takes 9 001 890; the flush finds main empty: reserve 300, house 49 700
    assert amounts(t) == {
        1: ("royal-flush", "9001890"), 2: ("flush", "50000"), 3: ("straight-flush", "1000210"),
    }  # fmt: skip
    assert (t["meters.reserve_cover"], t["meters.house_cover"]) == ("300.0000", "49700.0000")
    assert (t["meters.seed_reserve"], t["meters.seed_house"]) == ("0.0000", "10000000.0000")


@pytest.mark.parametrize(
    ("order", "straight_flush", "royal"), [("first", 995_210, 8_956_890), ("last", 1_000_210, 9_001_890)]
)
@pytest.mark.parametrize("seats", [(1, 2), (2, 1)])
def test_5_9_royal_and_straight_flush_in_either_order_of_seats(
    order: str, straight_flush: int, royal: int, seats: tuple[int, int]
) -> None:
    """The order is that of the classes, not of the seats; a flush at seat 3 comes before both, or after."""
    t = T(fixed_prizes=order)
    t.deal(1, 1, 1)
    t.declare(seats[0], "royal-flush")
    t.declare(seats[1], "straight-flush")
    t.declare(3, "flush")
    t.settle()
    assert amounts(t) == {
        seats[0]: ("royal-flush", str(royal)), seats[1]: ("straight-flush", str(straight_flush)), 3: ("flush", "50000"),
    }  # fmt: skip


def test_5_9_a_share_is_of_the_pot_as_it_stands_at_its_step() -> None:
    t = T()
    t.deal(3, 1)
    t.show(s1="four-of-a-kind", s2="straight-flush")
    # 10 002 800 − 1 500 000 = 8 502 800; 10 % = 850 280
    assert amounts(t)[2] == ("straight-flush", "850280")


def test_5_9_a_royal_wins_what_a_cap_left() -> None:
    t = T(main=100_000_000)
    t.deal(1, 1)
    t.show(s1="royal-flush", s2="straight-flush")
    # 10 % of 100 001 400 = 10 000 140, cut to 5 000 000; the royal takes 95 001 400
    assert amounts(t) == {1: ("royal-flush", "95001400"), 2: ("straight-flush", "5000000")}


def test_5_9_fixed_prizes_that_empty_the_pot_leave_the_shares_nothing_and_they_are_not_listed() -> None:
    t = T(main=10_000)
    t.deal(1, 1)
    t.show(s1="flush", s2="straight-flush")
    assert amounts(t) == {1: ("flush", "50000")}
    assert t["meters.hits.straight-flush"] == 0


# --- 5.10 ------------------------------------------------------------------------------------------------


def test_5_10_two_straight_flushes_with_an_odd_remainder() -> None:
    t = T(main=10_000_013)
    t.deal(0, 1, 0, 0, 1)
    t.show(s5="straight-flush", s2="straight-flush")
    # 10 % of 10 001 413 = 1 000 141.3, rounded down once to 1 000 141; halves of 500 070; 1 over, to seat 2
    assert amounts(t) == {2: ("straight-flush", "500071"), 5: ("straight-flush", "500070")}
    assert t.main == units(10_001_413 - 1_000_141)  # the fraction of 0.3 stays


def test_5_10_equally_whatever_they_bet() -> None:
    t = T()
    t.deal(1, 3)
    t.show(s1="straight-flush", s2="straight-flush")
    # 10 % of 10 002 800 = 1 000 280
    assert amounts(t) == {1: ("straight-flush", "500140"), 2: ("straight-flush", "500140")}


def test_5_10_three_winners_the_whole_remainder_to_the_lowest_seat() -> None:
    t = T(main=10_000_000)
    t.deal(1, 1, 1)
    t.show(s1="straight-flush", s2="straight-flush", s3="straight-flush")
    # 10 % of 10 002 100 = 1 000 210 = 3 × 333 403 + 1
    assert [amount for _, amount in amounts(t).values()] == ["333404", "333403", "333403"]


def test_5_10_two_royals_share_what_is_left() -> None:
    t = T(main=10_000_001)
    t.deal(1, 1)
    t.show(s1="royal-flush", s2="royal-flush")
    # 10 001 401 = 2 × 5 000 700 + 1
    assert amounts(t) == {1: ("royal-flush", "5000701"), 2: ("royal-flush", "5000700")}
    assert t["meters.hits.royal-flush"] == 2
    assert t.main == units(10_000_000)  # seeded once


def test_5_10_a_cap_on_one_of_two_winners() -> None:
    t = T(cap=400)
    t.deal(1, 3)
    t.show(s1="straight-flush", s2="straight-flush")
    # 1 000 280 = 2 × 500 140. Seat 1 is cut to 400 × 1000, seat 2 (up to 1 200 000) is not, and gains nothing by it
    assert amounts(t) == {1: ("straight-flush", "400000"), 2: ("straight-flush", "500140")}
    assert t.main == units(10_002_800 - 400_000 - 500_140)  # 100 140 stay in the pot


def test_5_10_the_cap_cuts_the_odd_remainder_too() -> None:
    t = T(main=10_000_013, cap=500)
    t.deal(1, 1)
    t.show(s1="straight-flush", s2="straight-flush")
    # 500 071 and 500 070, both cut to 500 000
    assert amounts(t) == {1: ("straight-flush", "500000"), 2: ("straight-flush", "500000")}
    assert t.main == units(10_001_413 - 1_000_000)


def test_5_10_two_fixed_prizes_are_not_divided() -> None:
    t = T()
    t.deal(1, 2)
    t.show(s1="flush", s2="flush")
    assert amounts(t) == {1: ("flush", "50000"), 2: ("flush", "100000")}


# --- 5.11 ------------------------------------------------------------------------------------------------


def test_5_11_prizes_are_paid_one_by_one_from_seat_1_upward() -> None:
    t = T()
    t.deal(1, 0, 1, 0, 1)
    t.show(s5="flush", s1="flush", s3="full-house")
    for seat in (3, 5):
        with t.refuses("out-of-order", "5.11"):
            t.paid(seat)
    t.paid(1)
    with t.refuses("out-of-order", "5.11"):
        t.paid(5)
    t.paid(3)
    assert (t["prize.1.status"], t["prize.3.status"], t["prize.5.status"]) == ("paid", "paid", "payable")
    assert t["phase"] == "paying"
    t.paid(5)
    assert t["phase"] == "idle"


def test_5_11_a_prize_that_waits_for_approval_holds_those_after_it() -> None:
    t = T()
    t.deal(1, 1)
    t.show(s1="straight-flush", s2="flush")
    with t.refuses("out-of-order", "5.11"):
        t.paid(2)
    with t.refuses("unapproved", "5.11"):
        t.paid(1)
    t.approve(1)
    t.paid(1)
    t.paid(2)


def test_5_11_a_denied_prize_is_passed_over() -> None:
    t = T()
    t.deal(1, 1)
    t.show(s1="straight-flush", s2="flush")
    t.deny(1)
    t.paid(2)
    assert t["phase"] == "idle"


@pytest.mark.parametrize(("threshold", "status"), [(50_000, "unapproved"), (50_001, "payable"), (0, "unapproved")])
def test_5_11_a_prize_at_or_above_the_threshold_needs_approval(threshold: int, status: str) -> None:
    t = T(approve_from=threshold)
    t.deal(1)
    t.show(s1="flush")
    assert t["prize.1.status"] == status


def test_5_11_any_share_of_the_pot_needs_approval() -> None:
    t = T(approve_from=10**14)
    t.deal(1, 1)
    t.show(s1="straight-flush", s2="royal-flush")
    assert (t["prize.1.status"], t["prize.2.status"]) == ("unapproved", "unapproved")


def test_5_11_any_prize_of_a_seat_closed_by_a_fault_needs_approval() -> None:
    t = T()
    t.deal(1)
    t.fails("node", 1)
    t.show(s1="flush")
    assert t["prize.1.status"] == "unapproved"


def test_5_11_a_fault_after_the_settlement_holds_a_prize_that_could_be_paid() -> None:
    t = T()
    t.deal(1)
    t.show(s1="flush")
    assert t["prize.1.status"] == "payable"
    t.fails("node", 1)
    assert t["prize.1.status"] == "unapproved"
    with t.refuses("unapproved", "5.11"):
        t.paid(1)
    t.approve(1)
    t.paid(1)
    assert t["phase"] == "idle"


def test_5_11_a_fault_after_the_approval_changes_nothing() -> None:
    t = T()
    t.deal(1)
    t.show(s1="straight-flush")
    t.approve(1)
    t.fails("node", 1)
    assert t["prize.1.status"] == "payable"


def test_5_11_approving_twice_or_nothing_is_refused() -> None:
    t = T()
    t.deal(1, 1, 1)
    with t.refuses("not-settled"):
        t.approve(1)
    t.show(s1="straight-flush", s2="flush")
    t.approve(1)
    with t.refuses("approved", "5.11"):
        t.approve(1)
    with t.refuses("approved", "5.11"):
        t.approve(2)  # never needed it
    with t.refuses("no-prize", "5.11"):
        t.approve(3)


def test_5_11_paying_twice_or_nothing_is_refused() -> None:
    t = T()
    t.deal(1, 1, 1)
    with t.refuses("not-settled"):
        t.paid(1)
    t.show(s1="flush", s2="flush")
    t.paid(1)
    with t.refuses("no-prize", "5.11"):
        t.paid(1)
    with t.refuses("no-prize", "5.11"):
        t.paid(3)
    with t.refuses("no-prize", "5.11"):
        t.deny(1)


def test_8_2_the_hits_say_round_seat_hand_amount_pot_before_and_after_and_who_approved() -> None:
    t = T()
    t.deal(1, 1)
    t.show(s1="straight-flush", s2="flush")
    t.approve(1)
    flush, straight_flush = sorted(t.state.hits, key=lambda hit: -hit.seat)
    assert (flush.round, flush.seat, flush.hand, flush.amount) == (1, 2, "flush", 50_000)
    assert (flush.pot_before, flush.pot_after) == (units(10_001_400), units(9_951_400))
    # 10 % of 9 951 400
    assert (straight_flush.seat, straight_flush.amount) == (1, 995_140)
    assert (straight_flush.pot_before, straight_flush.pot_after) == (units(9_951_400), units(8_956_260))
    assert (straight_flush.approved_by, flush.approved_by) == ("the supervisor", "")


def test_8_2_the_last_25_hits_are_kept() -> None:
    t = T()
    for _ in range(14):
        t.deal(1, 1)
        t.show(s1="flush", s2="flush")
        t.pay_all()
    assert len(t.state.hits) == 25
    assert [hit.round for hit in t.state.hits] == [2] + [n for n in range(3, 15) for _ in (1, 2)]
    assert t["meters.hits.flush"] == 28
