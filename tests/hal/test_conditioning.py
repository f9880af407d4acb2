"""From raw edges to facts: nothing counted twice, nothing lost, everything dated back, no promise broken."""

from __future__ import annotations

from hypothesis import example, given
from hypothesis import strategies as st

from hal.conditioning import Button, Sense, Slot, Source
from hal.debounce import MS
from hal.port import ChipDropped, LampSensed, NoisePulse, PartFailed, PartMended, Pressed
from tests.hal.rig import BOOT, TIMING, US, Edge, at, bounces, button, going, slot, spikes, wild_edges

# Buttons (rules 2.2).

presses = st.lists(st.tuples(st.integers(20 * MS, 300 * MS), bounces, st.integers(6 * MS, 200 * MS), bounces))
"""Pauses, bounces down, holds, bounces up. The shortest hold and pause are longer than the time to settle."""


def pressing(
    train: list[tuple[int, list[tuple[int, int]], int, list[tuple[int, int]]]],
) -> tuple[list[Edge], list[int]]:
    edges: list[Edge] = []
    downs, now = [], 0
    for pause, down, hold, up in train:
        downs.append(now + pause)
        edges += going("acceptor", downs[-1], True, down)
        edges += going("acceptor", edges[-1].at + hold, False, up)
        now = edges[-1].at
    return edges, downs


@given(presses)
def test_each_press_counts_once_and_is_dated_back_to_its_first_edge(
    train: list[tuple[int, list[tuple[int, int]], int, list[tuple[int, int]]]],
) -> None:
    edges, downs = pressing(train)
    assert button().feed(edges) == [Pressed(5, at(down)) for down in downs]


@given(st.lists(st.tuples(st.integers(1, 500 * MS), spikes), max_size=12), st.booleans())
def test_spikes_are_never_presses(train: list[tuple[int, int]], chips: bool) -> None:
    rig = slot() if chips else button()
    edges: list[Edge] = []
    now = 0
    for pause, width in train:
        edges += [Edge(now + pause, "acceptor", True), Edge(now + pause + width, "acceptor", False)]
        now += pause + width
    rig.feed(edges)
    assert rig.signals == rig.of(NoisePulse)
    assert len(rig.signals) <= len(train)
    assert bool(rig.signals) == bool(train)


def test_a_lone_spike_is_metered_as_noise_at_its_edge() -> None:
    rig = button()
    assert rig.feed([*going("acceptor", 40 * MS, True, []), Edge(41 * MS, "acceptor", False)]) == [
        NoisePulse(5, at(40 * MS))
    ]


def test_a_held_contact_that_shivers_is_still_held() -> None:
    edges = [Edge(t, "acceptor", level) for t, level in [(10, True), (30, False), (31, True), (90, False)]]
    edges = [edge._replace(at=edge.at * MS) for edge in edges]
    assert button().feed(edges) == [Pressed(5, at(10 * MS))]


def test_endless_chatter_is_noise_and_does_not_hold_the_seat_back() -> None:
    rig = button()
    for n in range(1_000):  # two seconds in which the line never rests for longer than 2 ms
        rig.pass_to((2 * n + 1) * MS)
        rig.source.edge("acceptor", (2 * n + 2) * MS, n % 2 == 0)
        rig.advance((2 * n + 2) * MS)
        assert rig.source.complete_to >= (2 * n + 2) * MS - TIMING.longest_chatter - 3 * MS
    rig.feed([])
    assert rig.signals == rig.of(NoisePulse)
    assert len(rig.signals) > 20


def test_a_button_pressed_for_more_than_ten_seconds_is_stuck_until_released() -> None:
    down, up = 50 * MS, 12_000 * MS
    told = button().feed([Edge(down, "acceptor", True), Edge(up, "acceptor", False)])
    assert told == [
        Pressed(5, at(down)),
        PartFailed(5, "button", at(down + 10_000 * MS)),
        PartMended(5, "button", at(up)),
    ]


