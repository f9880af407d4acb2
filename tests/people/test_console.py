"""The technician's line: it says the words, shows what comes back, and is clear when nobody is there."""

from __future__ import annotations

import asyncio
import os
import pty
import socket
import subprocess
import sys
import threading
import unicodedata
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path

import pytest

from controller.console import main
from controller.console_view import event_line, state_lines
from controller.core import inputs
from controller.core.state import Alarm
from controller.i18n import translator
from controller.words import Press
from tests.people.socket_client import Place, place, story

COMMAND = [sys.executable, "-m", "controller.cli", "console"]


async def script(here: Place, *lines: str | bytes, options: tuple[str, ...] = ()) -> tuple[int, list[str]]:
    """Run the console on a script in a process of its own; its exit code and what it printed."""
    options = ("--socket", str(here.path), "--language", "en", *options)
    process = await asyncio.create_subprocess_exec(
        *COMMAND, *options, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    )
    given = b"".join((line.encode() if isinstance(line, str) else line) + b"\n" for line in lines)
    async with asyncio.timeout(20):
        printed, _ = await process.communicate(given)
    assert process.returncode is not None
    return process.returncode, printed.decode().splitlines()


@story
async def test_a_script_is_done_line_by_line(tmp_path: Path) -> None:
    async with place(tmp_path) as here:
        code, printed = await script(
            here,
            "ana",
            "2580",
            "# an evening",
            "",
            "load 3 5",
            "press 3 2",
            "wait 0.01",
            "cashout 3",
            "quit",
            "load 1 1",
        )
        assert (code, printed) == (
            0,
            ["ana is logged in as dealer, supervisor.", "Done (journal entry 3).", "Done (journal entry 5)."],
        )
        assert [command.act for command in here.engine.commands] == [inputs.Load(3, 5), inputs.CashOut(3)]
        assert here.done == [Press(3, 2)]


@story
async def test_what_is_refused_makes_the_script_fail_and_the_rest_is_done(tmp_path: Path) -> None:
    async with place(tmp_path) as here:
        lines = ("load 99 5", "lod 3 5", "press x", "wait long", "expect pot.main 1", b"void \xff\x00", "help nonsense")
        code, printed = await script(here, "2580", *lines, "load 3 5", options=("--person", "ana"))
        assert code == 1
        assert len(printed) == len(lines) + 2
        assert printed[1].startswith("Refused (unknown-seat, clause ")
        assert "Did you mean “load”?" in printed[2]
        assert "U+DCFF is not text" in printed[6]
        assert printed[-1].startswith("Done")


@story
async def test_two_people_at_one_console(tmp_path: Path) -> None:
    async with place(tmp_path) as here:
        line = "schedule pot.base 20000000"
        code, printed = await script(here, "ana", "2580", line, "tomás", "90871")
        assert code == 0, printed
        assert here.engine.commands[0].second is not None
        code, printed = await script(here, "ana", "2580", line, "")
        assert code == 1
        assert "each with their own PIN" in printed[-1]


@story
async def test_a_wrong_pin_ends_a_script(tmp_path: Path) -> None:
    async with place(tmp_path) as here:
        code, printed = await script(here, "ana", "2581", "load 3 5")
        assert code == 1
        assert printed == ["Refused (denied, clause 10.1): That is not the name and the PIN of anybody here."]
        assert not here.engine.commands


@story
async def test_the_table_is_shown_readably(tmp_path: Path) -> None:
    async with place(tmp_path) as here:
        here.engine.take(inputs.OutOfService("the disk is full"))
        code, printed = await script(here, "", "state")
        assert code == 0
        assert printed[0] == (
            "draw-1: round 0, idle, pot 10000000.0000, reserve 0.0000, bets –; OUT OF SERVICE: the disk is full"
        )
        assert printed[2].split() == ["seat", "status", "credits", "bet", "lamp", "hand", "owed"]
        assert printed[3].split() == ["1", "open", "0", "0", "off", "–", "0"]
        assert printed[-1] == "The key is locked."


@story
async def test_help_lists_the_words_and_tells_about_one(tmp_path: Path) -> None:
    async with place(tmp_path) as here:
        _, printed = await script(here, "", "help", "help watch", "help load")
        assert printed[-2:] == [
            "  watch  show what happens, until Enter or Ctrl-C",
            "  load SEAT CREDITS  load credits that a player has bought",
        ]
        assert len(printed) > 30


@story
async def test_a_table_that_stops_ends_the_console_with_the_reason(tmp_path: Path) -> None:
    async with place(tmp_path) as here:
        talk = asyncio.create_task(script(here, "ana", "2580", "watch"))
        async with asyncio.timeout(20):
            await here.engine.listened.wait()
        here.engine.take(inputs.Start(1, "0"))
        await asyncio.sleep(0.05)
        await here.server.stop()
        code, printed = await talk
        assert code == 2
        assert any(line.startswith("#2 Started boot=1") for line in printed)
        assert printed[-1] == "The table's program is stopping."


