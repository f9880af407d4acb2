"""What happened, in plain words: one sentence per event, for the journal's readers, scenarios and the demo."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from msgspec.structs import astuple

from controller.core import events as ev
from controller.core.cards import card_name
from controller.core.games.game import ADVICE, KINDS
from controller.core.messages import msg
from controller.core.money import UNITS, format_minor, format_units
from controller.core.state import Setup
from controller.i18n import Translator

HANDS = {
    "high-card": msg("high card"),
    "pair": msg("a pair"),
    "two-pair": msg("two pair"),
    "three-of-a-kind": msg("three of a kind"),
    "straight": msg("a straight"),
    "flush": msg("a flush"),
    "full-house": msg("a full house"),
    "four-of-a-kind": msg("four of a kind"),
    "straight-flush": msg("a straight flush"),
    "royal-flush": msg("a royal flush"),
}

CAUSES = {
    "dealer": msg("by the dealer"),
    "lamp": msg("its lamp failed"),
    "button": msg("its button is stuck"),
    "slot": msg("its slot is jammed"),
    "node": msg("it does not answer"),
    "noise": msg("too much noise on its lines"),
    "closing": msg("the seat closed"),
    "minimum": msg("it is under the minimum"),
    "void": msg("the round is void"),
    "irregular": msg("irregular deal"),
    "late": msg("too late"),
    "excess": msg("beyond the maximum"),
    "fold": msg("the player folded"),
    "exchange": msg("cards were exchanged"),
    "information": msg("information was exchanged"),
}

PARTS = {
    "lamp": msg("the lamp"),
    "button": msg("the button"),
    "slot": msg("the slot"),
    "node": msg("the seat's electronics"),
    "key": msg("the lock key"),
    "display": msg("the display"),
    "screen": msg("one of the displays"),
    "edges": msg("the signal line"),
    "noise": msg("the quiet of the lines"),
    "copy": msg("the second copy of the journal"),
}


ALARMS = {
    "key-open-early": msg("the key was turned to open too early"),
    "key-found-open": msg("the key was found open"),
    "unknown-seat": msg("a signal of a seat that is not there"),
    "wrong-acceptor": msg("a bet of the other kind: chip or button"),
    "worthless-chip": msg("a chip without a value"),
    "edges-lost": msg("signals were lost"),
    "lamp-test-failed": msg("the lamp test failed"),
    "lamp-failed": msg("the lamp failed"),
    "button-failed": msg("the button is stuck"),
    "slot-failed": msg("the slot is jammed"),
    "node-failed": msg("the seat's electronics do not answer"),
    "noise-failed": msg("too much noise on the lines"),
    "key-failed": msg("the lock key's contacts disagree"),
    "display-failed": msg("no display works"),
    "screen-failed": msg("one of the displays does not work"),
    "copy-failed": msg("the second copy of the journal failed"),
}
"""What an alarm means, by its code."""

_EARLY = {
    "out-of-service": msg("out of service"),
    "not-settled": msg("not finished"),
    "pending": msg("the pot has not answered"),
    "not-allowed": msg("service mode"),
}
"""The detail of ``key-open-early``: why betting could not open (2.9)."""


def alarm_words(code: str, seat: int, detail: str, say: Callable[..., str]) -> str:
    """An alarm in words: what, at which seat, and what else is known of it."""
    what = say(ALARMS[code]) if code in ALARMS else code
    at = say(msg("seat {seat}"), seat=seat) if seat else ""
    return ", ".join(filter(None, (what, at, say(_EARLY[detail]) if detail in _EARLY else detail)))


def part_words(parts: Iterable[str], say: Callable[..., str]) -> str:
    """Parts by their names."""
    return ", ".join(say(PARTS[part]) if part in PARTS else part for part in parts)


class Story:
    """Tells events of one table in one language."""

    def __init__(self, setup: Setup, translator: Translator) -> None:
        self._digits = setup.digits
        self._currency = setup.currency
        self._text = translator.text

    def tell(self, event: ev.Event) -> str:
        """The sentence for `event`; empty where there is nothing that people would tell."""
        teller = _TELL.get(type(event))
        return teller(self, event) if teller is not None else ""

    # --- building blocks ---------------------------------------------------------------------------------

    def say(self, text: str, **args: object) -> str:
        return self._text(text, **args)

    def money(self, minor: int) -> str:
        return format_minor(minor, self._digits)

    def pot(self, units: int) -> str:
        text = format_units(units, self._digits)
        return self.money(units // UNITS) if units % UNITS == 0 else text

    def word(self, table: Mapping[str, str], key: str) -> str:
        return self._text(table[key]) if key in table else key


def _opened(s: Story, e: ev.TableOpened) -> str:
    return s.say(
        msg("Table {table} opens: {game}, {seats} seats, main pot {main}."),
        table=e.setup.table, game=e.setup.game, seats=e.setup.seats, main=s.pot(e.main),
    )  # fmt: skip


def _started(s: Story, e: ev.Started) -> str:
    return s.say(msg("The controller starts (start number {boot})."), boot=e.boot)


def _refused(s: Story, e: ev.CommandRefused) -> str:
    return s.say(
        msg("{person} was refused: {code} (rule {clause})."), person=e.actor.person, code=e.code, clause=e.clause
    )


def _denied_access(s: Story, e: ev.AccessDenied) -> str:
    return s.say(msg("{person} was not let in: {what}."), person=e.person, what=e.what)


def _betting(s: Story, e: ev.BettingOpened) -> str:
    return s.say(msg("Round {round}: betting is open."), round=e.round)


def _bet(s: Story, e: ev.BetChanged) -> str:
    if not e.bet:
        return s.say(msg("Seat {seat} takes its bet back."), seat=e.seat)
    return s.say(msg("Seat {seat} bets {bet}."), seat=e.seat, bet=s.money(e.bet))


def _stripped(s: Story, e: ev.BetStripped) -> str:
    return s.say(
        msg("Seat {seat}: what came after the lock does not count; the bet is {bet}."), seat=e.seat, bet=s.money(e.bet)
    )


def _aside(s: Story, e: ev.ChipSetAside) -> str:
    return s.say(
        msg("Seat {seat}: a chip of {value} is set aside ({why}); hand it back."),
        seat=e.seat, value=s.money(e.value), why=s.word(CAUSES, e.why),
    )  # fmt: skip


def _returned(s: Story, e: ev.BetReturned) -> str:
    return s.say(
        msg("Seat {seat}: the bet of {amount} goes back ({why})."),
        seat=e.seat, amount=s.money(e.amount), why=s.word(CAUSES, e.cause),
    )  # fmt: skip


def _closed(s: Story, e: ev.BettingClosed) -> str:
    return s.say(msg("Betting is locked."))


def _sealed(s: Story, e: ev.RoundSealed) -> str:
    return s.say(msg("The round is sealed. Bets: {bets}; in all {total}."), bets=e.bets, total=s.money(e.total))


def _moved(s: Story, e: ev.PotMoved) -> str:
    if not any(astuple(e.moves)):
        if not e.scheduled:
            return ""
        change = e.scheduled[-1]
        return s.say(msg("From the next seeding on: {key} {value}."), key=change.key, value=change.value)
    return s.say(msg("Main pot {main}, reserve pot {reserve}."), main=s.pot(e.main), reserve=s.pot(e.reserve))


def _settled(s: Story, e: ev.RoundSettled) -> str:
    prizes = e.settlement.prizes
    if not prizes:
        return s.say(msg("Settled: no prize."))
    each = [
        s.say(
            msg("seat {seat} wins {amount} with {hand}"),
            seat=p.seat,
            amount=s.money(p.amount),
            hand=s.word(HANDS, p.hand),
        )
        for p in prizes
    ]
    return s.say(msg("Settled: {prizes}."), prizes="; ".join(each))


def _unsettled(s: Story, e: ev.RoundUnsettled) -> str:
    return s.say(msg("The settlement is undone."))


def _approved(s: Story, e: ev.PrizeApproved) -> str:
    return s.say(msg("The prize of seat {seat} is approved by {by}."), seat=e.seat, by=e.by)


def _held(s: Story, e: ev.PrizeHeld) -> str:
    return s.say(msg("The prize of seat {seat} waits for the supervisor, since the seat closed."), seat=e.seat)


def _denied(s: Story, e: ev.PrizeDenied) -> str:
    return s.say(msg("The prize of seat {seat} is denied; the money is back where it came from."), seat=e.seat)


def _paid(s: Story, e: ev.PrizePaid) -> str:
    return s.say(msg("Seat {seat} is paid {amount}."), seat=e.seat, amount=s.money(e.amount))


def _ended(s: Story, e: ev.RoundEnded) -> str:
    text = msg("Round {round} is void.") if e.how == "void" else msg("Round {round} is over.")
    return s.say(text, round=e.round)


def _forfeited(s: Story, e: ev.HandForfeited) -> str:
    return s.say(msg("Seat {seat} forfeits its side bet: {why}."), seat=e.seat, why=s.word(CAUSES, e.why))


def _restored(s: Story, e: ev.HandRestored) -> str:
    return s.say(msg("Seat {seat}: the forfeit is undone."), seat=e.seat)


def _declared(s: Story, e: ev.HandDeclared) -> str:
    text = s.say(msg("Seat {seat} shows {hand}"), seat=e.seat, hand=s.word(HANDS, e.hand))
    return f"{text} ({' '.join(card_name(card) for card in e.cards)})." if e.cards else f"{text}."


def _undeclared(s: Story, e: ev.HandUndeclared) -> str:
    return s.say(msg("Seat {seat}: the declared hand is taken back."), seat=e.seat)


def _board(s: Story, e: ev.BoardShown) -> str:
    return s.say(msg("Shared cards: {cards}."), cards=" ".join(card_name(card) for card in e.cards))


def _irregular(s: Story, e: ev.IrregularDeal) -> str:
    kind, advice = s.word(KINDS, e.kind), s.word(ADVICE, e.outcome)
    if e.seat:
        return s.say(msg("Irregular deal at seat {seat}, {kind}: {advice}."), seat=e.seat, kind=kind, advice=advice)
    return s.say(msg("Irregular deal, {kind}: {advice}."), kind=kind, advice=advice)


def _seat_voided(s: Story, e: ev.SeatVoided) -> str:
    return s.say(msg("Seat {seat} is void in this round."), seat=e.seat)


def _lamp(s: Story, e: ev.LampChanged) -> str:
    text = msg("The lamp of seat {seat} is lit.") if e.lit else msg("The lamp of seat {seat} is dark.")
    return s.say(text, seat=e.seat)


def _broke(s: Story, e: ev.PartBroke) -> str:
    if not e.seat:
        return s.say(msg("Fault: {part}."), part=s.word(PARTS, e.part))
    return s.say(msg("Fault at seat {seat}: {part}."), seat=e.seat, part=s.word(PARTS, e.part))


def _works(s: Story, e: ev.PartWorks) -> str:
    if not e.seat:
        return s.say(msg("Works again: {part}."), part=s.word(PARTS, e.part))
    return s.say(msg("Works again at seat {seat}: {part}."), seat=e.seat, part=s.word(PARTS, e.part))


def _seat_closed(s: Story, e: ev.SeatClosed) -> str:
    return s.say(msg("Seat {seat} is closed: {why}."), seat=e.seat, why=s.word(CAUSES, e.cause))


def _tested(s: Story, e: ev.SeatTested) -> str:
    if e.stage == "failed":
        return s.say(msg("The lamp test at seat {seat} failed."), seat=e.seat)
    return s.say(msg("The lamp of seat {seat} is being tested."), seat=e.seat)


def _reopened(s: Story, e: ev.SeatReopened) -> str:
    return s.say(msg("Seat {seat} is open again."), seat=e.seat)


def _loaded(s: Story, e: ev.CreditsLoaded) -> str:
    return s.say(
        msg("Seat {seat} buys credits: {count}; it has {credits}."), seat=e.seat, count=e.count, credits=e.credits
    )


def _cashed(s: Story, e: ev.CreditsCashed) -> str:
    return s.say(msg("Seat {seat} cashes its credits out: {count}."), seat=e.seat, count=e.count)


def _handed(s: Story, e: ev.ChipsHandedBack) -> str:
    return s.say(msg("Chips of {amount} are handed back at seat {seat}."), amount=s.money(e.amount), seat=e.seat)


def _alarm(s: Story, e: ev.AlarmRaised) -> str:
    where = s.say(msg("seat {seat}"), seat=e.alarm.seat) if e.alarm.seat else s.say(msg("the table"))
    return s.say(msg("Alarm at {where}: {code}."), where=where, code=s.word(ALARMS, e.alarm.code))


def _seen(s: Story, e: ev.AlarmsSeen) -> str:
    return s.say(msg("The alarms are acknowledged."))


def _key(s: Story, e: ev.KeyMoved) -> str:
    return s.say(msg("The lock key stands open.") if e.position == "open" else msg("The lock key is locked."))


def _service(s: Story, e: ev.ServiceChanged) -> str:
    return s.say(msg("Service mode begins.") if e.on else msg("Service mode ends."))


def _stopped(s: Story, e: ev.ServiceStopped) -> str:
    if not e.reason:
        return s.say(msg("The table is back in service."))
    return s.say(msg("Out of service: {reason}"), reason=e.reason)


def _corrected(s: Story, e: ev.CorrectionRecorded) -> str:
    return s.say(
        msg("Correction: main pot {main}, reserve pot {reserve}."), main=s.money(e.main), reserve=s.money(e.reserve)
    )


def _transferred(s: Story, e: ev.TransferRecorded) -> str:
    text = (
        msg("The pot is closed; {main} and a reserve of {reserve} leave it.")
        if e.direction == "out"
        else msg("A closed pot arrives: {main} and a reserve of {reserve}.")
    )
    return s.say(text, main=s.pot(e.main), reserve=s.pot(e.reserve))


_TELL: dict[type[ev.Event], Callable[[Story, Any], str]] = {
    ev.TableOpened: _opened,
    ev.Started: _started,
    ev.CommandRefused: _refused,
    ev.AccessDenied: _denied_access,
    ev.BettingOpened: _betting,
    ev.BetChanged: _bet,
    ev.BetStripped: _stripped,
    ev.ChipSetAside: _aside,
    ev.BetReturned: _returned,
    ev.BettingClosed: _closed,
    ev.RoundSealed: _sealed,
    ev.PotMoved: _moved,
    ev.RoundSettled: _settled,
    ev.RoundUnsettled: _unsettled,
    ev.PrizeApproved: _approved,
    ev.PrizeHeld: _held,
    ev.PrizeDenied: _denied,
    ev.PrizePaid: _paid,
    ev.RoundEnded: _ended,
    ev.HandForfeited: _forfeited,
    ev.HandRestored: _restored,
    ev.HandDeclared: _declared,
    ev.HandUndeclared: _undeclared,
    ev.BoardShown: _board,
    ev.IrregularDeal: _irregular,
    ev.SeatVoided: _seat_voided,
    ev.LampChanged: _lamp,
    ev.PartBroke: _broke,
    ev.PartWorks: _works,
    ev.SeatClosed: _seat_closed,
    ev.SeatTested: _tested,
    ev.SeatReopened: _reopened,
    ev.CreditsLoaded: _loaded,
    ev.CreditsCashed: _cashed,
    ev.ChipsHandedBack: _handed,
    ev.AlarmRaised: _alarm,
    ev.AlarmsSeen: _seen,
    ev.KeyMoved: _key,
    ev.ServiceChanged: _service,
    ev.ServiceStopped: _stopped,
    ev.CorrectionRecorded: _corrected,
    ev.TransferRecorded: _transferred,
}
"""Events without a line here (questions to the pot, completed sources, accepted commands) tell nothing."""
