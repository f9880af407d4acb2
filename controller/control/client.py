"""One client of the control socket: reads its requests one by one, at a bearable pace, and answers each.

While a request is under way the next one waits in the kernel, so a client can never have more than one on the
table's hands; and one that sends too fast is not read for a while, which costs nobody anything.
"""

from __future__ import annotations

import asyncio
import hashlib
import logging
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from typing import Any, ClassVar, Protocol, cast, get_args

from msgspec import Struct

from controller import words
from controller.control import messages as m
from controller.control.identity import WAY, Door, Peer
from controller.control.messages import RequestError
from controller.control.outbox import Outbox
from controller.core.expected import CAN_EXPECT
from controller.core.inputs import Act, Actor, Command
from controller.core.messages import msg
from controller.core.refusals import Refusal
from controller.core.state import Role
from controller.i18n import Language, Translator, translator
from controller.published import Outcome

SHORTEST_COMMAND_ID = 8
"""Characters: who counts 1, 2, 3 would meet last week's answers instead of having something done."""

_log = logging.getLogger(__name__)


class Limits(Struct, frozen=True):
    """What one client may use. Sizes in bytes, times in seconds, `rate` in requests a second.

    `login_costs` so many requests, because proving a PIN is work. `arrivals` are connections a second, of all
    clients together, after a `crowd` of so many at once.
    """

    line: int = 64 * 1024
    outbox: int = 512 * 1024
    clients: int = 16
    arrivals: int = 50
    crowd: int = 50
    rate: int = 20
    burst: int = 40
    login_costs: int = 10
    hello_within: float = 10
    silent_for: float = 900
    grace: float = 2


class Desk(Protocol):
    """What a client needs of the server that it came to."""

    limits: Limits
    language: Language
    digits: int
    simulated: bool

    def greeting(self) -> dict[str, Any]: ...

    def state(self) -> dict[str, Any]: ...

    def state_line(self) -> bytes: ...

    def subscribe(self, client: Client, *, events: bool) -> None: ...

    def unsubscribe(self, client: Client) -> None: ...

    async def command(self, command: Command) -> Outcome: ...

    async def hardware(self, act: words.Physical) -> None: ...


class Session(Struct, frozen=True):
    """Somebody who has proved who they are, as what they came in, and the mark of the PIN that proved it."""

    person: str
    roles: tuple[Role, ...]
    mark: str


class Bucket:
    """How fast requests may come: `rate` a second, after `burst` at once. `clock` gives nanoseconds."""

    def __init__(self, rate: int, burst: int, clock: Callable[[], int]) -> None:
        self._cost = 10**9 // rate
        self._most = burst * self._cost
        self._clock = clock
        self._at = clock()
        self._left = self._most

    def take(self, requests: int) -> float:
        """Seconds to wait before as many `requests` may be read again."""
        now = self._clock()
        self._left = min(self._left + now - self._at, self._most) - requests * self._cost
        self._at = now
        return max(-self._left, 0) / 10**9


