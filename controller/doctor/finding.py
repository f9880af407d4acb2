"""One thing that was looked at: how it stands, and what to do about it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Literal, NamedTuple

from controller.core.messages import msg
from controller.doctor.facts import Facts

Level = Literal["ok", "note", "warn", "fail"]

LEVELS: dict[Level, str] = {"ok": msg("ok"), "note": msg("note"), "warn": msg("WARN"), "fail": msg("FAIL")}

TOPICS: dict[str, str] = {
    "board": msg("board"),
    "kernel": msg("kernel"),
    "program": msg("program"),
    "memory": msg("memory"),
    "power": msg("power, heat"),
    "watchdog": msg("watchdog"),
    "terminal": msg("terminal"),
    "factory": msg("GPIO factory"),
    "gpio": msg("GPIO chips"),
    "i2c": msg("I2C"),
    "spi": msg("SPI"),
    "serial": msg("serial"),
    "displays": msg("displays"),
    "config": msg("config"),
    "clock": msg("clock"),
    "disk": msg("disk"),
    "journal": msg("journal"),
    "table": msg("table"),
    "copy": msg("copy"),
    "people": msg("people"),
    "control": msg("control"),
    "service": msg("service"),
}


class Sentence(str):
    """A value that is itself a message id, to be translated with the sentence it stands in."""


class Finding(NamedTuple):
    """`what` and `remedy` are message ids that `values` fill."""

    level: Level
    topic: str
    what: str
    remedy: str = ""
    values: dict[str, Any] = {}  # noqa: RUF012 # never changed


Check = Callable[[Facts], Iterable[Finding]]
"""Looks at the facts, and at nothing else."""


def found(level: Level, topic: str, what: str, remedy: str = "", /, **values: object) -> Finding:
    """A finding, with its values by name."""
    return Finding(level, topic, what, remedy, values)
