"""The figures that a table on lines was promised with, measured on the kernel's lines.

    python -m tests.hil.guest.figures virtual [PART ...] | durable

`virtual` is for a machine in virtual time, where nothing depends on who else is busy; `durable` for one in real time,
with a disk that is written.
"""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import time
from asyncio.subprocess import Process
from collections import Counter, defaultdict
from collections.abc import AsyncIterator, Callable, Coroutine, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from random import Random
from signal import SIGCONT, SIGSTOP
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
from hal.port import ChipDropped, NoisePulse, PartFailed, PartMended, Pressed, Signal
from hal.simulated.physics import US, Acceptor
from tests.bench.bed import DEALER, Bare
from tests.hil.guest.hands import Done, Move, play
from tests.hil.guest.lines import Lines
from tests.hil.guest.played import (
    SEATS,
    Played,
    acceptor,
    hardware,
    journaling,
    listening,
    opening,
    playing,
    stamped,
)
from tests.hil.guest.report import note, tell

Moves = list[Move]

SETTLE = Timing().settle


def _ratio(name: str, ratio: float, detail: str, most: float = 2.0) -> None:
    tell(name, ratio <= most, detail, figure=ratio, limit=most)


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


TWO_LINERS = f"""
import sys
from gpiozero import LED, Button

button, lamp = Button(23), LED(24)
button.when_pressed = lamp.on

other, light = Button(25, bounce_time={SETTLE / 1e9}), LED(26)
other.when_pressed = light.on

print("ready", flush=True)
sys.stdin.read()
"""
"""What everybody writes first, and the same with a contact that has to be at rest for as long as here; a program of its
own, on lines that the table leaves free."""

RIVALS = {
    "bare": (Pin("header", 23), Pin("header", 24)),
    "debouncing": (Pin("header", 25), Pin("header", 26)),
}
"""Their buttons and lamps."""

PATIENCE = 2_000 * MS
"""Nanoseconds after which a lamp will not be switched any more."""


@asynccontextmanager
async def two_liners(lines: Lines) -> AsyncIterator[Process]:
    """They run meanwhile, on a plain factory: nothing that pozo does to its own is theirs."""
    for contact, _ in RIVALS.values():
        lines.drive(contact, True)
    with TemporaryDirectory(prefix="two-liners-") as folder:  # lgpio makes its pipe there
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-c", TWO_LINERS),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            cwd=folder,
            env={**os.environ, "GPIOZERO_PIN_FACTORY": "lgpio"},
        )
        assert process.stdout is not None
        assert await process.stdout.readline(), "the two-liners do not start"
        try:
            yield process
        finally:
            process.kill()
            await process.wait()


class Latency:
    """Pulled lines and lamps of a played table and of two-liners beside it, in turns. They poll their lines all the
    time, which no table has beside it: they stand still while it is measured."""

    def __init__(self, played: Played, rivals: Process) -> None:
        self.played, self._rivals = played, rivals
        self.took: dict[str, list[int]] = {"told": [], "ours": [], **{name: [] for name in RIVALS}}
        self.missed: Counter[str] = Counter()
        self._rng = Random(1)

    async def turn(self, number: int) -> None:
        """One press of each."""
        for name, (contact, light) in RIVALS.items():
            await self._press(name, contact, light)
        seat = self.played.wiring.seats[number % SEATS]
        self.played.engine.heard.clear()
        self._rivals.send_signal(SIGSTOP)
        pull = await self._press("ours", acceptor(seat), seat.lamp)
        self._rivals.send_signal(SIGCONT)
        told = [at for at, signal in self.played.engine.heard if isinstance(signal, Pressed)]
        self.took["told"] += [at - pull.before for at in told[:1]]

    async def _press(self, name: str, pin: Pin, lamp: Pin) -> Done:
        """Press a button that does not bounce, and wait for its lamp; the pull."""
        await asyncio.sleep(self._rng.uniform(0.03, 0.04))
        before = time.monotonic_ns()
        self.played.lines.drive(pin, False)
        pull = Done(pin, False, before, time.monotonic_ns())
        await asyncio.sleep(0.04)
        self.played.lines.drive(pin, True)
        await asyncio.sleep(0.02)
        lit = self.played.switched(lamp, before)
        while lit is None and time.monotonic_ns() < before + PATIENCE:
            await asyncio.sleep(0.01)
            lit = self.played.switched(lamp, before)
        if lit is not None:
            self.took[name].append(lit - before)
        elif name == "ours" and not self.played.delivered.told(pull):
            self.missed["withheld by the kernel"] += 1
        else:
            self.missed[name] += 1
        return pull

    def medians(self) -> dict[str, float]:
        """In milliseconds."""
        return {name: median(values) / MS for name, values in self.took.items()}

    def tell(self, count: int, path: str) -> None:
        """Nothing drops out of the medians but what gpio-sim withheld, which is little."""
        right = not self.missed["ours"] and all(missed <= count / 20 for missed in self.missed.values())
        slowest = max(self.took["ours"], default=0) / MS
        closed = {seat.seat: seat.closed for seat in self.played.engine.state.seats if seat.closed}
        detail = f"of {count} each, missed: {dict(+self.missed)}; the slowest after {slowest:.1f} ms; closed: {closed}"
        tell(f"every press switches a lamp ({path})", right, detail)


