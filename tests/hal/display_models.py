"""Display controllers as their datasheets have them, at the far end of a wire: strict, and the picture can be read."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import ClassVar

from PIL import Image


class Ssd1306:
    """128×64, SSD1306 datasheet rev 1.1: horizontal addressing in a window of columns and pages.

    Reads as luma's serial interface (``command``, ``data``). A command that the datasheet has not is an error.
    """

    _ARGUMENTS: ClassVar[dict[int, int]] = {
        0x20: 1,
        0x21: 2,
        0x22: 2,
        0x81: 1,
        0x8D: 1,
        0xA8: 1,
        0xD3: 1,
        0xD5: 1,
        0xD9: 1,
        0xDA: 1,
        0xDB: 1,
    }
    WIDE = 128
    SHIFT = 0

    def __init__(self) -> None:
        self.memory = [bytearray(b"\x55" * self.WIDE) for _ in range(8)]
        """What a controller holds after power-on is random."""
        self.on = False
        self.level = 0
        self.commands: list[int] = []
        self.frames = 0
        self._window = (0, 127, 0, 7)
        self._column = self._page = 0

    def command(self, *cmd: int) -> None:
        bytes_ = iter(cmd)
        for byte in bytes_:
            self.commands.append(byte)
            self._do(byte, [next(bytes_) for _ in range(self._ARGUMENTS.get(byte, 0))])

    def _do(self, byte: int, arguments: list[int]) -> None:
        if byte in (0xAE, 0xAF):
            self.on = byte == 0xAF
        elif byte == 0x81:
            (self.level,) = arguments
        elif byte == 0x20:
            assert arguments == [0], "horizontal addressing"
        elif byte == 0x21:
            self._window = (*arguments, *self._window[2:])  # type: ignore[assignment]
            self._column = arguments[0]
        elif byte == 0x22:
            self._window = (*self._window[:2], *arguments)  # type: ignore[assignment]
            self._page = arguments[0]
        else:
            assert byte in self._ARGUMENTS or byte in (0xA1, 0xA4, 0xA6, 0xC8) or 0x40 <= byte <= 0x7F, hex(byte)

    def data(self, data: Sequence[int]) -> None:
        first, last, top, bottom = self._window
        for byte in data:
            self.memory[self._page][self._column] = byte
            self._column += 1
            if self._column > last:
                self._column, self._page = first, self._page + 1
                if self._page > bottom:
                    self._page = top
                    self.frames += 1

    def cleanup(self) -> None:
        """The wire is let go; the picture stays."""

    def picture(self) -> Image.Image:
        """What the panel shows: dark when it is off."""
        image = Image.new("1", (128, 64))
        if self.on:
            for y in range(64):
                for x in range(128):
                    image.putpixel((x, y), self.memory[y // 8][x + self.SHIFT] >> (y % 8) & 1)
        return image


class Sh1106(Ssd1306):
    """132 columns of memory of which the panel shows 128 from the third on; page addressing, no window (SH1106 2.3)."""

    _ARGUMENTS: ClassVar[dict[int, int]] = {0x81: 1, 0xA8: 1, 0xD3: 1, 0xD5: 1, 0xD9: 1, 0xDA: 1, 0xDB: 1, 0xAD: 1}
    WIDE = 132
    SHIFT = 2

    def _do(self, byte: int, arguments: list[int]) -> None:
        if byte in (0xAE, 0xAF, 0x81):
            super()._do(byte, arguments)
        elif byte < 0x10:
            self._column = self._column & 0xF0 | byte
        elif byte < 0x20:
            self._column = self._column & 0x0F | (byte & 0x0F) << 4
        elif 0xB0 <= byte <= 0xB7:
            self._page = byte & 0x07
        # What else luma says at the start comes from the SSD1306; an SH1106 takes it as what it is in its own table.

    def data(self, data: Sequence[int]) -> None:
        for byte in data:
            if self._column < self.WIDE:  # the pointer stops at the end (SH1106 2.3)
                self.memory[self._page][self._column] = byte
                self._column += 1
        self.frames += self._page == 7


@dataclass
class Max7219:
    """One chip (datasheet 19-4452): eight digit registers, decode, intensity, scan limit, shutdown, display test."""

    digits: bytearray = field(default_factory=lambda: bytearray(b"\x55" * 8))
    intensity: int = 0
    limit: int = 0
    decode: int = 0xFF
    awake: bool = False
    test: bool = True

    def load(self, address: int, value: int) -> None:
        address &= 0x0F
        if 1 <= address <= 8:
            self.digits[address - 1] = value
        elif address == 0x9:
            self.decode = value
        elif address == 0xA:
            self.intensity = value & 0x0F
        elif address == 0xB:
            self.limit = value & 0x07
        elif address == 0xC:
            self.awake = bool(value & 1)
        elif address == 0xF:
            self.test = bool(value & 1)
        else:
            assert address == 0, hex(address)


class Chain:
    """MAX7219 chips in a row, the first one next to the controller: what is sent first travels furthest."""

    def __init__(self, chips: int) -> None:
        self.chips = [Max7219() for _ in range(chips)]
        self.transfers = 0

    def command(self, *cmd: int) -> None:
        raise AssertionError("a MAX7219 knows no difference between command and data")

    def data(self, data: Sequence[int]) -> None:
        assert len(data) == 2 * len(self.chips), "16 bits a chip under one chip select"
        self.transfers += 1
        pairs = [(data[i], data[i + 1]) for i in range(0, len(data), 2)]
        for chip, pair in zip(reversed(self.chips), pairs, strict=True):
            chip.load(*pair)

    def cleanup(self) -> None:
        """The wire is let go; the picture stays."""

    def lit(self) -> Iterator[tuple[int, int, int]]:
        """The LEDs that are lit: chip, register (0–7), bit."""
        for number, chip in enumerate(self.chips):
            if chip.test or (chip.awake and chip.limit < 7) or chip.decode:
                raise AssertionError(f"chip {number} is not set up: {chip}")
            for register in range(8) if chip.awake else ():
                for bit in range(8):
                    if chip.digits[register] >> bit & 1:
                        yield number, register, bit
