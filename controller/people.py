"""Who may do what: persons, their roles, their PINs, and the lock-out of those who guess (rules 10, 10.1).

Failed attempts are counted in memory, by the clock of whoever asks. A name that nobody has is treated, timed and
locked out like one that somebody has. ``pozo people`` (`main`) edits the file; a running daemon sees the change.
"""

from __future__ import annotations

import argparse
import ctypes
import errno
import getpass
import hashlib
import hmac
import os
import re
import secrets
import sys
import unicodedata
from collections import OrderedDict
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Literal, get_args

from msgspec import Struct
from msgspec.structs import replace

from controller.core.messages import msg
from controller.core.state import Role
from controller.i18n import Translator, translator
from controller.people_file import NAME, NO_NAME, PeopleError, Record, fingerprint, only_editor, read, unusable, write
from controller.strict_toml import printable

ROLES: tuple[Role, ...] = get_args(Role)

WRONG_IN_A_ROW = 5
"""So many wrong PINs lock a name out."""

MINUTE = 60 * 10**9
"""In nanoseconds, like all times here."""

SHORTEST_LOCK = 5 * MINUTE
LONGEST_LOCK = 60 * MINUTE

STRANGERS = 256
"""Names that nobody has whose attempts are remembered; the oldest is forgotten."""

COST = 2**14
"""scrypt's n: 16 MiB and a few hundredths of a second for each guess."""

_M_MMAP_THRESHOLD = -3
"""malloc.h of glibc: blocks from this size on are the kernel's, each by itself. Once set, it stays."""

_PIN = re.compile(r"[0-9]{4,12}")


class Person(Struct, frozen=True):
    """Somebody who is known here, and all roles that they have."""

    name: str
    roles: tuple[Role, ...]


class Denied(Struct, frozen=True):
    """Not let in. `wait` is how many nanoseconds a locked name stays so; `began`: by this very attempt."""

    why: Literal["wrong", "locked"]
    wait: int = 0
    began: bool = False


class _Attempts(Struct):
    """Of one name: wrong PINs since the last right one or lock, locks since the last right one, locked until."""

    wrong: int = 0
    locks: int = 0
    until: int = 0


