"""luma's drivers behind one typed class. With `wires`, all that knows luma.

A driver of luma's sets its controller up when it is made, cleans up when the interpreter ends, and cannot be told
otherwise. Made anew for every attempt on a display that is away it would pile up exit hooks that each hold a driver,
and each blank, at the end, what another has drawn. So a driver is made once, with nobody at the other end: what it
says then is its setting up, kept, and said again to every bus that is opened. Its exit hook finds nothing to do
(``persist``, a line that is closed); whether a panel goes dark is decided by ``close``, never by luma.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, Literal

from luma.core.bitmap_font import embedded_fonts
from luma.led_matrix.device import max7219
from luma.led_matrix.segment_mapper import dot_muncher, regular
from luma.oled import const, device
from PIL import Image

from hal.display.device import DisplayError, Size
from hal.display.wires import Serial, Wires, told

Oled = Literal["ssd1306", "sh1106"]

_Said = tuple[bool, tuple[int, ...]]
"""Command or data, and its bytes."""


class _Line:
    """The serial interface as a driver sees it: written down while there is nobody, then handed on."""

    def __init__(self) -> None:
        self.said: list[_Said] | None = []
        self.there: Serial | None = None

    def command(self, *cmd: int) -> None:
        self._say(True, cmd)

    def data(self, data: Sequence[int]) -> None:
        self._say(False, data)

    def cleanup(self) -> None:
        """Called by luma's exit hook only, and nothing is left to do then."""

    def _say(self, command: bool, data: Sequence[int]) -> None:
        if self.said is not None:
            self.said.append((command, tuple(data)))
        elif self.there is None:
            raise DisplayError("the display is closed")
        elif command:
            self.there.command(*data)
        else:
            self.there.data(list(data))


class LumaDevice:
    """A panel that luma drives, made by `oled`, `matrix` or `digits`. Implements ``hal.display.device.Device``."""

    def __init__(self, what: str, wires: Wires, driver: Callable[[_Line], Any]) -> None:
        self._what = what
        self._wires = wires
        self._line = _Line()
        self._driver = driver(self._line)
        self._driver.persist = True
        self._setup: tuple[_Said, ...] = tuple(self._line.said or ())
        self._line.said = None
        self.size: Size = self._driver.size

    def open(self) -> None:
        self.close(dark=False)
        with told(self._what, self._wires):
            self._line.there = self._wires.open()
        self.settle()

    def settle(self) -> None:
        with told(self._what, self._wires):
            for command, data in self._setup:
                if command:
                    self._line.command(*data)
                else:
                    self._line.data(data)

    def contrast(self, level: int) -> None:
        with told(self._what, self._wires):
            self._driver.contrast(level)

    def draw(self, image: Image.Image) -> None:
        with told(self._what, self._wires):
            self._driver.display(image)

    def close(self, *, dark: bool) -> None:
        there = self._line.there
        if there is None:
            return
        try:
            if dark:
                self.draw(Image.new("1", self.size))
                with told(self._what, self._wires):
                    self._driver.hide()
        finally:
            self._line.there = None
            with told(self._what, self._wires):
                there.cleanup()


def oled(kind: Oled, wires: Wires, *, upside_down: bool = False) -> LumaDevice:
    """A 128×64 OLED with an SSD1306 or an SH1106."""
    driver = {"ssd1306": device.ssd1306, "sh1106": device.sh1106}[kind]
    return LumaDevice(kind.upper(), wires, lambda line: _quiet(driver)(line, rotate=2 if upside_down else 0))


def matrix(
    wires: Wires, size: Size, *, block_orientation: Literal[0, 90, -90, 180] = -90, reverse_order: bool = False
) -> LumaDevice:
    """MAX7219 blocks of 8×8 LEDs in a chain, `size` in pixels. The common boards of four blocks want the default
    `block_orientation`, degrees."""
    width, height = size

    def driver(line: _Line) -> Any:
        return _quiet(max7219)(
            line, width=width, height=height, block_orientation=block_orientation,
            blocks_arranged_in_reverse_order=reverse_order,
        )  # fmt: skip

    return LumaDevice("MAX7219 matrix", wires, driver)


def digits(wires: Wires, modules: int) -> LumaDevice:
    """MAX7219 modules of eight seven-segment digits in a chain. Module n is the columns 8n to 8n + 7, of which 8n + 7
    is its leftmost digit; a row is a segment, see `segments`."""
    return LumaDevice("MAX7219 digits", wires, lambda line: _quiet(max7219)(line, cascaded=modules))


def _quiet(driver: Any) -> Any:
    """`driver` whose setting up neither empties the picture nor sets the contrast: what is shown stays, as bright as
    it is, until `draw` and `contrast` say otherwise."""

    def contrast(self: Any, level: int) -> None:
        if self._serial_interface.said is None:
            driver.contrast(self, level)

    return type(driver.__name__, (driver,), {"clear": lambda self: None, "contrast": contrast})


# --- what luma carries besides drivers ---------------------------------------------------------------------


@cache
def _font() -> Any:
    """The 5×8 characters of the HD44780's European cousin: one of the few bitmap fonts with capital accents."""
    return embedded_fonts(const.ws0010.FONTDATA).load("FT01")


@cache
def glyph(char: str) -> Image.Image | None:
    """`char` as 5×8 white pixels on black, or None when the font has it not."""
    if char == " ":
        return Image.new("1", (5, 8))
    font = _font()
    if not (char.isascii() and char.isprintable()) and ord(char) not in font.mappings:
        return None  # luma would give the picture that has this number in the controller's own table
    image = Image.new("1", (5, 8))
    image.im.paste(font.getmask(char, "1"), (0, 0, 5, 8))
    return image


def segments(text: str) -> bytes:
    """`text` as seven-segment digits, a byte each: bit 6 is segment A, bit 0 segment G, bit 7 the point. A point
    belongs to the digit before it. ValueError when a character has no such form."""
    for char in text:
        if not list(regular(char, notfound=None)):
            raise ValueError(f"{char!r} in {text!r} cannot be written in seven segments")
    return bytes(dot_muncher(text, notfound=None))
