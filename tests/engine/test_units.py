"""What systemd makes of the units: understood without a warning, and locked down as far as a table can be."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from controller.daemon import STUCK_S

UNITS = Path(__file__).parents[2] / "systemd"
INSTANCES = {"pozo@.service": "pozo@draw-1.service", "pozo-console@.service": "pozo-console@ttyAMA0.service"}
THRESHOLD = 10
"""Tenths: an exposure of 1.0 at most."""


@pytest.fixture(scope="module")
def analyze() -> str:
    """The program systemd-analyze; without it nobody can say what systemd makes of a unit."""
    found = shutil.which("systemd-analyze")
    if found is None:
        pytest.skip("systemd-analyze is not here (Debian: apt-get install systemd): the units were NOT examined")
    return found


def unit(name: str) -> dict[str, dict[str, list[str]]]:
    """The sections of a unit; each key's values in order."""
    sections: dict[str, dict[str, list[str]]] = {}
    section: dict[str, list[str]] = {}
    for line in (UNITS / name).read_text().splitlines():
        if line.startswith("["):
            section = sections.setdefault(line.strip("[]"), {})
        elif line and not line.startswith("#"):
            key, _, value = line.partition("=")
            section.setdefault(key, []).append(value)
    return sections


@pytest.mark.parametrize("name", INSTANCES)
def test_systemd_understands_every_line(analyze: str, name: str, tmp_path: Path) -> None:
    program = tmp_path / "bin" / "pozo"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    instance = tmp_path / INSTANCES[name]
    instance.write_text((UNITS / name).read_text().replace("/opt/pozo", str(tmp_path)))
    done = subprocess.run([analyze, "verify", str(instance)], capture_output=True, text=True, check=False)
    # It tells of any unit of the machine that this one leads to, and exits with 0 whatever it told.
    about_ours = [line for line in done.stderr.splitlines() if "pozo" in line]
    assert (done.returncode, about_ours) == (0, [])


@pytest.mark.parametrize("name", INSTANCES)
def test_exposure_is_one_at_most(analyze: str, name: str) -> None:
    command = [analyze, "security", "--offline=true", f"--threshold={THRESHOLD}", "--no-pager", str(UNITS / name)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_what_would_break_a_table_is_left_alone() -> None:
    service = unit("pozo@.service")["Service"]
    assert not {"PrivateUsers", "ProcSubset", "ProtectClock", "PrivateDevices", "DynamicUser"} & set(service)
    assert "adjtimex" in service["SystemCallFilter"][0].split()


def test_a_bad_configuration_is_no_reason_to_restart() -> None:
    service = unit("pozo@.service")["Service"]
    assert (service["Restart"], service["RestartPreventExitStatus"]) == (["on-failure"], ["2"])


def test_a_slow_card_never_uses_up_the_restarts_and_a_program_that_falls_down_does() -> None:
    sections = unit("pozo@.service")
    service, limits = sections["Service"], sections["Unit"]
    watchdog, restart = float(service["WatchdogSec"][0]), float(service["RestartSec"][0])
    (minutes,) = re.fullmatch(r"(\d+)min", limits["StartLimitIntervalSec"][0]).groups()  # type: ignore[union-attr]
    burst = int(limits["StartLimitBurst"][0])
    assert watchdog > STUCK_S
    assert burst * (watchdog + restart) > 60 * int(minutes) > burst * (restart + 5)


def test_lgpio_may_write_where_it_works() -> None:
    service = unit("pozo@.service")["Service"]
    place = service["WorkingDirectory"][0]
    assert f"LG_WD={place}" in service["Environment"]
    assert place.removeprefix("%t/") in service["RuntimeDirectory"][0].split()


def test_stopping_one_table_leaves_the_sockets_of_the_others() -> None:
    service = unit("pozo@.service")["Service"]
    assert service["RuntimeDirectory"][0].split()[0] == "pozo"
    assert service["RuntimeDirectoryPreserve"] == ["yes"]


def test_every_user_and_group_is_declared() -> None:
    lines = [line.split() for line in (UNITS / "pozo.sysusers").read_text().splitlines()]
    declared = {words[1] for words in lines if words and words[0] in ("u", "g")}
    there_anyway = {"root", "dialout", "tty"}
    used = {value for name in INSTANCES for key in ("User", "Group") for value in unit(name)["Service"][key]}
    used |= set(re.findall(r'GROUP="(\w+)"', (UNITS / "60-pozo.rules").read_text()))
    lines = [line.split() for line in (UNITS / "pozo.tmpfiles").read_text().splitlines()]
    used |= {owner for words in lines if words and words[0] == "d" for owner in words[3:5]}
    assert used <= declared | there_anyway


def test_systemd_understands_users_and_folders(tmp_path: Path) -> None:
    for program, file in (("systemd-sysusers", "pozo.sysusers"), ("systemd-tmpfiles", "pozo.tmpfiles")):
        found = shutil.which(program)
        if found is None:
            pytest.skip(f"{program} is not here (Debian: apt-get install systemd): {file} was NOT examined")
        (tmp_path / "etc").mkdir(exist_ok=True)  # the folders' owners are those that the first program has made
        how = ["--create"] if program == "systemd-tmpfiles" else []
        command = [found, f"--root={tmp_path}", *how, str(UNITS / file)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert file not in done.stderr, done.stderr
