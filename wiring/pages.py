"""Pages made from the data: pin tables, what the circuits promise, the bill of materials, the bring-up checklists."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Mapping
from math import inf
from pathlib import Path
from string import Template

from wiring.circuits import (
    Claim,
    claims,
    farads_for,
    gate,
    hold_up,
    lamp_currents,
    reading,
    sense_voltage,
    sense_window,
    supply,
)
from wiring.data import HERE, Line, Part, Pins, quantity
from wiring.spans import Span

MADE = "<!-- Made by `make wiring`: change wiring/, not this. -->"

_PREFIXES = ((1.0, ""), (1e-3, "m"), (1e-6, "µ"), (1e-9, "n"))


def figure(value: float, unit: str) -> str:
    """With three digits that mean something: 29.2 mA."""
    if value == 0:
        return f"0 {unit}"
    for scale, prefix in _PREFIXES:
        if abs(value) >= scale * 0.9995 or prefix == "n":
            scaled = value / scale
            digits = max(0, 2 - (len(str(int(abs(scaled)))) - 1 if abs(scaled) >= 1 else 0))
            text = f"{scaled:.{digits}f}"
            return f"{text.rstrip('0').rstrip('.') if '.' in text else text} {prefix}{unit}"
    raise AssertionError(value)


def _limits(claim: Claim) -> str:
    low, high = figure(claim.at_least, claim.unit), "" if claim.at_most == inf else figure(claim.at_most, claim.unit)
    if not high:
        return f"≥ {low}"
    return f"≤ {high}" if claim.at_least == 0 else f"{low} … {high}"


def values(pins: Pins, parts: dict[str, Part]) -> str:
    """Every promise of the circuits, with what the lamp's sense reads in each state."""
    out = [
        MADE,
        "",
        "# What the circuits promise",
        "",
        "Worst case at every tolerance: 12 V ± 5 %, 3.3 V ± 5 %, resistors ± 1 %, data sheet limits of the rest. A",
        "test holds each row. Why these circuits: [wiring.md](../wiring.md).",
    ]
    circuit = ""
    for claim in claims(parts):
        if claim.circuit != circuit:
            circuit = claim.circuit
            out += [
                "",
                f"## {circuit[0].upper()}{circuit[1:]}",
                "",
                "| what | least | nominal | most | must be | because |",
            ]
            out += ["| --- | ---: | ---: | ---: | ---: | --- |"]
        span = [figure(end, claim.unit) for end in claim.span]
        out.append(f"| {claim.what} | {' | '.join(span)} | {_limits(claim)} | {claim.why} |")
    lower, upper = sense_window(parts)
    out += [
        "",
        "## What the lamp's sense reads",
        "",
        f"Lit between VL = {figure(lower.nominal, 'V')} and VH = {figure(upper.nominal, 'V')} at TP14.",
        "",
        "| lamp, commanded on | current | TP14 | reads | then (rules 2.6) |",
        "| --- | ---: | ---: | --- | --- |",
    ]
    then = {
        "lit": "the bet is valid",
        "dark": "seat closes after 200 ms, bet returned",
        "either": "a dim lamp: seen by eye, not promised",
    }
    for state, amperes in lamp_currents(parts).items():
        read = reading(parts, amperes)
        out.append(
            f"| {state} | {_range(amperes, 'A')} | {_range(sense_voltage(parts, amperes), 'V')} "
            f"| {read} | {then[read]} |"
        )
    out += [
        "",
        "Commanded off, it reads dark. If it reads lit, its transistor is shorted or its wire touches 0 V: the lamp",
        "does light, and the seat closes.",
        "",
    ]
    return "\n".join(out)


def _range(span: Span, unit: str) -> str:
    return f"{figure(span.low, unit)} … {figure(span.high, unit)}"


def pin_page(pins: Pins) -> str:
    """Every line of both tables, and those that are nobody's."""
    head = [
        "| line | pin | on | way | pull | active | plug | wire |",
        "| --- | ---: | --- | --- | --- | --- | --- | --- |",
    ]
    out = [
        MADE,
        "",
        "# Pins",
        "",
        "`pin` is that of the 40-pin header, or of the MCP23017's DIP and SOIC packages.",
        "",
    ]
    for table, about in pins.tables.items():
        out += [f"## A table with {about.seats} seats that take {table}", "", *head]
        out += [_pin_row(line) for line in pins.of(table)]
        out.append("")
    out += ["## Reserved", "", "| line | pin | for |", "| --- | ---: | --- |"]
    for at, what in pins.reserved.items():
        line = Line("", "both", at, "in", "none", "low", "", "")
        out.append(f"| {at} | {line.pin} | {what} |")
    out += [
        "",
        f"The expander is an {pins.expander.chip} at 0x{pins.expander.address:02x} on {pins.expander.bus}, "
        "which no display shares.",
        "All 28 lines of the header have a use.",
        "",
    ]
    return "\n".join(out)


