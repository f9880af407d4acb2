"""The simulator: complete games of every game through the real core, and an audit that finds what is wrong with it.

To see that the audit finds anything, the core is corrupted on purpose, one rule at a time. Nowhere else in the tests
are our own parts patched.
"""

from fractions import Fraction
from math import comb, isclose
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from controller.config import Config, load
from controller.core import betting, cards, decide, hands, pot, prizes, settling
from controller.core.cards import HANDS, Hand
from controller.core.money import Minor, Rate, Units
from controller.core.params import COUNTS, DEALS
from controller.core.potwords import PotMeters, PrizeRule
from controller.core.refusals import Refusal
from controller.journal import codec
from controller.simulate import floor
from controller.simulate.chance import at_least, at_most, honest
from controller.simulate.findings import AuditError
from controller.simulate.report import DOUBT, laws
from controller.simulate.rounds import Simulation

TABLES = Path(__file__).parents[2] / "examples" / "tables"
EVERY_TABLE = sorted(file.stem for file in TABLES.glob("*.toml"))


def table(name: str, **params: Any) -> Config:
    config = load(TABLES / f"{name}.toml", {"HOME": "/anybody"})
    return replace(config, params=replace(config.params, **params))


def simulated(name: str, rounds: int, seed: int = 1, **params: Any) -> Simulation:
    simulation = Simulation(table(name, **params), Random(seed))
    simulation.run(rounds)
    return simulation


# --- what it plays ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", EVERY_TABLE)
def test_3_3_every_table_plays_complete_games_and_its_books_are_right(name: str) -> None:
    """All four games, both acceptors, limits, caps, cents, and pots that their fixed prizes outgrow."""
    simulation = simulated(name, 100)
    table, tally = simulation.floor.state, simulation.tally
    assert table.rounds == tally.rounds == 100
    assert table.round is None
    assert table.alarms == ()
    assert table.pot.meters.bets == (table.meters.turnover - table.meters.returned) * 10_000 > 0
    assert simulation.floor.inputs > 30 * 100
    assert simulation.floor.replayed > 300
    assert sum(map(sum, tally.hands.values())) == tally.antes == 100 * len(table.seats)
    assert all(law.held for law in laws(tally.hands, tally.rounds)[0])


def test_2_every_turn_of_betting_comes_up() -> None:
    credits, chips = (simulated(name, 200).floor.state.meters for name in ("draw-1", "draw-chips"))
    assert credits.credits_in > credits.credits_out > 0
    assert chips.late_chips > 0
    assert chips.excess_chips > 0
    assert chips.returned > 0, "under the minimum"


def test_the_same_seed_deals_the_same_cards() -> None:
    first, again, other = simulated("texas-1", 40), simulated("texas-1", 40), simulated("texas-1", 40, seed=2)
    assert first.floor.state == again.floor.state != other.floor.state
    assert first.tally.hands == again.tally.hands != other.tally.hands


def test_4_4_the_whole_pot_is_won_and_seeded() -> None:
    """Three of a kind wins it here, so that nobody has to wait for a royal flush."""
    for first in ("first", "last"):
        rules = (PrizeRule(Hand.TWO_PAIR, times=3), PrizeRule(Hand.THREE_OF_A_KIND, share=Rate(10_000)))
        simulation = simulated("go-1", 150, prizes=rules, fixed_prizes=first)
        assert simulation.tally.prizes[Hand.THREE_OF_A_KIND].count > 5
        assert simulation.books.moved["seed_house"] > 0


def test_5_10_winners_of_one_share_divide_it() -> None:
    """A pair wins a tenth of the pot here, so that several do in nearly every round; and there is a limit (4.5)."""
    rules = (PrizeRule(Hand.PAIR, share=Rate(1_000), cap_times=300),)
    simulation = simulated("caribbean-1", 60, prizes=rules, limit=Minor(2_000_100))
    assert simulation.tally.prizes[Hand.PAIR].count > 120
    assert simulated("texas-1", 60, base=Minor(500_000), limit=Minor(500_000)).books.moved["overflow"] > 0


def test_a_run_can_be_ended_between_two_rounds() -> None:
    simulation, told = Simulation(table("draw-1"), Random(1)), list[int]()
    simulation.run(50, lambda done, of: told.append(done), lambda: len(told) == 3)
    assert told == [1, 2, 3]
    assert simulation.tally.rounds == 3
    assert simulation.floor.replayed > 100, "what was noted until then is read back"


# --- what it finds ---------------------------------------------------------------------------------------


def found(name: str = "draw-1", rounds: int = 300) -> AuditError:
    with pytest.raises(AuditError) as caught:
        simulated(name, rounds)
    return caught.value


def test_4_1_a_commission_that_is_a_little_too_high_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """The four sums of 3.3 go on to hold: only a count from outside tells."""
    right = pot._split

    def wrong(*args: Any) -> tuple[Units, ...]:
        bets, commission, reserve, main = right(*args)
        return bets, Units(commission + 1), reserve, Units(main - 1)

    monkeypatch.setattr(pot, "_split", wrong)
    error = found()
    assert (error.clause, error.values["name"]) == ("3.3", "main")


