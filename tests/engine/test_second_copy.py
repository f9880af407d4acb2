"""The second copy of a journal: entry for entry, never in the middle of a commit, and good for a new card."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from controller.core.evolve import evolve
from controller.journal import copying, rotation
from controller.journal.cli import main
from controller.journal.copying import Copy
from controller.journal.directory import Lock, found, period_file, wal_of
from controller.journal.errors import JournalBusy, JournalDamaged, JournalError, JournalFailed, JournalForeign
from controller.journal.reading import extent, read
from controller.journal.restoring import restore
from controller.journal.verify import verify
from controller.journal.writer import Journal
from tests.engine.journals import WALL, Run, loaded


@pytest.fixture
def run(tmp_path: Path) -> Iterator[Run]:
    run = Run(tmp_path / "journal")
    yield run
    run.journal.abandon()


def copied(run: Run, copy: Path) -> int:
    """Bring the copy up to date in a process of its own, as whoever only reads has to; the last entry's number."""
    command = [sys.executable, "-m", "controller.cli", "journal", "copy", "--language", "en"]
    done = subprocess.run(
        [*command, "--journal", str(run.directory), "--to", str(copy)], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    return int(done.stdout.split()[-1].rstrip("."))


def same(journal: Path, copy: Path) -> bool:
    """Whether both hold the same entries, and the copy is whole."""
    assert verify(copy, evolve).damage is None
    return [said.entry for said in read(journal)] == [said.entry for said in read(copy)]


def test_a_copy_is_a_journal(run: Run, tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    run.load(3)
    assert copied(run, copy) == run.journal.seq
    for _ in range(7):
        run.load()
    assert copied(run, copy) == run.journal.seq
    run.journal.close()
    assert same(run.directory, copy)
    with Journal.open(copy, evolve) as opened:
        assert opened.recovered.state == run.state


def test_periods_follow_one_another_as_in_the_journal(run: Run, tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    for count in (3, 12, 1):
        run.load(count)
        run.close_period()
        if count != 12:
            copied(run, copy)
    run.load(2)
    copied(run, copy)
    run.journal.prune(1, WALL)
    run.load()
    copied(run, copy)
    run.journal.close()
    assert found(copy) == found(run.directory) == [3, 4]
    assert same(run.directory, copy)


def test_a_copy_begun_late_begins_with_the_oldest_file(run: Run, tmp_path: Path) -> None:
    for _ in range(4):
        run.load(2)
        run.close_period()
    run.journal.prune(2, WALL)
    copied(run, tmp_path / "copy")
    run.journal.close()
    assert same(run.directory, tmp_path / "copy")


@pytest.mark.parametrize("step", ["publish", "leave", "take"])
def test_an_interrupted_update_is_completed_by_the_next(
    tmp_path: Path, step: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = Run(tmp_path / "journal")
    run.load(3)
    run.journal.close()
    with Copy(run.directory, tmp_path / "copy") as copy:
        copy.update()
    run = Run(run.directory, create=False)
    run.load(9)
    run.close_period()
    run.load(1)
    run.journal.close()

    def cut(*_: object) -> None:
        raise JournalFailed("the power goes")

    with monkeypatch.context() as patch:
        patch.setattr(rotation if step == "publish" else copying._Open, step, cut)
        with pytest.raises(JournalFailed), Copy(run.directory, tmp_path / "copy") as copy:
            copy.update()
    shutil.copytree(tmp_path / "copy", tmp_path / "as it lies")
    with Journal.open(tmp_path / "as it lies", evolve) as journal:  # good for a new card even so
        assert loaded(journal.recovered.state) in (3, 12)
    with Copy(run.directory, tmp_path / "copy") as copy:
        assert copy.update().seq == extent(run.directory)[1]
    assert same(run.directory, tmp_path / "copy")


def test_another_journal_is_not_taken_for_the_next_entries(run: Run, tmp_path: Path) -> None:
    run.load(2)
    run.journal.close()
    with Copy(run.directory, tmp_path / "copy") as copy:
        copy.update()
    shutil.copytree(run.directory, tmp_path / "restored")
    for directory, count in ((run.directory, 3), (tmp_path / "restored", 1)):
        other = Run(directory, create=False)
        for n in range(count):
            other.load(1 + n % 2)
        other.journal.close()
    with Copy(run.directory, tmp_path / "copy") as copy:
        copy.update()
    before = period_file(tmp_path / "copy", 1).read_bytes()
    with (
        pytest.raises(JournalForeign, match="cannot be continued"),
        Copy(tmp_path / "restored", tmp_path / "copy") as c,
    ):
        c.update()
    assert [said.entry for said in read(tmp_path / "copy")] == [said.entry for said in read(run.directory)]
    assert len(before) == period_file(tmp_path / "copy", 1).stat().st_size


def test_an_altered_entry_is_not_copied(run: Run, tmp_path: Path) -> None:
    run.load(2)
    run.journal.close()
    with Copy(run.directory, tmp_path / "copy") as copy:
        copy.update()
    run = Run(run.directory, create=False)
    run.load(1)
    run.journal.close()
    file = period_file(run.directory, 1)
    data = file.read_bytes()
    assert data.count(b'"credits":3') == 1
    file.write_bytes(data.replace(b'"credits":3', b'"credits":4'))
    with pytest.raises(JournalDamaged, match="entry 4"), Copy(run.directory, tmp_path / "copy") as copy:
        copy.update()
    assert verify(tmp_path / "copy", evolve).last == 3


def test_the_same_medium_is_no_second_one(run: Run, tmp_path: Path) -> None:
    with pytest.raises(JournalError, match="same medium"):
        Copy(run.directory, tmp_path / "copy" / "deep", other_medium=True)
    assert not (tmp_path / "copy").exists()


def test_another_medium_is_one(run: Run) -> None:
    place = Path("/dev/shm")
    if not place.is_dir() or place.stat().st_dev == run.directory.stat().st_dev:
        pytest.skip("there is no second file system here")
    copy = place / f"pozo-test-{os.getpid()}"
    try:
        Copy(run.directory, copy, other_medium=True).close()
    finally:
        shutil.rmtree(copy, ignore_errors=True)


def test_two_do_not_copy_to_one_place(run: Run, tmp_path: Path) -> None:
    with Copy(run.directory, tmp_path / "copy"), pytest.raises(JournalBusy):
        Copy(run.directory, tmp_path / "copy")


def test_a_commit_does_not_wait_for_a_copy_that_hangs(run: Run, tmp_path: Path) -> None:
    """Its process stops in the middle of everything; the journal goes on, and its log stays bounded."""
    process = following(run, tmp_path / "copy")
    try:
        os.kill(process.pid, 19)
        for _ in range(200):
            run.load()
        os.kill(process.pid, 18)
        until(process, run.journal.seq)
    finally:
        assert end(process) == 0
    run.journal.close()
    assert same(run.directory, tmp_path / "copy")


def following(run: Run, copy: Path) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "controller.cli", "journal", "copy", "--follow", "0.02", "--language", "en"]
    process = subprocess.Popen(
        [*command, "--journal", str(run.directory), "--to", str(copy)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    until(process, 1)
    return process


def until(process: subprocess.Popen[str], seq: int) -> None:
    """Wait for the line that says that entry `seq` is copied."""
    assert process.stdout is not None
    alarm = threading.Timer(30, process.kill)
    alarm.start()
    for line in process.stdout:
        if json.loads(line)["seq"] >= seq:
            alarm.cancel()
            return
    raise AssertionError(f"entry {seq} was never copied")


def end(process: subprocess.Popen[str]) -> int:
    """What happens when the daemon is gone: its end of the standard input is closed."""
    process.communicate(timeout=30)
    return process.returncode


def test_what_was_committed_last_is_copied_before_it_leaves(run: Run, tmp_path: Path) -> None:
    process = following(run, tmp_path / "copy")
    for n in range(40):
        run.load(1 + n % 3)
        if n % 9 == 8:
            run.close_period()
    run.journal.close()
    assert end(process) == 0
    assert same(run.directory, tmp_path / "copy")
    assert not wal_of(period_file(tmp_path / "copy", found(tmp_path / "copy")[-1])).exists()


# --- restoring -------------------------------------------------------------------------------------------


@pytest.fixture
def copy(run: Run, tmp_path: Path) -> Path:
    """A copy as a power cut leaves it: two files, the second with its log."""
    run.load(4)
    run.close_period()
    run.load(3)
    run.journal.abandon()
    target = tmp_path / "copy"
    with Copy(run.directory, tmp_path / "live") as live:
        live.update()
        shutil.copytree(tmp_path / "live", target)
    assert wal_of(period_file(target, 2)).stat().st_size
    return target


def test_a_table_goes_on_from_a_restored_journal(run: Run, copy: Path, tmp_path: Path) -> None:
    new = tmp_path / "new" / "journal"
    assert restore(copy, new, evolve).report.last == extent(run.directory)[1]
    with Journal.open(new, evolve, "draw-1") as journal:
        assert journal.recovered.state == run.state
    assert sorted(path.name for path in new.iterdir()) == ["000001.db", "000002.db", "lock"]
    again = Run(new, create=False)
    again.load(2)
    again.journal.close()
    with Copy(new, copy) as second:  # and the copy goes on with it
        second.update()
    assert same(new, copy)


def test_no_journal_is_overwritten(run: Run, copy: Path) -> None:
    before = {path.name: path.read_bytes() for path in run.directory.glob("*.db")}
    with pytest.raises(JournalError, match="holds a journal already"):
        restore(copy, run.directory, evolve)
    assert {path.name: path.read_bytes() for path in run.directory.glob("*.db")} == before


def test_a_damaged_copy_is_not_restored(copy: Path, tmp_path: Path) -> None:
    file = period_file(copy, 1)
    file.write_bytes(file.read_bytes().replace(b'"credits":3', b'"credits":4'))
    with pytest.raises(JournalDamaged) as raised:
        restore(copy, tmp_path / "new", evolve)
    assert str(file) in str(raised.value)
    assert found(tmp_path / "new") == []


def test_a_copy_in_use_is_not_restored(copy: Path, tmp_path: Path) -> None:
    lock = Lock(copy)
    try:
        with pytest.raises(JournalBusy):
            restore(copy, tmp_path / "new", evolve)
    finally:
        lock.release()


def test_an_interrupted_restoring_leaves_nothing_that_would_start(
    copy: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    renamed = iter(range(1))
    real = Path.rename

    def rename(self: Path, target: Path) -> Path:
        if next(renamed, None) is None:
            raise OSError(5, "the power goes")
        return real(self, target)

    with monkeypatch.context() as patch:
        patch.setattr(Path, "rename", rename)
        with pytest.raises(JournalFailed):
            restore(copy, tmp_path / "new", evolve)
    with pytest.raises(JournalDamaged):
        Journal.open(tmp_path / "new", evolve)


def test_the_command_says_up_to_where(run: Run, copy: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command = ["restore", "--from", str(copy), "--journal", str(tmp_path / "new"), "--language", "en"]
    assert main(command) == 0
    told = capsys.readouterr().out
    assert f"entries 1 to {extent(run.directory)[1]} in 2 files" in told
    assert WALL in told
    assert main(command) == 2
    assert "never overwritten" in capsys.readouterr().err
