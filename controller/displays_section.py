"""The displays in a table's configuration: what each shows, what it is, and where it hangs (docs/displays.md).

[[hal.displays]]
shows = "meter"             # dealer, seats or meter
kind = "max7219"            # ssd1306, sh1106 or max7219
bus = "spidev0.0"           # or "i2c-3", as it is called in /dev
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Literal, cast

from controller.core.messages import msg
from controller.core.params import BadValueError
from controller.core.state import Setup
from controller.strict_toml import Document, Section, choice, text, truth, whole_number
from hal.display.measures import MOST_DIGITS, fits
from hal.display.money import Money
from hal.display.places import OLED_ADDRESSES, Display, I2cPlace, Kind, Place, Shows, SpiPlace

LONGEST_NAME = 8
"""Characters: the dealer's screen has one line for a display that has failed, and has to say that it has."""

NOWHERE: Place = I2cPlace(-1)
"""In the place of a bus that is missing or mistaken."""

_BLOCK = 8
"""Pixels that a MAX7219 has in a row, and rows of them."""

Sign = Callable[[], Money]
"""How the table writes money on its displays."""


def read_displays(document: Document, hal: Section, setup: Setup, sign: Sign, *, header: bool) -> tuple[Display, ...]:
    """The displays of the section `hal`; `header` says that the table drives lines of the header. Mistakes are noted
    in `document`."""
    sections = hal.sections("displays") or []
    displays = tuple(_display(document, section, setup, header=header) for section in sections)
    for section, display in zip(sections, displays, strict=True):
        _note_size(document, section, display, setup, sign)
    _note_doubles(document, sections, displays)
    return displays


def note_shared_bus(document: Document, displays: tuple[Display, ...], bus: int) -> None:
    """Note the displays that hang on `bus`, the expander's."""
    for number, display in enumerate(displays, 1):
        if isinstance(display.place, I2cPlace) and display.place.bus == bus:
            text_ = msg(
                "The expander hangs on {bus}: a display that hangs there takes the lamps with it. Use another bus."
            )
            document.note(f"hal.displays[{number}].bus", text_, bus=display.place.file)


def _display(document: Document, section: Section, setup: Setup, *, header: bool) -> Display:
    shows = section.need("shows", choice("dealer", "seats", "meter"), "")
    kind = section.need("kind", choice("ssd1306", "sh1106", "max7219"), "")
    place = section.need("bus", _bus, NOWHERE)
    oled, spi = kind != "max7219", isinstance(place, SpiPlace)
    unknown = not shows or not kind or place is NOWHERE  # then any key may belong here
    unknown = unknown or _unfit(document, section, shows, oled=oled, spi=spi)
    address = section.get("address", _address, OLED_ADDRESSES[0]) if unknown or not spi else 0
    dc, reset = _lines(document, section, header=header) if not unknown and oled and spi else (None, None)
    if unknown:
        dc, reset = section.get("dc", _line, None), section.get("reset", _line, None)
    matrix = unknown or (shows == "meter" and not oled)
    every = tuple(range(1, setup.seats + 1))
    display = Display(
        shows=cast(Shows, shows or "dealer"),
        kind=cast(Kind, kind or "ssd1306"),
        place=I2cPlace(place.bus, address) if isinstance(place, I2cPlace) else place,
        name=section.get("name", _name, ""),
        size=(_pixels(section, "width", 64), _pixels(section, "height", 8)) if matrix else (128, 64),
        chain=section.get("seats", _chain(setup.seats), every) if unknown or shows == "seats" else (),
        dc=dc,
        reset=reset,
        turned=section.get("turned", _turned, -90) if matrix else -90,
        reverse=section.get("reverse", truth, False) if matrix else False,
        upside_down=section.get("upside_down", truth, False) if unknown or oled else False,
    )
    section.close()
    return display


# --- values ----------------------------------------------------------------------------------------------


def _bus(value: object) -> Place:
    match = re.fullmatch(r"i2c-(0|[1-9][0-9]?)|spidev([01])\.([0-2])", value) if type(value) is str else None
    if match is None:
        raise BadValueError(
            msg('{value} is no bus: write "i2c-3", or of SPI 0 or 1 "spidev0.0" to "spidev0.2", as it is in /dev.')
        )
    return I2cPlace(int(match[1])) if match[1] else SpiPlace(int(match[2]), int(match[3]))


