"""What a real systemd and a real kernel make of the unit: what it may, whom it hears, and who brings it back.

    python -m tests.hil.guest.unit [--only SUBSTRING]

As root, in the machine. What the tests of this repository can only read in a unit is tried here, and where a line of
the unit is left out on purpose it is put in, to show what it would break.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import pwd
import re
import stat
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any
from uuid import uuid4

from tests.hil.guest.report import note, tell
from tests.hil.guest.round import MONEY, money
from tests.hil.guest.served import CONFIG, PERSONS, SOCKET, UNIT, Served, hal, run, systemctl
from tests.hil.guest.table import ElectricTable

EXPOSURE = 1.0
"""What `systemd-analyze security` may count at most."""

DAEMON_MB, PROGRAMS_MB = 60, 160
"""Resident at most: the daemon with header and displays; all of pozo's programs together."""

BACK_S = 6.0
"""From the end of the program until systemd has it again: two seconds' rest (RestartSec=), a start, a look."""

CONSOLE = "pozo-console@ttyS1"

ALLOW = """
[control.allow]
root = ["dealer", "supervisor", "technician", "auditor"]
croupier = ["dealer"]
pozo-console = ["dealer", "technician"]
"""

TRIAL = Path(f"/run/systemd/system/{UNIT}.service.d/zz-trial.conf")

SPEAK = """
import socket, sys
with socket.socket(socket.AF_UNIX) as end:
    end.settimeout(20)
    end.connect(sys.argv[1])
    end.sendall(sys.stdin.buffer.read())
    answers = end.makefile()
    for _ in range(int(sys.argv[2])):
        print(answers.readline(), end="", flush=True)
"""
"""A client as docs/control.md has it; it needs no more of Python than socat would."""


class Bench:
    """The table that all of this is tried on, and the electricity at its lines."""

    def __init__(self) -> None:
        self.served = Served(money(MONEY) + ALLOW, hal(6, None), honest=True)
        self.electricity = ElectricTable(self.served.hardware.wiring, "credits")

    async def running(self) -> None:
        """The unit runs."""
        if (await shown("ActiveState"))["ActiveState"] != "active":
            await self.served.start()

    async def bet(self) -> None:
        """A round with a bet at seat 1, of credits that were loaded at the console; then it is locked."""
        await self.running()
        dealer = await self.served.login("ana")
        await dealer.command("load 1 5")
        self.electricity.turn_key("open")
        await self.electricity.quiet(0.3)
        self.electricity.press(1)
        await self.electricity.quiet(0.3)
        self.electricity.turn_key("locked")
        await self.electricity.quiet(0.5)
        await dealer.close()

    async def state(self) -> dict[str, Any]:
        """What there is to see."""
        client = await self.served.login("leo")
        said = await client.state()
        await client.close()
        return dict(said["state"])


# --- systemd --------------------------------------------------------------------------------------------------


async def shown(*properties: str, unit: str = UNIT) -> dict[str, str]:
    """Properties of a unit."""
    said = await systemctl("show", f"--property={','.join(properties)}", unit)
    return dict(line.partition("=")[::2] for line in said.splitlines())


async def until(good: Callable[[], Awaitable[bool]], within: float) -> float:
    """Wait until something is so, for `within` seconds at most; the seconds that it took."""
    began = time.monotonic()
    while time.monotonic() - began < within and not await good():  # noqa: ASYNC110 - systemd and /proc tell nobody
        await asyncio.sleep(0.5)
    return time.monotonic() - began


@asynccontextmanager
async def dropped_in(lines: str) -> AsyncIterator[None]:
    """Run the unit with these lines in ``[Service]``; it is stopped before and after."""
    await systemctl("stop", UNIT, check=False)
    _drop_in(f"[Service]\n{lines}\n")
    await systemctl("daemon-reload")
    try:
        yield
    finally:
        await systemctl("stop", UNIT, check=False)
        _drop_in("")
        await systemctl("daemon-reload")
        await systemctl("reset-failed", UNIT, check=False)


def _drop_in(text: str) -> None:
    TRIAL.parent.mkdir(parents=True, exist_ok=True)
    TRIAL.write_text(text)


async def log(unit: str = UNIT, lines: int = 40) -> str:
    """The last lines of a unit's log."""
    return (await run("journalctl", "--no-pager", "--output=cat", "-n", str(lines), "-u", unit))[1]


