"""`pozo doctor`: what it makes of machines that are pretended, file by file, and of the table's own things."""

import json
import os
import tomllib
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from controller.clock import WallClock
from controller.config import load, opening
from controller.core.evolve import evolve
from controller.displays import LIBRARIES
from controller.doctor import computer, displays, standing, upkeep, wires
from controller.doctor.cli import main, service_environment
from controller.doctor.facts import (
    Clock,
    Copy,
    Disk,
    Door,
    Factory,
    Facts,
    Ledger,
    Machine,
    Staff,
    Standing,
    Table,
    Unit,
    Watchdog,
)
from controller.doctor.finding import Check, Finding
from controller.doctor.machine import machine
from controller.doctor.report import as_json, as_text, examine
from controller.doctor.senses import Senses, may_use
from controller.doctor.table import collect, described
from controller.doctor.wires import LEAST
from controller.journal.writer import Journal
from hal.display.places import Display, I2cPlace, SpiPlace

EXAMPLES = Path(__file__).parents[2] / "examples" / "tables"
NOW = datetime(2026, 12, 1, 3, 0, tzinfo=UTC)


class Pretended(Senses):
    """Another machine: its files under a folder, and here what no folder can pretend."""

    def __init__(self, root: Path) -> None:
        super().__init__(root)
        self.barred: set[str] = set()
        self.labels: dict[str, tuple[str, int]] = {}
        self.there: dict[str, tuple[int, ...]] = {}
        self.claimed: dict[str, dict[int, str]] = {}
        self.programs: dict[str, str] = {}
        self.installed = {"gpiozero": "2.0.1.post3", "lgpio": "0.2.2.0"}
        self.opening = (0, "")
        self.time, self.set = NOW, True
        self.answer: bytes | None = None
        self.space = 10**10

    def usable(self, path: Path) -> bool:
        return path.name not in self.barred

    def free(self, directory: Path) -> int:
        return self.space

    def run(self, *command: str) -> tuple[int, str] | None:
        told = self.programs.get(" ".join(command[:2]))
        return None if told is None else (0, told)

    def packages(self, names: Iterable[str]) -> dict[str, str]:
        return self.installed

    def open_factory(self, arguments: Sequence[str]) -> tuple[int, str]:
        return self.opening

    def chip(self, path: Path) -> tuple[str, int]:
        if path.name in self.barred:
            raise PermissionError(13, "Permission denied")
        return self.labels[path.name]

    def held(self, path: Path, lines: int) -> dict[int, str]:
        return self.claimed.get(path.name, {})

    def answering(self, path: Path) -> tuple[int, ...]:
        return self.there.get(path.name, ())

    def answers(self, path: Path, address: int) -> bool:
        if path.name in self.barred:
            raise PermissionError(13, "Permission denied")
        return address in self.there.get(path.name, ())

    def now(self) -> datetime:
        return self.time

    def synchronised(self) -> bool:
        return self.set

    def greet(self, path: Path, hello: bytes) -> bytes | None:
        assert hello.endswith(b"\n")
        return self.answer

    def put(self, path: str, content: str = "") -> Path:
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(content)
        return file


BOARDS = {
    "pi3": ("Raspberry Pi 3 Model B Plus Rev 1.3", "a020d3", "6.1.21-v7+", "pinctrl-bcm2835", 54, 921_000),
    "pi4": ("Raspberry Pi 4 Model B Rev 1.4", "c03114", "6.6.51+rpt-rpi-v8", "pinctrl-bcm2711", 58, 3_885_000),
    "pi5": ("Raspberry Pi 5 Model B Rev 1.0", "c04170", "6.12.25+rpt-rpi-2712", "pinctrl-rp1", 54, 8_255_000),
    "zero2w": ("Raspberry Pi Zero 2 W Rev 1.0", "902120", "6.6.51+rpt-rpi-v8", "pinctrl-bcm2835", 54, 426_000),
}


