"""The figures that a table on lines was promised with, measured on the kernel's lines.

    python -m tests.hil.guest.figures virtual [PART ...] | durable

`virtual` is for a machine in virtual time, where nothing depends on who else is busy; `durable` for one in real time,
with a disk that is written.
"""

from __future__ import annotations

import asyncio
import sys
import time
from collections import Counter
from collections.abc import Callable, Coroutine, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from random import Random
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from controller.core.events import BetChanged, BetStripped, BettingClosed, BettingOpened, Event, RoundSealed
from controller.core.inputs import Ack, Command, Settle
from controller.core.panel import owed
from controller.published import Published
from hal.debounce import MS, Timing
from hal.gpio.exact import exact_loop
from hal.gpio.wiring import Pin
from hal.port import ChipDropped, NoisePulse, PartFailed, PartMended, Pressed
from hal.simulated.physics import US, Acceptor
from tests.bench.bed import DEALER, Bare
from tests.hil.guest.hands import Done, Move, play
from tests.hil.guest.played import SEATS, Played, acceptor, hardware, journaling, listening, opening, playing
from tests.hil.guest.report import note, tell

Moves = list[Move]

SETTLE = Timing().settle


class Prompt(NamedTuple):
    """How many edges a part delivered, and how many took longer than ``hal.gpio.feed.DELIVERY``."""

    part: str
    late: int
    edges: int


PROMPT: list[Prompt] = []
"""Of the parts that are no storm."""


def _tell_prompt(parts: Sequence[Prompt], most: float = 1 / 10_000) -> None:
    """The share of them all; an edge in some ten thousand is held back for a tenth of a second here."""
    late, edges = sum(each.late for each in parts), sum(each.edges for each in parts)
    share = late / max(1, edges)
    name = "hardly an edge is late: " + ", ".join(each.part for each in parts)
    detail = ", ".join(f"{each.late} of {each.edges}" for each in parts)
    tell(name, edges > 0 and share <= most, detail, figure=share, limit=most)


# --- latency ---------------------------------------------------------------------------------------------


class TwoLiner:
    """``button.when_pressed = lamp.on``: what everybody writes first, on two lines that the table leaves free."""

    def __init__(self, factory: Any, contact: int, light: int, bounce_time: float | None) -> None:
        from gpiozero import LED, Button

        self.contact, self.light = Pin("header", contact), Pin("header", light)
        self.button = Button(contact, pin_factory=factory, bounce_time=bounce_time)
        self.lamp = LED(light, pin_factory=factory)
        self.button.when_pressed = self.lamp.on

    def close(self) -> None:
        """Let the lines go: the callback first, whose end would be that of lgpio's thread."""
        self.button.pin.when_changed = None
        self.button.close()
        self.lamp.close()


@contextmanager
def two_liners(played: Played) -> Iterator[dict[str, TwoLiner]]:
    """The bare one, and the one that debounces for as long as a contact here must be at rest; on the table's own
    factory, since gpiozero's share their pins, and closing one would close the table's."""
    for contact in (23, 25):
        played.lines.drive(Pin("header", contact), True)
    assert played.backend._chips is not None
    factory = played.backend._chips.header.factory
    made = {"bare": TwoLiner(factory, 23, 24, None), "debouncing": TwoLiner(factory, 25, 26, SETTLE / 1e9)}
    try:
        yield made
    finally:
        for each in made.values():
            each.close()