async def as_user(user: str, *requests: dict[str, Any]) -> list[dict[str, Any]]:
    """What the table answers to a program of `user`."""
    lines = [json.dumps({"id": uuid4().hex, **asked}) for asked in requests]
    speak = ["/usr/bin/python3", "-I", "-S", "-c", SPEAK, str(SOCKET), str(len(requests))]
    command = ["runuser", "-u", user, "--", *speak]
    process = await asyncio.create_subprocess_exec(
        *command, stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT
    )
    said, _ = await process.communicate("".join(f"{line}\n" for line in lines).encode())
    answers = []
    for line in said.decode(errors="replace").splitlines():
        answers.append(json.loads(line) if line.startswith("{") else {"said": line})
    return answers


HELLO: dict[str, Any] = {"op": "hello", "version": 1, "language": "en"}


# --- what is tried --------------------------------------------------------------------------------------------


async def rules_of_the_machine(bench: Bench) -> None:
    """udev's rules, the users and the folders, as `make install` has left them."""
    await run("udevadm", "settle")
    for pattern, group in (("gpiochip*", "gpio"), ("i2c-*", "i2c"), ("ttyS[01]", "dialout")):
        devices = modes(f"/dev/{pattern}")
        right = bool(devices) and set(devices.values()) == {f"root:{group} 660"}
        tell(f"/dev/{pattern} is for the group {group}", right, str(devices))
    groups = {user: set((await run("id", "-nG", user))[1].split()) for user in ("pozo", "pozo-console")}
    tell(
        "the tables' user is in the groups of its devices", groups["pozo"] == {"pozo", "gpio", "i2c", "spi", "dialout"}
    )
    tell(
        "the consoles' user reaches sockets and lines, and no header",
        groups["pozo-console"] == {"pozo-console", "pozo", "tty", "dialout"},
        str(groups),
    )
    wanted = {"/etc/pozo": "root:root 755", "/var/lib/pozo": "root:root 755"}
    wanted |= {"/run/pozo": "pozo:pozo 750", "/media/pozo": "pozo:pozo 750"}
    there = {name: mode for place in wanted for name, mode in modes(place).items()}
    tell("folders are there, as tmpfiles.d says", there == wanted, str(there))


def modes(pattern: str) -> dict[str, str]:
    """Owner, group and mode of every file that `pattern` matches."""
    found = {}
    for path in sorted(Path("/").glob(pattern.lstrip("/"))):
        found[str(path)] = f"{path.owner()}:{path.group()} {stat.S_IMODE(path.stat().st_mode):o}"
    return found


def status(pid: str) -> dict[str, str]:
    """What the kernel says of a process."""
    lines = Path("/proc", pid, "status").read_text().splitlines()
    return dict(line.partition(":\t")[::2] for line in lines)


def megabytes(pid: str) -> dict[str, float]:
    """How much of a process is in memory: `Rss`, and `Pss`, in which what is shared counts in shares."""
    text = Path("/proc", pid, "smaps_rollup").read_text()
    return {key: int(kb) / 1024 for key, kb in re.findall(r"^(Rss|Pss): +(\d+) kB", text, re.MULTILINE)}


async def the_unit(bench: Bench) -> None:
    """It is started, says that it is ready, and may nothing."""
    await bench.served.fresh()
    await bench.served.start()
    is_ = await shown("ActiveState", "Type", "MainPID", "StatusText", "NotifyAccess", "NRestarts")
    ready = (is_["ActiveState"], is_["Type"], is_["StatusText"]) == ("active", "notify", "in service")
    tell("systemd heard READY=1 and STATUS=in service", ready, str(is_))
    said = status(is_["MainPID"])
    uid = str(pwd.getpwnam("pozo").pw_uid)
    tell("it runs as the user pozo", said["Uid"].split() == [uid] * 4, said["Uid"])
    sets = {said[f"Cap{each}"].strip("0") for each in ("Inh", "Prm", "Eff", "Bnd", "Amb")}
    locked = (said["NoNewPrivs"], said["Seccomp"]) == ("1", "2")
    tell("it has no capability, and gains none", sets == {""} and locked, f"Seccomp {said['Seccomp']}")
    for unit in (UNIT, CONSOLE):
        _, text = await run("systemd-analyze", "security", "--no-pager", unit)
        found = re.search(r"exposure level for \S+: ([\d.]+)", text)
        figure = float(found[1]) if found else 10.0
        tell(f"exposure of {unit.partition('@')[0]}@", figure <= EXPOSURE, text[-60:], figure=figure, limit=EXPOSURE)
    _, revision = await in_its_place(is_["MainPID"], "grep", "^Revision", "/proc/cpuinfo")
    tell("the board's revision can be read where it runs", revision.endswith("c03114\n"), revision.strip())


