"""What a running table needs besides its rules: a journal that stays small and sound, and reasons to stop told."""

from __future__ import annotations

import asyncio
import logging
import os
import sys
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from contextlib import suppress

from controller.clock import GamingDays, WallClock
from controller.config import Config, check_against, mismatch_report
from controller.core.events import Event, PotMoved
from controller.core.inputs import OutOfService
from controller.core.state import Table
from controller.engine import Engine, NotDurableError
from controller.i18n import translator
from controller.journal.errors import JournalError
from controller.journal.wall import read_wall
from controller.journal.writer import Journal
from controller.published import Published

_log = logging.getLogger(__name__)

VERIFY_AFTER_S = 5.0
"""The whole chain is verified in the background (8.4), this long after the start."""

VERIFICATION = "pozo journal verify: "
"""What a reason to stop begins with when it is the verification's. By this it is known again at the next start."""

PERIOD_ENTRIES = 250_000
"""A journal file that has grown by so many entries is closed at the next quiet moment, whatever the day."""

LOOK_AFTER_S = 1.0
"""So long after the start, when that is out of the way, it is seen whether the day ended while the table was off."""

LOOK_S = 3_600.0
"""How long to sleep at most before looking whether a new gaming day has begun: wall clocks are set and reset."""


def said(error: JournalError, config: Config) -> str:
    """A journal's error in the table's language."""
    speak = translator(config.language).text
    return " ".join(speak(part, **error.values) for part in (error.text, error.way_out) if part)


async def verified(config: Config) -> str | None:
    """What is wrong with the whole journal (8.4); "" when nothing is, None when that could not be found out.

    In a process of its own, which yields to everything else.
    """
    command = [sys.executable, "-m", "controller.cli", "journal", "verify"]
    options = ["--journal", str(config.journal), "--language", config.language]
    try:
        process = await asyncio.create_subprocess_exec(
            *command,
            *options,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )
    except OSError as error:
        _log.warning("the journal could not be verified: %s", error)
        return None
    try:
        with suppress(ProcessLookupError):  # it has ended already
            os.setpriority(os.PRIO_PROCESS, process.pid, 19)
        report, output = await process.communicate()
    except asyncio.CancelledError:
        with suppress(ProcessLookupError):
            process.kill()
        await process.wait()
        raise
    complaint = " ".join(output.decode(errors="replace").split())
    if process.returncode == 0:
        return ""
    if process.returncode == 1 and report:  # without a report it has only fallen down
        return complaint
    _log.warning("the journal could not be verified: %s", complaint)
    return None


class Ledger:
    """The journal together with the state that it ends with. For the journal's own thread."""

    def __init__(self, journal: Journal, config: Config, clock: WallClock, longest: int = PERIOD_ENTRIES) -> None:
        self.journal = journal
        self._state = journal.recovered.state
        self._config = config
        self._clock = clock
        self._longest = longest
        self._days = GamingDays(config.timezone, config.day_starts)

    def commit(self, events: Sequence[Event], state: Table) -> int:
        """What the engine's writer calls. Raises NotDurableError."""
        try:
            seq = self.journal.commit(events, state, self._clock.text())
        except JournalError as error:
            raise NotDurableError(said(error, self._config)) from error
        self._state = state
        return seq

    def rest(self) -> None:
        """Use a moment without a round: end the period when its day is over or its file is long, and remove what is
        older than should be kept; else move SQLite's log into the file. Raises JournalError."""
        if self._state.round is not None:  # one has begun meanwhile
            return
        if self._over():
            self.journal.close_period(self._state, self._clock.text())
            self.journal.prune(self._config.keep, self._clock.text())
        else:
            self.journal.tidy()

    def _over(self) -> bool:
        """Whether the open period has lasted long enough. Its day is that of its first entry, so a day that ended
        while the table was off ended all the same; a clock that is not set ends no day."""
        first = self.journal.opening
        if self.journal.seq - first.seq >= self._longest:
            return True
        if not self._clock.synchronised():
            return False
        began, _ = read_wall(first.wall)
        return self._days.of(self._clock.now()) != self._days.of(began)


class Care:
    """Looks after a running table, from its start until `end`.

    `apart` runs a job on the journal's thread. `trouble` is what is wrong with the hardware.
    """

    def __init__(
        self,
        config: Config,
        engine: Engine,
        ledger: Ledger,
        apart: Callable[[Callable[[], None]], Awaitable[None]],
        clock: WallClock,
        trouble: str = "",
        verified: Callable[[Config], Awaitable[str | None]] = verified,
    ) -> None:
        self._config = config
        self._engine = engine
        self._ledger = ledger
        self._apart = apart
        self._clock = clock
        self._verified = verified
        self._days = GamingDays(config.timezone, config.day_starts)
        self._loop = asyncio.get_running_loop()
        self._tasks: set[asyncio.Task[None]] = set()
        self._playing = engine.state.round is not None
        self._reason = engine.state.out_of_service
        self._trouble = trouble
        _, found, complaint = self._reason.partition(VERIFICATION)
        self._damage = found + complaint
        self._mismatches = check_against(config, engine.state)
        self._unlisten = engine.listen(self._published)
        self._judge()
        self._verifying = self._loop.call_later(0 if found else VERIFY_AFTER_S, self._spawn, self._verify)
        self._looking = self._loop.call_later(LOOK_AFTER_S, self._look)

    async def end(self) -> None:
        """Stop caring: no timer, no task, no listener is left."""
        self._unlisten()
        self._verifying.cancel()
        self._looking.cancel()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def _published(self, published: Published) -> None:
        if any(type(event) is PotMoved for _, event in published.entries):
            self._judge()
        playing = published.state.round is not None
        if self._playing and not playing:
            self._spawn(self._rest)
        self._playing = playing

    def _judge(self) -> None:
        """Say why the table is out of service, or that it is not any more (8.4).

        The file is compared at the start. From then on what differs can only come to agree: a scheduled change that
        comes into force at a seeding is no mistake of the file, and stops nobody whose prize brought it.
        """
        compared = {mismatch.key for mismatch in self._mismatches}
        now = check_against(self._config, self._engine.state)
        self._mismatches = tuple(mismatch for mismatch in now if mismatch.key in compared)
        difference = mismatch_report(self._mismatches, self._config.language) if self._mismatches else ""
        reason = "\n".join(filter(None, (self._trouble, difference, self._damage)))
        if reason != self._reason:
            self._reason = reason
            self._engine.put(OutOfService(reason))

    def _spawn(self, job: Callable[[], Coroutine[None, None, None]]) -> None:
        task = self._loop.create_task(job())
        self._tasks.add(task)
        task.add_done_callback(self._spent)

    def _spent(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            _log.error("the care of the table failed", exc_info=error)
            self._engine.stop(f"{type(error).__name__}: {error}")

    # --- the journal -------------------------------------------------------------------------------------

    def _look(self) -> None:
        """See whether the day is over, now and when the next one begins."""
        now = self._clock.now()
        left = (self._days.next_begins(now) - now).total_seconds()
        self._looking = self._loop.call_later(min(max(left, 1.0), LOOK_S), self._look)
        self._spawn(self._rest)

    async def _rest(self) -> None:
        if self._engine.stopped or self._engine.state.round is not None:
            return
        try:
            await self._apart(self._ledger.rest)
        except JournalError as error:
            self._engine.stop(said(error, self._config))

    async def _verify(self) -> None:
        complaint = await self._verified(self._config)
        if complaint is not None:
            self._damage = complaint and VERIFICATION + complaint
            self._judge()
