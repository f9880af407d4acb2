"""The evenings of examples/scenarios at the table as it is installed: their hands are electricity, their people speak
through the control socket, and what they expect is what there is to see there, and which lamps burn.

    python -m tests.hil.guest.evening [--part K/N] [--only NAME ...]

Each begins at a table that has never run, and ends with the very state that the simulated table reaches (`pozo play`).
Commands are given by two persons, as a casino has them, where a scenario has one who may do everything.

What cannot be seen from there:

* whether a *hand* was refused: a press without credits is answered at its seat, and to nobody at the socket. What it
  changes, or leaves as it was, is seen. Such lines are counted.
* a seat node: there is no bus to the seats on a header, so nothing can be unplugged from it. An evening ends where the
  first node breaks, if a round was settled by then, and is left out if not.

A display takes a third of a start, and changes nothing but by its failure: only evenings on which one fails have one.
"""

from __future__ import annotations

import argparse
import asyncio
import re
import sys
import traceback
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, fields
from pathlib import Path
from tempfile import TemporaryDirectory

from controller import words
from controller.config import Config, load
from controller.core import inputs
from controller.core.inputs import Act
from controller.core.money import format_minor
from controller.core.roles import TWO
from controller.i18n import translator
from controller.play import Line, play, read
from controller.view import PathError, View, find, same
from controller.view import words as shown
from tests.hil.guest import oled
from tests.hil.guest.report import note, tell
from tests.hil.guest.served import STATE, UNIT, Client, Served, hal, systemctl
from tests.hil.guest.table import ElectricTable
from tests.scenarios.test_examples import SCENARIOS, table_of

Hardware = words.Press | words.Chip | words.TurnKey | words.Break | words.Mend

MONEY = ("table", "bet", "pot", "prizes", "base")
"""The sections of an example table that say what it plays for, not where it stands."""

REST_S = 0.03
"""Seconds that an act has when its hands are at rest: delivery and settling (13 ms), a commit, its lamp."""

SHORT_REST_S = 0.015
"""The same, in haste."""

PATIENCE_S = 2.0
"""Seconds within which what must be so is so."""

RETRIES_S = 40.0
"""Seconds within which a display that is plugged in again has been tried (``hal.display.screen.LAST_RETRY``)."""

CGROUP = Path("/sys/fs/cgroup/system.slice/system-pozo.slice", f"{UNIT}.service")
"""Where the processes of the unit are."""

LOOK_S = 0.02
"""Seconds between two looks at a table that is not yet as it must be."""


@dataclass
class Tally:
    """What was played: evenings; in them lines, expectations, refusals and looks at the lamps; what was not seen."""

    evenings: int = 0
    starts: int = 0
    lines: int = 0
    expectations: int = 0
    refusals: int = 0
    looks_at_lamps: int = 0
    refusals_of_hands_unseen: int = 0
    evenings_left_out: int = 0
    lines_left_out: int = 0

    def add(self, other: Tally) -> None:
        """Count what `other` has counted."""
        for name in self.names():
            setattr(self, name, getattr(self, name) + getattr(other, name))

    def names(self) -> list[str]:
        """Of what it counts."""
        return [each.name for each in fields(self)]

    def said(self) -> str:
        """In words."""
        return ", ".join(f"{value} {name.replace('_', ' ')}" for name in self.names() if (value := getattr(self, name)))


@dataclass
class Failures:
    """What was not as it must be, by line."""

    found: list[str] = field(default_factory=list)

    def add(self, line: int, what: str) -> None:
        """Note it."""
        self.found.append(f"line {line}: {what}")


