"""The command `pozo`: finds the part that is asked for, and loads nothing else (a table must start fast)."""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Callable
from importlib import import_module
from typing import cast

COMMANDS: dict[str, tuple[str, str]] = {
    "demo": ("controller.demo.cli", "a table that plays by itself, live in the terminal"),
    "run": ("controller.daemon", "the controller of a table"),
    "console": ("controller.console", "a line to a running table, for technicians and dealers"),
    "doctor": ("controller.doctor.cli", "what is wrong with this machine and its table, and the remedy"),
    "check": ("controller.check", "what a configuration will do, in plain words"),
    "odds": ("controller.odds.cli", "what the side bet returns, and what the pot will do"),
    "simulate": ("controller.simulate.cli", "complete games through the real rules, and an audit of them"),
    "play": ("controller.play", "play a scenario in virtual time"),
    "hand": ("controller.hand", "what a hand is, what the dealer must do with it, what the base game pays"),
    "journal": ("controller.journal.cli", "verify, show or export a journal"),
    "people": ("controller.people", "who may do what"),
}


def usage() -> str:
    """One line a command."""
    width = max(map(len, COMMANDS))
    lines = [f"  pozo {name:{width}}  {what}" for name, (_, what) in COMMANDS.items()]
    return "\n".join(["usage: pozo COMMAND [...]", "", *lines, "", "pozo COMMAND --help tells more."])


def main(argv: list[str] | None = None) -> int:
    """Run the command in `argv` (default: the program's own arguments) and return its exit code."""
    args = sys.argv[1:] if argv is None else argv
    if not args or args[0] in ("-h", "--help", "help"):
        print(usage())
        return 0 if args else 2
    if args[0] in ("-V", "--version"):
        from controller.version import VERSION

        print(f"pozo {VERSION}")
        return 0
    if args[0] not in COMMANDS:
        from difflib import get_close_matches

        near = get_close_matches(args[0], COMMANDS, n=1)
        hint = f"; did you mean {near[0]}?" if near else ""
        print(f"pozo: {args[0]!r} is no command{hint}\n\n{usage()}", file=sys.stderr)
        return 2
    run = cast(Callable[[list[str]], int], import_module(COMMANDS[args[0]][0]).main)
    try:
        code = run(args[1:])
        print(end="", flush=True)
        return code
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        # Whoever read our output has gone; there is nobody left to tell.
        sys.stderr.close()
        return 0
    except OSError as error:
        if error.errno != errno.ENOSPC:
            raise
        print(f"pozo: {error.strerror}: what was written is not whole", file=sys.stderr)
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # or Python complains when it leaves
        return 2


if __name__ == "__main__":
    sys.exit(main())
