"""Reading beside the writer: entries, a round's story, and what ``pozo journal`` prints and answers."""

from __future__ import annotations

import csv
import json
import os
import shutil
import sqlite3
import threading
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from controller.core.events import BettingOpened, Event, KeyMoved
from controller.core.evolve import evolve
from controller.journal import cli, reading
from controller.journal.codec import decode
from controller.journal.errors import JournalDamaged
from controller.journal.verify import verify
from controller.journal.writer import NORMAL, Journal
from hal.port import Stamp
from tests.engine.journals import SMALL, WALL, Run, loading

Cli = Callable[..., tuple[int, str, str]]


@pytest.fixture
def pozo_journal(capsys: pytest.CaptureFixture[str]) -> Cli:
    """Run ``pozo journal`` in English: exit code, output, errors."""

    def run(command: str, directory: Path, *more: str) -> tuple[int, str, str]:
        code = cli.main([command, "--journal", str(directory), "--language", "en", *more])
        said = capsys.readouterr()
        return code, said.out, said.err

    return run


def commit(run: Run, *events: Event) -> None:
    for event in events:
        run.state = evolve(run.state, event)
    run.journal.commit(events, run.state, WALL)


@pytest.fixture
def evening(tmp_path: Path) -> Run:
    """Two rounds, the first across the end of a period; the journal is still being written."""
    run = Run(tmp_path / "journal")
    commit(run, KeyMoved("open"), BettingOpened(1, Stamp(0, 1)))  # 2, 3
    run.load(2)  # 4, 5
    run.close_period()  # 6, 7
    run.load()  # 8
    commit(run, BettingOpened(2, Stamp(0, 2)))  # 9
    run.load()  # 10
    return run


def test_read_goes_over_all_files_beside_the_writer(evening: Run) -> None:
    assert reading.extent(evening.directory) == (1, 10)
    said = list(reading.read(evening.directory))
    assert [entry.seq for _, entry, _ in said] == list(range(1, 11))
    assert [period for period, _, _ in said] == [1] * 6 + [2] * 4
    assert said[3].item == loading(1)
    assert [entry.seq for _, entry, _ in reading.read(evening.directory, 5, 8)] == [5, 6, 7, 8]
    assert not list(reading.read(evening.directory, 11))
    evening.load()
    assert reading.extent(evening.directory) == (1, 11)
    evening.journal.close()


def test_a_rounds_story_goes_to_the_next_rounds_opening(evening: Run) -> None:
    assert [entry.seq for _, entry, _ in reading.story(evening.directory, 1)] == [3, 4, 5, 6, 7, 8]
    assert [entry.seq for _, entry, _ in reading.story(evening.directory, 2)] == [9, 10]
    assert not list(reading.story(evening.directory, 3))
    evening.journal.close()


def test_what_is_read_is_checked(evening: Run) -> None:
    evening.journal.close()
    with closing(sqlite3.connect(evening.directory / "000001.db", isolation_level=None)) as db:
        db.execute("UPDATE entry SET wall = 'earlier' WHERE seq = 4")
    with pytest.raises(JournalDamaged, match="entry 4"):
        list(reading.story(evening.directory, 1))


def test_readers_leave_nothing_behind_and_never_stop_the_writer(tmp_path: Path) -> None:
    run = Run(tmp_path / "journal", limits=SMALL)
    stop, reports = threading.Event(), []

    def look() -> None:
        while not stop.is_set():
            reports.append(verify(run.directory, evolve))

    reader = threading.Thread(target=look)
    reader.start()
    try:
        for number in range(300):
            run.load()
            run.journal.tidy()
            if number % 50 == 49:
                run.close_period()
    finally:
        stop.set()
        reader.join()
    run.reopen()  # and takes away what a reader of a closed file kept alive
    run.journal.close()
    assert reports
    assert [str(report.damage) for report in reports if report.damage] == []
    assert sorted(os.listdir(run.directory)) == [f"{n:06}.db" for n in range(1, 8)] + ["lock"]


def test_a_journal_left_properly_is_read_where_nothing_may_be_written(evening: Run) -> None:
    evening.journal.close()
    before = sorted(os.listdir(evening.directory))
    assert verify(evening.directory, evolve).damage is None
    assert sorted(os.listdir(evening.directory)) == before


# --- the command -----------------------------------------------------------------------------------------


def test_verify_says_what_is_there(evening: Run, pozo_journal: Cli) -> None:
    code, said, errors = pozo_journal("verify", evening.directory)
    assert (code, errors) == (0, "")
    assert said == "Whole: table draw-1, 10 entries (1 to 10) in 2 files, 1 snapshots.\n"
    evening.journal.close()


def test_verify_names_the_first_damaged_place(evening: Run, pozo_journal: Cli) -> None:
    evening.journal.close()
    with closing(sqlite3.connect(evening.directory / "000002.db", isolation_level=None)) as db:
        db.execute("UPDATE entry SET wall = 'earlier' WHERE seq = 8")
    code, said, errors = pozo_journal("verify", evening.directory)
    assert code == 1
    assert said == "Whole up to there: 6 entries in 1 files.\n"
    assert "000002.db: entry 8 does not follow" in errors
    assert "restore it from a copy" in errors


@pytest.mark.parametrize("command", [["verify"], ["show"], ["export", "--csv", "-"], ["close"]])
def test_what_cannot_be_read_is_2(tmp_path: Path, pozo_journal: Cli, command: list[str]) -> None:
    code, said, errors = pozo_journal(command[0], tmp_path / "nowhere", *command[1:])
    assert (code, said) == (2, "")
    assert f"There is no journal in {tmp_path / 'nowhere'}." in errors