class Latency:
    """Pulled lines and lamps of a played table and of two-liners beside it, in turns."""

    def __init__(self, played: Played, rivals: dict[str, TwoLiner]) -> None:
        self.played, self.rivals = played, rivals
        self.took: dict[str, list[int]] = {"told": [], "ours": [], **{name: [] for name in rivals}}
        self.missed: Counter[str] = Counter()
        self._rng = Random(1)

    async def turn(self, number: int) -> None:
        """One press of each."""
        for name, rival in self.rivals.items():
            pulled = await self._press(rival.contact)
            self._lit(name, rival.light, pulled)
            rival.lamp.off()
        seat = self.played.wiring.seats[number % SEATS]
        self.played.engine.heard.clear()
        pulled = await self._press(acceptor(seat))
        self._lit("ours", seat.lamp, pulled)
        told = [at for at, signal in self.played.engine.heard if isinstance(signal, Pressed)]
        self.took["told"] += [at - pulled for at in told[:1]]

    async def _press(self, pin: Pin) -> int:
        """Press a button that does not bounce; the instant (ns) at which its line was pulled."""
        await asyncio.sleep(self._rng.uniform(0.03, 0.04))
        pulled = time.monotonic_ns()
        self.played.lines.drive(pin, False)
        await asyncio.sleep(0.04)
        self.played.lines.drive(pin, True)
        await asyncio.sleep(0.02)
        return pulled

    def _lit(self, name: str, lamp: Pin, pulled: int) -> None:
        lit = self.played.switched(lamp, pulled)
        if lit is None:
            self.missed[name] += 1
        else:
            self.took[name].append(lit - pulled)

    def medians(self) -> dict[str, float]:
        """In milliseconds."""
        return {name: median(values) / MS for name, values in self.took.items()}


async def latency(count: int) -> None:
    """Edge, decision, lamp, nothing being written; a credit is the maximum, so that every press switches the lamp."""
    async with playing(opening("credits", 1_000)) as played:
        with two_liners(played) as rivals:
            await _warm(played, rivals)
            measured = Latency(played, rivals)
            for number in range(count):
                await measured.turn(number)
    ms = measured.medians()
    settle = SETTLE / MS
    split = (
        f"{ms['ours']:.2f} ms: {settle:.0f} at rest, {ms['told'] - settle:.2f} until it is told, "
        f"{ms['ours'] - ms['told']:.2f} for decision and lamp; two-liners: bare {ms['bare']:.2f}, "
        f"debouncing {ms['debouncing']:.2f}; {ms['ours'] / ms['bare']:.1f} times the bare one, which any spike fires"
    )
    _ratio("a lamp follows its press like that of a two-liner that debounces", ms["ours"] / ms["debouncing"], split)
    _ratio("beyond the rest of its contact, like that of a bare one", (ms["ours"] - settle) / ms["bare"], split)
    PROMPT.append(Prompt("latency", played.delivered.late, played.delivered.edges))
    tell("every press switches a lamp", not measured.missed, str(dict(measured.missed)))


async def _warm(played: Played, rivals: dict[str, TwoLiner]) -> None:
    """What is done for the first time takes longer: files are read."""
    first = Latency(played, rivals)
    for number in range(SEATS):
        await first.turn(number)


def _ratio(name: str, ratio: float, detail: str, most: float = 2.0) -> None:
    tell(name, ratio <= most, detail, figure=ratio, limit=most)


# --- what hands do -----------------------------------------------------------------------------------------


def train(rng: Random, at: int, pin: Pin, to: bool, most: int, longest: int) -> Moves:
    """`pin` goes `to` a level, leaving it again up to `most` times, each stay lasting up to `longest` ns."""
    moves = [Move(at, pin, to)]
    for level in (not to, to) * rng.randint(0, most):
        at += rng.randint(100 * US, longest)
        moves.append(Move(at, pin, level))
    return moves


def pulse(rng: Random, at: int, pin: Pin, active: bool, held: int, bounces: int = 2) -> Moves:
    """A press or a chip: `pin` is `active` for about `held` ns, and bounces at both ends."""
    moves = train(rng, at, pin, active, bounces, 800 * US)
    return moves + train(rng, moves[-1].at + held, pin, not active, bounces, 800 * US)


# --- the seal ----------------------------------------------------------------------------------------------


