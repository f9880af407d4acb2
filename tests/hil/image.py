"""The bench's disk image: Debian bookworm, a kernel with gpio-sim and i2c-stub, and a harness; built once, and cached.

Everything comes from Debian and PyPI, by name. The image holds nothing of pozo: that is installed in it by
``tests.hil.installed``, with its own ``make install``. The kernel is the one of Debian's newest backports: bookworm's
own has no gpio-sim.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
import sys
import tarfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

ROOT = Path(__file__).parents[2]

MIRROR = "http://deb.debian.org/debian"
KEYRING = "/usr/share/keyrings/debian-archive-keyring.gpg"
SUITE = "bookworm"
KERNELS = "trixie-backports"

TOOLS = {
    "qemu-system-x86_64": "qemu-system-x86",
    "qemu-img": "qemu-utils",
    "mmdebstrap": "mmdebstrap",
    "mke2fs": "e2fsprogs",
    "nbdkit": "nbdkit",
    "depmod": "kmod",
    "xz": "xz-utils",
    "busybox": "busybox-static",
}
"""Commands that the bench needs, and Debian's packages that have them."""

PACKAGES = "systemd,systemd-sysv,udev,dbus,kmod,python3,python3-venv,make,procps,i2c-tools,e2fsprogs,util-linux"

PYTHON = "3.11"
PLATFORMS = ("manylinux_2_34_x86_64", "manylinux_2_28_x86_64", "manylinux_2_17_x86_64", "manylinux2014_x86_64")
"""What runs on bookworm's glibc 2.36, on the processor that is simulated."""

EARLY = ("virtio_blk", "ext4")
"""Modules without which there is no root file system. Modules of a bus that are not there are built in."""

INIT = """#!/bin/busybox sh
/bin/busybox mount -t devtmpfs dev /dev
for module in /modules/*.ko; do /bin/busybox insmod "$module"; done
until [ -b /dev/vda ]; do /bin/busybox usleep 20000; done
/bin/busybox mount -t ext4 /dev/vda /root
/bin/busybox umount /dev
exec /bin/busybox switch_root /root /sbin/init
"""

HOST_HAND = """[Unit]
Description=The bench's hand in the machine
After=pozo-board.service

[Service]
ExecStart=/usr/bin/python3 /opt/hil/agent.py
StandardOutput=journal+console
OOMScoreAdjust=-900

[Install]
WantedBy=multi-user.target
"""

SIZE = "3G"


class Image(NamedTuple):
    """What a machine is started from. `disk` is a raw ext4 file system that nobody may write to."""

    kernel: Path
    initrd: Path
    disk: Path


class CannotBeHadError(Exception):
    """The bench cannot be had here; the message says what is missing, and what to do."""


def cache() -> Path:
    """Where images are kept: outside the repository, by what they were made from."""
    folder = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "pozo-hil"
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def image() -> Image:
    """The image of this recipe, built if it is not there. Raises CannotBeHadError."""
    need_tools()
    made = _recipe()
    place = cache() / f"image-{made}"
    if not (place / "whole").exists():
        say(f"building the bench's image in {place}")
        shutil.rmtree(place, ignore_errors=True)
        place.mkdir(parents=True)
        _build(place)
        (place / "whole").touch()
    (place / "whole").touch()  # used today
    forget("image-*", place)
    return Image(place / "vmlinuz", place / "initrd", place / "disk")


def need_tools() -> None:
    """Raises CannotBeHadError unless every tool is here, installed from Debian if that asks nobody."""
    if _lacking() and shutil.which("apt-get"):
        sudo = [] if os.geteuid() == 0 else ["sudo", "-n"]
        names = sorted({TOOLS[tool] for tool in _lacking()})
        say(f"installing {', '.join(names)}")
        install = ["apt-get", "install", "--yes", "-qq", "--no-install-recommends", *names]
        for command in (["apt-get", "update", "-qq"], install):
            quiet = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
            subprocess.run([*sudo, *command], check=False, env=quiet, stdout=subprocess.DEVNULL)
    if lacking := _lacking():
        packages = " ".join(sorted({TOOLS[tool] for tool in lacking}))
        raise CannotBeHadError(f"{', '.join(lacking)} not found. On Debian: sudo apt-get install {packages}")


def say(text: str) -> None:
    """What happens, for whoever waits."""
    print(f"hil: {text}", file=sys.stderr, flush=True)


def _lacking() -> list[str]:
    path = f"{os.environ.get('PATH', '')}:/usr/sbin:/sbin"
    return [tool for tool in TOOLS if not shutil.which(tool, path=path)]


def _recipe() -> str:
    """What the image is made from, as a short name."""
    parts = [
        Path(__file__),
        Path(__file__).parent / "guest" / "agent.py",
        ROOT / "constraints.txt",
        ROOT / "pyproject.toml",
    ]
    return hashlib.sha256(b"".join(part.read_bytes() for part in parts)).hexdigest()[:12]


