"""The cables, as WireViz draws them. Colours and contacts of the table's own lines come from the pin table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import deepcopy
from typing import Any, NamedTuple

from wiring.data import Part, Pins, TableName

Drawing = dict[str, Any]
"""What WireViz reads, as from its YAML."""


class Core(NamedTuple):
    """One core of a cable: colour, the near plug's contact and its name, the far end's contacts and names."""

    colour: str
    near: str
    far: str


class End(NamedTuple):
    """A far end and the cores (counted from 1) that go to it."""

    name: str
    kind: str
    cores: Sequence[int]
    notes: str = ""


def _harness(near: str, near_kind: str, cable: str, cores: Sequence[Core], ends: Sequence[End], **more: Any) -> Drawing:
    """One plug, one cable, any number of ends. The shield is connected at the near end alone."""
    labels = [core.near for core in cores]
    shielded = bool(more.get("shield"))
    connectors: dict[str, Any] = {
        near: {
            "type": near_kind,
            "show_pincount": False,
            "pinlabels": labels + (["shield"] if shielded else []),
            "pins": [*range(1, len(cores) + 1), *(["s"] if shielded else [])],
            "notes": more.get("near_notes", ""),
        }
    }
    for end in ends:
        connectors[end.name] = {
            "type": end.kind,
            "show_pincount": False,
            "pinlabels": [cores[core - 1].far for core in end.cores],
        }
        if end.notes:
            connectors[end.name]["notes"] = end.notes
    drawn = {
        "type": more["cable_kind"],
        "gauge": more.get("gauge", "0.25 mm2"),
        "length": more["length"],
        "colors": [core.colour for core in cores],
        "shield": shielded,
        "notes": more.get("cable_notes", ""),
    }
    connections: list[list[dict[str, list[Any]]]] = [
        [
            {near: list(end.cores)},
            {cable: list(end.cores)},
            {end.name: list(range(1, len(end.cores) + 1))},
        ]
        for end in ends
    ]
    if shielded:
        connections.append([{near: ["s"]}, {cable: ["s"]}])
    return {
        "metadata": {"title": near},
        "options": {"fontname": "Helvetica", "color_mode": "SHORT", "mini_bom_mode": True},
        "connectors": connectors,
        "cables": {cable: drawn},
        "connections": connections,
    }


def _wire(pins: Pins, table: TableName, name: str, seat: int = 0) -> str:
    return pins.line(name, table, seat).wire


def seat(pins: Pins, parts: Mapping[str, Part], table: TableName) -> Drawing:
    """A seat's cable, drawn for seat 1: all seats are alike."""
    acceptor = {"credits": "button", "chips": "chip"}[table]
    cores = [
        Core(_wire(pins, table, "sense", 1), "lamp +", "+"),
        Core(_wire(pins, table, "lamp", 1), "lamp −", "−"),
        Core(_wire(pins, table, acceptor, 1), acceptor, "contact" if table == "credits" else "OUT, NPN"),
        Core("YE", "0 V", "contact" if table == "credits" else "0 V"),
        Core("PK", "12 V", "12 V"),
        Core("GY", "spare", ""),
    ]
    places = ", ".join(pins.line(name, table, 1).at for name in (acceptor, "lamp", "sense"))
    lamp = End("lamp", parts["lamp"].label, [1, 2], "no resistor within")
    button = End("bet button", "closer, gold", [3, 4])
    sensor = End("slot", parts["slot_sensor"].label, [3, 4, 5], "L joined to +: light-on.<br/>Beam clear: current")
    return _harness(
        "JS1", "Micro-Fit, 6 contacts", "W1", cores, [lamp, button if table == "credits" else sensor],
        cable_kind="LiYCY", length=4, shield=True,
        near_notes=f"controller, seat 1:<br/>{places}",
        cable_notes="label W1 at both ends,<br/>W2 … for the other seats"
        + ("<br/>contact 5 stays empty: no 12 V to a button" if table == "credits" else ""),
    )  # fmt: skip


def key(pins: Pins) -> Drawing:
    """The lock key's cable."""
    cores = [
        Core(_wire(pins, "credits", "key_open"), "open", "a"),
        Core("BN", "0 V of open", "b"),
        Core(_wire(pins, "credits", "key_locked"), "locked", "a"),
        Core("YE", "0 V of locked", "b"),
    ]
    ends = [End("contact open", "SW1, made when open", [1, 2]), End("contact locked", "SW1, made when locked", [3, 4])]
    return _harness(
        "JK1", "Micro-Fit, 4 contacts", "W10", cores, ends, cable_kind="LiYCY", length=2, shield=True,
        near_notes=f"controller: {pins.line('key_open', 'credits').at}, {pins.line('key_locked', 'credits').at}",
        cable_notes="a pair for each contact: a cut cable<br/>makes neither, which counts as locked",
    )  # fmt: skip


