"""Settling and its undoing, clauses 5.11 (denial), 5.13, 5.15; figures worked out by hand."""

import pytest

from controller.core.money import Rate

from .table import T, units


def books(t: T) -> tuple[object, ...]:
    """Everything that a settlement moves."""
    return t.state.pot, t.state.meters, t.state.hits


# --- 5.15 settle -----------------------------------------------------------------------------------------


def test_5_15_settle_fixes_prizes_moves_money_and_seeds_in_one_step() -> None:
    t = T()
    t.deal(1)
    t.declare(1, "royal-flush")
    t.settle()
    assert t["phase"] == "paying"
    assert t["prize.1.amount"] == "10000700"
    assert t.main == units(10_000_000)
    assert t["meters.share_prizes"] == "10000700.0000"


def test_5_15_approving_and_paying_move_no_pot_money() -> None:
    t = T()
    t.deal(1, 1)
    t.show(s1="royal-flush", s2="flush")
    pot = t.state.pot
    t.approve(1)
    assert t.state.pot == pot
    t.paid(1)
    assert t.state.pot == pot
    t.paid(2)
    assert t.state.pot == pot


def test_5_15_a_bet_neither_declared_nor_forfeited_has_lost() -> None:
    t = T()
    t.deal(1, 1)
    t.show(s1="flush")
    assert t.state.settlement is not None
    assert [prize.seat for prize in t.state.settlement.prizes] == [1]


def test_5_15_a_zero_prize_is_not_listed() -> None:
    t = T(main=0, commission=Rate(9_000), reserve_rate=Rate(1_000))
    t.deal(1)
    t.show(s1="straight-flush")  # 10 % of nothing
    assert t.state.settlement is not None
    assert (t.state.settlement.prizes, t["phase"]) == ((), "idle")


def test_5_15_a_second_declare_replaces_the_first() -> None:
    t = T()
    t.deal(1)
    t.declare(1, "four-of-a-kind")
    t.declare(1, "flush")
    t.settle()
    assert (t["prize.1.hand"], t["prize.1.amount"]) == ("flush", "50000")


def test_5_15_undeclare_takes_a_hand_back() -> None:
    t = T()
    t.deal(1)
    with t.refuses("no-hand", "5.15"):
        t.undeclare(1)
    t.declare(1, "flush")
    t.undeclare(1)
    assert t["seat.1.hand"] is None
    t.settle()
    assert t["phase"] == "idle"


@pytest.mark.parametrize("word", ["fold", "exchange"])
def test_5_15_restore_undoes_a_fold_or_an_exchange(word: str) -> None:
    t = T()
    t.deal(1)
    with t.refuses("not-forfeited", "5.15"):
        t.undo_forfeit(1)
    getattr(t, word)(1)
    t.undo_forfeit(1)
    assert (t["seat.1.forfeit"], t.lit()) == (None, [1])
    t.show(s1="flush")
    assert t["prize.1.amount"] == "50000"


def test_5_15_after_settling_hands_are_no_longer_undone() -> None:
    t = T()
    t.deal(1, 1)
    t.show(s1="flush")
    for word in ("fold", "exchange", "undo_forfeit", "undeclare"):
        with t.refuses("not-locked", "5.15"):
            getattr(t, word)(1)
    with t.refuses("not-locked", "5.15"):
        t.declare(2, "flush")
    with t.refuses("not-locked", "5.15"):
        t.settle()
    with t.refuses("not-locked", "5.15"):
        t.irregular("wrong-count", 2)


def test_5_15_a_settlement_with_nothing_to_pay_ends_the_round() -> None:
    t = T()
    t.deal(1)
    t.settle()
    assert (t["phase"], t["round"], t.lit()) == ("idle", 1, [])
    with t.refuses("not-locked", "2.9"):
        t.settle()


# --- 5.15 unsettle ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "hands",
    [
        {"s1": "flush"},
        {"s1": "straight-flush", "s2": "four-of-a-kind"},
        {"s1": "royal-flush", "s2": "flush"},
        {"s1": "royal-flush", "s2": "royal-flush"},
    ],
)
@pytest.mark.parametrize("main", [10_000_000, 300])
def test_5_15_unsettle_restores_everything(hands: dict[str, str], main: int) -> None:
    t = T(main=main, reserve="40.1234")
    t.schedule("pot.base", "12000000")
    t.deal(1, 2)
    for seat, hand in hands.items():
        t.declare(int(seat[1:]), hand)
    before, round = books(t)[0], t.state.round
    t.settle()
    t.unsettle()
    assert t.state.pot == before
    assert t.state.round == round
    assert t.state.hits == ()
    assert set(t.state.meters.hits.values()) == {0}
    assert t["phase"] == "locked"


