"""The socket between the table's electricity and its rules: signals go in, a panel comes out.

Pure data and one Protocol. This is the only module of ``hal`` that ``controller.core`` may import; it
imports nothing but the standard library and msgspec.

A *signal* is a fact that the hardware vouches for: already debounced, its width already checked, dated back
to the instant at which it began. Signals are always accepted; what they lead to is decided by the rules. A
*panel* is the whole picture that the table should show; showing the same panel twice is harmless, and a
backend sends only what differs.

What every backend promises (the contract suite in ``tests/hal`` holds each one to it):

* ``emit`` is called on the loop's thread, in the order of arrival, and never after ``stop`` returned.
* Signals of one source (a seat, or 0 for the table itself) arrive in the order of their stamps, and none arrives
  stamped up to a ``CompleteTo`` of its source. Signals of different sources may overtake one another.
* After each ``KeyTurned`` every working source reports ``CompleteTo(source, at)`` with ``at`` not before the
  key's edge, once it is certain that nothing stamped up to ``at`` is still under way (clause 2.8).
* After ``start``, and before anything else, the levels found are reported: ``KeyFound``, ``LampSensed`` for
  every lamp that is sensed lit, ``PartFailed`` for every part known to be bad, ``PartMended`` for every part that
  is seen to work: it may have been mended while the power was off.
* ``show`` returns when the outputs have been commanded. Sense signals follow when physics allows.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, Protocol

from msgspec import Struct

Part = Literal["lamp", "button", "slot", "node", "key", "display", "screen", "edges", "copy", "noise"]
"""What can fail. ``display``: no display works; ``screen``: one does not, and another does. ``lamp`` is found by the
rules (sense against command), ``copy``, the second copy of the journal, by the daemon, the others by the hardware."""


class Stamp(Struct, frozen=True, order=True, array_like=True):
    """An instant: the boot it belongs to, then nanoseconds of the source's monotonic clock in that boot.

    Every stamp of a later boot is after every stamp of an earlier one (rules 8.3).
    """

    boot: int
    ns: int


class Pressed(Struct, frozen=True, tag=True):
    """A bet button went down at `at`, the first edge of its contact (rules 2.2)."""

    seat: int
    at: Stamp


class ChipDropped(Struct, frozen=True, tag=True):
    """A chip of `value` (minor units) broke the slot's beam; `at` is its leading edge (rules 2.3, 2.8)."""

    seat: int
    value: int
    at: Stamp


class NoisePulse(Struct, frozen=True, tag=True):
    """A pulse outside the width window: not a chip, not a press, but metered (rules 8.5, fault table)."""

    seat: int
    at: Stamp


class KeyTurned(Struct, frozen=True, tag=True):
    """The lock key moved. For ``locked``, `at` is the first instant its open contact broke (rules 2.8)."""

    position: Literal["open", "locked"]
    at: Stamp


class KeyFound(Struct, frozen=True, tag=True):
    """Where the lock key stands when the hardware starts (rules 8.3). Never opens betting."""

    position: Literal["open", "locked"]
    at: Stamp


class LampSensed(Struct, frozen=True, tag=True):
    """A seat's lamp current changed: `lit` is what is, whatever was commanded (rules 2.6)."""

    seat: int
    lit: bool
    at: Stamp


class PartFailed(Struct, frozen=True, tag=True):
    """A part was found bad by the hardware: button stuck, slot jammed, node silent, key contacts disagreeing,
    display not answering, edges lost. `seat` is 0 for parts of the table itself.

    For a silent node `at` is the instant up to which everything is known of it: what it kept meanwhile, and reports
    when it is back, is stamped later. Edges lost are told once, until the line is seen good again.
    """

    seat: int
    part: Part
    at: Stamp


class PartMended(Struct, frozen=True, tag=True):
    """A part that had failed is seen working again. It does not reopen a seat by itself (rules 2.10)."""

    seat: int
    part: Part
    at: Stamp


class CompleteTo(Struct, frozen=True, tag=True):
    """`source` (a seat) has reported everything stamped up to `at`; what seals a round (rules 2.8)."""

    source: int
    at: Stamp


Signal = Pressed | ChipDropped | NoisePulse | KeyTurned | KeyFound | LampSensed | PartFailed | PartMended | CompleteTo


SeatText = Literal[
    "", "closed", "no-credits", "locked", "late", "excess", "returned", "forfeit", "winner", "approval"
]  # fmt: skip
"""Why a seat shows what it shows; a backend renders it in the little room it has. ``approval``: it has won a
prize that a supervisor has to approve first (rules 5.11). ``late``, ``excess``, ``returned``: chips have to be handed
back (2.4), all of them late, all of them excess, or others too."""

Banner = Literal["open", "locked", "paying", "idle", "pending", "out-of-service"]
"""What the table is at. ``pending``: the pot has been asked, and has not answered (rules 9.3)."""


class Said(Struct, frozen=True):
    """One thing that a seat has to say. `amount` is what has to be handed back, minor units, and belongs to this text
    alone; 0 where it is about no chips."""

    text: SeatText
    amount: int = 0


class SeatPanel(Struct, frozen=True):
    """What one seat shows. `credits` is None at a chips seat, which shows only the bet (rules 2.3).

    `bet` is in minor units; `says` is everything the seat has to say, the weightiest first, nothing twice.
    """

    seat: int
    lamp: bool
    credits: int | None
    bet: int
    says: tuple[Said, ...] = ()

    @property
    def text(self) -> SeatText:
        """The weightiest that it says; "" when it says nothing."""
        return self.says[0].text if self.says else ""

    def tells(self, text: SeatText) -> bool:
        """Whether `text` is among what it says."""
        return any(said.text == text for said in self.says)


class Panel(Struct, frozen=True):
    """Everything that the table shows, whole: idempotent, comparable, a function of state and notices.

    `pot` is the main pot in whole minor units, rounded down: the sign never shows more than there is.
    """

    seats: tuple[SeatPanel, ...]
    banner: Banner
    pot: int
    round: int
    bets: int
    reason: str


class Backend(Protocol):
    """A table's hardware, real or simulated."""

    def start(self, emit: Callable[[Signal], None], boot: int) -> None:
        """Begin to emit signals, stamped with `boot`. Raises HardwareError when the table cannot work at all."""

    def show(self, panel: Panel) -> None:
        """Command the outputs to `panel`. Cheap when nothing differs. Never raises for a part that fails:
        that is reported by ``PartFailed``."""

    def now(self) -> Stamp:
        """This instant on the clock that stamps signals."""

    def stop(self) -> None:
        """Darken the outputs and emit nothing more. Idempotent."""


class HardwareError(Exception):
    """The hardware cannot work; the message says what, where, and what to do."""