def terminal(pins: Pins) -> Drawing:
    """The dealer's terminal: OLED and four keys."""
    names = ("up", "down", "ok", "back")
    cores = [
        Core("RD", "3.3 V of U62", "VCC"), Core("BK", "0 V", "GND"),
        Core("GN", "SDA, I2C3", "SDA"), Core("YE", "SCL, I2C3", "SCL"),
        *(Core(_wire(pins, "credits", f"dealer_keys.{name}"), name, name) for name in names),
        Core("BN", "0 V of keys", "common"), Core("VT", "spare", ""),
    ]  # fmt: skip
    ends = [
        End("OLED", "I2C, 0x3C", [1, 2, 3, 4]),
        End("keys", "SW2 … SW5", [5, 6, 7, 8, 9]),
    ]
    places = ", ".join(pins.line(f"dealer_keys.{name}", "credits").at for name in names)
    return _harness(
        "JT1", "Micro-Fit, 10 contacts", "W11", cores, ends, cable_kind="LiYCY", length=1, shield=True,
        near_notes=f"controller: keys at<br/>{places}",
        cable_notes="1 m at most: I2C is made<br/>for a board, not for a hall",
    )  # fmt: skip


_CHAIN = (("RD", "5 V"), ("BK", "0 V"), ("WH", "data"), ("GN", "select"), ("YE", "clock"))


def counters(pins: Pins) -> Drawing:
    """The seats' counters: one module to the next, drawn for the first and the last of them."""
    labels_in, labels_out = ["5 V", "0 V", "DIN", "CS", "CLK"], ["5 V", "0 V", "DOUT", "CS", "CLK"]
    connectors: dict[str, Any] = {
        "JV1": {
            "type": "Micro-Fit, 6 contacts", "show_pincount": False, "pinlabels": [name for _, name in _CHAIN],
            "notes": "controller: SPI0 CE1<br/>through U60 and 47 Ω",
        }
    }  # fmt: skip
    cables: dict[str, Any] = {}
    connections: list[list[dict[str, list[int]]]] = []
    before, contacts = "JV1", [1, 2, 3, 4, 5]
    for place, name in enumerate(["seat 1", "last seat"], 1):
        last = name == "last seat"
        connectors[name] = {
            "type": "MAX7219, 8 digits", "show_pincount": False,
            "pinlabels": labels_in if last else labels_in + labels_out,
            "notes": "DOUT stays open" if last else "and so on, seat by seat",
        }  # fmt: skip
        cables[f"W12-{place}"] = {
            "type": "displays", "gauge": "0.75 mm2", "length": 0.6,
            "colors": [colour for colour, _ in _CHAIN],
            "notes": "data, select, clock: 0.25 mm²",
        }  # fmt: skip
        connections.append([{before: contacts}, {f"W12-{place}": [1, 2, 3, 4, 5]}, {name: [1, 2, 3, 4, 5]}])
        before, contacts = name, [6, 7, 8, 9, 10]
    return {
        "metadata": {"title": "counters"},
        "options": {"fontname": "Helvetica", "mini_bom_mode": True},
        "connectors": connectors,
        "cables": cables,
        "connections": connections,
    }


def sign(pins: Pins) -> Drawing:
    """The public meter."""
    cores = [
        Core(colour, name, {"data": "DIN", "select": "CS", "clock": "CLK"}.get(name, name)) for colour, name in _CHAIN
    ]
    return _harness(
        "JM1", "screw plug 5.08 mm", "W13", cores, [End("public meter", "MAX7219, 64×8", [1, 2, 3, 4, 5])],
        cable_kind="displays", gauge="0.75 mm2", length=3, shield=True,
        near_notes="controller: SPI0 CE0<br/>through U61 and 47 Ω",
        cable_notes="data, select, clock: 0.25 mm².<br/>Longer than 3 m: a sign with RS-485",
    )  # fmt: skip


def drawings(pins: Pins, parts: Mapping[str, Part]) -> dict[str, Drawing]:
    """All harnesses, by the names of their files."""
    return {
        "harness-seat-credits": seat(pins, parts, "credits"),
        "harness-seat-chips": seat(pins, parts, "chips"),
        "harness-key": key(pins),
        "harness-terminal": terminal(pins),
        "harness-counters": counters(pins),
        "harness-sign": sign(pins),
    }


def source(drawing: Drawing) -> str:
    """The drawing in Graphviz' language: the same on every machine, unlike the picture that Graphviz makes of it."""
    from wireviz.wireviz import parse

    harness = parse(deepcopy(drawing), return_types="harness")
    return str(harness.graph.source)


def svg(drawing: Drawing) -> str:
    """The picture. Raises graphviz.ExecutableNotFound where Graphviz is not installed."""
    from wireviz.wireviz import parse

    picture: str = parse(deepcopy(drawing), return_types="svg")
    return picture
