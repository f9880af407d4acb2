"""The control socket: it lets the right people act, tells what happens, and cannot be hurt (rules 10.1)."""

from __future__ import annotations

import asyncio
import grp
import json
import os
import pwd
import re
import socket
import stat
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from controller.control import messages
from controller.control.client import Bucket, Limits
from controller.control.identity import TERMINAL, WINDOW, Peer, RefusalLog, lookup
from controller.control.messages import RequestError, decode
from controller.control.place import ControlError, listening_socket
from controller.core import inputs
from controller.core.inputs import AccessRefused, Actor
from controller.core.state import Alarm
from controller.people import ROLES, People
from controller.words import Press
from hal.port import HardwareError
from tests.people.socket_client import ANYBODY, FAST, Place, place, story

DOCS = Path(__file__).parents[2] / "docs" / "control.md"

ME = pwd.getpwuid(os.geteuid()).pw_name
MY_GROUP = grp.getgrgid(os.getegid()).gr_name


# --- Hello, login, roles


@story
async def test_nothing_is_done_before_hello(tmp_path: Path) -> None:
    async with place(tmp_path) as here:
        caller = await here.call(hello=False)
        for request in ({"op": "state"}, {"op": "login", "person": "ana", "pin": "2580"}, {"op": "help"}):
            assert await caller.code(**request) == "hello-first"
        assert await caller.code("hello", version=2) == "unsupported-version"
        assert await caller.code("hello", version=1, language="fr") == "unsupported-language"
        assert await caller.code("hello", version=1) == "ok"


@story
async def test_messages_are_in_the_language_asked_for(tmp_path: Path) -> None:
    async with place(tmp_path) as here:
        caller = await here.call(login="ana")
        english = await caller.ask("command", line="load 99 5")
        await caller.ask("hello", version=1, language="es")
        spanish = await caller.ask("command", line="load 99 5")
        assert english["refusal"]["code"] == spanish["refusal"]["code"] == "unknown-seat"
        assert english["refusal"]["message"] != spanish["refusal"]["message"]


@story
async def test_the_actor_is_made_by_the_daemon(tmp_path: Path) -> None:
    """Clause 10.1."""
    async with place(tmp_path) as here:
        caller = await here.call(login="ana")
        assert await caller.code("command", line="load 3 5", actor={"person": "eva"}) == "malformed"
        assert await caller.code("command", line="load 3 5", round=0) == "ok"
        command = here.engine.commands[0]
        assert command.actor == Actor("ana", ("dealer", "supervisor"), "console")
        assert command.act == inputs.Load(3, 5)
        assert command.id.startswith("ana/")


@story
async def test_roles_are_the_persons_own_the_connections_and_those_asked_for(tmp_path: Path) -> None:
    async with place(tmp_path, allow={ME: ("dealer", "auditor")}) as here:
        caller = await here.call(login="ana")
        assert await caller.code("command", line="load 3 5") == "ok"
        assert here.engine.commands[0].actor.roles == ("dealer",)
        for roles in (["supervisor"], ["dealer", "supervisor"], ["auditor"], []):
            assert await caller.code("login", person="ana", pin="2580", roles=roles) == "not-allowed"
            assert await caller.code("command", line="load 3 5") == "login-first"
        assert await caller.code("login", person="tomás", pin="90871") == "not-allowed"
        assert [note.person for note in here.engine.notes] == ["ana"]
        assert here.engine.notes[0].what == "roles: supervisor"


@story
async def test_a_second_person_proves_who_they_are(tmp_path: Path) -> None:
    async with place(tmp_path) as here:
        caller = await here.call(login="ana")
        line = "schedule pot.base 20000000"
        assert await caller.code("command", line=line) == "not-allowed"
        wrong = {"person": "tomás", "pin": "90872"}
        assert await caller.code("command", line=line, second=wrong) == "denied"
        right = {"person": "tomás", "pin": "90871"}
        assert await caller.code("command", line=line, second=right) == "ok"
        assert here.engine.commands[-1].second == Actor("tomás", ("technician",), "console")
        assert len(here.engine.commands) == 2


