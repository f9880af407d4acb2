"""The demo: an evening that can be played again exactly, and a picture that never says more than there is."""

import asyncio
import fcntl
import io
import os
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random
from typing import NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace
from rich.console import Console, Group

from controller.config import Config, load
from controller.core.cards import DECK, HANDS, Hand, hand_class
from controller.core.evolve import evolve
from controller.core.games.catalogue import GAMES
from controller.core.money import UNITS
from controller.demo.chronicle import Chronicle
from controller.demo.cli import Ending, Options, Show, main, reckoning
from controller.demo.clock import ScaledLoop
from controller.demo.deck import StackedDeck, in_order
from controller.demo.game import Game
from controller.demo.house import House, TableStoppedError
from controller.demo.luck import Bag, gifts
from controller.demo.picture import picture
from controller.demo.scene import Counter, Scene
from controller.i18n import translator
from controller.journal.verify import verify
from controller.play import DEFAULT_TABLE
from hal.simulated import virtualtime
from tests.core.table import T

TABLES = Path(__file__).parents[2] / "examples" / "tables"
CHIPS = TABLES / "draw-chips.toml"
OTHERS = tuple(TABLES / f"{name}.toml" for name in ("texas-1", "caribbean-1", "go-1"))
"""A table of each game but that of `DEFAULT_TABLE`."""

COMMAND = (sys.executable, "-m", "controller.cli", "demo")
PATIENCE_S = 60.0
"""Real seconds that another process may take; a bound, never a wait."""


def english(path: Path = DEFAULT_TABLE) -> Config:
    return replace(load(path), language="en")


def told(*arguments: str) -> str:
    """What `pozo demo` tells without a terminal."""
    done = subprocess.run(
        [*COMMAND, "--language", "en", *arguments], capture_output=True, text=True, timeout=PATIENCE_S, check=True
    )
    assert done.stderr == ""
    return done.stdout


def played(config: Config, directory: Path, rounds: int, look: Callable[[Scene], None]) -> Ending:
    """An evening in virtual time, in which `look` is shown a scene ten times a second."""

    async def evening() -> Ending:
        show = Show(config, Options(rounds=rounds, speed=None, seed=7, lucky=True, live=True), directory)

        async def looking() -> None:
            while True:
                await asyncio.sleep(0.1)
                look(show.scene(100))

        watching = asyncio.create_task(looking())
        ending = await show.run()
        watching.cancel()
        return ending

    return virtualtime.run(evening())


# --- the same evening ------------------------------------------------------------------------------------


def test_the_same_seed_tells_the_same_evening_byte_for_byte() -> None:
    first = told("--rounds", "5", "--seed", "7")
    assert first == told("--rounds", "5", "--seed", "7")
    assert first != told("--rounds", "5", "--seed", "8")
    assert first.count("betting is open") == 5
    assert first.splitlines()[-1].startswith("5 rounds; ")
    assert first.endswith("are whole. Goodbye.\n")


def test_real_threads_and_disks_tell_what_virtual_time_tells() -> None:
    """Every act is awaited, so neither the disk's pace nor the loop's decides anything."""
    virtual = told("--rounds", "4", "--seed", "3").splitlines()
    real = told("--rounds", "4", "--seed", "3", "--speed", "50").splitlines()
    assert real[1:] == virtual[1:]  # the first line says how fast


@pytest.mark.parametrize("table", [DEFAULT_TABLE, CHIPS], ids=["credits", "chips"])
def test_a_long_evening_has_everything_and_ends_in_order(table: Path, tmp_path: Path) -> None:
    config = english(table)
    lit: set[int] = set()
    closed: set[str] = set()
    won: set[Hand] = set()
    boots: set[int] = set()

    def look(scene: Scene) -> None:
        lit.update(seat for seat, lamp in enumerate(scene.lamps, start=1) if lamp)
        closed.update(seat.closed for seat in scene.table.seats if seat.closed)
        won.update(hit.hand for hit in scene.table.hits)
        boots.add(scene.table.boot)
        assert scene.pot * UNITS <= scene.table.pot.main, "the meter shows more than there is"

    ending = played(config, tmp_path / "journal", 40, look)
    report = verify(tmp_path / "journal", evolve)
    line, sound = reckoning(ending, report, config)
    assert sound, line
    assert line.startswith("40 rounds; ")
    assert lit == set(range(1, config.setup.seats + 1))
    assert closed >= {"lamp", "node"}
    assert won >= {Hand.FLUSH, Hand.STRAIGHT_FLUSH, Hand.ROYAL_FLUSH}
    assert max(boots) > 3, "the power was cut a few times"


