"""``pozo simulate TABLE.toml``: complete games through the real core, and an audit of what it made of them.

Exit status 0 when nothing was found, 1 when a sum does not hold or a count of hands is not believed, 2 when what was
asked for cannot be. Ctrl-C ends it with the figures so far.
"""

from __future__ import annotations

import argparse
import json
import signal
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from random import Random, SystemRandom

from controller.config import Config, ConfigError, load
from controller.core.messages import msg
from controller.i18n import translator
from controller.progress import progress_bar
from controller.simulate.findings import AuditError
from controller.simulate.report import Report, as_json, report
from controller.simulate.rounds import Simulation
from controller.simulate.text import tell

ROUNDS = 10_000
MOST_ROUNDS = 100_000_000
"""More than a day's and a night's; a mistyped number is told at once."""


def main(argv: Sequence[str]) -> int:
    """Run ``pozo simulate`` with the arguments after the word. Returns the exit status."""
    options = _parser().parse_args(argv)
    try:
        config = load(options.file)
    except ConfigError as error:
        print(error.report(options.language), file=sys.stderr)
        return 2
    language = options.language or config.language
    rounds = _count(options.rounds)
    if not rounds or rounds > MOST_ROUNDS:
        text = msg("--rounds: write a whole number from 1 to {most}; {value} is none.")
        print(translator(language).text(text, most=MOST_ROUNDS, value=repr(options.rounds)), file=sys.stderr)
        return 2
    seed = SystemRandom().randrange(1_000_000) if options.seed is None else _count(options.seed)
    if seed is None:
        text = msg("--seed: write a whole number; {value} is none.")
        print(translator(language).text(text, value=repr(options.seed)), file=sys.stderr)
        return 2
    found = simulate(config, rounds, seed)
    print(json.dumps(as_json(found), indent=2) if options.json else tell(found, language))
    return 0 if found.ok else 1


def simulate(config: Config, rounds: int, seed: int) -> Report:
    """Play, until `rounds` or patience end, and report."""
    simulation = Simulation(config, Random(seed))
    progress = progress_bar(sys.stderr)
    began = time.perf_counter()
    wrong = None
    try:
        with interruptible() as interrupted:
            simulation.run(rounds, progress, interrupted)
    except AuditError as error:
        wrong = error
    seconds = time.perf_counter() - began
    progress(1, 1)
    return report(simulation, seed, rounds, seconds, wrong)


@contextmanager
def interruptible() -> Iterator[Callable[[], bool]]:
    """Yields what says whether somebody wants it to end. The first Ctrl-C is only noted, so that no round is broken
    off; the second does what it always does."""
    noted = False

    def note(number: int, frame: object) -> None:
        nonlocal noted
        noted = True
        signal.signal(number, before)

    before = signal.signal(signal.SIGINT, note)
    try:
        yield lambda: noted
    finally:
        signal.signal(signal.SIGINT, before)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        "pozo simulate", description="Play complete games through the real rules, and audit what comes out."
    )
    parser.add_argument("file", metavar="TABLE.toml", help="the table's configuration")
    parser.add_argument("--rounds", metavar="N", default=str(ROUNDS), help=f"how many; {ROUNDS} by default")
    parser.add_argument("--seed", metavar="S", help="the same seed deals the same cards")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--language", choices=("es", "en"), help="of the answer; the table's own by default")
    return parser


def _count(written: str) -> int | None:
    return int(written) if written.isascii() and written.isdigit() and len(written) <= 18 else None