def forget(pattern: str, kept: Path) -> None:
    """Only the newest of each kind but `kept` stays: somebody may go back and forth between two branches."""
    others = [place for place in kept.parent.glob(pattern) if place != kept and not place.name.endswith(".new")]
    for old in sorted(others, key=lambda place: place.stat().st_mtime, reverse=True)[1:]:
        shutil.rmtree(old, ignore_errors=True)


def _build(place: Path) -> None:
    try:
        wheels = _wheels(place / "wheels")
        with TemporaryDirectory(prefix="pozo-hil-") as folder:
            work = Path(folder)
            release, modules = _kernel(work, place / "vmlinuz")
            _initrd(work, modules, release, place / "initrd")
            _disk(work, wheels, modules, release, place / "disk")
    except subprocess.CalledProcessError as error:
        what = " ".join(str(word) for word in error.cmd[:3])
        said = (error.stderr or b"").decode(errors="replace").strip()
        raise CannotBeHadError(f"{what} … failed (exit {error.returncode}): {said[-800:]}") from error


def _wheels(place: Path) -> Path:
    """What pozo and its contract suite need from PyPI, for the machine's Python; it has no network."""
    place.mkdir()
    anywhere = [option for platform in PLATFORMS for option in ("--platform", platform)]
    pip = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--dest", place]
    made_for = ["--python-version", PYTHON, "--implementation", "cp", *anywhere, "--only-binary=:all:"]
    _run([*pip, *made_for, "-c", ROOT / "constraints.txt", *_requirements()])
    return place


def _requirements() -> list[str]:
    """The names in pyproject.toml that the machine needs; their versions are in constraints.txt."""
    import tomllib

    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = project["optional-dependencies"]
    lines = [*project["dependencies"], *extras["display"], *extras["gpio"], "setuptools", "pytest", "hypothesis"]
    return [re.split(r"\s*;", line)[0] for line in lines]


def _kernel(work: Path, vmlinuz: Path) -> tuple[str, Path]:
    """Fetch the newest kernel of the backports: its release, and the folder that has its ``lib/modules``."""
    apt = _own_apt(work)
    _run([*apt, "update"])
    depends = _run(["apt-cache", *apt[1:], "depends", "linux-image-amd64"]).decode()
    found = re.search(r"linux-image-(\S+-amd64)$", depends, re.MULTILINE)
    if found is None:
        raise CannotBeHadError(f"{KERNELS} names no kernel: {depends.strip()}")
    release = found[1]
    names = _run(["apt-cache", *apt[1:], "pkgnames", "linux-"]).decode().split()
    binary = next((n for n in (f"linux-binary-{release}", f"linux-binary-unsigned-{release}") if n in names), None)
    packages = [binary, f"linux-modules-{release}"] if binary else [f"linux-image-{release}"]
    _run([*apt, "download", *packages], cwd=work)
    tree = work / "kernel"
    for package in work.glob("*.deb"):
        _run(["dpkg", "-x", package, tree])
    base = tree / "usr" if (tree / "usr/lib/modules").exists() else tree
    images = [*(base / "lib/modules" / release).glob("vmlinuz*"), *(tree / "boot").glob("vmlinuz*")]
    shutil.copyfile(images[0], vmlinuz)
    if not list((base / "lib/modules").rglob("gpio-sim.ko*")):
        raise CannotBeHadError(f"the kernel {release} of {KERNELS} has no gpio-sim")
    _run(["depmod", "-b", base, release])
    return release, base


def _own_apt(work: Path) -> list[str | Path]:
    """apt-get with another suite, and without touching this system's lists."""
    for folder in ("parts", "state/lists/partial", "cache/archives/partial"):
        (work / "apt" / folder).mkdir(parents=True)
    (work / "apt/status").touch()
    source = f"deb [signed-by={KEYRING}] {MIRROR} {KERNELS} main\n"
    (work / "apt/parts/kernels.list").write_text(source)
    options = {
        "Dir::Etc::sourcelist": "/dev/null",
        "Dir::Etc::sourceparts": work / "apt/parts",
        "Dir::State": work / "apt/state",
        "Dir::State::status": work / "apt/status",
        "Dir::Cache": work / "apt/cache",
        "APT::Architecture": "amd64",
        "APT::Sandbox::User": "",
    }
    return ["apt-get", "-qq", *(word for key, value in options.items() for word in ("-o", f"{key}={value}"))]


