"""The facts of the computer."""

from __future__ import annotations

import grp
import os
import platform
import re
import shutil
import sys
from contextlib import suppress
from pathlib import Path
from typing import TypedDict

from controller.doctor.facts import Device, GpioChip, I2cBus, Machine, SerialPort, Watchdog
from controller.doctor.senses import Senses

PORTS = ("ttyAMA[0-9]*", "ttyUSB[0-9]*", "ttyACM[0-9]*")
PORTS_OF_A_PI = ("ttyS[0-9]*",)
"""A PC has dozens of these names, with nothing behind most."""


def machine(senses: Senses, *, probe: bool = False) -> Machine:
    """What the machine is; `probe` asks the I2C buses who is there."""
    model = senses.text("/proc/device-tree/model") or senses.text("/sys/firmware/devicetree/base/model")
    is_pi = model.startswith("Raspberry Pi")
    return Machine(
        model=model or senses.text("/sys/class/dmi/id/product_name"),
        revision=_revision(senses) if is_pi else None,
        kernel=senses.text("/proc/sys/kernel/osrelease"),
        arch=platform.machine(),
        system=_system(senses),
        python=sys.version_info[:3],
        user=senses.user(),
        memory=_memory(senses, "MemTotal"),
        memory_free=_memory(senses, "MemAvailable"),
        load=_load(senses),
        temperature=_whole(senses.text("/sys/class/thermal/thermal_zone0/temp")),
        throttled=_throttled(senses) if is_pi else None,
        chips=tuple(_chip(senses, path) for path in senses.named("dev/gpiochip[0-9]*") if not path.is_symlink()),
        buses=tuple(_bus(senses, path, probe) for path in senses.named("dev/i2c-[0-9]*")),
        spi=tuple(Device(**device(senses, path)) for path in senses.named("dev/spidev*")),
        ports=_ports(senses, is_pi),
        watchdog=_watchdog(senses),
        encoding=sys.stdout.encoding or "?",
        columns=shutil.get_terminal_size().columns,
        terminal=os.environ.get("TERM", ""),
    )


def _revision(senses: Senses) -> int | None:
    """As gpiozero looks for it: the device tree, then /proc/cpuinfo."""
    if len(told := senses.raw("/proc/device-tree/system/linux,revision")) == 4:
        return int.from_bytes(told, "big")
    match = re.search(r"^Revision\s*:\s*([0-9a-fA-F]+)$", senses.text("/proc/cpuinfo"), re.MULTILINE)
    return int(match[1], 16) if match else None


def _system(senses: Senses) -> str:
    match = re.search(r'^PRETTY_NAME="?([^"\n]*)', senses.text("/etc/os-release"), re.MULTILINE)
    return match[1] if match else ""


def _memory(senses: Senses, what: str) -> int:
    match = re.search(rf"^{what}:\s+([0-9]+) kB", senses.text("/proc/meminfo"), re.MULTILINE)
    return int(match[1]) if match else 0


def _load(senses: Senses) -> int:
    """Programs that wait for a processor, in percent of the processors, over the last minute."""
    match = re.match(r"([0-9]+)\.([0-9]{2}) ", senses.text("/proc/loadavg"))
    processors = len(re.findall(r"^processor\s*:", senses.text("/proc/cpuinfo"), re.MULTILINE)) or 1
    return int(match[1] + match[2]) // processors if match else 0


def _whole(text: str, base: int = 10) -> int | None:
    try:
        return int(text, base)
    except ValueError:
        return None


def _throttled(senses: Senses) -> int | None:
    """From the kernel where it tells, else from the firmware's own program."""
    told = senses.text("/sys/devices/platform/soc/soc:firmware/get_throttled")
    if not told:
        answer = senses.run("vcgencmd", "get_throttled")
        told = answer[1].partition("=")[2] if answer and answer[0] == 0 else ""
    return _whole(told, 16)


class _Seen(TypedDict):
    path: str
    usable: bool
    group: str


