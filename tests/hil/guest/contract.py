"""The contract suite of all backends, on the kernel's lines: each of its tests is a finding."""

from __future__ import annotations

import os
import sys

import pytest

from tests.hil.guest.report import tell

SUITE = "tests/hil/guest/suite/contract_on_kernel.py"


class Told:
    """Tells the host of every test."""

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed or (report.when == "call" and not report.skipped):
            name = report.nodeid.partition("::TestContract::")[2].removeprefix("test_").replace("_", " ")
            tell(name, report.passed, str(report.longrepr or "")[-3000:])


def main() -> int:
    """Run it."""
    os.environ["PYTHONDONTWRITEBYTECODE"] = "1"
    # Nothing is captured, and no dot comes before what is told: it has to reach the host, each on a line of its own.
    quietly = ["-s", "-p", "no:terminal", "-p", "no:cacheprovider", "-o", "addopts="]
    return int(pytest.main([*quietly, SUITE], [Told()]))


if __name__ == "__main__":
    sys.exit(main())
