"""Pots, clauses 3.3 and 4: where every bet goes and comes from, by figures worked out by hand.

Unless it says otherwise a table opens at its base of 10 000 000, and each bet of 1000 gives 200 to the house, 100 to
the reserve pot and 700 to the main pot. Pots are given in minor units by `minor`, exactly.
"""

import pytest
from msgspec.structs import replace

from controller.core.money import Rate
from controller.core.pot import PotError, check

from .table import T, units


def minor(main: str | int, reserve: str | int = 0) -> tuple[int, int]:
    """Two pots in minor units, as pot units."""
    return units(main), units(reserve)


def royal(t: T, bet: int = 1) -> None:
    """Seat 1 bets and wins the pot; everything is paid."""
    t.deal(bet)
    t.show(s1="royal-flush")
    t.pay_all()


# --- 3.3 -------------------------------------------------------------------------------------------------


def test_3_3_a_bet_returned_after_the_seal_is_undone_as_if_never_made() -> None:
    t, other = T(), T()
    t.deal(2, 1)
    t.irregular("wrong-count", 1)
    other.deal(0, 1)
    assert t.pots == other.pots
    names = ("bets", "commission", "to_main", "to_reserve", "overflow", "bet_count")
    assert [t[f"meters.{name}"] for name in names] == [other[f"meters.{name}"] for name in names]
    # Only the gross meters remember it: 3000 turned over, 2000 given back.
    assert (t["meters.turnover"], t["meters.returned"]) == ("3000", "2000")


def test_3_3_returned_after_overflow_takes_first_from_what_the_round_overflowed() -> None:
    t = T(limit=10_001_000)
    t.deal(2, 1)
    # 3000 × 70 % = 2100: main 10 002 100, of which 1100 over the limit; reserve 3000 × 10 % + 1100
    assert t.pots == minor(10_001_000, 1_400)
    assert t["meters.overflow"] == "1100.0000"
    t.irregular("wrong-count", 2)
    # 700 of seat 2 come back out of the overflow: main stays at its limit, reserve 1400 − 100 − 700
    assert t.pots == minor(10_001_000, 600)
    assert t["meters.overflow"] == "400.0000"
    t.irregular("wrong-count", 1)
    # 1400 of seat 1: the last 400 of the overflow, then 1000 from main; reserve 600 − 200 − 400
    assert t.pots == minor(10_000_000, 0)
    assert t["meters.overflow"] == "0.0000"


def test_3_3_returned_after_overflow_leaves_what_the_others_alone_would_have_made() -> None:
    t, other = T(limit=10_001_000), T(limit=10_001_000)
    t.deal(2, 1)
    t.irregular("wrong-count", 1)
    other.deal(0, 1)
    # 1400: all 1100 of the overflow, then 300 from main
    assert t.pots == other.pots == minor(10_000_700, 100)


def test_3_3_the_overflow_of_earlier_rounds_is_not_touched() -> None:
    t = T(limit=10_001_000)
    t.deal(3)  # 2100: 1100 over
    t.settle()
    t.deal(1)  # 700, all over
    assert t.pots == minor(10_001_000, 1_100 + 300 + 700 + 100)
    t.irregular("wrong-count", 1)
    assert t.pots == minor(10_001_000, 1_100 + 300)


@pytest.mark.parametrize("limit", [None, 10_000_500, 10_000_000])
def test_3_3_a_void_round_restores_both_pots_exactly(limit: int | None) -> None:
    t = T(main="10000000.0000", reserve="123.4567", limit=limit, commission=Rate(1_234), reserve_rate=Rate(567))
    before = t.pots
    t.deal(1, 2, 3)
    assert t.pots != before
    t.void()
    assert t.pots == before
    assert t["meters.bets"] == t["meters.overflow"] == "0.0000"
    assert (t["meters.turnover"], t["meters.returned"]) == ("6000", "6000")


def test_3_3_an_identity_that_breaks_is_an_error() -> None:
    t = T()
    with pytest.raises(PotError, match="main pot"):
        check(replace(t.state.pot, main=units(1)))
    with pytest.raises(PotError, match="bets"):
        check(replace(t.state.pot, meters=replace(t.state.pot.meters, bets=units(1))))


# --- 4.1 -------------------------------------------------------------------------------------------------


def test_4_1_of_each_bet_the_commission_the_reserve_share_and_the_rest_to_main() -> None:
    t = T()
    t.deal(2, 1)
    # 3000: 20 % = 600, 10 % = 300, the rest = 2100
    assert t["meters.bets"] == "3000.0000"
    assert t["meters.commission"] == "600.0000"
    assert t["meters.to_reserve"] == "300.0000"
    assert t["meters.to_main"] == "2100.0000"
    assert t.pots == minor(10_002_100, 300)


