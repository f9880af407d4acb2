"""What the circuits do at the ends of every tolerance, and what each of them promises.

A *claim* is a quantity with the limit that it has to keep. They are printed in ``docs/wiring/values.md``, and
``tests/hal/test_wiring.py`` holds every one of them, with changed parts too. Volts, amperes and seconds are no money:
here are floats.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import inf, log
from typing import NamedTuple

from hal.debounce import MS, Timing
from wiring.data import Part
from wiring.spans import Span, exactly, within

Parts = dict[str, Part]


class Claim(NamedTuple):
    """`what` is `span`, in `unit`, and must be all within the limits. `why` says where the limits come from."""

    circuit: str
    what: str
    span: Span
    unit: str
    at_least: float
    at_most: float
    why: str

    @property
    def holds(self) -> bool:
        """Whether the whole span keeps the limits."""
        return self.at_least <= self.span.low and self.span.high <= self.at_most


# Of the boards and chips, from their data sheets.

RAIL = within(3.3, 0.05)
"""The Pi's 3.3 V, at the header."""
PI_LOW, PI_HIGH = 0.8, 2.0
"""What every board surely reads as low and high: the least favourable of the published figures, those of the BCM2711
(Compute Module 4 data sheet, 3.1) and RP1; the BCM2837 has 0.9 V and 1.6 V. Only a board can verify them."""
PI_PULL = Span(33e3, 50e3, 73e3)
"""A pull-up within the Pi (BCM2711: 33 kΩ to 73 kΩ)."""
PI_CURRENT = 8e-3
"""A line as it is set at power-on."""
EXPANDER_LOW, EXPANDER_HIGH = 0.2, 0.8
"""The MCP23017's thresholds, as fractions of its supply."""
EXPANDER_PULL = Span(0.0, 75e-6, 115e-6)
"""Current of its pull-up, or none; at 5 V, less at 3.3 V (DS20001952, D070)."""
EXPANDER_DROOP = 0.35
"""What its output loses at 0.75 mA: half as much again as the straight line to 0.7 V at 3 mA."""
GATE_THRESHOLD = Span(0.65, 1.05, 1.45)
"""Of the AO3400A, at 25 °C."""
GATE_SPECIFIED = 2.5
"""Volts of gate at which the AO3400A's resistance is guaranteed."""
AMPLIFIER_OFFSET = 0.5e-3
"""Of the INA180 at 12 V of common mode."""
AMPLIFIER_HEADROOM = 0.05
LED_PAIR = Span(5.6, 6.3, 7.0)
ONE_LED = Span(2.8, 3.15, 3.5)
OPTO_DROP = Span(1.0, 1.2, 1.3)
OPTO_AGED = 0.6 * 0.7 * 0.85
"""What is left of an optocoupler's current transfer: at 1 mA rather than 5, after 50 000 hours, at 60 °C."""
OPTO_DARK = 10e-6
SENSOR_DROP = Span(0.1, 0.4, 0.8)
PI_ALIVE_AT_LEAST = 4.63
"""Below this the Pi's supervisor resets it; 0.2 V more for the converter in full conduction, and nothing lower runs."""


class Supply(NamedTuple):
    """The two 12 V nodes: as it comes, and behind the diode that keeps what the capacitors hold."""

    mains: Span
    held: Span


def supply(parts: Parts) -> Supply:
    """Diode: 0.3 V at small currents to its value at the rated one."""
    mains = within(parts["psu"].value, parts["psu"].tolerance)
    return Supply(mains, mains.minus(Span(0.3, 0.42, parts["hold_diode"].value)))


def resistor(parts: Parts, name: str) -> Span:
    """With its tolerance."""
    return within(parts[name].value, parts[name].tolerance)


# Lamp and sense.