@story
async def test_nobody_tries_pins_as_a_second_person_without_a_login(tmp_path: Path) -> None:
    async with place(tmp_path) as here:
        caller = await here.call()
        second = {"person": "tomás", "pin": "90871"}
        assert await caller.code("command", line="load 3 5", second=second) == "login-first"


@story
async def test_a_lock_out_is_told_and_journaled(tmp_path: Path) -> None:
    async with place(tmp_path) as here:
        caller = await here.call()
        codes = [await caller.code("login", person="ana", pin="0000") for _ in range(6)]
        assert codes == ["denied"] * 4 + ["locked"] * 2
        assert await caller.code("login", person="ana", pin="2580") == "locked"
        notes = [(note.person, note.what, note.suppressed) for note in here.engine.notes]
        assert notes == [("ana", "login: wrong name or PIN", 0), ("ana", "login: locked out", 3)]
        here.later += 5 * WINDOW
        assert await caller.code("login", person="ana", pin="2580") == "ok"
    assert here.engine.notes[-1] == AccessRefused("ana", "console", "login: locked out", 1)


@story
async def test_names_that_nobody_has_look_like_names_that_somebody_has(tmp_path: Path) -> None:
    async with place(tmp_path) as here:
        caller = await here.call()
        for name in ("ana", "nobody"):
            answers = [await caller.ask("login", person=name, pin="0000") for _ in range(6)]
            told = [answer["error"]["message"].replace(name, "X") for answer in answers]
            assert told[:4] == ["That is not the name and the PIN of anybody here."] * 4
            assert told[4:] == ["Too many wrong PINs: X has to wait 5 more minutes."] * 2


@story
async def test_who_is_removed_acts_no_more(tmp_path: Path) -> None:
    async with place(tmp_path) as here:
        caller = await here.call(login="ana")
        here.people.set_roles("ana", ["dealer"])
        here.people.save()
        here.people._seen = ()
        assert await caller.code("command", line="load 3 5") == "ok"
        assert here.engine.commands[-1].actor.roles == ("dealer",)
        here.people.path.write_text("damaged")
        assert await caller.code("command", line="load 3 5") == "ok"
        here.people.remove("ana")
        here.people.save()
        assert await caller.code("command", line="load 3 5") == "login-first"


@story
async def test_a_new_pin_ends_what_the_old_one_opened(tmp_path: Path) -> None:
    """Whoever learnt the old PIN is out; so is the namesake of somebody who was removed."""
    async with place(tmp_path) as here:
        caller, other = await here.call(login="ana"), await here.call(login="eva")
        staff = People.load(here.people.path, cost=2**4)
        staff.set_pin("ana", "8351")
        staff.remove("eva")
        staff.add("eva", ["dealer"], "9173")
        staff.save()
        assert await caller.code("command", line="load 3 5") == "login-first"
        assert await other.code("command", line="load 3 5") == "login-first"
        assert await caller.code("login", person="ana", pin="8351") == "ok"
        assert await caller.code("command", line="load 3 5") == "ok"


@story
async def test_what_a_login_let_somebody_read_ends_with_it(tmp_path: Path) -> None:
    """Clause 10. A stream is no way to stay."""
    async with place(tmp_path, allow={ME: ("dealer", "supervisor")}) as here:
        caller = await here.call(login="ana")
        for op, fields in (("logout", {}), ("login", {"person": "eva", "pin": "7391"})):
            assert (await caller.ask("subscribe"))["events"]
            await caller.ask(op, **fields)
            assert not here.engine.listeners
            await caller.ask("login", person="ana", pin="2580")


@story
async def test_who_is_removed_reads_no_more(tmp_path: Path) -> None:
    """Clause 10. And who is dealer only from now on reads as dealers do."""
    async with place(tmp_path, allow={ME: ("dealer", "supervisor", "technician")}) as here:
        gone, less, same = [await here.call(login=name) for name in ("tomás", "ana", "ana")]
        for caller in (gone, less, same):
            assert (await caller.ask("subscribe"))["events"]
        staff = People.load(here.people.path, cost=2**4)
        staff.remove("tomás")
        staff.set_roles("ana", ["dealer"])
        staff.save()
        assert await same.code("command", line="load 3 5") == "ok"  # which has the file read again
        assert (await gone.until_the_end())[-1]["bye"]["code"] == "login-first"
        assert len(here.engine.listeners) == 1
        await less.ask("help")
        here.engine.take(inputs.Start(1, "0"))
        line = await less.read()
        while line is not None and line["seq"] < here.engine.last:
            line = await less.read()
        assert line is not None
        assert set(line) == {"seq", "state", "attention"}