def test_what_was_announced_must_be_what_is_booked(tmp_path: Path) -> None:
    config = english()
    ending = played(config, tmp_path / "journal", 2, lambda _: None)
    ending.tally.bet += 1
    line, sound = reckoning(ending, verify(tmp_path / "journal", evolve), config)
    assert not sound
    assert "NOT IN ORDER" in line


def test_8_5_a_disk_that_fails_ends_the_evening(tmp_path: Path) -> None:
    """The wall clock is asked in each commit, so here it stands for whatever may fail there."""
    commits = 0

    def wall() -> str:
        nonlocal commits
        commits += 1
        if commits > 3:
            raise OSError("no space left")
        return "2026-01-01T20:00:00.000Z"

    async def evening() -> None:
        house = House(english(), tmp_path / "journal", Random(1), lambda _: None, wall, threaded=False)
        try:
            await house.open()
            house.hardware.turn_key("open")
            await house.settled()
            house.hardware.turn_key("locked")
            await house.settled()
        finally:
            await house.close()

    with pytest.raises(TableStoppedError, match="no space left"):
        virtualtime.run(evening())


# --- all games -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("table", [DEFAULT_TABLE, *OTHERS], ids=lambda table: table.stem)
def test_every_game_is_dealt_decided_and_paid(table: Path, tmp_path: Path) -> None:
    """What lies on the felt is one deck's; the dealer's cards stay covered as long as the rules say (7)."""
    config = english(table)
    game, seats = GAMES[config.setup.game], set(range(1, config.setup.seats + 1))
    boards: set[int] = set()
    covered: set[int] = set()

    def look(scene: Scene) -> None:
        felt, phase = scene.felt, scene.table.round.phase if scene.table.round else "idle"
        lying = [*felt.board, *felt.dealer, *(card for own in felt.own.values() for card in own)]
        assert len(set(lying)) == len(lying)
        assert len(felt.dealer) + felt.covered in (0, game.dealer_cards)
        assert {len(own) for own in felt.own.values()} <= {game.own_cards}
        assert phase != "betting" or not (lying or felt.results), "nothing lies there before the lock (2.9)"
        assert phase != "paying" or felt.results.keys() == seats, "the base game is paid first (5.11)"
        boards.add(len(felt.board))
        covered.add(felt.covered)

    ending = played(config, tmp_path / "journal", 6, look)
    line, sound = reckoning(ending, verify(tmp_path / "journal", evolve), config)
    assert sound, line
    assert boards == {0, *({game.boards[0], game.boards[-1]} if game.boards else ())}
    assert covered == {0, game.dealer_cards - game.dealer_face_up}


@pytest.mark.parametrize("table", [DEFAULT_TABLE, *OTHERS], ids=lambda table: table.stem)
def test_7_3_a_misdeal_voids_the_round_of_every_game(table: Path, tmp_path: Path) -> None:
    config = english(table)
    lines: list[str] = []
    chronicle = Chronicle(config.setup, translator("en"), lambda line, _: lines.append(line))

    async def evening() -> None:
        house = House(config, tmp_path / "journal", Random(1), chronicle.hear, lambda: "", threaded=False)
        await house.open()
        try:
            for position in ("open", "locked"):
                house.hardware.turn_key(position)
                await house.settled()
            await Game(house, chronicle, Random(2), asyncio.sleep).misdeal()
            assert house.state.round is None
        finally:
            await house.close()

    virtualtime.run(evening())
    assert any("stop: the supervisor voids the round" in line for line in lines)
    assert lines[-1].startswith("Round 1 is void")


