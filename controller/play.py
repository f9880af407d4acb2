"""`pozo play`: a scenario on the whole real table (engine, journal, simulated electricity) in virtual time.

Every run starts on a new temporary journal. Each line takes the virtual time that its act needs; the next line sees
its effect, except what a deadline of the rules has yet to decide. A scenario acts for every role.
"""

from __future__ import annotations

import argparse
import asyncio
import logging
import os
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random
from typing import Any, TypeGuard

import msgspec
from msgspec import Struct

from controller import words
from controller.config import Config, load, opening
from controller.core.events import CommandRefused
from controller.core.evolve import evolve
from controller.core.inputs import Act, Actor, Command
from controller.core.messages import msg
from controller.core.money import format_minor
from controller.core.refusals import Refusal
from controller.core.state import Table
from controller.engine import Engine, InlineWriter
from controller.i18n import Translator, translator
from controller.journal.wall import wall
from controller.journal.writer import Journal
from controller.physical import perform
from controller.published import Published
from controller.story import Story
from controller.strict_toml import ConfigError
from controller.view import PathError, View, find, same, view
from controller.view import words as shown
from controller.words import WordError
from hal.simulated.table import ImpossibleError, SimulatedTable
from hal.simulated.virtualtime import VirtualLoop

DEFAULT_TABLE = Path(__file__).with_name("draw-1.toml")
SEED = 1
LONGEST = 4 * words.LONGEST + 2
"""Bytes that the longest line may have: four a character, and its end."""
MOST_WRONG = 20
"""A file with so many wrong lines is no scenario; no more of it is read."""
MEMORY = "/dev/shm"
ENOUGH = 32_000_000
"""Bytes that a long scenario's journal may need."""
EVERYBODY = Actor("scenario", ("dealer", "supervisor", "technician", "auditor"), "scenario")
EPOCH = datetime(2026, 1, 1, 20, 0, tzinfo=UTC)
"""What the wall clock says when a scenario begins; nothing is decided by it."""


class Failure(Struct, frozen=True):
    """A line whose expectation did not hold."""

    line: int
    expected: str
    found: str


class Refused(Struct, frozen=True):
    """A refusal that line `line` met."""

    line: int
    code: str
    clause: str
    message: str


class Result(Struct, frozen=True):
    """What a run found: the one object that ``--json`` prints."""

    ok: bool
    failed: list[Failure]
    refusals: list[Refused]
    state: View


class ScenarioError(Exception):
    """The scenario itself is wrong at a line: a word that does not parse, an act that no table could perform."""


class Line(Struct, frozen=True):
    """One line of a scenario; `word` is None for a comment."""

    number: int
    text: str
    word: words.Word | None


def read(path: Path, digits: int, translate: Translator) -> list[Line]:
    """The lines of a scenario that are not blank. Raises ScenarioError with the lines that do not parse, and OSError.

    Memory is bounded by the longest sensible line, whatever the file is.
    """
    lines, wrong = [], []
    for number, raw in _raw_lines(path):
        text = raw.decode("utf-8", errors="surrogateescape").rstrip("\r\n")
        if number == 1:
            text = text.removeprefix("\ufeff")
        try:
            if len(raw) > LONGEST:
                raise WordError(msg("The line has more than {limit} characters."), {"limit": str(words.LONGEST)})
            word = words.parse(text, digits)
        except WordError as error:
            wrong.append(f"{path}:{number}: {error.said(translate.text)}")
        else:
            if text.strip():
                lines.append(Line(number, text.strip(), word))
        if len(raw) > LONGEST or len(wrong) == MOST_WRONG:
            wrong.append(translate.text(msg("Nothing after line {line} was read."), line=number))
            break
    if wrong:
        raise ScenarioError("\n".join(wrong))
    return lines


def _raw_lines(path: Path) -> Iterator[tuple[int, bytes]]:
    """The file's lines, numbered as editors do, each with its end; of one that is too long, as much as shows it."""
    with path.open("rb") as file:
        yield from enumerate(iter(lambda: file.readline(LONGEST + 1), b""), start=1)