@story
async def test_logout_and_a_failed_login_end_a_login(tmp_path: Path) -> None:
    async with place(tmp_path) as here:
        caller = await here.call(login="ana")
        await caller.ask("logout")
        assert await caller.code("command", line="load 3 5") == "login-first"
        await caller.ask("login", person="ana", pin="2580")
        await caller.ask("login", person="ana", pin="9999")
        assert await caller.code("command", line="load 3 5") == "login-first"
        assert not here.engine.commands


def test_unix_users_and_groups_bound_the_roles() -> None:
    uid = os.geteuid()
    assert lookup(uid, ANYBODY).allowed == ROLES
    assert lookup(uid, ANYBODY, own_uid=uid + 1).allowed == (ROLES if uid == 0 else ())
    assert lookup(uid, {ME: ("auditor",)}).allowed == ("auditor",)
    assert lookup(uid, {"@" + MY_GROUP: ("technician",), ME: ("dealer",)}).allowed == ("dealer", "technician")
    assert lookup(uid, {"@no-such": ROLES, "no-such": ROLES}).allowed == ()
    assert lookup(4_000_000_000, ANYBODY).allowed == ()


# --- Refused access in the journal


SOMEBODY = Peer(7, "somebody", ROLES)


class Notes(list[AccessRefused]):
    """A journal, and a clock that stands still until it is moved."""

    now = 0

    def clock(self) -> int:
        return self.now


@story
async def test_refusals_are_journaled_at_once_then_counted() -> None:
    notes = Notes()
    log = RefusalLog(notes.append, notes.clock)
    for n in range(1000):
        log.add(SOMEBODY, f"p{n}", "login")
    assert notes == [AccessRefused("p0", "console", "login")]
    log.add(Peer(8, "other", ROLES), "other user", "login")
    log.add(TERMINAL, "ana", "login")
    assert notes[1:] == [AccessRefused("other user", "console", "login"), AccessRefused("ana", "terminal", "login")]
    notes.now = WINDOW
    log.add(SOMEBODY, "later", "login")
    assert notes[3:] == [AccessRefused("later", "console", "login", 999)]
    log.add(SOMEBODY, "counted", "login")
    log.add(SOMEBODY, "counted too", "roles")
    notes.now += WINDOW
    log.flush()
    assert notes[4:] == [AccessRefused("counted too", "console", "roles", 1)]
    log.flush(all_of_them=True)
    assert len(notes) == 5
    log.rest()


@story
async def test_what_is_urgent_is_journaled_at_once() -> None:
    notes = Notes()
    log = RefusalLog(notes.append, notes.clock)
    log.add(SOMEBODY, "ana", "wrong")
    log.add(SOMEBODY, "ana", "wrong")
    log.add(SOMEBODY, "ana", "locked out", urgent=True)
    assert [note.suppressed for note in notes] == [0, 1]


# --- Commands


@story
async def test_a_command_that_is_sent_again_is_done_once(tmp_path: Path) -> None:
    async with place(tmp_path) as here:
        first = await here.call(login="ana")
        await first.ask("command", id="2f6c-0001", line="load 3 5")
        again = await here.call(login="ana")
        assert await again.code("command", id="2f6c-0001", line="load 3 5") == "ok"
        assert here.engine.state.seats[2].credits == 5
        assert await again.code("command", id="2f6c-0001", line="load 3 6") == "ok"
        assert here.engine.state.seats[2].credits == 11
        other = await here.call(login="eva")
        assert await other.code("command", id="2f6c-0001", line="load 3 5") == "ok"
        assert here.engine.state.seats[2].credits == 16


