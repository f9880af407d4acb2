"""The electromechanical counter: what was sealed, after its commit, and never again after a restart (2.8)."""

from __future__ import annotations

import asyncio

from controller import totaliser
from controller.core.events import RoundSealed
from controller.core.inputs import Settle, Void
from tests.engine.fakes import Board, HeldWriter, Rig, in_virtual_time


class Counting(Board):
    """A board with a counter that takes `takes` seconds for what is still to be counted."""

    def __init__(self, writer: HeldWriter, seats: int) -> None:
        super().__init__(writer, seats)
        self.counts: list[int] = []
        self.takes = 0.0

    def count(self, pulses: int) -> None:
        if pulses:
            self.counts.append(pulses)

    async def counted(self) -> None:
        await asyncio.sleep(self.takes)


async def locked(rig: Rig) -> Counting:
    """Two bets at seat 1 and one at seat 3, each of one credit, and the key turned: ready to be sealed."""
    counter = Counting(rig.writer, 6)
    totaliser.follow(rig.engine, counter)
    for seat in (1, 1, 3):
        rig.press(seat)
    await rig.passes(1)
    assert counter.counts == []
    rig.key("locked")
    await rig.done()
    return counter


@in_virtual_time
async def test_2_8_each_credit_of_a_sealed_bet_is_one_pulse_after_the_commit() -> None:
    rig = await Rig.playing()
    counter = await locked(rig)
    rig.report()
    await rig.turn()
    assert rig.writer.under_way
    assert counter.counts == []
    await rig.done()
    assert counter.counts == [3]
    (sealed,) = (event for batch in rig.writer.batches for event in batch if isinstance(event, RoundSealed))
    assert sealed.total == 3_000
    settled = rig.command(Settle())
    await rig.done()
    assert (await settled).refusal is None
    assert counter.counts == [3]


@in_virtual_time
async def test_8_5_what_is_not_durable_is_not_counted() -> None:
    rig = await Rig.playing()
    counter = await locked(rig)
    rig.report()
    await rig.turn()
    rig.writer.fail(OSError("the disk is full"))
    await rig.turn()
    assert counter.counts == []


@in_virtual_time
async def test_8_3_a_restart_counts_nothing_again_and_a_void_round_is_not_taken_back() -> None:
    rig = await Rig.playing()
    counter = await locked(rig)
    rig.report()
    await rig.done()
    again = Rig(rig.engine.state, rig.engine.last)
    totaliser.follow(again.engine, counter)
    again.engine.start("test")
    await again.done()
    void = again.command(Void("misdeal"))
    await again.done()
    assert (await void).refusal is None
    assert counter.counts == [3]


@in_virtual_time
async def test_at_the_stop_the_counter_has_ten_seconds() -> None:
    rig = await Rig.playing()
    counter = Counting(rig.writer, 6)
    loop = asyncio.get_running_loop()
    for takes, waited in ((3.0, 3.0), (60.0, totaliser.PATIENCE_S)):
        counter.takes, before = takes, loop.time()
        await totaliser.finish(counter)
        assert abs(loop.time() - before - waited) < 0.01
    await totaliser.finish(rig.board)  # which has no counter
