"""What a vendor's library says when it cannot, as a sentence that a technician can act upon.

The libraries raise what they like: gpiozero its own tree, lgpio an ``lgpio.error`` that is no ``OSError``, RPi.GPIO
bare ``RuntimeError``. They are caught at one edge, here, and leave it as `HardwareError` (the table cannot start) or
`LineError` (a running table has lost a line).
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from hal.port import HardwareError


class LineError(Exception):
    """A line cannot be read or written any more: its chip does not answer. The message names the line."""


_NO_REVISION = "this is no Raspberry Pi, or /proc is hidden from the service (ProcSubset=pid hides the revision)"

_REMEDIES: tuple[tuple[str, str], ...] = (
    ("No module named 'gpiozero'", "install the extra: pip install 'pozo[gpio]', or apt install python3-gpiozero"),
    ("No module named 'lgpio'", "install it: apt install python3-lgpio, and let the environment see it"),
    ("No module named 'RPi'", "install the extra: pip install 'pozo[rpigpio]', or use factory = \"lgpio\""),
    (".lgd-nfy", "lgpio keeps a pipe in its working directory: start in one that may be written (WorkingDirectory=)"),
    ("Pi revision", _NO_REVISION),
    ("/proc/cpuinfo", _NO_REVISION),
    ("open gpiochip", "is it there (ls /dev/gpiochip*), and is the service's user in the group gpio?"),
    ("SOC peripheral", 'RPi.GPIO cannot run on this board (a Pi 5 needs lgpio): write factory = "lgpio"'),
    ("edge detection", 'RPi.GPIO cannot see edges since kernel 6.6: write factory = "lgpio"'),
    ("busy", "another program or an overlay holds the line: gpioinfo names it; stop it, or use another pin"),
    ("already in use", "another program holds the line: stop it, or use another pin"),
    ("not a valid pin name", "this board lacks the pin: correct the configuration's [hal] section"),
    ("not a GPIO pin", "this board lacks the pin: correct the configuration's [hal] section"),
)
"""A piece of what libraries say, and what helps."""

_OTHERWISE = "pozo is tested with gpiozero 2.0.1 and lgpio 0.2.2: compare the versions"


@contextmanager
def starting(what: str) -> Iterator[None]:
    """While the table starts: whatever a library raises within becomes a `HardwareError` about `what`."""
    try:
        yield
    except HardwareError:
        raise
    except Exception as error:
        said = " ".join(str(error).split()) or type(error).__name__
        if said[0] == said[-1] and said[0] in "'\"":  # as lgpio's errors are
            said = said[1:-1]
        remedy = next((remedy for piece, remedy in _REMEDIES if piece in str(error)), _OTHERWISE)
        raise HardwareError(f"{what}: {said}; {remedy}.") from error


@contextmanager
def running(what: str) -> Iterator[None]:
    """While the table runs: whatever a library raises within becomes a `LineError` about `what`."""
    try:
        yield
    except Exception as error:
        raise LineError(f"{what}: {error}") from error