@story
async def test_a_command_needs_an_id_of_its_own(tmp_path: Path) -> None:
    async with place(tmp_path) as here:
        caller = await here.call(login="ana")
        assert await caller.code("command", id="1", line="load 3 5") == "short-id"
        assert not here.engine.commands


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("lod 3 5", "word"),
        ("", "word"),
        ("# nothing", "word"),
        ("load 3 5\nload 3 5", "word"),
        ("void \u0000", "word"),
        ("press 3", "other-word"),
        ("expect pot.main 1", "other-word"),
        ("refused stale", "other-word"),
    ],
)
@story
async def test_lines_that_are_no_command_never_reach_the_rules(tmp_path: Path, line: str, code: str) -> None:
    async with place(tmp_path) as here:
        caller = await here.call(login="ana")
        assert await caller.code("command", line=line) == code
        assert not here.engine.commands


@story
async def test_an_engine_that_fails_is_answered_and_the_socket_goes_on(tmp_path: Path) -> None:
    async with place(tmp_path) as here:
        caller = await here.call(login="ana")
        here.engine.fails = RuntimeError("on purpose")
        assert await caller.code("command", line="load 3 5") == "internal"
        here.engine.fails = None
        assert await caller.code("command", line="load 3 5") == "ok"


@story
async def test_a_table_out_of_service_still_shows_why(tmp_path: Path) -> None:
    """Clause 8.5."""
    async with place(tmp_path) as here:
        caller = await here.call()
        await caller.ask("subscribe")
        here.engine.stopped = "the disk is full"
        here.engine.publish(())
        line = await caller.read()
        assert line is not None
        assert line["state"]["out_of_service"] == "the disk is full"


@story
async def test_a_client_that_leaves_during_its_command_does_no_harm(tmp_path: Path) -> None:
    async with place(tmp_path) as here:
        here.engine.gate = asyncio.Event()
        caller = await here.call(login="ana")
        await caller.send(b'{"id":"12345678","op":"command","line":"load 3 5"}\n')
        await here.engine.called.wait()
        caller.writer.transport.abort()
        here.engine.gate.set()
        await here.at_most(0)
        assert here.engine.state.seats[2].credits == 5


@story
async def test_a_script_that_sends_all_and_hangs_up_gets_all_its_answers(tmp_path: Path) -> None:
    async with place(tmp_path) as here:
        caller = await here.call(hello=False)
        requests = [{"id": "1", "op": "hello", "version": 1}] + [{"id": str(n), "op": "state"} for n in range(2, 30)]
        await caller.send(b"".join(json.dumps(request).encode() + b"\n" for request in requests) + b'{"id":"31"')
        caller.writer.write_eof()
        assert [answer["id"] for answer in await caller.until_the_end()] == [str(n) for n in range(1, 30)]


# --- Hardware


@story
async def test_hands_work_a_simulated_table(tmp_path: Path) -> None:
    async with place(tmp_path) as here:
        caller = await here.call()
        assert await caller.code("hardware", line="press 3 2") == "ok"
        assert here.done == [Press(3, 2)]
        assert await caller.code("hardware", line="wait 3") == "other-word"
        assert await caller.code("hardware", line="load 3 2") == "other-word"
        assert await caller.code("hardware", line="press x") == "word"
        here.hardware_fails = HardwareError("Seat 9 does not exist.")
        answer = await caller.ask("hardware", line="press 9")
        assert answer["error"] == {"code": "hardware", "clause": "", "message": "Seat 9 does not exist."}


@story
async def test_a_real_table_has_no_such_hands(tmp_path: Path) -> None:
    async with place(tmp_path, simulated=False) as here:
        caller = await here.call()
        assert await caller.code("hardware", line="press 3") == "no-hardware"
        groups = {word["group"] for word in (await caller.ask("help"))["words"]}
        assert groups == {"command"}


# --- Reading and the stream


@story
async def test_events_and_states_follow_a_subscription(tmp_path: Path) -> None:
    async with place(tmp_path) as here:
        watcher, worker = await here.call(), await here.call(login="ana")
        start = await watcher.ask("subscribe")
        await worker.ask("command", line="load 3 5")
        lines = [await watcher.read() for _ in range(3)]
        assert [line["event"]["seq"] for line in lines[:2] if line] == [start["seq"] + 1, start["seq"] + 2]
        assert lines[2] is not None
        assert lines[2]["seq"] == here.engine.last
        assert lines[2]["state"]["seats"][2]["credits"] == 5
        await watcher.ask("unsubscribe")
        assert not here.engine.listeners