def test_4_1_every_rate_is_exact() -> None:
    t = T(denomination=1, bet_min=1, bet_max=7, commission=Rate(1_234), reserve_rate=Rate(567))
    t.deal(7)
    # 12.34 % of 7 = 0.8638; 5.67 % of 7 = 0.3969; the rest 7 − 0.8638 − 0.3969 = 5.7393
    assert t["meters.commission"] == "0.8638"
    assert t["meters.to_reserve"] == "0.3969"
    assert t["meters.to_main"] == "5.7393"


def test_4_1_bolivianos_have_two_decimals_and_four_digits_more() -> None:
    t = T(digits=2, denomination=50, bet_min=50, bet_max=150, base=1_000_00)
    t.deal(1)  # 0.50 bolivianos: commission 0.10, reserve 0.05, main 0.35
    assert t["pot.main"] == "1000.350000"
    assert t["pot.reserve"] == "0.050000"
    assert t["meters.turnover"] == "0.50"


def test_4_1_this_rounds_bets_are_part_of_what_this_rounds_winners_share() -> None:
    t = T()
    t.deal(1, 1)
    t.show(s1="royal-flush")
    assert t["prize.1.amount"] == "10001400"  # 10 000 000 + 2 × 700


# --- 4.2, 4.3 --------------------------------------------------------------------------------------------


def test_4_2_a_new_pot_opens_at_its_base_and_that_is_no_seed() -> None:
    t = T()
    assert t.pots == minor(10_000_000, 0)
    assert (t["meters.seed_house"], t["meters.seed_reserve"]) == ("0.0000", "0.0000")
    assert t.state.pot.meters.opening_main == units(10_000_000)


def test_4_2_the_reserve_pot_may_have_a_share_of_nothing() -> None:
    t = T(reserve_rate=Rate(0))
    t.deal(3)
    assert t.pots == minor(10_002_400, 0)  # 80 % of 3000


def test_4_3_fixed_prizes_are_paid_from_the_pot() -> None:
    t = T()
    t.deal(1)
    t.show(s1="flush")
    assert t.pots == minor(10_000_700 - 50_000, 100)
    assert t["meters.fixed_prizes"] == "50000.0000"


# --- 4.4 seeding -----------------------------------------------------------------------------------------


def test_4_4_the_house_advances_the_seed_when_the_reserve_is_empty() -> None:
    t = T(reserve_rate=Rate(0))
    royal(t)
    assert t.pots == minor(10_000_000, 0)
    assert (t["meters.seed_reserve"], t["meters.seed_house"]) == ("0.0000", "10000000.0000")


def test_4_4_the_reserve_seeds_first_as_far_as_it_goes() -> None:
    t = T(reserve=4_000_000)
    royal(t)
    # reserve 4 000 000 + 100 of this bet; the house adds 10 000 000 − 4 000 100
    assert t.pots == minor(10_000_000, 0)
    assert (t["meters.seed_reserve"], t["meters.seed_house"]) == ("4000100.0000", "5999900.0000")


def test_4_4_the_reserve_seeds_alone_when_it_can() -> None:
    t = T(reserve=12_000_000)
    royal(t)
    assert t.pots == minor(10_000_000, 2_000_100)
    assert (t["meters.seed_reserve"], t["meters.seed_house"]) == ("10000000.0000", "0.0000")


def test_4_4_the_fraction_that_stays_counts_towards_the_base() -> None:
    t = T(main="10000000.5000", reserve=20_000_000)
    t.deal(1)
    t.show(s1="royal-flush")
    assert t["prize.1.amount"] == "10000700"  # of 10 000 700.5
    assert t["meters.seed_reserve"] == "9999999.5000"
    assert t.pots == minor(10_000_000, "10000100.5000")


def test_4_4_a_pot_below_its_base_is_not_seeded_without_a_100_percent_prize() -> None:
    t = T()
    t.deal(1, 1)
    t.show(s1="flush", s2="straight-flush")
    assert t.main < units(10_000_000)
    assert (t["meters.seed_reserve"], t["meters.seed_house"]) == ("0.0000", "0.0000")


def test_4_4_a_pot_above_its_base_is_left() -> None:
    t = T(main=20_000_000, royal_cap=5_000)
    royal(t)
    # the winner's part is capped at 5000 × 1000; 20 000 700 − 5 000 000 stay, more than the base
    assert t.pots == minor(15_000_700, 100)
    assert (t["meters.seed_reserve"], t["meters.seed_house"]) == ("0.0000", "0.0000")


