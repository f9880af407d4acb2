"""Who may do what, clause 10: the whole matrix, each act in each role; and the acts of two people."""

from collections.abc import Callable
from typing import get_args

import pytest

from controller.core import inputs as do
from controller.core.cards import Card, Hand
from controller.core.decide import advance
from controller.core.events import CommandRefused, CommandTaken
from controller.core.evolve import REFUSED
from controller.core.inputs import AccessRefused, Act, Actor, Command
from controller.core.money import Minor
from controller.core.state import Role

from .table import T, person

ROLES: tuple[Role, ...] = ("dealer", "supervisor", "technician", "auditor")
FLOOR = {"dealer", "supervisor"}

MATRIX: list[tuple[str, Act, set[str]]] = [
    ("load", do.Load(1, 1), FLOOR),
    ("cash out", do.CashOut(1), FLOOR),
    ("fold", do.Fold(1), FLOOR),
    ("exchange", do.Exchange(1), FLOOR),
    ("board", do.Board((Card(0),)), FLOOR),
    ("declare", do.Declare(1, Hand.FLUSH), FLOOR),
    ("undeclare", do.Undeclare(1), FLOOR),
    ("irregular", do.Irregular("exposed"), FLOOR),
    ("settle", do.Settle(), FLOOR),
    ("pay", do.Paid(1), FLOOR),
    ("acknowledge a chip", do.Ack(1), FLOOR),
    ("close a seat", do.Close(1), FLOOR),
    ("reopen what the dealer closed", do.Reopen(2), FLOOR),
    ("restore", do.Restore(1), {"supervisor"}),
    ("unsettle", do.Unsettle("wrong seat"), {"supervisor"}),
    ("void a round", do.Void("a card was seen"), {"supervisor"}),
    ("approve a prize", do.Approve(1), {"supervisor"}),
    ("deny a prize", do.Deny(1, "exchanged"), {"supervisor"}),
    ("acknowledge alarms", do.Ack(), {"supervisor"}),
    ("service mode", do.Service(True), {"technician"}),
    ("reopen a failed seat", do.Reopen(3), {"technician"}),
    ("correct a meter", do.Correct("main", Minor(1), "counted twice"), set()),
    ("transfer a pot", do.Transfer("draw-2", "sold"), set()),
    ("receive a pot", do.Receive("draw-2", 1, 1, "sold"), set()),
    ("schedule new parameters", do.Schedule("pot.base", "12000000"), set()),
]
"""Every act and the roles that may do it alone."""

TWO = [act for _, act, may in MATRIX if not may]


def table() -> T:
    """Seat 2 is closed by the dealer, seat 3 by a fault that is mended, and an alarm waits."""
    t = T()
    t.close(2)
    t.fails("button", 3)
    t.mended("button", 3)
    return t


def try_it(t: T, command: Command) -> tuple[str, str]:
    """Code and clause of the refusal, both empty when it was accepted."""
    decision = advance(t.state, command)
    return ("", "") if decision.refusal is None else (decision.refusal.code, decision.refusal.clause)


def test_10_the_matrix_names_every_act() -> None:
    assert {type(act) for _, act, _ in MATRIX} == set(get_args(Act))


@pytest.mark.parametrize("role", ROLES)
@pytest.mark.parametrize(("what", "act", "may"), MATRIX, ids=[what for what, _, _ in MATRIX])
def test_10_each_act_in_each_role(what: str, act: Act, may: set[str], role: Role) -> None:
    refused = try_it(table(), Command(act, person(role)))
    assert (refused == ("not-allowed", "10")) is (role not in may), f"{role}: {what}"


@pytest.mark.parametrize(("what", "act", "may"), MATRIX, ids=[what for what, _, _ in MATRIX])
def test_10_somebody_without_a_role_may_do_nothing(what: str, act: Act, may: set[str]) -> None:
    assert try_it(table(), Command(act, Actor("a guest", (), "page"))) == ("not-allowed", "10"), what


def test_10_whoever_has_several_roles_may_do_what_any_of_them_may() -> None:
    t = table()
    both = Actor("Ana", ("dealer", "technician"), "console")
    assert try_it(t, Command(do.Load(1, 1), both)) == ("", "")
    assert try_it(t, Command(do.Service(True), both)) == ("", "")
    assert try_it(t, Command(do.Unsettle("x"), both)) == ("not-allowed", "10")


