"""pozo in the bench's machine: put there by its own ``make install``, and kept as it is after its next start, with the
harness in it.

Two things are kept, each named after what it was made from: the machine with pozo, at rest (`RESTING`), and the same
with the harness, which changes more often, in its memory (`READY`). Of each there are two disks with a snapshot: of a
machine in real time, and of one in virtual time.
"""

from __future__ import annotations

import base64
import fcntl
import gzip
import hashlib
import inspect
import io
import shutil
import subprocess
import sys
import tarfile
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from tests.hil.guest import board
from tests.hil.image import ROOT, Image, cache, forget, image, say
from tests.hil.machine import Machine, MachineError

READY = "ready"
RESTING = "resting"

PROGRAM = ("controller", "hal", "firmware", "systemd", "docs", "examples", "Makefile", "pyproject.toml", "setup.py")
PROGRAM_TOO = ("constraints.txt", "README.md", "LICENSE")
HARNESS = ("tests", "hal", "controller", "firmware", "wiring", "examples", "pyproject.toml")
"""What the harness needs in the machine: itself, the words of scenarios, the physics of the simulated table."""

HARNESS_PYTHON = "/opt/hil/bin/python"

HARNESS_AT_WORK = """
import importlib, pathlib
for module in sorted(pathlib.Path("tests/hil/guest").glob("*.py")):
    if module.stem != "agent":
        importlib.import_module(f"tests.hil.guest.{module.stem}")
"""

DISKS = {"real.qcow2": False, "virtual.qcow2": True}
"""What the kept disks are called, and whether theirs is virtual time."""

BOARD = """[Unit]
Description=A Raspberry Pi, as far as pozo can see
DefaultDependencies=no
After=systemd-modules-load.service systemd-udevd.service sys-kernel-config.mount local-fs.target
Requires=sys-kernel-config.mount
Before=multi-user.target pozo-agent.service

[Service]
Type=oneshot
RemainAfterExit=yes
ExecStart=/usr/bin/python3 /opt/hil/board.py

[Install]
WantedBy=multi-user.target
"""

REVISION = """# A board has its revision in the device tree. Here it is in cpuinfo, which a /proc of its own would hide.
[Service]
BindReadOnlyPaths=/run/board/cpuinfo:/proc/cpuinfo
"""


class Ready(NamedTuple):
    """Where to start machines from: copies of these disks, at their snapshot."""

    image: Image
    real: Path
    virtual: Path

    def machine(self, folder: Path, *, virtual: bool = False, watched: bool = False) -> Machine:
        """A machine of its own, off, with a copy of the disk."""
        folder.mkdir(parents=True, exist_ok=True)
        disk = folder / "disk.qcow2"
        shutil.copyfile(self.virtual if virtual else self.real, disk)
        return Machine(self.image, disk, folder, virtual=virtual, watched=watched)


def ready() -> Ready:
    """pozo and the harness as they are in this working tree, in the machine. Raises CannotBeHadError, and MachineError
    when it cannot be."""
    with (cache() / "lock").open("w") as lock:  # two who build at once would clear away each other's work
        fcntl.flock(lock, fcntl.LOCK_EX)
        base = image()
        anywhere = Image(*map(Path, Image._fields))
        machines = [Machine(anywhere, Path(), Path(), virtual=virtual).command(None) for virtual in DISKS.values()]
        qemu = subprocess.run(["qemu-system-x86_64", "--version"], check=True, capture_output=True, text=True).stdout
        own = inspect.getsource(sys.modules[__name__]) + inspect.getsource(board)
        recipe = f"{base.disk.parent.name}\0{machines}\0{qemu}\0{own}"
        resting = _kept(cache(), "installed", recipe, PROGRAM + PROGRAM_TOO, partial(_install, base))
        place = _kept(resting, "ready", recipe, HARNESS, partial(_equip, base, resting))
    return Ready(base, *(place / name for name in DISKS))


def _kept(folder: Path, kind: str, recipe: str, names: tuple[str, ...], make: Callable[[Path], None]) -> Path:
    """Where in `folder` is what was made once by this recipe, from what Git knows of under these names; it is made if
    it is not there. Raises MachineError."""
    name = _name(recipe, names)
    place = folder / f"{kind}-{name}"
    if not (place / "whole").exists():
        shutil.rmtree(place, ignore_errors=True)
        place.mkdir()
        began = time.monotonic()
        make(place)
        if _name(recipe, names) != name:
            raise MachineError("a file was changed while it was put in the machine: start again")
        say(f"{kind}: made and kept in {time.monotonic() - began:.0f} s")
    (place / "whole").touch()
    forget(f"{kind}-*", place)
    return place


