"""``pozo console``: a line to a running table, for technicians and dealers at a plain terminal or a serial line.

It says the words of the vocabulary to the control socket and shows what comes back. It knows no rules, so it can be
killed, left open or run from a script without the table noticing.
"""

from __future__ import annotations

import argparse
import getpass
import io
import json
import os
import select
import socket
import sys
import time
import unicodedata
import uuid
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, cast, get_args

from controller import words
from controller.console_view import event_line, glance, state_lines
from controller.core.messages import msg
from controller.core.roles import TWO
from controller.i18n import Language, Translator, translator
from controller.people_file import NAME, NO_NAME
from controller.strict_toml import printable

PATIENCE_S = 60
"""An answer that has not come after so many seconds does not come."""

LONGEST_ANSWER = 10_000_000
"""Bytes in a line from the table."""

TRIES = 3
"""At a terminal, so many times may somebody try to log in before the console gives up."""

NO_TABLE = msg("What answers there is no table: check the socket's path.")

EVERYWHERE = ("/run/pozo", "/run/pozo-*")
"""Where sockets are looked for when none is named, besides the person's own runtime folder."""


class EndedError(Exception):
    """There is no table at the other end, or no more. The text is for people, in their language."""


class Connection:
    """The control socket, one question after the other. Every method raises EndedError when it is over."""

    def __init__(self, path: Path, language: Translator) -> None:
        self._say = language.text
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._socket.settimeout(PATIENCE_S)
        try:
            self._socket.connect(str(path))
        except PermissionError:
            raise self._ended(msg("{path} is not open to you: ask to be in its group."), path) from None
        except (FileNotFoundError, ConnectionRefusedError):
            raise self._ended(msg("No table is running at {path}: start it with “pozo run”."), path) from None
        except OSError as error:
            raise self._ended(msg("{path} cannot be reached: {why}."), path, error) from None
        self._file = self._socket.makefile("rb")

    def _ended(self, text: str, path: Path, error: OSError | None = None) -> EndedError:
        self._socket.close()
        return EndedError(self._say(text, path=path, why=(error.strerror or error) if error else ""))

    def fileno(self) -> int:
        """For select."""
        return self._socket.fileno()

    def close(self) -> None:
        """Hang up."""
        self._file.close()
        self._socket.close()

    def ask(self, op: str, **fields: Any) -> dict[str, Any]:
        """The answer to a request. What the stream says meanwhile is dropped."""
        id_ = uuid.uuid4().hex
        with suppress(BrokenPipeError, ConnectionResetError):  # the farewell is still to be read
            self._socket.sendall(json.dumps({"id": id_, "op": op, **fields}).encode() + b"\n")
        while True:
            told = self.read()
            if told.get("id", "") in (id_, None):
                return told

    def read(self) -> dict[str, Any]:
        """The next line of the table."""
        try:
            line = self._file.readline(LONGEST_ANSWER)
        except TimeoutError:
            raise EndedError(self._say(msg("The table does not answer. Look at its program's log."))) from None
        except OSError:
            line = b""
        if not line.endswith(b"\n"):
            raise EndedError(self._say(msg("The connection to the table has ended; what was asked last may be done.")))
        try:
            told = dict[str, Any](json.loads(line))
            bye = told["bye"]["message"] if "bye" in told else ""
        except (ValueError, TypeError, LookupError, RecursionError):
            raise EndedError(self._say(NO_TABLE)) from None
        if bye:
            raise EndedError(str(bye))
        return told

    def waits(self) -> bool:
        """Whether a line has been read ahead, which select cannot see."""
        self._socket.setblocking(False)
        try:
            return b"\n" in self._file.peek()
        except OSError:
            return False
        finally:
            self._socket.settimeout(PATIENCE_S)


class Keyboard:
    """Where lines come from: a terminal with prompts and unseen PINs, or a script with neither."""

    def __init__(self) -> None:
        self.terminal = sys.stdin.isatty()
        if self.terminal:
            with suppress(ImportError):
                import readline  # noqa: F401 - its import gives input() a history and arrows

    def line(self, prompt: str) -> str | None:
        """The next line, None at the end."""
        if self.terminal:
            try:
                return input(prompt)
            except EOFError:
                print()
                return None
        line = sys.stdin.readline()
        return line.rstrip("\r\n") if line else None

    def secret(self, prompt: str) -> str | None:
        """A line that nobody sees, None when it was thought better of."""
        if self.terminal:
            try:
                return getpass.getpass(prompt)
            except EOFError:
                print()
                return None
        return self.line("") or ""