def _initrd(work: Path, modules: Path, release: str, initrd: Path) -> None:
    """Just enough to find the root file system."""
    tree = work / "initrd"
    for folder in ("bin", "dev", "root", "modules"):
        (tree / folder).mkdir(parents=True)
    shutil.copy(shutil.which("busybox") or "busybox", tree / "bin/busybox")
    (tree / "init").write_text(INIT)
    (tree / "init").chmod(0o755)
    for number, module in enumerate(_needed(modules, release)):
        unpacked = tree / "modules" / f"{number:02}-{module.name.removesuffix('.xz')}"
        unpacked.write_bytes(_run(["xz", "-dc", module]) if module.suffix == ".xz" else module.read_bytes())
    names = "\n".join(str(path.relative_to(tree)) for path in sorted(tree.rglob("*")))
    archive = _run(["busybox", "cpio", "-o", "-H", "newc"], cwd=tree, input=names.encode() + b"\n")
    initrd.write_bytes(archive)


def _needed(modules: Path, release: str) -> Iterator[Path]:
    """The files of `EARLY` and of what they depend on, in the order in which they have to be loaded."""
    folder = modules / "lib/modules" / release
    seen: set[str] = set()
    depends = dict(line.split(":", 1) for line in (folder / "modules.dep").read_text().splitlines())
    for name in EARLY:
        path = next((path for path in depends if Path(path).name.split(".")[0].replace("-", "_") == name), None)
        for needed in [*reversed(depends[path].split()), path] if path else []:
            if needed not in seen:
                seen.add(needed)
                yield folder / needed


def _disk(work: Path, wheels: Path, modules: Path, release: str, disk: Path) -> None:
    """The root file system, with the harness's own Python environment."""
    own, bare = work / "own", work / "bare"
    _lay_out(own)
    with tarfile.open(work / "own.tar", "w") as tar:
        tar.add(own, arcname=".", filter=_of_root)
        tar.add(modules / "lib/modules" / release, arcname=f"usr/lib/modules/{release}", filter=_of_root)
        tar.add(wheels, arcname="srv/wheels", filter=_of_root)
    pip = "/opt/hil/bin/python -m pip --isolated install --quiet --no-index --find-links /srv/wheels"
    pip += " -c /srv/constraints.txt"
    tested = " ".join(f"'{line}'" for line in _requirements())
    hooks = [
        f"tar -C \"$1\" -xf '{work / 'own.tar'}'",
        f'chroot "$1" sh -c "python3 -m venv /opt/hil && {pip} {tested}"',
        'chroot "$1" systemctl enable --quiet pozo-agent',
        'rm -rf "$1"/var/lib/apt/lists/* "$1"/var/cache/apt/*; : > "$1"/etc/machine-id',
        # Bound once more, without the /proc and /sys that are mounted in it now.
        f"truncate -s {SIZE} '{disk}' && mkdir '{bare}' && mount --bind \"$1\" '{bare}' && "
        f"mke2fs -q -t ext4 -d '{bare}' '{disk}'; status=$?; umount '{bare}'; exit $status",
    ]
    mode = [] if os.geteuid() == 0 else ["--mode=unshare"]
    options = ["--quiet", "--variant=minbase", f"--include={PACKAGES}", "--format=null", "--architectures=amd64"]
    hooked = [f"--customize-hook={hook}" for hook in hooks]
    _run(["mmdebstrap", *mode, *options, *hooked, SUITE, "/dev/null", f"deb {MIRROR} {SUITE} main"])
    disk.chmod(0o444)


def _of_root(info: tarfile.TarInfo) -> tarfile.TarInfo:
    info.uid = info.gid = 0
    info.uname = info.gname = "root"
    return info


def _lay_out(tree: Path) -> None:
    """The bench's own files in the machine."""
    files = {
        "opt/hil/agent.py": (Path(__file__).parent / "guest/agent.py").read_text(),
        "srv/constraints.txt": (ROOT / "constraints.txt").read_text(),
        "etc/systemd/system/pozo-agent.service": HOST_HAND,
        "etc/fstab": "/dev/vda / ext4 rw 0 1\n",
        "etc/hostname": "table\n",
        "etc/modules-load.d/bench.conf": "gpio-sim\ni2c-dev\ni6300esb\n",
    }
    for name, text in files.items():
        (tree / name).parent.mkdir(parents=True, exist_ok=True)
        (tree / name).write_text(text)


@contextmanager
def _named(what: str) -> Iterator[None]:
    try:
        yield
    except FileNotFoundError as error:
        raise CannotBeHadError(f"{what} not found") from error


def _run(command: Sequence[object], *, cwd: Path | None = None, input: bytes | None = None) -> bytes:  # noqa: A002
    """Run a command; its standard output. Raises CalledProcessError, with what it had to say."""
    path = f"{os.environ.get('PATH', '')}:/usr/sbin:/sbin"
    words = [str(word) for word in command]
    with _named(words[0]):
        done = subprocess.run(
            words, cwd=cwd, input=input, check=True, capture_output=True, env={**os.environ, "PATH": path}
        )
    return done.stdout


if __name__ == "__main__":
    print(*image(), sep="\n")
