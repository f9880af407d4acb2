"""What looks after a running table: periods and gaming days, the chain verified, reasons to be out of service (8.4)."""

from __future__ import annotations

import asyncio
import os
import socket
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random
from typing import Any

import pytest
from msgspec.structs import replace

from controller import notify
from controller.care import VERIFICATION, Care, Ledger, verified
from controller.clock import WallClock
from controller.config import Config, load, opening
from controller.core.evolve import evolve
from controller.core.inputs import Actor, Command, Load, Schedule
from controller.daemon import STUCK_S, _Heartbeat
from controller.engine import Engine, InlineWriter
from controller.journal.errors import RESTART, JournalFailed
from controller.journal.reading import read
from controller.journal.writer import Journal
from hal.simulated.table import SimulatedTable
from tests.engine.fakes import BOSS, Rig, in_virtual_time, timers

TABLE = Path(__file__).parents[2] / "examples" / "tables" / "draw-1.toml"
NOON = datetime(2026, 7, 1, 16, tzinfo=UTC)
"""12:00 in Santiago; the gaming day ends at 06:00, eighteen hours later."""


class Wall(WallClock):
    """Shows `since` at the loop's present time, and goes with the loop."""

    def __init__(self, since: datetime = NOON, *, believed: bool = True) -> None:
        self._loop = asyncio.get_running_loop()
        self._zero = since - timedelta(seconds=self._loop.time())
        self.believed = believed

    def now(self) -> datetime:
        return self._zero + timedelta(seconds=self._loop.time())

    def synchronised(self) -> bool:
        return self.believed


class House:
    """One table with everything but threads and processes: `verifications` are what verifying finds, one by one."""

    def __init__(self, config: Config, wall: Wall, longest: int, trouble: str) -> None:
        self.config = config
        self.wall = wall
        self.longest = longest
        self.verifications: list[str | Exception | None] = []
        self.verified: list[float] = []
        self.fails: Exception | None = None
        self._trouble = trouble

    async def open(self) -> None:
        directory = self.config.journal
        if directory.exists():
            self.journal = Journal.open(directory, evolve)
        else:
            self.journal = Journal.create(directory, opening(self.config), self.wall.text(), evolve)
        state = self.journal.recovered.state
        ledger = Ledger(self.journal, self.config, self.wall, self.longest)
        self.hardware = SimulatedTable(seats=state.setup.seats, acceptor="credits", rng=Random(1))
        self.engine = Engine(state, self.journal.seq, InlineWriter(ledger.commit), self.hardware)
        self.engine.start("test")
        self.care = Care(self.config, self.engine, ledger, self._apart, self.wall, self._trouble, self._verify)
        await self.engine.quiet()

    async def close(self) -> None:
        await self.care.end()
        await self.engine.finish()
        self.hardware.stop()
        self.journal.close()
        assert not [timer for timer in timers() if "Timeline" not in repr(timer)]  # physics goes on

    async def turn_key(self, position: Any) -> None:
        self.hardware.turn_key(position)
        await self.hardware.quiet()
        await self.engine.quiet()

    async def a_round(self) -> None:
        await self.turn_key("open")
        await self.turn_key("locked")
        assert self.engine.state.round is not None
        (outcome,) = await asyncio.gather(self.engine.command(Command(_words("settle"), BOSS)))
        assert outcome.refusal is None
        assert self.engine.state.round is None
        await asyncio.sleep(0.01)

    @property
    def reason(self) -> str:
        return self.engine.state.out_of_service

    async def _apart(self, job: Callable[[], None]) -> None:
        if self.fails is not None:
            raise self.fails
        job()

    async def _verify(self, _: Config) -> str | None:
        self.verified.append(asyncio.get_running_loop().time())
        found = self.verifications.pop(0) if self.verifications else ""
        if isinstance(found, Exception):
            raise found
        return found


def _words(line: str) -> Any:
    from controller import words

    return words.parse(line, 0)


def config_of(folder: Path, text: str = "", **changes: str) -> Config:
    """The example table in `folder`, with some values of its file replaced and `text` added."""
    written = TABLE.read_text()
    for key, value in changes.items():
        before = next(line for line in written.splitlines() if line.startswith(f"{key} ="))
        written = written.replace(before, f"{key} = {value}")
    file = folder / "table.toml"
    file.write_text(f'{written}\n[journal]\ndirectory = "{folder}/journal"\n{text}')
    return load(file)


