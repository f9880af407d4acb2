"""The displays of a table: read from its file, every mistake in the one report, in their words and their money."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path

import pytest

from controller.check import describe
from controller.config import Config, load
from controller.displays import display_names, money_of, texts_of
from controller.displays_section import LONGEST_NAME
from controller.i18n import Language
from hal.display.places import Display, I2cPlace, SpiPlace
from hal.display.texts import Texts
from hal.gpio.wiring import Pin
from tests.people.test_hal_section import GOOD, WIRED, mistakes, read, table

ROOT = Path(__file__).parents[2]
PINS_ONLY = WIRED.partition("[[hal.displays]]")[0]
TERMINAL = """
[[hal.displays]]
shows = "dealer"
kind = "sh1106"
bus = "i2c-3"
address = 0x3d
upside_down = true
"""
COUNTERS = """
[[hal.displays]]
shows = "seats"
kind = "max7219"
bus = "spidev0.1"
seats = [7, 6, 5, 4, 3, 2, 1]
"""
SIGN = """
[[hal.displays]]
shows = "meter"
kind = "max7219"
bus = "spidev0.0"
name = "calle"
width = 96
height = 16
turned = 90
reverse = true
"""
ALL = TERMINAL + COUNTERS + SIGN
SIMULATED = (ROOT / "examples" / "tables" / "draw-1.toml").read_text()


def gpio(displays: str) -> str:
    return table(GOOD, PINS_ONLY + displays)


def test_the_displays_of_a_table(tmp_path: Path) -> None:
    config = read(tmp_path, gpio(ALL))
    assert config.displays == (
        Display("dealer", "sh1106", I2cPlace(3, 0x3D), upside_down=True),
        Display("seats", "max7219", SpiPlace(0, 1), chain=(7, 6, 5, 4, 3, 2, 1)),
        Display("meter", "max7219", SpiPlace(0, 0), "calle", (96, 16), turned=90, reverse=True),
    )
    assert config.gpio is not None
    assert config.gpio.wiring.spi == (0,)
    assert config.gpio.wiring.display_lines == ()


def test_the_example_has_the_displays_of_the_board(tmp_path: Path) -> None:
    shown = {display.shows: str(display.place) for display in read(tmp_path, table(GOOD, WIRED)).displays}
    assert shown == {"dealer": "i2c-3, 0x3c", "seats": "spidev0.1", "meter": "spidev0.0"}


def test_the_example_of_the_documentation_is_one(tmp_path: Path) -> None:
    text = (ROOT / "docs" / "displays.md").read_text().partition("```toml\n")[2].partition("```")[0]
    names = [display.name or display.shows for display in read(tmp_path, gpio(text)).displays]
    assert names == ["dealer", "seats", "calle"]


def test_what_is_not_said_of_them(tmp_path: Path) -> None:
    plain = '[[hal.displays]]\nshows = "{}"\nkind = "{}"\nbus = "{}"\n'
    config = read(
        tmp_path, gpio(plain.format("seats", "max7219", "spidev0.1") + plain.format("meter", "max7219", "spidev0.2"))
    )
    counters, sign = config.displays
    assert counters.chain == (1, 2, 3, 4, 5, 6, 7)
    assert (sign.size, sign.turned, sign.reverse) == ((64, 8), -90, False)
    config = read(tmp_path, gpio(plain.format("meter", "ssd1306", "i2c-3")))
    assert config.displays == (Display("meter", "ssd1306", I2cPlace(3, 0x3C)),)


def test_an_oled_on_spi_has_lines_of_the_header(tmp_path: Path) -> None:
    text = '[[hal.displays]]\nshows = "dealer"\nkind = "ssd1306"\nbus = "spidev0.0"\ndc = "GPIO18"\nreset = "GPIO19"\n'
    config = read(tmp_path, gpio(text))
    assert config.gpio is not None
    lines = (("displays[1].dc", Pin("header", 18)), ("displays[1].reset", Pin("header", 19)))
    assert config.gpio.wiring.display_lines == lines
    found = mistakes(tmp_path, gpio(text.replace("GPIO18", "GPIO17")))
    assert "GPIO17 is hal.seats[1].button already" in found["hal.displays[1].dc"]
    assert "only GPIO0 – GPIO27" in mistakes(tmp_path, gpio(text.replace("GPIO18", "GPIO28")))["hal.displays[1].dc"]
    assert "missing" in mistakes(tmp_path, gpio(text.replace('dc = "GPIO18"\n', "")))["hal.displays[1].dc"]
    assert "line of the header" in mistakes(tmp_path, gpio(text.replace("GPIO18", "x3")))["hal.displays[1].dc"]


def test_a_line_of_a_bus_that_a_display_hangs_on_is_nobody_elses(tmp_path: Path) -> None:
    wired = PINS_ONLY.replace('key_open = "GPIO5"', 'key_open = "GPIO9"')
    read(tmp_path, table(GOOD, wired))
    read(tmp_path, table(GOOD, wired + TERMINAL))
    (reason,) = mistakes(tmp_path, table(GOOD, wired + SIGN)).values()
    assert reason == "GPIO9 is SPI0 MISO, a bus that a display hangs on."


@pytest.mark.parametrize(
    ("old", "new", "key", "reason"),
    [
        ('shows = "seats"', 'shows = "seat"', "[2].shows", "Did you mean seats?"),
        ('shows = "seats"\n', "", "[2].shows", "missing"),
        ('kind = "sh1106"', 'kind = "sh1107"', "[1].kind", "Did you mean sh1106?"),
        ('kind = "sh1106"', 'kind = "max7219"', "[1].kind", "screen is an OLED"),
        ('bus = "spidev0.1"', 'bus = "i2c-3"', "[2].bus", "hangs on SPI"),
        (
            'kind = "max7219"\nbus = "spidev0.1"',
            'kind = "ssd1306"\nbus = "i2c-3"',
            "[2].kind",
            "modules of eight digits",
        ),
        ('bus = "i2c-3"', 'bus = "/dev/i2c-3"', "[1].bus", "is no bus"),
        ('bus = "i2c-3"', "bus = 3", "[1].bus", "is no bus"),
        ('bus = "spidev0.0"', 'bus = "spidev2.0"', "[3].bus", "is no bus"),
        ('bus = "i2c-3"', 'bus = "i2c-1"', "[1].bus", "The expander hangs on i2c-1"),
        ('bus = "spidev0.0"', 'bus = "spidev0.1"', "[3].bus", "spidev0.1 is hal.displays[2].bus already"),
        ("address = 0x3d", "address = 0x78", "[1].address", "means 0x3c"),
        ("address = 0x3d", 'address = "0x3d"', "[1].address", "no address"),
        ("upside_down = true", 'upside_down = "yes"', "[1].upside_down", "true or false"),
        ("upside_down = true", "width = 64", "[1].width", "unknown"),
        ("7, 6, 5", "7, 6, 6", "[2].seats", "each once"),
        ("7, 6, 5", "8, 6, 5", "[2].seats", "from 1 to 7"),
        ("[7, 6, 5, 4, 3, 2, 1]", "[]", "[2].seats", "list of seats"),
        ('name = "calle"', 'name = "la calle 8"', "[3].name", "8 characters"),
        ('name = "calle"', 'name = "dealer"', "[3].name", "called dealer already"),
        ("width = 96", "width = 60", "[3].width", "multiple of 8"),
        ("width = 96", "width = 40", "[3].width", "40×16 pixels is too small for 12 digits"),
        ("height = 16", "height = 4", "[3].height", "from 8 to 512"),
        ("turned = 90", "turned = 45", "[3].turned", "degrees"),
    ],
)
def test_a_mistake_is_said_at_its_place(tmp_path: Path, old: str, new: str, key: str, reason: str) -> None:
    assert ALL.count(old) == 1
    found = mistakes(tmp_path, gpio(ALL.replace(old, new)))
    assert reason in found.pop(f"hal.displays{key}")
    assert found == {}, "one mistake, one report"


def test_two_on_one_address_and_the_expanders_bus_by_another_number(tmp_path: Path) -> None:
    second = TERMINAL.replace('"dealer"', '"meter"').replace("upside_down = true", "")
    (reason,) = mistakes(tmp_path, gpio(TERMINAL + second)).values()
    assert "i2c-3, 0x3d is hal.displays[1].bus already" in reason
    read(tmp_path, gpio(TERMINAL + second.replace("0x3d", "0x3c")))
    found = mistakes(tmp_path, gpio(ALL).replace("expander_bus = 1", "expander_bus = 3"))
    assert "i2c-3" in found["hal.displays[1].bus"]


def test_all_mistakes_are_in_one_report_and_an_unknown_kind_makes_no_key_unknown(tmp_path: Path) -> None:
    text = gpio(ALL).replace('kind = "sh1106"', 'kind = "oled"').replace("turned = 90", "turned = 1")
    found = mistakes(tmp_path, text.replace('button = "GPIO17"', "button = 17"))
    assert set(found) == {"hal.seats[1].button", "hal.displays[1].kind", "hal.displays[3].turned"}


def test_a_simulated_table_may_have_displays_but_none_that_needs_the_header(tmp_path: Path) -> None:
    def with_them(displays: str) -> str:
        before, hal, after = SIMULATED.partition('[hal]\nbackend = "simulated"\n')
        assert hal
        return before + hal + displays + after

    config = read(tmp_path, with_them(TERMINAL + SIGN))
    assert (config.backend, len(config.displays)) == ("simulated", 2)
    assert "no button or lamp will work" in describe(config, "en")
    spi = '[[hal.displays]]\nshows = "dealer"\nkind = "ssd1306"\nbus = "spidev0.0"\ndc = "GPIO24"\n'
    assert "only backend" in mistakes(tmp_path, with_them(spi))["hal.displays[1].bus"]


def test_pozo_check_says_what_hangs_where(tmp_path: Path) -> None:
    config = read(tmp_path, gpio(ALL))
    said = describe(config, "es")
    for line in ("terminal: SH1106, 128×64, i2c-3, 0x3d", "calle: MAX7219, 96×16, spidev0.0"):
        assert line in said
    assert "counters: MAX7219, seats 7 6 5 4 3 2 1, spidev0.1" in describe(config, "en")


# --- words and money ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("language", ["es", "en"])
def test_every_word_fits_in_each_language(language: Language) -> None:
    texts = texts_of(language)
    names = display_names(language)
    assert all(0 < len(name) <= LONGEST_NAME for name in names.values())
    assert len(set(names.values())) == 3
    for word in (*texts.banners.values(), texts.approval, texts.wins.format(seats="1, 2, 3")):
        assert len(word) <= 21, "a line of an OLED"
    assert all(len(f"{name}: {texts.silent}") <= 21 for name in names.values())
    assert {field.name for field in fields(Texts)} == set(vars(texts))


def test_the_two_languages_say_other_things() -> None:
    assert texts_of("es").banners["open"] == "Hagan sus apuestas"
    assert texts_of("en").wins.format(seats="4") == "Seat 4 wins"


@pytest.mark.parametrize(
    ("currency", "digits", "language", "text"),
    [
        ("CLP", 0, "es", "1.234.567"),
        ("BOB", 2, "es", "12.345,67"),
        ("MXN", 2, "es", "12,345.67"),
        ("CRC", 2, "es", "12 345,67"),
        ("CLP", 0, "en", "1,234,567"),
    ],
)
def test_3_1_money_is_written_as_the_currencys_country_does(
    tmp_path: Path, currency: str, digits: int, language: Language, text: str
) -> None:
    config: Config = load(ROOT / "examples" / "tables" / "draw-1.toml", {"HOME": str(tmp_path)})
    setup = type(config.setup)("t", "draw-poker", 6, currency, digits, "credits", config.setup.denomination)
    assert money_of(language, setup).text(1_234_567) == text
