"""`pozo doctor` in the machine, as a technician gives it: nothing wrong where nothing is, and what is wrong, named.

    python -m tests.hil.guest.technician

The machine is made to look like a Raspberry Pi to who asks for its model; its revision is read as on any board.
"""

from __future__ import annotations

import asyncio
import json
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.hil.guest.report import note, tell
from tests.hil.guest.round import MONEY, money
from tests.hil.guest.served import CONFIG, UNIT, Served, hal, run, systemctl
from tests.hil.guest.table import ElectricTable

MODEL = "Raspberry Pi 4 Model B Rev 1.4"
FIRMWARE = Path("/sys/firmware")
"""Where a device tree would be."""

RIGHT = {
    ("warn", "watchdog"): "no device",
    ("warn", "clock"): "not synchronised",
    ("warn", "copy"): "no second copy",
    ("warn", "memory"): "busy",
}
"""What is to be said of this machine: it has no watchdog, no network and one disk, and may be busy."""

Said = list[dict[str, str]]


async def doctor(*words: str, user: str = "") -> tuple[int, Said]:
    """What the doctor finds, and its exit status."""
    command = ["pozo", "doctor", "--config", str(CONFIG), "--json", "--language", "en", *words]
    status, said = await run(*(["runuser", "-u", user, "--", *command] if user else command))
    return status, json.loads(said)["findings"]


def false_alarms(found: Said) -> list[str]:
    """What it warns of though nothing is wrong."""
    alarms = []
    for each in found:
        known = RIGHT.get((each["level"], each["topic"]), "\0")
        if each["level"] in ("warn", "fail") and known not in each["what"]:
            alarms.append(f"{each['level']} {each['topic']}: {each['what']}")
    return alarms


def failures(found: Said, topic: str) -> str:
    """All that fails about `topic`."""
    return " / ".join(each["what"] for each in found if each["level"] == "fail" and each["topic"] == topic)


def listed(found: Said) -> None:
    """Everything, for whoever waits."""
    for each in found:
        note(f"  {each['level']:4} {each['topic']}: {each['what']}")


@contextmanager
def a_pi() -> Iterator[None]:
    """The machine says that it is a Raspberry Pi."""
    subprocess.run(["mount", "-t", "tmpfs", "tmpfs", FIRMWARE], check=True)
    try:
        place = FIRMWARE / "devicetree/base"
        place.mkdir(parents=True)
        (place / "model").write_text(f"{MODEL}\0")
        yield
    finally:
        subprocess.run(["umount", FIRMWARE], check=True)


async def all_is_well(served: Served) -> None:
    """Beside the running table, and while it does not run."""
    await served.fresh()
    await systemctl("enable", "--quiet", UNIT)
    await served.start()
    status, found = await doctor("--probe")
    listed(found)
    topics = {each["topic"] for each in found if each["level"] == "ok"}
    seen = {"board", "kernel", "factory", "gpio", "i2c", "displays", "disk", "journal", "people", "control", "service"}
    tell("no false alarm beside a running table", not false_alarms(found) and status == 0, str(false_alarms(found)))
    tell("all that is there is found", seen <= topics, f"not: {seen - topics}")
    oled = [each["what"] for each in found if each["topic"] == "displays"]
    tell("the OLED answers beside the table", any("answers at" in what for what in oled), str(oled))
    client = await served.login("ana")
    goes_on = not (await client.state())["state"]["out_of_service"]
    await client.close()
    tell("the table does not notice", goes_on)
    await served.stop()
    status, found = await doctor()
    tell("no false alarm while it does not run", not false_alarms(found) and status == 0, str(false_alarms(found)))


async def something_is_wrong() -> None:
    """The OLED elsewhere; a user who is in no group; a table that nobody can read."""
    good = await asyncio.to_thread(CONFIG.read_text)
    await asyncio.to_thread(CONFIG.write_text, good.replace("address = 0x3c", "address = 0x3d"))
    status, found = await doctor()
    named = failures(found, "displays")
    tell("an OLED at another address is named", status == 1 and "0x3d" in named, named)
    await asyncio.to_thread(CONFIG.write_text, good)
    await run("useradd", "passer-by")
    status, found = await doctor(user="passer-by")
    gpio, display = failures(found, "gpio"), failures(found, "displays")
    barred = "/dev/gpiochip0 may not be used by passer-by" in gpio and "may not be used by passer-by" in display
    tell("a user in no group is told which", status == 1 and barred, f"{gpio} / {display}")


async def main() -> None:
    """All of it."""
    served = Served(money(MONEY), hal(6, None))
    electricity = ElectricTable(served.hardware.wiring, "credits")
    try:
        with a_pi():
            await all_is_well(served)
            await something_is_wrong()
    finally:
        await served.stop()
        await electricity.close()


if __name__ == "__main__":
    asyncio.run(main())
