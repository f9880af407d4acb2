"""The wiring: one pin table, what is made from it, and circuits that keep their promises at every tolerance."""

from __future__ import annotations

import csv
import io
import itertools
import re
import shutil
import tomllib
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from math import log
from pathlib import Path

import msgspec
import pytest
from msgspec.structs import replace

from hal.debounce import MS, Timing
from wiring import circuits
from wiring.data import (
    EXPANDER_PINS,
    GPIO_AT,
    Display,
    Line,
    Part,
    Pins,
    TableName,
    problems,
    quantity,
    read_parts,
    read_pins,
)
from wiring.examples import boot_lines, hal_section
from wiring.pages import figure
from wiring.spans import Span, exactly, within

pytest.importorskip("schemdraw", reason="the drawings need the extra [wiring]: pip install -e '.[wiring]'")
pytest.importorskip("wireviz", reason="the drawings need the extra [wiring]: pip install -e '.[wiring]'")

from wiring.__main__ import mark_of, marks, texts
from wiring.harnesses import drawings, svg
from wiring.schematics import SHEETS

ROOT = Path(__file__).parents[2]
DRAWN = ROOT / "docs" / "wiring"
PINS = read_pins()
PARTS = read_parts()
TABLES: list[TableName] = ["credits", "chips"]


# --- pins ----------------------------------------------------------------------------------------------------


def test_the_pin_table_can_be_built() -> None:
    assert problems(PINS) == []


@pytest.mark.parametrize(("table", "seats", "acceptor"), [("credits", 7, "button"), ("chips", 6, "chip")])
def test_each_seat_has_an_acceptor_a_lamp_and_its_sense(table: TableName, seats: int, acceptor: str) -> None:
    lines = PINS.of(table)
    for name in (acceptor, "lamp", "sense"):
        assert [line.seat for line in lines if line.name == name] == list(range(1, seats + 1))
    assert {line.name for line in lines if not line.seat} == {
        "key_open", "key_locked", "loop_out", "loop_in", "expander_int", "meter",
        "dealer_keys.up", "dealer_keys.down", "dealer_keys.ok", "dealer_keys.back",
    }  # fmt: skip


@pytest.mark.parametrize("table", TABLES)
def test_no_line_is_used_twice_or_reserved(table: TableName) -> None:
    places = [line.at for line in PINS.of(table)]
    assert len(places) == len(set(places))
    assert not set(places) & set(PINS.reserved)


def test_the_header_is_that_of_a_40_pin_board() -> None:
    assert sorted(GPIO_AT) == list(range(28))
    power = {1, 2, 4, 6, 9, 14, 17, 20, 25, 30, 34, 39}
    assert sorted(GPIO_AT.values()) == sorted(set(range(1, 41)) - power)
    assert sorted(EXPANDER_PINS.values()) == [*range(1, 9), *range(21, 29)]
    assert {board.name for board in PINS.boards} == {"Pi 3B+", "Pi 4B", "Pi 5", "Zero 2 W"}


def test_buses_and_the_eeprom_are_reserved() -> None:
    eeprom, i2c, spi, uart = {0, 1}, {2, 3}, {7, 8, 9, 10, 11}, {14, 15}
    assert {f"GPIO{number}" for number in eeprom | i2c | spi | uart} <= set(PINS.reserved)
    used = {line.at for table in TABLES for line in PINS.of(table) if line.on_header}
    assert used | set(PINS.reserved) == {f"GPIO{number}" for number in range(28)}, "none is left over"


def test_a_cut_wire_never_makes_a_bet() -> None:
    """Every input is pulled up, so a cut wire is high: no key is open, no button pressed; a slot sees a jam."""
    for table in TABLES:
        for line in PINS.of(table):
            if line.way == "in" and line.plug != "board":
                assert line.pull == "up"
                assert line.active == ("high" if line.name == "chip" else "low")


def _with(changed: Line, instead: Line) -> Pins:
    lines = replace(
        PINS.lines,
        table=[instead if line is changed else line for line in PINS.lines.table],
        seat=[instead if line is changed else line for line in PINS.lines.seat],
    )
    return replace(PINS, lines=lines)


