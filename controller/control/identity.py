"""Who is at the table's doors: the way in bounds the roles, a PIN proves the person, refusals are journaled (10.1).

At the socket the Unix user says which roles may be asked for; at the dealer's terminal it is the dealer's alone.

Everything slow (hashing, the system's user database, reading the file of persons again) runs on one thread of its
own, one thing at a time, with a short queue: guessing PINs costs the table nothing.
"""

from __future__ import annotations

import asyncio
import grp
import logging
import os
import pwd
import socket
import struct
import unicodedata
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import TypeVar

from msgspec import Struct

from controller.control.messages import RequestError
from controller.core.inputs import AccessRefused, Actor, Way
from controller.core.messages import msg
from controller.core.state import Role
from controller.people import MINUTE, ROLES, Denied, People, Person
from controller.people_file import PeopleError

WAY: Way = "console"
"""How all who come through the socket came in."""

WAITING = 8
"""So many proofs of identity are under way at once, at most; who comes then is asked to come again."""

WINDOW = MINUTE
"""For so long after a journaled refusal, further ones of the same Unix user are only counted."""

_log = logging.getLogger(__name__)

T = TypeVar("T")


class Peer(Struct, frozen=True):
    """The other end of a connection, as the kernel vouches for it, and the roles that it may ask for.

    `way` is how it came in; the dealer's terminal is no connection, and no Unix user.
    """

    uid: int
    user: str
    allowed: tuple[Role, ...]
    way: Way = WAY


TERMINAL = Peer(-1, "terminal", ("dealer",), "terminal")
"""Whoever works the keys in front of the dealer."""


def peer_uid(connection: socket.socket) -> int:
    """The Unix user of the process at the other end."""
    size = struct.calcsize("3i")
    _, uid, _ = struct.unpack("3i", connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, size))
    return int(uid)


def lookup(uid: int, allow: Mapping[str, tuple[Role, ...]], own_uid: int | None = None) -> Peer:
    """The user `uid` with the roles that `allow` gives to it or, as "@group", to one of its groups.

    An empty `allow` gives all roles to root and to the daemon's own user (`own_uid`). May block.
    """
    own = os.geteuid() if own_uid is None else own_uid
    try:
        entry = pwd.getpwuid(uid)
        user, groups = entry.pw_name, os.getgrouplist(entry.pw_name, entry.pw_gid)
    except KeyError:
        user, groups = str(uid), []
    if not allow:
        return Peer(uid, user, ROLES if uid in (0, own) else ())
    names = {user, *("@" + _group(gid) for gid in groups)}
    given = {role for name in names for role in allow.get(name, ())}
    return Peer(uid, user, tuple(role for role in ROLES if role in given))


def _group(gid: int) -> str:
    try:
        return grp.getgrgid(gid).gr_name
    except KeyError:
        return str(gid)


class _Row(Struct):
    """Refusals of one Unix user since the last journaled one: until when they are counted, and how many."""

    until: int
    person: str
    what: str
    suppressed: int = 0