@story
async def test_a_dealer_sees_the_state_and_not_the_journal(tmp_path: Path) -> None:
    """Clause 10: the journal is for supervisor, technician and auditor."""
    async with place(tmp_path, allow={ME: ("dealer", "supervisor")}) as here:
        stranger = await here.call()
        assert await stranger.code("state") == "login-first"
        assert await stranger.code("subscribe") == "login-first"
        dealer, supervisor = await here.call(login="eva"), await here.call(login="ana")
        assert not (await dealer.ask("subscribe"))["events"]
        assert (await supervisor.ask("subscribe"))["events"]
        here.engine.take(inputs.Start(1, "0"))
        line = await dealer.read()
        assert line is not None
        assert set(line) == {"seq", "state", "attention"}


@story
async def test_alarms_and_the_key_are_there_to_be_seen(tmp_path: Path) -> None:
    async with place(tmp_path) as here:
        from msgspec.structs import replace

        here.engine.state = replace(here.engine.state, alarms=(Alarm("key-open", detail="at power-on"),))
        attention = (await (await here.call()).ask("state"))["attention"]
        assert attention["alarms"] == [{"code": "key-open", "seat": 0, "detail": "at power-on"}]


@story
async def test_who_reads_slowly_gets_the_newest_state_and_no_other(tmp_path: Path) -> None:
    async with place(tmp_path, allow={ME: ("dealer",)}) as here:
        dealer = await here.call(login="eva")
        await dealer.ask("subscribe")
        for _ in range(50):
            here.engine.take(inputs.Start(1, "0"))
        line = await dealer.read()
        assert line is not None
        assert line["seq"] == here.engine.last


# --- Clients that misbehave


async def fares_well(here: Place) -> None:
    """Somebody else is served as if nothing had happened."""
    async with asyncio.timeout(5):
        other = await here.call(login="ana")
        assert await other.code("command", line="load 1 1") == "ok"
        await other.close()


@story
async def test_a_client_that_does_not_read_is_dropped_and_told(tmp_path: Path) -> None:
    limits = Limits(rate=1_000_000, burst=1_000_000, outbox=20_000, grace=0.3)
    async with place(tmp_path, limits=limits) as here:
        slow = await here.call()
        slow.writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        await slow.ask("subscribe")
        slow.writer.transport.pause_reading()  # type: ignore[attr-defined]
        while not all(client is None or client.outbox.ended for client in here.server._clients.values()):
            here.engine.take(inputs.Start(1, "x" * 1000))
            await asyncio.sleep(0)
        slow.writer.transport.resume_reading()  # type: ignore[attr-defined]
        lines = await slow.until_the_end()
        assert lines[-1]["bye"]["code"] == "slow"
        await fares_well(here)


@story
async def test_a_client_that_never_reads_again_is_cut_off(tmp_path: Path) -> None:
    limits = Limits(rate=1_000_000, burst=1_000_000, outbox=20_000, grace=0.1)
    async with place(tmp_path, limits=limits) as here:
        slow = await here.call()
        await slow.ask("subscribe")
        slow.writer.transport.pause_reading()  # type: ignore[attr-defined]
        client = next(client for client in here.server._clients.values() if client)
        while not client.outbox.ended:
            here.engine.take(inputs.Start(1, "x" * 1000))
            await asyncio.sleep(0)
        await here.at_most(0)
        slow.writer.transport.abort()


@story
async def test_a_client_that_says_nothing_is_let_go(tmp_path: Path) -> None:
    limits = Limits(hello_within=0.05, silent_for=0.1, grace=0.2)
    async with place(tmp_path, limits=limits) as here:
        mute, idle, watcher = await here.call(hello=False), await here.call(), await here.call()
        await watcher.ask("subscribe")
        assert (await mute.until_the_end())[-1]["bye"]["code"] == "silent"
        assert (await idle.until_the_end())[-1]["bye"]["code"] == "silent"
        await asyncio.sleep(0.15)
        assert await watcher.code("state") == "ok"


