"""The loop: order, one commit a batch, nothing before it; what fails (8.5); deadlines (2.6, 2.8); writers."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Sequence
from typing import Any, cast, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from controller.core.decide import advance
from controller.core.events import BetChanged, CreditsLoaded, Event, Started
from controller.core.inputs import AccessRefused, CashOut, Command, Deadline, Input, Load, OutOfService, Timeout
from controller.core.money import Minor
from controller.core.state import Table
from controller.engine import BATCH, InlineWriter, ThreadWriter
from controller.published import Published
from hal.port import (
    ChipDropped,
    CompleteTo,
    HardwareError,
    KeyFound,
    KeyTurned,
    LampSensed,
    NoisePulse,
    Part,
    PartFailed,
    PartMended,
    Pressed,
    Stamp,
)
from hal.simulated.virtualtime import run
from tests.engine.fakes import BOSS, Rig, in_virtual_time, timers

DISK = OSError("the disk is full")


# --- order, and one commit -------------------------------------------------------------------------------


@in_virtual_time
async def test_nothing_is_shown_answered_or_published_before_the_commit() -> None:
    rig = await Rig.playing()
    answer = rig.command(Load(2, 5))
    await asyncio.sleep(0)
    rig.press(1)
    await asyncio.sleep(3)
    assert rig.writer.under_way
    assert not rig.lamp(1)
    assert not answer.done()
    assert not rig.heard
    assert rig.engine.state == rig.writer.durable
    rig.writer.complete()
    assert rig.lamp(1)
    assert rig.heard[0].state == rig.engine.state
    outcome = await answer
    assert outcome.refusal is None
    assert outcome.seq == rig.engine.last == rig.writer.last


@in_virtual_time
async def test_what_is_queued_together_is_decided_in_order_committed_once_and_shown_once() -> None:
    rig = await Rig.playing(senses=None)
    shown = len(rig.board.shown)
    for seat in (3, 1, 2):
        rig.press(seat)
    await rig.done()
    ((*events,),) = rig.writer.batches
    assert [event.seat for event in events if isinstance(event, BetChanged)] == [3, 1, 2]
    assert len(rig.board.shown) == shown + 1


@in_virtual_time
async def test_inputs_during_a_commit_become_one_next_batch() -> None:
    rig = await Rig.playing(senses=None)
    rig.press(1)
    await rig.turn()
    for _ in range(20):
        rig.press(2)
        await rig.turn()
    rig.writer.complete()
    await rig.turn()
    rig.writer.complete()
    assert [len(batch) for batch in rig.writer.batches] == [1, 20]
    assert not rig.engine.busy


@in_virtual_time
async def test_no_batch_holds_more_than_256_inputs() -> None:
    rig = await Rig.playing(senses=None)
    for _ in range(2 * BATCH + 88):
        rig.press(1)
    await rig.done()
    assert [len(batch) for batch in rig.writer.batches] == [BATCH, BATCH, 88]


@given(
    st.lists(
        st.one_of(
            st.tuples(st.just("press"), st.integers(1, 6)),
            st.tuples(st.just("load"), st.integers(0, 7)),
            st.tuples(st.just("cash"), st.integers(1, 6)),
            st.just(("turn", 0)),
            st.just(("complete", 0)),
        ),
        max_size=60,
    )
)
def test_however_commits_and_inputs_interleave_the_outcome_is_that_of_one_after_the_other(
    acts: list[tuple[str, int]],
) -> None:
    async def story() -> None:
        rig = Rig()
        rig.engine.start("test")
        rig.key("open")
        await rig.done()
        expected, refused, answers = rig.engine.state, [], []
        for what, seat in acts:
            given: Input | None = None
            if what == "press":
                given = Pressed(seat, rig.board.now())
                rig.signal(given)
            elif what in ("load", "cash"):
                given = Command(Load(seat, 2) if what == "load" else CashOut(seat), BOSS)
                answers.append(asyncio.ensure_future(rig.engine.command(given)))
                await asyncio.sleep(0)
            elif what == "turn":
                await rig.turn()
            elif rig.writer.under_way:
                rig.writer.complete()
            if given is not None:
                decision = advance(expected, given)
                expected = decision.state
                if isinstance(given, Command):
                    refused.append(decision.refusal)
        await rig.done()
        assert rig.engine.state == expected
        assert [(await answer).refusal for answer in answers] == refused
        seqs = [seq for published in rig.heard for seq, _ in published.entries]
        assert seqs == list(range(2, rig.engine.last + 1))
        rig.engine.close()

    run(story())


@in_virtual_time
async def test_what_leads_to_nothing_is_not_committed() -> None:
    rig = await Rig.playing()
    rig.signal(LampSensed(1, False, rig.board.now()))  # dark it was
    await rig.turn()
    assert not rig.writer.under_way
    assert not rig.engine.busy
    assert not rig.heard


@in_virtual_time
async def test_signals_that_come_of_the_showing_itself_are_taken() -> None:
    rig = await Rig.playing(senses=None)
    show = rig.board.show

    def show_and_sense(shown: Any) -> None:
        show(shown)
        if shown.seats[0].lamp:
            rig.signal(LampSensed(1, True, rig.board.now()))

    rig.board.show = show_and_sense  # type: ignore[method-assign]
    rig.press(1)
    await rig.done()
    assert rig.engine.state.seats[0].sensed
    assert not rig.engine.busy


@in_virtual_time
async def test_a_client_that_no_longer_waits_hurts_nobody() -> None:
    rig = await Rig.playing()
    leaver, other = rig.command(Load(1, 5)), rig.command(Load(2, 5))
    await rig.turn()
    leaver.cancel()
    await rig.done()
    assert (await other).refusal is None
    assert rig.engine.state.seats[0].credits == rig.engine.state.seats[1].credits


# --- what fails (8.5) ------------------------------------------------------------------------------------


@in_virtual_time
async def test_8_5_a_failed_commit_drops_the_whole_batch_and_stops_the_table() -> None:
    rig = await Rig.playing()
    rig.press(1)
    await rig.passes(0.1)
    assert rig.lamp(1)
    before, shown = rig.engine.state, len(rig.board.shown)
    rig.press(2)
    in_batch = rig.command(Load(3, 5))
    await rig.turn()
    queued = rig.command(Load(4, 5))
    rig.press(5)
    await rig.turn()
    rig.writer.fail(DISK)
    assert rig.engine.stopped == "the disk is full"
    for answer in (in_batch, queued):
        assert cast(Any, (await answer).refusal).code == "out-of-service"
    assert rig.engine.state is before
    assert len(rig.board.shown) == shown + 1
    assert not any(seat.lamp for seat in rig.panel.seats)
    assert (rig.panel.banner, rig.panel.reason) == ("out-of-service", "the disk is full")
    assert (rig.heard[-1].stopped, rig.heard[-1].entries) == ("the disk is full", ())
    assert not timers()
    # It stays so, whatever comes.
    rig.press(1)
    rig.key("locked")
    rig.engine.note(AccessRefused("eva", "console", "login"))
    rig.engine.stop("again")
    assert cast(Any, (await rig.command(Load(1, 1))).refusal).code == "out-of-service"
    await asyncio.sleep(10)
    assert not rig.writer.under_way
    assert rig.engine.stopped == "the disk is full"
    assert len(rig.board.shown) == shown + 1


@in_virtual_time
async def test_8_5_lamps_of_a_sealed_round_stay_lit_when_the_table_stops() -> None:
    rig = await Rig.playing()
    rig.press(1)
    await rig.passes(0.1)
    rig.key("locked")
    rig.report()
    await rig.done()
    assert rig.engine.state.round is not None
    assert rig.engine.state.round.sealed
    rig.command(Load(1, 5))
    await rig.turn()
    rig.writer.fail(DISK)
    assert rig.lamp(1)
    assert rig.panel.banner == "out-of-service"


@in_virtual_time
async def test_an_error_without_words_is_named() -> None:
    rig = await Rig.playing()
    rig.press(1)
    await rig.turn()
    rig.writer.fail(MemoryError())
    assert rig.engine.stopped == "MemoryError"


@in_virtual_time
async def test_a_decision_that_fails_commits_nothing_of_its_batch() -> None:
    rig = await Rig.playing()
    before = rig.engine.state
    in_batch = rig.command(Load(3, 5))
    await asyncio.sleep(0)
    rig.press(1)
    rig.engine.put(cast(Any, "an input that the rules do not know"))
    behind = rig.command(Load(4, 5))
    await rig.turn()
    assert not rig.writer.batches
    assert not rig.writer.under_way
    assert rig.engine.state is before
    assert rig.engine.stopped.startswith("KeyError")
    for answer in (in_batch, behind):
        assert cast(Any, (await answer).refusal).code == "out-of-service"


@in_virtual_time
async def test_3_3_a_decision_that_breaks_an_identity_is_never_committed() -> None:
    opened = Rig().engine.state
    wrong = replace(opened, meters=replace(opened.meters, turnover=Minor(1)))
    rig = Rig(wrong)
    rig.engine.start("test")
    await rig.turn()
    assert not rig.writer.under_way
    assert rig.engine.stopped


@in_virtual_time
async def test_a_backend_that_fails_stops_the_table_after_what_was_durable_is_answered_and_published() -> None:
    rig = await Rig.playing()
    answer = rig.command(Load(2, 5))
    rig.press(1)
    await rig.turn()
    rig.board.fails = RuntimeError("no such lamp")
    rig.writer.complete()
    assert (await answer).refusal is None
    assert [published.stopped for published in rig.heard] == ["", "RuntimeError: no such lamp"]
    assert rig.engine.state == rig.writer.durable
    assert not timers()
    await rig.engine.quiet()


@in_virtual_time
async def test_a_backend_that_fails_when_a_hint_is_taken_away_stops_the_table() -> None:
    rig = Rig()
    rig.engine.start("test")
    rig.key("open")
    await rig.done()
    rig.press(1)
    await rig.done()
    assert rig.panel.seats[0].text == "no-credits"
    rig.board.fails = RuntimeError("unplugged")
    await asyncio.sleep(4)
    assert rig.engine.stopped == "RuntimeError: unplugged"


@in_virtual_time
async def test_a_listener_that_fails_is_alone_with_it() -> None:
    rig = await Rig.playing()
    told: list[Published] = []

    def bad(_: Published) -> None:
        raise ValueError("a bug in a page")

    for listener in (bad, told.append):
        rig.engine.listen(listener)
    rig.press(1)
    await rig.done()
    assert len(told) == 1
    assert not rig.engine.stopped


@in_virtual_time
async def test_a_listener_may_leave_while_it_is_told_and_twice() -> None:
    rig = await Rig.playing()
    told: list[Published] = []

    def once(published: Published) -> None:
        told.append(published)
        leave()

    leave = rig.engine.listen(once)
    rig.press(1)
    await rig.done()
    rig.press(2)
    await rig.done()
    leave()
    assert len(told) == 1


@in_virtual_time
async def test_8_4_hardware_that_cannot_start_leaves_a_table_that_still_records() -> None:
    rig = Rig()
    rig.board.cannot_start = HardwareError("no such chip: connect it")
    with pytest.raises(HardwareError):
        rig.engine.start("test")
    rig.engine.put(OutOfService("no such chip: connect it"))
    answer = rig.command(Load(1, 5))
    await rig.done()
    assert type(rig.writer.batches[0][0]) is Started
    assert cast(Any, (await answer).refusal).code == "out-of-service"
    assert rig.engine.state.out_of_service == "no such chip: connect it"
    assert not rig.engine.stopped
    assert not rig.board.shown


@in_virtual_time
async def test_what_becomes_of_a_commit_after_the_table_stopped_changes_nothing() -> None:
    rig = await Rig.playing()
    before = rig.engine.state
    answer = rig.command(Load(1, 5))
    await rig.turn()
    rig.engine.stop("the journal is damaged")
    assert cast(Any, (await answer).refusal).code == "out-of-service"
    shown = len(rig.board.shown)
    rig.writer.complete()
    await rig.turn()
    assert rig.engine.state is before
    assert len(rig.board.shown) == shown
    assert [published.stopped for published in rig.heard] == ["the journal is damaged"]


# --- coming to rest --------------------------------------------------------------------------------------


@in_virtual_time
async def test_quiet_returns_when_the_last_commit_is_done_and_at_once_when_nothing_is() -> None:
    rig = await Rig.playing()
    await rig.engine.quiet()
    rig.press(1)
    waiting = [asyncio.ensure_future(rig.engine.quiet()) for _ in range(2)]
    await rig.turn()
    assert not any(task.done() for task in waiting)
    rig.press(2)
    rig.writer.complete()
    await rig.turn()
    assert not any(task.done() for task in waiting)
    rig.writer.complete()
    await asyncio.gather(*waiting)
    rig.engine.close()


@in_virtual_time
async def test_quiet_returns_when_the_table_stops() -> None:
    rig = await Rig.playing()
    rig.press(1)
    waiting = asyncio.ensure_future(rig.engine.quiet())
    await rig.turn()
    rig.writer.fail(DISK)
    await waiting


@in_virtual_time
async def test_finish_takes_nothing_more_and_ends_what_was_begun() -> None:
    rig = await Rig.playing()
    before = rig.command(Load(1, 5))
    rig.press(2)
    await rig.turn()
    rig.press(3)
    leaving = asyncio.ensure_future(rig.engine.finish())
    await rig.turn()
    late = rig.command(Load(4, 5))
    rig.press(5)
    await rig.done()
    await leaving
    assert (await before).refusal is None
    assert cast(Any, (await late).refusal).code == "out-of-service"
    assert (rig.bet(2), rig.bet(3), rig.bet(5)) == (1000, 1000, 0)
    assert not rig.engine.busy
    assert not timers()


@in_virtual_time
async def test_committing_for_is_what_the_watchdog_wants_to_know() -> None:
    rig = await Rig.playing()
    assert rig.engine.committing_for() == 0
    rig.press(1)
    await asyncio.sleep(21)
    assert rig.engine.committing_for() == pytest.approx(21)
    rig.writer.complete()
    assert rig.engine.committing_for() == 0


# --- deadlines -------------------------------------------------------------------------------------------


@in_virtual_time
async def test_2_6_a_lamp_has_200_ms_from_the_completed_show() -> None:
    rig = await Rig.playing(senses=None)
    rig.press(1)
    await asyncio.sleep(1)  # a slow commit: the lamp is not commanded yet
    rig.board.show_takes = 0.05
    rig.writer.complete()
    rig.board.show_takes = 0
    await rig.passes(0.199)
    assert rig.closed() == {}
    await rig.passes(0.002)
    assert rig.closed() == {1: "lamp"}
    assert rig.bet(1) == 0


@in_virtual_time
async def test_2_6_a_lamp_that_is_lit_in_time_closes_nothing_and_leaves_no_timer() -> None:
    rig = await Rig.playing(senses=0.199)
    rig.press(1)
    await rig.passes(1)
    assert rig.closed() == {}
    assert rig.lamp(1)
    assert not timers()


@in_virtual_time
async def test_2_6_each_lighting_of_a_lamp_has_its_own_200_ms() -> None:
    rig = await Rig.playing(senses=0.15)
    for _ in range(5):  # up to the maximum, back to nothing, and up again, each a lighting of its own
        for _ in range(4):
            rig.press(1)
            await rig.passes(0.18)
    assert rig.closed() == {}
    await rig.passes(1)
    assert not timers()


@in_virtual_time
async def test_2_8_the_seal_waits_250_ms_from_the_stamp_of_the_edge() -> None:
    rig = await Rig.playing()
    edge = rig.board.now()
    await asyncio.sleep(0.1)  # the contact settles, the message travels
    rig.signal(KeyTurned("locked", edge))
    await rig.passes(0.05)
    rig.report(1, 2, 4, 5, 6)
    await rig.passes(0.099)
    assert rig.closed() == {}
    await rig.passes(0.002)
    assert rig.closed() == {3: "node"}
    assert rig.engine.state.round is not None
    assert rig.engine.state.round.sealed


@in_virtual_time
async def test_8_3_after_a_restart_running_deadlines_start_afresh() -> None:
    rig = await Rig.playing(senses=None)
    rig.press(1)
    await rig.done()
    rig.key("locked")
    await rig.done()
    rig.engine.close()  # the power goes, with a lamp and every seat's report awaited
    await asyncio.sleep(100)
    again = Rig(rig.writer.durable, rig.writer.last)
    again.engine.start("test")
    await again.done()
    await again.passes(0.198)
    assert again.closed() == {}
    assert again.engine.state.round is not None
    assert not again.engine.state.round.sealed
    await again.passes(0.004)
    assert again.closed() == {1: "lamp"}
    assert again.engine.state.round.sealed  # nobody's report is awaited any more, only the lamp was


@in_virtual_time
async def test_a_timeout_does_not_overtake_what_was_stamped_before_it() -> None:
    rig = await Rig.playing(senses=None)
    rig.press(1)
    await rig.done()
    lit = rig.board.now()
    rig.press(2)
    await rig.turn()
    assert rig.writer.under_way  # and it will take three seconds
    await asyncio.sleep(0.1)
    rig.signal(LampSensed(1, True, rig.board.now()))
    await asyncio.sleep(2.9)
    assert rig.board.now().ns - lit.ns > 200_000_000
    rig.writer.complete()
    await rig.passes(0.1)
    assert rig.closed() == {}


@in_virtual_time
async def test_a_sense_that_comes_after_the_timeout_does_not_save_the_lamp() -> None:
    rig = await Rig.playing(senses=None)
    rig.press(1)
    await rig.done()
    rig.press(2)
    await rig.turn()
    await asyncio.sleep(0.3)
    rig.signal(LampSensed(1, True, rig.board.now()))
    rig.writer.complete()
    await rig.done()
    assert rig.closed() == {1: "lamp"}
    rig.engine.close()


@in_virtual_time
async def test_a_commit_of_three_seconds_makes_no_false_fault() -> None:
    rig = await Rig.playing(senses=0.02)
    for seat in range(1, 7):
        rig.press(seat)
    await rig.turn()
    for _ in range(10):  # while the disk is away players go on, and the key is turned
        await asyncio.sleep(0.3)
        rig.press(1)
    edge = rig.board.now()
    rig.key("locked")
    await asyncio.sleep(0.01)
    rig.report()
    await asyncio.sleep(3)
    rig.writer.complete()
    await rig.turn()
    await asyncio.sleep(3)  # and the next commit is as slow
    rig.writer.complete()
    await rig.passes(1)
    assert rig.closed() == {}
    assert rig.engine.state.round is not None
    assert rig.engine.state.round.sealed
    assert rig.engine.state.round.edge == edge
    assert rig.engine.state.meters.faults == {}
    assert not timers()


@in_virtual_time
async def test_stale_timeouts_are_ignored() -> None:
    rig = await Rig.playing()
    state = rig.engine.state
    for what in ("lamp", "seal", "noise"):
        rig.engine.put(Timeout(Deadline(cast(Any, what), 1, 7, 200_000_000)))
    await rig.turn()
    assert rig.engine.state is state
    assert not rig.writer.under_way


@in_virtual_time
async def test_an_idle_table_has_no_timer_and_no_task() -> None:
    rig = await Rig.playing()
    for seat in range(1, 7):
        rig.press(seat)
    await rig.passes(1)
    assert not timers()
    assert asyncio.all_tasks() == {asyncio.current_task()}


# --- hints (2.2) -----------------------------------------------------------------------------------------


@in_virtual_time
async def test_2_2_a_hint_vanishes_after_three_seconds() -> None:
    rig = Rig()
    rig.engine.start("test")
    rig.key("open")
    await rig.done()
    rig.press(1)
    await rig.done()
    assert [seat.text for seat in rig.panel.seats] == ["no-credits", "", "", "", "", ""]
    assert rig.heard[-1].refusals[0][0] == 1
    await rig.passes(2)
    rig.press(1)  # again: it stays for three seconds from here
    await rig.passes(2.9)
    assert rig.panel.seats[0].text == "no-credits"
    await rig.passes(0.2)
    assert [seat.text for seat in rig.panel.seats] == [""] * 6
    assert not timers()


@in_virtual_time
async def test_a_hint_stays_while_other_seats_play() -> None:
    rig = Rig()
    rig.board.senses = 0.01
    rig.engine.start("test")
    rig.engine.put(Command(Load(2, 9), BOSS))
    rig.key("open")
    await rig.done()
    rig.press(1)
    await rig.done()
    rig.press(2)
    await rig.passes(1)
    assert rig.panel.seats[0].text == "no-credits"
    assert rig.lamp(2)
    rig.engine.stop("enough")
    assert [seat.text for seat in rig.panel.seats] == [""] * 6
    assert not timers()


# --- commands that come again ----------------------------------------------------------------------------


@in_virtual_time
async def test_a_command_repeated_gets_the_first_answer_before_and_after_a_restart() -> None:
    rig = await Rig.playing()
    first = rig.command(Load(1, 5), id="ana/one")
    twin = rig.command(Load(1, 5), id="ana/one")  # sent again before the first is durable
    await rig.done()
    assert (await first).refusal is None
    assert (await twin).refusal is None
    refused = rig.command(Load(99, 5), id="ana/two")
    await rig.done()
    refusal = (await refused).refusal
    assert refusal is not None
    rig.engine.close()

    again = Rig(rig.writer.durable, rig.writer.last)
    again.engine.start("test")
    repeats = [again.command(Load(1, 5), id="ana/one"), again.command(Load(99, 5), id="ana/two")]
    await again.done()
    assert [(await repeat).refusal for repeat in repeats] == [None, refusal]
    loads = [e for b in rig.writer.batches + again.writer.batches for e in b if isinstance(e, CreditsLoaded)]
    assert len(loads) == 1


# --- writers ---------------------------------------------------------------------------------------------


def test_an_inline_writer_reports_what_its_commit_did() -> None:
    results: list[Any] = []

    def commit(events: Sequence[Event], state: Table) -> int:
        if not events:
            raise DISK
        return 7

    writer, state = InlineWriter(commit), cast(Table, None)
    writer.write([CreditsLoaded(1, 1, 1)], state, results.append)
    writer.write([], state, results.append)
    assert results == [7, DISK]


def test_the_journals_thread_does_one_thing_after_another_and_reports_on_the_loop() -> None:
    async def story() -> None:
        loop = asyncio.get_running_loop()
        writer = ThreadWriter(loop)
        here, seen, done = threading.get_ident(), [], []

        def commit(events: Sequence[Event], state: Table) -> int:
            seen.append((threading.get_ident(), len(events)))
            if not events:
                raise DISK
            return len(events)

        writer.use(commit)
        for count in (1, 0, 2):
            events = [CreditsLoaded(1, 1, 1)] * count
            writer.write(events, cast(Table, None), lambda r: done.append((threading.get_ident(), r)))
        assert await writer.run(threading.get_ident) == seen[0][0] != here
        assert [count for _, count in seen] == [1, 0, 2]
        assert done == [(here, 1), (here, DISK), (here, 2)]
        with pytest.raises(ZeroDivisionError):
            await writer.run(lambda: 1 // 0)
        gone = asyncio.ensure_future(writer.run(lambda: 1 // 0))
        await asyncio.sleep(0)
        gone.cancel()
        assert await writer.run(lambda: "still here") == "still here"
        writer.stop()

    asyncio.run(story())


def test_the_journals_thread_ends_with_its_loop() -> None:
    writers = []
    gate = threading.Event()

    async def story() -> None:
        writer = ThreadWriter(asyncio.get_running_loop())
        writers.append(writer)
        writer.use(lambda events, state: int(gate.wait(10)))
        writer.write([CreditsLoaded(1, 1, 1)], cast(Table, None), lambda _: None)

    asyncio.run(story())
    gate.set()  # the commit ends when nobody is there any more
    writers[0].stop()
    assert not writers[0]._thread.is_alive()


@in_virtual_time
async def test_signals_of_another_boot_do_not_confuse_the_clocks() -> None:
    rig = await Rig.playing()
    rig.signal(KeyTurned("locked", Stamp(rig.board.boot - 1, 5)))
    await rig.passes(0.249)
    assert rig.closed() == {}
    await rig.passes(0.002)
    assert len(rig.closed()) == 6
    assert rig.engine.state.round is not None
    assert rig.engine.state.round.sealed
    assert Minor(0) == sum(bet.bet for bet in rig.engine.state.round.bets)


# --- attacked --------------------------------------------------------------------------------------------

STAMPS = st.builds(Stamp, st.integers(0, 3), st.integers(0, 5_000_000_000))
SEATS = st.sampled_from([-1, 0, 1, 2, 6, 7, 99, 2**40])
SIGNALS = st.one_of(
    st.builds(Pressed, SEATS, STAMPS),
    st.builds(ChipDropped, SEATS, st.sampled_from([1, 1000, 3000, 10**15]), STAMPS),
    st.builds(NoisePulse, SEATS, STAMPS),
    st.builds(LampSensed, SEATS, st.booleans(), STAMPS),
    st.builds(KeyTurned, st.sampled_from(["open", "locked"]), STAMPS),
    st.builds(KeyFound, st.sampled_from(["open", "locked"]), STAMPS),
    st.builds(CompleteTo, SEATS, STAMPS),
    st.builds(PartFailed, SEATS, st.sampled_from(get_args(Part)), STAMPS),
    st.builds(PartMended, SEATS, st.sampled_from(get_args(Part)), STAMPS),
    st.builds(Timeout, st.builds(Deadline, st.sampled_from(["lamp", "seal"]), SEATS, st.integers(-2, 9), st.just(1))),
)


@given(st.lists(st.tuples(SIGNALS, st.sampled_from([0.0, 0.0, 0.0, 0.1, 0.3])), max_size=40), st.booleans())
def test_no_signal_whatever_stops_a_table_or_leaves_it_dead(signals: list[tuple[Any, float]], credits: bool) -> None:
    async def story() -> None:
        rig = Rig()
        if not credits:
            opened = rig.engine.state
            rig = Rig(replace(opened, setup=replace(opened.setup, acceptor="chips")))
        rig.board.senses = 0.01
        rig.engine.start("test")
        if credits:
            rig.engine.put(Command(Load(1, 50), BOSS))
        for signal, wait in signals:
            for _ in range(2):  # and each one twice
                rig.engine.put(signal)
            if wait:
                await rig.passes(wait)
        await rig.passes(61)
        assert not rig.engine.stopped
        assert not timers()
        assert len(rig.engine.state.alarms) < 100
        assert (await asyncio.wait_for(_acknowledged(rig), 1)) is not None
        rig.engine.close()

    run(story())


async def _acknowledged(rig: Rig) -> Any:
    answer = rig.command(CashOut(1))
    await rig.done()
    return await answer


@in_virtual_time
async def test_ten_thousand_signals_at_once_are_all_decided() -> None:
    rig = await Rig.playing(senses=0.01)
    for n in range(10_000):
        rig.press(1 + n % 6)
    last = rig.command(Load(1, 1))
    await rig.done()
    assert (await last).refusal is None
    events = [event for batch in rig.writer.batches for event in batch]
    assert sum(isinstance(event, BetChanged) for event in events) == 10_000
    assert len(rig.writer.batches) == 10_000 // BATCH + 1
    await rig.passes(1)
    assert rig.closed() == {}
    assert not timers()