class RefusalLog:
    """Journals refused access: the first at once, what follows within a minute as one number.

    `clock` gives nanoseconds. The timer runs only while something is counted and somebody is connected.
    """

    def __init__(self, note: Callable[[AccessRefused], None], clock: Callable[[], int]) -> None:
        self._note = note
        self._clock = clock
        self._rows: dict[tuple[int, Way], _Row] = {}
        self._timer: asyncio.TimerHandle | None = None

    def add(self, peer: Peer, person: str, what: str, *, urgent: bool = False) -> None:
        """Somebody at `peer`, who says to be `person`, was refused `what`. `urgent`: not only counted."""
        now, of = self._clock(), (peer.uid, peer.way)
        row = self._rows.get(of)
        if row is not None and now < row.until and not urgent:
            row.person, row.what, row.suppressed = person, what, row.suppressed + 1
            self.watch()
            return
        self._note(AccessRefused(person, peer.way, what, row.suppressed if row else 0))
        self._rows[of] = _Row(now + WINDOW, person, what)

    def flush(self, *, all_of_them: bool = False) -> None:
        """Journal the numbers whose minute is over."""
        now = self._clock()
        for (uid, way), row in list(self._rows.items()):
            if now < row.until and not all_of_them:
                continue
            if row.suppressed:
                self._note(AccessRefused(row.person, way, row.what, row.suppressed - 1))
            del self._rows[uid, way]

    def watch(self) -> None:
        """Flush when the next minute is over; for as long as somebody is connected."""
        counting = [row.until for row in self._rows.values() if row.suppressed]
        if self._timer is None and counting:
            delay = max(min(counting) - self._clock(), 0) / 10**9
            self._timer = asyncio.get_running_loop().call_later(delay, self._due)

    def rest(self) -> None:
        """Nobody is connected: no timer."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _due(self) -> None:
        self._timer = None
        self.flush()
        self.watch()


class Door:
    """Lets persons in. One for all connections."""

    def __init__(
        self,
        people: People,
        allow: Mapping[str, tuple[Role, ...]],
        refusals: RefusalLog,
        clock: Callable[[], int],
    ) -> None:
        self._people = people
        self._allow = allow
        self._clock = clock
        self.refusals = refusals
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="pozo-people")
        self._waiting = 0
        self._damage = ""
        self._read = 0

    async def peer(self, connection: socket.socket) -> Peer:
        """Who is at the other end. Raises RequestError ``busy``."""
        uid = peer_uid(connection)
        return await self._apart(lambda: lookup(uid, self._allow))

    async def prove(self, peer: Peer, name: str, pin: str) -> tuple[Person, str]:
        """The person called `name`, who has that PIN, and the PIN's mark.

        Raises RequestError ``denied``, ``locked`` or ``busy``.
        """
        name = unicodedata.normalize("NFC", name)
        answer, mark = await self._apart(lambda: self._verify(name, pin))
        if isinstance(answer, Person):
            return answer, mark
        known = self._people.find(name) is not None
        locked = answer.why == "locked"
        what = "locked out" if locked else "wrong name or PIN"
        self.refusals.add(peer, name, f"login: {what}", urgent=answer.began and known)
        if locked:
            raise RequestError(
                "locked",
                msg("Too many wrong PINs: {person} has to wait {minutes} more minutes."),
                "10.1",
                person=name,
                minutes=str(-(-answer.wait // MINUTE)),
            )
        raise RequestError("denied", msg("That is not the name and the PIN of anybody here."), "10.1")

    def enter(self, peer: Peer, person: Person, asked: tuple[Role, ...] | None) -> tuple[Role, ...]:
        """The roles of `person` at this connection: their own, as far as the connection may have them.

        Raises RequestError ``not-allowed``: one that was `asked` for, or every one, is not among them.
        """
        possible = tuple(role for role in person.roles if role in peer.allowed)
        lacking = [role for role in asked or () if role not in possible]
        if lacking or not possible or asked == ():
            roles = ", ".join(lacking or person.roles)
            self.refusals.add(peer, person.name, f"roles: {roles}")
            raise RequestError(
                "not-allowed",
                msg("{person} cannot be {roles} here: ask for other roles, or at another place."),
                "10.1",
                person=person.name,
                roles=roles,
            )
        return possible if asked is None else tuple(role for role in possible if role in asked)

    async def names(self, role: Role) -> tuple[str, ...]:
        """Those who have `role`, by name. Raises RequestError ``busy``."""
        await self._apart(self._refresh)
        return tuple(person.name for person in self._people.everybody if role in person.roles)

    async def actor(self, name: str, roles: tuple[Role, ...], mark: str, way: Way = WAY) -> Actor | None:
        """`name`, whose PIN had that `mark`, in those of `roles` that the file of persons still gives.

        None when it gives none, or the PIN is another now. Raises RequestError ``busy``.
        """
        if self._people.changed():
            await self._apart(self._refresh)
        person = self._people.find(name)
        if person is None or self._people.mark(name) != mark:
            return None
        left = tuple(role for role in roles if role in person.roles)
        return Actor(name, left, way) if left else None

    def edition(self) -> tuple[int, bool]:
        """What is another than before when the file of persons may have changed. Cheap enough for the loop."""
        return self._read, self._people.changed()

    def close(self) -> None:
        """Journal what was only counted, and end the thread."""
        self.refusals.rest()
        self.refusals.flush(all_of_them=True)
        self._thread.shutdown(wait=False, cancel_futures=True)

    def _verify(self, name: str, pin: str) -> tuple[Person | Denied, str]:
        self._refresh()
        return self._people.verify(name, pin, self._clock()), self._people.mark(name)

    def _refresh(self) -> None:
        """Persons as the file has them now. One that is damaged changes nobody, and is reported once."""
        damage = ""
        try:
            self._read += self._people.refresh()
        except PeopleError as error:
            damage = str(error)
        if damage and damage != self._damage:
            _log.error("%s Persons stay as they were.", damage)
        self._damage = damage

    async def _apart(self, work: Callable[[], T]) -> T:
        """`work` on the thread. Raises RequestError ``busy`` when too much is waiting already."""
        if self._waiting >= WAITING:
            raise RequestError("busy", msg("Too many are at the door: wait a moment and try again."))
        loop = asyncio.get_running_loop()
        self._waiting += 1
        job = self._thread.submit(work)
        job.add_done_callback(lambda _: self._one_less(loop))
        return await asyncio.wrap_future(job)

    def _one_less(self, loop: asyncio.AbstractEventLoop) -> None:
        def count() -> None:
            self._waiting -= 1

        with suppress(RuntimeError):  # the loop has ended before the thread
            loop.call_soon_threadsafe(count)
