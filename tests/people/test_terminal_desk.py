"""The dealer's terminal at work: who may use it, what becomes of commands, and when the screen is the table's again."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, cast

from controller.control.identity import Door
from controller.core.inputs import AccessRefused, Actor, CashOut, Command, Load
from controller.people import Person
from controller.terminal.desk import QUIET_S, SESSION_S, Desk, Engine
from controller.terminal.menu import SEEN_S
from tests.engine.fakes import BOSS, PLENTY, Rig, in_virtual_time
from tests.people.socket_client import Place, StandIn, place, story

EVA = Actor("eva", ("dealer",), "terminal")


class Hands:
    """Somebody at the keys, who reads the screen."""

    def __init__(self, engine: Engine, door: Door) -> None:
        self._screen: tuple[str, ...] = ()
        self.pictures = 0
        self.reads = True
        self.desk = Desk(engine, door, self._seen, "en", str, lambda: self.reads)

    def _seen(self, lines: tuple[str, ...]) -> None:
        assert lines != self._screen, "the same lines twice"
        self._screen = lines
        self.pictures += 1

    def screen(self) -> tuple[str, ...]:
        return self._screen

    def chosen(self) -> str:
        return next((line[2:] for line in self._screen[1:] if line.startswith("> ")), "")

    async def choose(self, *labels: str) -> None:
        """Go to the line that begins with each label, and press ok; wait for the answer if one is awaited."""
        for label in labels:
            for _ in range(30):
                if self.chosen().startswith(label):
                    break
                self.desk.press("down")
            assert self.chosen().startswith(label), self._screen
            await self.ok()

    async def ok(self) -> None:
        """Press ok, and wait for the answer if one is awaited."""
        await self.key("ok")
        await self.answer()

    async def answer(self) -> None:
        async with asyncio.timeout(10):
            while self.desk._menu.waiting:  # noqa: ASYNC110 - a thread works on it
                await asyncio.sleep(0.001)

    async def key(self, name: str) -> None:
        """Press a key, when a question or a notice has stood long enough to be read."""
        if self._screen and (not self.chosen() or self.chosen().startswith("ok")):
            await asyncio.sleep(SEEN_S + 0.01)
        self.desk.press(name)

    async def log_in(self, name: str, pin: str) -> None:
        await self.ok()
        await self.choose(name, *pin, "OK")


@asynccontextmanager
async def terminal(folder: Path) -> AsyncIterator[tuple[Place, Hands]]:
    async with place(folder) as here:
        hands = Hands(here.engine, here.server.door)
        try:
            yield here, hands
        finally:
            hands.desk.stop()


# --- with the people of a table --------------------------------------------------------------------------


@story
async def test_10_1_whoever_proves_to_be_a_dealer_acts_as_one_and_by_the_terminal(tmp_path: Path) -> None:
    async with terminal(tmp_path) as (here, hands):
        await hands.ok()
        assert hands.screen() == ("Who is it?", "> ana", "  eva")  # tomás is no dealer
        await hands.choose("eva", *"7391", "OK", "Seats", "2", "Load credits", "7", "OK")
        assert here.engine.commands == []
        await hands.ok()
        assert here.engine.commands == [Command(Load(2, 7), EVA)]
        assert hands.screen()[0] == "Done: 7 credits, 7000"


@story
async def test_10_a_supervisor_at_the_terminal_is_a_dealer_there(tmp_path: Path) -> None:
    async with terminal(tmp_path) as (here, hands):
        await hands.log_in("ana", "2580")
        await hands.choose("Seats", "1", "Close the seat")
        await hands.ok()
        assert here.engine.commands[0].actor == Actor("ana", ("dealer",), "terminal")


@story
async def test_10_1_wrong_pins_are_journaled_and_lock_the_name_at_every_door(tmp_path: Path) -> None:
    async with terminal(tmp_path) as (here, hands):
        await hands.log_in("eva", "1111")
        assert " ".join(hands.screen()[1:]) == "That is not the name and the PIN of anybody here."
        assert here.engine.notes == [AccessRefused("eva", "terminal", "login: wrong name or PIN")]
        for _ in range(4):
            await hands.ok()
            await hands.choose("eva", "1", "OK")
        assert hands.screen()[1].startswith("Too many wrong PINs:")
        caller = await here.call()
        assert await caller.code("login", person="eva", pin="7391") == "locked"


@story
async def test_10_1_who_loses_the_role_or_the_pin_does_nothing_more(tmp_path: Path) -> None:
    async with terminal(tmp_path) as (here, hands):
        await hands.log_in("eva", "7391")
        here.people.set_roles("eva", ["auditor"])
        here.people.save()
        await hands.choose("Seats", "1", "Close the seat")
        await hands.ok()
        assert hands.screen()[1:] == ("Log in first.",)
        assert here.engine.commands == []
        assert here.engine.notes == [AccessRefused("eva", "terminal", "command: not logged in")]
        await hands.key("back")
        await hands.ok()
        assert hands.screen() == ("Who is it?", "> ana")


@story
async def test_a_refusal_is_shown_and_the_next_command_is_free(tmp_path: Path) -> None:
    async with terminal(tmp_path) as (here, hands):
        here.engine.take(Command(Load(1, 5), BOSS))
        await hands.log_in("eva", "7391")
        await hands.choose("Seats", "1", "Cash out")
        here.engine.gate = asyncio.Event()
        await hands.key("ok")
        await here.engine.called.wait()
        assert hands.screen()[0] == "Please wait"
        for key in ("ok", "back", "up"):
            hands.desk.press(key)
        here.engine.take(Command(CashOut(1), BOSS))
        here.engine.gate.set()
        await hands.answer()
        assert len(here.engine.commands) == 1
        assert " ".join(hands.screen()[1:]) == "Seat 1 has no credits to cash out."


@story
async def test_a_fault_of_the_program_is_told_and_the_menu_goes_on(tmp_path: Path, caplog: Any) -> None:
    async with terminal(tmp_path) as (here, hands):
        await hands.log_in("eva", "7391")
        here.engine.fails = KeyError("a fault")
        await hands.choose("Seats", "1", "Close the seat")
        await hands.ok()
        assert " ".join(hands.screen()[1:]) == "That failed within the table; its log says why."
        await hands.key("back")
        assert hands.chosen() == "Seats"


# --- by the clock ----------------------------------------------------------------------------------------


class OpenDoor:
    """Lets eva in, at once, whatever she types."""

    async def names(self, role: str) -> tuple[str, ...]:
        return ("eva",)

    async def prove(self, peer: object, name: str, pin: str) -> tuple[Person, str]:
        return Person(name, ("dealer",)), "mark"

    def enter(self, peer: object, person: Person, asked: object) -> tuple[str, ...]:
        return person.roles

    async def actor(self, name: str, roles: object, mark: str, way: str) -> Actor:
        return EVA


async def logged_in() -> tuple[StandIn, Hands]:
    engine = StandIn()
    hands = Hands(engine, cast(Door, OpenDoor()))
    await hands.log_in("eva", "1")
    return engine, hands


@in_virtual_time
async def test_after_a_minute_without_a_key_the_usual_picture_returns_and_eva_stays() -> None:
    _, hands = await logged_in()
    await asyncio.sleep(QUIET_S - 1)
    hands.desk.press("down")
    await asyncio.sleep(QUIET_S - 1)
    assert hands.screen()
    await asyncio.sleep(2)
    assert hands.screen() == ()
    await hands.ok()
    assert hands.screen()[0] == "round 0, Waiting"
    hands.desk.stop()


@in_virtual_time
async def test_10_1_after_a_quarter_of_an_hour_nobody_is_logged_in() -> None:
    _, hands = await logged_in()
    await asyncio.sleep(SESSION_S + 1)
    await hands.ok()
    assert hands.screen() == ("Who is it?", "> eva")
    hands.desk.stop()


@in_virtual_time
async def test_two_taps_in_one_turn_of_the_loop_do_nothing() -> None:
    engine, hands = await logged_in()
    await hands.choose("Seats", "1", "Load credits", "3")
    while hands.chosen() != "OK":
        hands.desk.press("down")
    hands.desk.press("ok")
    hands.desk.press("ok")
    await asyncio.sleep(SEEN_S - 0.01)
    hands.desk.press("ok")
    await asyncio.sleep(1)
    assert engine.commands == []
    assert hands.screen()[0] == "Is this right?"
    hands.desk.press("ok")
    await asyncio.sleep(1)
    assert engine.commands == [Command(Load(1, 3), EVA)]
    hands.desk.stop()


@in_virtual_time
async def test_the_screen_follows_the_table_and_only_what_is_new_is_drawn() -> None:
    engine, hands = await logged_in()
    await hands.choose("Seats", "1", "Load credits", "3", "OK")
    drawn = hands.pictures
    engine.take(Command(Load(4, 1), BOSS))
    assert hands.pictures == drawn
    await hands.ok()
    await hands.choose("1")
    assert any("Cash out" in line for line in hands.screen())
    engine.take(Command(CashOut(1), BOSS))
    assert not any("Cash out" in line for line in hands.screen())
    hands.desk.stop()


@in_virtual_time
async def test_8_5_when_the_table_stops_the_reason_takes_the_menus_place() -> None:
    engine, hands = await logged_in()
    engine.stopped = "the disk is full"
    engine.publish(())
    assert hands.screen() == ()
    await hands.ok()
    await hands.choose("The table")
    assert hands.screen()[1:3] == ("OUT OF SERVICE: the", "disk is full")
    hands.desk.stop()


@in_virtual_time
async def test_8_5_what_cannot_be_read_is_not_confirmed_later_either() -> None:
    engine, hands = await logged_in()
    await hands.choose("Seats", "1", "Load credits", "7", "OK")
    hands.reads = False
    hands.desk.unseen()
    await hands.ok()
    hands.reads = True
    await hands.ok()
    assert hands.screen()[0] == "round 0, Waiting"
    assert engine.commands == []
    hands.desk.stop()


@in_virtual_time
async def test_10_1_what_a_commit_under_way_changes_is_not_confirmed_unseen() -> None:
    """The real engine: the screen shows what is durable, and the press is decided, but not durable yet."""
    rig = await Rig.playing()
    hands = Hands(rig.engine, cast(Door, OpenDoor()))
    await hands.log_in("eva", "1")
    await hands.choose("Seats", "1", "Cash out")
    assert " ".join(hands.screen()[1:4]) == f"Seat 1: cash out {PLENTY} credits, {PLENTY * 1000}?"
    rig.press(1)
    await rig.turn()
    await hands.key("ok")
    for _ in range(2):
        await rig.turn()
        rig.writer.complete()
    await rig.turn()
    assert " ".join(hands.screen()[1:]) == f"That was meant for {PLENTY}; now it is {PLENTY - 1}. Look again."
    assert rig.engine.state.seats[0].credits == PLENTY - 1
    hands.desk.stop()
    await rig.done()


@in_virtual_time
async def test_keys_of_other_names_do_nothing() -> None:
    engine = StandIn()
    hands = Hands(engine, cast(Door, OpenDoor()))
    hands.desk.press("menu")
    await asyncio.sleep(1)
    assert hands.pictures == 0
    hands.desk.stop()
