"""What the console shows of a table: plain lines for a plain terminal, made of what the control socket says."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from controller.core.messages import msg
from controller.story import alarm_words, part_words

Say = Callable[..., str]
"""``Translator.text``."""

View = Mapping[str, Any]


def glance(state: View, say: Say) -> str:
    """The table in one line: round, phase, pots, bets."""
    bets = " ".join(f"{seat['seat']}:{seat['bet']}" for seat in state["seats"] if seat["bet"] != "0") or "–"
    line = say(
        msg("round {round}, {phase}, pot {main}, reserve {reserve}, bets {bets}"),
        round=state["round"],
        phase=state["phase"],
        main=state["pot"]["main"],
        reserve=state["pot"]["reserve"],
        bets=bets,
    )
    if state["out_of_service"]:
        line += "; " + say(msg("OUT OF SERVICE: {reason}"), reason=state["out_of_service"])
    return line


def state_lines(state: View, attention: View, say: Say) -> list[str]:
    """The table in full: a line at a glance, the seats, the prizes, and what somebody should look at."""
    header = [say(msg("seat")), say(msg("status")), say(msg("credits")), say(msg("bet")), say(msg("lamp"))]
    header += [say(msg("hand")), say(msg("owed"))]
    seats = [_seat(seat) for seat in state["seats"]]
    lines = [f"{state['table']}: {glance(state, say)}", "", *_columns([header, *seats])]
    if state["prizes"]:
        prizes = [[str(prize[key]) for key in ("seat", "hand", "amount", "status")] for prize in state["prizes"]]
        lines += ["", say(msg("Prizes of the last settlement:")), *_columns(prizes)]
    return [*lines, "", *_attention(attention, say)]


def _seat(seat: View) -> list[str]:
    status = seat["status"] if seat["reason"] is None else f"{seat['status']} ({seat['reason']})"
    hand = seat["forfeit"] or seat["hand"] or "–"
    return [str(seat["seat"]), status, str(seat["credits"]), seat["bet"], seat["lamp"], hand, seat["owed"]]


def _attention(attention: View, say: Say) -> list[str]:
    lines = [say(msg("The key is {position}."), position=attention["key"])]
    if attention["service"]:
        lines.append(say(msg("The table is in service mode.")))
    if attention["failed"]:
        lines.append(say(msg("Failed parts of the table: {parts}"), parts=part_words(attention["failed"], say)))
    for alarm in attention["alarms"]:
        what = alarm_words(alarm["code"], alarm["seat"], alarm["detail"], say)
        lines.append(say(msg("ALARM: {what}"), what=what))
    return lines


def event_line(event: View) -> str:
    """An entry of the journal in one line: number, kind, and what it says."""
    fields = (f"{name}={_short(value)}" for name, value in event.items() if name not in ("seq", "kind", "answer"))
    return f"#{event['seq']} {event['kind']} " + " ".join(fields)


def _short(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _columns(rows: list[list[str]]) -> list[str]:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return ["  ".join(f"{cell:{width}}" for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]