def test_4_4_scheduled_parameters_take_effect_just_before_seeding() -> None:
    t = T(reserve_rate=Rate(0))
    t.schedule("pot.base", "12000000")
    royal(t)
    assert t["pot.base"] == "12000000.0000"
    assert t.pots == minor(12_000_000, 0)


def test_4_4_a_100_percent_prize_of_nothing_is_no_hit_and_seeds_nothing() -> None:
    t = T(main=0, commission=Rate(10_000), reserve_rate=Rate(0))
    t.deal(1)
    t.show(s1="royal-flush")
    assert t["phase"] == "idle"
    assert t.state.settlement is not None
    assert t.state.settlement.prizes == ()
    assert t.pots == minor(0, 0)
    assert t["meters.hits.royal-flush"] == 0


# --- 4.5 limit -------------------------------------------------------------------------------------------


def test_4_5_what_exceeds_the_limit_goes_to_the_reserve_pot() -> None:
    t = T(limit=10_001_000)
    t.deal(3)  # 2100: 1100 over
    assert t.pots == minor(10_001_000, 300 + 1_100)
    assert (t["meters.to_main"], t["meters.overflow"]) == ("2100.0000", "1100.0000")


def test_4_5_a_pot_exactly_at_its_limit_has_not_overflowed() -> None:
    t = T(limit=10_002_100)
    t.deal(3)
    assert t.pots == minor(10_002_100, 300)
    assert t["meters.overflow"] == "0.0000"


def test_4_5_a_limit_below_the_current_value_is_refused() -> None:
    t = T(main=20_000_000)
    with t.refuses("limit-below-pot", "4.5"):
        t.schedule("pot.limit", "19999999")
    t.schedule("pot.limit", "20000000")


def test_4_5_a_pot_grown_beyond_a_limit_that_waits_does_not_stop_other_changes() -> None:
    t = T(main=20_000_000)
    t.schedule("pot.limit", "20001000")
    t.deal(3)  # 2100
    t.settle()
    t.schedule("bet.max", "5")
    with t.refuses("limit-below-pot", "4.5"):
        t.schedule("pot.limit", "20000500")


def test_4_5_a_limit_below_the_base_is_refused() -> None:
    t = T()
    with t.refuses("bad-pot", "4.5"):
        t.schedule("pot.limit", "9999999")


def test_4_5_a_correction_and_a_received_pot_overflow_too() -> None:
    t = T(limit=10_001_000)
    t.correct(1_500)
    assert t.pots == minor(10_001_000, 500)
    t.receive(units("2.5"), units("0.25"))
    assert t.pots == minor(10_001_000, "502.75")


# --- 4.6 cover -------------------------------------------------------------------------------------------


def test_4_6_the_reserve_covers_what_main_cannot() -> None:
    t = T(main="100000.5000", reserve=1_000_000)
    t.deal(1)
    t.show(s1="four-of-a-kind")
    # prize 500 × 1000. Main 100 700.5 gives its whole 100 700; the reserve 399 300 of 1 000 100
    assert t["prize.1.amount"] == "500000"
    assert t.pots == minor("0.5000", 600_800)
    assert (t["meters.reserve_cover"], t["meters.house_cover"]) == ("399300.0000", "0.0000")


def test_4_6_the_house_covers_what_both_cannot() -> None:
    t = T(main="100000.5000", reserve="50000.7500")
    t.deal(1)
    t.show(s1="four-of-a-kind")
    # main 100 700, reserve 50 100 (of 50 100.75), house 500 000 − 150 800
    assert t["prize.1.amount"] == "500000"
    assert t.pots == minor("0.5000", "0.7500")
    assert (t["meters.reserve_cover"], t["meters.house_cover"]) == ("50100.0000", "349200.0000")


def test_4_6_no_re_seeding_follows_a_cover() -> None:
    t = T(main=1_000)
    t.deal(1)
    t.show(s1="flush")
    t.pay_all()
    assert t["meters.house_cover"] == "48200.0000"  # 50 000 − 1700 of main − 100 of the reserve
    assert t.pots == minor(0, 0)
    assert (t["meters.seed_reserve"], t["meters.seed_house"]) == ("0.0000", "0.0000")