class Client:
    """One connection. `run` lasts as long as it does."""

    def __init__(
        self,
        desk: Desk,
        door: Door,
        peer: Peer,
        streams: tuple[asyncio.StreamReader, asyncio.StreamWriter],
        clock: Callable[[], int],
    ) -> None:
        limits = desk.limits
        self._desk = desk
        self._door = door
        self._peer = peer
        self._reader, writer = streams
        self._bucket = Bucket(limits.rate, limits.burst, clock)
        self._language: Translator = translator(desk.language)
        self._greeted = False
        self._subscribed = False
        self._session: Session | None = None
        self.outbox = Outbox(writer, desk.state_line, self._too_slow, limits.outbox, limits.grace)

    async def run(self) -> None:
        """Read and answer until the client leaves, or has to."""
        delivery = asyncio.create_task(self._deliver())
        try:
            with suppress(OSError):  # the client is gone
                await self._read_all()
        finally:
            self._desk.unsubscribe(self)
            self.outbox.last_words()
            await delivery
            await self.outbox.closed()

    def dismiss(self, code: str, text: str, **values: str) -> None:
        """End the connection with a reason."""
        self.outbox.last_words(m.encode({"bye": self._error(code, text, values)}))

    async def _deliver(self) -> None:
        try:
            await self.outbox.deliver()
        except OSError:
            pass  # the client is gone
        except Exception:
            _log.exception("nothing more could be sent to %s", self._peer.user)

    # --- reading

    async def _read_all(self) -> None:
        while not self.outbox.ended:
            line = await self._next_line()
            if line is None:
                return
            cost = 1
            try:
                request = m.decode(line)
                cost = self._desk.limits.login_costs if _proves(request) else 1
                answer = await self._do(request)
                self._answer(request.id, answer)
            except RequestError as error:
                self._fail(error)
            await asyncio.sleep(self._bucket.take(cost))

    async def _next_line(self) -> bytes | None:
        """One line, or None when there will be no more."""
        limits = self._desk.limits
        patience = None if self._subscribed else limits.silent_for if self._greeted else limits.hello_within
        try:
            async with asyncio.timeout(patience):
                return await self._reader.readuntil(b"\n")
        except TimeoutError:
            self.dismiss("silent", msg("Nothing was said for too long. Connect again when there is something to say."))
        except asyncio.LimitOverrunError:
            self.dismiss("too-long", msg("A request is one line of at most {limit} bytes."), limit=str(limits.line))
        except asyncio.IncompleteReadError:
            pass
        return None

    # --- answering

    async def _do(self, request: m.AnyRequest) -> dict[str, Any]:
        """What `request` asks for; the fields of its answer. Raises RequestError."""
        if not self._greeted and not isinstance(request, m.Hello):
            raise RequestError("hello-first", msg("Say hello first."), id=request.id)
        try:
            return await self._ACTIONS[type(request)](self, request)
        except RequestError as error:
            error.id = request.id
            raise
        except Exception:
            _log.exception("a request of %s failed", self._peer.user)
            raise RequestError(
                "internal", msg("That failed within the table; its log says why."), id=request.id
            ) from None

    def _answer(self, id_: str, fields: Mapping[str, Any]) -> None:
        self.outbox.put(m.encode({"id": id_, "ok": "refusal" not in fields, **fields}))

    def _fail(self, error: RequestError) -> None:
        told = self._error(error.code, error.text, error.values, error.clause)
        self.outbox.put(m.encode({"id": error.id, "ok": False, "error": told}))

    def _error(self, code: str, text: str, values: Mapping[str, str], clause: str = "") -> dict[str, str]:
        return {"code": code, "clause": clause, "message": self._say(text, values)}

    def _say(self, text: str, values: Mapping[str, str]) -> str:
        """`text` in the client's language. A sentence that cannot be filled is no reason to lose an answer."""
        try:
            return self._language.text(text, **values)
        except (LookupError, ValueError):
            _log.exception("%r cannot be filled with %r", text, values)
            return text

    def _too_slow(self) -> bytes:
        told = self._error("slow", msg("You read too slowly. Connect again, and ask for the state."), {})
        return m.encode({"bye": told})

    # --- what can be asked for

    async def _hello(self, request: m.Hello) -> dict[str, Any]:
        if request.version != m.VERSION:
            raise RequestError(
                "unsupported-version",
                msg("This table speaks version {known} of its language, not {asked}."),
                known=str(m.VERSION),
                asked=str(request.version)[:20],
            )
        if request.language is not None:
            if request.language not in get_args(Language):
                raise RequestError(
                    "unsupported-language",
                    msg("Choose one of these languages: {known}."),
                    known=", ".join(get_args(Language)),
                )
            self._language = translator(cast(Language, request.language))
        self._greeted = True
        return {
            "version": m.VERSION,
            "language": self._language.language,
            "roles": self._peer.allowed,
            **self._desk.greeting(),
        }

    async def _login(self, request: m.Login) -> dict[str, Any]:
        self._leave()
        person, mark = await self._door.prove(self._peer, request.person, request.pin)
        roles = self._door.enter(self._peer, person, request.roles)
        self._session = Session(person.name, roles, mark)
        return {"person": person.name, "roles": roles}

    async def _logout(self, _: m.Logout) -> dict[str, Any]:
        self._leave()
        return {}

    async def _command(self, request: m.Command) -> dict[str, Any]:
        act = self._words(request.line, "command")
        if len(request.id) < SHORTEST_COMMAND_ID:
            raise RequestError(
                "short-id",
                msg("Give each command an id of its own, of {least} characters or more, such as a UUID."),
                least=str(SHORTEST_COMMAND_ID),
            )
        if request.expect is not None and not isinstance(act, CAN_EXPECT):
            word = words.BY_MEANING[type(act)].word
            raise RequestError("word", msg("“{word}” says itself what it is about: leave “expect” out."), word=word)
        second = await self._second(request.second)
        actor = await self._actor("command")
        line = words.format(act, self._desk.digits)
        id_ = _command_id(actor, request.id, line)
        command = Command(cast(Act, act), actor, second, id_, request.round, request.expect)
        outcome = await self._desk.command(command)
        return {"seq": outcome.seq} | ({"refusal": self._refusal(outcome.refusal)} if outcome.refusal else {})

    async def _state(self, _: m.State) -> dict[str, Any]:
        await self._reads()
        return self._desk.state()

    async def _subscribe(self, _: m.Subscribe) -> dict[str, Any]:
        events = await self._reads()
        self._subscribed = True
        self._desk.subscribe(self, events=events)
        return {"events": events, **self._desk.state()}

    async def _unsubscribe(self, _: m.Unsubscribe) -> dict[str, Any]:
        self._end_stream()
        return {}

    async def _hardware(self, request: m.Hardware) -> dict[str, Any]:
        if not self._desk.simulated:
            raise RequestError("no-hardware", msg("This table is made of real parts: use your hands."))
        await self._desk.hardware(cast(words.Physical, self._words(request.line, "hardware")))
        return {}

    async def _help(self, _: m.Help) -> dict[str, Any]:
        groups = ("command", "hardware") if self._desk.simulated else ("command",)
        return {
            "words": [
                {"usage": entry.usage, "group": entry.group, "summary": self._say(entry.summary, {})}
                for entry in words.VOCABULARY
                if entry.group in groups
            ]
        }

    _ACTIONS: ClassVar[dict[type[m.Request], Callable[..., Awaitable[dict[str, Any]]]]] = {
        m.Hello: _hello,
        m.Login: _login,
        m.Logout: _logout,
        m.Command: _command,
        m.State: _state,
        m.Subscribe: _subscribe,
        m.Unsubscribe: _unsubscribe,
        m.Hardware: _hardware,
        m.Help: _help,
    }

    # --- with what

    def _words(self, line: str, group: words.Group) -> words.Word:
        """What `line` says, if it is of `group`. Raises RequestError ``word`` or ``other-word``."""
        try:
            word = words.parse(line, self._desk.digits)
        except words.WordError as error:
            raise RequestError("word", m.SAID, sentence=error.said(self._language.text)) from None
        if word is None:
            raise RequestError("word", msg("The line says nothing."))
        entry = words.BY_MEANING[type(word)]
        if entry.group != group or isinstance(word, words.Wait):
            raise RequestError("other-word", msg("“{word}” cannot be said in this request."), word=entry.word)
        return word

    async def _actor(self, what: str) -> Actor:
        """Who is logged in, in the roles that they still have. Raises RequestError ``login-first``."""
        session = self._session
        actor = await self._door.actor(session.person, session.roles, session.mark) if session else None
        if actor is None:
            self._door.refusals.add(self._peer, session.person if session else "", f"{what}: not logged in")
            self._leave()
            raise RequestError("login-first", msg("Log in first."), "10.1")
        return actor

    async def _second(self, given: m.Second | None) -> Actor | None:
        """The other person, proved. Raises RequestError."""
        if given is None:
            return None
        await self._actor("second")  # nobody tries PINs here without having given one
        person, _ = await self._door.prove(self._peer, given.person, given.pin)
        return Actor(person.name, self._door.enter(self._peer, person, None), WAY)

    async def _reads(self) -> bool:
        """Whether the client may see events too (rules 10); that it may see the state, else RequestError.

        A Unix user who may be auditor reads without logging in.
        """
        if "auditor" in self._peer.allowed:
            return True
        actor = await self._actor("read")
        return any(role != "dealer" for role in actor.roles)

    async def read_on(self) -> None:
        """Persons may have changed: go on with the stream as far as the login still lets the client read."""
        if not self._subscribed:
            return
        try:
            events = await self._reads()
        except RequestError as error:
            if error.code != "busy":
                self.dismiss(error.code, error.text)
            return
        if self._subscribed:
            self._desk.subscribe(self, events=events)

    def _leave(self) -> None:
        """Nobody is here any more, and what only a login let the client read ends with it."""
        self._session = None
        if "auditor" not in self._peer.allowed:
            self._end_stream()

    def _end_stream(self) -> None:
        self._subscribed = False
        self._desk.unsubscribe(self)

    def _refusal(self, refusal: Refusal) -> dict[str, str]:
        return self._error(refusal.code, refusal.text, refusal.args, refusal.clause)


def _proves(request: m.AnyRequest) -> bool:
    return isinstance(request, m.Login) or (isinstance(request, m.Command) and request.second is not None)


def _command_id(actor: Actor, id_: str, line: str) -> str:
    """The id under which the rules remember the answer: a repeat is the same person, id and line."""
    return f"{actor.person}/{id_}/{hashlib.sha256(line.encode()).hexdigest()[:8]}"
