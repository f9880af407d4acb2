"""The second copy beside a running table: it keeps up, and losing it is an alarm and not a stop."""

from __future__ import annotations

import asyncio
import os
import resource
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from msgspec.structs import replace

from controller.core.evolve import evolve
from controller.core.state import Table
from controller.journal.reading import extent
from controller.journal.restoring import restore
from controller.journal.verify import verify
from controller.second_copy import SecondCopy
from hal.port import PartFailed, PartMended, Stamp
from tests.engine.journals import Run, states
from tests.engine.running import House, within

PATIENCE_S = 30


class Beside:
    """A table's parts as the second copy sees them, and what it tells them."""

    def __init__(self, *failed: str) -> None:
        self.table: Table = replace(states(0)[0], failed=failed)
        self.complaints: list[str | None] = []
        self.told: list[type[PartFailed] | type[PartMended]] = []

    def tell(self, signal: PartFailed | PartMended) -> None:
        assert (signal.seat, signal.part) == (0, "copy")
        self.told.append(type(signal))
        self.table = replace(self.table, failed=("copy",) if isinstance(signal, PartFailed) else ())

    def copying(self, *command: str, patience: float = 10.0) -> SecondCopy:
        return SecondCopy(
            command or None,
            lambda: self.table,
            self.tell,
            lambda: Stamp(1, 1),
            self.verified,
            patience=patience,
            again=0.05,
        )

    async def verified(self) -> str | None:
        return self.complaints.pop(0) if self.complaints else ""

    async def comes(self, *told: type[PartFailed] | type[PartMended]) -> None:
        await true(lambda: self.told == list(told))


async def true(check: Callable[[], object]) -> None:
    async with asyncio.timeout(PATIENCE_S):
        while not check():  # noqa: ASYNC110 - another process has to do something, in its own time
            await asyncio.sleep(0.01)


def test_who_wants_no_copy_has_lost_none() -> None:
    async def go() -> None:
        beside = Beside("copy")
        await beside.copying().end()
        assert beside.told == [PartMended]

    asyncio.run(go())


@pytest.mark.parametrize(
    "script", ["exec sleep 60", "exit 1", "exit 0", "kill -9 $$"], ids=["hangs", "fails", "leaves", "is killed"]
)
def test_a_copy_of_which_nothing_is_heard_is_lost(script: str, caplog: pytest.LogCaptureFixture) -> None:
    async def go() -> None:
        beside = Beside()
        second = beside.copying("/bin/sh", "-c", f"echo the medium is on fire >&2; {script}", patience=0.4)
        await beside.comes(PartFailed)
        if "sleep" in script:  # it will not leave by itself either
            second._process.kill()  # type: ignore[union-attr]
        await second.end()

    asyncio.run(go())
    (line,) = caplog.messages
    assert ("nothing is heard" if "sleep" in script else "the medium is on fire") in line


def test_a_copy_that_is_not_sound_is_an_alarm_though_it_keeps_up(caplog: pytest.LogCaptureFixture) -> None:
    async def go() -> None:
        beside = Beside()
        beside.complaints = ["entry 7 was altered"]
        second = beside.copying("/bin/sh", "-c", "echo 1; read end")
        await beside.comes(PartFailed)
        await second.end()

    asyncio.run(go())
    assert "entry 7 was altered" in caplog.text


def test_a_program_that_is_not_there_is_an_alarm_too() -> None:
    async def go() -> None:
        beside = Beside()
        second = beside.copying("/nowhere/pozo", patience=0.1)
        await beside.comes(PartFailed)
        await second.end()

    asyncio.run(go())


@pytest.fixture
def medium(tmp_path: Path) -> Iterator[Path]:
    """A small file system of its own."""
    place = tmp_path / "medium"
    place.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=400k", "pozo-test", str(place)]
    if shutil.which("mount") is None or subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("nothing can be mounted here (that takes root): full, read-only and lost media were NOT tried")
    yield place
    while subprocess.run(["umount", "-l", str(place)], capture_output=True, check=False).returncode == 0:
        pass