def _pin_row(line: Line) -> str:
    at = line.at if line.on_header else f"{line.at} = {line.port}"
    cells = line.title, line.pin, at, line.way, line.pull, line.active, line.plug, line.wire or "–"
    return f"| {' | '.join(map(str, cells))} |"


def bill(pins: Pins, parts: Mapping[str, Part]) -> str:
    """The bill of materials of both tables, as CSV: what a seat needs, and what a whole table does."""
    out = io.StringIO()
    rows = csv.writer(out, lineterminator="\n")
    about = {name: f"{name} table, {table.seats} seats" for name, table in pins.tables.items()}
    rows.writerow(["reference", "part", "value", "per", "quantity of it", *about.values()])
    for part in parts.values():
        counts = [quantity(part, name, table.seats) for name, table in pins.tables.items()]
        per = {"table": "table", "seat": "seat"}.get(part.per, f"{part.per} seat")
        rows.writerow([part.ref, part.what, part.label, per, part.quantity, *counts])
    return out.getvalue()


def _meter_reads(span: Span, decimal: str) -> str:
    """A range of volts for a hand-held meter: two decimals."""
    return f"{span.low:.2f} – {span.high:.2f} V".replace(".", decimal)


def checklist(pins: Pins, parts: dict[str, Part], language: str) -> str:
    """The bring-up checklist in ``es`` or ``en``, its figures filled in. Raises KeyError for one that is not there."""
    decimal = "," if language == "es" else "."
    nodes = supply(parts)
    lower, upper = sense_window(parts)
    current = lamp_currents(parts)
    tp14 = {state: sense_voltage(parts, amperes) for state, amperes in current.items()}
    milliamperes: Callable[[Span], str] = lambda span: f"{span.low * 1e3:.0f} – {span.high * 1e3:.0f} mA"  # noqa: E731
    figures = {
        "tp1": _meter_reads(nodes.mains, decimal),
        "tp2": _meter_reads(nodes.held, decimal),
        "tp3": _meter_reads(Span(4.85, 5.1, 5.25), decimal),
        "tp4": _meter_reads(Span(4.85, 5.0, 5.15), decimal),
        "oled": _meter_reads(Span(3.2, 3.3, 3.4), decimal),
        "rail": _meter_reads(Span(3.14, 3.3, 3.46), decimal),
        "vh": _meter_reads(upper, decimal),
        "vl": _meter_reads(lower, decimal),
        "gate": _meter_reads(gate(parts), decimal),
        "lit_ma": milliamperes(current["lit"]),
        "short_ma": milliamperes(current["shorted"]),
        "tp14_lit": _meter_reads(tp14["lit"], decimal),
        "tp14_open": _meter_reads(tp14["open"], decimal),
        "tp14_short": _meter_reads(tp14["shorted"], decimal),
        "shunt_ohms": parts["shunt"].label,
        "f1": parts["main_fuse"].label,
        "f2": parts["held_fuse"].label,
        "f3": parts["display_fuse"].label,
        "address": f"0x{pins.expander.address:02x}",
        "hold_up": f"{hold_up(parts).low * 1e3:.0f} ms",
        "farads": f"{farads_for(parts, 0.1) * 1e3:.0f} mF",
        "buttons": _lines(pins, "credits", "button"),
        "chips": _lines(pins, "chips", "chip"),
        "lamps": _lines(pins, "credits", "lamp"),
        "senses": _lines(pins, "credits", "sense"),
        **{line.name.replace(".", "_"): f"{line.at}, pin {line.pin}" for line in pins.lines.table},
    }
    text = (HERE / "texts" / f"bring-up.{language}.md").read_text()
    return f"{MADE}\n\n{Template(text).substitute(figures)}"


def _lines(pins: Pins, table: str, name: str) -> str:
    return ", ".join(line.at for line in pins.lines.seat if line.name == name and line.on in ("both", table))


def pages(pins: Pins, parts: dict[str, Part]) -> dict[Path, str]:
    """All of them, by their places in the repository."""
    docs = Path("docs/wiring")
    return {
        docs / "pins.md": pin_page(pins),
        docs / "values.md": values(pins, parts),
        docs / "parts.csv": bill(pins, parts),
        docs / "bring-up.es.md": checklist(pins, parts, "es"),
        docs / "bring-up.en.md": checklist(pins, parts, "en"),
    }