@pytest.mark.parametrize("table", [DEFAULT_TABLE, *OTHERS], ids=lambda table: table.stem)
def test_the_story_tells_hands_decisions_and_base_payments(table: Path) -> None:
    game = GAMES[load(table).setup.game]
    text = told("--config", str(table), "--rounds", "8", "--seed", "4")
    assert re.search(r"Seat 1 is dealt (.. ?)+\.", text)
    assert re.search(r"The base game, by seat, with an ANTE of [0-9.,]+: 1: [+−]?[0-9]", text)
    assert re.search(r"Seat \d shows .+ \((.. ){4}..\)\.", text)
    assert ("The dealer opens: " in text) == ("The dealer does not open: " in text) == (game.opens is not None)
    assert ("The dealer's draw: " in text) == (game.draw is not None)
    assert ("The dealer shows " in text) == (game.dealer_face_up > 0)
    assert ("Shared cards: " in text) == bool(game.boards)
    assert ("cards were exchanged" in text) == (game.exchanges > 0)


# --- the picture -----------------------------------------------------------------------------------------


def exported(scene: Scene, width: int, height: int) -> str:
    console = Console(record=True, width=width, height=height, file=io.StringIO(), force_terminal=True)
    console.print(Group(*picture(scene, width, height)), end="")
    return console.export_text()


def test_the_picture_shows_what_is_to_be_seen(tmp_path: Path) -> None:
    pictures: dict[str, str] = {}

    def look(scene: Scene) -> None:
        banner = "dark" if scene.display is None else scene.display.banner
        if banner not in pictures and (any(scene.lamps) or banner in ("dark", "idle")):
            pictures[banner] = exported(scene, 80, 24)

    played(english(), tmp_path / "journal", 8, look)
    assert {"open", "locked", "paying", "idle", "dark"} <= set(pictures)
    for text in pictures.values():
        lines = text.rstrip("\n").split("\n")
        assert len(lines) == 24
        assert max(map(len, lines)) <= 80
        assert "draw-1 · Draw Poker" in lines[0]
        assert "round " in lines[0]
        assert "main pot in CLP" in lines[1]
        assert "bets " in lines[-2]
        assert "seed 7" in lines[-1]
        assert "stacked" in lines[-1]
    assert "BETTING IS OPEN" in pictures["open"]
    assert "●" in pictures["open"]
    assert "LOCKED" in pictures["locked"]
    assert "PAYING" in pictures["paying"]
    assert "POWER CUT" in pictures["dark"]
    assert "●" not in pictures["dark"]
    assert "Ana" in pictures["dark"]
    assert re.search(r"dealer  [2-9TJQKA][♣♦♥♠] ", pictures["paying"])
    assert re.search(r"[+−]\d,000 ", pictures["paying"])


def test_2_4_the_picture_shows_what_is_to_be_handed_back_at_a_closed_seat_and_beside_a_prize(tmp_path: Path) -> None:
    scenes: list[Scene] = []
    played(replace(load(CHIPS), language="en"), tmp_path / "journal", 1, scenes.append)
    t = T(acceptor="chips")
    t.open()
    t.bet(2, 3)
    t.fails("slot", 2)
    t.bet(1)
    t.lock()
    with t.refuses("not-open"):
        t.chip(1)
    t.show(s1="flush")
    text = exported(scenes[-1]._replace(table=t.state, display=t.panel), 120, 24)
    assert "50,000 · late chip 1,000" in text
    assert "bet returned 3,000 · cl" in text


def test_the_picture_fits_every_screen(tmp_path: Path) -> None:
    scenes: list[Scene] = []
    played(replace(load(CHIPS), language="es"), tmp_path / "journal", 6, scenes.append)
    for scene in scenes[::40]:
        for width, height in ((80, 24), (200, 60), (116, 30), (60, 16), (20, 8), (5, 3), (1, 1)):
            lines = picture(scene, width, height)
            assert len(lines) == height or (len(lines) < height and height < 8)
            assert all(line.cell_len <= width for line in lines)