def test_show_tells_a_line_per_entry(evening: Run, pozo_journal: Cli) -> None:
    code, said, _ = pozo_journal("show", evening.directory)
    lines = said.splitlines()
    assert code == 0
    assert len(lines) == 10
    assert lines[2].split(maxsplit=2) == ["3", WALL, "Round 1: betting is open."]
    assert "Period 1 ends." in lines[5]
    evening.journal.close()


@pytest.mark.parametrize(
    ("asked", "seqs"),
    [
        (["--round", "2"], [9, 10]),
        (["--last", "3"], [8, 9, 10]),
        (["--from", "9"], [9, 10]),
        (["--from", "5", "--last", "99"], [5, 6, 7, 8, 9, 10]),
    ],
)
def test_show_tells_what_was_asked_for(evening: Run, pozo_journal: Cli, asked: list[str], seqs: list[int]) -> None:
    code, said, _ = pozo_journal("show", evening.directory, *asked)
    assert code == 0
    assert [int(line.split()[0]) for line in said.splitlines()] == seqs
    evening.journal.close()


def test_an_unknown_round_is_said_so(evening: Run, pozo_journal: Cli) -> None:
    code, said, errors = pozo_journal("show", evening.directory, "--round", "7")
    assert (code, said) == (2, "")
    assert "There is no round 7" in errors
    evening.journal.close()


def test_export_gives_back_every_byte(evening: Run, pozo_journal: Cli, tmp_path: Path) -> None:
    entries = [entry for _, entry, _ in reading.read(evening.directory)]
    assert pozo_journal("export", evening.directory, "--csv", str(tmp_path / "out.csv"))[0] == 0
    with (tmp_path / "out.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert [(int(row["seq"]), row["body"].encode(), bytes.fromhex(row["hash"])) for row in rows] == [
        (entry.seq, entry.body, entry.hash) for entry in entries
    ]
    code, said, _ = pozo_journal("export", evening.directory, "--jsonl", "-", "--round", "2")
    lines = [json.loads(line) for line in said.splitlines()]
    assert code == 0
    assert [line["kind"] for line in lines] == ["BettingOpened", "CreditsLoaded"]
    assert decode(lines[1]["kind"], lines[1]["version"], entries[9].body) == loading(4)
    assert lines[1]["body"]["credits"] == 4
    evening.journal.close()


def test_an_export_never_goes_over_the_journal(evening: Run, pozo_journal: Cli, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(evening.directory / "000001.db")
    for name in (evening.directory / "000001.db", evening.directory / "new.csv", tmp_path / "link"):
        code, _, errors = pozo_journal("export", evening.directory, "--csv", str(name))
        assert code == 2
        assert "the journal's own directory" in errors
    assert not (evening.directory / "new.csv").exists()
    evening.journal.close()
    assert pozo_journal("verify", evening.directory)[0] == 0


def test_close_and_prune_need_the_journal_to_themselves(evening: Run, pozo_journal: Cli) -> None:
    code, _, errors = pozo_journal("close", evening.directory)
    assert code == 2
    assert "in use by another pozo" in errors
    evening.journal.close()
    assert pozo_journal("close", evening.directory)[:2] == (0, "Period 2 is closed; period 3 is open.\n")
    assert pozo_journal("prune", evening.directory, "--keep", "5")[:2] == (0, "There is nothing to remove.\n")
    assert pozo_journal("prune", evening.directory, "--keep", "1")[:2] == (0, "Removed the files of the periods 1.\n")
    code, said, _ = pozo_journal("verify", evening.directory)
    assert code == 0
    assert "The files up to period 1 were removed" in said
    code, said, _ = pozo_journal("show", evening.directory, "--last", "1")
    assert said.split(maxsplit=2)[1].endswith("Z?")


def test_the_command_line_is_checked(tmp_path: Path) -> None:
    for words in (
        [],
        ["paint"],
        ["show"],
        ["export", "--journal", "x", "-"],
        ["prune", "--journal", "x", "--keep", "0"],
        ["show", "--journal", "x", "--last", "ten"],
    ):
        with pytest.raises(SystemExit) as refusal:
            cli.main(words)
        assert refusal.value.code == 2


def test_the_hand_made_check_of_the_document_agrees(tmp_path: Path) -> None:
    """The program in docs/journal.md, run as it stands there."""
    run = Run(tmp_path / "journal", limits=NORMAL)
    run.load(30)
    run.journal.close()
    document = Path(__file__).parents[2] / "docs" / "journal.md"
    program = document.read_text().partition("```python\n")[2].partition("```")[0]
    shutil.copy(run.directory / "000001.db", tmp_path / "copy.db")
    said: list[str] = []
    exec(program, {"FILE": str(tmp_path / "copy.db"), "print": said.append})
    assert said == ["31 entries, the chain holds"]
    with closing(sqlite3.connect(tmp_path / "copy.db", isolation_level=None)) as db:
        db.execute("UPDATE entry SET wall = 'x' WHERE seq = 7")
    said.clear()
    exec(program, {"FILE": str(tmp_path / "copy.db"), "print": said.append})
    assert said == ["entry 7 does not follow"]


def test_the_writer_can_be_opened_again_after_readers_came_and_went(evening: Run) -> None:
    with reading.source(evening.directory, 2):
        evening.journal.close()  # a reader holds the log, so that it cannot be removed
    with Journal.open(evening.directory, evolve) as journal:
        assert journal.recovered.state == evening.state
