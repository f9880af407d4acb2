"""The circuits, as schemdraw draws them. Every value on them is that of the parts list."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from itertools import pairwise
from typing import Any

from wiring.data import Part, Pins

schemdraw: Any = import_module("schemdraw")  # half of it has types, which is worse than none
elm: Any = import_module("schemdraw.elements")

Point = tuple[float, float]
Drawing = Any
"""A schemdraw.Drawing, which has types only in part."""


class Sheet:
    """A drawing on which everything is placed by its coordinates, x to the right, y up."""

    def __init__(self, parts: Mapping[str, Part]) -> None:
        schemdraw.use("svg")
        self.parts = parts
        self.drawing: Drawing = schemdraw.Drawing(show=False)
        self.drawing.config(unit=2.0, fontsize=11, lw=1.4, bgcolor="white", margin=1.2)

    def label(self, name: str) -> str:
        """Reference and value of a part, as it stands on the drawing."""
        part = self.parts[name]
        return f"{part.ref}\n{part.label}"

    def part(self, element: Any, name: str, start: Point, end: Point, side: str = "top", **more: Any) -> Any:
        """A two-ended part of the parts list from `start` to `end`."""
        return self.drawing.add(element.endpoints(start, end).label(self.label(name), loc=side, **more))

    def wire(self, *points: Point) -> None:
        """A line along `points`."""
        for start, end in pairwise(points):
            self.drawing.add(elm.Line().endpoints(start, end))

    def dot(self, *points: Point) -> None:
        """Where wires are joined."""
        for point in points:
            self.drawing.add(elm.Dot().at(point))

    def ground(self, *points: Point) -> None:
        """0 V."""
        for point in points:
            self.drawing.add(elm.Ground().theta(0).at(point))

    def rail(self, text: str, *points: Point) -> None:
        """A supply."""
        for point in points:
            self.drawing.add(elm.Vdd().theta(0).at(point).label(text))

    def plug(self, text: str, point: Point, side: str = "left") -> None:
        """A contact of a plug, or a line of a chip."""
        self.drawing.add(elm.Dot(open=True).at(point))
        offset = {"left": (-0.2, 0.0), "right": (0.2, 0.0), "top": (0.0, 0.25), "bottom": (0.0, -0.3)}[side]
        align = {
            "left": ("right", "center"),
            "right": ("left", "center"),
            "top": ("center", "bottom"),
            "bottom": ("center", "top"),
        }
        self.text(text, (point[0] + offset[0], point[1] + offset[1]), align=align[side])

    def text(self, text: str, point: Point, align: tuple[str, str] = ("center", "center"), size: float = 11) -> None:
        """Words."""
        self.drawing.add(elm.Label().theta(0).at(point).label(text, halign=align[0], valign=align[1], fontsize=size))

    def test_point(self, name: str, point: Point, side: str = "top") -> None:
        """Where a meter's tip goes."""
        self.drawing.add(elm.Dot(radius=0.11).at(point).color("#c00000"))
        across, up = {"top": (0.0, 0.3), "bottom": (0.0, -0.5), "left": (-0.25, 0.0), "right": (0.25, 0.0)}[side]
        self.drawing.add(
            elm.Label().theta(0).at((point[0] + across, point[1] + up)).label(name, color="#c00000", fontsize=11)
        )  # fmt: skip

    def box(self, low: Point, high: Point, text: str) -> None:
        """A frame with words in its middle."""
        self.wire(low, (high[0], low[1]), high, (low[0], high[1]), low)
        self.text(text, ((low[0] + high[0]) / 2, (low[1] + high[1]) / 2))

    def svg(self) -> str:
        """The picture."""
        data: bytes = self.drawing.get_imagedata("svg")
        return data.decode()


