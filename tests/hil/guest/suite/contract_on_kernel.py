"""The contract of all backends, on a real kernel. Named so that pytest collects it only when it is asked for."""

from tests.hal.contract import Contract


class TestContract(Contract):
    """Runs once for each place of the lamps in ``conftest.BACKENDS``."""
