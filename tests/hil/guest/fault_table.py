"""The fault table of rules 8.5 as data: each kind of line, stuck high, low, open or full of static, in each phase in
which that matters; what must come of it, what must not, and the way back. What is expected is what docs/rules.md says.
"""

from __future__ import annotations

import asyncio
import traceback
from collections.abc import Iterable, Iterator
from itertools import cycle
from typing import Literal, NamedTuple, cast

from tests.hil.guest.report import note, tell
from tests.hil.guest.stand import QUIET_S, Phase, Sight, Stand, books, lamps, untouched
from tests.hil.guest.table import Sticking

Must = Literal["nothing", "closes", "locks", "alarm", "edges", "edges, perhaps", "closes after", "noise"]
"""What must come of it: nothing at all; the seat closes; the table locks and there is an alarm; an alarm, and the table
is where it was; the same for edges; that, or nothing; the seat closes when its bet is over; a pulse is metered, and no
more."""

SLACK_S = 0.2
"""From a time that the rules give to what is seen of it: settling, delivery, a commit, an answer."""


Act = Literal["", "turn", "bet", "settle"]


class Row(NamedTuple):
    """One row. `faults` are tried one after the other. `act` is what is done while the fault lasts: the key is
    turned, a bet tried, the round settled. It must come within `within` seconds, and not before `after`. A fault with
    `lasts` is over by itself after so many seconds, and what must come is looked for afterwards."""

    line: str
    faults: str
    phase: Phase
    must: Must
    clause: str
    cause: str = ""
    act: Act = ""
    within: float = 0.2
    after: float = 0
    lasts: float = 0
    pressed: int = 0
    """How many presses a stuck button is taken for: its first edge is one, as any."""

    @property
    def seat(self) -> int:
        """The seat on trial; 0 for the table itself."""
        word = self.line.split()[1:2]
        return int(word[0]) if word and word[0].isdigit() else 0

    def name(self, fault: str) -> str:
        """For people."""
        what = self.must if self.cause in ("", self.must) else f"{self.must}, {self.cause}"
        lasting = f" for {self.lasts:g} s" if self.lasts else ""
        act = f", {self.act}" if self.act else ""
        return f"{self.line} {fault}{lasting}, {self.phase}{act}: {what} ({self.clause})"


KEY = "8.5 key contacts, 2.9"
ROWS_OF_THE_KEY = (
    Row("key_open", "open", "idle", "alarm", KEY, "key", "turn"),
    Row("key_open", "high open", "open", "locks", KEY, "key"),
    Row("key_open", "high", "sealed", "nothing", KEY),
    Row("key_open", "low", "idle", "alarm", KEY, "key"),
    Row("key_open", "low", "open", "locks", KEY, "key", "turn"),
    Row("key_open", "low", "sealed", "alarm", KEY, "key"),
    Row("key_locked", "open", "idle", "alarm", KEY, "key"),
    Row("key_locked", "high open", "open", "locks", KEY, "key", "turn"),
    Row("key_locked", "open", "sealed", "alarm", KEY, "key"),
    Row("key_locked", "low", "idle", "alarm", KEY, "key", "turn"),
    Row("key_locked", "low", "open", "locks", KEY, "key"),
    Row("key_locked", "low", "sealed", "nothing", KEY),
    Row("key_locked", "high", "idle", "nothing", KEY, lasts=0.03),
)
"""High and open are one to a line that is pulled up. That a turn opens again is seen in the round that follows."""

STUCK = "8.5 button stuck, 2.10"
NOISE = "8.5 noise, 2.10"
ROWS_OF_BUTTONS = (
    Row("button 1", "high", "idle", "nothing", "2.2", act="bet"),
    Row("button 1", "high open", "open", "nothing", "2.2", act="bet"),
    Row("button 1", "open", "sealed", "nothing", "2.8", act="bet"),
    Row("button 1", "low", "open", "closes", STUCK, "button", within=10, after=9.5, pressed=1),
    Row("button 1", "low", "sealed", "closes", STUCK, "button", within=10, after=9.5),
    Row("button 1", "low", "open", "noise", "8.5 noise", lasts=0.001),
)
NOISY_BUTTONS = (
    Row("button 4", "noisy", "idle", "closes", NOISE, "noise", within=0.6),
    Row("button 5", "noisy", "open", "closes", NOISE, "noise", within=0.6),
    Row("button 6", "noisy", "sealed", "closes", NOISE, "noise", within=0.6),
)