class Player:
    """Plays lines on one table. `tell` hears the story, line by line."""

    def __init__(self, config: Config, journal: Path, loop: VirtualLoop, tell: Callable[[str], None]) -> None:
        setup = config.setup
        self._config = config
        self._directory = journal
        self._loop = loop
        self._tell = tell
        self._speak = translator(config.language)
        self._story = Story(setup, self._speak)
        chips = range(setup.denomination, 1000 * setup.denomination + 1, setup.denomination)
        self._chips = chips if setup.acceptor == "chips" else range(0)
        self.hardware = SimulatedTable(
            seats=setup.seats,
            acceptor=setup.acceptor,
            rng=Random(SEED),
            denominations=self._chips,
        )
        self.engine: Engine | None = None
        self._journal: Journal | None = None
        self._last: tuple[Table, str] | None = None
        self._met: list[Refusal] = []
        self.failed: list[Failure] = []
        self.refusals: list[Refused] = []

    async def play(self, lines: Sequence[Line], file: str) -> Result:
        """Play `lines` from a new table to the end. Raises ScenarioError."""
        self._open(Journal.create(self._directory, opening(self._config), self._wall(), evolve))
        await self._settle()
        for line in lines:
            try:
                await self._line(line)
            except ImpossibleError as error:
                raise ScenarioError(f"{file}:{line.number}: {line.text}: {error}") from error
        result = Result(not self.failed, self.failed, self.refusals, self.view())
        self._close()
        return result

    def view(self) -> View:
        """The state as it was last published."""
        if self.engine is not None:
            return view(self.engine.state, self.engine.stopped)
        assert self._last is not None
        return view(*self._last)

    # --- power -------------------------------------------------------------------------------------------

    def _open(self, journal: Journal) -> None:
        self._journal = journal
        state = journal.recovered.state

        def commit(events: Sequence[Any], state: Table) -> int:
            return journal.commit(events, state, self._wall())

        self.engine = Engine(state, journal.seq, InlineWriter(commit), self.hardware)
        self.engine.listen(self._published)
        self.engine.start("scenario")

    def _close(self) -> None:
        """Let go of everything as a power cut does: nothing is finished, nothing is said goodbye to."""
        if self.engine is None or self._journal is None:
            return
        self._last = (self.engine.state, self.engine.stopped)
        self.engine.close()
        self.hardware.power_off()
        self._journal.abandon()
        self.engine = self._journal = None

    def _power(self, on: bool) -> None:
        if on and self.engine is None:
            self.hardware.power_on()
            self._open(Journal.open(self._directory, evolve))
        elif not on:
            self._close()

    def _wall(self) -> str:
        return wall(EPOCH + timedelta(seconds=self._loop.time()), synchronised=True)

    # --- one line ----------------------------------------------------------------------------------------

    async def _line(self, line: Line) -> None:
        word = line.word
        if isinstance(word, words.Expect):
            self._expect(line, word)
            return
        if isinstance(word, words.Refused):
            self._expect_refusal(line, word)
            return
        self._tell(f"{line.number:4}   {line.text}")
        if word is None:
            return
        self._met = []
        if isinstance(word, words.Physical):
            await self._perform(word)
        else:
            await self._command(word)
        await self._settle()
        for refusal in self._met:
            said = Refused(line.number, refusal.code, refusal.clause, self._speak.text(refusal.text, **refusal.args))
            self.refusals.append(said)
            self._tell(f"         ✗ {said.message} [{said.code}, {said.clause}]")

    async def _command(self, act: Act) -> None:
        if self.engine is None:
            self._met.append(Refusal("out-of-service", "8.5", msg("The table has no power.")))
            return
        outcome = await self.engine.command(Command(act, EVERYBODY))
        if outcome.refusal is not None:
            self._met.append(outcome.refusal)

    async def _perform(self, word: words.Physical) -> None:
        if isinstance(word, words.Wait):
            await asyncio.sleep(word.ns / 1e9)
        elif isinstance(word, words.Power):
            self._power(word.on)
        elif self._nowhere(word):
            self._met.append(
                Refusal("unknown-seat", "1", msg("There is no seat {seat} at this table."), {"seat": str(word.seat)})
            )
        else:
            if isinstance(word, words.Chip):
                self._check_chip(word.value)
            perform(self.hardware, word)

    def _nowhere(self, word: words.Physical) -> TypeGuard[words.Press | words.Chip | words.Break | words.Mend]:
        """Whether `word` is about a seat that this table does not have."""
        if isinstance(word, words.Press | words.Chip | words.Break | words.Mend):
            table_part = isinstance(word, words.Break | words.Mend) and word.part == "display"
            return not table_part and not 1 <= word.seat <= self._config.setup.seats
        return False

    def _check_chip(self, value: int | None) -> None:
        """Raise ImpossibleError, in the currency's own unit, for a chip that this table does not have."""
        if self._chips and value is not None and value not in self._chips:
            digits = self._config.setup.digits
            text = msg("there is no chip of {value} here; chips are multiples of {least}, up to {most}")
            given, least, most = (format_minor(amount, digits) for amount in (value, self._chips[0], self._chips[-1]))
            raise ImpossibleError(self._speak.text(text, value=given, least=least, most=most))

    async def _settle(self) -> None:
        """Until fingers, contacts and lamps have come to rest and everything they led to is durable."""
        while self.hardware.busy or (self.engine is not None and self.engine.busy and not self.engine.stopped):
            await self.hardware.quiet()
            if self.engine is not None:
                await self.engine.quiet()

    def _published(self, published: Published) -> None:
        self._met.extend(refusal for _, refusal in published.refusals)
        for _, event in published.entries:
            if not isinstance(event, CommandRefused) and (sentence := self._story.tell(event)):
                self._tell(f"         {sentence}")
        if published.stopped:
            self._tell(f"         {published.stopped}")

    # --- expectations ------------------------------------------------------------------------------------

    def _expect(self, line: Line, expected: words.Expect) -> None:
        try:
            value = find(self.view(), expected.path)
        except PathError as error:
            self._check(line, False, expected.value, self._speak.text(error.text, **error.args_of_text))
            return
        self._check(line, same(value, expected.value), expected.value, shown(value))

    def _expect_refusal(self, line: Line, expected: words.Refused) -> None:
        met = [refusal.code for refusal in self._met]
        self._check(line, expected.code in met, expected.code, ", ".join(met) or "none")

    def _check(self, line: Line, holds: bool, expected: str, found: str) -> None:
        self._tell(f"{line.number:4} {'✓' if holds else '✗'} {line.text}")
        if not holds:
            self.failed.append(Failure(line.number, expected, found))
            text = self._speak.text(msg("expected {expected}, found {found}"), expected=expected, found=found)
            self._tell(f"         {text}")


