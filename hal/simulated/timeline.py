"""The simulated world's own time: what happens next, in exact order, whether the program keeps up or not.

Physics does not wait for software. Events happen at their due instants and carry those instants as their time,
even when the loop comes to them late, as a kernel's edge stamps do. Equal instants happen in the order in
which they were planned. One timer of the loop stands for all; with nothing planned there is none.
"""

from __future__ import annotations

import asyncio
import heapq
from collections import deque
from collections.abc import Callable, Iterator

Motion = Iterator[int]
"""A course of events: each ``next`` does something and gives the nanoseconds until it goes on."""


class Event:
    """Something planned. `idle` events are deadlines that may never matter; others are physics under way."""

    __slots__ = ("action", "due", "idle")

    def __init__(self, due: int, action: Callable[[], None], idle: bool) -> None:
        self.due = due
        self.action: Callable[[], None] | None = action
        self.idle = idle


class Timeline:
    """Plans events on an asyncio loop and makes them happen, each at its due nanosecond."""

    def __init__(self) -> None:
        self._loop: asyncio.AbstractEventLoop | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._planned: list[tuple[int, int, Event]] = []
        self._clock = 0
        self._stamp = 0
        self._count = 0
        self._moving = 0
        self._running = False
        self._watchers: list[Callable[[], None]] = []

    @property
    def moving(self) -> bool:
        """Whether any physics is under way, deadlines not counted."""
        return self._moving > 0

    def now(self) -> int:
        """Nanoseconds: inside an event its due instant, outside the loop's clock."""
        if self._running:
            return self._clock
        return max(self._clock, round(self._on_loop().time() * 1e9))

    def stamp(self) -> int:
        """This instant as a stamp that nobody else has: later than every one before."""
        self._stamp = max(self._stamp + 1, self.now())
        return self._stamp

    def after(self, delay: int, action: Callable[[], None], *, idle: bool = False) -> Event:
        """Plan `action` in `delay` nanoseconds."""
        return self.at(self.now() + delay, action, idle=idle)

    def at(self, due: int, action: Callable[[], None], *, idle: bool = False) -> Event:
        """Plan `action` for `due`; at once, when that is past."""
        event = Event(max(due, self._clock), action, idle)
        self._count += 1
        heapq.heappush(self._planned, (event.due, self._count, event))
        self._moving += not idle
        if not self._running:
            self._wind()
        return event

    def cancel(self, event: Event | None) -> None:
        """Let a planned event not happen. Harmless when it has happened."""
        if event is not None and event.action is not None:
            event.action = None
            self._moving -= not event.idle

    def on_rest(self, watcher: Callable[[], None]) -> None:
        """Call `watcher` after each bout of events."""
        self._watchers.append(watcher)

    def _on_loop(self) -> asyncio.AbstractEventLoop:
        """The loop that the table lives on: the one running when it is first touched."""
        if self._loop is None:
            self._loop = asyncio.get_running_loop()
        return self._loop

    def _run(self) -> None:
        """Everything due by now happens, in order."""
        self._timer = None
        until = max(self.now(), self._planned[0][0]) if self._planned else 0  # a timer may come a hair early
        self._running = True
        try:
            while self._planned and self._planned[0][0] <= until:
                self._clock, _, event = heapq.heappop(self._planned)
                action = event.action
                if action is not None:
                    self.cancel(event)
                    action()
        finally:
            self._running = False
            self._wind()
        for watcher in self._watchers:
            watcher()

    def _wind(self) -> None:
        """Set the one timer to what comes next."""
        while self._planned and self._planned[0][2].action is None:
            heapq.heappop(self._planned)
        if not self._planned:
            if self._timer is not None:
                self._timer.cancel()
                self._timer = None
            return
        when = self._planned[0][0] / 1e9
        if self._timer is not None:
            if self._timer.when() == when:
                return
            self._timer.cancel()
        self._timer = self._on_loop().call_at(when, self._run)


class Hand:
    """One hand does one thing at a time: motions given to it follow one another."""

    def __init__(self, timeline: Timeline) -> None:
        self._timeline = timeline
        self._waiting: deque[Motion] = deque()
        self._at_work = False

    @property
    def waiting(self) -> int:
        """How many motions are given to it and not done."""
        return len(self._waiting)

    def do(self, motion: Motion) -> None:
        """Begin `motion`, after those before it."""
        self._waiting.append(motion)
        if not self._at_work:
            self._at_work = True
            self._timeline.after(0, self._go_on)

    def _go_on(self) -> None:
        while self._waiting:
            for delay in self._waiting[0]:
                self._timeline.after(delay, self._go_on)
                return
            self._waiting.popleft()
        self._at_work = False