def test_a_button_released_just_in_time_is_not_stuck() -> None:
    # Released 1 ms before the ten seconds are over; known only when the release has settled, after them.
    down = 50 * MS
    told = button().feed([Edge(down, "acceptor", True), Edge(down + 9_999 * MS, "acceptor", False)])
    assert told == [Pressed(5, at(down))]


def test_a_button_found_pressed_is_no_press_but_may_be_stuck() -> None:
    told = button(pressed=True).feed(
        [Edge(11_000 * MS, "acceptor", False), Edge(11_100 * MS, "acceptor", True)], 9_000 * MS
    )
    assert told == [
        PartFailed(5, "button", at(10_000 * MS)),
        PartMended(5, "button", at(11_000 * MS)),
        Pressed(5, at(11_100 * MS)),
    ]


# Chips (rules 2.3, 2.8).

widths = st.integers(TIMING.shortest_pulse, TIMING.longest_pulse)


@given(st.lists(st.tuples(st.integers(20 * MS, 400 * MS), widths, spikes, st.booleans()), max_size=10))
def test_each_chip_counts_once_and_is_dated_at_its_leading_edge(train: list[tuple[int, int, int, bool]]) -> None:
    edges: list[Edge] = []
    leading, now = [], 0
    for pause, width, dropout, flawed in train:
        start = now + pause
        leading.append(start)
        edges.append(Edge(start, "acceptor", True))
        if flawed:  # for a moment the beam seems clear in mid-chip
            edges.append(Edge(start + 6 * MS, "acceptor", False))
            edges.append(Edge(start + 6 * MS + dropout, "acceptor", True))
        now = start + width
        edges.append(Edge(now, "acceptor", False))
    assert slot().feed(edges) == [ChipDropped(5, 500, at(start)) for start in leading]


@given(st.one_of(st.integers(1 * US, TIMING.shortest_pulse - 1), st.integers(TIMING.longest_pulse + 1, 1_499 * MS)))
def test_a_pulse_too_short_or_too_long_is_noise(width: int) -> None:
    told = slot().feed([Edge(30 * MS, "acceptor", True), Edge(30 * MS + width, "acceptor", False)])
    assert told == [NoisePulse(5, at(30 * MS))]


def test_a_beam_broken_for_long_is_a_jam_until_it_clears() -> None:
    told = slot().feed([Edge(30 * MS, "acceptor", True), Edge(4_000 * MS, "acceptor", False)])
    assert told == [
        NoisePulse(5, at(30 * MS)),
        PartFailed(5, "slot", at(1_530 * MS)),
        PartMended(5, "slot", at(4_000 * MS)),
    ]


def test_after_a_jam_chips_count_again() -> None:
    edges = [Edge(30 * MS, "acceptor", True), Edge(4_000 * MS, "acceptor", False)]
    edges += [Edge(4_100 * MS, "acceptor", True), Edge(4_140 * MS, "acceptor", False)]
    assert slot().feed(edges)[-1] == ChipDropped(5, 500, at(4_100 * MS))


def test_what_is_found_in_the_beam_is_no_chip() -> None:
    told = slot(broken=True).feed([Edge(30 * MS, "acceptor", False)])
    assert [signal for signal in told if isinstance(signal, NoisePulse)] == [NoisePulse(5, at(0))]
    assert PartMended(5, "slot", at(30 * MS)) in told  # clear for the first time: it may have been jammed before


def test_a_chip_still_in_the_beam_holds_its_source_back() -> None:
    rig = slot()
    rig.pass_to(99 * MS)
    rig.source.edge("acceptor", 100 * MS, True)
    rig.pass_to(140 * MS)
    assert rig.source.complete_to == 100 * MS - 1
    rig.source.edge("acceptor", 145 * MS, False)
    rig.pass_to(149 * MS)
    assert rig.source.complete_to == 100 * MS - 1
    rig.pass_to(150 * MS)
    assert rig.signals == [ChipDropped(5, 500, at(100 * MS))]
    assert rig.source.complete_to == 150 * MS


def test_what_is_too_long_for_a_chip_holds_nothing_back() -> None:
    rig = slot()
    rig.source.edge("acceptor", 100 * MS, True)
    rig.pass_to(100 * MS + TIMING.longest_pulse + 1)
    assert rig.source.complete_to == 100 * MS + TIMING.longest_pulse + 1


