"""A table's configuration: a TOML file becomes a frozen `Config`, or one report of every mistake in it.

Which keys there are, which are required and what the others default to is in ``docs/configuration.md``. The
keys of money (game, currency, bet, pot, prizes) are opening values: once a journal exists it decides, and
`check_against` says what differs (rules 8.4).
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping
from datetime import time
from functools import partial
from pathlib import Path
from typing import Literal

from msgspec import Struct

from controller.base_section import read_base
from controller.core.cards import HANDS, STRENGTH, Hand
from controller.core.events import TableOpened
from controller.core.games.catalogue import GAMES
from controller.core.games.game import Base
from controller.core.messages import msg
from controller.core.money import WHOLE, Minor, Rate, Units, format_minor, to_units
from controller.core.params import MOST_TIMES, BadValueError, differences, nearest, problems, read_amount, read_rate
from controller.core.potwords import Params, PrizeRule
from controller.core.state import Role, Setup, Table
from controller.displays import money_of
from controller.hal_section import read_hal
from controller.strict_toml import ConfigError, Document, Problem, Section, choice, read, text, whole_number
from hal.display.places import Display
from hal.gpio.wiring import Hardware

__all__ = ["Config", "ConfigError", "Mismatch", "Problem", "check_against", "load", "mismatch_report", "opening"]

Language = Literal["es", "en"]
ROLES: tuple[Role, ...] = ("dealer", "supervisor", "technician", "auditor")

Environment = Mapping[str, str]


class Config(Struct, frozen=True):
    """One table, as its file describes it. Paths are absolute.

    `base` is what the base game pays, None where neither the game's rules nor the file says so. `timezone` is the
    name of an IANA zone, empty for the machine's own; with `day_starts` it defines the gaming day. `keep` counts
    closed periods of the journal; `copy` is where its second copy goes, None for none. `allow`
    maps a Unix user, or "@group", to the roles that its connections may ask for; empty: the daemon's own user and root
    may ask for all. `gpio` is None where the hardware is simulated; `displays` may be there all the same.
    """

    file: Path
    setup: Setup
    params: Params
    base: Base | None
    language: Language
    timezone: str
    day_starts: time
    gpio: Hardware | None
    displays: tuple[Display, ...]
    journal: Path
    keep: int
    copy: Path | None
    socket: Path
    allow: dict[str, tuple[Role, ...]]
    people: Path

    @property
    def backend(self) -> Literal["simulated", "gpio"]:
        """The word in the file."""
        return "simulated" if self.gpio is None else "gpio"


def load(path: str | os.PathLike[str], environment: Environment = os.environ) -> Config:
    """Read the configuration at `path`. Raises ConfigError with every mistake in it.

    `environment` gives the default places: STATE_DIRECTORY, XDG_STATE_HOME, HOME; RUNTIME_DIRECTORY and
    XDG_RUNTIME_DIR.
    """
    document = read(Path(path))
    file = Path(os.path.abspath(path))
    table, bet = document.section("table"), document.section("bet")
    setup = _setup(table, bet)
    language: Language = "en" if table.get("language", choice("es", "en"), "es") == "en" else "es"
    timezone = table.get("timezone", _timezone, "")
    day_starts = table.get("day_starts", _time_of_day, time(6))
    params = _params(document, bet, setup)
    for section in (table, bet):
        section.close()
    _note_problems(document, params, setup)
    base = read_base(document, GAMES.get(setup.game))
    gpio, displays = read_hal(
        document, setup, _positive(setup.currency, setup.digits), partial(money_of, language, setup)
    )
    journal, keep, copy = _journal(document, file.parent, setup.table, environment)
    socket, allow = _control(document, file.parent, journal / _socket_name(setup.table), environment)
    persons = document.section("people")
    people = persons.get("file", _path(file.parent), journal / "people.json")
    persons.close()
    document.finish(language)
    return Config(
        file=file,
        setup=setup,
        params=params,
        base=base,
        language=language,
        timezone=timezone,
        day_starts=day_starts,
        gpio=gpio,
        displays=displays,
        journal=journal,
        keep=keep,
        copy=copy,
        socket=socket,
        allow=allow,
        people=people,
    )


def opening(config: Config) -> TableOpened:
    """The first event of a new journal: a pot opens at its base, its reserve at nothing (rules 4.2)."""
    return TableOpened(config.setup, config.params, to_units(config.params.base), Units(0))


# --- The table and its bets --------------------------------------------------------------------------


def _setup(table: Section, bet: Section) -> Setup:
    name = table.need("id", _table_id, "table")
    game = table.need("game", choice(*GAMES), "")
    most = GAMES[game].max_seats if game else max(game.max_seats for game in GAMES.values())
    seats = table.get("seats", whole_number(1, most), most)
    currency, digits = table.need("currency", _currency, ("", 4))
    acceptor = bet.need("acceptor", choice("credits", "chips"), "credits")
    denomination = bet.need("denomination", _positive(currency, digits), Minor(1))
    how: Literal["credits", "chips"] = "chips" if acceptor == "chips" else "credits"
    return Setup(name, game, seats, currency, digits, how, denomination)


def _table_id(value: object) -> str:
    name = text(value)
    if not re.fullmatch("[A-Za-z0-9][A-Za-z0-9_-]{0,31}", name):
        raise BadValueError(
            msg("{value} cannot name a table: write up to 32 plain letters, digits, - or _, such as draw-1.")
        )
    return name


def _currency(value: object) -> tuple[str, int]:
    """The code and its decimals, from CLDR (rules 3.1)."""
    from babel.core import get_global

    code = text(value)
    known = get_global("all_currencies")
    if code not in known:
        letters = sorted(code.upper())  # the usual slip swaps two of them, or misses the shift key
        near = next((other for other in known if sorted(other) == letters), nearest(code.upper(), known))
        raise BadValueError(
            msg("{value} is not a currency: write its three-letter ISO 4217 code, such as CLP."), nearest=near
        )
    fractions = get_global("currency_fractions")
    return code, int(fractions.get(code, fractions["DEFAULT"])[0])


def _timezone(value: object) -> str:
    import zoneinfo

    name = text(value)
    try:
        zoneinfo.ZoneInfo(name)
    except (LookupError, ValueError, OSError) as error:
        if not (zones := zoneinfo.available_timezones()):
            raise BadValueError(msg("This machine knows no time zones: install the package tzdata.")) from error
        near = nearest(name, zones)
        raise BadValueError(
            msg("{value} is not a time zone: write an IANA name, such as America/Santiago."), nearest=near
        ) from error
    return name


def _time_of_day(value: object) -> time:
    if type(value) is not str or not re.fullmatch("([01][0-9]|2[0-3]):[0-5][0-9]", value):
        raise BadValueError(msg('{value} is not a time of day: write hours and minutes in quotes, "06:00".'))
    return time.fromisoformat(value)


# --- Money -------------------------------------------------------------------------------------------


def _amount(currency: str, digits: int) -> Callable[[object], Minor]:
    """Money: a decimal number in quotes, since TOML would make a float of it."""

    def read_it(value: object) -> Minor:
        if type(value) is not str:
            plain = re.sub(r"\.0+$", "", str(value)) if _is_number(value) else ""
            if re.fullmatch(r"[0-9]{1,15}(\.[0-9]{1,4})?", plain):
                raise BadValueError(msg('Money never is a bare number: write it in quotes, "{plain}".'), plain=plain)
            raise BadValueError(msg('{value} is not money: write plain digits in quotes, such as "1000".'))
        return read_amount(value, currency or "?", digits)

    return read_it


def _is_number(value: object) -> bool:
    return isinstance(value, str) or (type(value) is int and value.bit_length() < 64)


def _positive(currency: str, digits: int) -> Callable[[object], Minor]:
    def read_it(value: object) -> Minor:
        amount = _amount(currency, digits)(value)
        if amount == 0:
            raise BadValueError(msg("{key} must be more than zero."))
        return amount

    return read_it


def _rate(value: object) -> Rate:
    if type(value) is not str:
        raise BadValueError(msg('{value} is not a rate: write a percentage in quotes, such as "20%".'))
    return read_rate(value)


def _params(document: Document, bet: Section, setup: Setup) -> Params:
    pot = document.section("pot")
    amount = _amount(setup.currency, setup.digits)
    lowest = bet.get("min", whole_number(1, MOST_TIMES), 1)
    highest = bet.need("max", whole_number(1, MOST_TIMES), lowest)
    order = pot.get("fixed_prizes", choice("first", "last"), "first")
    params = Params(
        bet_min=Minor(lowest * setup.denomination),
        bet_max=Minor(highest * setup.denomination),
        base=pot.need("base", amount, Minor(0)),
        limit=pot.get("limit", amount, None),
        commission=pot.need("commission", _rate, Rate(0)),
        reserve=pot.get("reserve", _rate, Rate(0)),
        fixed_prizes="last" if order == "last" else "first",
        approve_from=pot.get("approve_from", amount, Minor(0)),
        prizes=_prizes(document, setup),
    )
    pot.close()
    return params


def default_prizes(game: str) -> tuple[PrizeRule, ...]:
    """The published prizes (rules 5.7), weakest hand first."""
    return (
        PrizeRule(Hand.FLUSH, times=50),
        PrizeRule(Hand.FULL_HOUSE, times=100),
        PrizeRule(Hand.FOUR_OF_A_KIND, times=500),
        PrizeRule(Hand.STRAIGHT_FLUSH, share=Rate(1000), cap_times=GAMES[game].straight_flush_cap),
        PrizeRule(Hand.ROYAL_FLUSH, share=WHOLE),
    )


def _prizes(document: Document, setup: Setup) -> tuple[PrizeRule, ...]:
    sections = document.root.sections("prizes")
    if sections is None:
        return default_prizes(setup.game) if setup.game else ()
    rules = [rule for rule in map(_prize, sections) if rule is not None]
    return tuple(sorted(rules, key=lambda rule: STRENGTH[rule.hand]))


def _prize(section: Section) -> PrizeRule | None:
    word = section.need("hand", choice(*HANDS), "")
    if word:
        section.rename(f"prizes.{word}")
    times = section.get("times", whole_number(1, MOST_TIMES), None, 1)
    share = section.get("share", _rate, None, Rate(1))
    cap_times = section.get("cap_times", whole_number(1, MOST_TIMES), None, 1)
    section.close()
    return PrizeRule(Hand(word), times, share, cap_times) if word else None


_RELATED = {
    "bet.max": ("bet.min",),
    "pot.limit": ("pot.base",),
    "pot.commission": ("pot.reserve",),
    "prizes": ("pot.commission", "pot.reserve", "table.game"),
}
"""What else a rule looks at, beside the key that it names."""

_SHAPE = {"two-prizes", "times-or-share", "cap-without-share"}
"""Rules on which keys stand together, whatever their values."""


def _note_problems(document: Document, params: Params, setup: Setup) -> None:
    """Note the rules that `params` breaks, except where a stand-in for a mistaken value breaks them."""
    for refusal in problems(params, setup):
        values = dict(refusal.args)
        key = values.pop("key")
        related = _RELATED.get(key, ())
        if refusal.code == "too-large":
            related = ("table.currency", "bet.denomination", "bet.max")
        if refusal.code in _SHAPE or not document.marked(key, *related):
            document.note(key, refusal.text, **values)


# --- Machine and people ------------------------------------------------------------------------------


def _path(folder: Path) -> Callable[[object], Path]:
    """A path; a relative one starts at the configuration's own folder."""

    def read_it(value: object) -> Path:
        name = text(value)
        if name.startswith("~"):
            raise BadValueError(msg("{value} means another folder for every user: write the whole path."))
        return Path(os.path.abspath(folder / name))

    return read_it