def lamp_currents(parts: Parts) -> dict[str, Span]:
    """Amperes through the lamp's resistor in each state of lamp and cable."""
    ohms = resistor(parts, "lamp_series").plus(resistor(parts, "shunt")).plus(exactly(parts["lamp_transistor"].value))
    held = supply(parts).held
    return {
        "open": Span(0.0, 0.0, 10e-6),
        "lit": held.minus(LED_PAIR).over(ohms),
        "one LED shorted": held.minus(ONE_LED).over(ohms),
        "shorted": held.over(ohms),
    }


def sense_voltage(parts: Parts, amperes: Span) -> Span:
    """Volts at the comparators for a lamp's current."""
    dropped = amperes.times(resistor(parts, "shunt")).plus(Span(-AMPLIFIER_OFFSET, 0.0, AMPLIFIER_OFFSET))
    volts = dropped.times(resistor(parts, "sense_amplifier"))
    ceiling = RAIL.minus(Span(0.0, 0.02, AMPLIFIER_HEADROOM))
    return Span(*(max(0.0, end) for end in volts)).at_most(ceiling)


def sense_window(parts: Parts) -> tuple[Span, Span]:
    """Volts between which the sense reads lit: the two taps, with the comparators' offset."""
    top, middle, bottom = (resistor(parts, f"window_{name}") for name in ("top", "middle", "bottom"))
    offset = Span(-parts["comparator"].value, 0.0, parts["comparator"].value)
    lower = RAIL.times(top.plus(middle).atop(bottom)).plus(offset)
    upper = RAIL.times(top.atop(middle.plus(bottom))).plus(offset)
    return lower, upper


def reading(parts: Parts, amperes: Span) -> str:
    """What the program reads: ``lit``, ``dark``, or ``either`` where tolerances decide."""
    volts = sense_voltage(parts, amperes)
    lower, upper = sense_window(parts)
    if volts.low > lower.high and volts.high < upper.low:
        return "lit"
    return "dark" if volts.high < lower.low or volts.low > upper.high else "either"


def gate(parts: Parts) -> Span:
    """Volts at a lamp's gate when it is commanded on."""
    fraction = resistor(parts, "lamp_gate").atop(resistor(parts, "lamp_pulldown"))
    return RAIL.minus(Span(0.0, 0.12, EXPANDER_DROOP)).times(fraction)


def _lamp(parts: Parts) -> Iterator[Claim]:
    current = lamp_currents(parts)
    series = resistor(parts, "lamp_series")
    lower, upper = sense_window(parts)
    volts = {state: sense_voltage(parts, amperes) for state, amperes in current.items()}
    glow = EXPANDER_PULL.times(resistor(parts, "lamp_pulldown"))
    yield Claim("lamp", "current, lit", current["lit"], "A", 0.015, 0.040, "bright enough; what the lamp's LEDs bear")
    yield Claim(
        "lamp", "power of R10, lit", current["lit"].times(current["lit"]).times(series), "W", 0.0,
        parts["lamp_series"].rating / 2, "half its rating",
    )  # fmt: skip
    heat = current["shorted"].times(current["shorted"])
    yield Claim(
        "lamp", "power of R10, lamp shorted for ever", heat.times(series), "W", 0.0,
        parts["lamp_series"].rating / 2, "half its rating: a short is no fire",
    )  # fmt: skip
    yield Claim("lamp", "gate, on", gate(parts), "V", GATE_SPECIFIED, 12.0, "AO3400A: 48 mΩ are promised from 2.5 V on")
    yield Claim(
        "lamp",
        "gate, expander in reset",
        glow,
        "V",
        0.0,
        GATE_THRESHOLD.low,
        "AO3400A: off below 0.65 V, even pulled up",
    )
    yield Claim(
        "lamp", "power of Q10, even shorted, at 2 × 48 mΩ",
        heat.times(exactly(2 * parts["lamp_transistor"].value)), "W", 0.0, 0.1,
        "needs no cooling",
    )  # fmt: skip
    yield Claim(
        "sense", "open lamp", volts["open"], "V", 0.0, lower.low, "surely under the lower threshold: reads dark"
    )
    yield Claim("sense", "lower threshold", lower, "V", volts["open"].high, volts["lit"].low, "between open and lit")
    yield Claim("sense", "lit lamp", volts["lit"], "V", lower.high, upper.low, "surely within the window: reads lit")
    yield Claim(
        "sense", "upper threshold", upper, "V", volts["lit"].high, volts["shorted"].low, "between lit and shorted"
    )
    yield Claim(
        "sense", "shorted lamp", volts["shorted"], "V", upper.high, inf, "surely over the upper threshold: reads dark"
    )
    yield Claim(
        "sense", "common mode of U10", supply(parts).held, "V", 0.0, parts["sense_amplifier"].rating, "INA180: 26 V"
    )
    settle = within(3 * parts["sense_filter"].value * parts["sense_capacitor"].value, 0.12)
    yield Claim(
        "sense",
        "settles within",
        settle,
        "s",
        0.0,
        0.2 - Timing().settle / MS / 1e3 - 0.1,
        "200 ms of rules 2.6, less 100",
    )
    low = RAIL.over(resistor(parts, "sense_pullup")).times(exactly(10.0))
    yield Claim("sense", "line, lit (low)", low, "V", 0.0, EXPANDER_LOW * RAIL.low, "MCP23017: 0.2 of its supply")