def board(root: Path, name: str) -> Pretended:
    """A Pi in good health, with everything that a table may need."""
    model, revision, kernel, label, lines, memory = BOARDS[name]
    pretended = Pretended(root)
    pretended.put("proc/device-tree/model", model + "\0")
    pretended.put("proc/cpuinfo", f"processor\t: 0\nprocessor\t: 1\n\nRevision\t: {revision}\nModel\t\t: {model}\n")
    pretended.put("proc/sys/kernel/osrelease", kernel + "\n")
    pretended.put("proc/meminfo", f"MemTotal:  {memory} kB\nMemFree: 1 kB\nMemAvailable:  {memory // 2} kB\n")
    pretended.put("proc/cmdline", "console=tty1 root=/dev/mmcblk0p2 rootwait")
    pretended.put("proc/self/mountinfo", "22 1 179:2 / / rw,noatime shared:1 - ext4 /dev/mmcblk0p2 rw\n")
    pretended.put("proc/locks")
    pretended.put("proc/loadavg", "1.27 0.80 0.50 1/120 999\n")
    pretended.put("etc/os-release", 'ID=debian\nPRETTY_NAME="Debian GNU/Linux 12 (bookworm)"\n')
    pretended.put("sys/class/thermal/thermal_zone0/temp", "48312\n")
    pretended.put("sys/class/watchdog/watchdog0/identity", "Broadcom BCM2835 Watchdog timer\n")
    pretended.put("sys/class/watchdog/watchdog0/state", "active\n")
    pretended.put("sys/class/i2c-dev/i2c-1/name", "bcm2835 (i2c@7e804000)\n")
    pretended.put("sys/bus/i2c/devices/1-0020/name", "mcp23017\n")
    pretended.put("sys/bus/i2c/devices/1-0020/driver/.keep")
    for device in ("gpiochip0", "gpiochip1", "i2c-1", "spidev0.0", "ttyAMA0", "watchdog0"):
        pretended.put(f"dev/{device}")
    pretended.labels = {"gpiochip0": (label, lines), "gpiochip1": ("mcp23017", 16)}
    pretended.programs["vcgencmd get_throttled"] = "throttled=0x0"
    return pretended


@pytest.fixture(params=BOARDS)
def healthy(request: pytest.FixtureRequest, tmp_path: Path) -> Pretended:
    return board(tmp_path, request.param)


GPIO_TABLE = Table(file=Path("/etc/pozo/draw-1.toml"), name="draw-1", backend="gpio", expander="mcp23017")


def facts(**changes: Any) -> Facts:
    """A healthy Pi 4 with a table on its header, but for `changes`; those of the machine by name, too."""
    computer_ = Machine(
        model="Raspberry Pi 4 Model B Rev 1.4",
        revision=0xC03114,
        kernel="6.6.51+rpt-rpi-v8",
        python=(3, 11, 2),
        memory=4_000_000,
        memory_free=2_000_000,
        temperature=50_000,
        throttled=0,
        encoding="utf-8",
    )
    of_machine = {name: changes.pop(name) for name in list(changes) if name in Machine.__struct_fields__}
    whole = Facts(
        version="1",
        language="en",
        machine=replace(computer_, **of_machine),
        clock=Clock(now=NOW, synchronised=True),
        packages={"gpiozero": "2.0.1", "lgpio": "0.2.2.0"},
        table=GPIO_TABLE,
        factory=Factory(loads=True, said=""),
    )
    return replace(whole, **changes)


def said(check: Check, seen: Facts) -> list[tuple[str, str]]:
    """Level and English text of each finding, all of which must be tellable."""
    return [(finding.level, told(finding)) for finding in check(seen)]


def told(finding: Finding) -> str:
    remedy = finding.remedy.format_map(finding.values)
    assert finding.level in ("ok", "note") or remedy, finding
    return finding.what.format_map(finding.values)


# --- whole machines --------------------------------------------------------------------------------------


def test_a_healthy_pi_with_a_table_on_its_header_fails_nowhere(healthy: Pretended) -> None:
    findings = examine(collect(healthy, "en", GPIO_TABLE, probe=True))
    assert [f for f in findings if f.level == "fail"] == []
    assert {f.topic for f in findings} >= {"board", "kernel", "power", "watchdog", "factory", "gpio", "i2c", "spi"}


def test_what_is_read_of_a_pi(tmp_path: Path) -> None:
    seen = machine(board(tmp_path, "pi5"), probe=True)
    assert (seen.model, seen.revision) == ("Raspberry Pi 5 Model B Rev 1.0", 0xC04170)
    assert seen.kernel_version == (6, 12, 25)
    assert seen.system == "Debian GNU/Linux 12 (bookworm)"
    assert [(chip.path, chip.label, chip.lines) for chip in seen.chips] == [
        ("/dev/gpiochip0", "pinctrl-rp1", 54),
        ("/dev/gpiochip1", "mcp23017", 16),
    ]
    (bus,) = seen.buses
    assert (bus.path, bus.bound, bus.answering) == ("/dev/i2c-1", {0x20: "mcp23017"}, ())
    assert (seen.temperature, seen.throttled) == (48312, 0)
    assert seen.load == 63


def test_a_revision_is_found_in_the_device_tree_first(tmp_path: Path) -> None:
    pretended = board(tmp_path, "pi4")
    pretended.put("proc/device-tree/system/linux,revision").write_bytes(bytes.fromhex("00d03115"))
    assert machine(pretended).revision == 0xD03115


