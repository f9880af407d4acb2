"""The loop of the house: inputs are queued, decided in order, committed once, and only then shown.

    input → decide → evolve (on a working copy) → journal.commit(batch) → publish: state, panel, answers

One `Engine` runs on one asyncio loop. The journal is written by a `Writer`: a thread of its own in the daemon, so that
a slow card never holds the loop; inline where time is virtual. While a commit is under way inputs queue, so a slow
card groups commits by itself. Nothing is shown, answered or moved before the commit; if anything up to it fails, the
whole batch is dropped and the table stops (rules 8.5).
"""

from __future__ import annotations

import asyncio
import logging
import queue
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, Protocol, TypeVar

from controller.core.deadlines import deadlines
from controller.core.decide import advance
from controller.core.events import Event
from controller.core.inputs import AccessRefused, Command, Deadline, Input, Start, Timeout
from controller.core.messages import msg
from controller.core.panel import panel
from controller.core.refusals import Refusal
from controller.core.state import Table
from controller.published import Outcome, Published
from hal.port import Backend, HardwareError, Panel, SeatText, Signal, Stamp

_log = logging.getLogger(__name__)

BATCH = 256
"""No commit holds the outcome of more inputs than this."""

NOTICE_S = 3.0
"""How long a seat shows a short-lived hint, in seconds."""

_NOTICES: dict[str, SeatText] = {"no-credits": "no-credits"}

Commit = Callable[[Sequence[Event], Table], int]
"""Makes events and the state after them durable; returns the last one's sequence number, or raises."""

Done = Callable[["int | BaseException"], None]

_Told = TypeVar("_Told")


class NotDurableError(Exception):
    """A commit failed. The message, for people and in their language, is why the table stops."""


class Writer(Protocol):
    """Where commits are made. `done` is called on the engine's loop, once per commit, in order."""

    def write(self, events: Sequence[Event], state: Table, done: Done) -> None:
        """Commit, then call `done` with the last sequence number, or with what went wrong."""


class InlineWriter:
    """Commits on the spot: for virtual time, where nothing else may happen meanwhile."""

    def __init__(self, commit: Commit) -> None:
        self._commit = commit

    def write(self, events: Sequence[Event], state: Table, done: Done) -> None:
        try:
            seq = self._commit(events, state)
        except Exception as error:
            done(error)
        else:
            done(seq)


class ThreadWriter:
    """One thread that owns the journal: opens it, commits, closes it (SQLite wants one thread throughout)."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._jobs: queue.SimpleQueue[tuple[Callable[[], Any], Done] | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._run, name="journal", daemon=True)
        self._commit: Commit | None = None
        self._thread.start()

    def use(self, commit: Commit) -> None:
        """Commit with `commit` from now on."""
        self._commit = commit

    def write(self, events: Sequence[Event], state: Table, done: Done) -> None:
        commit = self._commit
        assert commit is not None
        self._jobs.put((lambda: commit(events, state), done))

    async def run(self, job: Callable[[], Any]) -> Any:
        """Run `job` on the journal's thread, after what was put before it; its result or exception."""
        future: asyncio.Future[Any] = self._loop.create_future()

        def done(result: Any) -> None:
            if future.cancelled():
                return
            if isinstance(result, BaseException):
                future.set_exception(result)
            else:
                future.set_result(result)

        self._jobs.put((job, done))
        return await future

    def stop(self) -> None:
        """End the thread after what was put before. Waits for it."""
        self._jobs.put(None)
        self._thread.join()

    def _run(self) -> None:
        while (task := self._jobs.get()) is not None:
            job, done = task
            try:
                result = job()
            except BaseException as error:
                result = error
            try:
                self._loop.call_soon_threadsafe(done, result)
            except RuntimeError:  # the loop is gone: nobody waits for the answer any more
                return


class _NoHardware:
    """In the place of hardware that could not start: nothing is heard, nothing is shown."""

    def __init__(self, boot: int) -> None:
        self._boot = boot

    def start(self, emit: Callable[[Signal], None], boot: int) -> None: ...

    def show(self, panel: Panel) -> None: ...

    def now(self) -> Stamp:
        return Stamp(self._boot, time.monotonic_ns())

    def stop(self) -> None: ...


class _Queued(NamedTuple):
    given: Input
    answer: asyncio.Future[Outcome] | None


class _Batch:
    """Inputs that are decided together, and everything that waits for their commit."""

    def __init__(self, state: Table, began: float) -> None:
        self.state = state
        self.began = began
        self.events: list[Event] = []
        self.answers: list[tuple[asyncio.Future[Outcome], Refusal | None, tuple[Event, ...]]] = []
        self.refusals: list[tuple[int, Refusal]] = []

    def decide(self, queued: _Queued) -> None:
        """Decide one input more. Raises whatever a decision may raise."""
        given, answer = queued
        if answer is not None:  # noted before it is decided, so that a failure answers it too
            self.answers.append((answer, None, ()))
        decision = advance(self.state, given)
        self.state = decision.state
        self.events.extend(decision.events)
        if answer is not None:
            self.answers[-1] = (answer, decision.refusal, decision.events)
        elif decision.refusal is not None:
            self.refusals.append((getattr(given, "seat", 0), decision.refusal))

    def draw(self) -> None:
        """Work out what will be shown and awaited: what cannot be drawn must not be committed."""
        self.panel = panel(self.state)
        self.deadlines = deadlines(self.state)


