"""The displays that a table is to have: their libraries, their buses, and whether they answer."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from controller.core.messages import msg
from controller.displays import LIBRARIES, display_names
from controller.doctor.facts import DisplaySeen, Facts
from controller.doctor.finding import Finding, found
from controller.doctor.machine import device
from controller.doctor.senses import Senses
from controller.doctor.wires import allow
from controller.i18n import Language
from hal.display.places import Display, I2cPlace


def seen(senses: Senses, displays: Sequence[Display], language: Language) -> tuple[DisplaySeen, ...]:
    """What is where each of `displays` should be. Of an I2C bus nothing but their addresses is asked."""
    return tuple(_seen(senses, display, language) for display in displays)


def _seen(senses: Senses, display: Display, language: Language) -> DisplaySeen:
    path = senses.at(f"/dev/{display.place.file}")
    answers = None
    if isinstance(display.place, I2cPlace) and path.exists():
        try:
            answers = senses.answers(path, display.place.address)
        except OSError:
            answers = None  # said by `usable`
    return DisplaySeen(
        **device(senses, path),
        name=display.name or display_names(language)[display.shows],
        kind=display.kind.upper(),
        place=str(display.place),
        spi=not isinstance(display.place, I2cPlace),
        there=path.exists(),
        answers=answers,
    )


def displays(facts: Facts) -> Iterator[Finding]:
    if not facts.displays:
        return
    for package in LIBRARIES:
        if package not in facts.packages:
            remedy = msg("pip install 'pozo[display]' in pozo's environment: without it no display works.")
            yield found("fail", "displays", msg("{package} is not installed"), remedy, package=package)
    for display in facts.displays:
        yield _finding(display, facts.machine.user)


def _finding(display: DisplaySeen, user: str) -> Finding:
    values = {"name": display.name, "kind": display.kind, "place": display.place}
    values |= {"path": display.path, "group": display.group, "user": user}
    if not display.there:
        remedy = msg("Switch the bus on in /boot/firmware/config.txt (wiring/config.txt has the lines) and restart.")
        return found("fail", "displays", msg("{name}: there is no {path}"), remedy, **values)
    if not display.usable:
        return found("fail", "displays", msg("{name}: {path} may not be used by {user}"), allow(display), **values)
    if display.spi:
        return found("ok", "displays", msg("{name}: {kind} at {place}, which does not tell if it is there"), **values)
    if not display.answers:
        remedy = msg("Look at its plug, its supply and its address, 0x3c or 0x3d; i2cdetect shows what answers.")
        return found("fail", "displays", msg("{name}: no {kind} answers at {place}"), remedy, **values)
    return found("ok", "displays", msg("{name}: {kind} answers at {place}"), **values)
