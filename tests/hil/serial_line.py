"""A technician at the serial line: `pozo-console@ttyS1` in the machine, and this end of the cable.

The table has nobody's hands at its lines, so it is out of service, and says so: what a technician comes for.
"""

from __future__ import annotations

import socket
import time
from collections.abc import Callable
from pathlib import Path

from tests.hil.guest.report import Finding
from tests.hil.installed import READY, Ready
from tests.hil.machine import Machine

Found = Callable[[Finding], None]

CONSOLE = "pozo-console@ttyS1"

TABLE = """cd /srv/pozo && exec /opt/hil/bin/python -c '
from tests.hil.guest.served import Served, hal
from tests.hil.guest.round import MONEY, money
from tests.hil.guest.unit import ALLOW
Served(money(MONEY) + ALLOW, hal(6, None), honest=True)'"""

PIN = "741074"
"""That of leo, a technician (``tests.hil.guest.served.PERSONS``)."""

PATIENCE_S = 90
"""Seconds that an answer may take on a slow host."""


class Cable:
    """The host's end of the line."""

    def __init__(self, path: Path) -> None:
        self._end = socket.socket(socket.AF_UNIX)
        self._end.connect(str(path))
        self.heard = ""
        """Everything that came, as a terminal would show it."""
        self._told = 0

    def say(self, text: str) -> None:
        """Type a line."""
        self._end.sendall(text.encode() + b"\r")

    def until(self, words: str) -> str:
        """What comes until `words` do, and they. Raises TimeoutError."""
        deadline = time.monotonic() + PATIENCE_S
        while words not in self.heard[self._told :]:
            self._end.settimeout(max(0.01, deadline - time.monotonic()))
            try:
                data = self._end.recv(4096)
            except TimeoutError:
                raise TimeoutError(f"no {words!r} in {self.heard[self._told :][-600:]!r}") from None
            if not data:
                raise TimeoutError(f"the line is dead, after {self.heard[self._told :][-600:]!r}")
            self.heard += data.decode(errors="replace")
        begin, self._told = self._told, self.heard.index(words, self._told) + len(words)
        return self.heard[begin : self._told]

    def close(self) -> None:
        """Pull it out."""
        self._end.close()


def play(made: Ready, folder: Path, found: Found) -> None:
    """Play it, in real time: whoever types is not in the machine."""
    machine = made.machine(folder)
    try:
        machine.on(READY)
        machine.run("sh", "-c", TABLE)
        machine.run("systemctl", "start", "pozo@bench")
        machine.put("/etc/pozo/console-ttyS1.env", "POZO_CONSOLE=--language en\n")
        cable = Cable(machine.serial)
        try:
            machine.run("systemctl", "enable", "--now", "--quiet", CONSOLE)
            _talk(machine, cable, found)
        except TimeoutError as error:
            found(Finding("the line answers", False, str(error)))
        finally:
            cable.close()
    finally:
        machine.cut()


def _talk(machine: Machine, cable: Cable, found: Found) -> None:
    asked = cable.until("only look): ")
    found(Finding("the line asks who is there", "Person" in asked and "6 seats" in asked, _one_line(asked)))
    cable.say("leo")
    cable.until("PIN: ")
    cable.say("741075")
    refused = cable.until("only look): ")
    found(Finding("a wrong PIN is refused, and asked for again", "denied" in refused, _one_line(refused)))
    cable.say("leo")
    cable.until("PIN: ")
    cable.say(PIN)
    entered = cable.until("> ")
    right = "leo is logged in as technician." in entered
    found(Finding("name and PIN log a technician in, as the line allows", right, _one_line(entered)))
    found(Finding("no PIN is shown", PIN not in cable.heard and "741075" not in cable.heard))
    cable.say("state")
    state = cable.until("draw-1> ")
    found(Finding("the state is told", "GPIO20" in state and "seat" in state.lower(), _one_line(state)[:300]))
    cable.say("help")
    told = cable.until("draw-1> ")
    found(Finding("the words are told", "reopen" in told and "logout" in told, f"{len(told.splitlines())} lines"))
    cable.say("logout")
    cable.until("draw-1> ")
    cable.say("state")
    after = cable.until("draw-1> ")
    found(Finding("after logout nothing is told", "login-first" in after, _one_line(after)))
    cable.say("quit")
    again = cable.until("only look): ")
    found(Finding("after quit the line asks the next one", "Person" in again, _one_line(again)))
    said = machine.run("systemctl", "show", "--property=ActiveState,SubState", CONSOLE)
    found(Finding("the console's unit runs", "active" in said and "running" in said, _one_line(said)))


def _one_line(text: str) -> str:
    return " / ".join(filter(None, (line.strip() for line in text.splitlines())))
