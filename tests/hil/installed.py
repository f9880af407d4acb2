"""pozo in the bench's machine: put there by its own ``make install``, and kept as it is after its next start.

What is kept is named after the image and after the files that were installed. There are two snapshots called `READY`,
each in a disk of its own: of a machine in real time, and of one in virtual time.
"""

from __future__ import annotations

import base64
import gzip
import hashlib
import inspect
import io
import shutil
import subprocess
import tarfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from tests.hil.guest import board
from tests.hil.image import ROOT, Image, cache, forget, image, say
from tests.hil.machine import KERNEL, Machine, MachineError

READY = "ready"

INSTALLED = ("controller", "hal", "firmware", "systemd", "docs", "examples", "Makefile", "pyproject.toml", "setup.py")
INSTALLED_TOO = ("constraints.txt", "README.md", "LICENSE")
HARNESS = ("tests", "hal", "controller", "firmware", "wiring", "examples", "pyproject.toml")
"""What the harness needs in the machine: itself, the words of scenarios, the physics of the simulated table."""

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
    """pozo as it is in this working tree, installed. Raises CannotBeHadError, and MachineError when it cannot be."""
    base = image()
    name = hashlib.sha256(base.disk.parent.name.encode() + _digest()).hexdigest()[:12]
    place = cache() / f"installed-{name}"
    if not (place / "whole").exists():
        say("installing pozo in the machine with make install")
        shutil.rmtree(place, ignore_errors=True)
        place.mkdir()
        began = time.monotonic()
        _install(base, place)
        say(f"installed, started and kept in {time.monotonic() - began:.0f} s")
    (place / "whole").touch()
    forget("installed-*", place)
    return Ready(base, place / "real.qcow2", place / "virtual.qcow2")


def tree(names: tuple[str, ...]) -> bytes:
    """A tar archive of what Git knows of, under these names."""
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w") as tar:
        for name in _known(names):
            if (ROOT / name).is_file():
                tar.add(ROOT / name, arcname=name)
    return packed.getvalue()


def put_harness(machine: Machine) -> None:
    """The harness as it is in this working tree, in /srv/pozo of the machine."""
    packed = base64.b64encode(gzip.compress(tree(HARNESS), 6)).decode()
    machine.run("sh", "-c", "mkdir -p /srv/pozo && base64 -d | tar -C /srv/pozo -xz", text=packed)


def _known(names: tuple[str, ...]) -> list[str]:
    git = ["git", "-C", str(ROOT), "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--", *names]
    return sorted(filter(None, subprocess.run(git, check=True, capture_output=True, text=True).stdout.split("\0")))


def _digest() -> bytes:
    """Of every file that is installed, and of what else the kept machines are made by."""
    digest = hashlib.sha256()
    for path in [ROOT / name for name in _known(INSTALLED + INSTALLED_TOO)]:
        if path.is_file():
            digest.update(f"{path.relative_to(ROOT)}\0{path.stat().st_mode & 0o111}\0".encode())
            digest.update(hashlib.sha256(path.read_bytes()).digest())
    made_by = [inspect.getsource(each) for each in (_install, _keep, Machine.command, board)]
    digest.update("\0".join([*made_by, BOARD, REVISION, KERNEL]).encode())
    return digest.digest()


def _install(base: Image, place: Path) -> None:
    disk = place / "installed.qcow2"
    _overlay(disk, base.disk, "raw")
    with TemporaryDirectory(prefix="pozo-hil-") as folder:
        machine = Machine(base, disk, Path(folder))
        machine.on()
        try:
            source = Path(folder) / "source.tar"
            source.write_bytes(tree(INSTALLED + INSTALLED_TOO))
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
    kept = ((place / "real.qcow2", False), (place / "virtual.qcow2", True))
    with ThreadPoolExecutor(len(kept)) as pool:
        for done in [pool.submit(_keep, base, disk, path, virtual=virtual) for path, virtual in kept]:
            done.result()


def _keep(base: Image, installed: Path, disk: Path, *, virtual: bool) -> None:
    """Start a machine and keep it as it is when it has come to rest."""
    _overlay(disk, installed, "qcow2")
    with TemporaryDirectory(prefix="pozo-hil-") as folder:
        machine = Machine(base, disk, Path(folder), virtual=virtual)
        machine.on()
        try:
            machine.run("systemctl", "is-system-running", "--wait", check=False)
            failed = machine.run("systemctl", "--failed", "--plain", "--no-legend")
            if failed.strip():
                raise MachineError(f"units have failed in the machine: {failed}")
            # The harness's bytecode, and the files that it will read, are then in memory.
            machine.run("/opt/hil/bin/python", "-c", "import gpiozero, lgpio, msgspec, asyncio, pytest")
            machine.run("sync")
            machine.keep(READY)
        finally:
            machine.cut()


def _overlay(disk: Path, below: Path, kind: str) -> None:
    command = ["qemu-img", "create", "-q", "-f", "qcow2", "-b", str(below), "-F", kind, str(disk)]
    subprocess.run(command, check=True, capture_output=True)


if __name__ == "__main__":
    print(*ready(), sep="\n")
