"""What every test shares: how hard Hypothesis tries, and how long each folder may take."""

import os
from collections import defaultdict
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

# `make bench` runs the benchmarks: their figures mean nothing beside other tests. `make hil` has a machine of its own.
collect_ignore = ["bench", "hil"]

# A busy machine is no failure of the code: no deadlines, no complaint about slow generation.
settings.register_profile("dev", deadline=None, max_examples=50)
settings.register_profile(
    "ci", deadline=None, max_examples=100, derandomize=True, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile(
    "soak",
    deadline=None,
    max_examples=5_000,
    stateful_step_count=100,
    print_blob=True,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "dev"))

# Seconds that a folder's tests may take in all; together they keep `make test` under ten minutes.
BUDGET = {"core": 120, "engine": 180, "hal": 60, "firmware": 10, "people": 60, "scenarios": 120}


class FolderTimes:
    """Adds up the seconds per test folder, prints them, and says loudly when one is over its budget.

    With POZO_BUDGET=strict in the environment a folder over its budget fails the run.
    """

    def __init__(self, tests: Path) -> None:
        self._tests = tests
        self._seconds: defaultdict[str, float] = defaultdict(float)

    def _over(self) -> list[str]:
        return [folder for folder, spent in self._seconds.items() if spent > BUDGET.get(folder, 0)]

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        parts = Path(report.nodeid.partition("::")[0]).parts
        folder = parts[1] if len(parts) > 2 and parts[0] == self._tests.name else "elsewhere"
        self._seconds[folder] += report.duration

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        strict = os.environ.get("POZO_BUDGET") == "strict"
        if strict and self._over() and session.exitstatus == pytest.ExitCode.OK:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        terminalreporter.section("seconds per test folder")
        for folder, spent in sorted(self._seconds.items()):
            terminalreporter.line(f"{folder:<12}{spent:8.1f} of {BUDGET.get(folder, 0):4}")
        for folder in self._over():
            terminalreporter.line(
                f"OVER BUDGET: tests/{folder} took {self._seconds[folder]:.1f} s. Make its tests faster, or "
                "change BUDGET in tests/conftest.py with a reason.",
                red=True,
                bold=True,
            )


def pytest_configure(config: pytest.Config) -> None:
    if settings.get_current_profile_name() != "soak":  # a soak run is long on purpose
        config.pluginmanager.register(FolderTimes(Path(__file__).parent), "folder-times")
