"""What a part of the bench has found, a line of JSON each, for the host."""

from __future__ import annotations

import json
import sys
from typing import NamedTuple


class Finding(NamedTuple):
    """One thing that was tried. `figure` and `limit` are for what is measured; `detail` is for people."""

    name: str
    ok: bool
    detail: str = ""
    figure: float | None = None
    limit: float | None = None


def tell(name: str, ok: bool, detail: str = "", *, figure: float | None = None, limit: float | None = None) -> bool:
    """Tell the host. Returns `ok`."""
    print("#" + json.dumps(Finding(name, ok, detail, figure, limit)._asdict()), flush=True)
    return ok


def note(text: str) -> None:
    """Progress, for whoever waits."""
    print(text, flush=True)
    sys.stdout.flush()


def told(line: str) -> Finding | None:
    """The host's end: what a line of output tells, if it tells anything."""
    return Finding(**json.loads(line[1:])) if line.startswith("#{") else None