LAMP = "2.6, 2.10"


def rows_of_lamps(seats: Iterator[int]) -> Iterator[Row]:
    """Lamps, and what senses them; each row at the next of `seats`."""
    table: tuple[tuple[str, str, Phase, Must, Act, float], ...] = (
        ("lamp", "low open", "idle", "nothing", "", 0.2),
        ("lamp", "low open", "bare", "closes", "bet", 0.2),
        ("lamp", "low open", "open", "closes", "", 0.2),
        ("lamp", "low open", "sealed", "closes", "", 0.2),
        ("lamp", "high", "idle", "closes", "", 0.2),
        ("lamp", "high", "bare", "closes", "", 0.2),
        ("lamp", "high", "open", "nothing", "", 0.2),
        ("lamp", "high", "sealed", "closes after", "settle", 0.2),
        ("sense", "high open", "idle", "nothing", "", 0.2),
        ("sense", "high open", "bare", "closes", "bet", 0.2),
        ("sense", "high open", "open", "closes", "", 0.2),
        ("sense", "high open", "sealed", "closes", "", 0.2),
        ("sense", "low", "idle", "closes", "", 0.2),
        ("sense", "low", "bare", "closes", "", 0.2),
        ("sense", "low", "open", "nothing", "", 0.2),
        ("sense", "low", "sealed", "closes after", "settle", 0.2),
    )
    for what, faults, phase, must, act, within in table:
        for fault in faults.split():
            cause = "" if must == "nothing" else "lamp"
            yield Row(f"{what} {next(seats)}", fault, phase, must, LAMP, cause, act, within)


PHASES: tuple[Phase, ...] = ("idle", "open", "sealed")
ROWS_OF_STATIC = tuple(
    Row(line, "noisy", phase, "nothing", clause, within=0.6)
    for phase in PHASES
    for line, clause in (
        *(("key_open", "2.8"), ("key_locked", "2.8"), ("dealer up", "8.5"), ("dealer back", "8.5")),
        *(("sense 1", "2.6"), ("sense 3", "2.6"), ("lamp 5", "2.6"), ("lamp 4", "2.6")),
    )
)

EDGES = "8.5 edges lost"
ROWS_OF_THE_TABLE = (
    Row("jumper out", "open", "open", "edges", EDGES, "edges", within=2.5),
    Row("jumper out", "low", "idle", "edges", EDGES, "edges", within=2.5),
    Row("jumper in", "low", "sealed", "edges", EDGES, "edges", within=2.5),
    Row("jumper in", "high", "open", "edges", EDGES, "edges", within=2.5),
    *(Row("jumper in", "noisy", phase, "edges, perhaps", EDGES, within=2.5) for phase in PHASES),
    Row("dealer up", "high open", "open", "nothing", "8.5"),
    Row("dealer back", "open high", "open", "nothing", "8.5"),
    *(Row(f"dealer {key}", "low", phase, "nothing", "8.5") for phase in PHASES for key in ("up", "back")),
)
"""Static at the jumper loses its edge only where it strikes as that is sent. A dealer's key that is low for longer is
in ``faults``. There is no row for the meter: see `Stand.counter`."""

JAM = "8.5 slot jammed, 2.10"


