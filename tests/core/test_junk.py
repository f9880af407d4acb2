"""Any input whatever, in any order: the table neither stops nor loses its books."""

from __future__ import annotations

from typing import Any, get_args

from hypothesis import given
from hypothesis import strategies as st

from controller.core.decide import advance
from controller.core.events import TableOpened
from controller.core.evolve import evolve
from controller.core.inputs import Act, Actor, Command, Deadline, Input, OutOfService, PotAnswer, Start, Timeout
from controller.core.money import Units
from controller.core.pot import Moved
from hal.port import (
    ChipDropped,
    CompleteTo,
    KeyFound,
    KeyTurned,
    LampSensed,
    NoisePulse,
    PartFailed,
    PartMended,
    Pressed,
    Stamp,
)
from tests.core.machines import POSITIONS, more
from tests.core.world import (
    EVERYBODY,
    ROLES,
    SECOND,
    changes,
    check_identities,
    check_journal,
    check_snapshot,
    five_cards,
    hands,
    openings,
)

_INTEGERS = st.one_of(st.integers(-2, 9), st.sampled_from([10**6, 2**63, 10**30]))
_STAMPS = st.builds(Stamp, st.integers(0, 3), _INTEGERS)
_TEXTS = st.sampled_from(["", "t", "pot.base", "12.37%", "no-ante", "wrong-count", "contribute", "claim", "{seat}"])
_FIELDS: dict[str, st.SearchStrategy[Any]] = {
    "at": _STAMPS,
    "since": st.one_of(st.none(), _STAMPS),
    "position": POSITIONS,
    "part": st.sampled_from(["lamp", "button", "slot", "node", "key", "display", "edges", "noise", "copy"]),
    "lit": st.booleans(),
    "on": st.booleans(),
    "hand": st.one_of(st.none(), hands()),
    "cards": five_cards(),
    "pot": st.sampled_from(["main", "reserve"]),
    "what": st.sampled_from(["lamp", "seal", "noise"]),
    "key": st.one_of(_TEXTS, changes().map(lambda change: change[0])),
}


def _junk(kind: type[Any], **known: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """Any value of a kind of input, as far as its types go."""
    texts = {"kind", "reason", "value", "to", "source", "person", "way", "version", "settings"}
    fields = {name: _TEXTS if name in texts else _INTEGERS for name in kind.__struct_fields__}
    return st.builds(kind, **{**fields, **{k: v for k, v in _FIELDS.items() if k in fields}, **known})


_ACTORS = st.builds(Actor, st.sampled_from(["Ana", "Leo"]), st.just(ROLES), st.sampled_from(["page", "scenario"]))
_SIGNALS: tuple[type[Any], ...] = (
    Pressed,
    NoisePulse,
    KeyTurned,
    KeyFound,
    LampSensed,
    PartFailed,
    PartMended,
)
JUNK = st.one_of(
    *(_junk(kind) for kind in _SIGNALS),
    _junk(ChipDropped, value=_INTEGERS),
    _junk(CompleteTo, source=_INTEGERS),
    _junk(Timeout, deadline=_junk(Deadline)),
    _junk(Start),
    _junk(OutOfService),
    _junk(PotAnswer, key=st.tuples(_TEXTS, _INTEGERS, _TEXTS, _INTEGERS), answer=st.just(Moved(Units(0), Units(0)))),
    st.one_of(*(_junk(kind) for kind in get_args(Act))).flatmap(
        lambda act: st.builds(Command, st.just(act), _ACTORS, st.one_of(st.none(), _ACTORS), _TEXTS, _INTEGERS)
    ),
    st.one_of(*(_junk(kind) for kind in get_args(Act))).map(lambda act: Command(act, EVERYBODY, SECOND)),
)


@more(3)
@given(opening=openings(), inputs=st.lists(JUNK, max_size=60))
def test_no_input_whatever_stops_the_table(opening: TableOpened, inputs: list[Input]) -> None:
    """Any input, in any order, stamped anyhow: nothing raises, the journal replays, the identities hold (3.3)."""
    table = evolve(None, opening)
    for given_ in [Start(1, "test"), KeyTurned("open", Stamp(1, 0)), *inputs]:
        decision = advance(table, given_)
        check_journal(table, decision)
        table = decision.state
        check_snapshot(table)
        check_identities(table.pot)