async def in_its_place(pid: str, *words: str) -> tuple[int, str]:
    """Run a program among the mounts of the unit's process, as its user."""
    return await run("nsenter", "--target", pid, "--mount", "setpriv", "--reuid=pozo", "--clear-groups", "--", *words)


async def an_edge(bench: Bench) -> None:
    """A finger at a button, through the kernel, into the journal."""
    await bench.bet()
    state = await bench.state()
    tell("an edge arrives in it: a press is a bet", state["seats"][0]["bet"] == "1000", str(state["seats"][0]))


async def who_is_there(bench: Bench) -> None:
    """The kernel tells who is at the other end of the socket."""
    for user in ("croupier", "visitor", "stranger"):
        await run("useradd", *(["--groups", "pozo"] if user != "stranger" else []), user)
    await bench.running()
    auditor = await bench.served.login("leo")
    await auditor.ask(op="subscribe")
    load = {"op": "command", "line": "load 4 2"}
    login = {"op": "login", "person": "ana", "pin": PERSONS["ana"][1]}
    answers = await as_user("croupier", HELLO, login, load)
    tell("who is named gets its roles", answers[0].get("roles") == ["dealer"], str(answers[0]))
    tell("its command is done", bool(answers[-1].get("ok")), str(answers[-1]))
    visitor = await as_user("visitor", HELLO, login)
    tell("who is not named gets no role", visitor[0].get("roles") == [], str(visitor[0]))
    tell("nor can log in", visitor[-1].get("ok") is False, str(visitor[-1]))
    stranger = await as_user("stranger", HELLO)
    tell("who is not in the group does not reach the socket", "Permission" in str(stranger[-1]), str(stranger[-1]))
    await asyncio.sleep(0.5)
    await auditor.state()
    events = [said["event"] for said in auditor.streamed if "event" in said]
    taken = [event["actor"] for event in events if event["kind"] == "CommandTaken"]
    right = {"person": "ana", "roles": ["dealer"], "way": "console"}
    tell("the journal has the person, in the role that her way in allows", taken == [right], str(taken))
    refused = [event for event in events if event["kind"] == "AccessDenied"]
    tell("who was turned away is in the journal", len(refused) == 1, str(refused))
    await auditor.close()


async def what_would_break_it(bench: Bench) -> None:
    """Two lines that the unit leaves out, put in: what they would break is broken."""
    async with dropped_in("PrivateUsers=yes"):
        await systemctl("start", UNIT)
        answers = await as_user("croupier", HELLO)
        tell("with PrivateUsers=yes nobody is known at the socket", answers[0].get("roles") == [], str(answers[0]))
    # The copy of cpuinfo that stands for a board's own has nowhere to be put then. Only the factory is opened.
    opening = "/opt/pozo/current/bin/python -P -m controller.doctor.opening lgpio mcp23017"
    once = f"Type=oneshot\nRestart=no\nExecStart=\nExecStart={opening}"
    async with dropped_in(f"ProcSubset=pid\nBindReadOnlyPaths=\n{once}"):
        await systemctl("start", UNIT, check=False)
        said = next((line for line in (await log(lines=8)).splitlines() if "factory" in line), "nothing")
        gone = "cpuinfo" in said and "ProcSubset=pid" in said
        tell("with ProcSubset=pid the revision is gone, and the reason says so", gone, said)


async def a_bad_configuration(bench: Bench) -> None:
    """Exit 2: nothing is tried again, and the log says what to correct."""
    await bench.served.stop()
    good = CONFIG.read_text()
    CONFIG.write_text(good.replace("seats = 6", "seats = 66").replace('lamp = "x7"', 'lamp = "x0"'))
    await systemctl("start", UNIT, check=False)
    await asyncio.sleep(10)
    is_ = await shown("ActiveState", "ExecMainStatus", "NRestarts")
    tell(
        "a configuration with mistakes is started once",
        is_ == {"ActiveState": "failed", "ExecMainStatus": "2", "NRestarts": "0"},
        str(is_),
    )
    said = await log(lines=15)
    tell("its mistakes are in the log", "table.seats" in said and "x0" in said, said)
    CONFIG.write_text(good)