def _name(recipe: str, names: tuple[str, ...]) -> str:
    """Of what is made by this recipe from every file that Git knows of under these names."""
    digest = hashlib.sha256(recipe.encode())
    for path in [ROOT / name for name in _known(names)]:
        if path.is_file():
            digest.update(f"{path.relative_to(ROOT)}\0{path.stat().st_mode & 0o111}\0".encode())
            digest.update(hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()[:12]


def tree(names: tuple[str, ...]) -> bytes:
    """A tar archive of what Git knows of, under these names."""
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w") as tar:
        for name in _known(names):
            if (ROOT / name).is_file():
                tar.add(ROOT / name, arcname=name)
    return packed.getvalue()


def _known(names: tuple[str, ...]) -> list[str]:
    git = ["git", "-C", str(ROOT), "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--", *names]
    return sorted(filter(None, subprocess.run(git, check=True, capture_output=True, text=True).stdout.split("\0")))


def _install(base: Image, place: Path) -> None:
    """Install pozo in a machine, and keep it at rest after its next start, in real time and in virtual time."""
    say("installing pozo in the machine with make install")
    disk = place / "installed.qcow2"
    _overlay(disk, base.disk, "raw")
    with TemporaryDirectory(prefix="pozo-hil-") as folder:
        machine = Machine(base, disk, Path(folder))
        try:
            machine.on()
            source = Path(folder) / "source.tar"
            source.write_bytes(tree(PROGRAM + PROGRAM_TOO))
            machine.plug(str(source), "source")
            arrived = "until [ -b /dev/disk/by-id/virtio-source ]; do sleep 0.1; done; mkdir /srv/source; "
            machine.run("sh", "-c", arrived + "tar -C /srv/source -xf /dev/disk/by-id/virtio-source")
            offline = "PIP_ARGS=--no-index --find-links /srv/wheels"
            say(machine.run("make", "-C", "/srv/source", "install", offline, within=900).strip())
            machine.put("/opt/hil/board.py", inspect.getsource(board))
            machine.put("/etc/systemd/system/pozo-board.service", BOARD)
            machine.run("mkdir", "-p", "/etc/systemd/system/pozo@.service.d")
            machine.put("/etc/systemd/system/pozo@.service.d/revision.conf", REVISION)
            machine.run("systemctl", "enable", "--quiet", "pozo-board")
            machine.off()
        finally:
            machine.cut()
    disk.chmod(0o444)
    for name in DISKS:
        _overlay(place / name, disk, "qcow2")
    _both(lambda name: _keep(base, place / name, None, _rest, RESTING))


def _rest(machine: Machine) -> None:
    """Wait until its start is over, and has not failed."""
    machine.run("systemctl", "is-system-running", "--wait", check=False)
    failed = machine.run("systemctl", "--failed", "--plain", "--no-legend")
    if failed.strip():
        raise MachineError(f"units have failed in the machine: {failed}")


def _equip(base: Image, resting: Path, place: Path) -> None:
    """Put the harness in the machine, in /srv/pozo, and let it read itself: its bytecode is then in memory."""
    packed = base64.b64encode(gzip.compress(tree(HARNESS), 6)).decode()

    def put(machine: Machine) -> None:
        machine.run("sh", "-c", "mkdir -p /srv/pozo && base64 -d | tar -C /srv/pozo -xz", text=packed)
        machine.run("sh", "-c", f"cd /srv/pozo && exec {HARNESS_PYTHON} -", text=HARNESS_AT_WORK)

    for name in DISKS:
        shutil.copyfile(resting / name, place / name)
    _both(lambda name: _keep(base, place / name, RESTING, put, READY))


def _both(do: Callable[[str], None]) -> None:
    """For the machine in real time and for the one in virtual time, side by side."""
    with ThreadPoolExecutor(len(DISKS)) as pool:
        for done in [pool.submit(do, name) for name in DISKS]:
            done.result()


def _keep(base: Image, disk: Path, before: str | None, do: Callable[[Machine], None], after: str) -> None:
    """Switch a machine on, cold or as it was `before`; do something in it; keep it as the only snapshot, `after`."""
    with TemporaryDirectory(prefix="pozo-hil-") as folder:
        machine = Machine(base, disk, Path(folder), virtual=DISKS[disk.name])
        try:
            machine.on(before)
            do(machine)
            machine.run("sync")
            if before is not None:
                machine.forget(before)
            machine.keep(after)
        finally:
            machine.cut()


def _overlay(disk: Path, below: Path, kind: str) -> None:
    command = ["qemu-img", "create", "-q", "-f", "qcow2", "-b", str(below), "-F", kind, str(disk)]
    subprocess.run(command, check=True, capture_output=True)


if __name__ == "__main__":
    print(*ready(), sep="\n")