# Contacts.


def contact_levels(parts: Parts, ohms: float, *, expander: bool = False) -> Span:
    """Volts at the input with a contact of `ohms` closed. The input may have its own pull-up on, or not."""
    pull, series = resistor(parts, "contact_pullup"), resistor(parts, "contact_series")
    contact = RAIL.times(pull.atop(exactly(ohms)))
    inner = EXPANDER_PULL if expander else Span(0.0, *(RAIL[end] / PI_PULL[2 - end] for end in (1, 2)))
    return contact.plus(inner.times(series)).plus(inner.times(exactly(ohms)))


def contact_times(parts: Parts) -> tuple[Span, Span]:
    """Seconds until the input has surely changed: after the contact was made, and after it broke."""
    pull, series = resistor(parts, "contact_pullup"), resistor(parts, "contact_series")
    farads = resistor(parts, "contact_capacitor")
    # Down from the rail to what is surely low, up from 0 V to what is surely high; at the earliest the other threshold.
    made = series.times(farads).times(Span(log(RAIL.low / PI_HIGH), log(RAIL.nominal / 1.4), log(RAIL.high / PI_LOW)))
    up = [log(RAIL[end] / (RAIL[end] - level)) for end, level in ((2, PI_LOW), (1, 1.4), (0, PI_HIGH))]
    return made, pull.plus(series).times(farads).times(Span(*up))