def _journal(document: Document, folder: Path, table: str, environment: Environment) -> tuple[Path, int, Path | None]:
    section = document.section("journal")
    directory = section.get("directory", _path(folder), None) or _state_directory(table, environment)
    if directory is None:
        text_ = msg("There is no home directory to keep the journal in: write {key}.")
        document.note("journal.directory", text_)
    keep = section.get("keep", whole_number(1, 100_000), 400)
    copy = section.get("copy", _path(folder), None)
    if copy and directory and (copy in (directory, *directory.parents) or directory in copy.parents):
        document.note("journal.copy", msg("{value} and the journal lie in one another: name another medium."))
    section.close()
    return directory or folder, keep, copy


def _state_directory(table: str, environment: Environment) -> Path | None:
    """Where a journal goes that has no place of its own: as systemd says, else as XDG does."""
    if given := environment.get("STATE_DIRECTORY", "").partition(":")[0]:
        return Path(given)
    state, home = environment.get("XDG_STATE_HOME", ""), environment.get("HOME", "")
    if os.path.isabs(state):
        return Path(state, "pozo", table)
    return Path(home, ".local", "state", "pozo", table) if os.path.isabs(home) else None


def _socket_name(table: str) -> str:
    return f"pozo-{table}.sock"


LONGEST_SOCKET = 107
"""Bytes in the path of a Unix socket (``sun_path``, unix(7))."""