class Speakers:
    """Ana and Leo at the socket: `state` is for everybody who may be auditor, as root may; a command needs a login."""

    def __init__(self, served: Served) -> None:
        self._served = served
        self._eyes: Client | None = None
        self._logged_in: dict[str, Client] = {}

    async def state(self) -> View:
        """What there is to see."""
        if self._eyes is None:
            self._eyes = await self._served.connect()
        state: View = (await self._eyes.state())["state"]
        return state

    async def failed(self, part: str) -> bool:
        """Whether a part of the table is known to be bad."""
        if self._eyes is None:
            self._eyes = await self._served.connect()
        return part in (await self._eyes.state())["attention"]["failed"]

    async def say(self, act: Act, digits: int) -> str:
        """Give a command, by who may: the code of its refusal, or nothing."""
        line = words.format(act, digits)
        if type(act) in TWO:
            return await self._say("ana", line, "leo")
        code = await self._say("ana", line)
        return await self._say("leo", line) if code == "not-allowed" else code

    async def go(self) -> None:
        """Hang up."""
        for client in (self._eyes, *self._logged_in.values()):
            if client is not None:
                await client.close()
        self._eyes, self._logged_in = None, {}

    async def _say(self, person: str, line: str, second: str | None = None) -> str:
        if person not in self._logged_in:
            self._logged_in[person] = await self._served.login(person)
        said = await self._logged_in[person].command(line, second=second)
        return "" if said["ok"] else str((said.get("refusal") or said["error"])["code"])