class People:
    """All persons of one file. Changes stay in memory until `save`.

    `salt` gives fresh random bytes, `cost` is scrypt's n for new PINs. Not thread-safe, but `find` and `mark` may be
    called from another thread while one is in `verify` or `refresh`.
    """

    def __init__(
        self, path: Path, salt: Callable[[], bytes] = lambda: secrets.token_bytes(16), cost: int = COST
    ) -> None:
        self.path = path
        self._salt = salt
        self._cost = cost
        self._records: dict[str, Record] = {}
        self._seen: tuple[int, ...] = ()
        self._attempts: dict[str, _Attempts] = {}
        self._strangers: OrderedDict[str, _Attempts] = OrderedDict()

    @classmethod
    def load(
        cls, path: Path, *, salt: Callable[[], bytes] = lambda: secrets.token_bytes(16), cost: int = COST
    ) -> People:
        """The persons in the file at `path`; nobody, when there is no such file. Raises PeopleError."""
        people = cls(path, salt, cost)
        people.refresh()
        return people

    def refresh(self) -> bool:
        """Read the file again if it is another one than last time. True if it was.

        Raises PeopleError when it cannot be read or is damaged; the persons known so far then stay.
        """
        seen = fingerprint(self.path)
        if seen == self._seen:
            return False
        self._records = read(self.path)
        self._seen = seen
        return True

    def changed(self) -> bool:
        """Whether `refresh` would read. One look at the folder, so cheap enough for the loop."""
        return fingerprint(self.path) != self._seen

    @property
    def everybody(self) -> tuple[Person, ...]:
        """All persons, by name."""
        return tuple(Person(name, self._records[name].roles) for name in sorted(self._records))

    def find(self, name: str) -> Person | None:
        """The person called `name`, or None."""
        record = self._records.get(name)
        return Person(record.name, record.roles) if record else None

    def mark(self, name: str) -> str:
        """What is another each time the PIN of `name` is set; empty when nobody is called so."""
        record = self._records.get(name)
        return record.salt if record else ""

    # --- changing

    def add(self, name: str, roles: Iterable[Role], pin: str) -> None:
        """A new person. Raises PeopleError: the name is taken or none, no role, or a PIN too easy to guess."""
        name = unicodedata.normalize("NFC", name)
        if NAME.fullmatch(name) is None:
            raise PeopleError(NO_NAME, name=printable(name, 40))
        if name.casefold() in map(str.casefold, self._records):
            raise PeopleError(msg("{name} is there already: choose another name, or change that one."), name=name)
        self._records = self._records | {name: self._hashed(name, _in_order(roles), pin)}

    def remove(self, name: str) -> None:
        """Forget a person. Raises PeopleError when nobody is called so."""
        gone = self._record(name)
        self._records = {other: record for other, record in self._records.items() if record is not gone}

    def set_pin(self, name: str, pin: str) -> None:
        """Give a person a new PIN. Raises PeopleError: nobody is called so, or a PIN too easy to guess."""
        record = self._record(name)
        self._records = self._records | {record.name: self._hashed(record.name, record.roles, pin)}

    def set_roles(self, name: str, roles: Iterable[Role]) -> None:
        """Give a person other roles. Raises PeopleError: nobody is called so, or no role."""
        record = self._record(name)
        self._records = self._records | {record.name: replace(record, roles=_in_order(roles))}

    def save(self) -> None:
        """Write the file anew: durable when this returns, untouched when it raises PeopleError."""
        write(self.path, self._records.values())
        self._seen = fingerprint(self.path)

    def _record(self, name: str) -> Record:
        record = self._records.get(unicodedata.normalize("NFC", name))
        if record is None:
            known = ", ".join(sorted(self._records)) or "–"
            raise PeopleError(msg("Nobody is called “{name}”. Known: {known}."), name=printable(name, 40), known=known)
        return record

    def _hashed(self, name: str, roles: tuple[Role, ...], pin: str) -> Record:
        check_pin(pin)
        record = Record(name, roles, self._salt().hex(), "", self._cost)
        return replace(record, hash=_hash(record, pin).hex())

    # --- proving who one is

    def verify(self, name: str, pin: str, now: int) -> Person | Denied:
        """The person who proves to be `name` with `pin`, at `now` (monotonic nanoseconds).

        Takes as long for a name that nobody has. Five wrong PINs in a row lock a name for five minutes, then
        for twice as long each time, up to an hour; a locked name is denied at once, whatever the PIN.
        """
        record = self._records.get(name)
        attempts = self._attempts_of(name, known=record is not None)
        if now < attempts.until:
            return Denied("locked", attempts.until - now)
        tried = record or self._decoy()
        right = hmac.compare_digest(_hash(tried, pin).hex(), tried.hash)
        if record is not None and right:
            self._attempts.pop(name, None)
            return Person(record.name, record.roles)
        attempts.wrong += 1
        if attempts.wrong < WRONG_IN_A_ROW:
            return Denied("wrong")
        wait = min(SHORTEST_LOCK << min(attempts.locks, 10), LONGEST_LOCK)
        attempts.wrong, attempts.locks, attempts.until = 0, attempts.locks + 1, now + wait
        return Denied("locked", wait, began=True)

    def _attempts_of(self, name: str, *, known: bool) -> _Attempts:
        if known:
            return self._attempts.setdefault(name, _Attempts())
        attempts = self._strangers.setdefault(name, _Attempts())
        self._strangers.move_to_end(name)
        if len(self._strangers) > STRANGERS:
            self._strangers.popitem(last=False)
        return attempts

    def _decoy(self) -> Record:
        """What a PIN is tried against when nobody has the name: as costly as somebody's, and never right."""
        like = next(iter(self._records.values()), None) or Record("", (), "", "", self._cost)
        return replace(like, salt="00" * 16, hash="00" * 32)


def check_pin(pin: str) -> None:
    """Raises PeopleError for a PIN that is none, or among the first that anybody would try."""
    if _PIN.fullmatch(pin) is None:
        raise PeopleError(msg("A PIN has 4 to 12 digits, and nothing else."))
    steps = {(int(b) - int(a)) % 10 for a, b in pairwise(pin)}
    repeats = pin in (pin + pin)[1:-1]
    if len(steps) == 1 or repeats:
        raise PeopleError(msg("That PIN is too easy to guess: no runs such as 1234, no repeats such as 1212."))


