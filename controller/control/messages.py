"""What is said on the control socket: requests read with suspicion, answers written. See ``docs/control.md``.

A request is one line of JSON. Everything that is not exactly one of the requests below is answered with an error
that says what is wrong; nothing is guessed, and no field is ignored.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Annotated, Any, NoReturn

import msgspec
from msgspec import Meta, Struct

from controller.core.messages import msg
from controller.core.state import Role

VERSION = 1
"""Of this language. A client asks for it in `Hello`; another version is another language."""

ID = re.compile(r"[!-~]{1,64}", re.ASCII)

Id = Annotated[str, Meta(pattern=r"\A[!-~]{1,64}\Z")]
"""Chosen by the client, given back in the answer: 1 to 64 visible ASCII characters."""

PersonName = Annotated[str, Meta(pattern=r"\A[^\W_][\w.-]{0,31}\Z")]
Pin = Annotated[str, Meta(max_length=64)]
Line = Annotated[str, Meta(max_length=4096)]
RoundNumber = Annotated[int, Meta(ge=0, lt=2**53)]
Expected = Annotated[str, Meta(max_length=256)]


class Request(Struct, frozen=True, forbid_unknown_fields=True, tag_field="op", kw_only=True):
    """What every request has."""

    id: Id


class Hello(Request, frozen=True, tag="hello"):
    """The first request of a connection: the version that the client speaks, and its reader's language."""

    version: int
    language: str | None = None


class Login(Request, frozen=True, tag="login"):
    """Who is there. `roles`: only these, and an error if one of them cannot be had; None: all that can be had."""

    person: PersonName
    pin: Pin
    roles: tuple[Role, ...] | None = None


class Logout(Request, frozen=True, tag="logout"):
    """Nobody is there any more."""


class Second(Struct, frozen=True, forbid_unknown_fields=True):
    """The other person, where two are needed (rules 10)."""

    person: PersonName
    pin: Pin


class Command(Request, frozen=True, tag="command"):
    """A line of the vocabulary. `round` is the one that it means, 0 whichever is on; `expect` is what it is about, None
    whatever it is about."""

    line: Line
    round: RoundNumber = 0
    expect: Expected | None = None
    second: Second | None = None


class State(Request, frozen=True, tag="state"):
    """What there is to see."""


class Subscribe(Request, frozen=True, tag="subscribe"):
    """State and events from now on, as they come."""


class Unsubscribe(Request, frozen=True, tag="unsubscribe"):
    """No more of them."""


class Hardware(Request, frozen=True, tag="hardware"):
    """A physical act on a simulated table."""

    line: Line


class Help(Request, frozen=True, tag="help"):
    """The words that can be said here."""


AnyRequest = Hello | Login | Logout | Command | State | Subscribe | Unsubscribe | Hardware | Help


SAID = "{sentence}"
"""The text of an error whose one value, `sentence`, is already in the reader's language."""


class RequestError(Exception):
    """A request is not done. `code` is stable; `text` is a message id that `values` fill; `clause` is the rule.

    `id` is that of the request, when it could be read.
    """

    def __init__(self, code: str, text: str, clause: str = "", id: str | None = None, **values: str) -> None:
        super().__init__(code, text)
        self.code = code
        self.text = text
        self.clause = clause
        self.id = id
        self.values = values


def decode(line: bytes) -> AnyRequest:
    """The request that `line` is. Raises RequestError ``malformed``."""
    try:
        given = json.loads(
            line.decode("utf-8"),
            object_pairs_hook=_without_repeats,
            parse_float=_no_float,
            parse_constant=_no_float,
        )
    except RecursionError:
        raise _malformed("too deeply nested") from None
    except ValueError as error:
        raise _malformed(str(error)) from None
    try:
        request: AnyRequest = msgspec.convert(given, AnyRequest)
    except ValueError as error:  # msgspec's own are; half a character, where it looks for the op, is another
        raise _malformed(str(error), _id_of(given)) from None
    return request


def _without_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    fields = dict(pairs)
    if len(fields) != len(pairs):
        raise ValueError("a field is there twice")
    return fields


def _no_float(text: str) -> NoReturn:
    raise ValueError(f"{text[:20]} is no whole number")


def _id_of(given: Any) -> str | None:
    id_ = given.get("id") if isinstance(given, dict) else None
    return id_ if isinstance(id_, str) and ID.fullmatch(id_) else None


def _malformed(why: str, id_: str | None = None) -> RequestError:
    shown = "".join(c if " " <= c <= "~" else ascii(c)[1:-1] for c in why[:200])
    return RequestError("malformed", msg("This is no request of the control socket: {why}."), id=id_, why=shown)


def encode(message: Mapping[str, Any]) -> bytes:
    """`message` as one line."""
    return msgspec.json.encode(message) + b"\n"
