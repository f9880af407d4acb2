"""A command is about what its giver had before their eyes, or it is not done (10.1)."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from controller.core import inputs as do
from controller.core.inputs import Act
from tests.core.table import T, person


def credits() -> T:
    t = T()
    t.open()
    t.load(2, 5)
    return t


def owing() -> T:
    t = T(acceptor="chips")
    t.deal(1)
    another_chip(t)
    return t


def another_chip(t: T) -> None:
    with t.refuses("not-open"):
        t.chip(2)


def declared() -> T:
    t = T()
    t.deal(1, 2)
    t.declare(1, "full-house")
    return t


def settled() -> T:
    t = declared()
    t.settle()
    return t


def settled_otherwise(t: T) -> None:
    t.unsettle()
    t.declare(1, "flush")
    t.settle()


def another_alarm(t: T) -> None:
    t.fails("slot", 3 + len(t.alarms))


CASES = pytest.mark.parametrize(
    ("table", "act", "meant", "meanwhile", "now"),
    [
        (credits, do.CashOut(2), "5", lambda t: t.press(2), "4"),
        (owing, do.Ack(2), "1000", another_chip, "2000"),
        (owing, do.Ack(), "0", another_alarm, "1"),
        (declared, do.Settle(), "1 full-house", lambda t: t.declare(2, "flush"), "1 full-house, 2 flush"),
        (declared, do.Settle(), "1 full-house", lambda t: t.fold(1), ""),
        (settled, do.Paid(1), "100000", settled_otherwise, "50000"),
        (settled, do.Deny(1, "a reason"), "100000", settled_otherwise, "50000"),
    ],
    ids=["cashout", "ack", "ack-alarms", "settle-more", "settle-fewer", "paid", "deny"],
)


@CASES
def test_10_1_what_is_no_longer_what_was_meant_is_refused_and_what_is_meant_is_done(
    table: Callable[[], T], act: Act, meant: str, meanwhile: Callable[[T], None], now: str
) -> None:
    t = table()
    meanwhile(t)
    by = person("supervisor")
    with t.refuses("stale", "10.1"):
        t.act(act, by, expect=meant)
    t.act(act, by, expect=now)


@CASES
def test_10_1_who_expects_nothing_is_asked_nothing(
    table: Callable[[], T], act: Act, meant: str, meanwhile: Callable[[T], None], now: str
) -> None:
    t = table()
    meanwhile(t)
    t.act(act, person("supervisor"))


def test_10_1_a_prize_is_approved_as_it_was_seen() -> None:
    t = T(approve_from=1)
    t.deal(1)
    t.declare(1, "flush")
    t.settle()
    with t.refuses("stale", "10.1"):
        t.act(do.Approve(1), "supervisor", expect="100000")
    t.act(do.Approve(1), "supervisor", expect="50000")


def test_what_the_act_itself_says_comes_before_what_has_changed() -> None:
    t = credits()
    t.cash_out(2)
    with t.refuses("no-credits"):
        t.act(do.CashOut(2), "dealer", expect="5")
    t = settled()
    with t.refuses("no-prize"):
        t.act(do.Paid(2), "dealer", expect="5")


def test_the_journal_holds_of_a_command_what_it_always_held() -> None:
    one, other = credits(), credits()
    one.act(do.CashOut(2), "dealer")
    other.act(do.CashOut(2), "dealer", expect="5")
    assert one.last == other.last
