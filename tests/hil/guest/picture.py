"""The dealer's OLED as the kernel got it, pixel by pixel, and the dealer's terminal, by its keys and its screen alone.

    python -m tests.hil.guest.picture [--pictures FOLDER]

What is written to the bus is heard at the kernel's tracepoint ``smbus:smbus_write``; from it the controller's memory is
put together again, and compared with what the painter draws for the table as its journal has it.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import re
import shutil
import time
from pathlib import Path

from PIL import Image, ImageChops

from controller.core.panel import panel
from controller.core.state import Table
from controller.doctor.books import _state
from controller.doctor.senses import as_owner
from controller.i18n import translator
from controller.terminal.menu import SEEN_S
from hal.display import care, ink, painters
from hal.display.dealer import render_menu
from hal.display.menu import COLUMNS, LINES, SELECTED
from hal.display.screen import Mail
from tests.hil.guest.board import OLED
from tests.hil.guest.report import note, tell
from tests.hil.guest.round import MONEY, money
from tests.hil.guest.served import CONFIG, PERSONS, STATE, Served, hal, run
from tests.hil.guest.table import ElectricTable

TRACING = Path("/sys/kernel/tracing/instances/oled")

SIZE = (128, 64)
FRAME = SIZE[0] * SIZE[1] // 8
ROOM = care.OLED.room(SIZE)

DATA = 0x40
"""What comes after this byte is for the controller's memory, and no command."""

BACK = 'ok = "GPIO26"\nback = "GPIO19"'

INSTALLED = Path("/opt/pozo/current/lib/python3.11/site-packages/controller/locale")

_WRITTEN = re.compile(rb"(\d+)\.(\d{6}): smbus_write: i2c-\d+ a=(\w+) f=\w+ c=(\w+) \w+ l=\d+ \[([0-9a-f-]+)\]")

SIGNS = "".join(map(chr, range(33, 127))) + "áéíóúñüÁÉÍÓÚÑ¿¡"


class Oled:
    """What the OLED has been told."""

    def __init__(self) -> None:
        if not TRACING.exists():
            TRACING.mkdir()
        (TRACING / "trace_clock").write_text("mono")
        (TRACING / "buffer_percent").write_text("0")
        (TRACING / "events/smbus/smbus_write/enable").write_text("1")
        self._pipe = os.open(TRACING / "trace_pipe", os.O_RDONLY | os.O_NONBLOCK)
        self._rest = b""
        self._memory = bytearray()
        self.at = 0
        """When it was last written to, ns of ``CLOCK_MONOTONIC``."""

    def hear(self) -> None:
        """Take in what has been written since."""
        while True:
            try:
                self._rest += os.read(self._pipe, 65536)
            except BlockingIOError:
                return
            *lines, self._rest = self._rest.split(b"\n")
            for line in lines:
                found = _WRITTEN.search(line)
                if found and int(found[3], 16) == OLED and int(found[4], 16) == DATA:
                    count, *data = bytes.fromhex(found[5].replace(b"-", b"").decode())
                    self._memory = (self._memory + bytes(data[:count]))[-FRAME:]
                    self.at = int(found[1]) * 1_000_000_000 + int(found[2]) * 1_000

    async def rest(self, since: int = 0, within: float = 3) -> None:
        """Until a picture that was begun after `since` stands whole, or none has come `within` seconds."""
        until = time.monotonic() + within
        while time.monotonic() < until:
            await asyncio.sleep(0.1)
            self.hear()
            if self.at > since and time.monotonic_ns() - self.at > 150_000_000:
                return

    def picture(self) -> Image.Image:
        """What is to be seen: in pages of eight lines, a byte for a column, the lowest bit on top."""
        image = Image.new("1", SIZE)
        for place, byte in enumerate(self._memory):
            page, x = divmod(place, SIZE[0])
            for bit in range(8):
                if byte >> bit & 1:
                    image.putpixel((x, 8 * page + bit), 1)
        return image

    def lines(self) -> tuple[str, ...]:
        """The words of a menu, read from the pixels."""
        corner = care.OLED.place(Image.new("1", ROOM, 1), SIZE, self.at).getbbox()
        assert corner is not None
        shown = self.picture().crop((corner[0], corner[1], corner[0] + ROOM[0], corner[1] + ROOM[1]))
        return tuple(_read(shown, line) for line in range(LINES))

    def close(self) -> None:
        """Hear nothing more."""
        os.close(self._pipe)
        TRACING.rmdir()


