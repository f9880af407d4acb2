"""In the machine the contract is run against the kernel, and nothing else."""

from __future__ import annotations

import pytest

pytest.register_assert_rewrite("tests.hal.contract", "tests.hal.promises")

from tests.hal.contract import Play  # noqa: E402 - after the rewriting of its asserts has been asked for
from tests.hil.guest.bench import playing  # noqa: E402

BACKENDS = {"gpio-sim": playing("header"), "gpio-sim-expander": playing("expander")}


@pytest.fixture(params=sorted(BACKENDS))
def play(request: pytest.FixtureRequest) -> Play:
    """As in tests/hal/conftest.py."""
    name: str = request.param
    return BACKENDS[name]