def _contact(parts: Parts) -> Iterator[Claim]:
    pull, series = resistor(parts, "contact_pullup"), resistor(parts, "contact_series")
    wetting = RAIL.over(pull)
    yield Claim(
        "contact", "wetting current", wetting, "A", 1e-3, 10e-3, "enough for a gold contact, too little to burn it"
    )
    yield Claim(
        "contact", "closed, 100 Ω, at the Pi", contact_levels(parts, 100), "V", 0.0, PI_LOW, "every board reads low"
    )
    yield Claim(
        "contact", "closed, 100 Ω, at the expander", contact_levels(parts, 100, expander=True), "V", 0.0,
        EXPANDER_LOW * RAIL.low, "MCP23017: 0.2 of its supply",
    )  # fmt: skip
    damp = RAIL.times(pull.atop(exactly(10e3)))
    yield Claim("contact", "open, 10 kΩ of damp across it", damp, "V", PI_HIGH, inf, "every board reads high")
    damp = RAIL.times(pull.atop(exactly(47e3)))
    yield Claim(
        "contact", "open, 47 kΩ of damp across it, at the expander", damp, "V", EXPANDER_HIGH * RAIL.high, inf,
        "MCP23017: 0.8 of its supply, as the resistors hang on the same",
    )  # fmt: skip
    made, broke = contact_times(parts)
    yield Claim(
        "contact",
        "seen after it was made",
        made,
        "s",
        0.0,
        Timing().settle / MS / 1e3 / 5,
        "a fifth of the settling time",
    )
    yield Claim(
        "contact",
        "seen after it broke",
        broke,
        "s",
        0.0,
        Timing().settle / MS / 1e3 / 5,
        "a fifth of the settling time",
    )
    yield Claim(
        "contact", "key's lock against a press at the same instant", broke.minus(made), "s", -1e-3, 1e-3,
        "neither gains a millisecond by its circuit (rules 2.8)",
    )  # fmt: skip
    crossed = supply(parts).mains.minus(Span(3.0, 3.6, 4.0)).over(series)
    yield Claim(
        "contact",
        "12 V on the wire: current into the clamp",
        crossed,
        "A",
        0.0,
        0.02,
        "BAT54S bears 200 mA; the 3.3 V rail draws more",
    )
    both = supply(parts).mains.minus(Span(0.0, 0.3, 0.5))
    power = both.minus(RAIL).times(both.minus(RAIL)).over(pull)
    yield Claim(
        "contact",
        "12 V on the wire: power of R30",
        power,
        "W",
        0.0,
        parts["contact_pullup"].rating / 2,
        "half its rating",
    )
    zap = exactly(parts["contact_esd"].value).minus(Span(3.0, 3.6, 4.0)).over(series)
    yield Claim(
        "contact", "static: current into the clamp", zap, "A", 0.0, 0.2, "BAT54S: 200 mA for ever, 600 mA for a second"
    )


# Slot.


def slot_current(parts: Parts, volts: Span) -> tuple[Span, Span]:
    """Amperes through the optocoupler's diode and, at the end of its life, what its transistor can sink."""
    led = volts.minus(OPTO_DROP).minus(SENSOR_DROP).over(resistor(parts, "slot_resistor"))
    return led, led.times(exactly(parts["slot_opto"].value * OPTO_AGED))


def slot_needs(parts: Parts) -> Span:
    """Amperes that the transistor must sink to be low: both pull-ups."""
    return RAIL.over(resistor(parts, "slot_pullup")).plus(Span(0.0, *(RAIL[end] / PI_PULL[2 - end] for end in (1, 2))))


def last_breath() -> Span:
    """Volts of the held node at which the Pi has just died."""
    return Span(PI_ALIVE_AT_LEAST + 0.2, PI_ALIVE_AT_LEAST + 0.4, 7.0)


def _slot(parts: Parts) -> Iterator[Claim]:
    held = supply(parts).held
    led, sinks = slot_current(parts, held)
    needs = slot_needs(parts)
    dying = exactly(last_breath().low)
    yield Claim("slot", "diode of the optocoupler, beam clear", led, "A", 2e-3, 10e-3, "works, and lives long")
    yield Claim("slot", "sinks, aged and warm", sinks, "A", 2 * needs.high, inf, "twice what both pull-ups give")
    yield Claim(
        "slot", "sinks, at the last voltage at which a Pi runs", slot_current(parts, dying)[1], "A", needs.high, inf,
        "a dip of the supply never looks like a chip: the Pi dies first",
    )  # fmt: skip
    yield Claim(
        "slot",
        "sensor, at that voltage",
        dying,
        "V",
        parts["slot_sensor"].value,
        parts["slot_sensor"].rating,
        "its supply",
    )
    low = Span(0.05, 0.1, 0.3).plus(
        Span(0.0, *(RAIL[end] / PI_PULL[2 - end] for end in (1, 2))).times(resistor(parts, "slot_series"))
    )
    yield Claim("slot", "line, beam clear (low)", low, "V", 0.0, PI_LOW, "every board reads low")
    high = RAIL.minus(exactly(OPTO_DARK).times(resistor(parts, "slot_pullup")))
    yield Claim(
        "slot", "line, chip in the beam (high)", high, "V", PI_HIGH, inf, "every board reads high, at 85 °C too"
    )
    yield Claim(
        "slot",
        "power of R40",
        led.times(led).times(resistor(parts, "slot_resistor")),
        "W",
        0.0,
        parts["slot_resistor"].rating / 2,
        "half its rating",
    )
    shortest = Timing().shortest_pulse / MS / 1e3
    yield Claim(
        "slot",
        "pulse lengthened or shortened by",
        Span(0.0, 100e-6, 300e-6),
        "s",
        0.0,
        shortest / 10,
        "a tenth of the shortest pulse, 10 ms",
    )
    yield Claim(
        "slot",
        "supply of a sensor",
        Span(0.02, 0.035, 0.041),
        "A",
        0.0,
        parts["slot_ptc"].rating / 2,
        "half of what F10 holds, for heat",
    )