class Console:
    """One sitting at a console."""

    def __init__(self, connection: Connection, keyboard: Keyboard, language: Language | None) -> None:
        self._table = connection
        self._keyboard = keyboard
        hello = self._table.ask("hello", version=1, **({"language": language} if language else {}))
        if "error" in hello:
            raise EndedError(hello["error"]["message"])
        if not hello.keys() >= {"table", "game", "seats"} or hello.get("language") not in get_args(Language):
            raise EndedError(translator(language or "en").text(NO_TABLE))
        self._hello = hello
        self._say = translator(hello["language"]).text
        self._own: dict[str, tuple[str, str, Callable[[str], bool]]] = {
            "state": ("state", msg("show the table"), self._state),
            "watch": ("watch", msg("show what happens, until Enter or Ctrl-C"), self._watch),
            "login": ("login [NAME]", msg("log in"), self._login),
            "logout": ("logout", msg("log out"), self._logout),
            "help": ("help [WORD]", msg("the words, or one of them"), self._help),
            "quit": ("quit", msg("leave"), lambda _: True),
        }

    def run(self, person: str | None) -> bool:
        """Log in, then do line after line. Whether all went well."""
        if self._keyboard.terminal:
            print(self._say(msg("Table {table}, {game}, {seats} seats. “help” lists the words."), **self._hello))
        if not self._enter(person):
            return False
        well = True
        for line in self._lines():
            word, _, rest = line.strip().partition(" ")
            if word == "quit":
                break
            if word and not word.startswith("#"):
                well = (self._own[word][2](rest.strip()) if word in self._own else self._act(word, line)) and well
        return well

    def _lines(self) -> Iterator[str]:
        while (line := self._keyboard.line(f"{self._hello['table']}> ")) is not None:
            yield line

    # --- logging in

    def _enter(self, person: str | None) -> bool:
        """Who sits here. Whether they may stay."""
        tries = TRIES if self._keyboard.terminal and not person else 1
        return any(self._login(person or "") for _ in range(tries))

    def _login(self, given: str) -> bool:
        name = self._name(given or self._keyboard.line(self._say(msg("Person (empty: only look): "))))
        if not name:
            return name is not None
        pin = self._keyboard.secret(self._say(msg("PIN: ")))
        if pin is None:
            return False
        answer = self._table.ask("login", person=name, pin=pin)
        if answer["ok"]:
            print(self._say(msg("{person} is logged in as {roles}."), person=name, roles=", ".join(answer["roles"])))
        return self._went_well(answer)

    def _name(self, typed: str | None) -> str | None:
        """A name as the table writes it, empty when nobody gave one; None, which is told, when it can be none."""
        name = unicodedata.normalize("NFC", (typed or "").strip())
        if not name or NAME.fullmatch(name):
            return name
        print(self._say(NO_NAME, name=printable(name, 40)))
        return None

    def _logout(self, _: str) -> bool:
        return self._went_well(self._table.ask("logout"))

    # --- acting

    def _act(self, word: str, line: str) -> bool:
        """Send a line of the vocabulary to where it belongs."""
        entry = words.BY_WORD.get(word)
        if len(line) > words.LONGEST:
            return self._too_long(line)
        if entry is not None and entry.means is words.Wait:
            return self._wait(line)
        if entry is not None and entry.group == "hardware":
            return self._went_well(self._table.ask("hardware", line=line))
        second = self._second() if entry is not None and entry.means in TWO else None
        answer = self._table.ask("command", line=line, **({"second": second} if second else {}))
        if answer["ok"]:
            print(self._say(msg("Done (journal entry {seq})."), seq=answer["seq"]))
        return self._went_well(answer)

    def _second(self) -> dict[str, str] | None:
        name = self._name(self._keyboard.line(self._say(msg("The second person: "))))
        pin = self._keyboard.secret(self._say(msg("PIN of the second person: "))) if name else None
        return None if name is None or pin is None else {"person": name, "pin": pin}

    def _wait(self, line: str) -> bool:
        try:
            wait = cast(words.Wait, words.parse(line, 0))
        except words.WordError as error:
            print(error.said(self._say))
            return False
        try:
            time.sleep(wait.ns / 10**9)
        except KeyboardInterrupt:
            if not self._keyboard.terminal:
                raise
            print()
            return False
        return True

    def _too_long(self, line: str) -> bool:
        """Say so here: the table would hang up on a line that is far too long."""
        try:
            words.parse(line, 0)
        except words.WordError as error:
            print(error.said(self._say))
        return False

    def _went_well(self, answer: dict[str, Any]) -> bool:
        """Tell what went wrong, if anything did."""
        if answer["ok"]:
            return True
        wrong = answer.get("refusal") or answer["error"]
        where = self._say(msg("{code}, clause {clause}"), **wrong) if wrong["clause"] else wrong["code"]
        print(self._say(msg("Refused ({where}): {message}"), where=where, message=wrong["message"]))
        return False

    # --- looking

    def _state(self, _: str) -> bool:
        answer = self._table.ask("state")
        if answer["ok"]:
            print("\n".join(state_lines(answer["state"], answer["attention"], self._say)))
        return self._went_well(answer)

    def _watch(self, _: str) -> bool:
        answer = self._table.ask("subscribe")
        if not self._went_well(answer):
            return False
        last = glance(answer["state"], self._say)
        print(last)
        with suppress(KeyboardInterrupt):
            while not self._stopped():
                told = self._table.read()
                if "event" in told:
                    print(event_line(told["event"]), flush=True)
                elif "state" in told and (now := glance(told["state"], self._say)) != last:
                    last = now
                    print(now, flush=True)
        return self._went_well(self._table.ask("unsubscribe"))

    def _stopped(self) -> bool:
        """Wait for the table, or for Enter at a terminal. Whether it was Enter, or the terminal's end."""
        if self._table.waits():
            return False
        sources: list[Any] = [self._table, *([sys.stdin] if self._keyboard.terminal else [])]
        ready, _, _ = select.select(sources, [], [])
        if sys.stdin in ready:
            sys.stdin.readline()
            return True
        return False

    def _help(self, word: str) -> bool:
        answer = self._table.ask("help")
        if not self._went_well(answer):
            return False
        told = [(entry["usage"], entry["summary"]) for entry in answer["words"]]
        told += [(usage, self._say(summary)) for usage, summary, _ in self._own.values()]
        chosen = [line for line in told if word in ("", line[0].split()[0])]
        if not chosen:
            known = " ".join(sorted(usage.split()[0] for usage, _ in told))
            print(self._say(msg("“{word}” is not a word here. Known: {known}"), word=word, known=known))
            return False
        width = max(len(usage) for usage, _ in chosen)
        print("\n".join(f"  {usage:{width}}  {summary}" for usage, summary in chosen))
        return True