def test_the_slot_says_what_a_chip_is_worth() -> None:
    beam = Slot(5, BOOT, False, 0, TIMING)
    source = Source(5, BOOT, {"acceptor": beam}, 0)
    beam.recognised(2_000)
    source.edge("acceptor", 30 * MS, True)
    source.edge("acceptor", 60 * MS, False)
    assert source.advance(70 * MS) == [ChipDropped(5, 2_000, at(30 * MS))]


# The lamp's light in the slot's sensor.


def lamp_switched(edges: list[Edge], switched: int) -> list[object]:
    beam = Slot(5, BOOT, False, 0, TIMING, 500)
    source = Source(5, BOOT, {"acceptor": beam}, 0)
    told: list[object] = []
    pending = [*edges, Edge(switched, "lamp", True)]
    for edge in sorted(pending):
        told += source.advance(edge.at - 1)
        if edge.line == "lamp":
            beam.lamp_switched(switched)
        else:
            source.edge(edge.line, edge.at, edge.level)
    return told + source.advance(10_000 * MS)


@given(st.integers(0, 14 * MS), st.integers(1, 14 * MS))
def test_light_of_the_lamp_is_neither_chip_nor_noise(delay: int, width: int) -> None:
    start = 50 * MS + delay
    end = min(start + width, 65 * MS - 1)
    edges = [] if end <= start else [Edge(start, "acceptor", True), Edge(end, "acceptor", False)]
    assert lamp_switched(edges, 50 * MS) == []


@example(width=20 * MS, shift=MS + 1, delay=10 * MS, glare=4 * MS)  # what is left after the light is too short to rest
@given(st.integers(20 * MS, 60 * MS), st.integers(-70 * MS, 20 * MS), st.integers(0, 10 * MS), st.integers(1, 4 * MS))
def test_a_chip_counts_whole_whenever_the_lamp_is_switched(width: int, shift: int, delay: int, glare: int) -> None:
    start = 100 * MS
    switched = start + shift
    edges = {start: True, start + width: False}
    light = switched + delay
    if start < light and light + glare < start + width:  # in mid-chip it makes the beam seem clear
        edges |= {light: False, light + glare: True}
    train = [Edge(when, "acceptor", level) for when, level in sorted(edges.items())]
    assert lamp_switched(train, switched) == [ChipDropped(5, 500, at(start))]


# Lamp sensors (rules 2.6).


@given(st.lists(st.tuples(st.integers(45 * MS, 300 * MS), bounces)))
def test_a_lamp_is_sensed_once_per_change_from_its_first_edge(train: list[tuple[int, list[tuple[int, int]]]]) -> None:
    edges: list[Edge] = []
    expected, now, lit = [], 0, False
    for pause, chatter in train:
        lit = not lit
        edges += going("current", now + pause, lit, chatter)
        expected.append(LampSensed(5, lit, at(now + pause)))
        now = edges[-1].at
    assert button().feed(edges) == expected


def test_a_lamp_sensed_in_mid_chip_waits_for_the_chip() -> None:
    # Signals of one source come in the order of their stamps, also across its lines.
    edges = [Edge(100 * MS, "acceptor", True), Edge(110 * MS, "current", True), Edge(150 * MS, "acceptor", False)]
    assert slot().feed(edges) == [ChipDropped(5, 500, at(100 * MS)), LampSensed(5, True, at(110 * MS))]


# Edges lost (rules 8, fault table).


def test_equal_edges_in_succession_are_told_once_and_mended_by_the_next_good_pair() -> None:
    moves = [
        (100, True),
        (200, False),
        (300, False),
        (400, False),
        (500, True),
        (600, False),
        (700, True),
        (800, False),
    ]
    told = button().feed([Edge(t * MS, "acceptor", level) for t, level in moves])
    assert told == [
        Pressed(5, at(100 * MS)),
        PartFailed(5, "edges", at(300 * MS)),
        Pressed(5, at(500 * MS)),
        PartMended(5, "edges", at(600 * MS)),
        Pressed(5, at(700 * MS)),
    ]