class Rounds:
    """What the engine decided in each round: the acts (seat, stamp) that it sealed, by the edge's stamp. Ends each."""

    def __init__(self, played: Played) -> None:
        self.sealed: dict[int, set[tuple[int, int]]] = {}
        self._edge = 0
        self._acts: dict[int, list[int]] = {}
        self._engine = played.engine
        self._tasks: set[asyncio.Task[None]] = set()
        played.engine.listen(self._hear)

    def _hear(self, published: Published) -> None:
        for _, event in published.entries:
            self._note(event)
        if published.state.round is None and any(owed(seat) for seat in published.state.seats):
            self._doing(self._hand_back())

    def _note(self, event: Event) -> None:
        if isinstance(event, BettingOpened):
            self._acts = {seat: [] for seat in range(1, SEATS + 1)}
        elif isinstance(event, BettingClosed):
            self._edge = event.edge.ns
        elif isinstance(event, BetChanged):
            self._acts[event.seat].append(event.at.ns)
        elif isinstance(event, BetStripped):
            self._acts[event.seat] = [act.at.ns for act in event.increments]
        elif isinstance(event, RoundSealed):
            self.sealed[self._edge] = {(seat, at) for seat, acts in self._acts.items() for at in acts}
            self._doing(self._end())

    def _doing(self, what: Coroutine[Any, Any, None]) -> None:
        task = asyncio.get_running_loop().create_task(what)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _end(self) -> None:
        await asyncio.sleep(0.1)
        await self._engine.command(Command(Settle(), DEALER))

    async def _hand_back(self) -> None:
        """What came too late, or beyond the maximum."""
        for seat in self._engine.state.seats:
            if owed(seat):
                await self._engine.command(Command(Ack(seat.seat), DEALER))


ROUND = 330 * MS
"""Nanoseconds from one opening to the next."""

EDGE = 110 * MS
"""From the opening to the lock."""


def round_moves(rng: Random, table: Any, start: int) -> tuple[Moves, Move, list[tuple[int, Move]]]:
    """A round's moves; of them the edge, and each seat's acts, one long before the edge and one about it."""
    active = table.seats[0].button is None
    moves = [Move(start, table.key_locked, True), Move(start + rng.randint(5, 20) * MS, table.key_open, False)]
    at = start + EDGE
    edge = Move(at, table.key_open, True)
    moves += [edge, Move(at + rng.randint(1, 25) * MS, table.key_locked, False)]
    acts = []
    for number, seat in enumerate(table.seats, 1):
        near = rng.choice((30 * MS, 30 * MS, 2 * MS, 100 * US))
        for when in (at - rng.randint(80, 85) * MS, at + rng.randint(-near, near)):
            made = pulse(rng, when, acceptor(seat), active, rng.randint(22, 30) * MS, 1)
            acts.append((number, made[0]))
            moves += made
    return moves, edge, acts


async def seal(kind: Acceptor, rounds: int) -> None:
    """Acts about the key's edge at all seats: an act is in the round if, and only if, it was before the edge."""
    rng = Random(3)
    async with playing(opening(kind), opened=False) as played:
        decided = Rounds(played)
        course = [round_moves(rng, played.wiring, number * ROUND) for number in range(rounds)]
        moves = sorted(move for moves, _, _ in course for move in moves)
        by_move = dict(zip(moves, await play(played.lines, moves), strict=True))
        await asyncio.sleep(0.3)
    heard = [(s.seat, s.at.ns) for _, s in played.engine.heard if isinstance(s, (Pressed, ChipDropped))]
    wrong = Counter({"lost": 0, "survived": 0, "unheard": 0})
    total = early = against_stamps = 0
    for _, edge, acts in course:
        found = [(at, acts) for at, acts in decided.sealed.items() if _is(by_move[edge], at)]
        for locked, sealed in found:
            against_stamps += sum(at > locked for _, at in sealed)
            told = {(seat, done) for seat, at in heard for done in _pulled(acts, by_move, seat, at)}
            before = {(seat, by_move[act]) for seat, act in acts if by_move[act].before < by_move[edge].before}
            counted = {(seat, done) for seat, at in sealed for done in _pulled(acts, by_move, seat, at)}
            total, early = total + len(acts), early + len(before)
            wrong["lost"] += len((before & told) - counted)
            wrong["survived"] += len(counted - before)
            wrong["unheard"] += len(acts) - len(told)
    PROMPT.append(Prompt(f"seal, {kind}", played.delivered.late, played.delivered.edges))
    _tell_seal(kind, rounds, len(decided.sealed), total, early, wrong, against_stamps)