@asynccontextmanager
async def house(
    config: Config, wall: Wall | None = None, *, longest: int = 10**6, trouble: str = "", found: Sequence[Any] = ()
) -> AsyncIterator[House]:
    here = House(config, wall or Wall(), longest, trouble)
    here.verifications = list(found)
    await here.open()
    try:
        yield here
    finally:
        await here.close()


# --- periods ---------------------------------------------------------------------------------------------


@in_virtual_time
async def test_a_period_ends_the_moment_its_gaming_day_does(tmp_path: Path) -> None:
    async with house(config_of(tmp_path)) as h:
        await asyncio.sleep(18 * 3600 - 60)
        assert h.journal.period == 1
        await asyncio.sleep(62)
        assert h.journal.period == 2
        assert h.journal.opening.wall.startswith("2026-07-02T10:00:0")
        await asyncio.sleep(24 * 3600)
        assert h.journal.period == 3
        assert not h.engine.stopped


@in_virtual_time
async def test_a_round_keeps_its_period_open_until_it_ends(tmp_path: Path) -> None:
    async with house(config_of(tmp_path)) as h:
        await h.turn_key("open")
        await asyncio.sleep(20 * 3600)
        assert h.journal.period == 1
        await h.turn_key("locked")
        await h.engine.command(Command(_words("settle"), BOSS))
        await asyncio.sleep(0.01)
        assert h.journal.period == 2
        assert h.engine.state.rounds == 1


@in_virtual_time
async def test_a_round_that_begins_before_the_journals_thread_comes_to_it_keeps_its_period(tmp_path: Path) -> None:
    async with house(config_of(tmp_path)) as h:
        jobs: list[Callable[[], None]] = []

        async def later(job: Callable[[], None]) -> None:
            jobs.append(job)

        h.care._apart = later
        await asyncio.sleep(18 * 3600 + 1)
        await h.turn_key("open")
        for job in jobs:
            job()
        assert h.journal.period == 1


@in_virtual_time
async def test_a_day_that_ended_while_the_table_was_off_ended(tmp_path: Path) -> None:
    config, wall = config_of(tmp_path), Wall()
    async with house(config, wall) as h:
        await h.a_round()
    await asyncio.sleep(20 * 3600)
    async with house(config, wall) as h:
        assert h.journal.period == 1  # not before the start is over
        await asyncio.sleep(2)
        assert h.journal.period == 2
    async with house(config, wall) as h:  # but one start more on the same day ends nothing
        await asyncio.sleep(3700)
        assert h.journal.period == 2


@in_virtual_time
async def test_a_clock_that_is_not_set_ends_no_day(tmp_path: Path) -> None:
    wall = Wall(believed=False)
    async with house(config_of(tmp_path), wall) as h:
        await asyncio.sleep(20 * 3600)
        await h.a_round()
        assert h.journal.period == 1
        wall.believed = True
        await h.a_round()
        assert h.journal.period == 2


@in_virtual_time
async def test_a_clock_that_is_set_in_an_idle_night_ends_the_day_within_the_hour(tmp_path: Path) -> None:
    wall = Wall(believed=False)
    async with house(config_of(tmp_path), wall) as h:
        await asyncio.sleep(20 * 3600)
        wall.believed = True
        await asyncio.sleep(3601)
        assert h.journal.period == 2


@in_virtual_time
async def test_a_long_file_ends_its_period_whatever_the_day(tmp_path: Path) -> None:
    wall = Wall(believed=False)
    async with house(config_of(tmp_path), wall, longest=40) as h:
        while h.journal.period == 1:
            assert h.journal.seq - h.journal.opening.seq < 40
            await h.a_round()
        await h.a_round()
        assert h.journal.period == 2


@in_virtual_time
async def test_only_the_newest_closed_periods_are_kept(tmp_path: Path) -> None:
    async with house(config_of(tmp_path, "keep = 2\n")) as h:
        for _ in range(5):
            await h.a_round()
            await asyncio.sleep(24 * 3600)
        names = sorted(file.name for file in h.config.journal.glob("*.db"))
        assert names == ["000004.db", "000005.db", "000006.db"]
        rounds = h.engine.state.rounds
    async with house(h.config) as h:
        assert h.engine.state.rounds == rounds == 5
        entries = [said.entry.seq for said in read(h.config.journal, 1)]
        assert entries == list(range(entries[0], h.journal.seq + 1))