async def latency(count: int) -> None:
    """Edge, decision, lamp, nothing being written; a credit is the maximum, so that every press switches the lamp."""
    async with playing(opening("credits", 1_000)) as played, two_liners(played.lines) as rivals:
        measured = await _measured(played, rivals, count)
    ms = measured.medians()
    settle = SETTLE / MS
    split = (
        f"{ms['ours']:.2f} ms: {settle:.0f} at rest, {ms['told'] - settle:.2f} until it is told, "
        f"{ms['ours'] - ms['told']:.2f} for decision and lamp; two-liners: bare {ms['bare']:.2f}, "
        f"debouncing {ms['debouncing']:.2f}"
    )
    _ratio("a lamp follows its press like that of a two-liner that debounces", ms["ours"] / ms["debouncing"], split)
    _ratio("beyond the rest of its contact, like that of a bare one", (ms["ours"] - settle) / ms["bare"], split)
    whole = f"{ms['ours'] / ms['bare']:.1f} times, where 2 was asked: any spike fires a bare one (docs/adr/0016)"
    tell("as a whole, against a bare one: told, not judged", True, whole)
    measured.tell(count, "nothing is written")
    PROMPT.append(Prompt("latency", played.delivered.late, played.delivered.edges))


async def _measured(played: Played, rivals: Process, count: int, after: Callable[[], None] = lambda: None) -> Latency:
    """So many turns, and something done after each. What is done for the first time takes longer: files are read."""
    first, measured = Latency(played, rivals), Latency(played, rivals)
    for number in range(SEATS):
        await first.turn(number)
    for number in range(count):
        await measured.turn(number)
        after()
    return measured


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


class Act(NamedTuple):
    """A press or a chip, or what must not be taken for one, its first move first. `who` tells of it."""

    who: object
    moves: tuple[Move, ...]


class Pairs(NamedTuple):
    """Acts and what was told of them, one to one: the acts told and not told, and what (who, ns) nobody did."""

    told: list[Act]
    untold: list[Act]
    invented: list[tuple[object, int]]


def paired(told: Iterable[tuple[object, int]], acts: Iterable[Act], made: Mapping[Move, Done]) -> Pairs:
    """Find for each act what was told (who, ns) of it, by its first pull; nothing twice."""
    stamps: defaultdict[object, list[int]] = defaultdict(list)
    for who, at in sorted(told, key=lambda each: each[1]):
        stamps[who].append(at)
    pairs = Pairs([], [], [])
    for act in acts:
        n = stamped(made[act.moves[0]], stamps[act.who])
        if n is None:
            pairs.untold.append(act)
        else:
            del stamps[act.who][n]
            pairs.told.append(act)
    pairs.invented.extend((who, at) for who, left in stamps.items() for at in left)
    return pairs


# --- the seal ----------------------------------------------------------------------------------------------


class Sealed(NamedTuple):
    """A round as it was sealed: the stamp (ns) of its edge, and the acts in it (seat, ns)."""

    edge: int
    acts: list[tuple[object, int]]


class Rounds:
    """What the engine decided in each round: the edge's stamp, and the acts (seat, stamp) that it sealed. Ends each."""

    def __init__(self, played: Played) -> None:
        self.sealed: list[Sealed] = []
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
            acts: list[tuple[object, int]] = [(seat, at) for seat, acts in self._acts.items() for at in acts]
            self.sealed.append(Sealed(self._edge, acts))
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


class Round(NamedTuple):
    """What hands do in a round: the key's moves, of them the edge, and the acts."""

    key: Moves
    edge: Move
    acts: list[Act]