def _tell_seal(
    kind: Acceptor, rounds: int, sealed: int, total: int, early: int, wrong: Counter[str], against_stamps: int
) -> None:
    """gpio-sim drops or holds back an edge now and then, as a reader of the kernel's own events sees too: an act of
    which the kernel has not told the first edge is the bench's own, and so is the round after a lamp's lost edge."""
    detail = f"{total} acts at {SEATS} seats in {sealed} rounds, {early} of them before the edge: {dict(wrong)}"
    right = wrong["lost"] == wrong["survived"] == against_stamps == 0
    tell(f"nothing after the edge survives the seal, and nothing before it is lost ({kind})", right, detail)
    tell(f"rounds are sealed ({kind})", sealed >= 0.95 * rounds, f"{sealed} of {rounds}")
    share = wrong["unheard"] / max(1, total)
    tell(f"the kernel tells of first edges ({kind})", share <= 0.01, detail, figure=share, limit=0.01)


def _pulled(acts: Sequence[tuple[int, Move]], by_move: dict[Move, Done], seat: int, at: int) -> list[Done]:
    """The pull of a seat that the kernel stamped `at`."""
    return [by_move[act] for number, act in acts if number == seat and _is(by_move[act], at)]


def _is(done: Done, at: int) -> bool:
    return done.before <= at <= done.after + 100 * US


# --- many chips --------------------------------------------------------------------------------------------