class Evening:
    """One scenario, on its way. `lines` may be fewer than the file's."""

    def __init__(self, served: Served, electricity: ElectricTable, lines: Sequence[Line]) -> None:
        self.tally = Tally(evenings=1)
        self.failures = Failures()
        self._served, self._electricity, self._lines = served, electricity, lines
        self._setup = served.config.setup
        self._people = Speakers(served)
        self._on = False
        self._state: View | None = None
        self._met: str | None = ""
        """The code of the refusal that the last act met; None when nobody could see it."""

    async def play(self, at_the_end: View) -> None:
        """All of it."""
        await self._power(True)
        before = 0
        for line, then in zip(self._lines, [*self._lines[1:], None], strict=True):
            if line.word is None:
                continue
            self.tally.lines += 1
            if isinstance(line.word, words.Expect):
                await self._expect(line.number, line.word)
            elif isinstance(line.word, words.Refused):
                self._refused(line.number, line.word)
            else:
                await self._look_at_lamps(before)
                await self._act(line.word, None if then is None else then.word)
            before = line.number
        await self._look_at_lamps(before)
        if not await self._becomes(lambda state: state == at_the_end):
            assert self._state is not None
            self.failures.add(before, "; ".join(differences(self._state, at_the_end)))
        await self._people.go()

    # --- acts ---------------------------------------------------------------------------------------------------

    async def _act(self, word: words.Word, then: words.Word | None) -> None:
        self._state, self._met = None, None
        if isinstance(word, words.Wait):
            if self._on:  # nothing happens to what is off, however long
                await asyncio.sleep(word.ns / 1e9)
        elif isinstance(word, words.Power):
            await self._power(word.on)
        elif isinstance(word, Hardware):
            await self._hands(word)
            # A key is turned while lamps are awaited; nothing else has to be quick.
            await self._electricity.quiet(0 if isinstance(then, words.TurnKey) else self._rest())
        elif not isinstance(word, words.Expect | words.Refused):
            self._met = await self._command(word)

    async def _command(self, act: Act) -> str:
        if self._on:
            return await self._people.say(act, self._setup.digits)
        with suppress(OSError):
            await self._people.state()
            return "somebody answers, without power"
        return "out-of-service"

    async def _hands(self, word: Hardware) -> None:
        electricity = self._electricity
        if isinstance(word, words.TurnKey):
            electricity.turn_key(word.position)
        elif isinstance(word, words.Break | words.Mend) and word.part == "display":
            await self._display(isinstance(word, words.Break))
        elif not 1 <= word.seat <= self._setup.seats:
            pass  # nobody has a hand there
        elif isinstance(word, words.Press):
            electricity.press(word.seat, word.times)
        elif isinstance(word, words.Chip):
            electricity.chip(word.seat, word.value or self._setup.denomination)
        elif isinstance(word, words.Break):
            electricity.break_part(word.part, word.seat)
        else:
            electricity.mend_part(word.part, word.seat)

    async def _display(self, broken: bool) -> None:
        if broken:
            pid = await systemctl("show", "--value", "--property=MainPID", UNIT)
            oled.unplug(int(pid))
        else:
            oled.plug()
            async with asyncio.timeout(RETRIES_S):
                while await self._people.failed("display"):  # noqa: ASYNC110 - the table tells whoever asks
                    await asyncio.sleep(0.2)

    async def _power(self, on: bool) -> None:
        self._on = on
        if on:
            for seat in self._electricity.seats.values():
                seat.power(True)
            await self._served.start()
            self.tally.starts += 1
            return
        cut()
        for seat in self._electricity.seats.values():
            seat.power(False)
        await self._served.kill()  # systemd would start it again
        await self._people.go()
        await self._electricity.quiet(REST_S)

    # --- what must be so ----------------------------------------------------------------------------------------

    async def _expect(self, line: int, expected: words.Expect) -> None:
        def holds(state: View) -> bool:
            with suppress(PathError):
                return same(find(state, expected.path), expected.value)
            return False

        if await self._becomes(holds):
            self.tally.expectations += 1
        else:
            assert self._state is not None
            found = "nowhere"
            with suppress(PathError):
                found = shown(find(self._state, expected.path))
            self.failures.add(line, f"{expected.path} is {found}, not {expected.value}")

    def _refused(self, line: int, expected: words.Refused) -> None:
        if self._met is None:
            self.tally.refusals_of_hands_unseen += 1
        elif self._met == expected.code:
            self.tally.refusals += 1
        else:
            self.failures.add(line, f"refused with {self._met or 'nothing'}, not {expected.code}")

    async def _look_at_lamps(self, line: int) -> None:
        """A lamp that works is lit where the table says so, and nowhere else.

        Not while the round waits for another one: that takes 200 ms at most, and the evening must be quick.
        """
        electricity = self._electricity
        if self._awaits():
            return

        def wrong(state: View) -> list[int]:
            working = [n for n, seat in electricity.seats.items() if not seat.broken & {"lamp", "lamp-on"}]
            return [n for n in working if electricity.lamp_lit(n) != (find(state, f"seat.{n}.lamp") == "lit")]

        self.tally.looks_at_lamps += 1
        if not self._on:
            lit = [n for n in electricity.seats if electricity.lamp_lit(n)]
            if lit:
                self.failures.add(line, f"the lamps of {lit} are lit, without power")
        elif not await self._becomes(lambda state: not wrong(state)):
            assert self._state is not None
            self.failures.add(line, f"the lamps of {wrong(self._state)} are not as the table says")

    def _awaits(self) -> bool:
        """Whether, when somebody looked last, the lock had fallen and the round was not sealed."""
        state = self._state
        return state is not None and (state["phase"], state["sealed"]) == ("locked", False)

    def _rest(self) -> float:
        """How long hands rest: less if a lamp may be awaited that is broken."""
        return SHORT_REST_S if any("lamp" in seat.broken for seat in self._electricity.seats.values()) else REST_S

    async def _becomes(self, holds: Callable[[View], bool]) -> bool:
        """Whether the state is, or becomes, such that it `holds`."""
        until = asyncio.get_running_loop().time() + PATIENCE_S
        while True:
            if self._state is None:
                self._state = await self._people.state()
            if holds(self._state):
                return True
            if asyncio.get_running_loop().time() > until:
                return False
            self._state = None
            await asyncio.sleep(LOOK_S)


def cut() -> None:
    """End every process of the unit, this instant."""
    if CGROUP.exists():
        (CGROUP / "cgroup.kill").write_text("1")


# --- an evening's table ----------------------------------------------------------------------------------------


def money(table: Path) -> str:
    """The sections of an example table that say what it plays for."""
    parts = re.split(r"^(?=\[)", table.read_text(encoding="utf-8"), flags=re.MULTILINE)
    return "".join(part for part in parts if re.match(rf"\[+({'|'.join(MONEY)})\b", part))


def wired(config: Config, lines: Sequence[Line]) -> str:
    """The section ``[hal]`` for those `lines`: at a chips table, each seat has a sensor for every chip that it gets; a
    display if one breaks."""
    setup = config.setup
    displays = any(isinstance(line.word, words.Break) and line.word.part == "display" for line in lines)
    if setup.acceptor == "credits":
        return hal(setup.seats, None, displays=displays)
    values = {seat: {setup.denomination} for seat in range(1, setup.seats + 1)}
    for line in lines:
        if isinstance(line.word, words.Chip) and line.word.value is not None:
            values[line.word.seat].add(line.word.value)
    chips = {seat: [format_minor(value, setup.digits) for value in sorted(each)] for seat, each in values.items()}
    return hal(setup.seats, chips, displays=displays)


