"""Persons, roles and PINs: the file survives everything, and guessing does not pay (rules 10)."""

from __future__ import annotations

import errno
import getpass
import hashlib
import io
import json
import os
import stat
import subprocess
import sys
import unicodedata
from collections.abc import Callable
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from controller import people_file
from controller.people import (
    LONGEST_LOCK,
    MINUTE,
    SHORTEST_LOCK,
    STRANGERS,
    WRONG_IN_A_ROW,
    Denied,
    People,
    Person,
    check_pin,
    main,
)
from controller.people_file import PeopleError

ANA = Person("ana", ("dealer", "supervisor"))
CHEAP = 2**4


def salts() -> Callable[[], bytes]:
    numbers = count(1)
    return lambda: next(numbers).to_bytes(16, "big")


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "people.json"


@pytest.fixture
def people(file: Path) -> People:
    people = People.load(file, salt=salts(), cost=CHEAP)
    people.add("ana", ["supervisor", "dealer", "dealer"], "2580")
    people.add("tomás", ["technician"], "90871")
    people.save()
    return people


# --- The file


def test_a_file_that_is_not_there_holds_nobody(file: Path) -> None:
    assert People.load(file).everybody == ()
    assert not file.exists()


def test_what_was_saved_is_loaded(people: People, file: Path) -> None:
    loaded = People.load(file)
    assert loaded.everybody == people.everybody == (ANA, Person("tomás", ("technician",)))
    assert loaded.find("ana") == ANA
    assert loaded.find("eva") is None
    assert loaded.verify("tomás", "90871", 0) == Person("tomás", ("technician",))


def test_the_file_is_for_its_owner_only_and_holds_no_pin(people: People, file: Path) -> None:
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert "2580" not in file.read_text()
    assert list(file.parent.iterdir()) == [file]


def test_the_same_pin_is_hashed_differently_for_each(people: People, file: Path) -> None:
    people.add("eva", ["dealer"], "2580")
    people.save()
    hashes = [record["hash"] for record in json.loads(file.read_text())["people"]]
    assert len(set(hashes)) == 3


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{",
        b"\xff\x00",
        b"[" * 100_000,
        b"null",
        b'{"version":2,"people":[]}',
        b'{"version":1,"people":[],"more":1}',
        b'{"version":1,"people":[{"name":"ana","roles":["king"],"salt":"","hash":"","n":16}]}',
        b'{"version":1,"people":[{"name":"ana","roles":["dealer"],"salt":"00","hash":"00","n":16}]}',
        b'{"version":1,"people":[{"name":"ana","roles":["dealer"],"salt":"zz","hash":"zz","n":16}]}',
        b'{"version":1,"people":[{"name":"a b","roles":["dealer"],"salt":"%s","hash":"%s","n":16}]}'
        % (b"00" * 16, b"00" * 32),
        b'{"version":1,"people":[{"name":"ana","roles":[],"salt":"%s","hash":"%s","n":16}]}' % (b"00" * 16, b"00" * 32),
        b'{"version":1,"people":[{"name":"ana","roles":["dealer"],"salt":"%s","hash":"%s","n":1073741824}]}'
        % (b"00" * 16, b"00" * 32),
        b" " * (people_file.LARGEST_FILE + 1),
    ],
)
def test_a_damaged_file_is_named_and_left_as_it_is(file: Path, content: bytes) -> None:
    file.write_bytes(content)
    with pytest.raises(PeopleError, match="is damaged and was left as it is"):
        People.load(file)
    assert main(["--file", str(file), "remove", "ana"]) == 1
    assert file.read_bytes() == content


def test_a_person_who_is_there_twice_is_damage(people: People, file: Path) -> None:
    content = json.loads(file.read_text())
    content["people"].append(content["people"][0])
    file.write_text(json.dumps(content))
    with pytest.raises(PeopleError, match="twice"):
        People.load(file)


@given(st.binary(max_size=200))
def test_junk_raises_nothing_but_people_errors(tmp_path_factory: pytest.TempPathFactory, junk: bytes) -> None:
    file = tmp_path_factory.getbasetemp() / "junk.json"
    file.write_bytes(junk)
    with pytest.raises(PeopleError):
        People.load(file)