@pytest.mark.parametrize(
    ("at", "said"),
    [
        ("GPIO2", "reserved for SDA of I2C1"),
        ("GPIO27", "line GPIO27 is used twice"),
        ("GPIO28", "has no such line on its header"),
        ("x16", "has no such line"),
        ("x7", "may only be an output"),
        ("x6", "must be on the header"),
    ],
)
def test_a_wrong_line_is_named(at: str, said: str) -> None:
    button = PINS.line("button", "credits", 1)
    found = problems(_with(button, replace(button, at=at)))
    assert any(said in problem for problem in found), found


def test_an_output_may_not_be_pulled_up_while_the_pi_starts() -> None:
    meter = PINS.line("meter", "credits")
    assert any("while the Pi starts" in problem for problem in problems(_with(meter, replace(meter, at="GPIO5"))))


def test_unknown_fields_are_refused(tmp_path: Path) -> None:
    wrong = tmp_path / "pins.toml"
    wrong.write_text((ROOT / "wiring/pins.toml").read_text().replace('pull = "up",', 'pul = "up",', 1))
    with pytest.raises(msgspec.ValidationError, match="pul"):
        read_pins(wrong)


# --- what is made from it ------------------------------------------------------------------------------------


def test_everything_that_is_made_is_up_to_date() -> None:
    stale = [str(place) for place, text in texts(PINS, PARTS).items() if (ROOT / place).read_text() != text]
    assert not stale, f"run `make wiring`: {', '.join(stale)}"


def test_harness_pictures_show_what_they_should() -> None:
    stale = [str(place) for place, mark in marks(PINS, PARTS).items() if mark_of((ROOT / place).read_text()) != mark]
    assert not stale, f"run `make wiring`: {', '.join(stale)}"


def _words(picture: str) -> list[str]:
    return sorted(
        "".join(element.itertext()) for element in ET.fromstring(picture).iter("{http://www.w3.org/2000/svg}text")
    )


@pytest.mark.skipif(shutil.which("dot") is None, reason="Graphviz is not installed: apt install graphviz")
def test_drawing_a_harness_again_gives_the_same_words() -> None:
    """Not the same bytes: Graphviz' versions place things differently."""
    for name, drawing in drawings(PINS, PARTS).items():
        assert _words(svg(drawing)) == _words((DRAWN / f"{name}.svg").read_text())


def test_drawing_a_schematic_twice_gives_the_same_bytes() -> None:
    for sheet in SHEETS.values():
        assert sheet(PARTS, PINS).svg() == sheet(PARTS, PINS).svg()


def test_no_other_picture_or_page_lies_about() -> None:
    made = {place.name for place in [*texts(PINS, PARTS), *marks(PINS, PARTS)]}
    assert {path.name for path in DRAWN.iterdir()} <= made


def test_the_page_shows_every_picture_and_leads_to_every_page() -> None:
    page = (ROOT / "docs/wiring.md").read_text()
    assert [path.name for path in DRAWN.iterdir() if f"(wiring/{path.name})" not in page] == []
    for target in re.findall(r"\]\(([^)#]+)\)", page):
        assert (ROOT / "docs" / target).exists(), target


def test_every_test_point_of_the_checklists_is_drawn() -> None:
    drawn = set(re.findall(r"TP\d+", "".join(path.read_text() for path in DRAWN.glob("schematic-*.svg"))))
    for language in ("es", "en"):
        named = set(re.findall(r"TP\d+", (DRAWN / f"bring-up.{language}.md").read_text()))
        assert named <= drawn, named - drawn


def test_the_checklists_say_the_same_in_both_languages() -> None:
    spanish, english = ((ROOT / f"wiring/texts/bring-up.{language}.md").read_text() for language in ("es", "en"))

    def shape(text: str) -> list[tuple[int, list[str]]]:
        rows = [line for line in text.splitlines() if line.startswith("|")]
        return [(row.count("|"), sorted(re.findall(r"\$\w+", row))) for row in rows]

    assert shape(spanish) == shape(english)
    assert spanish.count("\n#") == english.count("\n#")


