"""`pozo run` as users start it: a process, its control socket, its messages to systemd."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from itertools import count
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from controller.core.state import Role
from controller.people import People

TABLE = Path(__file__).parents[2] / "examples" / "tables" / "draw-1.toml"
PINS = {"ana": "2580", "tomas": "90871"}
ROLES: dict[str, tuple[Role, ...]] = {"ana": ("dealer", "supervisor"), "tomas": ("technician",)}
PATIENCE_S = 30
"""A busy machine is slow; what takes longer than this is broken."""


class Caller:
    """A client of the control socket that waits for each answer."""

    def __init__(self, path: Path, *, login: str = "ana") -> None:
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._socket.settimeout(PATIENCE_S)
        try:
            self._socket.connect(str(path))
        except BaseException:
            self._socket.close()
            raise
        self._lines = self._socket.makefile("rb")
        self._ids = count(1)
        try:
            assert self.ask("hello", version=1, language="en")["ok"]
            if login:
                assert self.ask("login", person=login, pin=PINS[login])["ok"]
        except BaseException:
            self.close()
            raise

    def ask(self, op: str, **fields: Any) -> dict[str, Any]:
        """The answer to a request. Raises ConnectionError when the table is gone."""
        request = {"id": f"request-{next(self._ids)}", "op": op} | fields
        self._socket.sendall(json.dumps(request).encode() + b"\n")
        while line := self._lines.readline():
            answer: dict[str, Any] = json.loads(line)
            if answer.get("id") == request["id"]:
                return answer
        raise ConnectionError(f"no answer to {op}")

    def command(self, line: str, id_: str = "", **fields: Any) -> dict[str, Any]:
        return self.ask("command", line=line, id=id_ or os.urandom(8).hex(), **fields)

    def state(self) -> dict[str, Any]:
        state: dict[str, Any] = self.ask("state")["state"]
        return state

    def close(self) -> None:
        self._lines.close()
        self._socket.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()


class House:
    """The place of one table: `folder` holds everything but the sockets, whose names must be short."""

    def __init__(self, folder: Path, sockets: Path) -> None:
        self.folder = folder
        self.journal = folder / "journal"
        self.people = folder / "people.json"
        self.socket = sockets / "table.sock"
        self._notify = sockets / "notify"
        self.config = folder / "table.toml"
        self.configure()
        people = People.load(self.people, cost=2**4)
        for name, roles in ROLES.items():
            people.add(name, roles, PINS[name])
        people.save()

    def configure(self, **changes: str) -> None:
        """Write the example table's file, in English, with some values replaced."""
        text = TABLE.read_text()
        for key, value in {"language": '"en"', **changes}.items():
            before = next(line for line in text.splitlines() if line.startswith(f"{key} ="))
            text = text.replace(before, f"{key} = {value}")
        self.config.write_text(
            f'{text}\n[journal]\ndirectory = "{self.journal}"\n[control]\nsocket = "{self.socket}"\n'
            f'[people]\nfile = "{self.people}"\n'
        )

    @contextmanager
    def running(self, *, ready: bool = True, **environment: str) -> Iterator[Daemon]:
        """The daemon of this table, ready, and ended in the end if the test has not ended it."""
        self._notify.unlink(missing_ok=True)
        with (
            socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as mailbox,
            tempfile.TemporaryFile("w+") as complaints,
        ):
            mailbox.bind(str(self._notify))
            process = subprocess.Popen(
                [sys.executable, "-m", "controller.cli", "run", "--config", str(self.config)],
                env={**os.environ, "NOTIFY_SOCKET": str(self._notify), **environment},
                stderr=complaints,
            )
            daemon = Daemon(self, process, mailbox, complaints)
            try:
                if ready:
                    daemon.hear("READY=1")
                yield daemon
            finally:
                if process.poll() is None:
                    process.kill()
                    process.wait()

    def refuses_to_run(self) -> tuple[int, str]:
        """What `pozo run` exits with, and what it says; it must be no traceback."""
        done = subprocess.run(
            [sys.executable, "-m", "controller.cli", "run", "--config", str(self.config)],
            capture_output=True,
            text=True,
            timeout=PATIENCE_S,
            check=False,
        )
        assert "Traceback" not in done.stderr
        return done.returncode, done.stderr

    @property
    def log(self) -> Path:
        """SQLite's log of the first period."""
        return self.journal / "000001.db-wal"


class Daemon:
    """One running process. `heard` is what it has told systemd so far."""

    def __init__(self, house: House, process: subprocess.Popen[bytes], mailbox: socket.socket, complaints: Any) -> None:
        self.house = house
        self.process = process
        self.heard: list[str] = []
        self._mailbox = mailbox
        self._complaints = complaints

    def call(self, login: str = "ana") -> Caller:
        return Caller(self.house.socket, login=login)

    def hear(self, message: str) -> str:
        """Wait until systemd is told something that begins with `message`; that something."""
        until = time.monotonic() + PATIENCE_S
        while True:
            self._mailbox.settimeout(max(0.01, min(0.5, until - time.monotonic())))
            with suppress(TimeoutError):
                self.heard.append(self._mailbox.recv(8192).decode())
                if self.heard[-1].startswith(message):
                    return self.heard[-1]
            assert time.monotonic() < until, f"{message} never came: {self.heard} {self.complaints()}"
            assert self.process.poll() is None, f"it has ended: {self.complaints()}"

    def kill(self) -> None:
        """Without warning."""
        self.process.kill()
        self.process.wait()

    def leave(self) -> int:
        """Ask it to leave as systemd does; its exit code."""
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(PATIENCE_S)

    def complaints(self) -> str:
        """What it has written to standard error."""
        self._complaints.seek(0)
        return str(self._complaints.read())

    def status(self, name: str) -> int:
        """A number of /proc/PID/status, summed over its threads for switches."""
        places = Path(f"/proc/{self.process.pid}").glob("task/*/status" if "switches" in name else "status")
        return sum(
            int(line.split()[1]) for place in places for line in place.read_text().splitlines() if line.startswith(name)
        )


def within(seconds: float, check: Any) -> Any:
    """What `check` returns as soon as it is true; it is asked until then."""
    until = time.monotonic() + seconds
    while not (found := check()):
        assert time.monotonic() < until, "it never came true"
        time.sleep(0.02)
    return found