def test_a_pc_is_asked_for_nothing_that_it_has_not(tmp_path: Path) -> None:
    pretended = Pretended(tmp_path)
    pretended.put("proc/sys/kernel/osrelease", "6.1.0-amd64")
    pretended.put("proc/meminfo", "MemTotal: 16000000 kB\nMemAvailable: 8000000 kB\n")
    findings = examine(collect(pretended, "en", replace(GPIO_TABLE, backend="simulated", expander="")))
    assert [f for f in findings if f.level not in ("ok", "note") and f.topic != "terminal"] == []
    assert {"gpio", "i2c", "spi", "serial", "power"}.isdisjoint(f.topic for f in findings)
    assert any("simulated" in told(f) for f in findings)


# --- computer --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("changes", "level"),
    [
        ({}, "ok"),
        ({"model": "", "revision": None}, "fail"),
        ({"model": "", "revision": None, "table": None}, "note"),
        ({"revision": None}, "fail"),
        ({"model": "Raspberry Pi Model B Rev 2", "revision": 0x000E}, "warn"),
        ({"model": "Raspberry Pi Zero W", "revision": 0x9000C1}, "warn"),
        ({"model": "Raspberry Pi Zero 2 W", "revision": 0x902120}, "ok"),
    ],
    ids=str,
)
def test_boards(changes: dict[str, Any], level: str) -> None:
    assert [found for found, _ in said(computer.board, facts(**changes))] == [level]


@pytest.mark.parametrize(
    ("kernel", "factory", "level"),
    [
        ("6.6.51+rpt-rpi-v8", "lgpio", "ok"),
        ("6.1.21-v8+", "rpigpio", "ok"),
        ("6.6.0-rpi", "rpigpio", "fail"),
        ("6.12.25+rpt", "rpigpio", "fail"),
        ("5.4.83-v7+", "lgpio", "warn"),
    ],
)
def test_kernels_and_what_they_do_to_a_factory(kernel: str, factory: str, level: str) -> None:
    ((found, text),) = said(computer.kernel, facts(kernel=kernel, table=replace(GPIO_TABLE, factory=factory)))
    assert found == level
    assert ("degraded" in text) is (level == "fail")


@pytest.mark.parametrize(
    ("throttled", "temperature", "expected"),
    [
        (0, 50_000, ["ok"]),
        (1 << 0 | 1 << 16, 50_000, ["fail"]),
        (1 << 16, 50_000, ["warn"]),
        (1 << 3, 81_000, ["warn"]),
        (0, 85_000, ["warn", "ok"]),
        (None, 50_000, ["note"]),
        (1 << 0 | 1 << 2, 90_000, ["fail", "warn"]),
    ],
)
def test_power_and_heat(throttled: int | None, temperature: int, expected: list[str]) -> None:
    found = [level for level, _ in said(computer.power, facts(throttled=throttled, temperature=temperature))]
    assert found[: len(expected)] == expected[: len(found)]
    assert found


@pytest.mark.parametrize(
    ("dog", "level"),
    [
        (None, "warn"),
        (Watchdog(identity="bcm", active=True, systemd=""), "ok"),
        (Watchdog(identity="bcm", active=False, systemd="15s"), "ok"),
        (Watchdog(identity="bcm", active=False, systemd="0"), "warn"),
    ],
)
def test_the_watchdog(dog: Watchdog | None, level: str) -> None:
    assert [found for found, _ in said(computer.watchdog, facts(watchdog=dog))] == [level]


def test_memory_terminal_and_python() -> None:
    assert said(computer.memory, facts(memory_free=60_000)) == [("warn", "only 58 of 3906 MB are free")]
    assert said(computer.load, facts(load=250)) == [("warn", "the processors are busy: load 250%")]
    assert said(computer.load, facts(load=90)) == []
    assert said(computer.terminal, facts(encoding="ascii"))[0][0] == "warn"
    assert said(computer.terminal, facts(columns=60))[0][0] == "note"
    assert said(computer.program, facts(python=(3, 9, 2))) == [("fail", "Python 3.9.2 is too old")]


# --- wires -----------------------------------------------------------------------------------------------


def test_the_versions_are_those_that_are_asked_of_pip() -> None:
    project = tomllib.loads((EXAMPLES.parents[1] / "pyproject.toml").read_text())["project"]
    wanted = [line.partition(";")[0] for line in project["optional-dependencies"]["gpio"]]
    assert sorted(wanted) == sorted(f"{name}>={'.'.join(map(str, least))}" for name, least in LEAST.items())


