"""How the table stands according to its journal, and how far the journal's second copy is."""

from __future__ import annotations

from collections.abc import Iterator

from controller.core.messages import msg
from controller.doctor.facts import Facts
from controller.doctor.finding import Check, Finding, Sentence, found
from controller.story import CAUSES, PARTS

BEHIND = 100
"""Entries that a copy may lack while the table plays, without being called late."""


def standing(facts: Facts) -> Iterator[Finding]:
    seen = facts.ledger.standing if facts.ledger else None
    if seen is None:
        return
    if seen.out_of_service:
        remedy = msg("Do as the reason says; docs/operation.md has them all.")
        text = msg("out of service when it was last written: {reason}")
        yield found("fail", "table", text, remedy, reason=seen.out_of_service)
    if seen.differences and seen.differences not in seen.out_of_service:
        remedy = msg("Until then the table starts out of service.")
        yield found("fail", "table", "{differences}", remedy, differences=seen.differences)
    for seat, why in seen.closed:
        if why != "dealer":
            remedy = msg("Mend it, and let a technician give: reopen {seat}")
            yield found(
                "warn", "table", msg("seat {seat} is closed: {why}"), remedy, seat=seat, why=Sentence(CAUSES[why])
            )
    for part in seen.failed:
        remedy = msg("Mend it; the log says what it is: journalctl -u 'pozo@*' -n 50")
        yield found("warn", "table", msg("does not work: {part}"), remedy, part=Sentence(PARTS[part]))
    if seen.alarms:
        remedy = msg("Let a supervisor read them and give: ack")
        yield found("note", "table", msg("alarms not acknowledged: {alarms}"), remedy, alarms=seen.alarms)
    if seen.playing:
        yield found("ok", "table", msg("in round {round}, which outlives restarts"), round=seen.round)
    else:
        yield found("ok", "table", msg("between two rounds, the last was {round}"), round=seen.round)


def copy(facts: Facts) -> Iterator[Finding]:
    seen = facts.copy
    if seen is None:
        if facts.backend in ("gpio", "serial") and facts.ledger is not None:
            remedy = msg("Write another medium in [journal] copy, a USB stick for example (docs/operation.md).")
            yield found("warn", "copy", msg("the journal has no second copy: one card holds everything"), remedy)
        return
    written = facts.ledger.entries if facts.ledger else 0
    values = {"directory": str(seen.directory), "entries": seen.entries, "written": written}
    if seen.same_medium:
        remedy = msg("Is its medium plugged in and mounted (findmnt)? A copy on the same card dies with it.")
        yield found("fail", "copy", msg("{directory} is on the same medium as the journal"), remedy, **values)
    if seen.disk is not None and "ro" in seen.disk.options:
        yield found("fail", "copy", msg("{directory} is read-only"), msg("Replace that medium."), **values)
    if seen.trouble is not None:
        yield found("fail", "copy", seen.trouble.text, seen.trouble.way_out, **seen.trouble.values)
    elif seen.entries + BEHIND < written:
        remedy = msg("It catches up while the table runs; if not, its log says why: journalctl -u 'pozo@*' -n 50")
        yield found("warn", "copy", msg("{directory} has {entries} of {written} entries"), remedy, **values)
    else:
        yield found("ok", "copy", msg("{directory} has {entries} of {written} entries"), **values)


CHECKS: tuple[Check, ...] = (standing, copy)
