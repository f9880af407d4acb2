"""The backends that the contract is run against, by name."""

from __future__ import annotations

import pytest

pytest.register_assert_rewrite("tests.hal.contract", "tests.hal.promises")

from tests.hal.contract import Play  # noqa: E402 - after the rewriting of its asserts has been asked for
from tests.hal.gpio_bench import playing  # noqa: E402
from tests.hal.simulated_bench import play_simulated  # noqa: E402

BACKENDS: dict[str, Play] = {
    "simulated": play_simulated,
    "gpio": playing("header"),
    "gpio-expander": playing("expander"),
}
"""A new backend joins the contract here: its name, and what plays a script on a bench of it."""


@pytest.fixture(params=sorted(BACKENDS))
def play(request: pytest.FixtureRequest) -> Play:
    """Plays a script on a new bench of one backend after the other: ``play("credits", script)``."""
    name: str = request.param
    return BACKENDS[name]