@pytest.mark.parametrize(
    ("changes", "first"),
    [
        ({}, ("ok", "lgpio 0.2.2.0 opens, gpiozero 2.0.1")),
        ({"packages": {"gpiozero": "2.0.1"}}, ("fail", "lgpio is not installed")),
        (
            {"packages": {"gpiozero": "2.0.1", "lgpio": "0.0.0.2"}},
            ("fail", "lgpio 0.0.0.2 is too old: 0.2.2 is needed"),
        ),
        ({"packages": {"gpiozero": "1.6.2", "lgpio": "0.2.2"}}, ("fail", "gpiozero 1.6.2 is too old: 2.0.1 is needed")),
        ({"table": replace(GPIO_TABLE, factory="mock")}, ("warn", "mock: a board without wires, for tests only")),
        ({"table": replace(GPIO_TABLE, factory="rpigpio")}, ("warn", "rpigpio: degraded, for old systems only")),
        (
            {"table": replace(GPIO_TABLE, factory="rpigpio"), "revision": 0xC04170},
            ("fail", "rpigpio cannot run on a Pi 5"),
        ),
        (
            {"revision": 0xC04170, "packages": {"gpiozero": "2.0.1.post1", "lgpio": "0.2.2"}},
            ("warn", "gpiozero 2.0.1.post1 chooses wrongly on a Pi 5 by itself"),
        ),
    ],
    ids=str,
)
def test_factories(changes: dict[str, Any], first: tuple[str, str]) -> None:
    assert said(wires.factory, facts(**changes))[0] == first


def test_a_factory_that_does_not_open_says_why() -> None:
    (finding,) = wires.factory(facts(factory=Factory(loads=False, said="it is busy {}; stop it.")))
    assert finding.level == "fail"
    assert finding.what.format_map(finding.values) == "lgpio does not open: it is busy {}; stop it."


def test_the_real_mock_factory_opens() -> None:
    assert Senses().open_factory(["mock"]) == (0, "")


def test_chips_that_are_missing_barred_or_others(tmp_path: Path) -> None:
    pretended = board(tmp_path, "pi4")

    def levels() -> list[tuple[str, str]]:
        return said(wires.gpio, collect(pretended, "en", GPIO_TABLE))

    assert [level for level, _ in levels()] == ["ok", "ok"]
    pretended.barred = {"gpiochip0"}
    assert levels()[0][0] == "fail"
    assert "/dev/gpiochip0 may not be used by" in levels()[0][1]
    pretended.barred = {"gpiochip0", "gpiochip1"}
    assert ["may not be used by" in text for _, text in levels()] == [True, True]  # who cannot look misses nothing
    pretended.barred = set()
    pretended.labels["gpiochip1"] = ("raspberrypi-exp-gpio", 8)
    assert ("fail", "the expander mcp23017 is not there") in levels()
    pretended.labels["gpiochip0"] = ("gpio-mockup", 8)
    assert levels()[0] == ("fail", "no chip is the header's")
    for chip in ("gpiochip0", "gpiochip1"):
        (tmp_path / "dev" / chip).unlink()
    assert levels()[0] == ("fail", "there is no /dev/gpiochip")


@pytest.mark.parametrize(("kernel", "number", "usual"), [
    ("6.6.31+rpt", 4, True), ("6.6.45+rpt", 0, True), ("6.6.51+rpt", 4, False), ("6.6.20+rpt", 0, False),
])  # fmt: skip
def test_the_header_of_a_pi_5_moved_at_6_6_45(tmp_path: Path, kernel: str, number: int, usual: bool) -> None:
    pretended = board(tmp_path, "pi5")
    pretended.put("proc/sys/kernel/osrelease", kernel)
    pretended.put("dev/gpiochip4")
    pretended.labels |= {"gpiochip0": ("gpio-brcmstb", 32), "gpiochip4": ("gpio-brcmstb", 32)}
    pretended.labels[f"gpiochip{number}"] = ("pinctrl-rp1", 54)
    assert ("warn" in {level for level, _ in said(wires.gpio, collect(pretended, "en", GPIO_TABLE))}) is not usual


def test_a_link_to_a_chip_is_not_another_chip(tmp_path: Path) -> None:
    pretended = board(tmp_path, "pi5")
    (tmp_path / "dev" / "gpiochip4").symlink_to("gpiochip0")
    assert [chip.path for chip in machine(pretended).chips] == ["/dev/gpiochip0", "/dev/gpiochip1"]


@pytest.mark.parametrize(
    ("mode", "user", "groups", "may"),
    [
        (0o660, 5, [7], True),
        (0o660, 5, [8], False),
        (0o606, 5, [7], False),
        (0o066, 0, [7], False),
        (0o606, 5, [8], True),
    ],
)
def test_whose_permissions(mode: int, user: int, groups: list[int], may: bool) -> None:
    """Of a file of user 0 and group 7; the first class that fits decides."""
    seen = os.stat_result((mode, 1, 1, 1, 0, 7, 0, 0, 0, 0))
    assert may_use(seen, user, groups) is may