@pytest.mark.parametrize("kind", ["nothing", "stale", "long", "no table"])
def test_nobody_there_is_said_clearly(
    tmp_path: Path, kind: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / ("x" * 200 if kind == "long" else "pozo-table.sock")
    if kind == "stale":
        with socket.socket(socket.AF_UNIX) as dead:
            dead.bind(str(path))
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    options = [] if kind in ("stale", "no table") else ["--socket", str(path)]
    assert main(options) == 2
    said = capsys.readouterr().err
    assert {"long": "cannot be reached", "no table": "Say which table"}.get(kind, "start it with “pozo run”") in said
    assert main(["--config", str(tmp_path / "none.toml")]) == 2


@pytest.mark.parametrize(
    "said",
    [
        b"HTTP/1.1 400 Bad Request\r\n",
        b"\xff\xfe\n",
        b"[1]\n",
        b'{"bye":5}\n',
        b'{"id":null,"ok":true}\n',
        b"[" * 9999 + b"\n",
    ],
    ids=lambda said: repr(said)[:20],
)
def test_what_is_no_table_is_said_so(tmp_path: Path, said: bytes, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "other.sock"
    with socket.socket(socket.AF_UNIX) as other:
        other.bind(str(path))
        other.listen()

        def answer() -> None:
            with other.accept()[0] as caller:
                caller.recv(65_536)
                caller.sendall(said)

        thread = threading.Thread(target=answer)
        thread.start()
        assert main(["--socket", str(path), "--language", "en"]) == 2
        thread.join()
    assert "is no table" in capsys.readouterr().err


@story
async def test_names_and_lines_that_cannot_be_are_said_so_here(tmp_path: Path) -> None:
    async with place(tmp_path) as here:
        apart = unicodedata.normalize("NFD", "tomás")
        code, printed = await script(
            here, apart, "90871", "login Ana María", "void " + "x" * 100_000, "login ana", "2580"
        )
        assert code == 1
        assert printed == [
            "tomás is logged in as technician.",
            "“Ana María” cannot be a name: write up to 32 letters, digits, dots or dashes.",
            "The line has 100005 characters: write at most 1000.",
            "ana is logged in as dealer, supervisor.",
        ]


class Terminal:
    """A console at a terminal of its own."""

    def __init__(self, process: asyncio.subprocess.Process, fd: int) -> None:
        self.process = process
        self.all = self.seen = ""
        self._fd = fd
        os.set_blocking(fd, False)

    async def until(self, text: str) -> None:
        """Return when `text` has been shown since the last call."""
        async with asyncio.timeout(20):
            while text not in self.seen:
                await asyncio.sleep(0.01)
                with suppress(OSError):
                    shown = os.read(self._fd, 65_536).decode(errors="replace")
                    self.all, self.seen = self.all + shown, self.seen + shown
        self.seen = self.seen.partition(text)[2]

    def type(self, text: str) -> None:
        os.write(self._fd, text.encode())


@asynccontextmanager
async def terminal(here: Place) -> AsyncIterator[Terminal]:
    master, slave = pty.openpty()
    process = await asyncio.create_subprocess_exec(
        *COMMAND, "--socket", str(here.path), "--language", "en",
        stdin=slave, stdout=slave, stderr=slave, start_new_session=True, env=os.environ | {"TERM": "dumb"},
    )  # fmt: skip
    os.close(slave)
    try:
        yield Terminal(process, master)
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
        os.close(master)


@story
async def test_at_a_terminal_the_pin_is_not_seen_and_enter_ends_watching(tmp_path: Path) -> None:
    async with place(tmp_path) as here, terminal(here) as console:
        await console.until("6 seats")
        await console.until("Person")
        console.type("ana\n")
        await console.until("PIN: ")
        console.type("\x04")  # thought better of
        await console.until("Person")
        console.type("ana\n")
        await console.until("PIN: ")
        console.type("2580\n")
        await console.until("draw-1> ")
        assert "ana" in console.all
        assert "2580" not in console.all
        for end in ("\n", "\x03"):
            console.type("watch\n")
            await console.until("bets –")
            here.engine.take(inputs.Start(1, "0"))
            await console.until("Started boot=1")
            if end == "\x03":  # the terminal is not the controlling one, so Ctrl-C comes as the signal that it is
                console.process.send_signal(2)
            else:
                console.type(end)
            await console.until("draw-1> ")
        console.type("quit\n")
        async with asyncio.timeout(10):
            assert await console.process.wait() == 0


def test_alarms_prizes_and_parts_are_pointed_out() -> None:
    state = {
        "table": "draw-1", "round": 7, "phase": "paying", "out_of_service": None,
        "pot": {"main": "10000000.0000", "reserve": "0.0000"},
        "seats": [
            {"seat": 1, "status": "closed", "reason": "lamp", "credits": 2, "bet": "1000", "lamp": "off",
             "forfeit": None, "hand": "flush", "owed": "0"},
        ],
        "prizes": [{"seat": 1, "hand": "flush", "amount": "50000", "status": "payable"}],
    }  # fmt: skip
    alarm = Alarm("lamp", seat=1, detail="dark")
    attention = {
        "key": "open", "service": True, "failed": ["display"],
        "alarms": [{"code": alarm.code, "seat": alarm.seat, "detail": alarm.detail}],
    }  # fmt: skip
    lines = state_lines(state, attention, translator("en").text)
    assert lines[0].endswith("bets 1:1000")
    assert lines[3].split() == ["1", "closed", "(lamp)", "2", "1000", "off", "flush", "0"]
    assert "1  flush  50000  payable" in lines
    assert lines[-4:] == [
        "The key is open.",
        "The table is in service mode.",
        "Failed parts of the table: the display",
        "ALARM: lamp, seat 1, dark",
    ]
    assert event_line({"seq": 9, "kind": "CreditsLoaded", "seat": 2, "cards": [1, 2]}) == (
        "#9 CreditsLoaded seat=2 cards=[1,2]"
    )