@pytest.mark.parametrize("step", ["fsync", "rename"])
def test_a_disk_that_fails_leaves_the_old_file(
    people: People, file: Path, step: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = file.read_bytes()

    def fail(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os if step == "fsync" else Path, step, fail)
    people.remove("ana")
    with pytest.raises(PeopleError, match="No space left on device"):
        people.save()
    assert file.read_bytes() == before
    assert list(file.parent.iterdir()) == [file]


def test_a_draft_left_by_a_power_cut_is_in_nobodys_way(people: People, file: Path) -> None:
    (file.parent / f".people.json.{os.getpid()}").write_text("half")
    people.save()
    assert list(file.parent.iterdir()) == [file]


def test_a_running_daemon_sees_the_change(people: People, file: Path) -> None:
    daemon = People.load(file)
    assert not daemon.changed()
    assert not daemon.refresh()
    people.remove("ana")
    people.save()
    assert daemon.changed()
    assert daemon.refresh()
    assert daemon.find("ana") is None


def test_a_file_damaged_under_a_running_daemon_changes_nobody(people: People, file: Path) -> None:
    daemon = People.load(file)
    file.write_text("oops")
    with pytest.raises(PeopleError):
        daemon.refresh()
    assert daemon.everybody == people.everybody


# --- Changing


@pytest.mark.parametrize("name", ["", "a b", "-ana", "_ana", "a" * 33, "a\n", "ana/", "\ud800"])
def test_names_are_plain(people: People, name: str) -> None:
    with pytest.raises(PeopleError, match="cannot be a name"):
        people.add(name, ["dealer"], "2580")


def test_a_name_is_there_once_however_it_is_written(people: People) -> None:
    for taken in ("Ana", "toma\u0301s"):
        with pytest.raises(PeopleError, match="is there already"):
            people.add(taken, ["dealer"], "2580")


def test_who_is_not_there_cannot_be_changed(people: People) -> None:
    for change in (people.remove, lambda name: people.set_pin(name, "2580"), lambda n: people.set_roles(n, ["dealer"])):
        with pytest.raises(PeopleError, match=r"Nobody is called “eva”\. Known: ana, tomás"):
            change("eva")


def test_roles_and_pins_change(people: People) -> None:
    people.set_roles("ana", ["auditor"])
    people.set_pin("ana", "7391")
    assert people.verify("ana", "7391", 0) == Person("ana", ("auditor",))
    assert people.verify("ana", "2580", 0) == Denied("wrong")
    with pytest.raises(PeopleError, match="at least one role"):
        people.set_roles("ana", [])


@pytest.mark.parametrize(
    "pin", ["", "258", "1" * 13, "25a0", "٢٥٨٠", "1111", "1234", "9876", "7890", "3210", "1357", "1212", "123123"]
)
def test_pins_that_anybody_would_try_are_refused(pin: str) -> None:
    with pytest.raises(PeopleError):
        check_pin(pin)


@pytest.mark.parametrize("pin", ["2580", "1122", "1231", "739104628351"])
def test_other_pins_are_accepted(pin: str) -> None:
    check_pin(pin)


# --- Proving who one is


def test_the_right_pin_is_let_in_and_no_other(people: People) -> None:
    assert people.verify("ana", "2580", 0) == ANA
    for pin in ("2581", "", "\ud800", "2580 ", "9" * 10_000):
        assert people.verify("ana", pin, 0) == Denied("wrong")
        people.verify("ana", "2580", 0)


@pytest.mark.parametrize("name", ["ana", "nobody"])
def test_five_wrong_pins_in_a_row_lock_out_for_twice_as_long_each_time(people: People, name: str) -> None:
    now = 0
    for minutes in (5, 10, 20, 40, 60, 60):
        for _ in range(WRONG_IN_A_ROW - 1):
            assert people.verify(name, "0000", now) == Denied("wrong")
        assert people.verify(name, "0000", now) == Denied("locked", minutes * MINUTE, began=True)
        assert people.verify(name, "2580", now + 1) == Denied("locked", minutes * MINUTE - 1)
        now += minutes * MINUTE
    assert isinstance(people.verify(name, "2580", now), Person if name == "ana" else Denied)


def test_the_right_pin_ends_the_row_and_the_doubling(people: People) -> None:
    for _ in range(3):
        for _ in range(WRONG_IN_A_ROW - 1):
            people.verify("ana", "0000", 0)
        assert people.verify("ana", "2580", 0) == ANA
    now = 0
    for _ in range(2):
        for _ in range(WRONG_IN_A_ROW - 1):
            people.verify("ana", "0000", now)
        assert people.verify("ana", "0000", now) == Denied("locked", SHORTEST_LOCK, began=True)
        now += SHORTEST_LOCK
        assert people.verify("ana", "2580", now) == ANA
    assert LONGEST_LOCK == 60 * MINUTE


def test_a_name_that_nobody_has_costs_as_much_to_try(people: People, monkeypatch: pytest.MonkeyPatch) -> None:
    costs: list[object] = []
    real = hashlib.scrypt

    def counted(secret: bytes, **given: Any) -> bytes:
        costs.append(given["n"])
        return real(secret, **given)

    monkeypatch.setattr(hashlib, "scrypt", counted)
    people.verify("ana", "0000", 0)
    people.verify("nobody", "0000", 0)
    People.load(Path("/nonexistent"), cost=CHEAP).verify("ana", "0000", 0)
    assert costs == [CHEAP] * 3


def test_a_locked_name_costs_nothing_to_try(people: People, monkeypatch: pytest.MonkeyPatch) -> None:
    for _ in range(WRONG_IN_A_ROW):
        people.verify("ana", "0000", 0)
    monkeypatch.delattr(hashlib, "scrypt")
    assert people.verify("ana", "2580", 1) == Denied("locked", SHORTEST_LOCK - 1)


def test_many_strange_names_neither_fill_the_memory_nor_unlock_anybody(people: People) -> None:
    for _ in range(WRONG_IN_A_ROW):
        people.verify("ana", "0000", 0)
    for n in range(STRANGERS + 50):
        people.verify(f"stranger{n}", "0000", 0)
    assert len(people._strangers) == STRANGERS
    assert people.verify("ana", "2580", 1) == Denied("locked", SHORTEST_LOCK - 1)


# --- The command


def run(file: Path, *args: str, pin: str | None = None, monkeypatch: pytest.MonkeyPatch) -> int:
    if pin is not None:
        monkeypatch.setattr(sys, "stdin", io.StringIO(pin + "\n"))
        return main(["--file", str(file), *args, "--pin-stdin"])
    return main(["--file", str(file), *args])


def test_the_command_does_it_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "new" / "people.json"
    add = ("add", "ana", "--role", "supervisor", "--role", "dealer")
    assert run(file, *add, pin="2580", monkeypatch=monkeypatch) == 0
    assert run(file, *add, pin="2580", monkeypatch=monkeypatch) == 1
    assert run(file, "add", "eva", "--role", "auditor", pin="1234", monkeypatch=monkeypatch) == 1
    assert run(file, "pin", "ana", pin="7391", monkeypatch=monkeypatch) == 0
    assert run(file, "roles", "ana", "--role", "technician", monkeypatch=monkeypatch) == 0
    capsys.readouterr()
    assert run(file, "list", monkeypatch=monkeypatch) == 0
    assert capsys.readouterr().out == "ana: technician\n"
    assert People.load(file).verify("ana", "7391", 0) == Person("ana", ("technician",))
    assert run(file, "remove", "ana", monkeypatch=monkeypatch) == 0
    assert People.load(file).everybody == ()


def test_names_are_the_same_however_they_are_typed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Some keyboards send a letter and its accent apart; nothing typed moves the cursor when it is shown again."""
    file = tmp_path / "people.json"
    apart = unicodedata.normalize("NFD", "tomás")
    assert run(file, "add", apart, "--role", "dealer", pin="2580", monkeypatch=monkeypatch) == 0
    assert run(file, "pin", apart, pin="7391", monkeypatch=monkeypatch) == 0
    assert run(file, "roles", apart, "--role", "auditor", monkeypatch=monkeypatch) == 0
    assert People.load(file).verify("tomás", "7391", 0) == Person("tomás", ("auditor",))
    assert run(file, "remove", apart, monkeypatch=monkeypatch) == 0
    assert People.load(file).everybody == ()
    capsys.readouterr()
    assert run(file, "remove", "\x1b[2J", monkeypatch=monkeypatch) == 1
    assert run(file, "add", "\x1b[2J", "--role", "dealer", pin="2580", monkeypatch=monkeypatch) == 1
    assert "\x1b" not in capsys.readouterr().err


def test_links_in_a_circle_lead_to_no_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "circle").symlink_to("circle")
    assert run(tmp_path / "circle", "list", monkeypatch=monkeypatch) == 1
    assert "cannot be used" in capsys.readouterr().err


def test_a_pin_is_asked_for_twice(
    file: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    answers = iter(["2580", "2581", "2580", "2580"])
    monkeypatch.setattr(getpass, "getpass", lambda _: next(answers))
    assert main(["--file", str(file), "add", "ana", "--role", "dealer"]) == 1
    assert "not the same" in capsys.readouterr().err
    assert not file.exists()
    assert main(["--file", str(file), "add", "ana", "--role", "dealer"]) == 0


def test_two_who_edit_at_once_wait_for_each_other(file: Path) -> None:
    code = "import sys; from controller.people import main; sys.exit(main(sys.argv[1:]))"
    calls = [
        subprocess.Popen(
            [sys.executable, "-c", code, "--file", str(file), "add", f"p{n}", "--role", "dealer", "--pin-stdin"],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
        )
        for n in range(4)
    ]
    for call in calls:
        call.communicate(b"2580\n")
    assert [call.returncode for call in calls] == [0] * 4
    assert len(People.load(file).everybody) == 4


def test_a_symbolic_link_stays_one(people: People, file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    link = file.parent / "link.json"
    link.symlink_to(file)
    assert run(link, "remove", "ana", monkeypatch=monkeypatch) == 0
    assert link.is_symlink()
    assert People.load(file).find("ana") is None


def test_a_folder_that_cannot_be_is_said_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "flat").write_text("")
    assert main(["--file", str(tmp_path / "flat" / "people.json"), "remove", "ana"]) == 1
    assert "cannot be used" in capsys.readouterr().err


def test_the_configuration_names_the_file(
    tmp_path: Path, people: People, file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    config = tmp_path / "table.toml"
    config.write_text(
        f"""
        [table]
        id = "draw-1"
        game = "draw-poker"
        currency = "CLP"
        language = "es"
        [bet]
        acceptor = "credits"
        denomination = "1000"
        min = 1
        max = 3
        [pot]
        base = "10000000"
        commission = "20%"
        reserve = "10%"
        approve_from = "1000000"
        [hal]
        backend = "simulated"
        [people]
        file = "{file}"
        """
    )
    assert main(["--config", str(config), "list"]) == 0
    assert capsys.readouterr().out.startswith("ana: dealer, supervisor\n")
    assert main(["--config", str(tmp_path / "none.toml"), "list"]) == 2


HASHING = """
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from controller.people import People

def resident():
    with open("/proc/self/status") as file:
        return next(int(line.split()[1]) for line in file if line.startswith("VmRSS:"))

people = People(Path("nowhere.json"))
before = resident()
for thread in range(2):
    with ThreadPoolExecutor(1) as pool:
        for _ in range(3):
            pool.submit(people.verify, "ana", "258025", 0).result()
print(resident() - before)
"""


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="nothing here tells of memory")
def test_what_a_pin_costs_is_given_back() -> None:
    done = subprocess.run([sys.executable, "-c", HASHING], capture_output=True, text=True, check=True)
    assert int(done.stdout) < 8 * 1024, "kB"  # scrypt takes 16 MiB for each
