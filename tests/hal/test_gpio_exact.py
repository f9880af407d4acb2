"""Timers that are exact: what waits for less than a millisecond does not wait for a whole one."""

from __future__ import annotations

import asyncio
import time
from statistics import median

from hal.gpio.exact import ExactSelector, exact_loop


def test_a_wait_takes_as_long_as_asked() -> None:
    selector = ExactSelector()
    took = []
    for _ in range(20):
        began = time.perf_counter()
        assert selector.select(0.0002) == []
        took.append(time.perf_counter() - began)
    selector.close()
    assert min(took) >= 0.0002
    assert median(took) < 0.0009  # epoll alone takes a millisecond; 0.3 ms are usual


def test_a_loop_with_it_serves_timers_and_threads() -> None:
    async def script() -> None:
        loop = asyncio.get_running_loop()
        assert await loop.run_in_executor(None, lambda: 7) == 7
        began = loop.time()
        await asyncio.sleep(0.002)
        assert loop.time() - began >= 0.0019

    with asyncio.Runner(loop_factory=exact_loop) as runner:
        runner.run(script())