class Engine:
    """One table, running. All methods are for the loop's thread."""

    def __init__(self, state: Table, last: int, writer: Writer, backend: Backend) -> None:
        self.state = state
        self.last = last
        self.stopped = ""
        self.shown: Panel | None = None
        self._loop = asyncio.get_running_loop()
        self._writer = writer
        self._backend = backend
        self._queue: deque[_Queued] = deque()
        self._turning = False
        self._leaving = False
        self._batch: _Batch | None = None
        self._notices: dict[int, SeatText] = {}
        self._hints: dict[int, asyncio.TimerHandle] = {}
        self._timers: dict[Deadline, asyncio.TimerHandle] = {}
        self._listeners: list[Callable[[Published], None]] = []
        self._watchers: list[Callable[[Panel], None]] = []
        self._idle: list[asyncio.Future[None]] = []

    # --- in ----------------------------------------------------------------------------------------------

    def start(self, version: str, settings: str = "") -> None:
        """Begin a boot: the first input of it, then the hardware's signals. `settings` are the configuration's free
        keys (8.4). Raises HardwareError; the engine then goes on without hardware."""
        boot = self.state.boot + 1
        self.put(Start(boot, version, settings))
        try:
            self._backend.start(self.signal, boot)
        except HardwareError:
            self._backend = _NoHardware(boot)
            raise

    def now(self) -> Stamp:
        """This instant on the clock that stamps signals."""
        return self._backend.now()

    def signal(self, signal: Signal) -> None:
        """A fact from the hardware."""
        self.put(signal)

    def put(self, given: Input) -> None:
        """Queue an input whose outcome nobody waits for."""
        if not (self.stopped or self._leaving):
            self._push(_Queued(given, None))

    def note(self, entry: AccessRefused) -> None:
        """Journal that somebody was not let in (rules 10.1)."""
        self.put(entry)

    async def command(self, command: Command) -> Outcome:
        """Queue a command and wait for its outcome, which is durable when it arrives."""
        if self.stopped or self._leaving:
            return Outcome(_stopped_refusal(), self.last)
        answer: asyncio.Future[Outcome] = self._loop.create_future()
        self._push(_Queued(command, answer))
        return await answer

    def listen(self, callback: Callable[[Published], None]) -> Callable[[], None]:
        """Call `callback` after every commit, until the returned function is called."""
        self._listeners.append(callback)
        return lambda: self._listeners.remove(callback) if callback in self._listeners else None

    def watch(self, callback: Callable[[Panel], None]) -> None:
        """Call `callback` with every panel that is shown, whatever becomes of the hardware: displays say why a table is
        out of service (8.4), which may be that the hardware could not start."""
        self._watchers.append(callback)

    # --- out ---------------------------------------------------------------------------------------------

    @property
    def busy(self) -> bool:
        """Whether inputs wait, or a commit is under way."""
        return bool(self._queue) or self._batch is not None or self._turning

    def committing_for(self) -> float:
        """Seconds since the commit under way began; 0 when there is none. The watchdog's question."""
        return 0.0 if self._batch is None else self._loop.time() - self._batch.began

    async def quiet(self) -> None:
        """Return when no input waits and no commit is under way."""
        while self.busy and not self.stopped:
            waiter: asyncio.Future[None] = self._loop.create_future()
            self._idle.append(waiter)
            await waiter

    async def finish(self) -> None:
        """Take nothing more; return when what was taken is durable, shown and answered, and the clocks stand."""
        self._leaving = True
        await self.quiet()
        self.close()

    def close(self) -> None:
        """Stop the clocks. The backend is stopped by whoever built it."""
        for handle in (*self._timers.values(), *self._hints.values()):
            handle.cancel()
        self._timers.clear()
        self._hints.clear()

    def stop(self, reason: str) -> None:
        """Out of service until the next start (rules 8.5): nothing more is decided, lamps of unsealed rounds go dark,
        the display says so. The state beneath is the last durable one."""
        if self.stopped:
            return
        self.stopped = reason
        _log.critical("out of service: %s", reason)
        waiting = [queued.answer for queued in self._queue if queued.answer is not None]
        if self._batch is not None:
            waiting += [answer for answer, _, _ in self._batch.answers]
        self._queue.clear()
        self._batch = None
        self.close()
        self._show(panel(self.state, stopped=reason))
        for answer in waiting:
            if not answer.done():
                answer.set_result(Outcome(_stopped_refusal(), self.last))
        self._tell(Published(self.state, (), reason))
        self._release()

    # --- the turn ----------------------------------------------------------------------------------------

    def _push(self, queued: _Queued) -> None:
        self._queue.append(queued)
        self._go_on()

    def _go_on(self) -> None:
        if self._batch is None and not self._turning:
            self._turning = True
            self._loop.call_soon(self._turn)

    def _turn(self) -> None:
        """Decide what is queued, as one batch, and hand it to the writer."""
        self._turning = False
        if self._batch is not None or not self._queue or self.stopped:
            return
        batch = self._batch = _Batch(self.state, self._loop.time())
        try:
            for _ in range(min(BATCH, len(self._queue))):
                batch.decide(self._queue.popleft())
            batch.draw()
        except Exception as error:
            _log.exception("a decision failed; nothing of it was committed")
            self.stop(f"{type(error).__name__}: {error}")
            return
        if batch.events:
            self._writer.write(batch.events, batch.state, self._committed)
        else:
            self._committed(self.last)

    def _committed(self, result: int | BaseException) -> None:
        """The batch is durable (or it is not): show it, answer, and go on."""
        batch = self._batch
        if self.stopped or batch is None:
            return
        if isinstance(result, BaseException):
            self.stop(str(result) or type(result).__name__)
            return
        self._batch = None
        self.state, self.last = batch.state, result
        for seat, refusal in batch.refusals:
            self._hint(seat, refusal)
        trouble = self._show(batch.panel if not self._notices else panel(self.state, self._notices))
        if not trouble:
            self._wind(batch.deadlines)
        for answer, refusal_or_none, events in batch.answers:
            if not answer.done():
                answer.set_result(Outcome(refusal_or_none, result, events))
        if batch.events or batch.refusals:
            first = result - len(batch.events) + 1
            self._tell(Published(self.state, tuple(enumerate(batch.events, first)), "", tuple(batch.refusals)))
        if trouble:
            self.stop(trouble)
        elif self._queue:
            self._go_on()
        else:
            self._release()

    def _show(self, new: Panel) -> str:
        """Show `new`, if it is. Returns what went wrong, which is not a part that fails: that is a signal."""
        if new == self.shown:
            return ""
        self.shown = new
        trouble = ""
        try:
            self._backend.show(new)
        except Exception as error:
            _log.exception("the backend could not show the panel")
            trouble = f"{type(error).__name__}: {error}"
        self._each(self._watchers, new)
        return trouble

    def _tell(self, published: Published) -> None:
        self._each(self._listeners, published)

    def _each(self, callbacks: Sequence[Callable[[_Told], None]], told: _Told) -> None:
        for callback in tuple(callbacks):
            try:
                callback(told)
            except Exception:
                _log.exception("a listener failed; the table goes on")

    def _release(self) -> None:
        waiters, self._idle = self._idle, []
        for waiter in waiters:
            if not waiter.done():
                waiter.set_result(None)

    # --- clocks ------------------------------------------------------------------------------------------

    def _wind(self, wanted: tuple[Deadline, ...]) -> None:
        """Start the deadlines that are new in this state, stop those that are gone. Called after the show, from
        whose completion a lamp's time counts (rules 2.6)."""
        if not wanted and not self._timers:
            return
        for gone in self._timers.keys() - set(wanted):
            self._timers.pop(gone).cancel()
        for deadline in wanted:
            if deadline not in self._timers:
                self._timers[deadline] = self._loop.call_later(self._left(deadline), self._due, deadline)

    def _left(self, deadline: Deadline) -> float:
        """Seconds until `deadline`: from now, or from its stamp where that is of this boot."""
        ns = deadline.after_ns
        if deadline.since is not None:
            now = self._backend.now()
            if deadline.since.boot == now.boot:
                ns = max(0, deadline.since.ns + ns - now.ns)
        return ns / 1e9

    def _due(self, deadline: Deadline) -> None:
        # It stays in `_timers` until a state without it is published, so that it does not fire twice.
        self.put(Timeout(deadline))

    def _hint(self, seat: int, refusal: Refusal) -> None:
        """Let the seat show why nothing was bet, for a moment (2.2)."""
        text = _NOTICES.get(refusal.code)
        if text is None or not seat:
            return
        if (running := self._hints.pop(seat, None)) is not None:
            running.cancel()
        self._notices[seat] = text
        self._hints[seat] = self._loop.call_later(NOTICE_S, self._unhint, seat)

    def _unhint(self, seat: int) -> None:
        self._hints.pop(seat, None)
        self._notices.pop(seat, None)
        if trouble := self._show(panel(self.state, self._notices)):
            self.stop(trouble)


def _stopped_refusal() -> Refusal:
    return Refusal("out-of-service", "8.5", msg("The table is out of service until it is started again."))