def test_3_3_a_sum_that_does_not_hold_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    right = pot._prizes

    def wrong(awards: Any) -> PotMeters:
        moves = right(awards)
        return replace(moves, fixed_prizes=Units(0))

    monkeypatch.setattr(pot, "_prizes", wrong)
    assert "the table itself stopped: prizes do not equal" in str(found())


def test_5_7_a_prize_of_another_amount_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    right = prizes.claim_of

    def wrong(*args: Any) -> Any:
        claim = right(*args)
        return replace(claim, fixed=tuple(replace(c, amount=c.amount + 1_000) for c in claim.fixed))

    monkeypatch.setattr(settling, "claim_of", wrong)
    error = found()
    assert error.clause == "5.9"
    assert error.values["found"] != error.values["wanted"]


def test_5_11_a_prize_that_nobody_has_to_approve_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    right = prizes.prizes_of
    monkeypatch.setattr(
        settling, "prizes_of", lambda *args: tuple(replace(prize, status="payable") for prize in right(*args))
    )
    with pytest.raises(AuditError, match=r"the prize of seat . is payable"):
        simulated("draw-1", 300, approve_from=Minor(1))


@pytest.mark.parametrize("name", ["draw-1", "draw-chips"])
def test_2_8_a_bet_later_than_the_key_is_found(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setattr(betting, "_strip", lambda *_: None)
    assert found(name).clause in ("2.2", "3.3")


def test_2_9_a_command_that_is_refused_without_a_reason_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hands, "not_sealed", lambda table: Refusal("not-sealed", "2.9", "wait"))
    error = found("caribbean-1")
    assert error.clause == "10"
    assert error.values["code"] == "not-sealed"


def test_8_3_a_state_that_no_event_explains_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    right = decide.advance

    def wrong(*args: Any) -> Any:
        decision = right(*args)
        return replace(decision, state=replace(decision.state, settings=str(decision.state.rounds)))

    monkeypatch.setattr(floor, "advance", wrong)
    assert found(rounds=20).clause == "8.3"


def test_8_3_an_event_that_cannot_be_read_back_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    right = codec.encode
    monkeypatch.setattr(
        "controller.simulate.floor.encode", lambda event: right(event)._replace(body=right(event).body + b" ")
    )
    error = found(rounds=20)
    assert error.clause == "8.3"
    assert "not in canonical form" in str(error)


def test_6_a_ranking_that_mistakes_one_class_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """Core and bookkeeper agree about the hands; the law of the deck does not."""
    wrong = {(2, 1, 1, 1): Hand.TWO_PAIR, (2, 2, 1): Hand.PAIR}
    monkeypatch.setattr(cards, "_SHAPES", cards._SHAPES | wrong)
    monkeypatch.setattr(cards, "_MIXED", cards._Strengths(suited=False))
    simulation = simulated("caribbean-1", 200)
    held = {law.hand for law in laws(simulation.tally.hands, 200)[0] if law.held}
    assert held == set(HANDS) - {Hand.PAIR, Hand.TWO_PAIR}


# --- the law of the deck ---------------------------------------------------------------------------------


@given(st.integers(0, 50), st.integers(1, 50), st.integers(1, 99))
def test_6_tails_are_those_of_the_exact_binomial_law(count: int, of: int, hundredths: int) -> None:
    part = Fraction(hundredths, 100)

    def exactly(n: int) -> Fraction:
        return comb(of, n) * part**n * (1 - part) ** (of - n)

    below = sum(map(exactly, range(min(count, of) + 1)), Fraction(0))
    above = sum(map(exactly, range(count, of + 1)), Fraction(0))
    assert isclose(at_most(count, of, part), below, rel_tol=1e-9)
    assert isclose(at_least(count, of, part), above, rel_tol=1e-9)


@given(st.integers(0, 100_000), st.sampled_from(HANDS))
def test_6_no_count_more_could_be_left_out(of: int, hand: Hand) -> None:
    part, doubt = Fraction(COUNTS[hand], DEALS), 1e-4
    least, most = honest(of, part, doubt)
    assert 0 <= least <= of * part
    assert of * part < most + 1 <= of + 1
    assert at_most(least - 1, of, part) <= doubt / 2 < at_most(least, of, part)
    assert at_least(most + 1, of, part) <= doubt / 2 < at_least(most, of, part)


def test_6_all_counts_of_a_run_together_leave_out_the_doubt() -> None:
    judged, doubt = laws({hand: [0] * 7 for hand in HANDS}, 0)
    assert doubt * 70 == DOUBT
    assert [(law.least, law.most, law.held) for law in judged] == [(0, 0, True)] * 10


def test_6_a_million_rounds_are_judged_to_the_thousandth() -> None:
    """Half of all hands are high cards, so five standard deviations of 500 are what remains to doubt."""
    least, most = honest(1_000_000, Fraction(COUNTS[Hand.HIGH_CARD], DEALS), 1e-4 / 60)
    assert (least, most) == (498_782, 503_572)