def test_lines_that_somebody_else_has(tmp_path: Path) -> None:
    pretended = board(tmp_path, "pi4")
    pretended.claimed = {"gpiochip0": {5: "lg", 17: "spi0 CS0", 9: "other"}, "gpiochip1": {0: "reset"}}
    pins = (("key_open", "header", 5), ("seats[1].button", "header", 17), ("seats[1].lamp", "expander", 0))
    seen = collect(pretended, "en", replace(GPIO_TABLE, pins=pins))
    others = [
        ("fail", "GPIO17, the table's seats[1].button, is in use by spi0 CS0"),
        ("fail", "x0, the table's seats[1].lamp, is in use by reset"),
    ]
    own = ("fail", "GPIO5, the table's key_open, is in use by lg")
    assert [found for found in said(wires.gpio, seen) if found[0] == "fail"] == [own, *others]
    running = replace(seen, ledger=Ledger(directory=Path("/j"), there=True, writer=7))
    assert [found for found in said(wires.gpio, running) if found[0] == "fail"] == others


def test_the_pins_are_those_of_the_file(tmp_path: Path) -> None:
    file = tmp_path / "t.toml"
    money = (EXAMPLES / "draw-chips.toml").read_text().replace("[hal]\nbackend", "[hal_]\nbackend").split("[hal_]")[0]
    file.write_text(money + (EXAMPLES.parents[1] / "wiring" / "gpio-chips-6.toml").read_text())
    pins = described(file, load(file)).pins
    assert ("key_open", "header", 5) in pins
    assert len(pins) == len(set(pins)) > 20


def test_i2c_is_probed_only_when_asked(tmp_path: Path) -> None:
    pretended = board(tmp_path, "pi4")
    pretended.there["i2c-1"] = (0x3C, 0x50)
    (bus,) = machine(pretended).buses
    assert bus.answering is None
    probed = collect(pretended, "en", GPIO_TABLE, probe=True)
    ((level, text),) = said(wires.i2c, probed)
    assert level == "ok"
    assert text.endswith("the kernel drives: 0x20 mcp23017; answering: 0x3c OLED, 0x50 ?")


def test_a_serial_port_tells_who_has_it(tmp_path: Path) -> None:
    pretended = board(tmp_path, "pi4")
    on_serial = replace(GPIO_TABLE, backend="serial", expander="")

    def now() -> tuple[str, str]:
        (found,) = said(wires.serial, collect(pretended, "en", on_serial))
        return found

    assert now() == ("ok", "/dev/ttyAMA0 is free")
    for process, name in ((41, "pozo"), (52, "minicom")):
        pretended.put(f"proc/{process}/comm", name + "\n")
        (tmp_path / f"proc/{process}/fd").mkdir()
        if process == 52:
            port = (tmp_path / "dev/ttyAMA0").stat()
            place = f"{os.major(port.st_dev):02x}:{os.minor(port.st_dev):02x}:{port.st_ino}"
            pretended.put("proc/locks", f"1: FLOCK  ADVISORY  WRITE 41 {place} 0 EOF\n")
            assert now() == ("ok", "/dev/ttyAMA0 is held by pozo (41), exclusively")
        (tmp_path / f"proc/{process}/fd/5").symlink_to("/dev/ttyAMA0")
    assert now() == ("fail", "/dev/ttyAMA0 is open in minicom (52), pozo (41)")
    (tmp_path / "dev/serial0").symlink_to("ttyAMA0")
    pretended.put("proc/cmdline", "console=serial0,115200 console=tty1")
    assert now() == ("warn", "/dev/ttyAMA0 is the system's console")


# --- upkeep ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("now", "synchronised", "last", "level"),
    [
        (NOW, True, None, "ok"),
        (NOW, True, NOW - timedelta(seconds=1), "ok"),
        (NOW, False, NOW - timedelta(days=1), "warn"),
        (NOW, True, NOW, "warn"),
        (NOW, False, NOW + timedelta(hours=5), "warn"),
        (datetime(1970, 1, 1, tzinfo=UTC), False, None, "warn"),
    ],
)
def test_a_clock_after_a_power_cut(now: datetime, synchronised: bool, last: datetime | None, level: str) -> None:
    ledger = Ledger(directory=Path("/j"), there=True, last=last)
    seen = facts(clock=Clock(now=now, synchronised=synchronised, batteries=("rtc-ds1307",)), ledger=ledger)
    assert said(upkeep.clock, seen)[0][0] == level


HEALTHY_DISK = Disk(directory="/j", mount="/", kind="ext4", options=frozenset({"rw", "noatime"}), free=10**10)