def _rows(section: dict[str, object], prefix: str = "") -> Iterator[tuple[str, str]]:
    for key, value in section.items():
        if isinstance(value, dict):
            yield from _rows(value, f"{prefix}{key}.")
        elif isinstance(value, list):
            for number, entry in enumerate(value, 1):
                yield from _rows(entry, f"{prefix}{key}[{number}].")
        else:
            yield f"{prefix}{key}", str(value)


@pytest.mark.parametrize("table", TABLES)
def test_the_example_configuration_is_the_pin_table(table: TableName) -> None:
    text = (ROOT / "wiring" / PINS.tables[table].file).read_text()
    assert text == hal_section(PINS, table)
    read = tomllib.loads(text)["hal"]
    displays = [msgspec.convert(display, Display) for display in read.pop("displays")]
    assert displays == PINS.displays
    assert read.pop("expander_bus") == 1
    hal = dict(_rows(read))
    assert (hal.pop("backend"), hal.pop("factory"), hal.pop("expander")) == ("gpio", "lgpio", "mcp23017")
    assert hal == {
        f"seats[{line.seat}].{line.name}" if line.seat else line.name: line.at
        for line in PINS.of(table)
        if line.name != "expander_int"
    }


def test_each_display_hangs_where_the_pin_table_has_its_bus_and_none_where_the_expander_is() -> None:
    kept = " ".join(PINS.reserved.values())
    for display in PINS.displays:
        if display.bus.startswith("i2c-"):
            assert f"SDA of I2C{display.bus[4:]}" in kept
            assert display.bus[4:] != PINS.expander.bus.removeprefix("I2C")
        else:
            port, device = display.bus.removeprefix("spidev").split(".")
            assert f"CE{device} of SPI{port}: {'public meter' if display.shows == 'meter' else 'seats'}" in kept


@pytest.mark.parametrize("table", TABLES)
def test_the_gpio_backend_finds_no_conflict_in_it(table: TableName) -> None:
    gpio = pytest.importorskip("hal.gpio.wiring", reason="hal.gpio is not part of this tree")

    def pin(name: str, seat: int = 0) -> object:
        line = PINS.line(name, table, seat)
        return gpio.Pin("header" if line.on_header else "expander", line.number)

    seats = tuple(
        gpio.SeatPins(lamp=pin("lamp", seat), sense=pin("sense", seat), button=pin("button", seat))
        if table == "credits"
        else gpio.SeatPins(lamp=pin("lamp", seat), sense=pin("sense", seat), chips=((1000, pin("chip", seat)),))
        for seat in range(1, PINS.tables[table].seats + 1)
    )
    keys = [line.name for line in PINS.of(table) if line.name.startswith("dealer_keys.")]
    wired = gpio.Wiring(
        key_open=pin("key_open"), key_locked=pin("key_locked"), loop_out=pin("loop_out"), loop_in=pin("loop_in"),
        seats=seats, meter=pin("meter"), dealer_keys=tuple((name.partition(".")[2], pin(name)) for name in keys),
    )  # fmt: skip
    taken = {int(at.removeprefix("GPIO")): what for at, what in PINS.reserved.items()}
    interrupt = PINS.line("expander_int", table)
    hardware = gpio.Hardware(factory="lgpio", wiring=wired, expander=PINS.expander.label)
    assert gpio.conflicts(hardware, {**taken, interrupt.number: interrupt.name}) == []
    ours = {f"seats[{line.seat}].{line.name}" if line.seat else line.name: line.at for line in PINS.of(table)}
    del ours["expander_int"]
    assert {use.key: str(use.pin) for use in gpio.uses(wired)} == ours


def test_the_boot_lines_name_the_expander_and_a_second_bus() -> None:
    lines = boot_lines(PINS).splitlines()
    assert "dtoverlay=mcp23017,addr=0x20,gpiopin=4" in lines
    assert "dtoverlay=i2c-gpio,bus=3,i2c_gpio_sda=18,i2c_gpio_scl=19" in lines