def _control(
    document: Document, folder: Path, beside_journal: Path, environment: Environment
) -> tuple[Path, dict[str, tuple[Role, ...]]]:
    def read_socket(value: object) -> Path:
        path = _path(folder)(value)
        if len(os.fsencode(path)) > LONGEST_SOCKET:
            raise BadValueError(msg("{value} is too long for a socket: {most} bytes at most."), most=LONGEST_SOCKET)
        return path

    section = document.section("control")
    runtime = environment.get("RUNTIME_DIRECTORY", "").partition(":")[0] or environment.get("XDG_RUNTIME_DIR", "")
    default = Path(runtime, beside_journal.name) if os.path.isabs(runtime) else beside_journal
    socket = section.get("socket", read_socket, default)
    allowed = section.section("allow")
    none: tuple[Role, ...] = ()
    allow = {name: allowed.get(name, _roles(name), none) for name in allowed}
    section.close()
    return socket, allow


def _roles(name: str) -> Callable[[object], tuple[Role, ...]]:
    """The roles of the Unix user or group `name`."""

    def read_it(value: object) -> tuple[Role, ...]:
        if not re.fullmatch(r"@?[A-Za-z_][A-Za-z0-9_.-]{0,31}\$?", name):
            raise BadValueError(msg("{key} names no Unix user, and no group, which is written @group."))
        if type(value) is not list or not value:
            raise BadValueError(msg('{value} must be a list of roles, such as ["dealer"].'))
        wanted = {choice(*ROLES)(word) for word in value}
        return tuple(role for role in ROLES if role in wanted)

    return read_it


