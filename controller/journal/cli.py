"""``pozo journal``: verify, show, export and copy while the daemon runs; close, prune and restore while it does not.

Exit codes: 0 all is well; 1 the journal is damaged; 2 it cannot be read (or the command line cannot).
"""

from __future__ import annotations

import argparse
import csv
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from itertools import chain
from pathlib import Path
from typing import Any, TextIO, get_args

import msgspec

from controller.core.evolve import evolve
from controller.core.messages import msg
from controller.i18n import Language, Translator, spoken, translator
from controller.journal.errors import JournalDamaged, JournalError, JournalMissing
from controller.journal.lines import Lines
from controller.journal.reading import Said, extent, read, setup, story
from controller.journal.second_cli import add_copy, add_restore, run_copy, run_restore
from controller.journal.verify import Report, verify
from controller.journal.wall import wall
from controller.journal.writer import Journal

WHOLE = msg("Whole: table {table}, {entries} entries ({first} to {last}) in {files} files, {snapshots} snapshots.")
PRUNED = msg("The files up to period {pruned} were removed by `pozo journal prune`.")
WHOLE_SO_FAR = msg("Whole up to there: {entries} entries in {files} files.")
NO_ROUND = msg("There is no round {round} in this journal, or it was removed by `pozo journal prune`.")
OWN_DIRECTORY = msg("{file} is in the journal's own directory, where nothing else may write: name another place.")
CLOSED = msg("Period {period} is closed; period {next} is open.")
REMOVED = msg("Removed the files of the periods {periods}.")
NOTHING_REMOVED = msg("There is nothing to remove.")


def main(argv: list[str]) -> int:
    """Run ``pozo journal ARGV…`` and return the exit code."""
    options = _parser().parse_args(argv)
    tell = translator(options.language)
    try:
        return _COMMANDS[options.command](options, tell)
    except JournalError as error:
        _complain(error, tell)
        return 1 if isinstance(error, JournalDamaged) else 2
    except BrokenPipeError:  # `pozo journal show | head`: whoever reads has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except OSError as error:
        print(error, file=sys.stderr)
        return 2


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="pozo journal", description="Look at a table's journal, and close periods.")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")

    def command(name: str, about: str) -> argparse.ArgumentParser:
        added = commands.add_parser(name, help=about, description=about)
        added.add_argument("--journal", type=Path, required=True, metavar="DIR", help="the journal's directory")
        added.add_argument("--language", choices=get_args(Language), default=spoken(), help="of what is printed")
        return added

    command("verify", "check every entry, snapshot and balance, from the oldest file on")
    show = command("show", "tell what happened, one line an entry")
    show.add_argument("--round", type=int, metavar="N", help="the whole story of round N")
    show.add_argument("--from", dest="first", type=int, metavar="SEQ", help="from entry SEQ on")
    show.add_argument("--last", type=_positive, metavar="N", help="the last N entries")
    export = command("export", "write entries for other programs")
    form = export.add_mutually_exclusive_group(required=True)
    form.add_argument("--csv", action="store_true", help="as comma-separated values")
    form.add_argument("--jsonl", action="store_true", help="as one JSON object a line")
    export.add_argument("--round", type=int, metavar="N", help="only the story of round N")
    export.add_argument("file", metavar="FILE", help="where to; - is the standard output")
    command("close", "end the open period with its balances and begin the next one; the daemon must not run")
    prune = command("prune", "remove the oldest closed periods; the daemon must not run")
    prune.add_argument("--keep", type=_positive, required=True, metavar="N", help="how many closed periods to keep")
    add_copy(command("copy", "bring a second copy up to date, checked against the chain"))
    add_restore(command("restore", "make a journal from its second copy, on a new card; never over another one"))
    return parser


def _positive(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) < 20 and int(text)):
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number, 1 or more")
    return int(text)


def _complain(error: JournalError, tell: Translator) -> None:
    for part in (error.text, error.way_out):
        if part:
            print(tell.text(part, **error.values), file=sys.stderr)