def until_a_node_breaks(lines: Sequence[Line]) -> Sequence[Line]:
    """Those before the first node is unplugged; none, if no round was settled by then."""
    for at, line in enumerate(lines):
        if isinstance(line.word, words.Break) and line.word.part == "node":
            settled = any(isinstance(before.word, inputs.Settle) for before in lines[:at])
            return lines[:at] if settled else ()
    return lines


def simulated(config: Config, lines: Sequence[Line]) -> View:
    """The state that the simulated table reaches by those `lines`."""
    with TemporaryDirectory() as folder:
        file = Path(folder, "evening.txt")
        file.write_text("".join(f"{line.text}\n" for line in lines), encoding="utf-8")
        return play(config, file).state


def differences(found: object, expected: object, path: str = "") -> list[str]:
    """Where two states differ, field by field."""
    if isinstance(found, Mapping) and isinstance(expected, Mapping) and found.keys() == expected.keys():
        return [each for key in found for each in differences(found[key], expected[key], f"{path}.{key}")]
    if isinstance(found, list) and isinstance(expected, list) and len(found) == len(expected):
        pairs = enumerate(zip(found, expected, strict=True))
        return [each for n, (one, other) in pairs for each in differences(one, other, f"{path}[{n}]")]
    return [] if found == expected else [f"{path[1:]} is {found!r} at the end, and {expected!r} at the simulated table"]


# --- all of them -----------------------------------------------------------------------------------------------


def one(file: Path) -> Tally:
    """Play one, and tell."""
    table = table_of(file)
    config = load(table, {"STATE_DIRECTORY": str(STATE)})
    whole = read(file, config.setup.digits, translator("en"))
    lines = until_a_node_breaks(whole)
    left = Tally(lines_left_out=sum(line.word is not None for line in whole[len(lines) :]))
    if not lines:
        left.evenings_left_out = 1
        note(f"{file.stem} is left out: a seat node breaks in its first round, and there is none on a header")
        return left
    if left.lines_left_out:
        note(f"{file.stem} ends at line {lines[-1].number}: then a seat node breaks, and there is none on a header")
    tally, found = asyncio.run(_one(money(table), wired(config, lines), lines, simulated(config, lines)))
    tell(f"evening {file.stem}", not found, "\n".join(found) or tally.said())
    tally.add(left)
    return tally


async def _one(money: str, hal: str, lines: Sequence[Line], at_the_end: View) -> tuple[Tally, list[str]]:
    served = Served(money, hal)
    await served.fresh()
    electricity = ElectricTable(served.hardware.wiring, served.config.setup.acceptor)
    evening = Evening(served, electricity, lines)
    try:
        await evening.play(at_the_end)
    except Exception:  # the next evening is played all the same
        evening.failures.found.append(traceback.format_exc())
    finally:
        cut()  # the next one begins anew
        await electricity.close()
    return evening.tally, evening.failures.found


def chosen(part: str, only: Sequence[str]) -> list[Path]:
    """The evenings of one machine of several: those with many starts, which take longest, are dealt out first."""
    number, _, of = part.partition("/")
    files = [file for file in SCENARIOS if not only or file.stem in only]
    files.sort(key=lambda file: -file.read_text(encoding="utf-8").count("\npower on"))
    return files[int(number) - 1 :: int(of)]


def main(argv: Sequence[str] | None = None) -> int:
    """Play them."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--part", default="1/1", metavar="K/N", help="the Kth of N parts")
    parser.add_argument("--only", nargs="+", default=(), metavar="NAME")
    args = parser.parse_args(argv)
    tally = Tally()
    for file in chosen(args.part, args.only):
        tally.add(one(file))
    note(tally.said())
    return 0


if __name__ == "__main__":
    sys.exit(main())
