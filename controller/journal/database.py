"""One file of a journal as an SQLite database: its schema, its connections, and whether it is whole.

The header is read and judged before SQLite touches the file, because SQLite mends what it can: it would extend
a truncated file with zeros at the next checkpoint, and take a file whose write-ahead log was removed for one
that never had more. Hence `check_header`, and the ``in_use`` mark.

As long as there may be entries in the log alone, the file itself says `IN_LOG`, so that a missing log is noticed.
The log says `WHOLE`: should another program, looking in after a crash, move all of it into the file and remove it
(SQLite does so whenever the last one closes), then the file says `WHOLE`, and it is.
"""

from __future__ import annotations

import sqlite3
from functools import partial
from pathlib import Path
from typing import NamedTuple

from controller.core.messages import msg
from controller.journal.directory import wal_of
from controller.journal.errors import (
    JournalDamaged,
    JournalForeign,
    JournalMissing,
    JournalNewer,
    translating,
)

APPLICATION_ID = 0x506F7A6F  # "Pozo"
FORMAT = 1
"""The version of the file format, kept in SQLite's ``user_version``."""

LEFT, IN_LOG, WHOLE = 0, 1, 2
"""What ``in_use`` says: left properly; in use, and not to be read without its log; in use, with nothing missing."""

SCHEMA = (
    """CREATE TABLE period (
    one INTEGER PRIMARY KEY CHECK (one = 1),
    table_id TEXT NOT NULL,
    number INTEGER NOT NULL,
    previous BLOB NOT NULL,
    first_seq INTEGER NOT NULL,
    pruned INTEGER NOT NULL,
    in_use INTEGER NOT NULL
) STRICT""",
    """CREATE TABLE entry (
    seq INTEGER PRIMARY KEY,
    wall TEXT NOT NULL,
    kind TEXT NOT NULL,
    version INTEGER NOT NULL,
    body BLOB NOT NULL,
    hash BLOB NOT NULL
) STRICT""",
    """CREATE TABLE head (
    one INTEGER PRIMARY KEY CHECK (one = 1),
    seq INTEGER NOT NULL,
    hash BLOB NOT NULL
) STRICT""",
    """CREATE TABLE snapshot (
    seq INTEGER PRIMARY KEY,
    version INTEGER NOT NULL,
    state BLOB NOT NULL,
    hash BLOB NOT NULL
) STRICT""",
)


class Period(NamedTuple):
    """A file's own row: whose it is, and what it follows.

    `previous` is the hash of the last entry of the file before (empty for the first file), `first_seq` the
    number of this file's first entry, `pruned` the number of the last file that was removed on purpose.
    """

    table_id: str
    number: int
    previous: bytes
    first_seq: int
    pruned: int
    in_use: int


def connect(file: Path) -> sqlite3.Connection:
    """The one connection that writes. Transactions are explicit; checkpoints happen only when asked for.

    It may be handed from one thread to another, but never used by two at once. The header has been checked, by
    `connect_to_read`: it must not be looked at beside an open connection (see `check_header`).
    """
    return _opened(
        file,
        "mode=rw",
        "trusted_schema = OFF",
        "cell_size_check = ON",
        "synchronous = FULL",
        "wal_autocheckpoint = 0",
        "journal_mode = WAL",
        # A log that had to grow while a reader was in the way is cut down again once it starts anew.
        "journal_size_limit = 16777216",
    )


def connect_to_read(file: Path) -> sqlite3.Connection:
    """A connection that cannot write, and leaves nothing behind in the directory.

    Without a log nobody is writing the file. Then SQLite is told so (``immutable``), because it would otherwise
    create the log's files, in the name of whoever reads, and lock the daemon out of its own journal.
    """
    check_header(file)
    logged = has_log(file)
    db = _opened(file, "mode=ro" if logged else "mode=ro&immutable=1", "trusted_schema = OFF")
    try:
        if not logged and read_period(db, file).in_use == IN_LOG and not has_log(file):
            raise JournalDamaged(
                msg("{log} is missing: what was acknowledged last before pozo was interrupted was in it."),
                file,
                log=wal_of(file),
            )
    except BaseException:
        db.close()
        raise
    return db


def anchor(file: Path) -> sqlite3.Connection:
    """A connection that does nothing but stay open longer than the one that writes.

    SQLite takes the last connection that closes a file for the end of its use: it empties the log and removes
    it, even when the program is falling down. Beside an anchor the log stays, and only `settle` ends its use.
    """
    db = _opened(file, "mode=ro", "trusted_schema = OFF")
    with translating(file):
        db.execute("SELECT in_use FROM period").fetchone()  # the lock is taken with the first read
    return db


def has_log(file: Path) -> bool:
    """Whether there is a log with something in it; as long as a file is in use there is."""
    try:
        return wal_of(file).stat().st_size > 0
    except FileNotFoundError:
        return False


def _opened(file: Path, how: str, *pragmas: str) -> sqlite3.Connection:
    uri = f"{file.absolute().as_uri()}?{how}"
    with translating(file):
        db = sqlite3.connect(uri, uri=True, isolation_level=None, timeout=5, check_same_thread=False)
        db.text_factory = partial(str, encoding="utf-8", errors="replace")  # damaged text has another hash
        try:
            for pragma in pragmas:
                db.execute(f"PRAGMA {pragma}").fetchall()
        except BaseException:
            db.close()
            raise
    return db