# Meter pulse, buses, supply.


def _meter(parts: Parts) -> Iterator[Claim]:
    led = within(5.0, 0.05).minus(Span(1.1, 1.25, 1.5)).over(resistor(parts, "meter_led"))
    yield Claim(
        "meter",
        "diode of U50",
        led,
        "A",
        1.2 * parts["meter_relay"].value,
        0.03,
        "a fifth over what AQY212EH needs at most",
    )
    yield Claim(
        "meter",
        "power of R52",
        led.times(led).times(resistor(parts, "meter_led")),
        "W",
        0.0,
        parts["meter_led"].rating / 2,
        "half its rating",
    )


def _buses(parts: Parts) -> Iterator[Claim]:
    module = Span(4.7e3, 10e3, 100e3)
    ours = resistor(parts, "oled_pullup")
    pull = Span(*(1 / (1 / a + 1 / b) for a, b in zip(ours, module, strict=True)))
    rise = exactly(0.8473).times(ours).times(Span(60e-12, 150e-12, 250e-12))
    yield Claim("OLED", "rise of SDA and SCL, 1 m of cable", rise, "s", 0.0, 1e-6, "I2C at 100 kHz: 1 µs")
    yield Claim("OLED", "current to pull them low", RAIL.over(pull), "A", 0.0, 3e-3, "I2C: 3 mA")
    yield Claim(
        "OLED",
        "supply of the OLED, all pixels lit",
        Span(0.01, 0.02, 0.04),
        "A",
        0.0,
        parts["oled_regulator"].rating / 2,
        "half of what U62 gives; what it gives in a short, U2 does not notice",
    )
    yield Claim(
        "displays",
        "what the buffer takes for high",
        exactly(parts["buffer"].value),
        "V",
        0.0,
        RAIL.low - 0.4,
        "74AHCT125, from a line of the Pi",
    )
    yield Claim(
        "displays",
        "what the buffer gives for high",
        within(5.0, 0.05).minus(Span(0.1, 0.3, 0.6)),
        "V",
        3.5,
        5.5,
        "MAX7219 takes 3.5 V; the Pi alone has 3.3",
    )
    load = exactly(7 * parts["counter"].value)
    both = load.plus(exactly(parts["sign"].value))
    yield Claim(
        "displays", "5 V, every segment and pixel lit at full", both, "A", 0.0, 5.0, "U2; a MAX7219 may do so by itself"
    )
    at_sign = within(5.0, 0.03).minus(exactly(parts["sign"].value * 0.0175 * 2 * 3 / 0.75))
    yield Claim("displays", "5 V at the public meter, 3 m of 0.75 mm²", at_sign, "V", 4.0, 5.5, "MAX7219: 4.0 V")
    drop = load.times(exactly(0.0175 * 2 * 4 / 0.75))
    far = within(5.0, 0.03).minus(drop)
    yield Claim(
        "displays",
        "5 V at the seventh counter, all segments lit, 4 m of 0.75 mm²",
        far,
        "V",
        4.0,
        5.5,
        "MAX7219: 4.0 V",
    )


