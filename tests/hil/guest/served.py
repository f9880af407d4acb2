"""A table as its users have it: `pozo@bench` under systemd, its configuration in /etc/pozo, people at its socket.

Runs as root in the machine, who may ask for every role; persons prove themselves with a PIN, as anywhere.
"""

from __future__ import annotations

import asyncio
import json
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from contextlib import suppress
from itertools import count
from pathlib import Path
from typing import Any, cast
from uuid import uuid4

from controller.config import Config, load
from controller.core.state import Role
from controller.people import People
from hal.gpio.wiring import Hardware

NAME = "bench"
UNIT = f"pozo@{NAME}"
CONFIG = Path("/etc/pozo", f"{NAME}.toml")
STATE = Path("/var/lib/pozo", NAME)
SOCKET = Path("/run/pozo", f"pozo-{NAME}.sock")
PEOPLE = Path("/var/lib/pozo/people.json")

PERSONS = {"ana": (("dealer", "supervisor", "auditor"), "258025"), "leo": (("technician", "auditor"), "741074")}
"""Who works here: name, roles, PIN. What needs two people needs both."""

LAMPS = (7, 15, 0, 1, 2, 3, 4)
SENSES = (5, 6, 8, 9, 10, 11, 12)
ACCEPTORS = (17, 27, 22, 23, 24, 25, 12, 4, 14, 15, 18, 19, 7, 8, 9, 10, 11, 0, 1)[:17]
"""Where bet buttons and chip sensors are, in the order in which they are needed."""

DISPLAY = """
[[hal.displays]]
shows = "dealer"
kind = "ssd1306"
bus = "{bus}"
address = 0x3c
"""


def hal(seats: int, chips: Mapping[int, Sequence[str]] | None, *, displays: bool = True) -> str:
    """The section ``[hal]`` of a table of `seats` seats: with a button each, or with sensors for the values in `chips`
    for each seat."""
    lines = ["[hal]", 'backend = "gpio"', 'expander = "mcp23017"', "expander_bus = 3"]
    lines += ['key_open = "GPIO5"', 'key_locked = "GPIO6"', 'loop_out = "GPIO20"', 'loop_in = "GPIO21"']
    lines += ['meter = "x14"' if seats < 7 else ""]
    lines += ["[hal.dealer_keys]", *(f'{k} = "GPIO{n}"' for k, n in (("up", 13), ("down", 16), ("ok", 26)))]
    free = iter(ACCEPTORS)
    for seat in range(1, seats + 1):
        lines += ["[[hal.seats]]", f'lamp = "x{LAMPS[seat - 1]}"', f'sense = "x{SENSES[seat - 1]}"']
        if chips is None:
            lines.append(f'button = "GPIO{next(free)}"')
        else:
            sensors = ", ".join(f'"{value}" = "GPIO{next(free)}"' for value in chips[seat])
            lines.append(f"chip = {{ {sensors} }}")
    return "\n".join(lines) + "\n" + (DISPLAY.format(bus=stub_bus()) if displays else "")


def stub_bus() -> str:
    """The bus of i2c-stub. Its number depends on which of two modules was there first."""
    for bus in Path("/sys/class/i2c-dev").iterdir():
        if "stub" in (bus / "name").read_text():
            return bus.name
    raise FileNotFoundError("there is no bus of i2c-stub")


