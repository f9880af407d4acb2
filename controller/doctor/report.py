"""Findings as a person reads them, in 80 columns, and as a program does."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Sequence
from functools import partial
from typing import Any

import msgspec

from controller.core.messages import msg
from controller.doctor import computer, displays, standing, upkeep, wires
from controller.doctor.facts import Facts
from controller.doctor.finding import LEVELS, TOPICS, Finding, Level, Sentence
from controller.i18n import Language, Translator, translator

WIDTH = 80

CHECKS = (upkeep.config, *computer.CHECKS, *wires.CHECKS, displays.displays, *upkeep.CHECKS, *standing.CHECKS)


def examine(facts: Facts) -> list[Finding]:
    """All that can be said, in the order in which a table is built up."""
    return [finding for check in CHECKS for finding in check(facts)]


def count(findings: Iterable[Finding], level: Level) -> int:
    """How many are of `level`."""
    return sum(finding.level == level for finding in findings)


def as_text(findings: Sequence[Finding], language: Language) -> str:
    """One line a finding: how it stands, about what, what; beneath it, what to do. Wrapped where it must be."""
    tell = translator(language).text
    say = partial(_say, translator(language))
    levels = {level: tell(text) for level, text in LEVELS.items()}
    topics = {topic: tell(text) for topic, text in TOPICS.items()}
    first, second = max(map(len, levels.values())), max(map(len, topics.values()))
    margin = first + second + 4
    lines: list[str] = []
    for finding in findings:
        head = f"{levels[finding.level]:{first}}  {topics[finding.topic]:{second}}  "
        lines.extend(_wrapped(say(finding.what, finding), head, " " * margin))
        if finding.remedy:
            lines.extend(_wrapped(say(finding.remedy, finding), " " * margin + "→ ", " " * (margin + 2)))
    return "\n".join([*lines, "", _sum(findings, language)])


def _say(tell: Translator, text: str, finding: Finding) -> str:
    values = {
        name: tell.text(value) if isinstance(value, Sentence) else value for name, value in finding.values.items()
    }
    return tell.text(text, **values)


def _wrapped(text: str, head: str, margin: str) -> Iterable[str]:
    """`text` from `head` on; its own line breaks stay. Long words, which are paths and commands, stay whole."""
    for line in text.splitlines() or [""]:
        yield from textwrap.wrap(
            line, WIDTH, initial_indent=head, subsequent_indent=margin, break_long_words=False, break_on_hyphens=False
        )
        head = margin


def _sum(findings: Sequence[Finding], language: Language) -> str:
    failed, warned = count(findings, "fail"), count(findings, "warn")
    if failed:
        text = msg("Something is wrong: {failed} to mend, {warned} to look at.")
    elif warned:
        text = msg("Nothing keeps the table from playing; {warned} to look at.")
    else:
        text = msg("All is well.")
    return translator(language).text(text, failed=failed, warned=warned)


def as_json(findings: Sequence[Finding], language: Language) -> str:
    """One object: `ok`, the counts, and every finding with its sentences."""
    say = partial(_say, translator(language))
    told: list[dict[str, Any]] = [
        {
            "level": finding.level,
            "topic": finding.topic,
            "what": say(finding.what, finding),
            "remedy": say(finding.remedy, finding),
        }
        for finding in findings
    ]
    failed, warned = count(findings, "fail"), count(findings, "warn")
    whole = {"ok": not failed, "fail": failed, "warn": warned, "findings": told}
    return msgspec.json.format(msgspec.json.encode(whole), indent=2).decode()