@story
async def test_a_line_without_end_is_never_kept(tmp_path: Path) -> None:
    """A line of 100 MB: the table takes a few hundred kilobytes of it and leaves."""
    async with place(tmp_path) as here:
        huge = await here.call()
        sent = 0
        with suppress(ConnectionError):
            while sent < 100_000_000:
                await huge.send(b"x" * 100_000)
                sent += 100_000
        assert sent < 2_000_000
        await fares_well(here)


@story
async def test_a_line_that_is_a_little_too_long_is_told_so(tmp_path: Path) -> None:
    async with place(tmp_path) as here:
        caller = await here.call()
        await caller.send(b" " * 65_537 + b"\n")
        lines = await caller.until_the_end()
        assert lines[-1]["bye"]["code"] == "too-long"


@story
async def test_a_flood_is_read_slowly_and_others_do_not_wait(tmp_path: Path) -> None:
    async with place(tmp_path, limits=Limits(rate=100, burst=30, grace=0.2)) as here:
        flood = await here.call()
        await flood.send(b'{"id":"12345678","op":"state"}\n' * 2_000)
        await fares_well(here)
        await asyncio.sleep(0.2)
        flood.writer.write_eof()
        flood.writer.transport.abort()
        await here.at_most(0)


def test_the_pace_is_exact() -> None:
    now = 0
    bucket = Bucket(rate=20, burst=40, clock=lambda: now)
    assert [bucket.take(1) for _ in range(40)] == [0] * 40
    assert bucket.take(1) == 0.05
    assert bucket.take(10) == 0.55
    now += 550_000_000
    assert bucket.take(1) == 0.05
    now += 10**12
    assert [bucket.take(1) for _ in range(40)] == [0] * 40
    assert bucket.take(1) == 0.05


@story
async def test_guessing_at_all_places_at_once_waits_in_a_short_queue(tmp_path: Path) -> None:
    async with place(tmp_path) as here:
        callers = [await here.call() for _ in range(16)]
        codes = await asyncio.gather(*(c.code("login", person=f"p{n}", pin="0000") for n, c in enumerate(callers)))
        assert set(codes) == {"denied", "busy"}
        assert await callers[0].code("login", person="ana", pin="2580") == "ok"


@story
async def test_one_too_many_is_turned_away(tmp_path: Path) -> None:
    async with place(tmp_path) as here:
        callers = [await here.call() for _ in range(FAST.clients)]
        late = await here.call(hello=False)
        assert [line["bye"]["code"] for line in await late.until_the_end()] == ["full"]
        await callers[0].close()
        await here.at_most(FAST.clients - 1)
        await fares_well(here)


@story
async def test_a_crowd_waits_outside(tmp_path: Path) -> None:
    """Connecting over and over costs the table no more than so many connections a second."""
    async with place(tmp_path, limits=Limits(arrivals=10, crowd=2)) as here:
        began = time.monotonic()
        for _ in range(6):
            await (await here.call()).close()
        assert time.monotonic() - began > 0.25


@story
async def test_with_nobody_connected_there_is_no_timer_and_no_task(tmp_path: Path) -> None:
    async with place(tmp_path) as here:
        caller = await here.call(login="ana")
        await caller.ask("subscribe")
        for _ in range(3):
            await caller.code("login", person="ana", pin="0000")
        await caller.close()
        await here.at_most(0)
        await asyncio.sleep(0)
        loop: Any = asyncio.get_running_loop()
        assert [timer for timer in loop._scheduled if not timer.cancelled()] == []
        assert asyncio.all_tasks() == {asyncio.current_task()}


