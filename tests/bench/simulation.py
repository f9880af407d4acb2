"""What a complete simulated round costs, against the least that a journal must do with one event."""

from __future__ import annotations

import hashlib
import time
from random import Random
from statistics import median

import msgspec

from controller.config import load
from controller.core.events import BetChanged
from controller.core.money import Minor
from controller.simulate.rounds import Simulation
from hal.port import Stamp
from tests.bench.bed import TABLE

WARM = 10
"""The event is encoded so many times in a row: after a whole round the first finds nothing in the processor's caches,
and a slow comparison would flatter."""


def rounds(count: int) -> dict[str, float]:
    """Medians of a round of six seats (deal, inputs, settlement, and the audit of all of it) and of an event's encoding
    and SHA-256, in turns; the inputs of a round, lamps included, on average."""
    simulation = Simulation(load(TABLE), Random(1))
    event = BetChanged(1, Minor(1_000), 19, Stamp(1, 123_456_789))
    encode = msgspec.json.Encoder().encode
    ours, least = [], []
    for _ in range(count):
        began = time.perf_counter_ns()
        simulation.round()
        ours.append(time.perf_counter_ns() - began)
        for _ in range(WARM):
            began = time.perf_counter_ns()
            hashlib.sha256(encode(event)).digest()
            least.append(time.perf_counter_ns() - began)
    return {
        "ours": median(ours) / 1e9, "least": median(least) / 1e9, "ratio": median(ours) / median(least),
        "inputs": simulation.floor.inputs / count,
    }  # fmt: skip
