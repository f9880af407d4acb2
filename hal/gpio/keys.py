"""The dealer's keys: contacts like the bet buttons, conditioned as they are, but no facts for the rules.

What a press means is the dealer's terminal's to know, so none of them becomes a signal. Each key is a source of its
own: one that is stuck, torn off or behind a chip that does not answer is told in the log, and the others go on.
"""

from __future__ import annotations

import logging
from collections.abc import Callable

from hal.conditioning import Button, Source
from hal.debounce import Timing
from hal.gpio.feed import Feed, RelearningButton, Wire
from hal.port import PartFailed, PartMended, Pressed, Signal

_log = logging.getLogger(__name__)


def key_feed(wire: Wire, boot: int, at: int, timing: Timing, press: Callable[[str], None]) -> Feed:
    """The feed of the key at `wire`, found at `at` nanoseconds; `press` hears its name, once for each press.

    A key found pressed at the start is no press. One pressed for ten seconds is stuck, which is told once; it is no
    second press. Spikes, and whatever is shorter than `timing.settle`, are nothing.
    """
    number = wire.source
    line = RelearningButton(lambda pressed, since: Button(number, boot, pressed, since, timing), wire.level, at)

    def tell(signal: Signal) -> None:
        if isinstance(signal, Pressed):
            _press(wire.name, press)
        elif isinstance(signal, PartFailed):
            what = "is stuck" if signal.part == "button" else "has lost an edge"
            _log.warning("the dealer's key %s (%s) %s", wire.name, wire.input.name, what)
        elif isinstance(signal, PartMended):
            _log.info("the dealer's key %s (%s) works", wire.name, wire.input.name)

    return Feed(Source(number, boot, {wire.name: line}, at), boot, {wire.name: wire}, {wire.name: line}, tell)


def _press(name: str, press: Callable[[str], None]) -> None:
    """A fault in what a key leads to must not stop the edges that are bets."""
    try:
        press(name)
    except Exception:
        _log.exception("the dealer's key %s led to a fault", name)