@pytest.mark.parametrize(
    ("changes", "level", "word"),
    [
        ({}, "ok", "10000 MB free"),
        ({"kind": "tmpfs"}, "fail", "in memory"),
        ({"kind": "overlay"}, "fail", "overlay"),
        ({"kind": "vfat"}, "fail", "vfat"),
        ({"kind": "fuse.sshfs"}, "fail", "fuse.sshfs"),
        ({"options": frozenset({"ro"})}, "fail", "read-only"),
        ({"options": frozenset({"rw", "barrier=0"})}, "fail", "barrier=0"),
        ({"free": 10_000_000}, "fail", "full"),
        ({"free": 200_000_000}, "warn", "nearly full"),
        ({"errors": 3}, "fail", "3 errors"),
        ({"worn": 90}, "warn", "90%"),
    ],
    ids=str,
)
def test_disks(changes: dict[str, Any], level: str, word: str) -> None:
    ((found, text),) = said(upkeep.disk, facts(disk=replace(HEALTHY_DISK, **changes)))
    assert found == level
    assert word in text


def test_how_the_table_stands() -> None:
    def texts(**changes: Any) -> list[tuple[str, str]]:
        ledger = Ledger(directory=Path("/j"), there=True, standing=Standing(round=7, **changes))
        return said(standing.standing, facts(ledger=ledger))

    assert texts() == [("ok", "between two rounds, the last was 7")]
    assert texts(playing=True) == [("ok", "in round 7, which outlives restarts")]
    reason = "pot.base: the journal has 1, the file 2"
    assert texts(differences=reason)[0] == ("fail", reason)
    assert [level for level, _ in texts(differences=reason, out_of_service=reason)] == ["fail", "ok"]
    closed = texts(closed=((2, "dealer"), (3, "lamp")), alarms=2)
    assert closed[:2] == [("warn", "seat 3 is closed: its lamp failed"), ("note", "alarms not acknowledged: 2")]
    assert texts(failed=("screen",))[0] == ("warn", "does not work: one of the displays")


def test_a_reason_within_a_sentence_is_translated_too() -> None:
    ledger = Ledger(directory=Path("/j"), there=True, standing=Standing(round=7, closed=((3, "lamp"),)))
    findings = list(standing.standing(facts(ledger=ledger)))
    assert "its lamp failed" in as_text(findings, "en")
    assert "its lamp failed" not in as_text(findings, "es")


@pytest.mark.parametrize(
    ("changes", "level"),
    [
        ({}, "ok"),
        ({"same_medium": True}, "fail"),
        ({"entries": 700}, "warn"),
        ({"entries": 0}, "warn"),
        ({"disk": replace(HEALTHY_DISK, options=frozenset({"ro"}))}, "fail"),
    ],
    ids=str,
)
def test_the_second_copy(changes: dict[str, Any], level: str) -> None:
    whole = Copy(directory=Path("/media/pozo"), disk=HEALTHY_DISK, same_medium=False, entries=998)
    ledger = Ledger(directory=Path("/j"), there=True, entries=1000)
    assert said(standing.copy, facts(copy=replace(whole, **changes), ledger=ledger))[0][0] == level
    assert said(standing.copy, facts(ledger=ledger))[0][0] == "warn"


@pytest.mark.parametrize(
    ("staff", "level"),
    [
        (Staff(path=Path("/p"), there=True, mode=0o600, roles=frozenset({"supervisor", "technician"})), "ok"),
        (Staff(path=Path("/p"), there=True, mode=0o644, roles=frozenset({"supervisor", "technician"})), "fail"),
        (Staff(path=Path("/p"), there=False), "warn"),
    ],
)
def test_people(staff: Staff, level: str) -> None:
    assert said(upkeep.people, facts(staff=staff))[0][0] == level


@pytest.mark.parametrize(
    ("answers", "writer", "level"),
    [(True, 7, "ok"), (False, 7, "fail"), (None, 7, "fail"), (None, None, "note")],
)
def test_the_control_socket(answers: bool | None, writer: int | None, level: str) -> None:
    ledger = Ledger(directory=Path("/j"), there=True, writer=writer)
    door = Door(path=Path("/run/pozo.sock"), there=True, answers=answers, why="timed out")
    assert [found for found, _ in said(upkeep.control, facts(ledger=ledger, door=door))] == [level]


UNIT = Unit(
    name="pozo", active="active", sub="running", result="success", restarts=0, enabled="enabled", status="in service"
)