def power(parts: Mapping[str, Part], pins: Pins) -> Sheet:
    """12 V in; what is held behind the diode, and what is not."""
    s = Sheet(parts)
    s.plug("JP1.1\n+12 V", (0, 6))
    s.plug("JP1.2\n0 V", (0, 2))
    s.part(elm.Fuse(), "main_fuse", (0, 6), (3, 6))
    s.wire((3, 6), (6, 6))
    s.part(elm.Zener(), "tvs", (4, 2), (4, 6), side="bottom", ofst=0.2)
    s.dot((4, 6), (4, 2))
    s.wire((0, 2), (5, 2))
    s.drawing.add(elm.Ground().theta(0).at((5, 2)))
    s.test_point("TP0", (5, 2))
    s.text("star point: every 0 V\nmeets here, and only here", (5, 0.9), ("center", "top"), 10)
    s.dot((6, 6))
    s.test_point("TP1", (6, 6))
    # Held.
    s.part(elm.Fuse(), "held_fuse", (6, 6), (9, 6))
    s.part(elm.Schottky(), "hold_diode", (9, 6), (12, 6))
    s.part(elm.Capacitor(polar=True), "hold_capacitor", (13, 6), (13, 3.4), side="bottom", ofst=0.2)
    s.ground((13, 3.4))
    s.wire((12, 6), (17, 6))
    s.dot((13, 6), (15.6, 6), (15.6, 8))
    s.test_point("TP2", (12.2, 6))
    s.wire((15.6, 6), (15.6, 8), (17, 8))
    s.wire((15.6, 8), (15.6, 9), (17, 9))
    s.plug("12 V held: lamps, U10", (17, 9), "right")
    s.plug("12 V held: slots, through F10 each", (17, 8), "right")
    s.box((17, 5.3), (19.6, 6.7), s.label("pi_converter"))
    s.wire((19.6, 6), (21, 6))
    s.test_point("TP3", (20.4, 6))
    s.plug("Pi, USB-C or header 2 and 4", (21, 6), "right")
    # Displays.
    s.wire((6, 6), (6, 4))
    s.part(elm.Fuse(), "display_fuse", (6, 4), (9, 4), side="bottom")
    s.wire((9, 4), (9.6, 4), (9.6, 2), (17, 2))
    s.box((17, 1.3), (19.6, 2.7), s.label("display_converter"))
    s.wire((19.6, 2), (21, 2))
    s.test_point("TP4", (20.4, 2))
    s.plug("displays: U60, U61, JV1, JM1, U50", (21, 2), "right")
    return s