# --- two people ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("act", TWO, ids=[type(act).__name__ for act in TWO])
@pytest.mark.parametrize(
    ("one", "other", "may"),
    [
        (person("supervisor"), person("technician"), True),
        (person("technician"), person("supervisor"), True),
        (person("supervisor"), None, False),
        (person("technician"), None, False),
        (person("supervisor", "Ana"), person("supervisor", "Luis"), False),
        (person("technician", "Ana"), person("technician", "Luis"), False),
        (person("dealer"), person("technician"), False),
        (person("supervisor"), person("dealer"), False),
        (person("supervisor"), person("auditor"), False),
        (person("supervisor", "Ana"), person("technician", "Ana"), False),  # one person with two hats
        (Actor("Ana", ("supervisor", "technician"), "console"), None, False),
        (Actor("Ana", ("supervisor", "technician"), "console"), person("supervisor", "Luis"), True),
        (Actor("Ana", ("supervisor", "technician"), "console"), person("dealer", "Luis"), False),
    ],
)
def test_10_two_people_a_supervisor_and_a_technician(act: Act, one: Actor, other: Actor | None, may: bool) -> None:
    refused = try_it(table(), Command(act, one, other))
    assert refused == (("", "") if may else ("not-allowed", "10"))


def test_10_both_persons_are_recorded() -> None:
    t = table()
    t.correct(1)
    taken = t.last[0]
    assert isinstance(taken, CommandTaken)
    assert taken.second is not None
    assert (taken.actor.person, taken.second.person) == ("the supervisor", "the technician")


def test_10_a_scenario_acts_for_every_role() -> None:
    t = table()
    everybody = Actor("scenario", ROLES, "scenario")
    for _, act, _ in MATRIX:
        assert try_it(t, Command(act, everybody))[1] != "10"


# --- 10.1 ------------------------------------------------------------------------------------------------


def test_10_1_refused_access_is_journaled_with_its_actor_and_metered() -> None:
    t = table()
    with t.refuses("not-allowed", "10"):
        t.act(do.Settle(), person("auditor", "Inés", "console"))
    (event,) = t.last
    assert isinstance(event, CommandRefused)
    assert (event.actor.person, event.actor.way, event.code, event.access) == ("Inés", "console", "not-allowed", True)
    assert t.state.meters.refused_access == 1
    assert t.refusal is not None
    assert "dealer, supervisor" in t.refusal.english


def out_of_service(t: T) -> None:
    t.out_of_service("the disk is full")


@pytest.mark.parametrize(
    ("prepare", "act", "round"),
    [(out_of_service, do.Settle(), 0), (None, do.Settle(), 7), (None, do.Load(99, 1), 0)],
    ids=["out of service", "stale", "unknown seat"],
)
def test_10_1_access_is_judged_before_anything_else(prepare: Callable[[T], None] | None, act: Act, round: int) -> None:
    """So that refused access is metered as such, and tells nothing about the table."""
    t = table()
    if prepare is not None:
        prepare(t)
    with t.refuses("not-allowed", "10"):
        t.act(act, "auditor", round=round)
    assert t.state.meters.refused_access == 1


def test_10_1_a_refused_command_is_journaled_but_is_not_refused_access() -> None:
    t = table()
    with t.refuses("no-credits"):
        t.cash_out(1)
    assert [type(event).__name__ for event in t.last] == ["CommandRefused"]
    assert t.state.meters.refused_access == 0


def test_10_1_who_is_not_let_in_is_journaled() -> None:
    t = table()
    t.feed(AccessRefused("Inés", "console", "a wrong PIN"))
    t.feed(AccessRefused("Inés", "console", "a wrong PIN", suppressed=4))
    assert [type(event).__name__ for event in t.last] == ["AccessDenied"]
    assert t.state.meters.refused_access == 6  # 1, and 1 with 4 more that were not journaled one by one


def test_10_1_every_accepted_command_is_journaled_with_its_actor() -> None:
    t = table()
    t.act(do.Load(1, 5), person("dealer", "Luis"))
    taken = t.last[0]
    assert isinstance(taken, CommandTaken)
    assert (taken.actor.person, taken.actor.roles, taken.actor.way) == ("Luis", ("dealer",), "terminal")
    assert taken.act == do.Load(1, 5)


def test_10_1_nobody_can_make_the_table_forget_what_another_did() -> None:
    t = T()
    ana, bob = person("dealer", "ana"), person("dealer", "bob")
    t.act(do.Load(3, 5), ana, id="load-0001")
    for n in range(300):
        with t.refuses("not-locked"):
            t.act(do.Settle(), bob, id=f"settle-{n:04}")
        with t.refuses("not-locked"):
            t.act(do.Settle(), ana, id=f"settle-{n:04}")
    t.act(do.Load(3, 5), ana, id="load-0001")  # a retry, which was late
    assert t["seat.3.credits"] == 5
    t.act(do.Load(3, 5), bob, id="load-0001")  # another person's command that happens to have the same id
    assert t["seat.3.credits"] == 10
    assert len(t.state.answers) == 2 + 2 * REFUSED