@in_virtual_time
async def test_8_5_a_period_that_cannot_be_closed_stops_the_table(tmp_path: Path) -> None:
    async with house(config_of(tmp_path, language='"en"')) as h:
        h.fails = JournalFailed("The disk is full: {file} cannot grow.", RESTART, file="000001.db")
        await asyncio.sleep(18 * 3600 + 1)
        assert h.engine.stopped.startswith("The disk is full: 000001.db cannot grow. The table stays out of service")


@in_virtual_time
async def test_8_5_what_the_journal_fails_with_is_said_in_the_tables_language(tmp_path: Path) -> None:
    async with house(config_of(tmp_path)) as h:

        def full(*_: object) -> int:
            raise JournalFailed("The table is out of service.", file="000001.db")

        h.journal.commit = full  # type: ignore[method-assign, assignment]
        await h.engine.command(Command(Load(1, 1), BOSS))
        assert h.engine.stopped == "La mesa está fuera de servicio."


@in_virtual_time
async def test_a_mistake_in_the_care_itself_stops_the_table(tmp_path: Path) -> None:
    async with house(config_of(tmp_path), found=[ValueError("a bug")]) as h:
        await asyncio.sleep(6)
        assert h.engine.stopped == "ValueError: a bug"


# --- reasons to be out of service (8.4) ------------------------------------------------------------------


@in_virtual_time
async def test_8_4_a_damaged_chain_takes_the_table_out_of_service_until_it_is_whole(tmp_path: Path) -> None:
    config = config_of(tmp_path)
    async with house(config, found=["file 3 was altered"]) as h:
        await asyncio.sleep(4)
        assert not h.verified
        await asyncio.sleep(2)
        assert h.reason == VERIFICATION + "file 3 was altered"
    async with house(config, found=[None]) as h:  # the next start does not forget, and looks at once
        await asyncio.sleep(0.1)
        assert len(h.verified) == 1
        assert h.reason == VERIFICATION + "file 3 was altered"
    async with house(config) as h:
        await asyncio.sleep(0.1)
        assert h.reason == ""


@in_virtual_time
async def test_8_4_reasons_stand_beside_each_other(tmp_path: Path) -> None:
    config = config_of(tmp_path, language='"en"')
    async with house(config):
        pass
    other = config_of(tmp_path, language='"en"', base='"20000000"')
    async with house(other, trouble="no lamp driver", found=["file 1 was altered"]) as h:
        await asyncio.sleep(6)
        trouble, difference, damage = h.reason.split("\n")
        assert trouble == "no lamp driver"
        assert "schedule pot.base 20000000" in difference
        assert damage == VERIFICATION + "file 1 was altered"
        technician = Actor("tomas", ("technician",), "console")
        done = await h.engine.command(Command(Schedule("pot.base", "20000000"), BOSS, technician))
        assert done.refusal is None
        await h.engine.quiet()
        assert h.reason.split("\n") == [trouble, damage]
    async with house(other) as h:
        await asyncio.sleep(1)
        assert h.reason == ""


@in_virtual_time
async def test_8_4_a_scheduled_change_that_comes_into_force_stops_nobody(tmp_path: Path) -> None:
    config = config_of(tmp_path)
    technician = Actor("tomas", ("technician",), "console")
    async with house(config) as h:

        async def say(*lines: str) -> None:
            for line in lines:
                second = technician if line.startswith("schedule") else None
                outcome = await h.engine.command(Command(_words(line), BOSS, second))
                await h.engine.quiet()
                assert (line, outcome.refusal, h.reason) == (line, None, "")

        await say("schedule pot.base 20000000", "load 1 1")
        await h.turn_key("open")
        h.hardware.press(1)
        await h.hardware.quiet()
        await h.turn_key("locked")
        # The seeding brings the new base (4.4). The winner is paid, whatever the file has until the next start.
        await say("declare 1 royal-flush", "settle")
        assert h.engine.state.pot.params.base == 20000000
        await say("unsettle the ten is a nine", "settle", "approve 1", "paid 1")
    async with house(config) as h:
        await asyncio.sleep(1)
        assert "schedule pot.base 10000000" in h.reason
    async with house(config_of(tmp_path, base='"20000000"')) as h:
        await asyncio.sleep(1)
        assert h.reason == ""


