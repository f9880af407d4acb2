"""What a screen needs of a device, and how a device says that it cannot.

DisplayError        the device cannot be used now: what, where, and what to do
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:  # a size can be asked for where there is no Pillow
    from PIL import Image

Size = tuple[int, int]
"""Width and height in pixels. A seven-segment digit counts as a column of eight: its segments and its point."""


class DisplayError(Exception):
    """A device cannot be used now; the message says what, where, and what to do."""


class Device(Protocol):
    """A panel of pixels at the end of a wire. Every method but `close` may raise; none is called before ``open``
    but `size`, and all by one thread."""

    @property
    def size(self) -> Size:
        """How many pixels there are."""

    def open(self) -> None:
        """Take the bus and set the controller up. Picture and brightness are as they were, until they are told."""

    def settle(self) -> None:
        """Set the controller up anew, on the open bus: a spike on the wires can leave a register wrong, unseen."""

    def contrast(self, level: int) -> None:
        """How bright, 0–255. Coarse: an SSD1306 takes it as it is, a MAX7219 has 16 steps."""

    def draw(self, image: Image.Image) -> None:
        """Show `image`, mode "1", of this `size`."""

    def close(self, *, dark: bool) -> None:
        """Give the bus back; `dark` switches the panel off first. Closing twice is harmless."""