def lamp(parts: Mapping[str, Part], pins: Pins) -> Sheet:
    """One seat's lamp with its driver and its sense."""
    s = Sheet(parts)
    line, sense = pins.line("lamp", "credits", 1), pins.line("sense", "credits", 1)
    # Driver.
    s.plug(f"{line.port} ({line.at})\nof U3", (0, 1))
    s.part(elm.Resistor(), "lamp_gate", (0, 1), (2.6, 1))
    s.wire((2.6, 1), (4, 1))
    s.test_point("TP13", (2.6, 1))
    s.part(elm.Resistor(), "lamp_pulldown", (3.2, 1), (3.2, -1.6), side="top")
    s.dot((3.2, 1))
    s.ground((3.2, -1.6))
    q = s.drawing.add(elm.AnalogNFet().theta(0).reverse().anchor("gate").at((4, 1)))
    s.text(s.label("lamp_transistor"), (q.drain[0] + 0.35, 1.0), ("left", "center"))
    s.ground(tuple(q.source))
    x = q.drain[0]
    s.wire(tuple(q.drain), (x, 3), (9, 3))
    s.test_point("TP12", (x + 1.6, 3))
    s.plug("JS1.2 lamp −", (9, 3), "right")
    # Feed.
    s.rail("12 V held", (1, 8.6))
    s.wire((1, 8.6), (1, 8))
    s.part(elm.Resistor(), "shunt", (1, 8), (4, 8))
    s.wire((4, 8), (5.6, 8))
    s.part(elm.Resistor(), "lamp_series", (5.6, 8), (8, 8))
    s.wire((8, 8), (9, 8))
    s.test_point("TP11", (8.5, 8))
    s.plug("JS1.1 lamp +", (9, 8), "right")
    s.drawing.add(elm.LED().endpoints((12.2, 8), (12.2, 5.5)))
    s.drawing.add(elm.LED().endpoints((12.2, 5.5), (12.2, 3)))
    s.text("lamp\n5.6 to 7.0 V", (13.2, 5.5), ("left", "center"))
    s.drawing.add(elm.Line().endpoints((11.5, 8), (12.2, 8)).linestyle("--"))
    s.drawing.add(elm.Line().endpoints((11.5, 3), (12.2, 3)).linestyle("--"))
    # Amplifier across the shunt.
    s.dot((1, 8), (4.6, 8))
    s.wire((1, 8), (1, 6.4))
    s.wire((4.6, 8), (4.6, 6.4))
    s.box((0.4, 4.4), (5.2, 6.4), "U10  INA180A2\n50 V/V, at 3.3 V")
    s.text("IN+", (1.0, 6.1), size=9)
    s.text("IN−", (4.6, 6.1), size=9)
    # Down to the second row.
    s.wire((0.4, 5.5), (-3, 5.5), (-3, -5), (0, -5))
    s.text("OUT", (0.8, 5.5), size=9)
    s.part(elm.Resistor(), "sense_filter", (0, -5), (2.6, -5))
    s.wire((2.6, -5), (5, -5))
    s.test_point("TP14", (3.2, -5))
    s.part(elm.Capacitor(), "sense_capacitor", (4, -5), (4, -7.2), side="top")
    s.dot((4, -5), (5, -5))
    s.ground((4, -7.2))
    high = s.drawing.add(elm.Opamp(leads=False).theta(0).anchor("in1").at((7.5, -3.6)))
    low = s.drawing.add(elm.Opamp(leads=False).theta(0).anchor("in1").at((7.5, -7.0)))
    for amp in (high, low):
        s.wire(tuple(amp.out), (amp.out[0] + 0.5, amp.out[1]))
    # in1 is −, in2 is +: the upper one compares threshold (+) with signal (−), the lower one the other way.
    s.wire((5, -5), (5, high.in1[1]), tuple(high.in1))
    s.wire((5, -5), (5, low.in2[1]), tuple(low.in2))
    s.wire((6.6, high.in2[1]), tuple(high.in2))
    s.plug("VH", (6.6, high.in2[1]))
    s.wire((6.6, low.in1[1]), tuple(low.in1))
    s.plug("VL", (6.6, low.in1[1]))
    s.text("U11a", (high.center[0] - 0.15, high.center[1]), size=9)
    s.text("U11b", (low.center[0] - 0.15, low.center[1]), size=9)
    out = high.out[0] + 0.5
    middle = (high.out[1] + low.out[1]) / 2
    s.wire((out, high.out[1]), (out, low.out[1]))
    s.wire((out, middle), (out + 2.2, middle))
    s.dot((out, middle), (out + 1, middle))
    s.part(elm.Resistor(), "window_pullup", (out + 1, middle), (out + 1, middle + 2.4), side="bottom")
    s.rail("3.3 V", (out + 1, middle + 2.4))
    s.text(
        "U11  MCP6547\nopen drains joined:\nhigh only within the window",
        (out + 0.4, low.out[1] - 0.2),
        ("left", "top"),
        9,
    )
    q2 = s.drawing.add(elm.AnalogNFet().theta(0).reverse().anchor("gate").at((out + 2.2, middle)))
    s.text(s.label("sense_inverter"), (q2.drain[0] + 0.35, middle), ("left", "center"))
    s.ground(tuple(q2.source))
    top = q2.drain[1]
    s.wire(tuple(q2.drain), (q2.drain[0], top + 0.3), (q2.drain[0] + 4.2, top + 0.3))
    s.dot((q2.drain[0] + 1.6, top + 0.3))
    s.part(
        elm.Resistor(), "sense_pullup", (q2.drain[0] + 1.6, top + 0.3), (q2.drain[0] + 1.6, top + 2.7), side="bottom"
    )
    s.rail("3.3 V", (q2.drain[0] + 1.6, top + 2.7))
    s.test_point("TP17", (q2.drain[0] + 3.2, top + 0.3))
    s.plug(f"{sense.port} ({sense.at})\nlow = lit", (q2.drain[0] + 4.2, top + 0.3), "right")
    # Thresholds, once a board.
    x0 = -0.4
    s.rail("3.3 V", (x0, -11.2))
    s.part(elm.Resistor(), "window_top", (x0, -11.2), (x0 + 2.8, -11.2))
    s.part(elm.Resistor(), "window_middle", (x0 + 3.2, -11.2), (x0 + 6, -11.2))
    s.part(elm.Resistor(), "window_bottom", (x0 + 6.4, -11.2), (x0 + 9.2, -11.2))
    s.wire((x0 + 2.8, -11.2), (x0 + 3.2, -11.2))
    s.wire((x0 + 6, -11.2), (x0 + 6.4, -11.2))
    s.ground((x0 + 9.2, -11.2))
    s.test_point("TP5 = VH", (x0 + 3, -11.2), "bottom")
    s.test_point("TP6 = VL", (x0 + 6.2, -11.2), "bottom")
    s.text("once for all seats", (x0 + 9.9, -11.2), ("left", "center"), 9)
    return s