def a_round(rng: Random, table: Any, start: int) -> Round:
    """At each seat one act long before the edge, and one about it."""
    active = table.seats[0].button is None
    at = start + EDGE
    opens, edge = Move(start + rng.randint(5, 20) * MS, table.key_open, False), Move(at, table.key_open, True)
    key = [Move(start, table.key_locked, True), opens]
    key += [edge, Move(at + rng.randint(1, 25) * MS, table.key_locked, False)]
    acts = []
    for number, seat in enumerate(table.seats, 1):
        near = rng.choice((30 * MS, 30 * MS, 2 * MS, 100 * US))
        for when in (at - rng.randint(80, 85) * MS, at + rng.randint(-near, near)):
            held = rng.randint(22, 30) * MS
            acts.append(Act(number, tuple(pulse(rng, when, acceptor(seat), active, held, 1))))
    return Round(key, edge, acts)


async def seal(kind: Acceptor, rounds: int) -> None:
    """Acts about the key's edge at all seats: an act is in the round if, and only if, it was before the edge."""
    rng = Random(3)
    async with playing(opening(kind), opened=False) as played:
        decided = Rounds(played)
        course = [a_round(rng, played.wiring, number * ROUND) for number in range(rounds)]
        moves = sorted(move for each in course for move in (*each.key, *(m for act in each.acts for m in act.moves)))
        made = dict(zip(moves, await play(played.lines, moves), strict=True))
        await asyncio.sleep(0.3)
    _tell_seal(kind, rounds, compared(course, made, decided.sealed, played.delivered.told))
    PROMPT.append(Prompt(f"seal, {kind}", played.delivered.late, played.delivered.edges))


def compared(
    course: Sequence[Round], made: Mapping[Move, Done], sealed: Sequence[Sealed], told: Callable[[Done], bool]
) -> Counter[str]:
    """What was done with what was sealed. An act, or a round, of which the kernel has not `told` every pull is the
    bench's own: it is withheld."""
    found: Counter[str] = Counter()
    for each in course:
        start = made[each.key[0]].before
        within = [one for one in sealed if start <= one.edge < start + ROUND]
        if not all(told(made[move]) for move in each.key):
            found["withheld rounds"] += 1
            continue
        if len(within) != 1 or stamped(made[each.edge], [within[0].edge]) is None:
            found["wrong rounds"] += 1
            continue
        pairs = paired(within[0].acts, each.acts, made)
        early = {act for act in each.acts if made[act.moves[0]].before < made[each.edge].before}
        whole = {act for act in each.acts if all(told(made[move]) for move in act.moves)}
        found["rounds"] += 1
        found["acts"] += len(each.acts)
        found["early"] += len(early)
        found["withheld acts"] += len(set(each.acts) - whole)
        found["lost"] += len((early & whole).intersection(pairs.untold))
        found["survived"] += len(set(pairs.told) - early)
        found["after the edge"] += sum(at > within[0].edge for _, at in within[0].acts)
        found["invented"] += len(pairs.invented)
    return found


WRONG = ("wrong rounds", "lost", "survived", "after the edge", "invented")


def _tell_seal(kind: Acceptor, rounds: int, found: Counter[str]) -> None:
    """gpio-sim withholds little, so nearly all is compared: of the acts three in four are before the edge."""
    total = rounds * SEATS * 2
    wrong = {what: found[what] for what in WRONG}
    detail = (
        f"{found['acts']} acts at {SEATS} seats in {found['rounds']} rounds, {found['early']} before the edge: {wrong}"
    )
    right = not any(wrong.values()) and found["early"] >= 0.6 * total and found["acts"] - found["early"] >= 0.15 * total
    tell(f"nothing after the edge survives the seal, and nothing before it is lost ({kind})", right, detail)
    kept = f"{found['rounds']} of {rounds}, withheld by the kernel {found['withheld rounds']}"
    tell(
        f"rounds are sealed at their edges ({kind})",
        found["rounds"] >= 0.95 * rounds and not found["wrong rounds"],
        kept,
    )
    share = found["withheld acts"] / max(1, found["acts"])
    name = f"the kernel tells of what hands do ({kind})"
    tell(name, share <= 0.01, f"{found['withheld acts']} acts withheld", figure=share, limit=0.01)


# --- many chips --------------------------------------------------------------------------------------------