def play(config: Config, file: Path, tell: Callable[[str], None] = lambda _: None) -> Result:
    """Play the scenario in `file` at the table of `config`. Raises ScenarioError, OSError."""
    lines = read(file, config.setup.digits, translator(config.language))
    loop = VirtualLoop()

    async def run(directory: Path) -> Result:
        player = Player(config, directory, loop, tell)
        try:
            return await player.play(lines, str(file))
        finally:
            player._close()

    with (
        tempfile.TemporaryDirectory(prefix="pozo-play-", dir=_imaginary_disk()) as folder,
        asyncio.Runner(loop_factory=lambda: loop) as runner,
    ):
        return runner.run(run(Path(folder) / "journal"))


def _imaginary_disk() -> str | None:
    """Where a scenario's journal lies: in memory if there is enough, for nothing of it outlives the run, and no card
    needs to wear for imaginary power cuts. TMPDIR, when it is set, decides instead."""
    if "TMPDIR" in os.environ or not os.access(MEMORY, os.W_OK) or shutil.disk_usage(MEMORY).free < ENOUGH:
        return None
    return MEMORY


def main(argv: Sequence[str] | None = None) -> int:
    """`pozo play FILE [--config TABLE.toml] [--json]`: 0 when every expectation held, 1 when one did not, 2 when the
    file or the configuration cannot be read."""
    parser = argparse.ArgumentParser(prog="pozo play", description="Play a scenario in virtual time.")
    parser.add_argument("file", type=Path, metavar="FILE")
    parser.add_argument("--config", type=Path, default=DEFAULT_TABLE, metavar="TABLE.toml")
    parser.add_argument("--json", action="store_true", help="print one JSON object instead of the story")
    args = parser.parse_args(argv)
    logging.basicConfig(level=logging.CRITICAL)
    try:
        config = load(args.config)
        result = play(config, args.file, (lambda _: None) if args.json else print)
    except ConfigError as error:
        print(error.report(), file=sys.stderr)
        return 2
    except BrokenPipeError:
        raise
    except (ScenarioError, OSError) as error:
        print(_said(error), file=sys.stderr)
        return 2
    if args.json:
        print(msgspec.json.encode(result).decode())
    else:
        print(_verdict(result, translator(config.language)))
    return 0 if result.ok else 1


def _said(error: ScenarioError | OSError) -> str:
    """What is wrong, in a line or a few."""
    if isinstance(error, OSError) and error.filename is not None:
        return f"{os.fsdecode(error.filename)}: {error.strerror}"
    return str(error)


def _verdict(result: Result, translate: Translator) -> str:
    if result.ok:
        return "\n" + translate.text(msg("Everything was as expected."))
    return "\n" + translate.text(msg("Expectations that did not hold: {count}."), count=len(result.failed))