def test_5_15_the_wrong_hand_is_settled_undone_and_settled_right() -> None:
    t, other = T(), T()
    t.deal(1, 1)
    t.show(s1="flush")
    t.unsettle()
    t.undeclare(1)
    t.show(s2="flush")
    other.deal(1, 1)
    other.show(s2="flush")
    assert t.state.pot == other.state.pot
    assert t.state.hits == other.state.hits
    assert t["meters.hits.flush"] == 1


def test_5_15_a_settlement_with_nothing_to_pay_can_be_undone() -> None:
    t = T()
    t.deal(1)
    t.settle()
    assert t["phase"] == "idle"
    t.unsettle("the flush of seat 1 was not seen")
    assert (t["phase"], t["sealed"], t.lit()) == ("locked", True, [1])
    t.show(s1="flush")
    assert t["prize.1.amount"] == "50000"


def test_5_15_an_approval_does_not_survive_the_undoing() -> None:
    t = T()
    t.deal(1)
    t.show(s1="straight-flush")
    t.approve(1)
    t.unsettle()
    t.settle()
    assert t["prize.1.status"] == "unapproved"


def test_5_15_unsettle_is_refused_once_a_prize_is_paid() -> None:
    t = T()
    t.deal(1, 1)
    t.show(s1="flush", s2="flush")
    t.paid(1)
    with t.refuses("not-allowed", "5.15"):
        t.unsettle()
    t.paid(2)
    with t.refuses("not-allowed", "5.15"):
        t.unsettle()


def test_5_15_unsettle_is_refused_without_a_settlement() -> None:
    t = T()
    with t.refuses("not-settled", "5.15"):
        t.unsettle()
    t.deal(1)
    with t.refuses("not-settled", "5.15"):
        t.unsettle()


def test_5_15_unsettle_is_refused_once_the_next_round_is_open() -> None:
    t = T()
    t.deal(1)
    t.settle()
    t.open()
    with t.refuses("not-settled", "5.15"):
        t.unsettle()


@pytest.mark.parametrize("what", ["correct", "transfer"])
def test_5_15_unsettle_is_refused_once_the_pot_has_moved_otherwise(what: str) -> None:
    t = T()
    t.deal(1)
    t.settle()
    if what == "correct":
        t.correct(1)
    else:
        t.transfer()
    with t.refuses("not-settled", "5.15"):
        t.unsettle()


def test_10_2_unsettle_does_not_bring_a_live_round_into_service_mode() -> None:
    t = T()
    t.deal(1)
    t.settle()
    t.service(True)
    with t.refuses("not-allowed", "10.2"):
        t.unsettle()
    t.service(False)
    t.unsettle()


def test_10_2_unsettle_does_not_bring_a_live_round_into_a_lamp_test() -> None:
    t = T()
    t.deal(1)
    t.dead_lamps = {1}
    t.lamp(1, False)
    t.runs_out("lamp", 1)
    t.settle()
    t.reopen(1)
    assert t.seat(1).testing == "lit"
    with t.refuses("not-allowed", "10.2"):
        t.unsettle()


def test_5_15_an_undone_denial_comes_back_as_a_prize() -> None:
    t = T()
    t.deal(1, 1)
    t.show(s1="straight-flush", s2="flush")
    pots = t.pots
    t.deny(1)
    t.unsettle()
    t.settle()
    assert t.pots == pots
    assert t["prize.1.status"] == "unapproved"
    assert (t["meters.hits.straight-flush"], t["meters.hits.flush"]) == (1, 1)


def test_5_15_all_prizes_denied_and_undone() -> None:
    t = T()
    t.schedule("pot.base", "12000000")
    t.deal(1)
    before = t.state.pot
    t.show(s1="royal-flush")
    t.deny(1)
    assert (t["phase"], t.state.pot) == ("idle", before)
    t.unsettle()
    assert (t["phase"], t.state.pot) == ("locked", before)