def _cell(char: str) -> bytes:
    image = Image.new("1", (6, 8))
    ink.write(image, 0, 0, char)
    return image.tobytes()


_CHARS = {_cell(char): char for char in reversed(SIGNS)} | {_cell(" "): " "}
"""Characters by their pixels. Some accented letters look like their bare ones: then those."""


def _read(shown: Image.Image, line: int) -> str:
    top = 10 * line + (2 if line else 0)
    lit = shown.getpixel((ROOM[0] - 1, top)) != 0  # a lit line is lit to its end
    text = ""
    for column in range(COLUMNS):
        cell = shown.crop((6 * column, top + 1, 6 * column + 6, top + 9)).tobytes()
        text += _CHARS.get(bytes(row ^ 0b11111100 for row in cell) if lit else cell, "\0")
    return text.rstrip()


def wrong_pixels(one: Image.Image, other: Image.Image) -> int:
    """How many pixels differ."""
    return sum(ImageChops.logical_xor(one, other).convert("L").point(bool).tobytes())


class Dealer:
    """Somebody who sees nothing but the OLED, and touches nothing but the four keys."""

    def __init__(self, electricity: ElectricTable, oled: Oled) -> None:
        self._electricity, self._oled = electricity, oled
        self.presses = 0

    async def key(self, name: str) -> None:
        """Press a key, and see what comes of it. What is shown is read before it is answered."""
        if name == "ok":
            await asyncio.sleep(SEEN_S)
        since = time.monotonic_ns()
        self._electricity.dealer_key(name)
        self.presses += 1
        await self._oled.rest(since)

    def chosen(self) -> str:
        """The line that is lit."""
        lines = self._oled.lines()[1:]
        return next((line.removeprefix(SELECTED) for line in lines if line.startswith(SELECTED)), "")

    async def choose(self, label: str) -> None:
        """Go to the line that begins with `label`, and press ok. Raises LookupError."""
        wanted, seen = _as_read(label), [self.chosen()]
        while not self.chosen().startswith(wanted):
            await self.key("down")
            if self.chosen() == seen[0]:
                raise LookupError(f"no {wanted!r} among {seen}: {self._oled.lines()}")
            seen.append(self.chosen())
        await self.key("ok")


def _as_read(label: str) -> str:
    """`label` as it is read from pixels."""
    return "".join(_CHARS[_cell(char)] for char in label)[: COLUMNS - len(SELECTED)]


class Trial:
    """The table with four keys and an OLED, and where pictures of it are kept."""

    def __init__(self, pictures: Path | None) -> None:
        for catalogue in INSTALLED.rglob("*.mo"):  # the harness has only their sources
            place = Path("controller/locale", catalogue.relative_to(INSTALLED))
            if place.parent.exists() and not place.exists():
                shutil.copyfile(catalogue, place)
        self.served = Served(money(MONEY), hal(6, None).replace('ok = "GPIO26"', BACK))
        self.electricity = ElectricTable(self.served.hardware.wiring, "credits")
        self.oled = Oled()
        self.dealer = Dealer(self.electricity, self.oled)
        self.say = translator(self.served.config.language).text
        self.pictures = pictures

    def compare(self, name: str) -> None:
        """What is to be seen, with what ought to be."""
        seen = self.oled.picture()
        if self.pictures is not None:
            self.pictures.mkdir(parents=True, exist_ok=True)
            seen.convert("L").resize((4 * SIZE[0], 4 * SIZE[1]), Image.Resampling.NEAREST).save(
                self.pictures / f"{name.replace(' ', '-')}.png"
            )
        painted = self._painter().paint(Mail(panel(self._table())), ROOM, self.oled.at).image
        wrong = wrong_pixels(seen, care.OLED.place(painted, SIZE, self.oled.at))
        lit = sum(seen.convert("L").point(bool).tobytes())
        tell(f"the OLED shows the table {name}", wrong == 0 and lit > 100, f"{lit} lit", figure=wrong, limit=0)

    def menu(self, name: str) -> None:
        """What is read from it is all that is on it."""
        lines = self.oled.lines()
        wrong = wrong_pixels(self.oled.picture(), care.OLED.place(render_menu(lines, ROOM), SIZE, self.oled.at))
        tell(f"the OLED shows the menu {name}", wrong == 0 and any(lines), " | ".join(lines), figure=wrong, limit=0)

    def _painter(self) -> painters.Dealer:
        from controller.displays import money_of, texts_of

        config = self.served.config
        return painters.Dealer(texts_of(config.language), money_of(config.language, config.setup))

    def _table(self) -> Table:
        with as_owner(STATE):
            return _state(STATE)