def _contact(s: Sheet, y: float, plug: tuple[str, str], pin: str, contact: str, number: str, tp: str) -> None:
    """One contact to 0 V and its way to the input, at the height `y`."""
    s.drawing.add(elm.Switch().endpoints((-6.4, y), (-4, y)).label(contact, loc="top", ofst=0.15))
    s.wire((-6.4, y), (-6.4, y - 2.2), (-1.2, y - 2.2))
    s.drawing.add(elm.Line().endpoints((-4, y), (-1.2, y)).linestyle("--"))
    s.text("cable", (-2.6, y - 1.1), size=9)
    s.plug(plug[0], (-1.2, y), "top")
    s.plug(plug[1], (-1.2, y - 2.2), "bottom")
    s.ground((-0.2, y - 2.2))
    s.wire((-1.2, y - 2.2), (-0.2, y - 2.2))
    s.wire((-1.2, y), (3.6, y))
    s.dot((0.6, y), (2.4, y))
    s.drawing.add(elm.DiodeTVS().endpoints((0.6, y - 2.2), (0.6, y)).label(f"D31{number}", loc="bottom", ofst=0.15))
    s.ground((0.6, y - 2.2))
    s.drawing.add(
        elm.Resistor()
        .endpoints((2.4, y), (2.4, y + 2.2))
        .label(f"R30{number}\n{s.parts['contact_pullup'].label}", loc="top")
    )
    s.rail("3.3 V", (2.4, y + 2.2))
    s.drawing.add(elm.Resistor().endpoints((3.6, y), (6, y)).label(f"R31{number}\n{s.parts['contact_series'].label}"))
    s.wire((6, y), (10.4, y))
    s.dot((6.8, y), (8.6, y))
    s.drawing.add(elm.Schottky().endpoints((6.8, y), (6.8, y + 2.2)).label(f"D30{number}", loc="bottom", ofst=0.15))
    s.rail("3.3 V", (6.8, y + 2.2))
    s.drawing.add(elm.Schottky().endpoints((6.8, y - 2.2), (6.8, y)))
    s.ground((6.8, y - 2.2))
    s.drawing.add(
        elm.Capacitor()
        .endpoints((8.6, y), (8.6, y - 2.2))
        .label(f"C30{number}\n{s.parts['contact_capacitor'].label}", loc="bottom")
    )
    s.ground((8.6, y - 2.2))
    s.test_point(tp, (9.6, y))
    s.plug(pin, (10.4, y), "right")


def key(parts: Mapping[str, Part], pins: Pins) -> Sheet:
    """The lock key: two contacts, one made in each position."""
    s = Sheet(parts)
    for y, name, number, tp in ((0.0, "key_open", "a", "TP7"), (-6.4, "key_locked", "b", "TP8")):
        line = pins.line(name, "credits")
        plug, contact = line.plug.split(".")
        word = name.removeprefix("key_")
        _contact(
            s,
            y,
            (f"{plug}.{contact}", f"{plug}.{int(contact) + 1}"),
            f"{line.at}\npin {line.pin}",
            f"SW1, made when {word}",
            number,
            tp,
        )
    s.text(
        "D30 BAT54S, D31 PESD15VL1BA. Drawn in neither position:\n"
        "both lines high. A cut wire does the same, and counts as locked.",
        (2, -10.2),
        size=10,
    )
    return s


def button(parts: Mapping[str, Part], pins: Pins) -> Sheet:
    """A bet button; the dealer's keys are the same."""
    s = Sheet(parts)
    line = pins.line("button", "credits", 1)
    _contact(s, 0, ("JS1.3", "JS1.4"), f"{line.at}\npin {line.pin}", "SW10, pressed = made", "", "TP18")
    s.text("D30 BAT54S, D31 PESD15VL1BA. The dealer's keys, SW2 to SW5 at JT1, are the same.", (2, -3.8), size=10)
    return s