def loads(parts: Parts) -> dict[str, Span]:
    """Watts drawn from 12 V: least, usual, most."""
    lamps = lamp_currents(parts)["lit"].times(supply(parts).held)
    return {
        "Pi, through U1": Span(3.0, 6.0, 15.0).over(exactly(0.85)),
        "seven lamps": Span(0.0, 3.5 * lamps.nominal, 7 * lamps.high),
        "six sensors": Span(0.0, 2.5, 6 * 0.041 * 12.6),
        "displays, through U2": Span(0.5, 6.0, 5.0 * (7 * parts["counter"].value + parts["sign"].value)).over(
            exactly(0.85)
        ),
    }


def held_watts(parts: Parts) -> Span:
    """What hangs behind the diode."""
    all_loads = loads(parts)
    return all_loads["Pi, through U1"].plus(all_loads["seven lamps"]).plus(all_loads["six sensors"])


def hold_up(parts: Parts) -> Span:
    """Seconds from the end of 12 V until U1 can no longer supply the Pi: most load and least capacity, and so on."""
    farads = resistor(parts, "hold_capacitor").times(exactly(parts["hold_capacitor"].quantity))
    held, watts = supply(parts).held, held_watts(parts)
    stored = [0.5 * farads[end] * (held[end] ** 2 - end_at**2) for end, end_at in ((0, 7.0), (1, 6.0), (2, 5.0))]
    return Span(stored[0] / watts.high, stored[1] / watts.nominal, stored[2] / watts.low)


def farads_for(parts: Parts, seconds: float) -> float:
    """Farads that would keep the most hungry table alive for so long."""
    held, watts = supply(parts).held, held_watts(parts)
    return 2 * watts.high * seconds / (held.low**2 - 7.0**2)


def _supply(parts: Parts) -> Iterator[Claim]:
    nodes, watts = supply(parts), loads(parts)
    held = held_watts(parts).over(nodes.held)
    displays = watts["displays, through U2"].over(nodes.mains)
    every = held.plus(displays)
    yield Claim("supply", "12 V behind D2", nodes.held, "V", 7.0, 25.0, "U1 and C1, C2")
    yield Claim(
        "supply",
        "current of Pi, lamps and sensors",
        held,
        "A",
        0.0,
        parts["held_fuse"].rating / 1.25,
        "F2, a quarter over the load",
    )
    yield Claim(
        "supply",
        "current of the displays",
        displays,
        "A",
        0.0,
        parts["display_fuse"].rating / 1.25,
        "F3, a quarter over the load",
    )
    yield Claim(
        "supply", "current in all", every, "A", 0.0, parts["main_fuse"].rating / 1.25, "F1, a quarter over the load"
    )
    yield Claim(
        "supply",
        "F1 against what PS1 gives",
        exactly(parts["main_fuse"].rating),
        "A",
        every.high,
        parts["psu"].rating,
        "PS1 must be able to blow it",
    )
    yield Claim(
        "supply",
        "power of D2",
        held.times(Span(0.3, 0.42, parts["hold_diode"].value)),
        "W",
        0.0,
        2.0,
        "DO-201AD with 10 mm of lead",
    )
    yield Claim(
        "supply", "D1 conducts from", exactly(parts["tvs"].rating), "V", nodes.mains.high, inf, "never at 12 V + 5 %"
    )
    weakest = min(
        parts[name].rating for name in ("hold_capacitor", "lamp_transistor", "sense_amplifier", "slot_sensor")
    )
    yield Claim(
        "supply", "D1 clamps at", exactly(parts["tvs"].value), "V", 0.0, weakest, "the weakest part on 12 V: C1 and C2"
    )
    yield Claim(
        "supply",
        "hold-up without 12 V",
        hold_up(parts),
        "s",
        3e-3,
        inf,
        "bouncing plugs and the supply's own switching",
    )


def claims(parts: Parts) -> list[Claim]:
    """Everything that the circuits promise."""
    makers = (_supply, _lamp, _contact, _slot, _meter, _buses)
    return [claim for maker in makers for claim in maker(parts)]
