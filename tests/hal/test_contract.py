"""Every backend keeps the contract."""

from tests.hal.contract import Contract


class TestContract(Contract):
    """Runs once for each backend in ``conftest.BACKENDS``."""