# --- what is tried --------------------------------------------------------------------------------------------


async def without_a_jumper(trial: Trial) -> None:
    """Nothing joins the two lines: out of service, and screen, systemd and doctor say why."""
    lines, wiring = trial.electricity.lines, trial.served.hardware.wiring
    jumper, lines.jumper = lines.jumper, None
    lines.let_go(wiring.loop_in)
    await trial.served.fresh()
    await trial.served.start()
    await asyncio.sleep(3)  # a dark picture comes first
    trial.oled.hear()
    trial.compare("out of service")
    _, said = await run("pozo", "doctor", "--config", str(CONFIG), "--json", "--language", "en")
    found = [each["what"] for each in json.loads(said)["findings"] if each["level"] == "fail"]
    named = [what for what in found if "jumper from GPIO20 to GPIO21 carries nothing" in what]
    tell("the doctor says that the jumper is out", bool(named), " / ".join(named or found))
    await trial.served.stop()
    lines.jumper = jumper
    lines.drive(wiring.loop_in, False)


async def an_open_table(trial: Trial) -> None:
    """In its place again: the next start is in service, and bets are on the screen."""
    await trial.served.start()
    console = await trial.served.login("ana")
    for seat in (1, 4):
        await console.command(f"load {seat} 5")
    trial.electricity.turn_key("open")
    await trial.electricity.quiet(0.3)
    trial.electricity.press(1, 2)
    trial.electricity.press(4)
    await trial.electricity.quiet(1)
    trial.oled.hear()
    trial.compare("open")
    trial.electricity.turn_key("locked")
    await trial.electricity.quiet(1)
    trial.oled.hear()
    trial.compare("locked")
    await console.close()


async def the_terminal(trial: Trial) -> None:
    """A dealer logs in with the four keys, declares a hand and settles."""
    auditor = await trial.served.login("leo")
    await auditor.ask(op="subscribe")
    dealer, say = trial.dealer, trial.say
    await dealer.key("ok")
    trial.menu("that asks who it is")
    await dealer.choose("ana")
    for digit in PERSONS["ana"][1]:
        await dealer.choose(digit)
    await dealer.choose("OK")
    await trial.oled.rest(time.monotonic_ns(), 1.5)
    trial.menu("of who has logged in")
    note(f"logged in after {dealer.presses} presses")
    for label in ("Seats", "1 ", "Hand by class", "royal flush"):
        await dealer.choose(say(label))
    trial.menu("that asks whether it is right")
    await dealer.key("ok")
    tell("the OLED says that it is done", trial.oled.lines()[0] == say("Done"), str(trial.oled.lines()))
    while trial.oled.lines()[0] != "" and trial.oled.lines()[0] != _as_read(_heading(trial)):
        await dealer.key("back")
    await dealer.choose(say("Settle"))
    await dealer.key("ok")
    await trial.oled.rest(time.monotonic_ns(), 1.5)
    trial.menu("after the settlement")
    await dealer.key("back")
    trial.compare("with a prize to approve")
    await auditor.state()
    taken = [said["event"] for said in auditor.streamed if said.get("event", {}).get("kind") == "CommandTaken"]
    acts = [(event["act"]["type"], event["actor"]) for event in taken]
    actor = {"person": "ana", "roles": ["dealer"], "way": "terminal"}
    tell(
        "the journal has ana, as a dealer, at the terminal", acts == [("declare", actor), ("settle", actor)], str(acts)
    )
    await auditor.close()


def _heading(trial: Trial) -> str:
    return f"{trial.say('round')} 1, {trial.say('Locked')}"


async def dark(trial: Trial) -> None:
    """When the program leaves, nothing promises an amount any more."""
    await trial.served.stop()
    trial.oled.hear()
    tell("the OLED is dark when the table has stopped", trial.oled.picture().getbbox() is None)


async def main(pictures: Path | None) -> None:
    """Try it all."""
    trial = Trial(pictures)
    try:
        for each in (without_a_jumper, an_open_table, the_terminal, dark):
            note(each.__name__.replace("_", " "))
            await each(trial)
    finally:
        await trial.served.stop()
        await trial.electricity.close()
        trial.oled.close()


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--pictures", type=Path, metavar="FOLDER", help="keep what was seen there")
    asyncio.run(main(parser.parse_args().pictures))