@given(st.lists(st.tuples(st.integers(0, 10**9), st.integers(1, 500), st.booleans()), min_size=1, max_size=30))
def test_the_counter_never_passes_the_pot_and_arrives(steps: list[tuple[int, int, bool]]) -> None:
    counter = Counter()
    for pot, milliseconds, dark in steps:
        before = counter.shown
        shown = counter.step(pot, milliseconds, dark=dark)
        assert shown <= pot
        if before is not None and not dark and pot >= before:
            assert shown >= before, "it counts up"
    last = steps[-1][0]
    for _ in range(1_000):
        counter.step(last, 66, dark=False)
    assert counter.shown == last
    assert counter.change == 0, "and is no news for ever"


# --- in a terminal ---------------------------------------------------------------------------------------


class Terminal(NamedTuple):
    """A process on a terminal of its own, which is its controlling one, so that Ctrl-C works."""

    process: subprocess.Popen[bytes]
    master: int
    slave: int
    seen: bytearray

    def read(self, until: Callable[[str], bool]) -> str:
        """Everything it wrote, as soon as `until` is content with it, or when it has ended."""
        deadline = time.monotonic() + PATIENCE_S
        while time.monotonic() < deadline:
            ready, _, _ = select.select([self.master], [], [], 0.1)
            if ready:
                self.seen.extend(os.read(self.master, 65536))
            elif self.process.poll() is not None:
                break
            if until(text := self.seen.decode(errors="replace")):
                return text
        return self.seen.decode(errors="replace")


@contextmanager
def terminal(*command: str) -> Iterator[Terminal]:
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
    environment = {k: v for k, v in os.environ.items() if k not in ("COLUMNS", "LINES", "NO_COLOR")}
    process = subprocess.Popen(
        command, stdin=slave, stdout=slave, stderr=slave, start_new_session=True,
        preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),
        env=environment | {"TERM": "xterm-256color", "PYTHONUTF8": "1"},
    )  # fmt: skip
    try:
        yield Terminal(process, master, slave, bytearray())
    finally:
        process.kill()
        process.wait()
        os.close(master)
        os.close(slave)


@pytest.mark.parametrize("way", ["key", "SIGTERM"])
def test_ctrl_c_in_mid_round_leaves_a_clean_terminal_and_a_whole_journal(way: str, tmp_path: Path) -> None:
    journal = tmp_path / "journal"
    options = ("--seed", "7", "--language", "en", "--speed", "4", "--keep", str(journal))
    with terminal(*COMMAND, *options) as there:
        before = termios.tcgetattr(there.slave)
        there.read(lambda text: "3,000" in text and "BETTING IS OPEN" in text)
        assert not termios.tcgetattr(there.slave)[3] & termios.ECHO, "keys would write into the picture"
        if way == "key":
            os.write(there.master, b"xyz\x03")
        else:
            there.process.send_signal(signal.SIGTERM)
        text = there.read(lambda text: "Goodbye." in text)
        assert there.process.wait(PATIENCE_S) == 0
        assert termios.tcgetattr(there.slave) == before
    assert text.count("\x1b[?1049h") == text.count("\x1b[?1049l") == 1
    after = text.partition("\x1b[?1049l")[2]
    assert "\x1b[?25h" in text[text.rindex("\x1b[?25l") :], "the cursor is back"
    assert "0 rounds; " in after
    assert "every sum holds exactly" in after
    assert "Traceback" not in text
    report = verify(journal, evolve)
    assert report.damage is None
    assert report.entries > 5


def test_without_rich_one_sentence_says_what_to_install() -> None:
    blocked = "import sys; sys.modules['rich'] = None; from controller.cli import main; sys.exit(main(sys.argv[1:]))"
    with terminal(sys.executable, "-c", blocked, "demo", "--language", "en") as there:
        text = there.read(lambda _: False)
        assert there.process.wait(PATIENCE_S) == 2
    assert "pip install 'pozo[demo]'" in text
    assert len(text.splitlines()) == 1


