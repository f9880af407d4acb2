"""What the port promises on every signal, checked by a bench that hears it."""

from __future__ import annotations

from hal.port import CompleteTo, Signal


class Promises:
    """The ears of a bench: what a backend emits goes to ``hear``."""

    def __init__(self) -> None:
        self.boot = 0
        self._signals: list[Signal] = []
        self._last: dict[int, int] = {}
        self._promised: dict[int, int] = {}

    def reboot(self) -> int:
        """The next boot begins; its number."""
        self.boot += 1
        self._last, self._promised = {}, {}
        return self.boot

    def told(self) -> list[Signal]:
        """The signals since the last call."""
        told, self._signals = self._signals, []
        return told

    def hear(self, signal: Signal) -> None:
        """Stamps of a source are in order, none is where the source called itself complete, all are of this boot."""
        source = signal.source if isinstance(signal, CompleteTo) else getattr(signal, "seat", 0)
        ns = signal.at.ns
        assert signal.at.boot == self.boot
        assert ns >= self._last.get(source, 0), f"out of order: {signal}"
        assert ns > self._promised.get(source, -1), f"after its CompleteTo: {signal}"
        self._last[source] = ns
        if isinstance(signal, CompleteTo):
            self._promised[source] = ns
        self._signals.append(signal)
