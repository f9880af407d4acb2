"""`pozo run` as users start it: in a process of its own, in real time, by its sockets and signals."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import os
import resource
import signal
import socket
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest
from msgspec.structs import replace

from controller.core.evolve import evolve
from controller.core.inputs import Command, Load
from controller.daemon import at_work, serve
from controller.journal.verify import verify
from controller.journal.writer import Journal
from hal.simulated.table import SimulatedTable
from tests.engine.fakes import BOSS
from tests.engine.running import Caller, House, within
from tests.engine.test_care import config_of


@pytest.fixture
def house(tmp_path: Path) -> Iterator[House]:
    with tempfile.TemporaryDirectory(prefix="pozo-") as sockets:
        yield House(tmp_path, Path(sockets))


def credits(state: dict[str, Any]) -> int:
    return sum(seat["credits"] for seat in state["seats"])


# --- a day's work ----------------------------------------------------------------------------------------


def test_it_says_ready_feeds_the_watchdog_and_leaves_when_asked(house: House) -> None:
    with house.running(WATCHDOG_USEC="600000") as daemon:
        daemon.hear("STATUS=in service")
        began = time.monotonic()
        for _ in range(3):
            daemon.hear("WATCHDOG=1")
        assert time.monotonic() - began < 2
        with daemon.call() as ana:
            assert ana.command("load 1 5")["ok"]
            ana.ask("hardware", line="key open")
            ana.ask("hardware", line="press 1")
            within(5, lambda: ana.state()["seats"][0]["lamp"] == "lit")
        assert house.log.exists()
        assert daemon.leave() == 0
        daemon_heard = daemon.heard
        assert not house.log.exists()
        assert not house.socket.exists()
        assert daemon.complaints() == ""
    assert "WATCHDOG=1" in daemon_heard
    with house.running() as daemon, daemon.call() as ana:  # and the table stands where it stood (8.3)
        state = ana.state()
        assert (state["phase"], state["round"]) == ("locked", 1)  # the simulated key is found locked at power-on
        assert (state["seats"][0]["bet"], state["seats"][0]["credits"]) == ("1000", 4)


def test_interrupting_it_in_a_terminal_is_leaving_too(house: House) -> None:
    with house.running() as daemon:
        daemon.process.send_signal(signal.SIGINT)
        assert daemon.process.wait(10) == 0
        assert daemon.complaints() == ""


def test_without_systemd_it_runs_as_well(house: House) -> None:
    with house.running(ready=False, NOTIFY_SOCKET="") as daemon:
        within(10, house.socket.exists)
        with daemon.call() as ana:
            assert ana.state()["out_of_service"] is None
        assert daemon.leave() == 0


def test_nothing_acknowledged_is_lost_however_often_it_is_killed(house: House) -> None:
    """Clients load credits, each load with an id; after each kill all are sent again, and each counts once."""
    random, total = Random(), 0
    for attempt in range(4):
        sent: list[str] = []
        acknowledged: list[str] = []

        def client(number: int, attempt: int = attempt, sent: Any = sent, acknowledged: Any = acknowledged) -> None:
            with contextlib.suppress(OSError), Caller(house.socket) as ana:
                for n in range(25):
                    id_ = f"kill-{attempt}-{number}-{n}"
                    sent.append(id_)
                    assert ana.command(f"load {1 + number} 1", id_)["ok"]
                    acknowledged.append(id_)

        with house.running() as daemon:
            clients = [threading.Thread(target=client, args=(n,)) for n in range(5)]
            for thread in clients:
                thread.start()
            within(10, lambda acknowledged=acknowledged: len(acknowledged) > 10)
            time.sleep(random.uniform(0, 0.1))
            daemon.kill()
            for thread in clients:
                thread.join()
            assert house.log.exists()
        with house.running() as daemon:
            with daemon.call() as ana:
                assert len(acknowledged) <= credits(ana.state()) - total <= len(sent)
            for begin in range(0, len(sent), 20):
                with daemon.call() as ana:
                    for id_ in sent[begin : begin + 20]:
                        assert ana.command(f"load {1 + int(id_.split('-')[2])} 1", id_)["ok"]
            total += len(sent)
            with daemon.call() as ana:
                assert credits(ana.state()) == total
            assert daemon.leave() == 0
    assert verify(house.journal, evolve).damage is None


def test_somebody_who_looks_in_with_sqlite3_takes_nothing_away(house: House) -> None:
    with house.running() as daemon, daemon.call() as ana:
        assert ana.command("load 1 5")["ok"]
        looker = (
            "import sqlite3, sys; db = sqlite3.connect(sys.argv[1]);"
            "print(db.execute('SELECT count(*) FROM entry').fetchone()); db.close()"
        )
        subprocess.run([sys.executable, "-c", looker, house.journal / "000001.db"], check=True, capture_output=True)
        assert house.log.exists()
        assert ana.command("load 1 5")["ok"]
        daemon.kill()
    with house.running() as daemon, daemon.call() as ana:
        assert credits(ana.state()) == 10


# --- refusing to run -------------------------------------------------------------------------------------


def test_a_second_instance_on_the_same_journal_is_refused_and_the_first_undisturbed(house: House) -> None:
    with house.running() as daemon, daemon.call() as ana:
        code, said = house.refuses_to_run()
        assert code == 1
        assert f"in use by another pozo (process {daemon.process.pid})" in said
        assert ana.command("load 1 5")["ok"]
        assert credits(ana.state()) == 5
        assert daemon.leave() == 0


def test_a_bad_configuration_is_exit_2_with_all_its_mistakes(house: House) -> None:
    house.configure(seats="99", denomination="1000", commission='"120%"')
    code, said = house.refuses_to_run()
    assert code == 2
    for key in ("table.seats", "bet.denomination", "pot.commission"):
        assert key in said
    house.config.unlink()
    code, said = house.refuses_to_run()
    assert code == 2
    assert str(house.config) in said


def test_a_socket_that_somebody_listens_at_is_left_alone(house: House) -> None:
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as other:
        other.bind(str(house.socket))
        other.listen()
        code, said = house.refuses_to_run()
        assert code == 1
        assert f"Another program listens at {house.socket}" in said
        assert house.socket.exists()
    assert not house.log.exists()  # the journal was left properly


def test_a_file_that_is_no_socket_is_left_alone(house: House) -> None:
    house.socket.write_text("somebody's work")
    code, said = house.refuses_to_run()
    assert code == 1
    assert f"{house.socket} is no socket" in said
    assert house.socket.read_text() == "somebody's work"


def test_a_socket_whose_place_is_too_long_is_refused(house: House) -> None:
    house.socket = house.folder / ("x" * 120)
    house.configure()
    code, said = house.refuses_to_run()
    assert code == 2
    assert "control.socket" in said


def test_a_socket_in_a_place_that_cannot_be_is_refused(house: House) -> None:
    house.socket = Path("/proc/pozo/table.sock")
    house.configure()
    code, said = house.refuses_to_run()
    assert code == 1
    assert "/proc/pozo/table.sock" in said


def test_the_socket_of_a_daemon_that_was_killed_is_replaced(house: House) -> None:
    with house.running() as daemon:
        daemon.kill()
        assert house.socket.exists()
    with house.running() as daemon, daemon.call() as ana:
        assert ana.state()["out_of_service"] is None


# --- out of service, and up (8.4, 8.5) -------------------------------------------------------------------


def test_8_4_a_changed_file_is_refused_until_two_people_schedule_the_change(house: House) -> None:
    with house.running() as daemon:
        assert daemon.leave() == 0
    house.configure(base='"20000000"')
    with house.running() as daemon, daemon.call() as ana, daemon.call("tomas") as tomas:
        assert "schedule pot.base 20000000" in daemon.hear("STATUS=out of service")
        reason = ana.state()["out_of_service"]
        assert "10000000" in reason
        assert "schedule pot.base 20000000" in reason
        assert ana.command("load 1 5")["refusal"]["code"] == "out-of-service"
        alone = tomas.command("schedule pot.base 20000000")
        assert alone["refusal"]["code"] == "not-allowed"
        done = ana.command("schedule pot.base 20000000", second={"person": "tomas", "pin": "90871"})
        assert done["ok"], done
        daemon.hear("STATUS=in service")
        within(5, lambda: ana.state()["out_of_service"] is None)
        assert ana.command("load 1 5")["ok"]
        assert ana.state()["pot"]["base"].startswith("10000000")  # until the next seeding (4.8)
        assert daemon.leave() == 0
    with house.running() as daemon, daemon.call() as ana:
        assert ana.state()["out_of_service"] is None


def test_8_4_whoever_starts_it_by_hand_reads_why_it_is_out_of_service(house: House) -> None:
    with house.running() as daemon:
        assert daemon.leave() == 0
    house.configure(base='"20000000"')
    with house.running() as daemon:
        daemon.hear("STATUS=out of service")
        assert daemon.leave() == 0
        assert daemon.complaints().count("schedule pot.base 20000000") == 1


def test_8_4_a_changed_file_that_is_changed_back_is_no_reason_any_more(house: House) -> None:
    for max_, reason in (("3", False), ("4", True), ("3", False)):
        house.configure(max=max_)
        with house.running() as daemon, daemon.call() as ana:
            assert bool(ana.state()["out_of_service"]) is reason
            assert daemon.leave() == 0


def out_of_service(house: House, *parts: str) -> None:
    """The table is up, out of service with a reason that has these `parts`, and claims no amount."""
    with house.running() as daemon, daemon.call() as ana:
        state = ana.state()
        for part in parts:
            assert part in state["out_of_service"]
        assert (state["pot"]["main"], state["pot"]["reserve"]) == ("0.0000", "0.0000")
        assert credits(state) == 0
        assert ana.command("load 1 5")["refusal"]["code"] == "out-of-service"
        assert daemon.hear("STATUS=out of service")
        assert daemon.leave() == 0


def played(house: House) -> None:
    with house.running() as daemon, daemon.call() as ana:
        assert ana.command("load 1 5")["ok"]
        assert daemon.leave() == 0


def test_8_4_the_journal_of_another_table_is_left_alone(house: House) -> None:
    played(house)
    before = (house.journal / "000001.db").read_bytes()
    house.configure(id='"draw-2"')
    out_of_service(house, "draw-1", "draw-2", "Nothing was changed")
    assert (house.journal / "000001.db").read_bytes() == before


def test_8_4_a_damaged_journal_is_left_alone(house: House) -> None:
    played(house)
    file = house.journal / "000001.db"
    data = bytearray(file.read_bytes())
    place = data.rindex(b'"credits":5')
    data[place : place + 11] = b'"credits":9'
    file.write_bytes(data)
    out_of_service(house, str(file), "restore it from a copy")
    assert file.read_bytes() == bytes(data)


def test_8_4_a_newer_journal_is_left_alone(house: House) -> None:
    played(house)
    with contextlib.closing(sqlite3.connect(house.journal / "000001.db")) as db:
        db.execute("PRAGMA user_version = 99")
    out_of_service(house, "format version 99", "newer one")


def test_8_5_a_place_where_no_journal_can_be_is_said(house: House) -> None:
    house.journal = Path("/proc/pozo")
    house.configure()
    out_of_service(house, "/proc/pozo")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_8_5_a_read_only_journal_is_said(house: House) -> None:
    played(house)
    for place, mode in ((house.journal / "000001.db", 0o400), (house.journal, 0o500)):
        place.chmod(mode)
    try:
        out_of_service(house, str(house.journal))
    finally:
        house.journal.chmod(0o700)


def test_8_5_a_disk_that_is_full_while_the_table_runs_stops_it_with_nothing_lost(house: House) -> None:
    with house.running() as daemon, daemon.call() as ana:
        assert ana.command("load 1 5")["ok"]
        ana.ask("hardware", line="key open")
        ana.ask("hardware", line="press 1")
        within(5, lambda: ana.state()["seats"][0]["lamp"] == "lit")
        # No file of the process may grow any more: what SQLite sees is a disk that takes nothing.
        resource.prlimit(daemon.process.pid, resource.RLIMIT_FSIZE, (house.log.stat().st_size,) * 2)
        refused = ana.command("load 2 7", "full-disk-1")
        assert refused["refusal"]["code"] == "out-of-service"
        state = ana.state()
        assert str(house.journal / "000001.db") in state["out_of_service"]
        assert [seat["credits"] for seat in state["seats"]] == [4, 0, 0, 0, 0, 0]
        assert state["seats"][0]["lamp"] == "off"  # 2.6: which does not cancel the bet
        assert state["seats"][0]["bet"] == "1000"
        ana.ask("hardware", line="press 1 3")
        assert ana.command("load 1 5")["refusal"]["code"] == "out-of-service"
        assert daemon.hear("STATUS=out of service")
        assert daemon.leave() == 0
        assert "Traceback" not in daemon.complaints()
    with house.running() as daemon, daemon.call() as ana:  # somebody has made room
        state = ana.state()
        assert state["out_of_service"] is None
        assert state["seats"][0]["bet"] == "1000"
        assert ana.command("load 2 7", "full-disk-1")["ok"]
        assert [seat["credits"] for seat in ana.state()["seats"]] == [4, 7, 0, 0, 0, 0]
        assert daemon.leave() == 0


def test_a_damaged_file_of_persons_keeps_everybody_out_and_the_table_playing(house: House) -> None:
    house.people.write_bytes(b"\0\xff no json")
    with house.running() as daemon, daemon.call(login="") as nobody:
        assert nobody.ask("login", person="ana", pin="2580")["error"]["code"] == "denied"
        nobody.ask("hardware", line="key open")
        within(5, lambda: nobody.state()["phase"] == "betting")
        assert daemon.leave() == 0
        assert str(house.people) in daemon.complaints()
        assert "Traceback" not in daemon.complaints()


# --- attacked --------------------------------------------------------------------------------------------


def test_sixteen_clients_at_once_delay_no_bet_and_leave_nothing_behind(house: House) -> None:
    stop = threading.Event()
    failures: list[BaseException] = []

    def crowd(path: Path, number: int) -> None:
        random = Random(number)
        lines = ["load 1 1", "load 99 1", "cashout 0", "settle", "fold 3", "ack", "declare 1 flush", "paid 2", "void x"]
        while not stop.is_set():
            try:
                with within(20, lambda: admitted(path)) as client:
                    while not stop.is_set():
                        match random.randrange(4):
                            case 0:
                                client.ask(random.choice(["state", "help", "subscribe", "unsubscribe", "nonsense"]))
                            case 1:
                                client.ask("hardware", line=f"press {random.randint(1, 6)} {random.randint(1, 9)}")
                            case _:
                                client.command(random.choice(lines))
            except ConnectionError:  # dropped, as one that reads too slowly is
                pass
            except BaseException as error:
                failures.append(error)
                raise

    def admitted(path: Path) -> Caller | None:
        try:
            return Caller(path)
        except (ConnectionError, AssertionError):  # too many at the door, or proving who they are
            return None

    with house.running() as daemon, daemon.call() as ana:
        for seat in range(1, 7):
            assert ana.command(f"load {seat} 900000")["ok"]
        ana.ask("hardware", line="key open")
        threads = [threading.Thread(target=crowd, args=(house.socket, n)) for n in range(15)]
        for thread in threads:
            thread.start()
        time.sleep(3)
        before, worst = daemon.status("VmRSS"), 0.0  # the machine runs the crowd as well, and other tests
        for _ in range(20):
            began = time.monotonic()
            assert "seats" in ana.state()
            worst = max(worst, time.monotonic() - began)
        time.sleep(3)
        grown = daemon.status("VmRSS") - before
        stop.set()
        for thread in threads:
            thread.join()
        assert not failures
        assert worst < 5
        assert grown < 8_000  # kB
        assert ana.state()["out_of_service"] is None
        assert daemon.leave() == 0
        assert daemon.complaints() == ""
    assert verify(house.journal, evolve).damage is None


# --- leaving, seen from within ---------------------------------------------------------------------------


def test_garbage_is_looked_for_in_what_came_after_the_start_alone(tmp_path: Path) -> None:
    """Or each full collection would keep edges waiting for longer than an order of edges allows for (hal.gpio.feed)."""
    with tempfile.TemporaryDirectory(prefix="pozo-") as sockets:
        config = replace(config_of(tmp_path), socket=Path(sockets) / "control")

        async def story() -> None:
            daemon = asyncio.create_task(serve(config))
            async with asyncio.timeout(10):
                while not gc.get_freeze_count():  # noqa: ASYNC110 - nothing tells of it
                    await asyncio.sleep(0.01)
            left = len(gc.get_objects())
            os.kill(os.getpid(), signal.SIGTERM)
            assert await daemon == 0
            assert left < 2_000 < gc.get_freeze_count()

        try:
            asyncio.run(story())
        finally:
            gc.unfreeze()


def test_leaving_darkens_the_table_and_keeps_its_round(tmp_path: Path) -> None:
    config = config_of(tmp_path)

    async def story() -> None:
        async with at_work(config) as parts:
            table, engine = parts.hardware, parts.engine
            assert isinstance(table, SimulatedTable)
            await engine.command(Command(Load(1, 5), BOSS))
            table.turn_key("open")
            await table.quiet()
            table.press(1)
            await table.quiet()
            await engine.quiet()
            assert table.lamp_lit(1)
            for seat in (1, 2, 3):
                table.press(seat)  # and players do not stop because the program does
        await table.quiet()
        assert not any(table.lamp_lit(seat) for seat in range(1, 7))
        assert table.display is None
        assert not engine.stopped
        assert len(asyncio.all_tasks()) == 1
        with Journal.open(config.journal, evolve) as journal:
            assert journal.clean
            assert journal.recovered.state == engine.state
            assert engine.state.round is not None
            assert engine.state.round.phase == "betting"

    asyncio.run(story())
