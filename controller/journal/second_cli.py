"""``pozo journal copy`` and ``pozo journal restore``: the second copy, made and used."""

from __future__ import annotations

import argparse
import os
import select
import sys
from pathlib import Path

import msgspec

from controller.core.evolve import evolve
from controller.core.messages import msg
from controller.i18n import Translator
from controller.journal.copying import Copy
from controller.journal.restoring import restore

COPIED = msg("The copy {copy} holds everything up to entry {seq}.")
RESTORED = msg("Restored: table {table}, entries {first} to {last} in {files} files; the last was written at {wall}.")
COMPARE = msg(
    "What the table did after that is not in it: compare with what the table and its paper say, before it plays."
)
PERSONS = msg("Configuration and persons are not part of a journal: bring them separately.")


def add_copy(parser: argparse.ArgumentParser) -> None:
    """The options of ``pozo journal copy`` besides ``--journal``."""
    parser.add_argument("--to", type=Path, required=True, metavar="COPY", help="the directory of the copy")
    parser.add_argument(
        "--follow",
        type=float,
        metavar="SECONDS",
        help="again so often, until the standard input ends; a line each time",
    )
    parser.add_argument("--other-medium", action="store_true", help="refuse to copy to the journal's own file system")


def add_restore(parser: argparse.ArgumentParser) -> None:
    """The options of ``pozo journal restore`` besides ``--journal``."""
    parser.add_argument("--from", dest="copy", type=Path, required=True, metavar="COPY", help="the copy's directory")


def run_copy(options: argparse.Namespace, tell: Translator) -> int:
    """Bring the copy up to date, once or again and again. Raises JournalError."""
    with Copy(options.journal, options.to, other_medium=options.other_medium) as copy:
        seq = copy.update().seq
        while options.follow is not None:
            print(msgspec.json.encode({"seq": seq}).decode(), flush=True)
            ended = _ended(options.follow)
            seq = copy.update().seq
            if ended:
                return 0
        print(tell.text(COPIED, copy=options.to, seq=seq))
    return 0


def _ended(seconds: float) -> bool:
    """Wait so long; whether the standard input ended meanwhile, as it does when the daemon ends, however it ends."""
    ready, _, _ = select.select([sys.stdin], [], [], seconds)
    return bool(ready) and not os.read(sys.stdin.fileno(), 4096)


def run_restore(options: argparse.Namespace, tell: Translator) -> int:
    """Make a journal from a copy of it. Raises JournalError."""
    restored = restore(options.copy, options.journal, evolve)
    print(tell.text(RESTORED, **restored.report._asdict(), wall=restored.wall))
    print(tell.text(COMPARE))
    print(tell.text(PERSONS))
    return 0