def create(draft: Path, period: Period) -> sqlite3.Connection:
    """A new file without entries, in a transaction that is still open; `draft` must not exist."""
    db = _opened(
        draft,
        "mode=rwc",
        "synchronous = FULL",
        f"application_id = {APPLICATION_ID}",
        f"user_version = {FORMAT}",
        "journal_mode = WAL",
    )
    with translating(draft):
        db.execute("BEGIN IMMEDIATE")
        for statement in SCHEMA:
            db.execute(statement)
        db.execute("INSERT INTO period VALUES (1, ?, ?, ?, ?, ?, ?)", period)
    return db


def settle(db: sqlite3.Connection, file: Path) -> None:
    """Move everything from the log into `file`, durably, and mark it as complete without the log."""
    with translating(file):
        db.execute("PRAGMA busy_timeout = 100")  # a reader in the way keeps the log alive, and is not waited for
        db.execute("UPDATE period SET in_use = ?", (LEFT,))
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()


def checkpoint(db: sqlite3.Connection, file: Path) -> int:
    """Move from the log into `file` what no reader is still looking at; returns the number of pages left there.

    The file is then marked as one that cannot do without its log.
    """
    with translating(file):
        db.execute("UPDATE period SET in_use = ?", (IN_LOG,))
        _, pages, moved = db.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchone()
        db.execute("UPDATE period SET in_use = ?", (WHOLE,))
    return int(pages - moved)


def read_period(db: sqlite3.Connection, file: Path) -> Period:
    """The file's own row. Raises JournalDamaged when it is another file's, or the tables are not this format's."""
    with translating(file):
        tables = db.execute("SELECT sql FROM sqlite_schema ORDER BY rowid").fetchall()
        if tables != [(statement,) for statement in SCHEMA]:
            raise JournalDamaged(msg("{file} does not hold the tables of a journal."), file)
        rows = db.execute("SELECT table_id, number, previous, first_seq, pruned, in_use FROM period").fetchall()
    if len(rows) != 1:
        raise JournalDamaged(msg("{file} does not say which period of which table it is."), file)
    table_id, number, previous, first_seq, pruned, in_use = rows[0]
    if number != int(file.name.partition(".")[0]):
        raise JournalDamaged(msg("{file} is the file of period {number}: it was renamed."), file, number=number)
    return Period(table_id, number, previous, first_seq, pruned, in_use)


# --- the header, before SQLite sees it -------------------------------------------------------------------


def check_header(file: Path) -> None:
    """Is this a journal's file, of a format we know, and as long as it says?

    Raises JournalMissing, JournalForeign, JournalNewer or JournalDamaged. Offsets are those of SQLite's file
    format (https://sqlite.org/fileformat2.html).

    Never for a file that this process has open in SQLite: closing it here would drop SQLite's own locks on it
    (https://sqlite.org/howtocorrupt.html, 2.2), and another program could then take away the log in use.
    """
    if not file.is_file():
        raise JournalMissing(msg("{file} does not exist."), msg("Check the path in the configuration."), file=file)
    with translating(file), file.open("rb") as opened:
        header = opened.read(100)
        size = opened.seek(0, 2)
    if len(header) < 100 or not header.startswith(b"SQLite format 3\0"):
        raise JournalDamaged(msg("{file} is no database: its beginning is missing or overwritten."), file)
    if int.from_bytes(header[68:72], "big") != APPLICATION_ID:
        raise JournalForeign(
            msg("{file} is a database of some other program, not a journal of pozo."),
            msg("Check the path in the configuration; nothing was changed."),
            file=file,
        )
    version = int.from_bytes(header[60:64], "big")
    if version > FORMAT:
        raise JournalNewer(
            msg("{file} has format version {version}; this pozo knows versions up to {known}."),
            msg("Install the pozo that wrote it, or a newer one. Nothing was changed."),
            file=file,
            version=version,
            known=FORMAT,
        )
    _check_length(file, header, size)


def _check_length(file: Path, header: bytes, size: int) -> None:
    """Every page that the header counts must be in the file or, if a checkpoint was cut short, in the log."""
    page_size = int.from_bytes(header[16:18], "big")
    page_size = 65536 if page_size == 1 else page_size
    pages = int.from_bytes(header[28:32], "big")
    if page_size < 512:
        raise JournalDamaged(msg("{file} is no database: its beginning is missing or overwritten."), file)
    if _lacks_pages(file, page_size, size // page_size, pages):
        size = file.stat().st_size  # again, in case that a checkpoint ended meanwhile
        if not _lacks_pages(file, page_size, size // page_size, pages):
            return
        raise JournalDamaged(
            msg("{file} is cut off: it has {size} of {expected} bytes."),
            file,
            size=size,
            expected=pages * page_size,
        )


def _lacks_pages(file: Path, page_size: int, present: int, counted: int) -> bool:
    """Whether one of the pages after the first `present` ones is not in the log either."""
    if counted <= present:
        return False
    logged = _pages_in_log(wal_of(file), page_size)
    # A damaged header may count billions: compare numbers first.
    return counted - present > len(logged) or not logged.issuperset(range(present + 1, counted + 1))


def _pages_in_log(log: Path, page_size: int) -> set[int]:
    """The numbers of the pages in a write-ahead log, up to the first frame that an earlier round left there."""
    if not log.is_file():
        return set()
    pages = set()
    with translating(log), log.open("rb") as opened:
        salts = opened.read(32)[16:24]
        while len(frame := opened.read(24)) == 24 and frame[8:16] == salts:
            pages.add(int.from_bytes(frame[0:4], "big"))
            opened.seek(page_size, 1)
    return pages