def _in_order(roles: Iterable[Role]) -> tuple[Role, ...]:
    """`roles`, each once, in the order of the rules. Raises PeopleError for none."""
    given = set(roles)
    if not given:
        raise PeopleError(msg("A person needs at least one role: {roles}."), roles=", ".join(ROLES))
    return tuple(role for role in ROLES if role in given)


def _hash(record: Record, pin: str) -> bytes:
    _give_back()
    secret = pin.encode("utf-8", "surrogatepass")
    room = 129 * record.n * record.r * record.p + 2**20
    return hashlib.scrypt(
        secret, salt=bytes.fromhex(record.salt), n=record.n, r=record.r, p=record.p, maxmem=room, dklen=32
    )


@cache
def _give_back() -> None:
    """Have glibc give large blocks back when they are free. Of a size that it has seen twice it keeps one for good, in
    every thread: a daemon at which two persons had logged in would hold scrypt's 16 MiB until its end."""
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt is not None:
        mallopt(_M_MMAP_THRESHOLD, 2**20)


# --- The command ----------------------------------------------------------------------------------


def main(argv: Sequence[str]) -> int:
    """``pozo people``: list and change the persons of a table. 0 when done, 1 when refused, 2 for a wrong call."""
    args = _arguments().parse_args(argv)
    language, path = translator("en"), args.file
    if args.config is not None:
        from controller import config

        try:
            table = config.load(args.config)
        except config.ConfigError as error:
            print(error.report(), file=sys.stderr)
            return 2
        language, path = translator(table.language), table.people
    try:
        for line in _change(args, _followed(Path(path)), language):
            print(line)
    except PeopleError as error:
        print(language.text(error.text, **error.values), file=sys.stderr)
        return 1
    return 0


def _followed(path: Path) -> Path:
    """Where `path` leads, since replacing a link would leave the file behind. Raises PeopleError."""
    try:
        return path.resolve(strict=True)
    except FileNotFoundError:
        return path.resolve()
    except (OSError, RuntimeError) as error:  # the second: a circle of links, until Python 3.13
        raise unusable(path, OSError(errno.ELOOP, os.strerror(errno.ELOOP))) from error


def _change(args: argparse.Namespace, path: Path, language: Translator) -> list[str]:
    """Do what `args` ask with the file at `path`; the lines to print. Raises PeopleError."""
    if args.what == "list":
        return [f"{person.name}: {', '.join(person.roles)}" for person in People.load(path).everybody]
    pin = _ask_pin(args.pin_stdin, language) if args.what in ("add", "pin") else ""
    with only_editor(path):
        people = People.load(path)
        if args.what == "add":
            people.add(args.name, args.role, pin)
        elif args.what == "remove":
            people.remove(args.name)
        elif args.what == "pin":
            people.set_pin(args.name, pin)
        else:
            people.set_roles(args.name, args.role)
        people.save()
    return [language.text(msg("Done; a running table knows it at once."))]


def _ask_pin(from_stdin: bool, language: Translator) -> str:
    """A new PIN, from the terminal twice and unseen, or the first line of standard input. Raises PeopleError."""
    if from_stdin:
        pin = sys.stdin.readline().rstrip("\r\n")
        check_pin(pin)
        return pin
    pin = getpass.getpass(language.text(msg("New PIN: ")))
    check_pin(pin)
    if getpass.getpass(language.text(msg("The PIN once more: "))) != pin:
        raise PeopleError(msg("The two were not the same; nothing was changed."))
    return pin


def _arguments() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser("pozo people", description="Who may do what at a table.")
    where = parser.add_mutually_exclusive_group(required=True)
    where.add_argument("--file", type=Path, help="the file of persons")
    where.add_argument("--config", type=Path, help="the table's configuration, which names the file")
    what = parser.add_subparsers(dest="what", required=True)
    what.add_parser("list", help="who is known, and their roles")
    for word, text in (
        ("add", "a new person"),
        ("remove", "forget a person"),
        ("pin", "give a person a new PIN"),
        ("roles", "give a person other roles"),
    ):
        command = what.add_parser(word, help=text)
        command.add_argument("name")
        if word in ("add", "roles"):
            command.add_argument("--role", action="append", required=True, choices=ROLES, help="may be repeated")
        if word in ("add", "pin"):
            command.add_argument("--pin-stdin", action="store_true", help="read the PIN from standard input")
    return parser
