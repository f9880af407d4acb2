"""A pot that answers later (clause 9.3, docs/adr/0003): contribution pending, claim pending, asked again, counted once.

`decide` is what a table with a distant pot runs on; `advance` is the same with the local pot's answers at once.
"""

from __future__ import annotations

import msgspec
import pytest

from controller.core import inputs as do
from controller.core.cards import Hand
from controller.core.decide import decide
from controller.core.draft import Decision
from controller.core.events import AnyEvent, Event, PotAsked
from controller.core.evolve import evolve
from controller.core.inputs import Act, Actor, Command, Input, PotAnswer, Start
from controller.core.panel import panel
from controller.core.pot import respond
from controller.core.state import Table
from hal.port import CompleteTo, KeyTurned, Stamp
from tests.core.table import T

EVERYBODY = Actor("all", ("dealer", "supervisor", "technician"), "scenario")


class Distant:
    """A table whose pot answers when the test says so. Journals what is decided, as the engine would."""

    def __init__(self) -> None:
        t = T()
        t.load(1, 3)
        t.open()
        t.press(1, 2)
        self.state: Table = t.state
        self.events: list[Event] = list(t.events)

    def give(self, given: Input) -> Decision:
        decision = decide(self.state, given)
        self.state = decision.state
        self.events += decision.events
        return decision

    def act(self, act: Act) -> Decision:
        return self.give(Command(act, EVERYBODY))

    def seal(self) -> None:
        edge = Stamp(self.state.boot, 10**12)
        self.give(KeyTurned("locked", edge))
        for seat in range(1, 7):
            self.give(CompleteTo(seat, edge))

    def answer(self) -> PotAnswer:
        """What the pot will say to the question that is open."""
        assert self.state.asked is not None
        return PotAnswer(self.state.asked.key, respond(self.state.pot, self.state.asked.ask))

    def power_cut(self) -> list[PotAsked]:
        """The power goes and comes: everything is replayed from the journal's bytes. Returns what is asked again."""
        state: Table | None = None
        for event in self.events:
            state = evolve(state, msgspec.json.decode(msgspec.json.encode(event), type=AnyEvent))
        assert state == self.state
        return [e for e in self.give(Start(self.state.boot + 1, "test")).events if isinstance(e, PotAsked)]


@pytest.fixture
def sealed() -> Distant:
    distant = Distant()
    distant.seal()
    return distant


def test_9_3_a_contribution_is_pending_until_the_pot_answers(sealed: Distant) -> None:
    assert sealed.state.asked is not None
    assert sealed.state.asked.key == ("draw-1", 1, "contribute", 1)
    assert sealed.state.pot.meters.bets == 0
    assert panel(sealed.state).banner == "pending"
    assert panel(sealed.state).seats[0].lamp, "the bet stands while the pot is silent"
    sealed.give(sealed.answer())
    assert sealed.state.asked is None
    assert sealed.state.pot.meters.bets == 2_000 * 10_000
    assert panel(sealed.state).banner == "locked"


@pytest.mark.parametrize(
    "act",
    [do.Settle(), do.Fold(1), do.Declare(1, Hand.FLUSH), do.Void("x"), do.Schedule("pot.base", "20000000")],
    ids=lambda act: type(act).__name__,
)
def test_9_3_nothing_that_depends_on_the_answer_is_done_before_it(sealed: Distant, act: Act) -> None:
    before = sealed.state
    decision = sealed.act(act)
    assert decision.refusal is not None
    assert decision.refusal.code in ("pending", "not-sealed")
    assert sealed.state.pot == before.pot
    assert sealed.state.round == before.round


def test_9_3_what_does_not_depend_on_it_goes_on(sealed: Distant) -> None:
    assert sealed.act(do.Load(2, 4)).refusal is None
    assert sealed.act(do.CashOut(1)).refusal is None


def test_9_1_an_answer_counts_once(sealed: Distant) -> None:
    answer = sealed.answer()
    sealed.give(answer)
    after = sealed.state
    assert sealed.give(answer).events == ()
    assert sealed.state == after


def test_9_1_an_answer_to_another_question_is_ignored(sealed: Distant) -> None:
    answer = sealed.answer()
    assert sealed.give(PotAnswer(("draw-1", 1, "contribute", 99), answer.answer)).events == ()
    assert sealed.state.asked is not None


def test_9_3_after_a_power_cut_the_same_question_is_asked_again(sealed: Distant) -> None:
    asked = sealed.state.asked
    assert asked is not None
    again = sealed.power_cut()
    assert [(e.key, e.ask) for e in again] == [(asked.key, asked.ask)]
    sealed.give(sealed.answer())
    assert sealed.power_cut() == [], "an answered question is asked no more"
    assert sealed.state.pot.meters.bets == 2_000 * 10_000


def test_9_3_a_claim_is_pending_until_the_pot_answers(sealed: Distant) -> None:
    sealed.give(sealed.answer())
    sealed.act(do.Declare(1, Hand.FLUSH))
    assert sealed.act(do.Settle()).refusal is None
    assert sealed.state.asked is not None
    assert not sealed.state.settlement
    assert sealed.power_cut() != []
    refused = sealed.act(do.Settle()).refusal
    assert refused is not None
    assert refused.code == "pending"
    sealed.give(sealed.answer())
    settled = sealed.state
    assert settled.settlement is not None
    assert [prize.amount for prize in settled.settlement.prizes] == [100_000]


def test_2_9_betting_does_not_open_while_the_pot_owes_an_answer() -> None:
    distant = Distant()
    distant.act(do.Void("a test"))
    distant.act(do.Correct("main", distant.state.pot.params.base, "a test"))
    assert distant.state.asked is not None
    distant.give(KeyTurned("locked", Stamp(distant.state.boot, 10**12)))
    refusal = distant.give(KeyTurned("open", Stamp(distant.state.boot, 10**12 + 1))).refusal
    assert refusal is not None
    assert refusal.code == "pending"
    distant.give(distant.answer())
    distant.give(KeyTurned("locked", Stamp(distant.state.boot, 10**12 + 2)))
    assert distant.give(KeyTurned("open", Stamp(distant.state.boot, 10**12 + 3))).refusal is None


def test_2_8_a_round_locked_while_the_pot_owes_an_answer_is_sealed_after_it() -> None:
    distant = Distant()
    distant.act(do.Schedule("pot.base", "20000000"))
    assert distant.state.asked is not None
    distant.seal()
    assert distant.state.round is not None
    assert not distant.state.round.sealed
    distant.give(distant.answer())
    assert distant.state.round is not None
    assert distant.state.round.sealed
    assert distant.state.asked is not None, "now the contribution is asked"
    assert distant.state.asked.key[2] == "contribute"