ROWS_OF_SENSORS = (
    Row("chip 4 1000", "noisy", "idle", "closes", NOISE, "noise", within=0.6),
    Row("chip 5 1000", "noisy", "open", "closes", NOISE, "noise", within=0.6),
    Row("chip 6 1000", "noisy", "sealed", "closes", NOISE, "noise", within=0.6),
    Row("chip 1 1000", "high", "idle", "closes", JAM, "slot", within=1.5, after=1.3),
    Row("chip 3 1000", "open", "idle", "closes", JAM, "slot", within=1.5, after=1.3),
    Row("chip 1 5000", "high", "open", "closes", JAM, "slot", within=1.5, after=1.3),
    Row("chip 3 1000", "open", "open", "closes", JAM, "slot", within=1.5, after=1.3),
    Row("chip 1 1000", "high", "sealed", "closes", JAM, "slot", within=1.5, after=1.3),
    Row("chip 3 1000", "open", "sealed", "closes", JAM, "slot", within=1.5, after=1.3),
    Row("chip 1 1000", "high", "open", "noise", "8.5 slot jammed, noise", lasts=1.4),
    Row("chip 1 1000", "high", "open", "noise", "8.5 noise", lasts=0.17),
    Row("chip 3 1000", "high", "open", "noise", "8.5 noise", lasts=0.006),
    Row("chip 1 5000", "high", "sealed", "noise", "8.5 noise", lasts=0.006),
    Row("chip 1 1000", "low", "idle", "nothing", "2.3", act="bet"),
    Row("chip 1 1000", "low", "open", "nothing", "2.3", act="bet"),
    Row("chip 1 1000", "low", "sealed", "nothing", "2.3", act="bet"),
    Row("lamp 1", "low", "bare", "closes", LAMP, "lamp", "bet"),
    Row("sense 3", "high", "open", "closes", LAMP, "lamp"),
    Row("sense 3", "high", "sealed", "closes", LAMP, "lamp"),
)
"""At a table with chips. High is a broken beam, or a broken wire."""

AT_THE_EXPANDER, AT_THE_HEADER = (1, 5, 6), (3, 4)
"""Seats with a button, by where their lamp and its sense are. The dealer's key ``back`` and the meter are at the
expander, everything else at the header."""

ROWS_OF_LAMPS = (*rows_of_lamps(cycle(AT_THE_EXPANDER)), *rows_of_lamps(cycle(AT_THE_HEADER)))
ROWS_OF_BUTTONS_AND_LAMPS = (*ROWS_OF_BUTTONS, *ROWS_OF_LAMPS)


class Trial(NamedTuple):
    """A row with one of its faults."""

    row: Row
    fault: Sticking

    @property
    def manner(self) -> tuple[object, ...]:
        """What those have in common that can be tried in the same round."""
        row = self.row
        return row.phase, row.act, row.within, row.after, row.lasts

    @property
    def lit_by_itself(self) -> bool:
        """Whether a lamp is lit, or dark, whatever is commanded."""
        return self.row.line.startswith("lamp") and self.fault != "noisy"

    def goes_with(self, others: Iterable[Trial]) -> bool:
        """Whether it can be tried together with `others`, each at its seat: all must come of it as if it were alone."""
        return all(
            self.manner == other.manner
            and self.row.line != other.row.line
            and (self.row.must == other.row.must == "nothing" or (self.row.seat and other.row.seat))
            and (not self.row.seat or self.row.seat != other.row.seat)
            for other in others
        )


def rounds(rows: Iterable[Row], only: str) -> list[list[Trial]]:
    """What is tried, by rounds."""
    found: list[list[Trial]] = []
    for row in rows:
        for fault in row.faults.split():
            trial = Trial(row, cast(Sticking, fault))
            if only in row.name(fault):
                fitting = next((some for some in found if trial.goes_with(some)), None)
                if fitting is None:
                    found.append([trial])
                else:
                    fitting.append(trial)
    return found


async def try_rows(stand: Stand, rows: Iterable[Row], only: str) -> None:
    """Try them, each fault a finding. A table that cannot be put right is begun anew."""
    for trials in rounds(rows, only):
        tried = RoundOfTrials(stand, trials)
        try:
            await tried.run()
        except Exception:
            tried.wrong[0].append(traceback.format_exc())
        for trial, wrong in zip(trials, tried.wrong[1:], strict=True):
            tell(trial.row.name(trial.fault), not wrong and not tried.wrong[0], "; ".join((*tried.wrong[0], *wrong)))
        if any(tried.wrong):
            for pin in stand.electricity.stuck:
                stand.electricity.unstick(pin)
            if await stand.put_right(patient=False):
                note("begun anew")
                await stand.anew()


