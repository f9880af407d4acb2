"""`make install` into a folder that stands for the machine: twice, upgraded, rolled back, and taken away again."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

from controller.config import load, opening
from controller.core.evolve import evolve
from controller.journal.verify import verify
from controller.journal.writer import Journal
from controller.version import VERSION
from tests.engine.journals import WALL

ROOT = Path(__file__).parents[2]
SOURCES = ("controller", "hal", "firmware", "docs", "examples", "systemd")
FILES = ("pyproject.toml", "setup.py", "constraints.txt", "README.md", "LICENSE", "Makefile")


class Machine:
    """A folder that stands for a machine, and a checkout beside it. Nothing is fetched from anywhere."""

    def __init__(self, folder: Path) -> None:
        self.root = folder / "machine"
        self.checkout = folder / "checkout"
        self.root.mkdir()
        leave_out = shutil.ignore_patterns("__pycache__")
        for name in SOURCES:
            shutil.copytree(ROOT / name, self.checkout / name, ignore=leave_out)
        for name in FILES:
            shutil.copy(ROOT / name, self.checkout / name)

    def make(self, target: str) -> str:
        done = self.tried(target)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def tried(self, target: str) -> subprocess.CompletedProcess[str]:
        environment = {
            **os.environ,
            "DESTDIR": str(self.root),
            "EXTRAS": "",
            "PIP_ARGS": "--no-deps --no-index",
            "PYTHONPATH": sysconfig.get_path("purelib"),  # in place of what pip would fetch
        }
        command = ["make", "-s", target, f"PYTHON={sys.executable}"]
        return subprocess.run(command, cwd=self.checkout, env=environment, capture_output=True, text=True, check=False)

    def version(self, name: str = "current") -> str:
        return (self.root / "opt/pozo" / name).readlink().name

    def tree(self) -> dict[str, tuple[int, int]]:
        """Every file with its inode and time, but for the program's own copies of docs and units."""
        files = (self.root / "opt/pozo/versions").rglob("*")
        return {str(path): (path.stat().st_ino, path.stat().st_mtime_ns) for path in files if path.is_file()}


@pytest.mark.skipif(shutil.which("make") is None, reason="there is no make here")
def test_installed_twice_upgraded_rolled_back_and_uninstalled(tmp_path: Path) -> None:
    machine = Machine(tmp_path)
    state, etc = machine.root / "var/lib/pozo", machine.root / "etc/pozo"

    assert "is installed in /opt/pozo" in machine.make("install")
    first, tree = machine.version(), machine.tree()
    assert first.startswith(f"{VERSION}-")
    machine.make("install")
    assert (machine.version(), machine.tree()) == (first, tree)
    assert (machine.root / "usr/local/bin/pozo").readlink() == Path("/opt/pozo/bin/pozo")
    script = (machine.root / "opt/pozo/bin/pozo").read_text()
    assert script.startswith(f"#!/opt/pozo/versions/{first}/bin/python")
    for name in ("systemd/system/pozo@.service", "sysusers.d/pozo.conf", "tmpfiles.d/pozo.conf"):
        assert (machine.root / "usr/local/lib" / name).is_file()

    shutil.copy(ROOT / "examples/tables/draw-1.toml", etc)
    config = load(etc / "draw-1.toml", {"STATE_DIRECTORY": str(state / "draw-1")})
    Journal.create(config.journal, opening(config), WALL, evolve).close()

    changed(machine, "one step further")
    told = machine.make("install")
    second = machine.version()
    assert second != first
    assert machine.version("previous") == first
    assert "promised until the first event of a new kind or version" in told
    report = verify(state / "before-upgrade" / second / "draw-1", evolve)
    assert (report.damage, report.last) == (None, 1)

    file = config.journal / "000001.db"
    sound = file.read_bytes()
    file.write_bytes(sound.replace(b"draw-poker", b"draw-pokes"))
    changed(machine, "another step")
    refused = machine.tried("install")
    assert refused.returncode != 0
    assert "nothing was changed" in refused.stderr
    assert machine.version() == second
    assert machine.tried("rollback").returncode != 0
    file.write_bytes(sound)

    machine.make("rollback")
    assert (machine.version(), machine.version("previous")) == (first, second)

    machine.make("uninstall")
    machine.make("uninstall")
    left = {str(path.relative_to(machine.root)) for path in machine.root.rglob("*") if path.is_file()}
    assert {name for name in left if not name.startswith(("etc/pozo/", "var/lib/pozo/"))} == set()
    assert {"etc/pozo/draw-1.toml", "var/lib/pozo/draw-1/000001.db"} <= left


def changed(machine: Machine, change: str) -> None:
    """Change the checkout, as a pull would."""
    with (machine.checkout / "controller/version.py").open("a") as file:
        file.write(f"# {change}\n")


def test_a_real_machine_is_changed_by_root_only() -> None:
    if os.getuid() == 0:
        pytest.skip("root may change it")
    done = subprocess.run([ROOT / "systemd/install.sh", "install"], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "sudo make install" in done.stderr


def test_what_no_package_source_has_is_said_and_nothing_is_changed(tmp_path: Path) -> None:
    """From Python 3.13 on lgpio is the system's; plain Debian has none. Nothing here gets as far as this machine."""
    machine = Machine(tmp_path)
    stand_ins = {
        "id": "echo 0",
        "apt-get": 'case "$*" in *python3-lgpio*) exit 100 ;; esac',
        "python3.13": 'case "$*" in *lgpio* | "-m venv"*) exit 1 ;; esac',
    }
    for name, script in stand_ins.items():
        (tmp_path / name).write_text(f"#!/bin/sh\n{script}\n")
        (tmp_path / name).chmod(0o755)
    environment = {**os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}", "PYTHON": "python3.13"}
    environment |= {"PREFIX": str(tmp_path / "opt"), "DESTDIR": ""}
    install = ["sh", "systemd/install.sh", "install"]
    done = subprocess.run(install, cwd=machine.checkout, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "python3-lgpio cannot be had" in done.stderr
    assert not (tmp_path / "opt").exists()