def test_4_6_no_prize_is_cut_or_delayed() -> None:
    t = T(main=60_000)
    t.deal(1, 1)
    t.show(s1="flush", s2="full-house")
    # main 61 400, reserve 200. Seat 1: 50 000 of main. Seat 2: the 11 400 left, 200, and 88 400 of the house
    assert (t["prize.1.amount"], t["prize.2.amount"]) == ("50000", "100000")
    assert (t["prize.1.status"], t["prize.2.status"]) == ("payable", "payable")
    assert (t["meters.reserve_cover"], t["meters.house_cover"]) == ("200.0000", "88400.0000")


# --- 4.7 -------------------------------------------------------------------------------------------------


def test_4_7_a_documented_correction_by_two_people() -> None:
    t = T(reserve=1_000)
    t.correct(-500)
    t.correct(250, "reserve")
    assert t.pots == minor(9_999_500, 1_250)
    assert (t.state.pot.meters.corrections_main, t.state.pot.meters.corrections_reserve) == minor(-500, 250)
    assert t.state.meters.corrections == 2
    assert [type(event).__name__ for event in t.last] == [
        "CommandTaken", "PotAsked", "PotMoved", "CorrectionRecorded",
    ]  # fmt: skip


@pytest.mark.parametrize(("amount", "pot"), [(-10_000_001, "main"), (-1, "reserve")])
def test_4_7_a_correction_beyond_the_pot_is_refused(amount: int, pot: str) -> None:
    t = T()
    with t.refuses("over-maximum", "4.7"):
        t.correct(amount, pot)
    assert t.pots == minor(10_000_000, 0)


def test_4_7_a_correction_may_empty_the_pot() -> None:
    t = T()
    t.correct(-10_000_000)
    assert t.pots == minor(0, 0)


@pytest.mark.parametrize("amount", [10**15, -(10**15), 10**30])
def test_4_7_a_correction_larger_than_any_amount_is_refused(amount: int) -> None:
    t = T()
    with t.refuses("over-maximum", "4.7"):
        t.correct(amount)


def test_4_7_a_correction_waits_for_the_end_of_the_round() -> None:
    t = T()
    t.deal(1)
    with t.refuses("not-settled"):
        t.correct(1)


def test_4_7_nothing_else_lowers_the_meter() -> None:
    t = T()
    t.load(1, 5)
    t.deal(1, 1, 1)
    level = t.main
    t.fold(2)
    t.exchange(3)
    t.close(4)
    t.fails("button", 5)
    t.cash_out(1)
    t.irregular("exposed")
    t.out_of_service("the disk is full")
    t.out_of_service("")
    t.restart()
    t.settle()
    t.service(True)
    t.service(False)
    assert t.main == level


# --- 4.8 -------------------------------------------------------------------------------------------------


def test_4_8_a_change_under_a_live_pot_waits_until_the_100_percent_prize_is_won() -> None:
    t = T()
    t.schedule("pot.commission", "30%")
    t.deal(1)
    assert t["meters.commission"] == "200.0000"  # still 20 %
    t.settle()
    royal(t)
    assert t["meters.commission"] == "400.0000"
    t.deal(1)
    assert t["meters.commission"] == "700.0000"  # 30 % from here on
    assert (t.state.pot.scheduled, t.state.pot.planned) == ((), None)


def test_4_8_other_prizes_do_not_bring_it_about() -> None:
    t = T()
    t.schedule("flush", "40")
    t.deal(1, 1)
    t.show(s1="flush", s2="straight-flush")
    t.pay_all()
    t.deal(1)
    t.show(s1="flush")
    assert t["prize.1.amount"] == "50000"


def test_4_8_changes_add_up_and_are_recorded_with_their_authors() -> None:
    t = T()
    t.schedule("pot.base", "12000000")
    t.schedule("bet.max", "5")
    assert [(change.key, change.value) for change in t.state.pot.scheduled] == [
        ("pot.base", "12000000"), ("bet.max", "5"),
    ]  # fmt: skip
    assert t.state.pot.scheduled[0].authors == ("the supervisor", "the technician")
    assert t.state.pot.params.bet_max == 3_000
    royal(t)
    assert (t.state.pot.params.base, t.state.pot.params.bet_max) == (12_000_000, 5_000)


def test_4_8_a_transfer_brings_the_change_about_too() -> None:
    t = T()
    t.schedule("pot.base", "12000000")
    t.transfer()
    assert (t["pot.base"], t.state.pot.scheduled) == ("12000000.0000", ())


@pytest.mark.parametrize(
    ("key", "value", "code"),
    [("pot.bass", "1", "unknown-key"), ("pot.base", "NaN", "bad-value"), ("pot.commission", "101%", "bad-value"),
     ("pot.commission", "95%", "over-100"), ("bet.min", "4", "bad-bet")],
)  # fmt: skip
def test_4_8_a_change_that_is_none_is_refused(key: str, value: str, code: str) -> None:
    t = T()
    with t.refuses(code):
        t.schedule(key, value)
    assert t.state.pot.scheduled == ()