def _address(value: object) -> int:
    if type(value) is not int or value not in OLED_ADDRESSES:
        raise BadValueError(
            msg("{value} is no address of an OLED: write 0x3c or 0x3d. A board that says 0x78 means 0x3c, 0x7a 0x3d.")
        )
    return value


def _line(value: object) -> int:
    match = re.fullmatch(r"GPIO(0|[1-9][0-9]?)", value) if type(value) is str else None
    if match is None:
        raise BadValueError(msg('{value} is not a line of the header: write "GPIO24".'))
    return int(match[1])


def _name(value: object) -> str:
    name = text(value)
    if len(name) > LONGEST_NAME:
        raise BadValueError(msg("{value} is too long for a display: {most} characters at most."), most=LONGEST_NAME)
    return name


def _pixels(section: Section, key: str, default: int) -> int:
    def read_it(value: object) -> int:
        pixels = whole_number(_BLOCK, 512)(value)
        if pixels % _BLOCK:
            raise BadValueError(msg("{value} is no multiple of 8: a sign is made of blocks of 8×8 pixels."))
        return pixels

    return section.get(key, read_it, default)


def _turned(value: object) -> Literal[0, 90, -90, 180]:
    if type(value) is not int or value not in (0, 90, -90, 180):
        raise BadValueError(msg("{value} must be 0, 90, -90 or 180: the degrees by which each block is turned."))
    return cast(Literal[0, 90, -90, 180], value)


def _chain(seats: int) -> Callable[[object], tuple[int, ...]]:
    """Seats in the order of their modules."""

    def read_it(value: object) -> tuple[int, ...]:
        chain = value if type(value) is list else []
        known = all(type(seat) is int and 1 <= seat <= seats for seat in chain)
        if not chain or not known or len(set(chain)) != len(chain):
            raise BadValueError(
                msg("{value} must be a list of seats from 1 to {seats}, each once: nearest to the controller first."),
                seats=seats,
            )
        return tuple(chain)

    return read_it


# --- what cannot be together -------------------------------------------------------------------------------


def _unfit(document: Document, section: Section, shows: str, *, oled: bool, spi: bool) -> bool:
    """Whether a display is not made for what it is to show, or for its bus, which is noted."""
    if shows == "dealer" and not oled:
        document.note(section.key("kind"), msg("The dealer's screen is an OLED: write ssd1306 or sh1106."))
    elif shows == "seats" and oled:
        document.note(section.key("kind"), msg("The seats' counters are modules of eight digits: write max7219."))
    elif not oled and not spi:
        document.note(section.key("bus"), msg('A MAX7219 hangs on SPI: write a bus such as "spidev0.0".'))
    else:
        return False
    return True


def _lines(document: Document, section: Section, *, header: bool) -> tuple[int | None, int | None]:
    """The lines of an OLED on SPI; what is not there is None."""
    dc, reset = section.need("dc", _line, -1), section.get("reset", _line, None)
    if not header:
        text_ = msg('An OLED on SPI needs lines of the header, which only backend = "gpio" drives: put it on I2C.')
        document.note(section.key("bus"), text_)
    return (None if dc < 0 else dc), reset


def _note_size(document: Document, section: Section, display: Display, setup: Setup, sign: Sign) -> None:
    """Note a sign that has no room for twelve digits, as the currency writes them."""
    matrix = display.shows == "meter" and display.kind == "max7219"
    if not matrix or not setup.currency or document.marked(section.key("width"), section.key("height")):
        return
    if not fits(display.size, sign()):
        text_ = msg(
            "A sign of {size} pixels is too small for {digits} digits; eight blocks in a row, 64×8, are enough."
        )
        document.note(section.key("width"), text_, size="×".join(map(str, display.size)), digits=MOST_DIGITS)


def _note_doubles(document: Document, sections: list[Section], displays: tuple[Display, ...]) -> None:
    """Note displays of one name, or in one place."""
    names: set[str] = set()
    places: dict[Place, str] = {}
    for section, display in zip(sections, displays, strict=True):
        name = display.name or display.shows
        if name in names and not document.marked(section.key("shows"), section.key("name")):
            text_ = msg('Another display is called {name} already: give each a name of its own, name = "…".')
            document.note(section.key("name"), text_, name=name)
        names.add(name)
        if document.marked(section.key("bus"), section.key("address")) or display.place == NOWHERE:
            continue
        if display.place in places:
            text_ = msg("{place} is {other} already: one display, one place.")
            document.note(section.key("bus"), text_, place=display.place, other=places[display.place])
        places.setdefault(display.place, section.key("bus"))