def test_edges_lost_on_two_lines_are_mended_when_both_are_good() -> None:
    moves = [
        Edge(100, "acceptor", False),
        Edge(200, "current", False),
        *going("acceptor", 300, True, [(1, 1)]),
        *going("current", 400, True, [(1, 1)]),
    ]
    rig = button()
    rig.feed([move._replace(at=move.at * MS) for move in moves], rest=100 * MS)
    assert rig.of(PartFailed) == [PartFailed(5, "edges", at(100 * MS))]
    assert rig.of(PartMended) == [PartMended(5, "edges", at(401 * MS))]


def test_a_pulse_in_which_an_edge_was_lost_is_no_chip() -> None:
    # It may have been two chips, or half of one: nobody can vouch for it.
    edges = [Edge(t * MS, "acceptor", level) for t, level in [(100, True), (120, True), (140, False)]]
    assert slot().feed(edges) == [NoisePulse(5, at(100 * MS)), PartFailed(5, "edges", at(120 * MS))]


# What is promised always.


@given(wild_edges(("acceptor", "current")), st.booleans(), st.booleans())
def test_no_train_of_edges_breaks_a_promise(edges: list[Edge], chips: bool, found: bool) -> None:
    rig = slot(found) if chips else button(found)
    rig.feed(edges)
    rises = sum(edge.level for edge in edges if edge.line == "acceptor")
    assert len(rig.of(Pressed)) + len(rig.of(ChipDropped)) <= rises
    lit = [signal.lit for signal in rig.signals if isinstance(signal, LampSensed)]
    assert lit == [n % 2 == 0 for n in range(len(lit))]


@given(st.integers(1, 500 * MS), st.integers(0, 600 * MS))
def test_an_edge_that_comes_too_late_is_moved_behind_what_was_promised(stamp: int, promised: int) -> None:
    source = Source(5, BOOT, {"acceptor": Button(5, BOOT, False, 0, TIMING)}, 0)
    source.advance(promised)
    source.promise(promised)
    source.edge("acceptor", stamp, True)
    told = source.advance(max(stamp, promised) + 50 * MS)
    assert told == [Pressed(5, at(max(stamp, promised + 1)))]


@given(st.integers(1, 500 * MS), st.integers(0, 600 * MS))
def test_an_edge_that_comes_late_keeps_its_stamp_if_nothing_was_promised(stamp: int, fed: int) -> None:
    source = Source(5, BOOT, {"acceptor": Button(5, BOOT, False, 0, TIMING)}, 0)
    source.advance(fed)
    source.edge("acceptor", stamp, True)
    assert source.advance(max(stamp, fed) + 50 * MS) == [Pressed(5, at(stamp))]


@given(wild_edges(("acceptor", "current")), st.lists(st.integers(0, 60 * MS), min_size=40), st.booleans())
def test_however_late_edges_come_signals_are_in_order_and_no_promise_is_broken(
    edges: list[Edge], delays: list[int], chips: bool
) -> None:
    """Edges of a line arrive in order, those of two lines as they like; now and then somebody is promised something."""
    acceptor = Slot(5, BOOT, False, 0, TIMING) if chips else Button(5, BOOT, False, 0, TIMING)
    source = Source(5, BOOT, {"acceptor": acceptor, "current": Sense(5, BOOT, False, TIMING)}, 0)
    arrivals: list[tuple[int, Edge]] = []
    latest = {"acceptor": 0, "current": 0}
    for edge, delay in zip(edges, delays, strict=False):
        latest[edge.line] = max(latest[edge.line] + 1, edge.at + delay)
        arrivals.append((latest[edge.line], edge))
    last = -1
    for n, (now, edge) in enumerate(sorted(arrivals)):
        source.edge(edge.line, edge.at, edge.level)
        told = source.advance(now)
        stamps = [last, *(signal.at.ns for signal in told)]
        assert stamps == sorted(stamps)
        last = stamps[-1]
        if n % 3 == 0:
            source.promise(source.complete_to)
            last = max(last, source.complete_to + 1)
