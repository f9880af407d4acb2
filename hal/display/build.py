"""A table's displays, built from what is known of them. Imports the vendor's libraries: ImportError without them."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence

from hal.display import care, painters, vendor
from hal.display.device import Device
from hal.display.displays import Displays
from hal.display.money import Money
from hal.display.places import Display, I2cPlace, Shows
from hal.display.screen import Painter, Screen
from hal.display.texts import Texts
from hal.display.wires import Drive, I2c, Spi, Wires


def built(
    displays: Sequence[Display], names: Mapping[Shows, str], texts: Texts, money: Money, drive: Drive | None = None
) -> Displays:
    """All of them, not started. `names` are what displays without a name of their own are called; `drive` drives the
    lines of OLEDs on SPI. Raises ValueError for what a configuration would not let through."""
    return Displays([_screen(display, names, texts, money, drive) for display in displays])


def _screen(display: Display, names: Mapping[Shows, str], texts: Texts, money: Money, drive: Drive | None) -> Screen:
    spared = care.LEDS if display.kind == "max7219" else care.OLED
    name = display.name or names[display.shows]
    device, painter, dealer = _device(display, drive), _painter(display, texts, money), display.shows == "dealer"
    return Screen(name, device, painter, spared, time.monotonic_ns, dealer=dealer)


def _device(display: Display, drive: Drive | None) -> Device:
    wires = _wires(display, drive)
    if display.kind != "max7219":
        return vendor.oled(display.kind, wires, upside_down=display.upside_down)
    if display.shows == "seats":
        return vendor.digits(wires, len(display.chain))
    return vendor.matrix(wires, display.size, block_orientation=display.turned, reverse_order=display.reverse)


def _wires(display: Display, drive: Drive | None) -> Wires:
    place = display.place
    if isinstance(place, I2cPlace):
        return I2c(place.bus, place.address)
    lines = drive if display.dc is not None or display.reset is not None else None
    return Spi(place.bus, place.device, dc=display.dc, reset=display.reset, drive=lines)


def _painter(display: Display, texts: Texts, money: Money) -> Painter:
    if display.shows == "dealer":
        return painters.Dealer(texts, money)
    if display.shows == "seats":
        return painters.Counters(texts, money, display.chain)
    return painters.Meter(texts, money)
