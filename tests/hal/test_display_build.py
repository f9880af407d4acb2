"""A table's displays as they are built: each controller, at its place, gets the picture that is its own."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from PIL import Image

from hal.display import care, counters, dealer, meter, vendor
from hal.display.build import built
from hal.display.places import Display, I2cPlace, Shows, SpiPlace
from hal.display.screen import Mail
from hal.display.wires import I2c, Serial, Spi
from tests.hal.display_models import Chain, Sh1106, Ssd1306
from tests.hal.display_scenes import BETTING, PESOS, SPANISH

NAMES: dict[Shows, str] = {"dealer": "terminal", "seats": "contador", "meter": "letrero"}
ROOM = care.OLED.room((128, 64))


class Wired:
    """Controllers by the place where they hang, and the lines of those on SPI."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.terminal, self.bar, self.counters, self.sign = Sh1106(), Ssd1306(), Chain(6), Chain(8)
        self.there: dict[str, Serial] = {
            "I2C bus 3, address 0x3d": self.terminal,
            "SPI 1.2": self.bar,
            "SPI 0.1": self.counters,
            "SPI 0.0": self.sign,
        }
        self.lines: dict[str, tuple[int | None, int | None]] = {}
        monkeypatch.setattr(I2c, "open", lambda place: self.there[str(place)])
        monkeypatch.setattr(Spi, "open", lambda place: self._open(place))
        monkeypatch.setattr("hal.display.build.time", SimpleNamespace(monotonic_ns=lambda: 0))

    def _open(self, place: Spi) -> Serial:
        if place.drive is not None and place.dc is not None:
            place.drive(place.dc, True)
        self.lines[str(place)] = (place.dc, place.reset)
        return self.there[str(place)]


def test_every_kind_of_display_shows_its_own_picture(monkeypatch: pytest.MonkeyPatch) -> None:
    wired = Wired(monkeypatch)
    driven: list[tuple[int, bool]] = []
    displays = built(
        (
            Display("dealer", "sh1106", I2cPlace(3, 0x3D), upside_down=True),
            Display("seats", "max7219", SpiPlace(0, 1), chain=(6, 5, 4, 3, 2, 1)),
            Display("meter", "max7219", SpiPlace(0, 0), size=(64, 8), turned=0),
            Display("meter", "ssd1306", SpiPlace(1, 2), "barra", dc=24, reset=25),
        ),
        NAMES,
        SPANISH,
        PESOS,
        lambda line, on: driven.append((line, on)),
    )
    for screen in displays._screens:
        screen.show(Mail(BETTING))
        screen.step()
    assert {name: health.works for name, health in displays.health().items()} == dict.fromkeys(
        ("terminal", "contador", "letrero", "barra"), True
    )
    shown = wired.terminal.picture().rotate(180).crop((0, 0, *ROOM))
    assert shown.tobytes() == dealer.render(BETTING, ROOM, SPANISH, PESOS).tobytes()
    shown = wired.bar.picture().crop((0, 0, *ROOM))
    assert shown.tobytes() == meter.render(BETTING, ROOM, BETTING.pot, SPANISH, PESOS, 0).tobytes()
    words = counters.render(BETTING, (6, 5, 4, 3, 2, 1), SPANISH, PESOS, 0)
    read = [bytes(reversed(chip.digits)) for chip in wired.counters.chips]
    assert read == [vendor.segments(text).ljust(8, b"\0") for text in words]
    sign = Image.new("1", (64, 8))
    for chip, register, bit in wired.sign.lit():
        sign.putpixel((8 * chip + register, bit), 1)
    assert sign.tobytes() == meter.render(BETTING, (64, 8), BETTING.pot, SPANISH, PESOS, 0).tobytes()
    assert wired.lines == {"SPI 0.1": (None, None), "SPI 0.0": (None, None), "SPI 1.2": (24, 25)}
    assert driven == [(24, True)]