async def killed(bench: Bench) -> None:
    """kill -9 in a locked round: some seconds later it stands where it stood."""
    await bench.bet()
    before = await bench.state()
    pid = (await shown("MainPID"))["MainPID"]
    await run("kill", "-KILL", pid)
    took = await until(lambda: _back(pid), 60)
    is_ = await shown("NRestarts", "ActiveState")
    after = await bench.state()
    other = [(was, now) for key in before for was, now in pairs(before[key], after[key]) if was != now]
    again = is_ == {"NRestarts": "1", "ActiveState": "active"} and took <= BACK_S
    tell("killed, it is started again, s", again, str(is_), figure=took, limit=BACK_S)
    goes_on = not other and after["phase"] == "locked" and after["sealed"]
    tell("the round goes on", goes_on, f"{after['phase']} {other}")


def pairs(one: Any, other: Any) -> list[tuple[Any, Any]]:
    """What stands at the same place in both."""
    return list(zip(one, other, strict=True)) if isinstance(one, list) else [(one, other)]


async def _back(old: str) -> bool:
    is_ = await shown("ActiveState", "MainPID")
    return is_["ActiveState"] == "active" and is_["MainPID"] not in ("0", old)


async def stopped_still(bench: Bench) -> None:
    """SIGSTOP: the watchdog ends it."""
    await bench.running()
    is_ = await shown("MainPID", "NRestarts", "WatchdogUSec", "RestartUSec")
    await run("kill", "-STOP", is_["MainPID"])
    ended = await until(lambda: _gone(is_["MainPID"]), 100)
    limit = 30.0 + 1
    tell("the watchdog ends what stands still", ended <= limit, str(is_), figure=round(ended, 1), limit=limit)
    took = await until(lambda: _back(is_["MainPID"]), 60)
    now = await shown("NRestarts", "ActiveState")
    again = int(now["NRestarts"]) == int(is_["NRestarts"]) + 1 and now["ActiveState"] == "active" and took <= BACK_S
    tell("and it comes back, s", again, str(now), figure=took, limit=BACK_S)
    tell("the log names the watchdog", "Watchdog timeout" in await log(), "")
    state = await bench.state()
    tell("it is in service, where it stood", not state["out_of_service"], f"{state['phase']}, round {state['round']}")


async def _gone(pid: str) -> bool:
    return not modes(f"/proc/{pid}")


async def falling_down(bench: Bench) -> None:
    """What falls down at once is given up after twenty starts."""
    async with dropped_in("ExecStart=\nExecStart=/bin/false"):
        await systemctl("start", UNIT, check=False)
        await asyncio.sleep(60)
        is_ = await shown("ActiveState", "NRestarts")
        starts = int(is_["NRestarts"])
        tell("it gives up as the unit says", is_["ActiveState"] == "failed" and starts in (19, 20), str(is_))


async def memory(bench: Bench) -> None:
    """What is resident, with header and displays, ten seconds after the start."""
    await bench.running()
    await systemctl("start", CONSOLE)
    await asyncio.sleep(12)
    pss: dict[str, float] = {}
    for unit in (UNIT, CONSOLE):
        pid = (await shown("MainPID", unit=unit))["MainPID"]
        mb = megabytes(pid)
        pss[unit] = mb["Pss"]
        if unit == UNIT:
            tell("the daemon's resident memory, MB", mb["Rss"] <= DAEMON_MB, "", figure=mb["Rss"], limit=DAEMON_MB)
            tell("its proportional share, MB", mb["Pss"] <= DAEMON_MB, "", figure=mb["Pss"], limit=DAEMON_MB)
        else:
            note(f"{unit}: resident {mb['Rss']:.1f} MB, proportional {mb['Pss']:.1f} MB")
    total = sum(pss.values())
    parts = f"daemon {pss[UNIT]:.1f}, console {pss[CONSOLE]:.1f}; there is no web process yet"
    tell("all programs together, MB", total <= PROGRAMS_MB, parts, figure=total, limit=PROGRAMS_MB)
    await systemctl("stop", CONSOLE)


TRIED = (
    rules_of_the_machine,
    the_unit,
    an_edge,
    who_is_there,
    memory,
    killed,
    stopped_still,
    a_bad_configuration,
    what_would_break_it,
    falling_down,
)


async def main(only: str) -> None:
    """Try everything in whose name `only` is found."""
    bench = Bench()
    try:
        for each in TRIED:
            if re.search(only, each.__name__):
                note(each.__name__.replace("_", " "))
                await each(bench)
    finally:
        await bench.served.stop()
        await bench.electricity.close()


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--only", default="", metavar="SUBSTRING", help="or a regular expression")
    asyncio.run(main(parser.parse_args().only))