class Served:
    """The table whose money sections are `money` (TOML without ``[hal]``). One at a time. Its people's PINs are as
    costly to check as a casino's if they are `honest`, or quick to check."""

    def __init__(self, money: str, hal_section: str, *, honest: bool = False) -> None:
        CONFIG.parent.mkdir(exist_ok=True)
        own = f'\n[control]\nsocket = "{SOCKET}"\n[people]\nfile = "{PEOPLE}"\n'
        CONFIG.write_text(money + "\n" + hal_section + own)
        self.config: Config = load(CONFIG, {"STATE_DIRECTORY": str(STATE)})  # as the unit has it
        hardware = self.config.gpio
        assert isinstance(hardware, Hardware)
        self.hardware = hardware
        if not PEOPLE.exists():
            (_honest_people if honest else _quick_people)()
            shutil.chown(PEOPLE, "pozo", "pozo")

    async def fresh(self) -> None:
        """A table that has never run."""
        await self.stop()
        shutil.rmtree(STATE, ignore_errors=True)

    async def start(self) -> None:
        """Start the unit; returns when it is READY. Raises UnitError."""
        await systemctl("reset-failed", UNIT, check=False)
        await systemctl("start", UNIT)

    async def stop(self) -> None:
        """Stop the unit in order."""
        await systemctl("stop", UNIT)

    async def kill(self) -> None:
        """End the program without a word, and keep systemd from starting it again."""
        await systemctl("kill", "--signal=KILL", UNIT, check=False)
        await systemctl("stop", UNIT, check=False)

    async def connect(self) -> Client:
        """A connection with nobody logged in."""
        reader, writer = await asyncio.open_unix_connection(str(SOCKET))
        client = Client(reader, writer)
        await client.ask(op="hello", version=1, language="en")
        return client

    async def login(self, person: str) -> Client:
        """A connection of one of `PERSONS`."""
        client = await self.connect()
        said = await client.ask(op="login", person=person, pin=PERSONS[person][1])
        assert said["ok"], said
        return client


class Client:
    """A connection to the control socket."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader, self._writer = reader, writer
        self._number = count(1)
        self.streamed: list[dict[str, Any]] = []

    async def ask(self, **request: Any) -> dict[str, Any]:
        """Send one request, wait for its answer; what is streamed meanwhile is kept."""
        name = str(request.setdefault("id", f"r{next(self._number)}"))
        self._writer.write(json.dumps(request).encode() + b"\n")
        await self._writer.drain()
        while True:
            said = await self.next()
            if said.get("id") == name:
                return said
            self.streamed.append(said)

    async def command(self, line: str, *, second: str | None = None) -> dict[str, Any]:
        """Give a command."""
        more = {"second": {"person": second, "pin": PERSONS[second][1]}} if second else {}
        return await self.ask(op="command", id=uuid4().hex, line=line, **more)

    async def state(self) -> dict[str, Any]:
        """The answer to ``state``: ``state`` as in `pozo play --json`, ``attention``, ``seq``."""
        said = await self.ask(op="state")
        assert said["ok"], said
        return said

    async def close(self) -> None:
        """Go."""
        self._writer.close()
        with suppress(OSError):
            await self._writer.wait_closed()

    async def next(self) -> dict[str, Any]:
        """The next message, whatever it is. Raises ConnectionError at the end."""
        line = await self._reader.readline()
        if not line:
            raise ConnectionError("the table has closed the connection")
        said: dict[str, Any] = json.loads(line)
        return said


class UnitError(Exception):
    """systemd could not do what it was asked; the message has its words, and the unit's."""


async def systemctl(*words: str, check: bool = True) -> str:
    """Ask systemd, while electricity goes on. Raises UnitError."""
    status, said = await run("systemctl", *words)
    if check and status:
        _, log = await run("journalctl", "--no-pager", "-n", "40", "-u", UNIT)
        raise UnitError(f"systemctl {' '.join(words)}: {said}\n{log}")
    return said


async def run(*words: str) -> tuple[int, str]:
    """Run a program; its exit status, and what it says."""
    process = await asyncio.create_subprocess_exec(
        *words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    )
    said, _ = await process.communicate()
    assert process.returncode is not None
    return process.returncode, said.decode(errors="replace")


def _quick_people() -> None:
    """The persons' file, with PINs that are quick to check: an honest one takes a simulated processor a second."""
    people = People.load(PEOPLE, cost=2)
    for name, (roles, pin) in PERSONS.items():
        people.add(name, cast(tuple[Role, ...], roles), pin)
    people.save()


def _honest_people() -> None:
    """The persons' file, as a technician makes it."""
    for name, (roles, pin) in PERSONS.items():
        asked = [word for role in roles for word in ("--role", role)]
        add = ["pozo", "people", "--file", str(PEOPLE), "add", *asked, "--pin-stdin", name]
        subprocess.run(add, check=True, input=f"{pin}\n", text=True, capture_output=True)
