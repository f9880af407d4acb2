"""The contract suite of all backends, on the kernel's lines: each of its tests is a finding."""

from __future__ import annotations

import os
import sys

import pytest

from tests.hil.guest.report import tell

SUITE = "tests/hil/guest/suite/contract_on_kernel.py"

NONE_HERE = {f"Skipped: this bench cannot break {part}" for part in ("node", "display")}
"""A header has no seat nodes; displays are no lines, and are in ``tests.hil.guest.picture``."""


class Told:
    """Tells the host of every test."""

    def __init__(self) -> None:
        self.left_out: list[str] = []

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.skipped:
            assert isinstance(report.longrepr, tuple)
            self.left_out.append(report.longrepr[2])
        elif report.failed or report.when == "call":
            name = report.nodeid.partition("::TestContract::")[2].removeprefix("test_").replace("_", " ")
            tell(name, report.passed, str(report.longrepr or "")[-3000:])


def main() -> int:
    """Run it."""
    os.environ["PYTHONDONTWRITEBYTECODE"] = "1"
    # Nothing is captured, and no dot comes before what is told: it has to reach the host, each on a line of its own.
    quietly = ["-s", "-p", "no:terminal", "-p", "no:cacheprovider", "-o", "addopts="]
    told = Told()
    status = int(pytest.main([*quietly, SUITE], [told]))
    left_out = f"{len(told.left_out)} tests: {', '.join(sorted(set(told.left_out)))}"
    tell("only what the header has not is left out", set(told.left_out) <= NONE_HERE, left_out)
    return status


if __name__ == "__main__":
    sys.exit(main())