# --- 5.11 denial -----------------------------------------------------------------------------------------


def test_5_11_a_denied_fixed_prize_goes_back_to_main() -> None:
    t = T()
    t.deal(1, 1)
    t.show(s1="flush", s2="full-house")
    t.deny(1)
    assert t.main == units(10_001_400 - 100_000)
    assert t["meters.fixed_prizes"] == "100000.0000"
    assert (t["prize.1.status"], t["prize.2.status"]) == ("denied", "payable")
    assert (t["meters.hits.flush"], t["meters.hits.full-house"]) == (0, 1)
    assert [hit.seat for hit in t.state.hits] == [2]


def test_5_11_a_denied_covered_prize_goes_back_to_all_three_sources() -> None:
    t = T(main="100000.5000", reserve="50000.7500")
    t.deal(1)
    before = t.state.pot
    t.show(s1="four-of-a-kind")  # main 100 700, reserve 50 100, house 349 200
    assert t["meters.house_cover"] == "349200.0000"
    t.deny(1)
    assert t.state.pot == before
    assert t["meters.house_cover"] == "0.0000"


def test_5_11_a_denied_share_goes_back_to_main() -> None:
    t = T()
    t.deal(1)
    before = t.state.pot
    t.show(s1="straight-flush")
    t.deny(1)
    assert t.state.pot == before


def test_5_11_a_denied_share_beside_a_royal_only_saves_seed() -> None:
    t = T()
    t.deal(1, 1)
    t.show(s1="straight-flush", s2="royal-flush")
    # 10 001 400: 1 000 140 and 9 001 260; seeded with 200 of the reserve and 9 999 800 of the house
    t.deny(1)
    # 1 000 140 come back, so the house needed to advance only 8 999 660
    assert t.pots == (units(10_000_000), 0)
    assert (t["meters.seed_reserve"], t["meters.seed_house"]) == ("200.0000", "8999660.0000")
    assert t["prize.2.amount"] == "9001260"  # what settle fixed stays fixed


def test_5_11_a_denied_royal_undoes_the_seeding() -> None:
    t = T()
    t.deal(1)
    before = t.state.pot
    t.show(s1="royal-flush")
    assert (t["meters.seed_reserve"], t["meters.seed_house"]) == ("100.0000", "9999900.0000")
    t.deny(1)
    assert t.state.pot == before
    assert t.pots == (units(10_000_700), units(100))


def test_5_11_a_denied_royal_undoes_the_scheduled_parameters_too() -> None:
    t = T()
    t.schedule("pot.base", "12000000")
    t.deal(1)
    before = t.state.pot
    t.show(s1="royal-flush")
    assert t.state.pot.params.base == 12_000_000
    t.deny(1)
    assert t.state.pot == before
    assert [change.key for change in t.state.pot.scheduled] == ["pot.base"]


def test_5_11_one_of_two_royals_denied_leaves_the_seed_that_the_other_needs() -> None:
    t = T()
    t.deal(1, 1)
    before = t.state.pot
    t.show(s1="royal-flush", s2="royal-flush")
    # 10 001 400 halved: 5 000 700 each; seeded with 200 of the reserve and 9 999 800 of the house
    t.deny(1)
    # 5 000 700 come back, so the house needed 4 999 100 only
    assert t.pots == (units(10_000_000), 0)
    assert (t["meters.seed_reserve"], t["meters.seed_house"]) == ("200.0000", "4999100.0000")
    t.deny(2)
    assert t.state.pot == before


def test_5_11_what_is_denied_while_a_royal_stands_goes_to_the_reserve_seed_last() -> None:
    t = T(reserve=9_999_000)
    t.deal(1, 1)
    t.show(s1="royal-flush", s2="royal-flush")
    # seeded with 9 999 200 of the reserve and 800 of the house
    t.deny(1)
    # 5 000 700 come back: the house's 800 first, then 4 999 900 of the reserve's
    assert t.pots == (units(10_000_000), units(4_999_900))
    assert (t["meters.seed_reserve"], t["meters.seed_house"]) == ("4999300.0000", "0.0000")