def main(argv: Sequence[str]) -> int:
    """``pozo console``. 0 when every line was done, 1 when one was refused, 2 when there is no table to talk to."""
    args = _arguments().parse_args(argv)
    _bear_any_text()
    language: Language | None = args.language
    try:
        path = args.socket or _configured(args.config, language) or _only_socket()
        connection = Connection(path, translator(language or "en"))
        try:
            return 0 if Console(connection, Keyboard(), language).run(args.person) else 1
        finally:
            connection.close()
    except EndedError as error:
        print(error, file=sys.stderr)
        return 2


def _bear_any_text() -> None:
    """Bytes that are no text are the table's to refuse; signs that a terminal lacks are spelled out."""
    for stream, errors in ((sys.stdin, "surrogateescape"), (sys.stdout, "backslashreplace")):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors=errors)


def _configured(file: Path | None, language: Language | None) -> Path | None:
    """The socket of the table that `file` configures. Raises EndedError."""
    if file is None:
        return None
    from controller import config

    try:
        return config.load(file).socket
    except config.ConfigError as error:
        raise EndedError(error.report(language)) from None


def _only_socket() -> Path:
    """The one table's socket on this machine. Raises EndedError when there is none, or more than one."""
    own = os.environ.get("XDG_RUNTIME_DIR", "")
    folders = [Path(own)] if own else []
    folders += [folder for place in EVERYWHERE for folder in Path("/").glob(place.lstrip("/"))]
    found = sorted({path for folder in folders for path in folder.glob("pozo-*.sock")})
    if len(found) == 1:
        return found[0]
    known = ", ".join(map(str, found)) or "–"
    raise EndedError(f"Say which table: --socket PATH or --config FILE. Sockets found: {known}")


def _arguments() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser("pozo console", description="A line to a running table.")
    where = parser.add_mutually_exclusive_group()
    where.add_argument("--socket", type=Path, help="the table's control socket")
    where.add_argument("--config", type=Path, help="the table's configuration, which names the socket")
    parser.add_argument("--person", help="who logs in; the PIN is asked for (from a script: the first line)")
    parser.add_argument("--language", choices=get_args(Language), help="of what is said here")
    return parser