MALFORMED = {
    "empty": b"",
    "no JSON": b"hello",
    "no object": b"[]",
    "number": b"7",
    "null": b"null",
    "not UTF-8": b'{"id":"1","op":"state\xff"}',
    "UTF-16": '{"id":"1","op":"state"}'.encode("utf-16"),
    "half": b'{"id":"1","op":"state"',
    "two": b'{"id":"1","op":"state"}{"id":"2","op":"state"}',
    "no op": b'{"id":"1"}',
    "unknown op": b'{"id":"1","op":"dance"}',
    "op with half a character": b'{"id":"1","op":"\\ud800"}',
    "no id": b'{"op":"state"}',
    "id is a number": b'{"id":1,"op":"state"}',
    "id is empty": b'{"id":"","op":"state"}',
    "id with a line feed": b'{"id":"1\\n","op":"state"}',
    "id with half a character": b'{"id":"\\ud800","op":"state"}',
    "id too long": b'{"id":"%s","op":"state"}' % (b"1" * 65),
    "unknown field": b'{"id":"1","op":"state","more":1}',
    "unknown field that clears the screen": b'{"id":"1","op":"state","\\u001b[2J":1}',
    "a field twice": b'{"id":"1","op":"state","op":"state"}',
    "a field twice within": b'{"id":"1","op":"command","line":"settle","second":{"pin":"1","pin":"2","person":"a"}}',
    "wrong type": b'{"id":"1","op":"command","line":7}',
    "round is a float": b'{"id":"1","op":"command","line":"settle","round":1.0}',
    "round is true": b'{"id":"1","op":"command","line":"settle","round":true}',
    "round is negative": b'{"id":"1","op":"command","line":"settle","round":-1}',
    "round is huge": b'{"id":"1","op":"command","line":"settle","round":%s}' % (b"9" * 5000),
    "what is expected is a number": b'{"id":"1","op":"command","line":"cashout 1","expect":5}',
    "what is expected is long": b'{"id":"1","op":"command","line":"cashout 1","expect":"%s"}' % (b"9" * 257),
    "NaN": b'{"id":"1","op":"command","line":"settle","round":NaN}',
    "infinity": b'{"id":"1","op":"command","line":"settle","round":1e999}',
    "deep": b"[" * 60_000,
    "deep object": b'{"a":' * 10_000,
    "unknown role": b'{"id":"1","op":"login","person":"ana","pin":"2580","roles":["king"]}',
    "person is no name": b'{"id":"1","op":"login","person":"ana\\u0000","pin":"2580"}',
    "pin is a number": b'{"id":"1","op":"login","person":"ana","pin":2580}',
    "pin is huge": b'{"id":"1","op":"login","person":"ana","pin":"%s"}' % (b"1" * 65),
    "line is huge": b'{"id":"12345678","op":"command","line":"%s"}' % (b"1" * 5000),
}


@pytest.mark.parametrize("line", MALFORMED.values(), ids=MALFORMED)
def test_what_is_no_request_is_malformed(line: bytes) -> None:
    with pytest.raises(RequestError) as caught:
        decode(line)
    assert caught.value.code == "malformed"
    messages.encode({"why": caught.value.values["why"], "id": caught.value.id})
    assert caught.value.values["why"].isprintable()


@story
async def test_malformed_lines_are_answered_and_forgotten(tmp_path: Path) -> None:
    async with place(tmp_path) as here:
        caller = await here.call(login="ana")
        for line in MALFORMED.values():
            await caller.send(line + b"\n")
            answer = await caller.read()
            assert answer is not None
            assert answer["ok"] is False
            assert answer["error"]["code"] == "malformed"
        assert await caller.code("command", line="load 3 5") == "ok"
        assert len(here.engine.commands) == 1