def test_5_11_denying_an_approved_prize_is_possible_until_it_is_paid() -> None:
    t = T()
    t.deal(1, 1)
    t.show(s1="straight-flush", s2="flush")
    t.approve(1)
    t.deny(1)
    assert t["prize.1.status"] == "denied"
    with t.refuses("no-prize", "5.11"):
        t.deny(1)
    with t.refuses("no-prize", "5.11"):
        t.approve(1)
    with t.refuses("no-prize", "5.11"):
        t.paid(1)


def test_5_11_the_last_denial_ends_the_round() -> None:
    t = T()
    t.deal(1, 1)
    t.show(s1="flush", s2="flush")
    t.deny(2)
    assert t["phase"] == "paying"
    t.deny(1)
    assert t["phase"] == "idle"


def test_5_11_denying_after_another_prize_is_paid() -> None:
    t = T()
    t.deal(1, 1)
    t.show(s1="flush", s2="straight-flush")
    t.paid(1)
    t.deny(2)
    assert (t["phase"], t.main) == ("idle", units(10_001_400 - 50_000))


# --- 5.13 void -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("acceptor", ["credits", "chips"])
@pytest.mark.parametrize("phase", ["betting", "locked", "sealed", "paying"])
def test_5_13_a_void_round_returns_every_side_bet(phase: str, acceptor: str) -> None:
    t = T(acceptor=acceptor, reserve="0.5")
    before = t.pots
    t.open()
    t.bet(1, 1)
    t.bet(3, 2)
    if phase == "locked":
        t.silent = {2}
    if phase != "betting":
        t.lock()
    if phase == "paying":
        t.show(s1="royal-flush", s3="flush")
    t.void()
    assert (t["phase"], t.pots, t.lit()) == ("idle", before, [])
    seats = [(t[f"seat.{n}.credits"], t[f"seat.{n}.owed"]) for n in (1, 2, 3)]
    assert seats == ([(1, "0"), (0, "0"), (2, "0")] if acceptor == "credits" else [(0, "1000"), (0, "0"), (0, "2000")])
    assert (t["meters.turnover"], t["meters.returned"], t["meters.bet_count"]) == ("3000", "3000", 0)
    assert t["meters.share_prizes"] == t["meters.seed_house"] == "0.0000"
    assert set(t.state.meters.hits.values()) <= {0}


def test_5_13_forfeited_bets_are_returned_too_for_the_round_never_was() -> None:
    t = T()
    t.deal(1, 1)
    t.fold(1)
    t.exchange(2)
    t.void()
    assert (t["seat.1.credits"], t["seat.2.credits"], t.pots) == (1, 1, (units(10_000_000), 0))


def test_5_13_a_bet_returned_before_is_not_returned_again() -> None:
    t = T()
    t.deal(1, 2)
    t.irregular("wrong-count", 2)
    t.void()
    assert (t["seat.1.credits"], t["seat.2.credits"], t["meters.returned"]) == (1, 2, "3000")


def test_5_13_void_is_refused_once_a_prize_is_paid() -> None:
    t = T()
    t.deal(1, 1)
    t.show(s1="flush", s2="flush")
    t.paid(1)
    with t.refuses("not-allowed"):
        t.void()


def test_5_13_without_a_round_there_is_nothing_to_void() -> None:
    t = T()
    with t.refuses("not-locked", "5.13"):
        t.void()


def test_5_13_a_void_round_wins_nothing_and_is_no_settlement() -> None:
    t = T()
    t.deal(1)
    t.show(s1="flush")
    t.void()
    assert t.state.settlement is None
    with t.refuses("not-settled", "5.15"):
        t.unsettle()


def test_5_13_a_void_undoes_the_scheduled_parameters_that_the_royal_brought() -> None:
    t = T()
    t.schedule("pot.base", "12000000")
    before = t.state.pot
    t.deal(1)
    t.show(s1="royal-flush")
    t.void()
    assert (t.state.pot.params, t.state.pot.scheduled) == (before.params, before.scheduled)
    assert t.pots == (before.main, before.reserve)


def test_5_15_undone_the_last_settled_round_is_the_one_before() -> None:
    t = T()
    t.deal(1)
    t.show(s1="flush")
    t.pay_all()
    t.deal(1)
    t.settle()
    assert t["prize.1.amount"] is None
    t.unsettle()
    assert t["prize.1.amount"] == "50000"
    assert t["prize.1.status"] == "paid"
    with t.refuses("not-settled", "5.15"):
        t.unsettle()  # that round is over and the next one has begun