async def many_chips(count: int) -> None:
    """Ten chips a second at every seat at once: each is told once, at its seat, with its value and its instant. The
    backend alone, without the engine and its commits."""
    rng = Random(4)
    with listening("chips") as (delivered, lines, told):
        table = hardware("chips").wiring
        acts = []
        for number, seat in enumerate(table.seats, 1):
            phase = rng.randint(0, 99) * MS
            for n in range(-(-count // SEATS)):
                value, pin = rng.choice(seat.chips)
                moves = pulse(rng, phase + n * 100 * MS, pin, True, rng.randint(22, 40) * MS, rng.random() < 0.1)
                acts.append(Act((number, value), tuple(moves)))
        told.clear()
        made = await _made(lines, acts)
    seconds = (max(done.after for done in made.values()) - min(done.before for done in made.values())) / 1e9
    pairs = paired([((s.seat, s.value), s.at.ns) for s in told if isinstance(s, ChipDropped)], acts, made)
    # gpio-sim holds back an edge now and then: a level that has changed without one is told, and then it is mended.
    held = [signal for signal in told if isinstance(signal, PartFailed | PartMended) and signal.part == "edges"]
    others = [signal for signal in told if not isinstance(signal, ChipDropped) and signal not in held]
    lost, invented = len(pairs.untold), len(pairs.invented)
    detail = f"{len(acts)} chips in {seconds:.0f} s, {len(made)} edges: {lost} lost, {invented} invented"
    name = "the backend alone, ten chips a second at every seat: none is lost, none invented"
    tell(name, len(pairs.told) >= count and not lost and not invented, detail)
    few = len(held) <= count / 1_000
    tell("and nothing else is told of them", not others and few, f"{others[:5]}, {len(held)} of edges held back")
    PROMPT.append(Prompt("ten chips a second at every seat", delivered.late, delivered.edges))


async def _made(lines: Lines, acts: Iterable[Act]) -> dict[Move, Done]:
    """What hands made of these acts' moves, when all that came of them has been told."""
    moves = sorted(move for act in acts for move in act.moves)
    made = dict(zip(moves, await play(lines, moves), strict=True))
    await asyncio.sleep(0.3)
    return made


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
        junk, acts = [], []
        for number, seat in enumerate(table.seats, 1):
            pin, active, at = acceptor(seat), seat.button is None, rng.randint(0, 30) * MS
            for n in range(2 * -(-count // SEATS)):
                junk.append(Act(number, tuple(rubbish(rng, pin, active, n, at))))
                at += rng.randint(20, 40) * MS
                if n % 12 == 0:
                    acts.append(Act(number, tuple(pulse(rng, at, pin, active, rng.randint(25, 45) * MS, 4))))
                    at += rng.randint(90, 110) * MS
        told.clear()
        made = await _made(lines, [*junk, *acts])
    _tell_never(kind, told, junk, acts, made)
    # 800 edges a second at all seats at once are more than this processor has time for: a few wait longer.
    _tell_prompt([Prompt(f"a storm, {kind}", delivered.late, delivered.edges)], 1 / 1_000)


def _tell_never(
    kind: Acceptor, told: Sequence[Signal], junk: Sequence[Act], acts: Sequence[Act], made: Mapping[Move, Done]
) -> None:
    """Each act is one that was made, and each spike or train is metered; gpio-sim withholds little of either."""
    counted = paired([(s.seat, s.at.ns) for s in told if isinstance(s, (Pressed, ChipDropped))], acts, made)
    noise = paired([(s.seat, s.at.ns) for s in told if isinstance(s, NoisePulse)], junk, made)
    failed = sum(isinstance(signal, PartFailed) for signal in told)
    lost, invented = len(counted.untold), len(counted.invented)
    detail = f"{len(junk)} of them and {len(acts)} acts, {len(made)} edges: {lost} acts lost, {invented} invented"
    tell(f"bounces and spikes never count ({kind})", bool(acts) and not lost and not invented, detail)
    metered = f"{len(noise.told)} of {len(junk)}, and {len(noise.invented)} others; {failed} parts failed"
    few = len(junk) / 100
    right = len(noise.untold) <= few and len(noise.invented) <= few and failed <= few
    tell(f"spikes are metered as noise, each once ({kind})", right, metered)


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
            two_liners(played.lines) as rivals,
        ):
            measured = await _measured(played, rivals, count, lambda: commits.append(bare.commit([bytes(200)]) * 1e3))
        bare.close()
    ms = measured.medians()
    commit = median(commits)
    limit = ms["bare"] + 2 * commit
    detail = (
        f"medians of {count}: {ms['ours']:.1f} ms (told after {ms['told']:.1f}); two-liners: bare {ms['bare']:.1f}, "
        f"debouncing {ms['debouncing']:.1f}; a bare commit {commit:.1f}; "
        f"{played.delivered.late} of {played.delivered.edges} edges late"
    )
    name = "a durable bet's lamp, in ms, like a bare two-liner and two bare commits"
    tell(name, ms["ours"] <= limit, detail, figure=ms["ours"], limit=limit)
    measured.tell(count, "durable")


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
