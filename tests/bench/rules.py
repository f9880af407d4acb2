"""What one input costs the pure core, against the least that a journal must do with its event."""

from __future__ import annotations

import hashlib
import time
from statistics import median

import msgspec

from controller.core.decide import advance
from controller.core.panel import panel
from hal.port import KeyTurned, Pressed, Stamp
from tests.bench.bed import loaded, setup


def one_input(count: int) -> dict[str, float]:
    """Medians of decide + evolve + panel for a bet, and of the encoding and SHA-256 of its event, in turns."""
    state, _ = loaded(setup())
    state = advance(state, KeyTurned("open", Stamp(0, 1))).state
    given = Pressed(1, Stamp(0, 2))
    event = advance(state, given).events[0]
    encode = msgspec.json.Encoder().encode
    ours, least = [], []
    for _ in range(count):
        began = time.perf_counter_ns()
        panel(advance(state, given).state)
        middle = time.perf_counter_ns()
        hashlib.sha256(encode(event)).digest()
        least.append(time.perf_counter_ns() - middle)
        ours.append(middle - began)
    return {"ours": median(ours) / 1e9, "least": median(least) / 1e9, "ratio": median(ours) / median(least)}
