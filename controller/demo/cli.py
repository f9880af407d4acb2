"""`pozo demo`: a table that plays by itself. Everything is the daemon's own, but hardware, people and cards."""

from __future__ import annotations

import argparse
import asyncio
import logging
import os
import signal
import sys
import tempfile
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random, SystemRandom
from typing import NamedTuple

from msgspec.structs import replace

from controller.config import Config, load
from controller.core.evolve import check_table, evolve
from controller.core.messages import msg
from controller.core.money import whole
from controller.core.pot import PotError, check
from controller.core.state import Table
from controller.demo.chronicle import Chronicle, Tally
from controller.demo.clock import ScaledLoop
from controller.demo.evening import EnoughError, Evening
from controller.demo.house import House, TableStoppedError
from controller.demo.scene import REMEMBERED, Counter, Scene
from controller.demo.trouble import StateLostError
from controller.i18n import Translator, translator
from controller.journal.errors import JournalError
from controller.journal.verify import Report, verify
from controller.journal.wall import wall
from controller.play import DEFAULT_TABLE
from controller.strict_toml import ConfigError
from hal.simulated.virtualtime import VirtualLoop

EPOCH = datetime(2026, 1, 1, 20, 0, tzinfo=UTC)
"""What the wall clock says when an evening in virtual time begins, so that its journal is reproducible too."""

MOST_SPEED = 50.0
ROUNDS_UNWATCHED = 20
"""How long an evening is that nobody watches and nobody has measured out."""


class Options(NamedTuple):
    """What was asked for. `speed` is None for as fast as it computes, `rounds` for until it is enough."""

    rounds: int | None
    speed: float | None
    seed: int
    lucky: bool
    live: bool


class Ending(NamedTuple):
    """How an evening ended: the table as it stands, what was announced, and what went wrong, if anything."""

    table: Table | None
    tally: Tally
    trouble: str


# --- the evening -----------------------------------------------------------------------------------------


class Show:
    """One evening in one place, told or drawn."""

    def __init__(self, config: Config, options: Options, directory: Path) -> None:
        self._config = config
        self._options = options
        self._lines: deque[str] = deque(maxlen=REMEMBERED)
        self._counter = Counter()
        self._enough = asyncio.Event()
        self._speak = translator(config.language)
        self._chronicle = Chronicle(config.setup, self._speak, self._draw if options.live else self._print)
        rng = Random(options.seed)
        loop = asyncio.get_running_loop()

        def now() -> str:
            virtual = options.speed is None
            return wall(EPOCH + timedelta(seconds=loop.time()) if virtual else datetime.now(UTC), synchronised=virtual)

        self.house = House(
            config, directory, Random(rng.getrandbits(64)), self._chronicle.hear,
            now, threaded=options.speed is not None,
        )  # fmt: skip
        self._evening = Evening(self.house, self._chronicle, rng, self._enough, lucky=options.lucky)

    async def run(self) -> Ending:
        """Play, until rounds or patience end. Raises JournalError, FileExistsError when it cannot begin."""
        trouble = ""
        loop = asyncio.get_running_loop()
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            loop.add_signal_handler(number, self._enough.set)
        try:
            await self.house.open()
            drawing = self._begin_drawing()
            try:
                await self._evening.play(self._options.rounds)
            except EnoughError:
                pass
            except (TableStoppedError, StateLostError) as error:
                trouble = str(error)
            except JournalError as error:  # at the start after a power cut
                trouble = self._speak.text(error.text, **error.values)
            finally:
                if drawing is not None:
                    drawing.cancel()
                    with suppress(asyncio.CancelledError):
                        await drawing
        finally:
            await self.house.close()
            self._chronicle.pause()
        return Ending(self.house.state, self._chronicle.tally, trouble)

    def _begin_drawing(self) -> asyncio.Task[None] | None:
        if not self._options.live or self._options.speed is None:
            return None
        from controller.demo.screen import watch

        drawing = asyncio.get_running_loop().create_task(watch(self.scene, self._options.speed))
        drawing.add_done_callback(lambda _: self._enough.set())  # a picture that fails ends the evening
        return drawing

    def scene(self, milliseconds: int) -> Scene:
        """What there is to see, `milliseconds` after the last time."""
        house = self.house
        display = house.hardware.display if house.powered else None
        table = house.state
        seats = range(1, table.setup.seats + 1)
        return Scene(
            table=table,
            display=display,
            lamps=tuple(house.hardware.lamp_lit(seat) for seat in seats),
            pot=self._counter.step(whole(table.pot.main), milliseconds, dark=display is None),
            change=self._counter.change,
            names={seat: player.name for seat, player in self._evening.players.items()},
            felt=self._evening.game.lying,
            lines=self._lines,
            footer=footer(self._options, self._speak),
            money=self._chronicle.money,
            speak=self._speak,
        )

    def _draw(self, line: str, seen: bool) -> None:
        if not seen:
            self._lines.append(line)

    def _print(self, line: str, _: bool) -> None:
        try:
            print(line, flush=self._options.speed is not None)
        except BrokenPipeError:  # whoever read us has gone; main() hears of it again
            self._enough.set()


def footer(options: Options, speak: Translator) -> str:
    """What a viewer must know: how to end it, how to see it again, and that luck is helped."""
    parts = [speak.text(msg("Ctrl-C ends")), speak.text(msg("seed {seed}"), seed=options.seed)]
    if options.speed not in (None, 1.0):
        parts.append(f"{options.speed:g}×")
    if options.lucky:
        parts.append(speak.text(msg("deck stacked at times (--no-lucky: never)")))
    return " · ".join(parts)


# --- the reckoning ---------------------------------------------------------------------------------------