async def many_chips(count: int) -> None:
    """Ten chips a second at every seat at once: each is told, at its seat and with its value."""
    rng = Random(4)
    with listening("chips") as (delivered, lines, told):
        table = hardware("chips").wiring
        expected: Counter[tuple[int, int]] = Counter()
        moves: Moves = []
        for number, seat in enumerate(table.seats, 1):
            phase = rng.randint(0, 99) * MS
            for n in range(-(-count // SEATS)):
                value, pin = rng.choice(seat.chips)
                expected[number, value] += 1
                moves += pulse(rng, phase + n * 100 * MS, pin, True, rng.randint(22, 40) * MS, rng.random() < 0.1)
        told.clear()
        made = await play(lines, moves)
        await asyncio.sleep(0.3)
    seconds = (made[-1].after - made[0].before) / 1e9
    chips = Counter((signal.seat, signal.value) for signal in told if isinstance(signal, ChipDropped))
    # gpio-sim holds back an edge now and then: a level that has changed without one is told, and then it is mended.
    held = [signal for signal in told if isinstance(signal, PartFailed | PartMended) and signal.part == "edges"]
    others = [signal for signal in told if not isinstance(signal, ChipDropped) and signal not in held]
    lost, invented = (expected - chips).total(), (chips - expected).total()
    detail = f"{expected.total()} chips in {seconds:.0f} s, {len(moves)} edges: {lost} lost, {invented} invented"
    tell("ten chips a second at every seat: none is lost, none invented", chips == expected, detail)
    few = len(held) <= count / 1_000
    tell("and nothing else is told of them", not others and few, f"{others[:5]}, {len(held)} of edges held back")
    PROMPT.append(Prompt("ten chips a second at every seat", delivered.late, delivered.edges))


# --- bounce and spikes -------------------------------------------------------------------------------------


def rubbish(rng: Random, pin: Pin, active: bool, number: int, start: int) -> Moves:
    """By turns a spike of a millisecond at most, and a train of them at the end of which all is as before."""
    if number % 2:
        return [Move(start, pin, active), Move(start + rng.randint(50 * US, 950 * US), pin, not active)]
    moves = [Move(start, pin, active)]
    for level in (not active, active) * rng.randint(1, 4):
        moves.append(Move(moves[-1].at + rng.randint(100 * US, 900 * US), pin, level))
    return [*moves, Move(moves[-1].at + rng.randint(100 * US, 900 * US), pin, not active)]


async def never(kind: Acceptor, count: int) -> None:
    """Spikes and trains, `count` of each, and now and then an act with bounces: only the acts are told, once each."""
    rng = Random(5)
    with listening(kind) as (delivered, lines, told):
        table = hardware(kind).wiring
        moves: Moves = []
        acts = 0
        for seat in table.seats:
            pin, active, at = acceptor(seat), seat.button is None, rng.randint(0, 30) * MS
            for n in range(2 * -(-count // SEATS)):
                moves += rubbish(rng, pin, active, n, at)
                at += rng.randint(20, 40) * MS
                if n % 12 == 0:
                    acts += 1
                    moves += pulse(rng, at, pin, active, rng.randint(25, 45) * MS, 4)
                    at += rng.randint(90, 110) * MS
        told.clear()
        made = await play(lines, moves)
        await asyncio.sleep(0.3)
    counted = [signal for signal in told if isinstance(signal, (Pressed, ChipDropped))]
    noise = sum(isinstance(signal, NoisePulse) for signal in told)
    failed = [signal for signal in told if isinstance(signal, PartFailed)]
    detail = f"{count} of each and {acts} acts, {len(made)} edges: {len(counted)} counted, {noise} metered as noise"
    tell(f"bounces and spikes never count ({kind})", len(counted) == acts, f"{detail}; {len(failed)} lost edges found")
    # 800 edges a second at all seats at once are more than this processor has time for: a few wait longer.
    _tell_prompt([Prompt(f"a storm, {kind}", delivered.late, delivered.edges)], 1 / 1_000)


# --- idleness ----------------------------------------------------------------------------------------------


async def idle(seconds: float) -> None:
    """What a table costs at which nothing happens."""
    with listening("credits"):
        await asyncio.sleep(1)
        before, began = _threads(), time.monotonic()
        await asyncio.sleep(seconds)
        took = time.monotonic() - began
        spent = {name: (cpu - before.get(name, 0)) / took for name, cpu in _threads().items()}
    library, total = max(spent.values()), sum(spent.values())
    detail = (
        f"of one processor of 1000 MIPS: lgpio's thread, which polls, {library:.2%}; all else {total - library:.2%}"
    )
    tell("an idle table leaves the processor alone", total <= 0.04, detail, figure=total, limit=0.04)


def _threads() -> dict[str, float]:
    """Seconds of processor that each thread of this process has had."""
    tasks = Path("/proc/self/task").iterdir()
    return {task.name: int((task / "schedstat").read_text().split()[0]) / 1e9 for task in tasks}


# --- the durable path --------------------------------------------------------------------------------------


async def durable(count: int) -> None:
    """Pulled line to lamp through the real journal, in turns with two-liners and with bare commits to the same disk."""
    start = opening("credits", 1_000)
    with TemporaryDirectory(prefix="figures-", dir="/var/lib") as folder:
        bare = Bare(Path(folder, "bare.db"))
        commits: list[float] = []
        async with (
            journaling(start, Path(folder, "journal")) as (writer, last),
            playing(start, writer=writer, last=last) as played,
        ):
            with two_liners(played) as rivals:
                await _warm(played, rivals)
                measured = Latency(played, rivals)
                for number in range(count):
                    await measured.turn(number)
                    commits.append(bare.commit([bytes(200)]) * 1e3)
            late = played.backend.late
        bare.close()
    ms = measured.medians()
    commit = median(commits)
    limit = ms["debouncing"] + 2 * commit
    detail = (
        f"medians of {count}: {ms['ours']:.1f} ms (told after {ms['told']:.1f}); two-liners: debouncing "
        f"{ms['debouncing']:.1f}, bare {ms['bare']:.1f}; a bare commit {commit:.1f}; {late} edges late; "
        f"against the bare two-liner and two commits: {ms['bare'] + 2 * commit:.1f}"
    )
    tell("a durable bet's lamp, in ms", ms["ours"] <= limit, detail, figure=ms["ours"], limit=limit)


PARTS: dict[str, Callable[[], Coroutine[Any, Any, None]]] = {
    "latency": lambda: latency(100),
    "seal-credits": lambda: seal("credits", 80),
    "seal-chips": lambda: seal("chips", 80),
    "idle": lambda: idle(10),
    "chips": lambda: many_chips(10_000),
    "rubbish-buttons": lambda: never("credits", 500),
    "rubbish-sensors": lambda: never("chips", 500),
}
"""What virtual time is for."""


async def virtual(names: Sequence[str]) -> None:
    """Measure these parts, or all."""
    for name in names or PARTS:
        began = time.monotonic()
        await PARTS[name]()
        note(f"{name}: {time.monotonic() - began:.0f} s of the machine's time")
    if PROMPT:
        _tell_prompt(PROMPT)


if __name__ == "__main__":
    with asyncio.Runner(loop_factory=exact_loop) as runner:  # as the daemon on lines
        runner.run(durable(60) if sys.argv[1] == "durable" else virtual(sys.argv[2:]))