def test_4_8_a_change_scheduled_while_paying_is_not_lost_by_an_undo() -> None:
    """The royal brought base 12 million into force; what is scheduled after it must still wait when it is undone."""
    t = T()
    t.schedule("pot.base", "12000000")
    t.deal(1)
    t.show(s1="royal-flush")
    t.schedule("bet.max", "5")
    t.unsettle()
    assert [change.key for change in t.state.pot.scheduled] == ["pot.base", "bet.max"]
    assert t.state.pot.params.base == 10_000_000
    t.show(s1="royal-flush")
    assert (t.state.pot.params.base, t.state.pot.params.bet_max) == (12_000_000, 5_000)


def test_4_8_a_change_scheduled_while_paying_is_not_lost_by_a_denial() -> None:
    t = T()
    t.schedule("pot.base", "12000000")
    t.deal(1)
    t.show(s1="royal-flush")
    t.schedule("bet.max", "5")
    t.deny(1)
    assert [change.key for change in t.state.pot.scheduled] == ["pot.base", "bet.max"]
    assert t.state.pot.params.base == 10_000_000


def test_4_8_a_change_scheduled_after_the_denial_is_not_lost_by_an_undo() -> None:
    t = T()
    t.schedule("pot.base", "12000000")
    t.deal(1)
    t.show(s1="royal-flush")
    t.deny(1)
    t.schedule("bet.max", "5")
    t.unsettle()
    assert [change.key for change in t.state.pot.scheduled] == ["pot.base", "bet.max"]


def test_4_8_a_change_is_refused_if_it_does_not_go_with_those_that_wait() -> None:
    t = T()
    t.schedule("pot.commission", "50%")  # main share 40 %, more than the drain of 36.2376 %
    with t.refuses("drain", "4.9"):
        t.schedule("pot.reserve", "14%")  # alone fine (66 %), with the 50 % only 36 % are left


# --- 4.9 -------------------------------------------------------------------------------------------------


def test_4_9_a_change_whose_fixed_prizes_drain_the_pot_is_refused_with_the_figures() -> None:
    t = T()
    with t.refuses("drain", "4.9"):
        t.schedule("pot.commission", "53.77%")  # main share 36.23 %, drain 36.2376 %
    assert t.refusal is not None
    assert "36.2376%" in t.refusal.english
    assert "36.23%" in t.refusal.english
    t.schedule("pot.commission", "53.76%")  # 36.24 % exceeds it


# --- 4.10 ------------------------------------------------------------------------------------------------


def test_4_10_closing_a_pot_moves_its_exact_contents_with_a_record() -> None:
    t, other = T(main="10000000.1234", reserve="55.5555"), T(main=500)
    t.transfer()
    assert t.pots == minor(0, 0)
    assert t.state.meters.transfers == 1
    record = t.last[-1]
    assert type(record).__name__ == "TransferRecorded"
    assert (record.main, record.reserve) == minor("10000000.1234", "55.5555")  # type: ignore[attr-defined]
    other.receive(*minor("10000000.1234", "55.5555"))
    assert other.pots == minor("10000500.1234", "55.5555")
    assert other.state.meters.transfers == 1


def test_4_10_a_closed_pot_takes_no_bets_until_it_receives_another() -> None:
    t = T()
    t.transfer()
    with t.refuses("out-of-service", "4.10"):
        t.open()
    with t.refuses("out-of-service", "4.10"):
        t.transfer()
    t.receive(*minor(7, "0.5"))
    assert t.pots == minor(7, "0.5")
    t.open()
    assert t["phase"] == "betting"


def test_4_10_a_transfer_waits_for_the_end_of_the_round() -> None:
    t = T()
    t.open()
    with t.refuses("not-settled"):
        t.transfer()
    with t.refuses("not-settled"):
        t.receive(1, 1)


@pytest.mark.parametrize(("main", "reserve"), [(-1, 0), (0, -1), (10**19, 0), (0, 10**19)])
def test_4_10_what_no_pot_can_hold_is_not_received(main: int, reserve: int) -> None:
    t = T()
    with t.refuses("over-maximum", "4.10"):
        t.receive(main, reserve)


def test_4_10_a_pot_that_was_moved_away_is_not_corrected() -> None:
    t = T()
    t.transfer()
    with t.refuses("out-of-service", "4.10"):
        t.correct(1)
    t.receive(7, 8)
    t.correct(1)