def reckoning(ending: Ending, report: Report, config: Config) -> tuple[str, bool]:
    """The one line at the end, and whether everything was found in order."""
    speak, tally = translator(config.language).text, ending.tally
    wrong = ending.trouble
    try:
        if ending.table is not None:
            check(ending.table.pot)
            check_table(ending.table)
            if not tally.agrees(ending.table):
                wrong = wrong or speak(msg("what was announced is not what is booked"))
    except PotError as error:
        wrong = wrong or str(error)
    if report.damage is not None:
        wrong = wrong or speak(report.damage.text, **report.damage.values)
    money = Chronicle(config.setup, translator(config.language), lambda *_: None).money
    totals = speak(
        msg("{rounds} rounds; {bets} bets, {bet} {currency}; {prizes} prizes, {paid} {currency}"),
        rounds=tally.rounds, bets=tally.bets, bet=money.text(tally.bet), prizes=tally.prizes,
        paid=money.text(tally.paid), currency=money.currency,
    )  # fmt: skip
    if wrong:
        return f"{totals}. " + speak(msg("NOT IN ORDER: {what}"), what=wrong), False
    sound = msg("every sum holds exactly, and the journal's {entries} entries are whole. Goodbye.")
    return f"{totals}; " + speak(sound, entries=report.entries), True


# --- the command -----------------------------------------------------------------------------------------


def main(argv: Sequence[str] | None = None) -> int:
    """`pozo demo`: 0 when all was in order, 1 when it was not, 2 when it could not begin."""
    args = _parser().parse_args(argv)
    logging.basicConfig(level=logging.CRITICAL + 1)  # what is critical is in the picture, and at the end
    try:
        config = load(args.config)
    except ConfigError as error:
        print(error.report(), file=sys.stderr)
        return 2
    if args.language:
        config = replace(config, language=args.language)
    options = _options(args)
    complaint = _cannot_draw() if options.live else ""
    if complaint:
        print(translator(config.language).text(complaint), file=sys.stderr)
        return 2
    with tempfile.TemporaryDirectory(prefix="pozo-demo-") as folder:
        return _play(config, options, args.keep or Path(folder, "journal"))


def _play(config: Config, options: Options, directory: Path) -> int:
    speak = translator(config.language)
    loop: Callable[[], asyncio.AbstractEventLoop] = VirtualLoop
    if (speed := options.speed) is not None:
        loop = lambda: ScaledLoop(speed)  # noqa: E731

    async def evening() -> Ending:
        return await Show(config, options, directory).run()

    if not options.live:
        sys.stdout.reconfigure(errors="replace")  # type: ignore[union-attr]
        print(footer(options, speak))
    try:
        with asyncio.Runner(loop_factory=loop) as runner:
            ending = runner.run(evening())
        report = verify(directory, evolve)
    except FileExistsError as error:
        print(error, file=sys.stderr)
        return 2
    except JournalError as error:
        print(speak.text(error.text, **error.values), file=sys.stderr)
        return 2
    line, sound = reckoning(ending, report, config)
    print(line)
    return 0 if sound else 1


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="pozo demo", description="A table that plays by itself, live in the terminal."
    )
    parser.add_argument("--rounds", type=_count, metavar="N", help="end after N rounds (default: when Ctrl-C is hit)")
    parser.add_argument("--speed", type=_speed, metavar="X", help="X times as fast, up to 50; or max: told, not drawn")
    parser.add_argument("--seed", type=int, metavar="S", help="the same seed gives the same evening")
    parser.add_argument("--config", type=Path, default=DEFAULT_TABLE, metavar="TABLE.toml", help="another table")
    parser.add_argument("--language", choices=("es", "en"), help="instead of the table's own")
    parser.add_argument(
        "--lucky", action=argparse.BooleanOptionalAction, default=True, help="stack the deck now and then (default)"
    )
    parser.add_argument("--plain", action="store_true", help="tell the story line by line, draw nothing")
    parser.add_argument("--keep", type=Path, metavar="DIRECTORY", help="keep the journal in this new directory")
    return parser


def _count(text: str) -> int:
    number = int(text) if text.isdecimal() else 0
    if number < 1:
        raise argparse.ArgumentTypeError("write a whole number of rounds, 1 or more")
    return number


def _speed(text: str) -> float:
    """A factor, or 0 for max."""
    if text == "max":
        return 0.0
    try:
        speed = float(text)
    except ValueError:
        speed = -1.0
    if not 0.05 <= speed <= MOST_SPEED:
        raise argparse.ArgumentTypeError("write a number from 0.05 to 50, or max")
    return speed


def _options(args: argparse.Namespace) -> Options:
    """Without a terminal, or asked to be as fast as it can, the story is told; unlimited only if somebody watches."""
    watched = sys.stdout.isatty()
    speed: float | None = args.speed if args.speed is not None else 1.0 if watched else 0.0
    speed = speed or None
    encoding = (sys.stdout.encoding or "").lower().replace("-", "")
    drawable = watched and encoding == "utf8" and os.environ.get("TERM", "dumb") != "dumb"
    seed = SystemRandom().randrange(1_000_000) if args.seed is None else args.seed
    rounds = args.rounds or (ROUNDS_UNWATCHED if speed is None else None)
    return Options(rounds, speed, seed, args.lucky, drawable and speed is not None and not args.plain)


def _cannot_draw() -> str:
    """Why there can be no picture; empty if there can."""
    try:
        import controller.demo.screen  # noqa: F401
    except ModuleNotFoundError as error:
        if error.name is None or error.name.partition(".")[0] != "rich":
            raise
        return msg(
            "The live picture needs rich: install pozo with its extra 'demo' (pip install 'pozo[demo]'), or tell the "
            "story without a picture (pozo demo --plain)."
        )
    return ""