@pytest.mark.parametrize(
    ("changes", "level"),
    [
        ({}, "ok"),
        ({"active": "failed", "result": "exit-code"}, "fail"),
        ({"status": "out of service: The disk is full"}, "fail"),
        ({"restarts": 4}, "warn"),
        ({"enabled": "disabled"}, "warn"),
        ({"active": "inactive"}, "note"),
    ],
    ids=str,
)
def test_the_service(changes: dict[str, Any], level: str) -> None:
    assert [found for found, _ in said(upkeep.service, facts(units=(replace(UNIT, **changes),)))] == [level]


def test_units_are_those_of_systemctl(tmp_path: Path) -> None:
    pretended = board(tmp_path, "pi4")
    pretended.programs["systemctl show"] = (
        "Id=pozo-draw-1.service\nLoadState=loaded\nActiveState=active\nSubState=running\nResult=success\nNRestarts=2\n"
        "UnitFileState=enabled\nStatusText=in service\n\nId=pozo-x.service\nLoadState=not-found\n"
    )
    units = collect(pretended, "en", GPIO_TABLE).units
    assert units is not None
    assert [(unit.name, unit.restarts, unit.status) for unit in units] == [("pozo-draw-1", 2, "in service")]


# --- a real journal --------------------------------------------------------------------------------------


@pytest.fixture
def own(tmp_path: Path) -> Path:
    """A configuration whose journal is in `tmp_path`."""
    file = tmp_path / "table.toml"
    text = (EXAMPLES / "draw-1.toml").read_text().replace('language = "es"', 'language = "en"')
    file.write_text(text + '\n[journal]\ndirectory = "journal"\n[control]\nsocket = "pozo.sock"\n')
    return file


@pytest.fixture
def pretended(tmp_path: Path) -> Pretended:
    return board(tmp_path / "root", "zero2w")


def test_a_journal_is_looked_at_while_a_daemon_writes_it(own: Path, pretended: Pretended) -> None:
    config = load(own)
    table = described(own, config)
    ledger = collect(pretended, "en", table, config).ledger
    assert ledger is not None
    assert not ledger.there
    with Journal.create(config.journal, opening(config), WallClock().text(), evolve):
        lock = (config.journal / "lock").stat()
        place = f"{os.major(lock.st_dev):02x}:{os.minor(lock.st_dev):02x}:{lock.st_ino}"
        pretended.put(
            "proc/locks", f"1: POSIX  ADVISORY  READ 1 {place} 0 EOF\n2: FLOCK  ADVISORY  WRITE 77 {place} 0 EOF\n"
        )
        ledger = collect(pretended, "en", table, config).ledger
        assert ledger is not None
        assert (ledger.there, ledger.entries, ledger.writer, ledger.trouble) == (True, 1, 77, None)
    pretended.put("proc/locks")
    seen = collect(pretended, "en", table, config, whole=True)
    texts = [text for _, text in said(upkeep.journal, seen)]
    assert texts[0] == "entries up to 1, not in use"
    assert texts[1].startswith("Whole: table draw-1, 1 entries")


def test_what_the_file_asks_and_the_journal_has_not(own: Path, pretended: Pretended) -> None:
    config = load(own)
    Journal.create(config.journal, opening(config), WallClock().text(), evolve).close()
    own.write_text(own.read_text().replace('base = "10000000"', 'base = "20000000"'))
    changed = load(own)
    ((level, text), *_) = said(standing.standing, collect(pretended, "en", described(own, changed), changed))
    assert level == "fail"
    assert text.startswith("pot.base: the journal has 10000000, the file 20000000")


