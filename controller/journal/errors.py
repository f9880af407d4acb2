"""Everything that can go wrong with a journal; each error says what, where, and the way out.

::

    JournalError
    ├── JournalMissing    there is no journal in that directory
    ├── JournalBusy       another process writes to it
    ├── JournalForeign    not a journal of pozo, or one of another table
    ├── JournalNewer      written by a newer pozo than this one
    ├── JournalDamaged    truncated, altered, incomplete; never repaired silently
    └── JournalFailed     the disk is full, read-only or failing; the table goes out of service (rules 8.5)

Errors of SQLite and of the operating system are translated at the edge of this package (`raise … from`), so
nobody else needs to know that there is a database.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from controller.core.messages import msg

RESTORE = msg(
    "Nothing is repaired silently: `pozo journal verify` shows the first damaged place; put the whole journal "
    "directory aside and restore it from a copy."
)
RESTART = msg("The table stays out of service until the cause is gone and pozo is started again.")


class JournalError(Exception):
    """`text` and `way_out` are message ids whose placeholders `values` fill; ``str`` is both in English."""

    def __init__(self, text: str, way_out: str = "", **values: object) -> None:
        super().__init__(text, way_out, values)
        self.text = text
        self.way_out = way_out
        self.values = values

    def __str__(self) -> str:
        return " ".join(part.format_map(self.values) for part in (self.text, self.way_out) if part)


class JournalMissing(JournalError):  # noqa: N818
    """There is no journal in that directory."""


class JournalBusy(JournalError):  # noqa: N818
    """Another process holds the journal's lock."""


class JournalForeign(JournalError):  # noqa: N818
    """Not a journal of pozo, or the journal of another table."""


class JournalNewer(JournalError):  # noqa: N818
    """Written by a newer version of pozo than this one."""


class JournalDamaged(JournalError):  # noqa: N818
    """Something is missing, altered or does not follow. `file` is the damaged file's path."""

    def __init__(self, text: str, file: Path, **values: object) -> None:
        super().__init__(text, RESTORE, file=file, **values)
        self.file = file


class JournalFailed(JournalError):  # noqa: N818
    """The disk did not do what was asked of it; what was being written is not acknowledged."""


_DAMAGE = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_TOOBIG)
_FAILURES = {
    sqlite3.SQLITE_FULL: msg("The disk is full: {file} cannot grow. Free some space."),
    sqlite3.SQLITE_READONLY: msg("{file} is read-only: check the disk, its mount and the permissions."),
    sqlite3.SQLITE_CANTOPEN: msg("{file} cannot be opened: check that it exists, and the permissions."),
    sqlite3.SQLITE_PERM: msg("{file} cannot be opened: check that it exists, and the permissions."),
    sqlite3.SQLITE_IOERR: msg("The disk failed while {file} was in use ({error}): check or replace it."),
    sqlite3.SQLITE_BUSY: msg("{file} is locked by another program: nothing but pozo may write to it. End it."),
    sqlite3.SQLITE_LOCKED: msg("{file} is locked by another program: nothing but pozo may write to it. End it."),
}
_OTHER_FAILURE = msg("{file} cannot be used: {error}.")


def translated(error: sqlite3.Error, file: Path) -> JournalError:
    """What an error of SQLite about `file` means here."""
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    if code in _DAMAGE:
        return JournalDamaged(msg("{file} is damaged: SQLite says {error!r}."), file, error=str(error))
    name = getattr(error, "sqlite_errorname", str(error))
    return JournalFailed(_FAILURES.get(code, _OTHER_FAILURE), RESTART, file=file, error=name)


@contextmanager
def translating(file: Path) -> Iterator[None]:
    """Turn errors of SQLite and of the operating system about `file` into this package's own."""
    try:
        yield
    except sqlite3.Error as error:
        raise translated(error, file) from error
    except UnicodeDecodeError as error:  # a name or message that holds a damaged text
        raise JournalDamaged(msg("{file} is damaged: it holds text that is none."), file) from error
    except OSError as error:
        text = msg("{file} cannot be used: {error}.")
        raise JournalFailed(text, RESTART, file=file, error=error.strerror or str(error)) from error
