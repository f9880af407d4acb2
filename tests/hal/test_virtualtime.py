"""Virtual time: it jumps over waits, stands still for the world outside, and never hangs in silence."""

from __future__ import annotations

import asyncio
import socket
import threading
import time

import pytest

from hal.simulated.virtualtime import DeadlockError, VirtualLoop, run


def slowly(answer: str) -> str:
    time.sleep(0.1)
    return answer


def test_a_week_passes_in_no_time_and_to_the_nanosecond() -> None:
    async def week() -> float:
        begun = asyncio.get_running_loop().time()
        for _ in range(7):
            await asyncio.sleep(86_400)
        return asyncio.get_running_loop().time() - begun

    begun = time.monotonic()
    assert run(week()) == pytest.approx(7 * 86_400, abs=1e-6)
    assert time.monotonic() - begun < 5


def test_timers_fire_in_order_at_their_own_times() -> None:
    async def program() -> list[float]:
        loop = asyncio.get_running_loop()
        fired: list[float] = []
        for delay in (3.0, 0.5, 1.25):
            loop.call_later(delay, lambda: fired.append(loop.time()))
        await asyncio.sleep(5)
        return fired

    assert run(program(), start=10.0) == [10.5, 11.25, 13.0]


def test_no_time_passes_while_there_is_work() -> None:
    async def program() -> None:
        loop = asyncio.get_running_loop()
        begun = loop.time()
        for _ in range(1_000):
            await asyncio.sleep(0)
        assert loop.time() == begun

    run(program())


def test_the_clock_stands_still_while_a_thread_works() -> None:
    async def program() -> str:
        loop = asyncio.get_running_loop()
        begun = loop.time()
        async with asyncio.timeout(0.01):
            answer = await asyncio.to_thread(slowly, "done")
        assert loop.time() == begun
        await asyncio.sleep(100)
        assert loop.time() == begun + 100
        return answer

    assert run(program()) == "done"


def test_a_thread_that_fails_lets_the_clock_go_on() -> None:
    async def program() -> None:
        with pytest.raises(ZeroDivisionError):
            await asyncio.to_thread(lambda: 1 // 0)
        await asyncio.sleep(1_000)

    run(program())


def test_a_thread_of_ones_own_is_heard() -> None:
    async def program() -> None:
        loop = asyncio.get_running_loop()
        assert isinstance(loop, VirtualLoop)
        called = asyncio.Event()

        def work() -> None:
            time.sleep(0.05)
            loop.call_soon_threadsafe(called.set)

        thread = threading.Thread(target=work)
        with loop.outside():
            thread.start()
            await asyncio.wait_for(called.wait(), 0.001)
        thread.join()

    run(program())


def test_bytes_that_are_ready_come_before_time() -> None:
    async def program() -> None:
        here, there = socket.socketpair()
        reader, writer = await asyncio.open_connection(sock=here)
        other_reader, other = await asyncio.open_connection(sock=there)
        other.write(b"hello\n")
        async with asyncio.timeout(0.000_001):
            assert await reader.readline() == b"hello\n"
        for end in (writer, other):
            end.close()
            await end.wait_closed()
        assert other_reader is not None

    run(program())


def test_waiting_for_nothing_is_an_error_that_names_the_waiter() -> None:
    async def for_godot() -> None:
        await asyncio.Event().wait()

    with pytest.raises(DeadlockError, match=r"for_godot at .*test_virtualtime.py:\d+"):
        run(for_godot())


def test_waiting_for_nothing_after_a_thread_is_an_error_too() -> None:
    async def program() -> None:
        await asyncio.to_thread(int)
        await asyncio.get_running_loop().create_future()

    with pytest.raises(DeadlockError):
        run(program())


def test_what_a_program_raises_comes_out() -> None:
    async def program() -> None:
        await asyncio.sleep(1)
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        run(program())