# --- Against the journal -----------------------------------------------------------------------------


class Mismatch(Struct, frozen=True):
    """A key of money whose value in the file is not the journal's (rules 8.4). `advice` is a message id that
    ``key``, ``journal`` and ``file`` fill."""

    key: str
    journal: str
    file: str
    advice: str


def check_against(config: Config, table: Table) -> tuple[Mismatch, ...]:
    """What differs between the file and what is in force, or scheduled, at `table`; empty when nothing does.

    What makes the table another one comes alone: beside it, parameters cannot be compared.
    """
    fixed = tuple(
        Mismatch(key, was, wanted, _OTHER_TABLE if key == "table.id" else _FIXED)
        for (key, was), (_, wanted) in zip(_identity(table.setup), _identity(config.setup), strict=True)
        if was != wanted
    )
    if fixed:
        return fixed
    pot = table.pot
    in_force = differences(pot.params, config.params, table.setup)
    waiting = {change.key for change in differences(pot.planned or pot.params, config.params, table.setup)}
    return tuple(Mismatch(key, old, new, _SCHEDULE) for key, old, new in in_force if key in waiting)


_OTHER_TABLE = msg(
    "the journal belongs to table {journal}: give {file} a journal of its own with journal.directory, or name the "
    "table {journal} again."
)
_FIXED = msg(
    "the journal has {journal}, the file {file}, and this never changes while a journal lives: write {journal} "
    "again, or transfer the pot and begin a new journal."
)
_SCHEDULE = msg(
    "the journal has {journal}, the file {file}, and the journal decides: write {journal} again, or let a "
    "supervisor and a technician give: schedule {key} {file}"
)


def _identity(setup: Setup) -> tuple[tuple[str, str], ...]:
    """What cannot be scheduled, by its key in the file."""
    return (
        ("table.id", setup.table),
        ("table.game", setup.game),
        ("table.seats", str(setup.seats)),
        ("table.currency", f"{setup.currency} ({setup.digits})"),
        ("bet.acceptor", setup.acceptor),
        ("bet.denomination", format_minor(setup.denomination, setup.digits)),
    )


def mismatch_report(mismatches: tuple[Mismatch, ...], language: Language = "en") -> str:
    """All that differs, a line each."""
    from controller.i18n import translator

    speak = translator(language).text
    return "\n".join(
        f"{item.key}: " + speak(item.advice, key=item.key, journal=item.journal, file=item.file) for item in mismatches
    )
