"""The simulated sign: it takes a moment to write, shows the latest, and may stop answering."""

from __future__ import annotations

from collections.abc import Callable

from hal.port import Panel
from hal.simulated.timeline import Timeline

WRITING = 5_000_000
"""Nanoseconds that a write takes."""


class Display:
    """A mailbox that holds the latest panel, and a device that writes it. `answers` is told when that changes."""

    def __init__(self, timeline: Timeline) -> None:
        self.shown: Panel | None = None
        """What the players see, None when it is dark."""
        self.broken = False
        self.answering: bool | None = None
        """Whether the last write succeeded; None before the first."""
        self.answers: Callable[[bool], None] | None = None
        self._timeline = timeline
        self._wanted: Panel | None = None
        self._writing = False

    def show(self, panel: Panel) -> None:
        """Ask for `panel`. Returns at once; nothing is written when it is there already."""
        self._wanted = panel
        self._write()

    def breaks(self, broken: bool) -> None:
        """The device ceases to answer, or answers again: then what it missed is written."""
        self.broken = broken
        if not broken:
            self._write()

    def attach(self, answers: Callable[[bool], None]) -> None:
        """A program begins to use the device; the first write will tell whether it works."""
        self.answers, self.answering = answers, None

    def dark(self) -> None:
        """No power, or no program."""
        self.shown = self._wanted = None
        self.answers = None

    def _write(self) -> None:
        if not self._writing and self._wanted != self.shown:
            self._writing = True
            self._timeline.after(WRITING, self._written)

    def _written(self) -> None:
        """The write under way ends: with the latest panel on the sign, or with an error."""
        self._writing = False
        if not self.broken:
            self.shown = self._wanted
        if self.answering is not (not self.broken):
            self.answering = not self.broken
            if self.answers is not None:
                self.answers(self.answering)