@given(st.lists(st.binary(max_size=200), max_size=10))
@settings(max_examples=30)
def test_junk_at_the_socket_harms_nobody(tmp_path_factory: pytest.TempPathFactory, junk: list[bytes]) -> None:
    @story
    async def told() -> None:
        async with place(tmp_path_factory.mktemp("junk")) as here:
            caller = await here.call(hello=False)
            for data in junk:
                with suppress(ConnectionError):
                    await caller.send(data)
            await caller.close()
            await fares_well(here)

    told()


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=10) | st.sampled_from(["ana", "2580", "load 3 5"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)
FIELDS = ("version", "language", "person", "pin", "roles", "line", "round", "expect", "second", "more")
OPS = ("hello", "login", "logout", "command", "state", "subscribe", "unsubscribe", "hardware", "help")


@given(
    st.lists(
        st.tuples(st.sampled_from(OPS), st.dictionaries(st.sampled_from(FIELDS), VALUES, max_size=3)),
        max_size=15,
    )
)
@settings(max_examples=30)
def test_nearly_right_requests_never_fail_within(
    tmp_path_factory: pytest.TempPathFactory, requests: list[tuple[str, dict[str, Any]]]
) -> None:
    @story
    async def told() -> None:
        async with place(tmp_path_factory.mktemp("nearly")) as here:
            caller = await here.call(login="ana")
            for op, fields in requests:
                assert await caller.code(op, **fields) != "internal"

    told()


# --- The socket's file


@story
async def test_the_socket_is_for_its_owner_and_group(tmp_path: Path) -> None:
    mask = os.umask(0)
    try:
        async with place(tmp_path) as here:
            assert stat.S_IMODE(here.path.stat().st_mode) == 0o660
    finally:
        os.umask(mask)


@story
async def test_what_a_dead_daemon_left_is_taken_away(tmp_path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as dead:
        dead.bind(str(tmp_path / "table.sock"))
    async with place(tmp_path) as here:
        await fares_well(here)


@story
async def test_a_living_daemon_is_left_alone(tmp_path: Path) -> None:
    async with place(tmp_path) as here:
        with pytest.raises(ControlError, match="Another program listens"):
            listening_socket(here.path)
        await fares_well(here)


def test_a_file_that_is_no_socket_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("precious")
    with pytest.raises(ControlError, match="is no socket"):
        listening_socket(tmp_path / "file")
    assert (tmp_path / "file").read_text() == "precious"


def test_a_place_that_cannot_be_is_said_so(tmp_path: Path) -> None:
    for path in (tmp_path / ("x" * 200), tmp_path / "file" / "socket"):
        (tmp_path / "file").write_text("")
        with pytest.raises(ControlError, match="cannot be opened"):
            listening_socket(path)


@story
async def test_the_socket_of_a_successor_is_not_taken_away(tmp_path: Path) -> None:
    async with place(tmp_path) as here:
        here.path.unlink()
        here.path.write_text("of somebody else")
        await here.server.stop()
        assert here.path.read_text() == "of somebody else"
        here.path.unlink()


# --- The document


def dialogues() -> list[tuple[str, str]]:
    """The lines of all examples of docs/control.md: who speaks, and what. "·" is a new connection."""
    blocks = re.findall(r"```control\n(.*?)```", DOCS.read_text(encoding="utf-8"), re.DOTALL)
    return [(line[0], line[1:].strip()) for block in blocks for line in block.splitlines()]


def agree(told: Any, expected: Any) -> bool:
    if expected == "…":
        return True
    if isinstance(expected, dict) and isinstance(told, dict):
        return told.keys() == expected.keys() and all(agree(told[key], expected[key]) for key in expected)
    return bool(told == expected)


@story
async def test_the_examples_of_the_document_are_true(tmp_path: Path) -> None:
    """An answer and the events of its own commit may come in either order, so lines are kept until asked for."""
    async with place(tmp_path) as here:
        caller = await here.call(hello=False)
        heard: list[dict[str, Any]] = []
        stopping: asyncio.Task[None] | None = None
        for who, line in dialogues():
            if who == "(":
                assert heard == []
                caller = await here.call()
                stopping = asyncio.create_task(here.server.stop())
            elif who == "→":
                await caller.send(line.encode() + b"\n")
            else:
                expected = json.loads(line)
                while not any(agree(told, expected) for told in heard):
                    told = await caller.read()
                    assert told is not None, line
                    heard.append(told)
                    assert "id" not in expected or told.get("id", "") != expected["id"] or agree(told, expected), heard
                heard.remove(next(told for told in heard if agree(told, expected)))
        assert heard == []
        assert stopping is not None
        await stopping


def test_the_document_shows_every_request_and_every_code() -> None:
    document = DOCS.read_text(encoding="utf-8")
    shown = {json.loads(line).get("op") for who, line in dialogues() if who == "→" and "dance" not in line}
    assert shown == set(OPS)
    sources = "".join(path.read_text(encoding="utf-8") for path in Path(messages.__file__).parent.glob("*.py"))
    codes = set(re.findall(r'(?:RequestError\(|dismiss\(|_turn_away\(writer, |_error\()\s*"([a-z-]+)"', sources))
    assert len(codes) >= 18
    assert {code for code in codes if f"`{code}`" not in document} == set()