def slot(parts: Mapping[str, Part], pins: Pins) -> Sheet:
    """A chip slot: a beam that draws current while it is clear."""
    s = Sheet(parts)
    line = pins.line("chip", "chips", 1)
    s.rail("12 V held", (0, 5))
    s.part(elm.FuseIEC(), "slot_ptc", (0, 5), (0, 2.6), side="bottom")
    s.wire((0, 2.6), (0, 2), (-2.2, 2))
    s.dot((0, 2))
    s.plug("JS1.5  12 V", (-2.2, 2))
    s.wire((0, 2), (1, 2))
    s.part(elm.Resistor(), "slot_resistor", (1, 2), (3.6, 2))
    opto = s.drawing.add(elm.Optocoupler(box=True, boxpad=0.35).theta(0).anchor("anode").at((6, 2)))
    s.wire((3.6, 2), tuple(opto.anode))
    bottom = opto.cathode[1]
    s.wire(tuple(opto.cathode), (-2.2, bottom))
    s.part(elm.Diode(), "slot_diode", (4.8, bottom), (4.8, 2), ofst=0.1)
    s.dot((4.8, 2), (4.8, bottom))
    s.plug("JS1.3  OUT", (-2.2, bottom))
    s.test_point("TP19", (1.2, bottom))
    s.plug("JS1.4  0 V", (-2.2, bottom - 1.6))
    s.wire((-2.2, bottom - 1.6), (0, bottom - 1.6))
    s.ground((0, bottom - 1.6))
    s.text(s.label("slot_opto").replace("\n", "  "), ((opto.anode[0] + opto.collector[0]) / 2, 3.0), size=11)
    x = opto.collector[0]
    y = opto.collector[1]
    s.wire(tuple(opto.collector), (x + 1, y), (x + 1, 2), (x + 1.6, 2))
    s.dot((x + 1, 2))
    s.part(elm.Resistor(), "slot_pullup", (x + 1, 2), (x + 1, 4.4), side="bottom")
    s.rail("3.3 V", (x + 1, 4.4))
    s.part(elm.Resistor(), "slot_series", (x + 1.6, 2), (x + 4, 2))
    s.test_point("TP20", (x + 4.5, 2))
    s.wire((x + 4, 2), (x + 5.2, 2))
    s.plug(f"{line.at}\npin {line.pin}", (x + 5.2, 2), "right")
    s.wire(tuple(opto.emitter), (x + 1, opto.emitter[1]))
    s.ground((x + 1, opto.emitter[1]))
    s.text(
        "Beam clear: the sensor sinks, the line is low. A chip, a cut wire, a dead sensor: the line is high,\n"
        "and for more than 1.5 s that is a jammed slot, never a chip.",
        (3, bottom - 3.2), size=10,
    )  # fmt: skip
    return s


def meter(parts: Mapping[str, Part], pins: Pins) -> Sheet:
    """The pulse for an electromechanical counter, without a wire in common."""
    s = Sheet(parts)
    line = pins.line("meter", "credits")
    s.plug(f"{line.port} ({line.at})\nof U3", (0, 0))
    s.part(elm.Resistor(), "meter_gate", (0, 0), (2.6, 0))
    s.wire((2.6, 0), (4.2, 0))
    s.dot((3.2, 0))
    s.part(elm.Resistor(), "meter_pulldown", (3.2, 0), (3.2, -2.4), side="top")
    s.ground((3.2, -2.4))
    q = s.drawing.add(elm.AnalogNFet().theta(0).reverse().anchor("gate").at((4.2, 0)))
    s.text(s.label("meter_transistor"), (q.drain[0] + 0.35, -0.2), ("left", "center"))
    s.ground(tuple(q.source))
    x = q.drain[0]
    s.rail("5 V displays", (x, 5.6))
    s.part(elm.Resistor(), "meter_led", (x, 5.6), (x, 3.2), side="bottom")
    s.wire((x, 3.2), (x + 1.4, 3.2))
    s.wire(tuple(q.drain), (x, 1.8), (x + 1.4, 1.8))
    s.box((x + 1.4, 1.3), (x + 5, 3.7), s.label("meter_relay"))
    s.wire((x + 5, 3.2), (x + 7, 3.2))
    s.wire((x + 5, 1.8), (x + 7, 1.8))
    s.plug("JE1.1", (x + 7, 3.2), "bottom")
    s.plug("JE1.2", (x + 7, 1.8), "bottom")
    y = x + 9.2
    s.drawing.add(elm.Line().endpoints((x + 7, 3.2), (y, 3.2)).linestyle("--"))
    s.drawing.add(elm.Line().endpoints((x + 7, 1.8), (y, 1.8)).linestyle("--"))
    s.part(elm.Fuse(), "meter_fuse", (y, 3.2), (y + 2.2, 3.2))
    s.plug("24 V of the counter", (y + 2.2, 3.2), "right")
    s.wire((y, 1.8), (y, -1.6))
    s.drawing.add(elm.Inductor2().endpoints((y + 1.8, 1.8), (y + 1.8, -1)).label("counter", loc="bottom", ofst=0.2))
    s.part(elm.Diode(), "meter_diode", (y, -1), (y, 1.8))
    s.wire((y, 1.8), (y + 1.8, 1.8))
    s.wire((y, -1), (y + 1.8, -1))
    s.dot((y, 1.8), (y, -1))
    s.plug("0 V of the counter", (y, -1.6), "right")
    return s


