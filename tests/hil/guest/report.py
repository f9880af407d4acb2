"""What a part of the bench has found, a line of JSON each, for the host."""

from __future__ import annotations

import atexit
import json
from typing import NamedTuple


class Finding(NamedTuple):
    """One thing that was tried. `figure` and `limit` are for what is measured; `detail` is for people."""

    name: str
    ok: bool
    detail: str = ""
    figure: float | None = None
    limit: float | None = None


class LostError(Exception):
    """What a part tells has not come as it was told."""


_told = 0


def tell(name: str, ok: bool, detail: str = "", *, figure: float | None = None, limit: float | None = None) -> bool:
    """Tell the host. Returns `ok`."""
    global _told
    if not _told:
        atexit.register(lambda: print(f"#={_told}", flush=True))
    _told += 1
    print("#" + json.dumps(Finding(name, ok, detail, figure, limit)._asdict()), flush=True)
    return ok


def note(text: str) -> None:
    """Progress, for whoever waits."""
    print(text, flush=True)


def told(line: str) -> Finding | None:
    """The host's end: what a line of output tells, if it tells anything. Raises LostError."""
    if line.startswith("#{"):
        return Finding(**json.loads(line[1:]))
    if '#{"name"' in line:
        raise LostError(f"a finding does not stand on a line of its own: {line}")
    return None


def all_told(line: str) -> int | None:
    """The host's end: how many findings there were, at the end of a program that told any."""
    return int(line[2:]) if line.startswith("#=") else None
