"""Gaming days, whatever zones and clocks do; and what the journal is told of the time."""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from controller.clock import GamingDays, WallClock
from controller.journal.wall import read_wall

SANTIAGO = GamingDays("America/Santiago", time(6))


def at(text: str, zone: str = "America/Santiago") -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=ZoneInfo(zone))


@pytest.mark.parametrize(
    ("now", "day"),
    [
        ("2026-03-01 05:59:59", date(2026, 2, 28)),
        ("2026-03-01 06:00:00", date(2026, 3, 1)),
        ("2026-03-01 23:59:59", date(2026, 3, 1)),
        ("2026-03-02 03:00:00", date(2026, 3, 1)),
    ],
)
def test_a_night_belongs_to_the_day_on_which_it_began(now: str, day: date) -> None:
    assert SANTIAGO.of(at(now)) == day
    assert SANTIAGO.of(at(now).astimezone(UTC)) == day


def test_a_day_begins_when_its_wall_clock_says_so() -> None:
    assert SANTIAGO.begins(date(2026, 7, 1)) == datetime(2026, 7, 1, 10, tzinfo=UTC)
    assert SANTIAGO.begins(date(2026, 1, 1)) == datetime(2026, 1, 1, 9, tzinfo=UTC)  # summer time
    assert SANTIAGO.next_begins(at("2026-07-01 05:00")) == datetime(2026, 7, 1, 10, tzinfo=UTC)
    assert SANTIAGO.next_begins(at("2026-07-01 06:00")) == datetime(2026, 7, 2, 10, tzinfo=UTC)


def test_the_day_does_not_go_back_when_the_clock_does() -> None:
    """Chile's clocks go from 24:00 back to 23:00 on the first Saturday of April."""
    days = GamingDays("America/Santiago", time(23, 30))
    instant = datetime(2026, 4, 5, 2, 0, tzinfo=UTC)  # 23:00 of the 4th, for the first time
    seen = [days.of(instant + timedelta(minutes=15 * n)) for n in range(16)]
    assert seen == [date(2026, 4, 3)] * 2 + [date(2026, 4, 4)] * 14


def test_a_beginning_that_the_clock_jumps_over_still_comes() -> None:
    """Chile's clocks go from 24:00 on to 01:00 on the first Saturday of September."""
    days = GamingDays("America/Santiago", time(0, 30))
    assert days.of(at("2026-09-05 23:59")) == date(2026, 9, 5)
    assert days.of(at("2026-09-06 02:00")) == date(2026, 9, 6)
    assert days.begins(date(2026, 9, 6)) < days.begins(date(2026, 9, 7))


@given(
    now=st.integers(10**8, 4 * 10**9).map(lambda seconds: datetime.fromtimestamp(seconds, UTC)),
    zone=st.sampled_from(["America/Santiago", "America/La_Paz", "Asia/Kathmandu", "Pacific/Apia", "UTC", ""]),
    starts=st.times().map(lambda t: t.replace(second=0, microsecond=0)),
    later=st.timedeltas(timedelta(0), timedelta(days=3)),
)
def test_every_instant_is_in_one_day_and_days_follow_one_another(
    now: datetime, zone: str, starts: time, later: timedelta
) -> None:
    days = GamingDays(zone, starts)
    day = days.of(now)
    assert days.begins(day) <= now < days.next_begins(now) == days.begins(day + timedelta(days=1))
    assert day <= days.of(now + later)


def test_the_machines_own_zone_is_the_default(monkeypatch: pytest.MonkeyPatch) -> None:
    import time as system

    try:
        monkeypatch.setenv("TZ", "Asia/Tokyo")
        system.tzset()
        assert GamingDays("", time(6)).begins(date(2026, 1, 1)) == datetime(2025, 12, 31, 21, tzinfo=UTC)
    finally:
        monkeypatch.undo()
        system.tzset()


def test_the_journal_is_told_when_the_clock_is_not_set() -> None:
    class Stopped(WallClock):
        believed = True

        def now(self) -> datetime:
            return datetime(2026, 1, 1, 20, tzinfo=UTC)

        def synchronised(self) -> bool:
            return self.believed

    clock = Stopped()
    assert clock.text() == "2026-01-01T20:00:00.000Z"
    clock.believed = False
    assert clock.text() == "2026-01-01T20:00:00.000Z?"


def test_the_machines_clock_is_read() -> None:
    clock = WallClock()
    told, believed = read_wall(clock.text())
    assert abs(told - clock.now()) < timedelta(minutes=1)
    assert believed is clock.synchronised()