def displays(parts: Mapping[str, Part], pins: Pins) -> Sheet:
    """From the Pi's 3.3 V to what a MAX7219 takes."""
    s = Sheet(parts)
    rows = (("MOSI", "data", 3, "GPIO10"), ("CE1", "select", 4, "GPIO7"), ("SCLK", "clock", 5, "GPIO11"))
    s.box((2, -4.6), (5.4, 1.2), "U60\n74AHCT125\nat 5 V\nOE to 0 V")
    for row, (line, name, contact, gpio) in enumerate(rows):
        y = -2.0 * row + 0.2
        s.plug(f"{gpio}\n{line}", (0, y))
        s.wire((0, y), (2, y))
        s.drawing.add(elm.Resistor().endpoints((5.4, y), (8, y)).label(s.label("buffer_series").replace("\n", "  ")))
        s.plug(f"JV1.{contact}  {name}", (9, y), "right")
        s.wire((8, y), (9, y))
    s.text(
        "JM1: the same with U61, and GPIO8 (CE0) in place of GPIO7.\n"
        "A MAX7219 takes 3.5 V for high: the Pi alone has 3.3 V.\n"
        "Each cable has its own buffer: one that is pinched darkens one display.",
        (5, -5.6), size=10,
    )  # fmt: skip
    return s


def oled(parts: Mapping[str, Part], pins: Pins) -> Sheet:
    """The dealer's OLED: a bus and a supply of its own."""
    s = Sheet(parts)
    s.plug("5 V displays", (0, 5))
    s.wire((0, 5), (2, 5))
    s.box((2, 4.2), (5.4, 5.8), s.label("oled_regulator"))
    s.wire((5.4, 5), (9, 5))
    s.test_point("TP9", (6.4, 5))
    s.plug("JT1.1  3.3 V of U62", (9, 5), "right")
    s.plug("JT1.2  0 V", (9, 3.6), "right")
    s.wire((8, 3.6), (9, 3.6))
    s.ground((8, 3.6))
    for y, wire, contact, number in ((0.0, "SDA", 3, "a"), (-4.4, "SCL", 4, "b")):
        at = next(at for at, what in pins.reserved.items() if what.startswith(f"{wire} of I2C3"))
        s.plug(f"{at}\n{wire}", (0, y))
        s.wire((0, y), (9, y))
        s.dot((2.4, y), (6, y))
        pull = f"R60{number}\n{parts['oled_pullup'].label}"
        s.drawing.add(elm.Resistor().endpoints((2.4, y), (2.4, y + 2.2)).label(pull, loc="bottom"))
        s.rail("3.3 V", (2.4, y + 2.2))
        s.drawing.add(elm.DiodeTVS().endpoints((6, y - 2), (6, y)).label(f"D60{number}", loc="bottom", ofst=0.15))
        s.ground((6, y - 2))
        s.plug(f"JT1.{contact}  {wire}", (9, y), "right")
    s.text(
        "D60 PRTR5V0U2X. The module hangs on U62, not on the Pi's 3.3 V:\n"
        "whatever happens to this cable, the Pi goes on.",
        (4.5, -8.0),
        size=10,
    )
    return s


SHEETS: dict[str, Callable[[Mapping[str, Part], Pins], Sheet]] = {
    "schematic-power": power,
    "schematic-lamp": lamp,
    "schematic-key": key,
    "schematic-button": button,
    "schematic-slot": slot,
    "schematic-meter": meter,
    "schematic-displays": displays,
    "schematic-oled": oled,
}
