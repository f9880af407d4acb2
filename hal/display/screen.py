"""One display: a thread, a mailbox in which the latest wins, and a device that may fail at any moment.

Whatever goes wrong stays here: it is counted, seen in `health`, and tried again, sooner first, then three times a
minute.
A device that hangs holds up nobody but its own thread; whoever looks at `health` sees that it does.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from typing import NamedTuple, Protocol

from PIL import Image

from hal.display.care import Care
from hal.display.device import Device, DisplayError, Size
from hal.port import Banner, Panel

_log = logging.getLogger(__name__)

SECOND = 1_000_000_000
FIRST_RETRY, LAST_RETRY = SECOND // 2, 20 * SECOND
"""Nanoseconds between the attempts on a failed device: the first, doubled up to the last, until it works again."""
HURRY = 2 * SECOND
"""Nanoseconds between two attempts at least, when the table is at something else and a failed device is tried for that.
It may be lit all the same, and show what is over."""
REFRESH = 10 * SECOND
"""Set up and drawn anew this often though nothing has changed, nanoseconds: a spike on the wires is gone then, and a
device that is away is found."""
STEADY = 10 * SECOND
"""What has failed is drawn again at once, but works again after so many nanoseconds without another failure: a loose
plug would else be told at every flip."""
HANGS = 5 * SECOND
"""No drawing takes longer, nanoseconds: a frame over I2C at 100 kHz takes a tenth of a second, the kernel's own
time-out on that bus one second."""

LATE = SECOND // 2
"""Nanoseconds after which a picture that is not yet there is missing: several times what the slowest bus takes."""


class Mail(NamedTuple):
    """What a screen is asked to show. `silent` are the names of displays that have failed; `menu` are the lines that
    the dealer's screen shows instead, while there are any."""

    panel: Panel
    silent: tuple[str, ...] = ()
    menu: tuple[str, ...] = ()


class Painted(NamedTuple):
    """A picture, and the nanoseconds after which it may be another one with the same mail (None: never)."""

    image: Image.Image
    again: int | None = None


class Painter(Protocol):
    """Makes pictures for one kind of display. Called by one thread."""

    def paint(self, mail: Mail, size: Size, now: int) -> Painted:
        """The picture of `size` at `now`, nanoseconds."""


class Health(NamedTuple):
    """Whether a screen works, None while it is not known; why not; its failures since the start, retries included."""

    works: bool | None
    problem: str = ""
    failures: int = 0