def test_the_bill_counts_what_a_table_needs() -> None:
    rows = list(csv.DictReader(io.StringIO((DRAWN / "parts.csv").read_text())))
    counts = {row["reference"]: (int(row["credits table, 7 seats"]), int(row["chips table, 6 seats"])) for row in rows}
    some = [counts[reference] for reference in ("Q10", "SW10", "B1", "A4", "A1")]
    assert some == [(7, 6), (7, 0), (0, 6), (7, 6), (1, 1)]
    assert len(rows) == len(PARTS)
    for part in PARTS.values():
        assert quantity(part, "credits", 7) + quantity(part, "chips", 6) > 0
    contacts = [line for line in PINS.of("credits") if line.name.startswith(("key_", "dealer_keys"))]
    assert PARTS["contact_pullup"].quantity == PARTS["contact_esd"].quantity == len(contacts)


# --- what the circuits promise ---------------------------------------------------------------------------------


@pytest.mark.parametrize("claim", circuits.claims(PARTS), ids=lambda claim: f"{claim.circuit}: {claim.what}")
def test_a_circuit_keeps_its_promise(claim: circuits.Claim) -> None:
    assert claim.span.low <= claim.span.nominal <= claim.span.high
    assert claim.holds, f"{claim.span} is not within {claim.at_least} and {claim.at_most}: {claim.why}"


@pytest.mark.parametrize(
    ("part", "change", "broken"),
    [
        ("lamp_series", {"value": 120.0}, "lamp: current, lit"),
        ("lamp_series", {"rating": 1.0}, "lamp: power of R10, lamp shorted for ever"),
        ("lamp_pulldown", {"value": 100e3}, "lamp: gate, expander in reset"),
        ("window_bottom", {"value": 15e3}, "sense: lower threshold"),
        ("window_top", {"value": 2e3}, "sense: upper threshold"),
        ("sense_amplifier", {"value": 100.0}, "sense: lit lamp"),
        ("contact_capacitor", {"value": 1e-6}, "contact: seen after it broke"),
        ("contact_series", {"value": 4.7e3}, "contact: closed, 100 Ω, at the expander"),
        ("slot_sensor", {"value": 10.0}, "slot: sensor, at that voltage"),
        ("slot_pullup", {"value": 2.2e3}, "slot: sinks, at the last voltage at which a Pi runs"),
        ("held_fuse", {"rating": 2.0}, "supply: current of Pi, lamps and sensors"),
        ("main_fuse", {"rating": 10.0}, "supply: F1 against what PS1 gives"),
        ("tvs", {"value": 29.0}, "supply: D1 clamps at"),
        ("meter_led", {"value": 1.5e3}, "meter: diode of U50"),
    ],
)
def test_a_wrong_part_breaks_a_promise(part: str, change: dict[str, float], broken: str) -> None:
    """The promises can fail: each of these is a mistake that somebody makes."""
    changed = {**PARTS, part: msgspec.structs.replace(PARTS[part], **change)}
    assert broken in [f"{claim.circuit}: {claim.what}" for claim in circuits.claims(changed) if not claim.holds]


def test_the_sense_reads_as_the_rules_need_it() -> None:
    """2.6: open and shorted are both dark; only a lamp that lights reads lit."""
    read = {state: circuits.reading(PARTS, amperes) for state, amperes in circuits.lamp_currents(PARTS).items()}
    assert read == {"open": "dark", "lit": "lit", "one LED shorted": "either", "shorted": "dark"}


def _ends(*spans: tuple[float, float]) -> Iterator[tuple[float, ...]]:
    return itertools.product(*spans)


def test_the_sense_again_corner_by_corner() -> None:
    """Without interval arithmetic: every combination of extremes, by Ohm's law."""
    lamp = (11.4, 12.6), (0.3, 0.55), (5.6, 7.0), (178.2, 181.8), (0.99, 1.01)
    for volts, diode, forward, ohms, shunt, gain, offset, rail in _ends(
        *lamp, (49.5, 50.5), (-0.5e-3, 0.5e-3), (3.135, 3.465)
    ):
        lit = (volts - diode - forward) / (ohms + shunt + 0.048)
        shorted = (volts - diode) / (ohms + shunt + 0.048)
        assert 0.015 < lit < 0.040
        assert shorted**2 * ohms < 1.0
        for top, middle, bottom, error in _ends((9009, 9191), (17820, 18180), (6138, 6262), (-7e-3, 7e-3)):
            total = top + middle + bottom
            lower, upper = rail * bottom / total + error, rail * (bottom + middle) / total + error
            sees_lit, sees_short = gain * (lit * shunt + offset), min(gain * (shorted * shunt + offset), rail - 0.05)
            assert gain * offset < lower < sees_lit < upper < sees_short


