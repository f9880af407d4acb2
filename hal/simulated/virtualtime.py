"""An event loop whose clock jumps: whole programs run in virtual time, as fast as they compute.

When nothing is ready and the next timer is an hour away, ``VirtualLoop`` does not wait: its clock is moved to
that timer. Between two timers no time passes at all, so a run depends on the program only, never on the
machine; where no real thread or socket has a say, it is reproducible to the nanosecond.

Three things still happen in real time, because they happen outside the loop:

* While work given to ``run_in_executor`` or ``asyncio.to_thread`` is under way, the loop really waits for it
  and the clock stands still. A thread started in any other way is heard when it calls
  ``call_soon_threadsafe``, but the clock does not wait for it: wrap the wait in ``with loop.outside():``.
* Bytes that are ready in a socket or pipe are taken before the clock moves.
* With no timer left but a socket or pipe watched, the loop waits for the world outside.

With none of these and no timer left, nothing can ever happen again: that raises ``DeadlockError`` where
another loop would hang.
"""

from __future__ import annotations

import asyncio
import selectors
from collections.abc import Callable, Coroutine, Iterator, Mapping
from concurrent.futures import Executor
from contextlib import contextmanager
from typing import Any, TypeVar, TypeVarTuple, Unpack

T = TypeVar("T")
Args = TypeVarTuple("Args")


class DeadlockError(RuntimeError):
    """The program waits for something that no timer, thread or socket can bring. The message names the waiters."""


class _Selector(selectors.BaseSelector):
    """A selector that asks what to do instead of sleeping."""

    def __init__(self, wait: Callable[[float | None], float | None]) -> None:
        self._real = selectors.DefaultSelector()
        self._wait = wait

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        ready = self._real.select(0)
        if ready or (timeout is not None and timeout <= 0):
            return ready
        return self._real.select(self._wait(timeout))

    def register(self, fileobj: Any, events: int, data: Any = None) -> selectors.SelectorKey:
        return self._real.register(fileobj, events, data)

    def unregister(self, fileobj: Any) -> selectors.SelectorKey:
        return self._real.unregister(fileobj)

    def modify(self, fileobj: Any, events: int, data: Any = None) -> selectors.SelectorKey:
        return self._real.modify(fileobj, events, data)

    def get_map(self) -> Mapping[Any, selectors.SelectorKey]:
        return self._real.get_map()

    def close(self) -> None:
        self._real.close()


class VirtualLoop(asyncio.SelectorEventLoop):
    """An asyncio loop in virtual time. Its clock starts at `start` seconds."""

    def __init__(self, start: float = 1.0) -> None:
        self._virtual = start
        self._outside = 0
        selector = _Selector(self._instead_of_waiting)
        super().__init__(selector)
        self._own = len(selector.get_map())  # the loop's own wake-up pipe

    def time(self) -> float:
        """Virtual seconds. They pass only while nothing is ready to run."""
        return self._virtual

    @contextmanager
    def outside(self) -> Iterator[None]:
        """Within this block something outside the loop is at work: the clock stands still and waits are real."""
        self._outside += 1
        try:
            yield
        finally:
            self._outside -= 1

    def run_in_executor(
        self, executor: Executor | None, func: Callable[[Unpack[Args]], T], *args: *Args
    ) -> asyncio.Future[T]:
        """As any loop does; the clock stands still until the work is done."""
        work = super().run_in_executor(executor, func, *args)
        self._outside += 1
        work.add_done_callback(self._back)
        return work

    async def shutdown_default_executor(self, *args: Any, **kwargs: Any) -> None:
        """Really wait for the executor's threads, and let no virtual time-out pass meanwhile."""
        with self.outside():
            await super().shutdown_default_executor(*args, **kwargs)

    def _back(self, _: asyncio.Future[Any]) -> None:
        self._outside -= 1

    def _instead_of_waiting(self, timeout: float | None) -> float | None:
        """Nothing is ready, and the loop would wait `timeout` seconds. Returns how long to wait really."""
        if self._outside:
            return None
        if timeout is not None:
            self._virtual += timeout
            return 0
        if len(self._selector.get_map()) > self._own:
            return None
        raise DeadlockError(
            "no timer, thread or socket is left that could wake: "
            + "; ".join(sorted(map(_whereabouts, self._waiting())))
        )

    def _waiting(self) -> list[asyncio.Task[Any]]:
        return [task for task in asyncio.all_tasks(self) if not task.done()]

    _selector: _Selector  # set by the base class, which keeps what it is given


def _whereabouts(task: asyncio.Task[Any]) -> str:
    frames = task.get_stack(limit=1)
    where = f" at {frames[-1].f_code.co_filename}:{frames[-1].f_lineno}" if frames else ""
    return f"{task.get_name()} in {getattr(task.get_coro(), '__qualname__', '?')}{where}"


def run(main: Coroutine[Any, Any, T], *, start: float = 1.0) -> T:
    """Run `main` to its end in virtual time and return its result, as ``asyncio.run`` does.

    Raises DeadlockError when `main` waits for something that can never come.
    """
    with asyncio.Runner(loop_factory=lambda: VirtualLoop(start)) as runner:
        return runner.run(main)
