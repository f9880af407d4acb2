"""The journal as its one writer knows it: commit, recover, snapshots, periods, and a disk that does not want."""

from __future__ import annotations

import os
import resource
import sqlite3
import subprocess
import sys
import threading
from contextlib import closing
from pathlib import Path

import pytest

from controller.core.events import CreditsLoaded, Event
from controller.core.evolve import evolve
from controller.core.state import Table
from controller.journal.errors import (
    JournalBusy,
    JournalDamaged,
    JournalFailed,
    JournalForeign,
    JournalMissing,
)
from controller.journal.verify import verify
from controller.journal.writer import NORMAL, Journal
from tests.engine.journals import FIRST, WALL, Run, loaded, loading, states

# --- commit and recover ----------------------------------------------------------------------------------


def test_8_3_after_a_power_cut_the_state_is_the_last_committed_one(tmp_path: Path) -> None:
    run = Run(tmp_path / "journal")
    for count in (1, 3, 1, 20):
        run.load(count)
    run.journal.abandon()
    with Journal.open(tmp_path / "journal", evolve, "draw-1") as journal:
        assert journal.recovered.state == run.state == states(25)[25]
        assert journal.seq == 26
        assert not journal.clean


def test_an_orderly_end_leaves_one_file_and_says_so(tmp_path: Path) -> None:
    run = Run(tmp_path / "journal")
    run.load(4)
    run.journal.close()
    assert sorted(os.listdir(tmp_path / "journal")) == ["000001.db", "lock"]
    with Journal.open(tmp_path / "journal", evolve) as journal:
        assert journal.clean
        assert journal.recovered.state == run.state


def test_a_journal_dropped_without_a_word_is_like_a_power_cut(tmp_path: Path) -> None:
    program = (
        "from pathlib import Path; import sys; from tests.engine.journals import Run\n"
        "run = Run(Path(sys.argv[1])); run.load(3)\n"  # and the interpreter ends
    )
    subprocess.run([sys.executable, "-c", program, tmp_path / "journal"], check=True)
    with Journal.open(tmp_path / "journal", evolve) as journal:
        assert not journal.clean
        assert loaded(journal.recovered.state) == 3


def test_an_empty_commit_writes_nothing(tmp_path: Path) -> None:
    with Journal.create(tmp_path / "journal", FIRST, WALL, evolve) as journal:
        assert journal.commit([], journal.recovered.state, WALL) == 1


def test_an_event_that_cannot_be_encoded_costs_only_itself(tmp_path: Path) -> None:
    run = Run(tmp_path / "journal")
    broken = CreditsLoaded(seat=1, count=1, credits=object())  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        run.journal.commit([loading(1), broken], run.state, WALL)
    run.load()
    run.journal.close()
    assert verify(run.directory, evolve).entries == 2


def test_a_start_replays_no_more_than_since_the_last_snapshot(tmp_path: Path) -> None:
    run = Run(tmp_path / "journal")
    for _ in range(23):
        run.load()
    run.journal.close()
    replayed: list[Event] = []

    def counting(state: Table | None, event: Event) -> Table:
        replayed.append(event)
        return evolve(state, event)

    with Journal.open(run.directory, counting) as journal:
        assert journal.recovered.state == run.state
    assert len(replayed) == 4  # the opening of the table is entry 1, so the snapshots are at entries 5, 10, 15, 20
    assert verify(run.directory, evolve).snapshots == 2  # older ones are pruned


def test_the_log_stays_bounded_without_anybody_tidying(tmp_path: Path) -> None:
    run = Run(tmp_path / "journal")
    for _ in range(200):
        run.load()
    assert (run.directory / "000001.db-wal").stat().st_size < 40 * 4_200
    run.journal.close()


def test_tidying_moves_the_log_into_the_file(tmp_path: Path) -> None:
    run = Run(tmp_path / "journal", limits=NORMAL)
    before = (run.directory / "000001.db").stat().st_size
    for _ in range(140):
        run.load(20)
    assert (run.directory / "000001.db").stat().st_size == before
    run.journal.tidy()
    assert (run.directory / "000001.db").stat().st_size > before
    run.journal.close()