class Screen:
    """A display called `name`, one of the `dealer`'s or not. `clock` is monotonic, in nanoseconds; `changed` is called,
    by the screen's thread, whenever `health` has changed, and must not raise."""

    def __init__(
        self,
        name: str,
        device: Device,
        painter: Painter,
        care: Care,
        clock: Callable[[], int],
        *,
        dealer: bool = False,
    ) -> None:
        self.name = name
        self.dealer = dealer
        self.changed: Callable[[], None] = lambda: None
        self._device = device
        self._painter = painter
        self._care = care
        self._clock = clock
        self._mail: Mail | None = None
        self._asked_at = 0
        self._drawn: tuple[Mail | None, int] | None = None
        self._wake = threading.Event()
        self._ending = False
        self._thread: threading.Thread | None = None
        self._health = Health(None)
        self._busy_since: int | None = None
        # What the thread alone knows:
        self._open = False
        self._opened = self._settled = self._changed_at = self._tried_at = self._retry_at = 0
        self._tried_for: Banner | None = None
        self._retry = FIRST_RETRY
        self._shown: Mail | None = None
        self._level: int | None = None
        self._sent = b""

    # --- for everybody -----------------------------------------------------------------------------------

    def show(self, mail: Mail) -> None:
        """Ask for `mail`; what was asked for before and not yet drawn is forgotten. Returns at once."""
        if self._drawn is None or self._drawn[0] == self._mail:  # nothing was owed until now
            self._asked_at = self._clock()
        self._mail = mail
        self._wake.set()

    def legible(self) -> bool:
        """Whether what was last asked for can be read there: it has been drawn, or is not `LATE` yet, and no attempt on
        the device has failed since."""
        drawn = self._drawn
        if drawn is None or self._hangs():
            return False
        mail, at = drawn
        return mail == self._mail or self._clock() - max(at, self._asked_at) <= LATE

    def health(self) -> Health:
        """How the screen is now."""
        health = self._health
        if self._hangs():
            return Health(False, f"hangs: it has not come back for {HANGS // SECOND} s", health.failures + 1)
        return health

    def _hangs(self) -> bool:
        busy = self._busy_since
        return busy is not None and self._clock() - busy > HANGS

    def start(self) -> None:
        """Begin to draw, on a thread."""
        self._thread = threading.Thread(target=self._run, name=f"display {self.name}", daemon=True)
        self._thread.start()

    def end(self) -> None:
        """Ask for the end: the thread darkens the device and returns."""
        self._ending = True
        self._wake.set()

    def ended(self, within: float) -> bool:
        """Wait up to `within` seconds for the thread to be gone. One that hangs is left behind: it is a daemon."""
        if self._thread is not None:
            self._thread.join(within)
        return self._thread is None or not self._thread.is_alive()

    # --- the thread ----------------------------------------------------------------------------------------

    def _run(self) -> None:
        while not self._ending:
            wait = self.step()
            self._wake.wait(wait / SECOND)
            self._wake.clear()
        self.darken()

    def step(self) -> int:
        """Bring the device up to date, whatever that takes; nanoseconds until there may be more to do."""
        now = self._clock()
        banner = None if self._mail is None else self._mail.panel.banner
        retry_at = self._retry_at if banner == self._tried_for else min(self._retry_at, self._tried_at + HURRY)
        if not self._open and now < retry_at:
            return retry_at - now
        self._busy_since = self._tried_at = now
        self._tried_for = banner
        try:
            wait = min(self._draw(now), self._well(now))
        except Exception as error:
            wait = self._failed(error)
        self._busy_since = None
        return wait

    def darken(self) -> None:
        """Switch the device off and let go of it."""
        self._busy_since = self._clock()
        self._let_go(dark=self._open)
        self._busy_since = None

    def _draw(self, now: int) -> int:
        device = self._device
        if not self._open:
            device.open()
            self._open, self._opened = True, now
            self._fresh(now)
        elif now - self._settled >= REFRESH:
            device.settle()
            self._fresh(now)
        mail = self._mail
        if mail != self._shown:
            self._shown, self._changed_at = mail, now
        idle = now - self._changed_at
        level = self._care.contrast(idle)
        if level != self._level:
            device.contrast(level)
            self._level = level
        painted = self._paint(mail, now)
        panel = self._care.place(painted.image, device.size, now)
        sent = panel.tobytes()
        if sent != self._sent:
            device.draw(panel)
            self._sent = sent
        waits = (self._settled + REFRESH - now, self._care.changes(idle, now), painted.again)
        return min(wait for wait in waits if wait is not None)

    def _paint(self, mail: Mail | None, now: int) -> Painted:
        size = self._care.room(self._device.size)
        return Painted(Image.new("1", size)) if mail is None else self._painter.paint(mail, size, now)

    def _fresh(self, now: int) -> None:
        """The device knows nothing of what it was told."""
        self._settled, self._level, self._sent = now, None, b""

    def _well(self, now: int) -> int:
        """It has been drawn. Nanoseconds until a device that had failed counts as working."""
        if self._hangs():
            raise DisplayError(f"hung for {(self._clock() - now) // SECOND} s")
        self._drawn = self._shown, now
        unsteady = self._opened + STEADY - now
        if self._health.works is False and unsteady > 0:
            return unsteady
        self._retry = FIRST_RETRY
        self._be(Health(True, "", self._health.failures))
        return REFRESH

    def _failed(self, error: Exception) -> int:
        if not isinstance(error, DisplayError | OSError) and self._health.works is not False:
            _log.error("display %s: a mistake in the program, not of the device", self.name, exc_info=error)
        self._drawn = None
        self._let_go(dark=False)
        wait, self._retry = self._retry, min(2 * self._retry, LAST_RETRY)
        self._retry_at = self._clock() + wait
        self._be(Health(False, str(error) or type(error).__name__, self._health.failures + 1))
        return wait

    def _let_go(self, *, dark: bool) -> None:
        self._open = False
        try:
            self._device.close(dark=dark)
        except Exception as error:  # it had failed already, or fails at the end: nothing is left to be done for it
            _log.debug("display %s could not be closed: %s", self.name, error)

    def _be(self, health: Health) -> None:
        before, self._health = self._health, health
        if health != before:
            self.changed()