def test_contacts_again_corner_by_corner() -> None:
    """2.8: what the circuit adds to an edge, against what a millisecond is."""
    for pull, series, farads, rail in _ends((2178, 2222), (2178, 2222), (42.3e-9, 51.7e-9), (3.135, 3.465)):
        made = series * farads * log(rail / 0.8)
        broke = (pull + series) * farads * -log(1 - 2.0 / rail)
        fastest, slowest = circuits.contact_times(PARTS)
        assert fastest.low <= made <= fastest.high
        assert slowest.low <= broke <= slowest.high
        assert rail * 100 / (100 + pull) + rail / 33e3 * (series + 100) < 0.8
        assert max(made, broke) < Timing().settle / MS / 1e3 / 5


def test_the_supply_again_by_hand() -> None:
    usable = 0.5 * 2 * 2200e-6 * 0.8 * (10.85**2 - 7.0**2)
    assert circuits.hold_up(PARTS).low == pytest.approx(usable / circuits.held_watts(PARTS).high)
    assert circuits.farads_for(PARTS, 0.1) == pytest.approx(0.07, rel=0.05)


def test_a_chip_fits_the_width_window_after_the_optocoupler() -> None:
    delay = next(claim.span for claim in circuits.claims(PARTS) if claim.what == "pulse lengthened or shortened by")
    timing = Timing()
    assert 22e-3 - delay.high > timing.shortest_pulse / MS / 1e3
    assert 55e-3 + delay.high < timing.longest_pulse / MS / 1e3


def test_spans_are_never_too_narrow() -> None:
    a, b = within(10.0, 0.1), Span(-2.0, 1.0, 4.0)
    for x, y in itertools.product((a.low, a.nominal, a.high), (b.low, b.nominal, b.high)):
        assert a.plus(b).low <= x + y <= a.plus(b).high
        assert a.minus(b).low <= x - y <= a.minus(b).high
        assert a.times(b).low <= x * y <= a.times(b).high
        assert b.over(a).low <= y / x <= b.over(a).high
    with pytest.raises(ValueError, match="contains zero"):
        a.over(b)
    assert exactly(3.0).atop(exactly(1.0)) == exactly(0.25)


@pytest.mark.parametrize(
    ("value", "unit", "said"),
    [
        (0.0292, "A", "29.2 mA"),
        (2.2, "A", "2.2 A"),
        (106e-9, "s", "106 ns"),
        (0.0, "V", "0 V"),
        (-120e-6, "s", "-120 µs"),
        (0.9999, "V", "1 V"),
    ],
)
def test_figures_are_as_a_technician_reads_them(value: float, unit: str, said: str) -> None:
    assert figure(value, unit) == said


def test_every_part_on_a_drawing_is_on_the_bill() -> None:
    known = {name for part in PARTS.values() for name in re.findall(r"[A-Z]+\d+", _spelled_out(part))}
    for path in DRAWN.glob("schematic-*.svg"):
        words = re.sub(r"<[^>]+>", " ", path.read_text())
        drawn = set(re.findall(r"\b(?:[RCDQUF]|SW)\d+", words))
        assert drawn <= known, f"{path.name}: {drawn - known}"


def _spelled_out(part: Part) -> str:
    """ "SW2 to SW5" has SW3 too."""
    first, _, last = part.ref.partition(" to ")
    if not last:
        return part.ref
    letters = first.rstrip("0123456789")
    return " ".join(f"{letters}{number}" for number in range(int(first[len(letters) :]), int(last[len(letters) :]) + 1))


def test_nothing_here_is_needed_to_run_a_table() -> None:
    for room in ("controller", "hal", "firmware"):
        for path in (ROOT / room).rglob("*.py"):
            assert not re.search(r"^\s*(from|import) wiring\b", path.read_text(), re.MULTILINE), path
