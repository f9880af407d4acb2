"""What a simulation found, in plain words and the numbers of the table's language."""

from __future__ import annotations

from fractions import Fraction
from textwrap import wrap

from controller.check import HAND_NAMES
from controller.columns import Row, section
from controller.core.games.catalogue import GAMES
from controller.core.messages import msg
from controller.core.money import Minor, Units, to_units, whole
from controller.i18n import Language
from controller.odds.report import decimal
from controller.odds.text import Teller
from controller.simulate.report import DOUBT, Report


def tell(found: Report, language: Language) -> str:
    """All of it, in sections; the verdict last."""
    speak = Teller(found.config, language)
    sections = (_heading, _hands, _pot, _prizes, _base_game, _audit)
    return "\n\n".join(text for part in sections if (text := part(speak, found)))


def _heading(speak: Teller, found: Report) -> str:
    setup, tally, floor = speak.setup, found.simulation.tally, found.simulation.floor
    table = speak.text(msg("Table {table}"), table=setup.table)
    seats = speak.text(msg("{seats} seats"), seats=setup.seats)
    lines = [" · ".join((table, speak.text(GAMES[setup.game].title), seats, speak.currency()))]
    text = msg("{rounds} rounds, seed {seed}: {inputs} inputs, {events} events; {rate} rounds a second")
    if tally.rounds < found.asked and found.found is None:
        text = msg("{rounds} rounds of {asked}, ended early, seed {seed}: {inputs} inputs, {events} events; "
                   "{rate} rounds a second")  # fmt: skip
    number = speak.number
    lines.append(
        speak.text(
            text, rounds=number(tally.rounds), asked=number(found.asked), seed=found.seed,
            inputs=number(floor.inputs), events=number(floor.events), rate=number(found.rate),
        )
    )  # fmt: skip
    return "\n".join(lines)


def _hands(speak: Teller, found: Report) -> str:
    """Each class, the weakest first: its count at each seat, what is expected, and what is believed."""
    seats = (str(seat) for seat in range(1, speak.setup.seats + 1))
    rows: list[Row] = [(speak.text(msg("seat")), *seats, speak.text(msg("expected")), speak.text(msg("believed")))]
    for law in found.laws:
        counts = (speak.number(count) for count in law.counts)
        believed = f"{speak.number(law.least)} – {speak.number(law.most)} {'✓' if law.held else '✗'}"
        name = speak.text(HAND_NAMES[law.hand])
        rows.append((name, *counts, speak.decimal(decimal(law.expected, 1)), believed))
    title = speak.text(msg("The five cards of each seat, as they were dealt"))
    return section(title, rows, right=1)


def _pot(speak: Teller, found: Report) -> str:
    tally, pot = found.simulation.tally, found.simulation.floor.state.pot
    m = pot.meters
    figures: list[tuple[str, int]] = [
        (msg("main pot at the beginning"), to_units(speak.params.base)),
        (msg("the least it held"), tally.least),
        (msg("the most it held"), tally.most),
        (msg("at the end"), pot.main),
        (msg("reserve pot at the end"), pot.reserve),
        (msg("all bets"), m.bets),
        (msg("of them to the house, the commission"), m.commission),
        (msg("to the main pot"), m.to_main),
        (msg("to the reserve pot"), m.to_reserve),
        (msg("over the limit, from main to reserve pot"), m.overflow),
        (msg("seeds from the reserve pot"), m.seed_reserve),
        (msg("seeds advanced by the house"), m.seed_house),
        (msg("prizes that the reserve pot had to cover"), m.reserve_cover),
        (msg("prizes that the house had to cover"), m.house_cover),
    ]
    rows = [(speak.text(label), speak.money(whole(Units(units)))) for label, units in figures]
    return section(speak.text(msg("The pot")), rows, right=1)


def _prizes(speak: Teller, found: Report) -> str:
    rows: list[Row] = []
    for rule in speak.params.prizes:
        prizes = found.simulation.tally.prizes.get(rule.hand)
        count, total = (prizes.count, prizes.total) if prizes is not None else (0, 0)
        name = speak.text(HAND_NAMES[rule.hand])
        rows.append((name, f"{speak.number(count)} ×", speak.money(Minor(total))))
    return section(speak.text(msg("Prizes paid")), rows, right=1)


def _base_game(speak: Teller, found: Report) -> str:
    """What became of ANTE and BET; nothing of it touches the pot."""
    simulation, tally = found.simulation, found.simulation.tally
    won = tally.ante + tally.bet
    rows: list[Row] = [
        (speak.text(msg("players who put an ANTE")), speak.number(tally.antes)),
        (speak.text(msg("of them folded")), speak.number(tally.folds)),
        (speak.text(msg("won with the ANTE")), speak.money(Minor(tally.ante))),
    ]
    if simulation.base.bet:
        rows.append((speak.text(msg("won with the BET")), speak.money(Minor(tally.bet))))
    if tally.antes:
        part = speak.part(Fraction(won, tally.antes * simulation.ante))
        rows.append((speak.text(msg("players' result, of all ANTEs")), part))
    if simulation.game.opens is not None:
        rows.append((speak.text(msg("rounds in which the dealer opened")), speak.number(tally.opened)))
    title = speak.text(msg("The base game, with an ANTE of {ante}"), ante=speak.money(simulation.ante))
    if simulation.by_example:
        title += " " + speak.text(msg("(the file has no section [base]: the game's example was played)"))
    return section(title, rows, right=1)


def _audit(speak: Teller, found: Report) -> str:
    """What was looked at, and whether it held."""
    number, floor, tally = speak.number, found.simulation.floor, found.simulation.tally
    counts = sum(len(law.counts) for law in found.laws)
    if found.found is not None:
        wrong = speak.text(found.found.text, **found.found.values)
        text = msg("Round {round} is NOT IN ORDER: {what} [{clause}]")
        lines = ["✗ " + speak.text(text, round=found.round, what=wrong, clause=found.found.clause)]
    else:
        books = msg("The sums of 3.3 hold exactly; all meters are what {rounds} rounds of bets and cards make them.")
        replayed = msg("{events} events, written and read back, lead to the same table.")
        lines = [
            "✓ " + speak.text(books, rounds=number(tally.rounds)),
            "✓ " + speak.text(replayed, events=number(floor.replayed)),
        ]
    outside = sum(not law.least <= count <= law.most for law in found.laws for count in law.counts)
    if outside:
        text = msg("{outside} of {counts} counts of hands lie outside what an honest deck gives.")
        lines.append("✗ " + speak.text(text, outside=outside, counts=counts))
    else:
        text = msg("All {counts} counts of hands lie within what an honest deck gives (rules 6).")
        lines.append("✓ " + speak.text(text, counts=counts))
    doubt = msg(
        "An honest deck puts a given count outside in one run of {count}, any of them in one of {run} at most: the "
        "ranges are exact, seat by seat, for the hands of one seat are independent and those of one round are not."
    )
    lines.extend(
        f"  {line}"
        for line in wrap(speak.text(doubt, count=number(int(1 / found.doubt)), run=number(int(1 / DOUBT))), 96)
    )
    return "\n".join(lines)
