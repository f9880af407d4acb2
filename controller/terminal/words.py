"""What the dealer's menu says of a table: short lines for a small screen, whole sentences where somebody decides."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from controller.check import HAND_NAMES
from controller.core import events as ev
from controller.core import inputs as do
from controller.core.cards import Hand, card_name
from controller.core.events import Event
from controller.core.expected import hands
from controller.core.games.game import KINDS
from controller.core.inputs import Act
from controller.core.messages import msg
from controller.core.panel import owed
from controller.core.state import Bet, Prize, Seat, Table
from controller.story import alarm_words, part_words

Say = Callable[..., str]
"""``Translator.text``."""

Write = Callable[[int], str]
"""Writes minor units."""

SUIT_NAMES = (msg("clubs"), msg("diamonds"), msg("hearts"), msg("spades"))
"""In the order of ``controller.core.cards.SUITS``."""

KIND_NAMES = {
    "exposed": msg("card face up"),
    "player-card": msg("one player's card"),
    "player-cards": msg("several players'"),
    "dealer-card": msg("dealer's card"),
    "stuck": msg("cards stuck"),
    "wrong-count": msg("player's count"),
    "dealer-count": msg("dealer's count"),
    "fourth-flop": msg("fourth on the flop"),
    "information": msg("information"),
    "no-ante": msg("no ANTE"),
}
"""The kinds of irregular deal (7.3) as they fit in a line; what each is says ``controller.core.games.game.KINDS``."""

_FORFEITS = {
    "fold": msg("folded"),
    "exchange": msg("exchanged"),
    "information": msg("forfeited"),
}


def fitting(room: int, *forms: str) -> str:
    """The first of `forms` that has at most `room` characters; else the last."""
    return next((form for form in forms if len(form) <= room), forms[-1])


def hand_name(hand: Hand, say: Say) -> str:
    """The class of a hand."""
    return say(HAND_NAMES[hand])


def phase(table: Table, say: Say) -> str:
    """Where the round stands, in a word."""
    round = table.round
    if table.out_of_service:
        return say(msg("Out of service"))
    if table.asked is not None:
        return say(msg("Pending"))
    if round is None:
        return say(msg("Waiting"))
    if round.phase == "betting":
        return say(msg("Open"))
    return say(msg("Locked")) if round.phase == "locked" else say(msg("Paying"))


def seat_line(table: Table, number: int, say: Say, money: Write) -> tuple[str, ...]:
    """A seat in a line: its bet, and what matters most about it. The longest form first; the others leave out the bet,
    which stands at the seat, and then the amount."""
    seat = table.seats[number - 1]
    bet = table.round.bets[number - 1] if table.round is not None else Bet()
    stake = money(bet.bet) if bet.bet else "-"
    mark = _mark(seat, bet, say)
    if owed(seat):
        amount = money(owed(seat))
        return f"{number} {stake} {mark} {amount}", f"{number} {mark} {amount}", f"{number} {mark}"
    if mark:
        return f"{number} {stake} {mark}", f"{number} {mark}"
    return f"{number} {stake}", f"{number}"


def _mark(seat: Seat, bet: Bet, say: Say) -> str:
    if owed(seat):
        return say(msg("hand back"))
    if bet.forfeit is not None:
        return say(_FORFEITS[bet.forfeit])
    if bet.void:
        return say(msg("void"))
    if bet.hand is not None:
        return hand_name(bet.hand, say)
    return "" if seat.closed is None else say(msg("closed"))


def prize_line(prize: Prize, say: Say, money: Write) -> tuple[str, ...]:
    """A prize in a line; what waits for the supervisor, or is over, says so. The longest form first: an amount stands
    alone only when it is to be paid."""
    marks = {
        "unapproved": say(msg("approve!")),
        "payable": hand_name(prize.hand, say),
        "paid": say(msg("paid")),
        "denied": say(msg("denied")),
    }
    amount, mark = f"{prize.seat} {money(prize.amount)}", marks[prize.status]
    short = f"{prize.seat} {mark}"
    return (f"{amount} {mark}", amount, short) if prize.status == "payable" else (f"{amount} {mark}", short)


# --- what is asked before it is done ---------------------------------------------------------------------


def sentence(act: Act, table: Table, say: Say, money: Write) -> str:
    """`act` as a question to who gives it, with what it would touch now."""
    match act:
        case do.Load(seat, credits):
            worth = money(credits * table.setup.denomination)
            return say(msg("Seat {seat}: load {count} credits for {amount}?"), seat=seat, count=credits, amount=worth)
        case do.CashOut(seat):
            held = table.seats[seat - 1].credits
            worth = money(held * table.setup.denomination)
            return say(msg("Seat {seat}: cash out {count} credits, {amount}?"), seat=seat, count=held, amount=worth)
        case do.Fold(seat):
            return say(msg("Seat {seat} folds: is its side bet lost?"), seat=seat)
        case do.Exchange(seat):
            return say(msg("Seat {seat} exchanges cards: is its side bet lost?"), seat=seat)
        case do.Declare(seat, hand, cards):
            what = " ".join(map(card_name, cards)) if hand is None else hand_name(hand, say)
            return say(msg("Seat {seat}: {hand}?"), seat=seat, hand=what)
        case do.Undeclare(seat):
            return say(msg("Seat {seat}: take its hand back?"), seat=seat)
        case do.Board(cards):
            return say(msg("Shared cards: {cards}?"), cards=" ".join(map(card_name, cards)))
        case do.Irregular(kind, seat):
            if seat:
                return say(msg("Seat {seat}, irregular: {what}?"), seat=seat, what=say(KINDS[kind]))
            return say(msg("Irregular: {what}?"), what=say(KINDS[kind]))
        case do.Settle():
            return say(msg("Settle round {round}? Hands: {hands}."), round=table.rounds, hands=_declared(table, say))
        case do.Paid(seat):
            return _payment(seat, table, say, money)
        case do.Close(seat):
            return say(msg("Close seat {seat}?"), seat=seat)
        case do.Reopen(seat):
            return say(msg("Reopen seat {seat}?"), seat=seat)
        case do.Ack(seat):
            return say(
                msg("Seat {seat}: were {amount} handed back?"), seat=seat, amount=money(owed(table.seats[seat - 1]))
            )
    raise TypeError(f"{act!r} is nothing that the dealer's menu offers")


def _declared(table: Table, say: Say) -> str:
    return ", ".join(f"{seat} {hand_name(hand, say)}" for seat, hand in hands(table)) or say(msg("none"))


def _payment(seat: int, table: Table, say: Say, money: Write) -> str:
    for prize in table.settlement.prizes if table.settlement is not None else ():
        if prize.seat == seat:
            text = msg("Seat {seat}: were {amount} paid for {hand}?")
            return say(text, seat=seat, amount=money(prize.amount), hand=hand_name(prize.hand, say))
    return say(msg("Seat {seat}: was its prize paid?"), seat=seat)


# --- what was done ---------------------------------------------------------------------------------------


def done(events: tuple[Event, ...], table: Table, say: Say, money: Write) -> tuple[str, ...]:
    """What a command has done, by its `events`; the longest form of it first."""
    plain = say(msg("Done"))
    for event in events:
        match event:
            case ev.CreditsLoaded(_, count) | ev.CreditsCashed(_, count):
                amount = money(count * table.setup.denomination)
                both = say(msg("{count} credits, {amount}"), count=count, amount=amount)
                return f"{plain}: {both}", both, amount, plain
            case ev.ChipsHandedBack(_, amount) | ev.PrizePaid(_, amount):
                return f"{plain}: {money(amount)}", money(amount), plain
            case ev.RoundSettled(settlement):
                return say(msg("Done, prizes: {count}"), count=len(settlement.prizes)), plain
    return (plain,)


# --- the table in words ----------------------------------------------------------------------------------


def table_text(table: Table, say: Say, money: Write, stopped: str) -> str:
    """All that a dealer should know, a paragraph each: what is wrong first, then what is to be done, then the seats."""
    return "\n".join(_paragraphs(table, say, money, stopped))


def _paragraphs(table: Table, say: Say, money: Write, stopped: str) -> Iterator[str]:
    reason = stopped or table.out_of_service
    if reason:
        yield say(msg("OUT OF SERVICE: {reason}"), reason=reason)
    for alarm in table.alarms:
        yield say(msg("ALARM: {what}"), what=alarm_words(alarm.code, alarm.seat, alarm.detail, say))
    if table.failed:
        yield say(msg("Failed parts of the table: {parts}"), parts=part_words(table.failed, say))
    if table.round is not None and table.round.advised_void:
        yield say(msg("The supervisor voids the round."))
    for seat in table.seats:
        bet = table.round.bets[seat.seat - 1] if table.round is not None else Bet()
        yield seat_line(table, seat.seat, say, money)[0]
        yield from _furniture(table, seat, bet, say, money)


def _furniture(table: Table, seat: Seat, bet: Bet, say: Say, money: Write) -> Iterator[str]:
    """What a seat's own line has no room for."""
    if table.setup.acceptor == "credits" and seat.credits:
        yield "  " + say(msg("credits: {count}"), count=seat.credits)
    for why, amount in (
        (msg("late"), seat.owed_late),
        (msg("excess"), seat.owed_excess),
        (msg("returned"), seat.owed_returned),
    ):
        if amount:
            yield f"  {say(why)} {money(amount)}"
    if seat.closed is not None and (owed(seat) or bet.forfeit is not None or bet.void or bet.hand is not None):
        yield "  " + say(msg("closed"))
    if seat.failed:
        yield "  " + say(msg("failed: {part}"), part=part_words(seat.failed, say))