def test_a_journal_that_cannot_be_left_properly_is_left_all_the_same(tmp_path: Path) -> None:
    run = Run(tmp_path / "journal")
    run.load()
    with closing(sqlite3.connect(run.directory / "000001.db", isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(JournalFailed, match="locked by another program"):
            run.journal.close()
    with Journal.open(run.directory, evolve) as journal:
        assert loaded(journal.recovered.state) == 1


# --- who may write ---------------------------------------------------------------------------------------


def test_a_second_writer_is_refused_and_told_who_is_there(tmp_path: Path) -> None:
    run = Run(tmp_path / "journal")
    program = (
        "from pathlib import Path; import sys\n"
        "from controller.core.evolve import evolve; from controller.journal.writer import Journal\n"
        "Journal.open(Path(sys.argv[1]), evolve)\n"
    )
    second = subprocess.run([sys.executable, "-c", program, run.directory], capture_output=True, text=True, check=False)
    assert (
        f"JournalBusy: The journal {run.directory} is in use by another pozo (process {os.getpid()})" in second.stderr
    )
    with pytest.raises(JournalBusy):
        Journal.open(run.directory, evolve)
    run.load()
    run.journal.close()
    Journal.open(run.directory, evolve).close()


def test_it_may_be_opened_in_one_thread_and_used_in_another_but_not_in_two(tmp_path: Path) -> None:
    run = Run(tmp_path / "journal")
    writer = threading.Thread(target=run.load)
    writer.start()
    writer.join()
    with pytest.raises(RuntimeError, match="one thread"):
        run.load()
    run.journal.close()


def test_a_closed_journal_takes_nothing(tmp_path: Path) -> None:
    run = Run(tmp_path / "journal")
    run.journal.close()
    run.journal.close()
    with pytest.raises(ValueError, match="closed"):
        run.load()


def test_create_refuses_a_directory_that_holds_a_journal(tmp_path: Path) -> None:
    Run(tmp_path / "journal").journal.close()
    with pytest.raises(FileExistsError):
        Run(tmp_path / "journal")
    with pytest.raises(JournalMissing, match="no journal in"):
        Journal.open(tmp_path / "elsewhere", evolve)
    assert not (tmp_path / "elsewhere").exists()


def test_the_journal_of_another_table_is_refused(tmp_path: Path) -> None:
    Run(tmp_path / "journal").journal.close()
    with pytest.raises(JournalForeign, match=r"table 'draw-1', not of 'draw-2'.*Nothing was changed"):
        Journal.open(tmp_path / "journal", evolve, "draw-2")


# --- periods ---------------------------------------------------------------------------------------------


def test_a_new_period_starts_from_the_balances_and_the_hash_of_the_old_one(tmp_path: Path) -> None:
    run = Run(tmp_path / "journal")
    run.load(7)
    run.close_period()
    assert run.journal.period == 2
    assert sorted(os.listdir(run.directory)) == ["000001.db", "000002.db", "000002.db-shm", "000002.db-wal", "lock"]
    run.load(2)
    run.journal.close()
    report = verify(run.directory, evolve)
    assert report.damage is None
    assert (report.files, report.entries, report.first, report.last) == (2, 12, 1, 12)
    with (
        closing(sqlite3.connect(run.directory / "000001.db")) as old,
        closing(sqlite3.connect(run.directory / "000002.db")) as new,
    ):
        (last,) = old.execute("SELECT hash FROM head").fetchone()
        assert new.execute("SELECT previous, first_seq FROM period").fetchone() == (last, 10)
    with Journal.open(run.directory, evolve) as journal:
        assert journal.recovered.state == run.state


def test_a_period_may_be_closed_again_at_once(tmp_path: Path) -> None:
    run = Run(tmp_path / "journal")
    run.close_period()
    run.close_period()
    run.journal.close()
    assert verify(run.directory, evolve).damage is None


def test_pruning_keeps_what_was_asked_for_and_records_what_went(tmp_path: Path) -> None:
    run = Run(tmp_path / "journal")
    for _ in range(4):
        run.load(3)
        run.close_period()
    assert run.journal.prune(2, WALL) == [1, 2]
    assert run.journal.prune(2, WALL) == []
    run.load()
    run.reopen()
    assert run.journal.period == 5
    run.close_period()
    assert run.journal.prune(1, WALL) == [3, 4]
    run.journal.close()
    report = verify(run.directory, evolve)
    assert report.damage is None
    assert (report.files, report.pruned) == (2, 4)


def test_a_period_closed_after_a_prune_knows_what_went(tmp_path: Path) -> None:
    run = Run(tmp_path / "journal")
    for _ in range(3):
        run.load(3)
        run.close_period()
    assert run.journal.prune(1, WALL) == [1, 2]
    run.close_period()  # and before the next prune the power goes
    run.journal.abandon()
    with Journal.open(run.directory, evolve) as journal:
        assert journal.recovered.state == run.state
    report = verify(run.directory, evolve)
    assert (report.damage, report.pruned) == (None, 2)


def test_pruning_removes_nothing_when_what_stays_could_not_stand_alone(tmp_path: Path) -> None:
    run = Run(tmp_path / "journal")
    for _ in range(2):
        run.load(3)
        run.close_period()
    with closing(sqlite3.connect(run.directory / "000002.db", isolation_level=None)) as db:
        db.execute("UPDATE entry SET body = CAST(replace(body, '3', '4') AS BLOB) WHERE kind = 'PeriodOpened'")
    with pytest.raises(JournalDamaged, match="000002"):
        run.journal.prune(1, WALL)
    assert (run.directory / "000001.db").exists()
    run.journal.close()


def test_fewer_than_no_files_cannot_be_kept(tmp_path: Path) -> None:
    run = Run(tmp_path / "journal")
    with pytest.raises(ValueError, match="cannot keep"):
        run.journal.prune(-1, WALL)
    run.journal.close()


# --- a disk that does not want (8.5) ---------------------------------------------------------------------


def test_8_5_a_full_disk_fails_the_commit_and_all_after_it(tmp_path: Path) -> None:
    run = Run(tmp_path / "journal")
    run.load()
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, ((run.directory / "000001.db-wal").stat().st_size + 4_096, hard))
    try:
        with pytest.raises(JournalFailed) as failure:
            run.load(100)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert "stays out of service" in str(failure.value)
    with pytest.raises(JournalFailed, match="out of use since an earlier failure"):
        run.load()  # although there is room again
    run.journal.close()
    with Journal.open(run.directory, evolve) as journal:
        assert loaded(journal.recovered.state) <= loaded(run.state)


def test_8_5_a_database_at_its_largest_says_that_the_disk_is_full(tmp_path: Path) -> None:
    run = Run(tmp_path / "journal")
    run.journal._db.execute("PRAGMA max_page_count = 8")
    with pytest.raises(JournalFailed, match="The disk is full"):
        run.load(500)
    run.journal.close()


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_8_5_a_read_only_directory_is_refused(tmp_path: Path) -> None:
    Run(tmp_path / "journal").journal.close()
    (tmp_path / "journal").chmod(0o500)
    (tmp_path / "journal" / "lock").chmod(0o400)
    with pytest.raises(JournalFailed, match="Permission denied"):
        Journal.open(tmp_path / "journal", evolve)
    (tmp_path / "journal").chmod(0o700)


def test_8_5_a_program_that_writes_to_the_file_is_named_as_the_cause(tmp_path: Path) -> None:
    run = Run(tmp_path / "journal")
    run.journal._db.execute("PRAGMA busy_timeout = 10")
    with closing(sqlite3.connect(run.directory / "000001.db", isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(JournalFailed, match="locked by another program"):
            run.load()
    run.journal.close()