def device(senses: Senses, path: Path) -> _Seen:
    """A file under ``/dev``, there or not."""
    try:
        group = grp.getgrgid(path.stat().st_gid).gr_name
    except (KeyError, OSError):
        group = "?"
    return {"path": senses.shown(path), "usable": senses.usable(path), "group": group}


def _chip(senses: Senses, path: Path) -> GpioChip:
    try:
        label, lines = senses.chip(path)
    except OSError:
        return GpioChip(**device(senses, path))
    held: dict[int, str] = {}
    with suppress(OSError):  # kernels before 5.10
        held = senses.held(path, lines)
    return GpioChip(**device(senses, path), label=label, lines=lines, held=held)


def _bus(senses: Senses, path: Path, probe: bool) -> I2cBus:
    number = path.name.removeprefix("i2c-")
    bound = {}
    for chip in senses.named(f"sys/bus/i2c/devices/{number}-[0-9a-f]*"):
        if (chip / "driver").exists() and (address := _whole(chip.name.partition("-")[2], 16)) is not None:
            bound[address] = senses.text(f"{senses.shown(chip)}/name")
    answering = None
    if probe:
        try:
            answering = senses.answering(path)
        except OSError:
            answering = None  # said by `usable`
    name = senses.text(f"/sys/class/i2c-dev/i2c-{number}/name")
    return I2cBus(**device(senses, path), name=name, bound=bound, answering=answering)


# --- serial ports ----------------------------------------------------------------------------------------


def _ports(senses: Senses, is_pi: bool) -> tuple[SerialPort, ...]:
    patterns = PORTS + PORTS_OF_A_PI if is_pi else PORTS
    there = [path for pattern in patterns for path in senses.named(f"dev/{pattern}")]
    if not there:
        return ()
    holders = _holders(senses, {senses.shown(path) for path in there})
    consoles = _consoles(senses)
    return tuple(
        SerialPort(
            **device(senses, path),
            holders=tuple(sorted(holders.get(senses.shown(path), ()))),
            locked=holder_of_lock(senses, path) is not None,
            console=path.name in consoles,
        )
        for path in there
    )


def _consoles(senses: Senses) -> set[str]:
    """The ports that the kernel talks to; /dev/serial0 is another name of one."""
    names = re.findall(r"\bconsole=(tty[A-Z]+[0-9]+|serial[0-9])", senses.text("/proc/cmdline"))
    return {senses.at(f"/dev/{name}").resolve().name for name in names}


def _holders(senses: Senses, paths: set[str]) -> dict[str, set[str]]:
    """Who has which of `paths` open, as far as this user may know."""
    found: dict[str, set[str]] = {}
    for descriptor in senses.named("proc/[0-9]*/fd/*"):
        try:
            target = os.readlink(descriptor)
        except OSError:
            continue
        if target in paths:
            process = descriptor.parts[-3]
            found.setdefault(target, set()).add(f"{senses.text(f'/proc/{process}/comm') or '?'} ({process})")
    return found


def holder_of_lock(senses: Senses, path: Path) -> int | None:
    """The process that has a lock on the file, from /proc/locks: trying would get into the way of who wants it."""
    try:
        seen = path.stat()
    except OSError:
        return None
    for line in senses.text("/proc/locks").splitlines():
        match = re.match(r"\d+: FLOCK +\S+ +WRITE (-?\d+) ([0-9a-f]+):([0-9a-f]+):(\d+) ", line)
        if match and int(match[4]) == seen.st_ino and _same_disk(seen.st_dev, match[2], match[3]):
            return int(match[1])
    return None


def _same_disk(device: int, major: str, minor: str) -> bool:
    return (os.major(device), os.minor(device)) == (int(major, 16), int(minor, 16))


def _watchdog(senses: Senses) -> Watchdog | None:
    if not senses.named("dev/watchdog*"):
        return None
    folder = "/sys/class/watchdog/watchdog0"
    told = senses.run("systemctl", "show", "--property=RuntimeWatchdogUSec")
    systemd = told[1].partition("=")[2] if told and told[0] == 0 else ""
    active = senses.text(f"{folder}/state") == "active"
    return Watchdog(identity=senses.text(f"{folder}/identity"), active=active, systemd=systemd)
