"""The state as people and programs read it: the ``state`` object of ``pozo play --json`` and of the control
socket, and the paths by which a scenario's ``expect`` finds something in it.

Amounts are decimal texts of the currency's unit; pots and pot meters carry four further digits (rules 3.2). The
shape is a contract.
"""

from __future__ import annotations

import re
from decimal import Decimal

from controller.core.messages import msg
from controller.core.money import format_minor, format_units, to_units
from controller.core.panel import owed, panel
from controller.core.params import nearest
from controller.core.state import Table

View = dict[str, "Value"]
Value = bool | int | str | list[View] | View | None

POT_METERS = (
    "commission", "to_main", "to_reserve", "overflow", "seed_reserve", "seed_house", "reserve_cover", "house_cover",
    "fixed_prizes", "share_prizes",
)  # fmt: skip
"""The meters of `PotMeters` that are shown, in this order, in pot units."""


def view(table: Table, stopped: str = "") -> View:
    """Everything that there is to see at `table`. `stopped` is the engine's own reason for being out of service
    (rules 8.5), which the state cannot know."""
    round_, digits, shown = table.round, table.setup.digits, panel(table, stopped=stopped)
    return {
        "table": table.setup.table,
        "round": table.rounds,
        "phase": "idle" if round_ is None else round_.phase,
        "sealed": round_ is not None and round_.sealed,
        "out_of_service": shown.reason or None,
        "pot": {
            "main": format_units(table.pot.main, digits),
            "reserve": format_units(table.pot.reserve, digits),
            "base": format_units(to_units(table.pot.params.base), digits),
        },
        "seats": [_seat(table, seat.seat, seat.lamp) for seat in shown.seats],
        "prizes": _prizes(table),
        "meters": _meters(table),
    }


def _seat(table: Table, number: int, lit: bool) -> View:
    seat, digits = table.seats[number - 1], table.setup.digits
    bet = None if table.round is None else table.round.bets[number - 1]
    return {
        "seat": number,
        "status": "open" if seat.closed is None else "closed",
        "reason": seat.closed,
        "credits": seat.credits,
        "bet": format_minor(0 if bet is None else bet.bet, digits),
        "lamp": "lit" if lit else "off",
        "forfeit": None if bet is None else bet.forfeit,
        "hand": None if bet is None or bet.hand is None else bet.hand.value,
        "owed": format_minor(owed(seat), digits),
    }


def _prizes(table: Table) -> list[View]:
    """The prizes of the last settled round."""
    if table.settlement is None:
        return []
    return [
        {
            "seat": prize.seat,
            "hand": prize.hand.value,
            "amount": format_minor(prize.amount, table.setup.digits),
            "status": prize.status,
        }
        for prize in table.settlement.prizes
    ]


def _meters(table: Table) -> View:
    own, of_pot, digits = table.meters, table.pot.meters, table.setup.digits
    hits: View = {rule.hand.value: own.hits.get(rule.hand.value, 0) for rule in table.pot.params.prizes}
    return {
        "bet_count": own.bet_count,
        "bets": format_units(of_pot.bets, digits),
        **{name: format_units(getattr(of_pot, name), digits) for name in POT_METERS},
        "turnover": format_minor(own.turnover, digits),
        "returned": format_minor(own.returned, digits),
        "credits_in": own.credits_in,
        "credits_out": own.credits_out,
        "late_chips": own.late_chips,
        "excess_chips": own.excess_chips,
        "hits": hits | {hand: count for hand, count in own.hits.items() if hand not in hits},
    }


# --- Finding and comparing -----------------------------------------------------------------------------


class PathError(LookupError):
    """A path leads nowhere; `text` is a message id that `args` fill."""

    def __init__(self, text: str, **args: str) -> None:
        super().__init__(text.format_map(args))
        self.text = text
        self.args_of_text = args


_SINGULAR = {"seat": "seats", "prize": "prizes"}


def find(view: View, path: str) -> bool | int | str | None:
    """What stands at `path`, such as ``pot.main``, ``seat.3.bet``, ``prize.2.amount`` or ``meters.hits.flush``.

    Seats and prizes are picked by the number of their seat; a prize that a seat did not win is None throughout.
    Raises PathError when the path leads nowhere, or to a whole group of values.
    """
    value: Value = view
    for depth, step in enumerate(steps := path.split(".")):
        if isinstance(value, dict):
            name = _SINGULAR.get(step, step) if depth == 0 else step
            if name not in value:
                raise _no_such(path, step, [str(known) for known in value])
            value = value[name]
        elif isinstance(value, list):
            picked = [item for item in value if str(item["seat"]) == step]
            if step == "0" and steps[0] == "prizes":  # no seat has that number: the first of the list
                picked = value[:1]
            if not picked:
                _refuse_unless_unwon(view, path, steps)
                return None
            value = picked[-1]
        else:
            raise PathError(msg("{path} goes on after the value of {name}."), path=path, name=steps[depth - 1])
    if isinstance(value, dict | list):
        inside = value if isinstance(value, dict) else [item["seat"] for item in value]
        known = ", ".join(str(item) for item in inside)
        raise PathError(msg("{path} is a group: add one of {known}."), path=path, known=known)
    return value


def _no_such(path: str, step: str, known: list[str]) -> PathError:
    if guess := nearest(step, known):
        return PathError(
            msg("{path}: there is no {name}. Did you mean {nearest}?"), path=path, name=step, nearest=guess
        )
    return PathError(
        msg("{path}: there is no {name}; there are {known}."), path=path, name=step, known=", ".join(known)
    )


def _refuse_unless_unwon(view: View, path: str, steps: list[str]) -> None:
    """Raise PathError, except for something of a prize that an existing seat did not win."""
    seats = view["seats"]
    numbers = [str(seat["seat"]) for seat in seats] if isinstance(seats, list) else []
    if steps[0] not in ("prize", "prizes") or steps[1] not in numbers:
        raise _no_such(path, steps[1], numbers)
    if len(steps) > 3 or (len(steps) == 3 and steps[2] not in ("seat", "hand", "amount", "status")):
        raise _no_such(path, steps[2], ["hand", "amount", "status"])


_NUMBER = re.compile(r"-?[0-9]+(\.[0-9]+)?", re.ASCII)


def same(found: bool | int | str | None, expected: str) -> bool:
    """Whether `found` is what a scenario expects: as numbers where both are numbers, else as texts.

    None is written ``none`` or ``null``, booleans ``true`` and ``false``.
    """
    here, there = words(found), expected.strip()
    if _NUMBER.fullmatch(here) and _NUMBER.fullmatch(there):
        return Decimal(here) == Decimal(there)
    if found is None or isinstance(found, bool):
        there = there.lower()
    return here == there or (found is None and there == "null")


def words(found: bool | int | str | None) -> str:
    """`found` as a scenario writes it."""
    if found is None:
        return "none"
    return str(found).lower() if isinstance(found, bool) else str(found)