@pytest.mark.parametrize("trouble", ["full", "read-only", "removed"])
def test_a_medium_in_trouble_is_an_alarm_and_the_copy_catches_up_when_it_is_back(
    medium: Path, tmp_path: Path, trouble: str, caplog: pytest.LogCaptureFixture
) -> None:
    run = Run(tmp_path / "journal")
    copy = medium / "copy"

    def spoil() -> None:
        if trouble == "full":
            (medium / "films").write_bytes(bytes(os.statvfs(medium).f_bavail * os.statvfs(medium).f_frsize))
        elif trouble == "read-only":
            # Busy while the helper has a file open to write in: it has not, a moment later.
            within(10, lambda: subprocess.run(["mount", "-o", "remount,ro", str(medium)]).returncode == 0)
        else:
            subprocess.run(["umount", "-l", str(medium)], check=True)

    def mend() -> None:
        if trouble == "full":
            (medium / "films").unlink()
        elif trouble == "read-only":
            subprocess.run(["mount", "-o", "remount,rw", str(medium)], check=True)
        else:
            assert not list(medium.iterdir())  # nothing is left on the card in place of the medium
            subprocess.run(["mount", "-t", "tmpfs", "pozo-test", str(medium)], check=True)

    async def go() -> None:
        beside = Beside("copy")
        second = beside.copying(*_command(run.directory, copy, "--other-medium"), patience=2.0)
        await beside.comes(PartMended)
        if trouble == "read-only":  # which it cannot become while something is written
            second._process.kill()  # type: ignore[union-attr]
        await asyncio.to_thread(spoil)
        for _ in range(60):
            run.load(3)
        await beside.comes(PartMended, PartFailed)
        await asyncio.to_thread(mend)
        await beside.comes(PartMended, PartFailed, PartMended)
        run.journal.close()
        await second.end()

    asyncio.run(go())
    words = {"full": "disk is full", "read-only": "ead-only", "removed": "same medium"}
    assert words[trouble] in caplog.text
    report = verify(copy, evolve)
    assert (report.damage, report.last) == (None, extent(run.directory)[1])


def _command(journal: Path, copy: Path, *more: str) -> list[str]:
    command = [sys.executable, "-m", "controller.cli", "journal", "copy", "--follow", "0.05", "--language", "en"]
    return [*command, "--journal", str(journal), "--to", str(copy), *more]


def test_a_helper_that_cannot_write_is_replaced_before_anybody_has_to_know(tmp_path: Path) -> None:
    """Its files may not grow, which its successor's may."""
    run = Run(tmp_path / "journal")

    async def go() -> None:
        beside = Beside("copy")
        second = beside.copying(*_command(run.directory, tmp_path / "copy"), patience=20.0)
        await beside.comes(PartMended)
        assert second._process is not None
        resource.prlimit(second._process.pid, resource.RLIMIT_FSIZE, (1, 1))
        run.load(3)
        await beside.comes(PartMended)
        await true(lambda: verify(tmp_path / "copy", evolve).last == run.journal.seq)
        run.journal.close()
        await second.end()
        assert beside.told == [PartMended]

    asyncio.run(go())


@pytest.fixture
def other_medium() -> Iterator[Path]:
    place = Path("/dev/shm")
    if not place.is_dir() or place.stat().st_dev == Path(tempfile.gettempdir()).stat().st_dev:
        pytest.skip("there is no second file system here")
    with tempfile.TemporaryDirectory(dir=place) as folder:
        yield Path(folder)


def test_a_table_goes_on_where_its_copy_ends(tmp_path: Path, other_medium: Path) -> None:
    """A table plays, its card dies, and the next card goes on from the copy."""
    house = House(tmp_path, Path(tempfile.mkdtemp(prefix="pozo-")))
    copy = other_medium / "copy"
    house.config.write_text(house.config.read_text().replace("[journal]\n", f'[journal]\ncopy = "{copy}"\n'))
    try:
        with house.running() as daemon:
            with daemon.call() as caller:
                for seat in range(1, 7):
                    assert caller.command(f"load {seat} 5")["ok"]
                assert caller.ask("state")["attention"]["failed"] == []
            end = extent_of(house.journal)
            within(PATIENCE_S, lambda: copy.exists() and extent_of(copy) >= end)
            assert daemon.leave() == 0
        assert extent_of(copy) == extent_of(house.journal)
        shutil.rmtree(house.journal)
        restore(copy, house.journal, evolve)
        with house.running() as daemon, daemon.call() as caller:
            assert [seat["credits"] for seat in caller.state()["seats"]] == [5] * 6
            assert daemon.leave() == 0
    finally:
        shutil.rmtree(house.socket.parent)


def extent_of(journal: Path) -> int:
    """The last entry's number, looked up in a process of its own."""
    command = [sys.executable, "-m", "controller.cli", "journal", "export", "--jsonl", "--journal", str(journal), "-"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done.stdout.count("\n") if done.returncode == 0 else 0