def test_the_service_has_its_own_directories(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("STATE_DIRECTORY", raising=False)
    senses = Pretended(tmp_path)
    (tmp_path / "var/lib/pozo/draw-1").mkdir(parents=True)
    environment = service_environment(Path("/etc/pozo/draw-1.toml"), senses)
    assert environment["STATE_DIRECTORY"] == "/var/lib/pozo/draw-1"
    assert "STATE_DIRECTORY" not in service_environment(tmp_path / "draw-1.toml", senses)
    assert "STATE_DIRECTORY" not in service_environment(Path("/etc/pozo/other.toml"), senses)


def test_a_damaged_journal_fails_with_its_own_words(
    own: Path, pretended: Pretended, capsys: pytest.CaptureFixture[str]
) -> None:
    config = load(own)
    Journal.create(config.journal, opening(config), WallClock().text(), evolve).close()
    (config.journal / "000001.db").write_bytes(b"nothing like it")
    assert main(["--config", str(own)], pretended) == 1
    out = capsys.readouterr().out
    assert "is no database" in out
    assert "Something is wrong: 1 to mend" in out


# --- the command -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("language", ["en", "es"])
def test_it_is_told_in_eighty_columns(healthy: Pretended, language: Any) -> None:
    findings = examine(collect(healthy, language, replace(GPIO_TABLE, mistakes="x.toml has a mistake:\n  line 3: y")))
    text = as_text(findings, language)
    for line in text.splitlines():
        assert len(line) <= 80 or " " not in line.strip(), line
        assert line == line.rstrip()


def test_programs_get_the_same(healthy: Pretended) -> None:
    findings = examine(collect(healthy, "en", GPIO_TABLE))
    whole = json.loads(as_json(findings, "en"))
    assert whole["ok"] is True
    assert len(whole["findings"]) == len(findings)
    assert set(whole["findings"][0]) == {"level", "topic", "what", "remedy"}


def test_exit_codes(own: Path, pretended: Pretended, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--config", str(own), "--json"], pretended) == 0
    assert json.loads(capsys.readouterr().out)["fail"] == 0
    own.write_text(own.read_text() + "\n[nonsense]\n")
    assert main(["--config", str(own)], pretended) == 1
    assert "nonsense" in capsys.readouterr().out
    assert main(["--config", str(tmp_path / "none.toml")], pretended) == 2
    assert main([], Pretended(tmp_path / "empty")) == 2


def test_a_file_with_mistakes_still_tells_its_hardware(tmp_path: Path) -> None:
    file = tmp_path / "t.toml"
    file.write_text('[hal]\nbackend = "gpio"\nfactory = "rpigpio"\nexpander = "mcp23017"\n')
    table = described(file, None, "mistakes")
    assert (table.backend, table.factory, table.expander) == ("gpio", "rpigpio", "mcp23017")
    file.write_text("hal = 3")
    assert described(file, None, "mistakes").backend == "simulated"


def test_the_real_machine_can_be_looked_at(own: Path) -> None:
    """Whatever it is: nothing falls over, and nothing is left behind."""
    before = sorted(os.listdir(own.parent))
    findings = examine(collect(Senses(), "en", described(own, load(own)), load(own), probe=True))
    assert as_text(findings, "en")
    assert sorted(os.listdir(own.parent)) == before


# --- displays --------------------------------------------------------------------------------------------

TERMINAL = Display("dealer", "sh1106", I2cPlace(3, 0x3C))
SIGN = Display("meter", "max7219", SpiPlace(0, 0), "calle")
INSTALLED = dict.fromkeys(LIBRARIES, "1")


def test_the_displays_of_the_table_are_looked_for_where_the_file_says(tmp_path: Path) -> None:
    pi = board(tmp_path, "pi4")

    def found() -> list[tuple[str, str]]:
        there = displays.seen(pi, (TERMINAL, SIGN), "en")
        return said(displays.displays, facts(packages=INSTALLED, displays=there))

    assert found() == [
        ("fail", "terminal: there is no /dev/i2c-3"),
        ("ok", "calle: MAX7219 at spidev0.0, which does not tell if it is there"),
    ]
    pi.put("dev/i2c-3")
    assert found()[0] == ("fail", "terminal: no SH1106 answers at i2c-3, 0x3c")
    pi.there["i2c-3"] = (0x3C,)
    assert found()[0] == ("ok", "terminal: SH1106 answers at i2c-3, 0x3c")
    pi.barred = {"i2c-3", "spidev0.0"}
    assert found() == [
        ("fail", "terminal: /dev/i2c-3 may not be used by "),
        ("fail", "calle: /dev/spidev0.0 may not be used by "),
    ]


def test_what_is_no_bus_does_not_answer() -> None:
    assert not Senses().answers(Path("/dev/null"), 0x3C)


def test_what_displays_need_is_installed_or_said_and_a_table_without_any_needs_nothing(tmp_path: Path) -> None:
    there = displays.seen(board(tmp_path, "pi4"), (SIGN,), "en")
    without = {name: version for name, version in INSTALLED.items() if name != "luma.oled"}
    levels = said(displays.displays, facts(packages=without, displays=there))
    assert levels[0] == ("fail", "luma.oled is not installed")
    assert len(levels) == 2
    assert said(displays.displays, facts(packages={})) == []


def test_a_file_with_displays_is_looked_at_as_a_whole(tmp_path: Path) -> None:
    file = tmp_path / "table.toml"
    wired = (EXAMPLES.parents[1] / "wiring" / "gpio-chips-6.toml").read_text()
    file.write_text((EXAMPLES / "draw-chips.toml").read_text().partition("[hal]")[0] + wired)
    config = load(file, {"HOME": str(tmp_path)})
    found = collect(board(tmp_path / "root", "pi4"), "es", described(file, config), config)
    assert [(shown.name, shown.place) for shown in found.displays] == [
        ("terminal", "i2c-3, 0x3c"),
        ("contador", "spidev0.1"),
        ("letrero", "spidev0.0"),
    ]
    assert "letrero: MAX7219 en spidev0.0" in as_text(examine(found), "es")