def test_the_story_needs_no_rich() -> None:
    blocked = "import sys; sys.modules['rich'] = None; from controller.cli import main; sys.exit(main(sys.argv[1:]))"
    command = [sys.executable, "-c", blocked, "demo", "--rounds", "1"]
    assert subprocess.run(command, capture_output=True, timeout=PATIENCE_S, check=False).returncode == 0


# --- what it is asked for --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "arguments",
    [["--rounds", "0"], ["--rounds", "x"], ["--speed", "nan"], ["--speed", "0"], ["--speed", "1e9"], ["--seed", "x"]],
)
def test_nonsense_is_refused(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="2"):
        main(arguments)
    assert "usage: pozo demo" in capsys.readouterr().err


def test_a_kept_journal_is_never_written_over(tmp_path: Path) -> None:
    kept = ("--rounds", "1", "--seed", "1", "--keep", str(tmp_path / "journal"))
    told(*kept)
    again = subprocess.run([*COMMAND, *kept], capture_output=True, text=True, timeout=PATIENCE_S, check=False)
    assert again.returncode == 2
    assert "holds a journal already" in again.stderr
    assert verify(tmp_path / "journal", evolve).damage is None


# --- cards and clocks ------------------------------------------------------------------------------------


@given(st.integers(), st.sampled_from(HANDS), st.integers(0, 2))
def test_a_stacked_deck_is_still_one_deck(seed: int, hand: Hand, winners: int) -> None:
    deck, hands = StackedDeck(Random(seed)), [hand] * winners
    found = [deck.find(hand) for hand in hands]
    assert [hand_class(cards) for cards in found] == hands
    rest = deck.draw(52 - 5 * len(hands))
    assert sorted([card for cards in found for card in cards] + list(rest)) == sorted(DECK)
    with pytest.raises(ValueError, match="1 cards wanted, 0 are left"):
        deck.draw(1)


def test_nobody_looks_for_ever_for_what_is_not_there() -> None:
    deck = StackedDeck(Random(1))
    for _ in range(4):
        deck.find(Hand.ROYAL_FLUSH)
    with pytest.raises(ValueError, match="no royal-flush is left"):
        deck.find(Hand.ROYAL_FLUSH)


@given(st.integers())
def test_what_belongs_together_lies_together(seed: int) -> None:
    cards = StackedDeck(Random(seed)).find(Hand.THREE_OF_A_KIND)
    assert len({card >> 2 for card in in_order(cards)[:3]}) == 1


def test_a_bag_gives_everything_before_anything_again() -> None:
    bag = Bag(Random(1), ("a", "b", "c", ""), first="b")
    drawn = [bag.draw() for _ in range(12)]
    assert drawn[0] == "b"
    assert all(sorted(drawn[n : n + 4]) == ["", "a", "b", "c"] for n in (0, 4, 8))


def test_luck_finds_only_hands_that_win_something(tmp_path: Path) -> None:
    seen: list[Scene] = []
    played(english(), tmp_path / "journal", 1, seen.append)
    table = seen[-1].table
    assert gifts(Random(1), "", [1, 2], table) == {}
    assert gifts(Random(1), "fixed", [], table) == {}
    for seed in range(30):
        assert set(gifts(Random(seed), "share", [2, 5], table).values()) == {Hand.STRAIGHT_FLUSH}
        assert set(gifts(Random(seed), "grand", [2, 5], table).values()) <= {
            Hand.FLUSH, Hand.FULL_HOUSE, Hand.FOUR_OF_A_KIND, Hand.ROYAL_FLUSH,
        }  # fmt: skip


def test_a_scaled_loop_counts_its_own_seconds() -> None:
    async def main() -> float:
        loop = asyncio.get_running_loop()
        began = loop.time()
        await asyncio.sleep(10)
        return loop.time() - began

    began = time.monotonic()
    with asyncio.Runner(loop_factory=lambda: ScaledLoop(50)) as runner:
        passed = runner.run(main())
    real = time.monotonic() - began
    assert passed >= 10
    assert 0.2 <= real < 5, "ten seconds of the loop are a fifth of one"