@in_virtual_time
async def test_8_4_trouble_that_is_still_there_at_the_next_start_is_still_told(tmp_path: Path) -> None:
    config = config_of(tmp_path)
    for trouble in ("no lamp driver", "no lamp driver", ""):
        async with house(config, trouble=trouble) as h:
            assert h.reason == trouble


def test_8_4_the_whole_chain_is_verified_in_a_process_of_its_own(tmp_path: Path) -> None:
    config = config_of(tmp_path, language='"en"')
    Journal.create(config.journal, opening(config), "2026-01-01T20:00:00.000Z", evolve).close()
    assert asyncio.run(verified(config)) == ""
    file = config.journal / "000001.db"
    data = bytearray(file.read_bytes())
    place = data.index(b"10000000")
    data[place : place + 2] = b"99"
    file.write_bytes(data)
    complaint = asyncio.run(verified(config))
    assert complaint
    assert str(file) in complaint
    assert asyncio.run(verified(replace(config, journal=tmp_path / "elsewhere"))) is None


def test_a_verification_that_is_not_awaited_any_more_is_ended(tmp_path: Path) -> None:
    config = config_of(tmp_path)
    Journal.create(config.journal, opening(config), "2026-01-01T20:00:00.000Z", evolve).close()

    async def story() -> None:
        task = asyncio.ensure_future(verified(config))
        await asyncio.sleep(0.05)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(story())
    with pytest.raises(ChildProcessError):
        os.waitpid(-1, os.WNOHANG)


# --- the watchdog ----------------------------------------------------------------------------------------


@pytest.fixture
def notices(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """What systemd was told since the last time."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as mailbox:
        monkeypatch.chdir(tmp_path)
        mailbox.bind("notify")
        mailbox.setblocking(False)
        monkeypatch.setenv("NOTIFY_SOCKET", "notify")

        def read_all() -> list[str]:
            told = []
            while True:
                try:
                    told.append(mailbox.recv(4096).decode())
                except BlockingIOError:
                    return told

        yield read_all


def test_the_watchdog_is_fed_while_commits_come_to_an_end(notices: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WATCHDOG_USEC", "4000000")

    @in_virtual_time
    async def story() -> None:
        rig = await Rig.playing()
        beat = _Heartbeat(rig.engine)
        await asyncio.sleep(9)
        assert notices() == ["WATCHDOG=1"] * 5
        rig.press(1)  # a disk that hangs
        await asyncio.sleep(STUCK_S)
        assert len(notices()) == 10
        await asyncio.sleep(60)
        assert notices() == []
        rig.writer.complete()
        await asyncio.sleep(4)
        assert notices() == ["WATCHDOG=1"] * 2
        beat.end()
        await rig.passes(10)
        assert notices() == []
        assert not timers()

    story()


def test_without_a_watchdog_nothing_wakes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("WATCHDOG_USEC", raising=False)

    @in_virtual_time
    async def story() -> None:
        rig = await Rig.playing()
        _Heartbeat(rig.engine)
        assert not timers()

    story()


@pytest.mark.parametrize(
    ("environment", "seconds"),
    [
        ({}, 0),
        ({"WATCHDOG_USEC": "30000000"}, 30),
        ({"WATCHDOG_USEC": "30000000", "WATCHDOG_PID": str(os.getpid())}, 30),
        ({"WATCHDOG_USEC": "30000000", "WATCHDOG_PID": "1"}, 0),
        ({"WATCHDOG_USEC": "soon"}, 0),
        ({"WATCHDOG_USEC": "-5"}, 0),
    ],
)
def test_systemd_says_how_often_it_wants_to_hear(
    environment: dict[str, str], seconds: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("WATCHDOG_USEC", "WATCHDOG_PID"):
        monkeypatch.delenv(name, raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    assert notify.watchdog_s() == seconds


def test_a_message_that_nobody_takes_is_no_error(notices: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    assert notify.notify("READY=1")
    assert notices() == ["READY=1"]
    while notify.notify("WATCHDOG=1"):  # until the mailbox is full: then the table does not wait
        pass
    monkeypatch.setenv("NOTIFY_SOCKET", "nowhere")
    assert not notify.notify("READY=1")
    monkeypatch.setenv("NOTIFY_SOCKET", "@pozo-nobody")
    assert not notify.notify("READY=1")
    monkeypatch.delenv("NOTIFY_SOCKET")
    assert not notify.notify("READY=1")