# --- the commands ----------------------------------------------------------------------------------------


def _verify(options: argparse.Namespace, tell: Translator) -> int:
    report: Report = verify(options.journal, evolve)
    if report.damage is not None:
        _complain(report.damage, tell)
        print(tell.text(WHOLE_SO_FAR, entries=report.entries, files=report.files))
        return 1
    values = report._asdict()
    print(tell.text(WHOLE, **values))
    if report.pruned:
        print(tell.text(PRUNED, **values))
    return 0


def _show(options: argparse.Namespace, tell: Translator) -> int:
    lines = Lines(setup(options.journal), tell)
    for said in _chosen(options):
        print(lines.line(said.entry, said.item))
    sys.stdout.flush()
    return 0


def _export(options: argparse.Namespace, tell: Translator) -> int:
    chosen = _chosen(options)
    with _opened(options.file, options.journal) as out:
        write = _csv(out) if options.csv else _jsonl(out)
        for said in chosen:
            write(said)
        out.flush()
    return 0


def _close(options: argparse.Namespace, tell: Translator) -> int:
    with Journal.open(options.journal, evolve) as journal:
        journal.close_period(journal.recovered.state, _now())
        print(tell.text(CLOSED, period=journal.period - 1, next=journal.period))
    return 0


def _prune(options: argparse.Namespace, tell: Translator) -> int:
    with Journal.open(options.journal, evolve) as journal:
        removed = journal.prune(options.keep, _now())
    numbers = ", ".join(str(number) for number in removed)
    print(tell.text(REMOVED, periods=numbers) if removed else tell.text(NOTHING_REMOVED))
    return 0


_COMMANDS: dict[str, Callable[[argparse.Namespace, Translator], int]] = {
    "verify": _verify,
    "show": _show,
    "export": _export,
    "close": _close,
    "prune": _prune,
    "copy": run_copy,
    "restore": run_restore,
}


# --- reading and writing ---------------------------------------------------------------------------------


def _chosen(options: argparse.Namespace) -> Iterator[Said]:
    """The entries that the command line asks for. What is not there is said before anything is written."""
    if options.round is not None:
        told = story(options.journal, options.round)
        opening = next(told, None)
        if opening is None:
            raise JournalMissing(NO_ROUND, round=options.round)
        return chain((opening,), told)
    oldest, newest = extent(options.journal)
    first = getattr(options, "first", None) or oldest
    last = getattr(options, "last", None)
    return read(options.journal, max(first, newest - last + 1) if last else first)


def _now() -> str:
    # Nobody vouches for the clock here, as the daemon does; so it is not claimed to be right.
    return wall(datetime.now(UTC), synchronised=False)


@contextmanager
def _opened(name: str, journal: Path) -> Iterator[TextIO]:
    if name == "-":
        yield sys.stdout
    elif os.path.realpath(journal) == os.path.dirname(os.path.realpath(name)):
        raise JournalError(OWN_DIRECTORY, file=name)
    else:
        with Path(name).open("w", encoding="utf-8", newline="") as file:
            yield file


def _csv(out: TextIO) -> Callable[[Said], object]:
    writer = csv.writer(out)
    writer.writerow(("seq", "period", "wall", "kind", "version", "body", "hash"))

    def write(said: Said) -> object:
        entry = said.entry
        return writer.writerow(
            (entry.seq, said.period, entry.wall, entry.kind, entry.version, entry.body.decode(), entry.hash.hex())
        )

    return write


def _jsonl(out: TextIO) -> Callable[[Said], object]:
    def write(said: Said) -> object:
        entry = said.entry
        line: dict[str, Any] = {
            "seq": entry.seq,
            "period": said.period,
            "wall": entry.wall,
            "kind": entry.kind,
            "version": entry.version,
            "body": msgspec.Raw(entry.body),
            "hash": entry.hash.hex(),
        }
        return out.write(msgspec.json.encode(line).decode() + "\n")

    return write