class RoundOfTrials:
    """Trials that go together, from idle to idle. `wrong` has what is not as it must be: of the table itself, then of
    each trial."""

    def __init__(self, stand: Stand, trials: list[Trial]) -> None:
        self.stand, self.trials = stand, trials
        self.row = trials[0].row
        self.seats = {trial.row.seat for trial in trials if trial.row.seat}
        self.wrong: list[list[str]] = [[] for _ in range(len(trials) + 1)]

    async def run(self) -> None:
        """Try them."""
        stand, row, wrong = self.stand, self.row, self.wrong[0]
        wrong += await stand.reach(row.phase, self.seats or {1})
        before = await stand.look()
        mark = len(stand.eyes.streamed)
        for trial in self.trials:
            stand.electricity.stick(stand.pin(trial.row.line), trial.fault)
        await self._meanwhile()
        after = await stand.look()
        self._judge(before, after, mark)
        for number, trial in enumerate(self.trials, 1):
            if trial.row.seat:
                self._judge_seat(number, before, after)
        if row.phase == "idle":
            await self._reopen_too_early()
        self._unstick()
        await asyncio.sleep(QUIET_S)
        await self._way_back()

    def _unstick(self) -> None:
        for trial in self.trials:
            self.stand.electricity.unstick(self.stand.pin(trial.row.line))

    async def _meanwhile(self) -> None:
        stand, row = self.stand, self.row
        if row.lasts:
            await asyncio.sleep(row.lasts)
            self._unstick()
        if row.act == "turn":
            stand.electricity.turn_key("open" if row.phase == "idle" else "locked")
        elif row.act == "bet":
            for seat in self.seats:
                stand.bet(seat)
        elif row.act == "settle":
            self.wrong[0] += await stand.end_round()
        await stand.electricity.quiet(0)
        if row.after:
            await asyncio.sleep(row.after)
            seats = (await stand.look()).seats
            self.wrong[0] += [f"seat {seat} closes too early" for seat in self.seats if not seats[seat].open]
        await asyncio.sleep(row.within - row.after + SLACK_S)

    # --- what must be, and what must not ------------------------------------------------------------------------

    def _judge(self, before: Sight, after: Sight, mark: int) -> None:
        """The table itself, and those who have nothing to do with it."""
        row = self.row
        check = self._check
        ended = row.act == "settle"
        on_trial = {t.row.seat for t in self.trials if "closes" in t.row.must or t.lit_by_itself}
        self.wrong[0] += books(after, self.stand.opening) + lamps(after, on_trial)
        if not ended:
            self.wrong[0] += untouched(before, after, self.seats)
        check("out of service", after.out_of_service, None)
        locked = row.must == "locks" or (row.act == "turn" and row.phase == "open")
        check("phase", after.phase, "locked" if locked else "idle" if ended else before.phase)
        check("sealed", after.sealed, locked or (before.sealed and not ended))
        failed = {"locks": ["key"], "alarm": ["key"]}.get(row.must, [])
        check("failed", after.failed, failed)
        alarm = {"locks": "key-failed", "alarm": "key-failed", "edges": "edges-lost"}.get(row.must)
        if row.must == "edges, perhaps":
            check(f"alarms {after.alarms} are of edges", set(after.alarms) <= {"edges-lost"}, True)
        elif alarm or all(trial.row.must in ("nothing", "noise") for trial in self.trials):
            check("alarms", after.alarms, [alarm] if alarm else [])
        if row.must in ("locks", "alarm"):
            check("key", after.key, "locked")
        self._judge_meters(mark)

    def _judge_meters(self, mark: int) -> None:
        """What failed was metered, once (8.1); noise was; and nothing else was."""
        heard = list(self.stand.journaled(mark))
        broke = sorted((entry["seat"], entry["part"]) for entry in heard if entry["kind"] == "PartBroke")
        # A simulated chip can lose one of two edges that are microseconds apart, as any can: its own row of the table.
        lost = [(seat, part) for seat, part in broke if part == "edges" and (seat or self.row.must == "edges, perhaps")]
        self.stand.tally["edges lost at a seat"] += sum(seat > 0 for seat, _ in lost)
        broke = [each for each in broke if each not in lost]
        expected = sorted((trial.row.seat, trial.row.cause) for trial in self.trials if trial.row.cause)
        self._check("metered faults", broke, expected)
        for number, trial in enumerate(self.trials, 1):
            pulses = sum(entry["kind"] == "NoiseCounted" and entry["seat"] == trial.row.seat for entry in heard)
            if trial.row.must == "noise":
                self._check("metered noise", pulses, 1, number)
            elif trial.row.cause == "noise":
                right = 11 <= pulses <= 12 + trial.row.within
                self._check(f"{pulses} pulses metered: 11, then one a second", right, True, number)

    def _judge_seat(self, number: int, before: Sight, after: Sight) -> None:
        """A seat on trial: closed or not, and what has become of its bet."""
        row = self.trials[number - 1].row
        was, seat = before.seats[row.seat], after.seats[row.seat]
        closes = "closes" in row.must
        self._check("closed", (seat.open, seat.reason), (not closes, row.cause if closes else None), number)
        if row.act == "settle":
            return
        self._check("worth", seat.worth, was.worth + self._dropped(row), number)
        if not closes:
            self._check("bet", seat.bet, was.bet + row.pressed, number)
        elif row.phase == "sealed":  # the bet stands
            self._check("bet", seat.bet, was.bet, number)
        else:
            self._check("bet", seat.bet, 0, number)
            self._check("commanded lit", seat.commanded, False, number)

    def _dropped(self, row: Row) -> int:
        """What a player has put in meanwhile, and must get back: not where a dead sensor has seen nothing."""
        return self.stand.least if self.stand.chips and row.act == "bet" and row.must == "closes" else 0

    def _check(self, what: str, found: object, expected: object, number: int = 0) -> None:
        if found != expected:
            self.wrong[number].append(f"{what}: {found}, not {expected}")

    # --- the way back ---------------------------------------------------------------------------------------------

    async def _reopen_too_early(self) -> None:
        """A part that is still bad does not pass its test (2.10)."""
        closed = self._closed()
        for seat in closed:
            await self.stand.told("leo", f"reopen {seat}")
        if closed:
            await asyncio.sleep(0.2 + SLACK_S)
            seats = (await self.stand.look()).seats
            self._check("reopened while bad", [seat for seat in closed if seats[seat].open], [])

    def _closed(self) -> set[int]:
        return {trial.row.seat for trial in self.trials if "closes" in trial.row.must}

    async def _way_back(self) -> None:
        stand, row = self.stand, self.row
        if row.must in ("edges", "edges, perhaps"):
            await asyncio.sleep(2)
        sight = await stand.settled()
        self._check("failed, when mended", sight.failed, [])
        if row.must in ("locks", "alarm", "edges"):
            self._check("a technician's ack is refused (10)", bool(await stand.told("leo", "ack")), True)
        if row.must in ("locks", "alarm") and row.phase != "idle":  # a mended wire does not open the table (2.9)
            self._check("phase, when mended", sight.phase, "locked")
        closed = self._closed()
        for seat in closed:
            self._check(f"open, when mended ({seat})", sight.seats[seat].open, False)
            self._check("a dealer's reopening is refused", bool(await stand.told("ana", f"reopen {seat}")), True)
        if row.phase == "sealed" and closed and row.act != "settle":
            await self._prizes_need_approval(closed)
        self.wrong[0] += await stand.put_right(patient=False)

    async def _prizes_need_approval(self, seats: set[int]) -> None:
        """The bet of a seat that a fault has closed after the lock stands, and its prize is approved first (5.11)."""
        for line in (*(f"declare {seat} flush" for seat in seats), "settle"):
            self.wrong[0] += await self.stand.told("ana", line)
        prizes = [(prize["seat"], prize["status"]) for prize in (await self.stand.look()).prizes]
        self._check("prizes", prizes, [(seat, "unapproved") for seat in sorted(seats)])
