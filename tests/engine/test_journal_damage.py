"""A damaged, truncated, foreign or newer journal is refused with the place and the way out, and never changed."""

from __future__ import annotations

import os
import shutil
import sqlite3
from contextlib import closing
from hashlib import sha256
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from controller.core.evolve import evolve
from controller.journal.chain import Link, entry_hash, snapshot_hash
from controller.journal.errors import (
    JournalDamaged,
    JournalError,
    JournalForeign,
    JournalMissing,
    JournalNewer,
)
from controller.journal.verify import verify
from controller.journal.writer import NORMAL, Journal
from tests.engine.journals import Run


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A whole journal of three files, left properly: 9, 9 and 6 loads, snapshots in each."""
    run = Run(tmp_path_factory.mktemp("model") / "journal")
    for _ in range(2):
        for _ in range(9):
            run.load()
        run.close_period()
    for _ in range(6):
        run.load()
    run.journal.close()
    return run.directory


@pytest.fixture
def journal(model: Path, tmp_path: Path) -> Path:
    """A copy of it, to be spoilt."""
    return Path(shutil.copytree(model, tmp_path / "journal"))


@pytest.fixture
def interrupted(model: Path, tmp_path: Path) -> Path:
    """A copy whose last writer was interrupted: the last three loads are in the log alone."""
    run = Run(Path(shutil.copytree(model, tmp_path / "journal")), create=False)
    for _ in range(3):
        run.load()
    run.journal.abandon()
    return run.directory


def sql(file: Path, *statements: str) -> None:
    with closing(sqlite3.connect(file, isolation_level=None)) as db:
        for statement in statements:
            db.execute(statement)


def contents(directory: Path) -> dict[str, str]:
    """What is in each file but the lock's, and SQLite's shared memory, which is none."""
    names = (name for name in os.listdir(directory) if name != "lock" and not name.endswith("-shm"))
    return {name: sha256((directory / name).read_bytes()).hexdigest() for name in names}


def refused(directory: Path, error: type[JournalError], match: str) -> str:
    """Opening is refused, twice alike, and nothing was changed by it. Returns the sentence."""
    before = contents(directory)
    with pytest.raises(error, match=match) as first:
        Journal.open(directory, evolve, "draw-1")
    assert contents(directory) == before
    with pytest.raises(error, match=match) as second:
        Journal.open(directory, evolve, "draw-1")
    assert str(first.value) == str(second.value)
    return str(first.value)


def damaged(directory: Path, match: str) -> None:
    """Opening and verifying both find it, with the way out."""
    assert "restore it from a copy" in refused(directory, JournalDamaged, match)
    found = verify(directory, evolve).damage
    assert found is not None
    assert str(found)


def test_the_model_is_whole(model: Path) -> None:
    report = verify(model, evolve)
    assert report.damage is None
    assert (report.files, report.entries, report.table) == (3, 29, "draw-1")
    assert report.snapshots >= 4


# --- the active file: found at every start ---------------------------------------------------------------


def test_an_altered_entry(journal: Path) -> None:
    sql(journal / "000003.db", "UPDATE entry SET body = CAST(replace(body, '24', '25') AS BLOB) WHERE seq = 29")
    damaged(journal, r"000003.db: entry 29 does not follow")


def test_an_altered_time(journal: Path) -> None:
    sql(journal / "000003.db", "UPDATE entry SET wall = '2025-03-01T20:15:00.251Z' WHERE seq = 29")
    damaged(journal, r"entry 29 does not follow")


def test_removed_last_entries(journal: Path) -> None:
    sql(journal / "000003.db", "DELETE FROM entry WHERE seq >= 28")
    damaged(journal, r"ends with entry 27, but 29 was recorded as the last")


def test_removed_last_entries_and_a_head_to_match_leave_the_snapshot(journal: Path) -> None:
    sql(
        journal / "000003.db",
        "DELETE FROM entry WHERE seq >= 24",
        "UPDATE head SET (seq, hash) = (SELECT seq, hash FROM entry ORDER BY seq DESC LIMIT 1)",
    )
    damaged(journal, r"there is a snapshot at entry \d+, but the last entry is 23")


def test_a_removed_entry(journal: Path) -> None:
    sql(journal / "000003.db", "DELETE FROM snapshot", "DELETE FROM entry WHERE seq = 26")
    damaged(journal, r"entry 26 is missing")


def test_swapped_entries(journal: Path) -> None:
    sql(
        journal / "000003.db",
        "DELETE FROM snapshot",
        "UPDATE entry SET seq = -1 WHERE seq = 25",
        "UPDATE entry SET seq = 25 WHERE seq = 26",
        "UPDATE entry SET seq = 26 WHERE seq = -1",
    )
    damaged(journal, r"entry 25 does not follow")


def test_an_altered_snapshot(journal: Path) -> None:
    sql(journal / "000003.db", "UPDATE snapshot SET state = CAST(replace(state, 'draw-1', 'draw-2') AS BLOB)")
    damaged(journal, r"the snapshot at entry \d+ was altered")


def test_a_snapshot_of_nonsense_with_a_fitting_hash(journal: Path) -> None:
    with closing(sqlite3.connect(journal / "000003.db", isolation_level=None)) as db:
        for seq, digest in db.execute("SELECT seq, e.hash FROM snapshot s JOIN entry e USING (seq)").fetchall():
            fitting = snapshot_hash(Link(seq, digest), 1, b'{"setup":7}')
            db.execute("UPDATE snapshot SET state = ?, hash = ? WHERE seq = ?", (b'{"setup":7}', fitting, seq))
    damaged(journal, r"the state kept at entry \d+ cannot be understood")


def test_an_entry_that_no_version_can_have_written(journal: Path) -> None:
    _append(journal / "000003.db", "CreditsLoaded", 1, b'{"type":"CreditsLoaded","seat":1,"count":"one"}')
    damaged(journal, r"entry 30 cannot be understood")


def test_an_entry_that_cannot_be_applied(journal: Path) -> None:
    _append(journal / "000003.db", "CreditsLoaded", 1, b'{"type":"CreditsLoaded","seat":99,"count":1,"credits":1}')
    damaged(journal, r"entry 30 \(CreditsLoaded\) cannot be applied")


def test_an_entry_with_an_unknown_field_is_not_read_without_it(journal: Path) -> None:
    _append(
        journal / "000003.db",
        "CreditsLoaded",
        1,
        b'{"type":"CreditsLoaded","seat":1,"count":1,"credits":1,"note":""}',
    )
    damaged(journal, r"entry 30 cannot be understood")


def _append(file: Path, kind: str, version: int, body: bytes) -> None:
    """Add an entry whose hash fits, as somebody who knows the rule could."""
    with closing(sqlite3.connect(file, isolation_level=None)) as db:
        seq, previous = db.execute("SELECT seq, hash FROM head").fetchone()
        digest = entry_hash(previous, seq + 1, "x", kind, version, body)
        db.execute("INSERT INTO entry VALUES (?, 'x', ?, ?, ?, ?)", (seq + 1, kind, version, body, digest))
        db.execute("UPDATE head SET seq = ?, hash = ?", (seq + 1, digest))


def test_a_row_of_another_period(journal: Path) -> None:
    sql(journal / "000003.db", "UPDATE period SET number = 4")
    damaged(journal, r"000003.db is the file of period 4: it was renamed")


def test_a_renamed_table(journal: Path) -> None:
    sql(journal / "000003.db", "DELETE FROM snapshot", "UPDATE period SET table_id = 'draw-2'")
    with pytest.raises(JournalDamaged):
        Journal.open(journal, evolve)
    refused(journal, JournalForeign, "is the journal of table 'draw-2'")


def test_a_trigger_that_somebody_added(journal: Path) -> None:
    sql(journal / "000003.db", "CREATE TRIGGER t AFTER INSERT ON entry BEGIN DELETE FROM entry; END")
    damaged(journal, r"does not hold the tables of a journal")


# --- files ----------------------------------------------------------------------------------------------


def test_a_missing_log_is_missed(interrupted: Path) -> None:
    (interrupted / "000003.db-wal").unlink()
    (interrupted / "000003.db-shm").unlink()
    damaged(interrupted, r"000003.db-wal is missing")


def test_a_log_that_another_program_moved_into_the_file_is_not_missed(interrupted: Path) -> None:
    sql(interrupted / "000003.db", "SELECT * FROM entry")  # and closes, as the last one
    assert not (interrupted / "000003.db-wal").exists()
    with Journal.open(interrupted, evolve) as journal:
        assert journal.seq == 32
        assert not journal.clean


def test_an_emptied_log_is_missed(interrupted: Path) -> None:
    os.truncate(interrupted / "000003.db-wal", 0)
    damaged(interrupted, r"000003.db-wal is missing")


@pytest.mark.parametrize("size", [0, 50, 4_096, 10_000, 16_384])
def test_a_truncated_file(journal: Path, size: int) -> None:
    os.truncate(journal / "000003.db", size)
    damaged(journal, r"cut off|its beginning is missing")


def test_a_truncated_file_is_refused_unless_its_log_has_the_rest(tmp_path: Path) -> None:
    run = Run(tmp_path / "journal", limits=NORMAL)
    run.load(400)
    run.reopen()
    run.load()
    run.journal.abandon()
    file = run.directory / "000001.db"
    # As a checkpoint that the power cut interrupted: the last page is in the log alone.
    os.truncate(file, file.stat().st_size - 1)
    Journal.open(run.directory, evolve).abandon()
    os.truncate(file, 12_288)
    damaged(run.directory, r"cut off: it has 12288 of \d+ bytes")


def test_a_header_that_counts_billions_of_pages(journal: Path) -> None:
    with (journal / "000003.db").open("r+b") as file:
        file.seek(28)
        file.write(b"\xff\xff\xff\xff")
    damaged(journal, r"cut off: it has \d+ of 17592186040320 bytes")


def test_something_else_in_its_place(journal: Path) -> None:
    (journal / "000003.db").write_bytes(b"\x7fELF" * 5_000)
    damaged(journal, r"is no database")


def test_the_database_of_another_program(journal: Path) -> None:
    (journal / "000003.db").unlink()
    sql(journal / "000003.db", "CREATE TABLE note (text)")
    refused(journal, JournalForeign, r"of some other program.*nothing was changed")


def test_a_missing_file_in_the_middle(journal: Path) -> None:
    (journal / "000002.db").unlink()
    damaged(journal, r"000002.db is missing, though later files are there")


def test_the_newest_file_missing(journal: Path) -> None:
    (journal / "000003.db").unlink()
    damaged(journal, r"000003.db is missing: the period before it is closed")


def test_the_oldest_file_missing_though_nobody_pruned_it(journal: Path) -> None:
    (journal / "000001.db").unlink()
    damaged(journal, r"000001.db is missing, and nobody removed it")


def test_a_file_before_the_active_one_from_another_journal(journal: Path, tmp_path: Path) -> None:
    other = Run(tmp_path / "other")
    other.load()
    other.close_period()
    other.load()
    other.close_period()
    other.journal.close()
    shutil.copy(other.directory / "000002.db", journal / "000002.db")
    damaged(journal, r"000002.db does not end where the next file begins")


def test_no_files_at_all(tmp_path: Path) -> None:
    (tmp_path / "journal").mkdir()
    with pytest.raises(JournalMissing):
        verify(tmp_path / "journal", evolve)


# --- closed files: found by verify -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("statement", "match"),
    [
        ("UPDATE entry SET body = CAST(replace(body, '4', '5') AS BLOB) WHERE seq = 5", "entry 5 does not follow"),
        ("UPDATE entry SET hash = zeroblob(32) WHERE seq = 3", "entry 3 does not follow"),
        ("UPDATE snapshot SET state = x'00' WHERE seq = 5", "the snapshot at entry 5 was altered"),
        ("UPDATE snapshot SET seq = 900 WHERE seq = 5", "a snapshot of an entry that it does not have"),
        ("UPDATE period SET pruned = 7", "misreports which files were removed"),
        ("DELETE FROM period", "does not say which period"),
        ("DELETE FROM head", "has no entries"),
    ],
)
def test_verify_looks_at_closed_files_too(journal: Path, statement: str, match: str) -> None:
    sql(journal / "000001.db", statement)
    found = verify(journal, evolve).damage
    assert found is not None
    assert found.file.name == "000001.db"
    assert match in str(found)


@pytest.mark.parametrize("file", ["000001.db", "000003.db"])
def test_verify_finds_any_flipped_byte_of_any_entry(model: Path, tmp_path: Path, file: str) -> None:
    """Every stored value of every entry, one byte after the other changed in its middle."""
    journal = Path(shutil.copytree(model, tmp_path / "journal"))
    with closing(sqlite3.connect(journal / file, isolation_level=None)) as db:
        rows = db.execute("SELECT seq, wall, kind, version, body, hash FROM entry").fetchall()
        for seq, wall, kind, version, body, digest in rows:
            spoilt = {
                "wall": _flipped(wall.encode()).decode("latin-1"),
                "kind": _flipped(kind.encode()).decode("latin-1"),
                "version": version + 1,
                "body": _flipped(body),
                "hash": _flipped(digest),
            }
            column = list(spoilt)[seq % len(spoilt)]
            before = {"wall": wall, "kind": kind, "version": version, "body": body, "hash": digest}[column]
            db.execute(f"UPDATE entry SET {column} = ? WHERE seq = ?", (spoilt[column], seq))
            found = verify(journal, evolve).damage
            assert found is not None
            assert found.values.get("seq", seq) == seq
            db.execute(f"UPDATE entry SET {column} = ? WHERE seq = ?", (before, seq))
    assert verify(journal, evolve).damage is None


def _flipped(data: bytes) -> bytes:
    middle = len(data) // 2
    return data[:middle] + bytes([data[middle] ^ 1]) + data[middle + 1 :]


@given(data=st.data())
def test_any_flipped_byte_on_the_disk_is_found_or_does_no_harm(model: Path, data: st.DataObject) -> None:
    """Pages hold bytes that mean nothing; but whatever is read must be what was written."""
    spoilt = model.with_name("spoilt")
    shutil.rmtree(spoilt, ignore_errors=True)
    shutil.copytree(model, spoilt)
    file = spoilt / data.draw(st.sampled_from(["000001.db", "000002.db", "000003.db"]))
    content = bytearray(file.read_bytes())
    content[data.draw(st.integers(0, len(content) - 1))] ^= 1 << data.draw(st.integers(0, 7))
    file.write_bytes(content)
    whole = verify(model, evolve)
    try:
        report = verify(spoilt, evolve)
    except JournalError:
        return
    assert report.damage is not None or report == whole


# --- newer ----------------------------------------------------------------------------------------------


def test_a_newer_format(journal: Path) -> None:
    sql(journal / "000003.db", "PRAGMA user_version = 2")
    refused(journal, JournalNewer, r"format version 2; this pozo knows versions up to 1.*Install")


@pytest.mark.parametrize(("kind", "version"), [("CreditsLoaded", 2), ("SeatPainted", 1)])
def test_a_newer_entry(journal: Path, kind: str, version: int) -> None:
    _append(journal / "000003.db", kind, version, b"{}")
    refused(journal, JournalNewer, rf"entry 30 was written by another version of pozo \({kind} version {version}\)")
