"""`make install` beside a table that runs: given again, with other sources, back again; then away, and put back.

    python -m tests.hil.guest.upgrade

As root, in the machine, from the sources in /srv/source. Nothing is fetched from anywhere.
"""

from __future__ import annotations

import asyncio
import hashlib
from pathlib import Path

from tests.hil.guest.report import note, tell
from tests.hil.guest.round import MONEY, money
from tests.hil.guest.served import CONFIG, STATE, UNIT, Served, hal, run
from tests.hil.guest.table import ElectricTable
from tests.hil.guest.unit import ALLOW, CONSOLE, shown

SOURCE = Path("/srv/source")
ROOM = Path("/opt/pozo")
COPIES = STATE.parent / "before-upgrade"

OFFLINE = "PIP_ARGS=--no-index --find-links /srv/wheels"


async def make(target: str) -> str:
    """`make install` and its kind. Raises AssertionError when it fails."""
    words = ["make", "-C", str(SOURCE), target, *([OFFLINE] if target == "install" else [])]
    status, said = await run(*words)
    assert status == 0, said[-3000:]
    return said


def files(*places: Path) -> dict[str, tuple[int, str]]:
    """Every file below `places`: its age, and a digest of what is in it."""
    found = {}
    for place in places:
        for path in [place, *sorted(place.rglob("*"))]:
            if path.is_file() and not path.is_symlink() and "__pycache__" not in path.parts:
                found[str(path)] = (path.stat().st_mtime_ns, hashlib.sha256(path.read_bytes()).hexdigest())
    return found


def contents(*places: Path) -> dict[str, str]:
    """Every file below `places`, without its age."""
    return {name: digest for name, (_, digest) in files(*places).items()}


def version(which: str = "current") -> str:
    """The version that is installed, or the one before."""
    link = ROOM / which
    return link.readlink().name if link.is_symlink() else ""


def change() -> None:
    """Other sources, as a pull would bring them."""
    with (SOURCE / "controller/version.py").open("a") as file:
        file.write("# one step further\n")


def left_of_it() -> list[str]:
    """What there is of the program."""
    places = (ROOM, Path("/usr/local/bin/pozo"), Path("/usr/local/lib/systemd/system/pozo@.service"))
    return [str(place) for place in places if place.exists() or place.is_symlink()]


def wanted() -> list[str]:
    """The units of pozo that the machine starts by itself."""
    return [path.name for path in Path("/etc/systemd/system").glob("*.wants/pozo*@*")]


async def program(pid: str) -> str:
    """The version that a process runs."""
    _, said = await run("sh", "-c", f"tr '\\0' ' ' < /proc/{pid}/cmdline")
    return next((part for part in said.split("/") if part[:1].isdigit()), said)


async def again() -> None:
    """The same sources a second time."""
    pid = (await shown("MainPID"))["MainPID"]
    before = await asyncio.to_thread(files, ROOM / "versions", CONFIG.parent)
    units = await asyncio.to_thread(contents, Path("/usr/local/lib"))
    first = version()
    said = await make("install")
    after = await asyncio.to_thread(files, ROOM / "versions", CONFIG.parent)
    tell("given again, it changes no file of a version", after == before and bool(before), f"{len(before)} files")
    tell("and nothing of the system", await asyncio.to_thread(contents, Path("/usr/local/lib")) == units, said[-200:])
    same = (await shown("MainPID", "NRestarts")) == {"MainPID": pid, "NRestarts": "0"} and version() == first
    tell("and restarts nothing", same, f"{version()}, process {pid}")


async def another(served: Served) -> None:
    """Other sources: a copy of every journal first, and the running table goes on."""
    pid, first = (await shown("MainPID"))["MainPID"], version()
    change()
    said = await make("install")
    second = version()
    tell("other sources are another version", second != first == version("previous"), f"{first}, {second}")
    copy = COPIES / second / CONFIG.stem
    status, verified = await run("runuser", "-u", "pozo", "--", "pozo", "journal", "verify", "--journal", str(copy))
    tell("a copy of the journal was made first, and verifies", status == 0, verified.strip()[-200:])
    running = await program(pid)
    goes_on = (await shown("MainPID"))["MainPID"] == pid
    client = await served.login("ana")
    answer = await client.command("load 2 3")
    await client.close()
    tell(
        "the running table goes on with the version before",
        goes_on and running == first and answer["ok"],
        f"{running}, {answer}",
    )
    tell("it is said what that means", "systemctl restart" in said and "rollback" in said, said[-300:])
    await served.stop()
    await served.start()
    now = await program((await shown("MainPID"))["MainPID"])
    tell("restarted, it runs the new one", now == second, now)
    state = await _credits(served)
    tell("and stands where it stood", state == 3, f"{state} credits at seat 2")


async def _credits(served: Served) -> int:
    client = await served.login("ana")
    state = (await client.state())["state"]
    await client.close()
    return int(state["seats"][1]["credits"])


async def back(served: Served) -> None:
    """The way back, while the version before understands the journal."""
    second, first = version(), version("previous")
    await make("rollback")
    tell("rollback goes back", (version(), version("previous")) == (first, second), version())
    await served.stop()
    await served.start()
    now = await program((await shown("MainPID"))["MainPID"])
    credits = await _credits(served)
    tell("the version before takes the journal over", now == first and credits == 3, f"{now}, {credits} credits")


async def away(served: Served) -> None:
    """Uninstalled: programs and units go, what is the house's stays; installed again, the table goes on."""
    await run("systemctl", "enable", "--now", CONSOLE)
    await run("systemctl", "enable", UNIT)
    await served.stop()
    before = await asyncio.to_thread(contents, CONFIG.parent, STATE.parent)
    await served.start()
    await make("uninstall")
    left = await asyncio.to_thread(contents, CONFIG.parent, STATE.parent)
    kept = {name for name in before if not name.endswith(("-wal", "-shm", ".db", "lock"))}
    same = all(left.get(name) == before[name] for name in kept) and any(name.endswith(".db") for name in left)
    tell("uninstalled, configuration, persons and journals are there", same, ", ".join(sorted(left)))
    is_ = await shown("ActiveState", "LoadState")
    gone = not left_of_it() and is_["ActiveState"] == "inactive"
    _, users = await run("id", "-un", "pozo")
    tell("the program is gone, nothing of it runs, its user stays", gone and users.strip() == "pozo", str(is_))
    tell("nothing of it starts with the machine", not wanted(), str(wanted()))
    await make("uninstall")
    await make("install")
    await served.start()
    credits = await _credits(served)
    tell("installed again, the table stands where it stood", credits == 3, f"{credits} credits at seat 2")


async def main() -> None:
    """All of it, in this order."""
    served = Served(money(MONEY) + ALLOW, hal(6, None))
    electricity = ElectricTable(served.hardware.wiring, "credits")
    try:
        await served.fresh()
        await served.start()
        for name, step in (
            ("again", again()),
            ("another version", another(served)),
            ("back", back(served)),
            ("away", away(served)),
        ):
            note(name)
            await step
    finally:
        await served.stop()
        await electricity.close()


if __name__ == "__main__":
    asyncio.run(main())
