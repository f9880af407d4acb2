"""``pozo hand``: what a hand is, what the dealer must do with it, and what the base game pays (rules 7).

    pozo hand rank As Kh Qd Jc Ts
    pozo hand dealer draw-poker 8c 8d Ks 5s 2d
    pozo hand base texas-holdem-plus --dealer 4c 4d --player As Ks --board Qs Js 2h 3d 9c --ante 1000

Cards are words, or one text in quotes. Exit status 0, or 2 with a sentence when what was given is no hand, no game
or no amount.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import get_args

import msgspec

from controller.core.cards import Card, CardError, card_name, parse_card
from controller.core.games.base import BET_OF_ANTE, Showdown, Shown, Stake, opens, showdown, shown
from controller.core.games.catalogue import GAMES
from controller.core.games.game import Base, Game
from controller.core.messages import msg
from controller.core.money import AmountError, Minor, format_minor, parse_amount
from controller.i18n import Language, Translator, spoken, translator
from controller.slots import nearest
from controller.story import HANDS

MOST_CARDS = 7
"""Of so many the best five are found."""

MOST_DIGITS = 4
"""Decimals of an amount, where no configuration names the currency."""


class HandError(ValueError):
    """What was given is no hand, game or amount; `text` is a message id that `values` fill."""

    def __init__(self, text: str, **values: object) -> None:
        super().__init__(text.format_map(values))
        self.text = text
        self.values = values


def main(argv: Sequence[str] | None = None) -> int:
    """Run ``pozo hand`` with the arguments after the word. Returns the exit status."""
    args = _parser().parse_args(argv)
    tell = translator(args.language or spoken())
    try:
        answer, lines = args.run(args, tell)
    except HandError as error:
        print(tell.text(error.text, **error.values), file=sys.stderr)
        return 2
    print(msgspec.json.encode(answer).decode() if args.json else "\n".join(lines))
    return 0


def _parser() -> argparse.ArgumentParser:
    common = argparse.ArgumentParser(add_help=False)
    common.add_argument("--json", action="store_true", help="print one JSON object")
    common.add_argument("--language", choices=get_args(Language), help="of the answer")
    parser = argparse.ArgumentParser("pozo hand", description="What hands are worth, by the rules of each game.")
    whats = parser.add_subparsers(required=True, metavar="rank|dealer|base")
    rank = whats.add_parser("rank", parents=[common], help="the best five of five to seven cards")
    rank.add_argument("cards", nargs="+", metavar="CARD")
    rank.set_defaults(run=_rank)
    dealer = whats.add_parser("dealer", parents=[common], help="whether the dealer opens, and what must be changed")
    dealer.add_argument("game", metavar="GAME", help=", ".join(GAMES))
    dealer.add_argument("cards", nargs="+", metavar="CARD", help="the dealer's own, and all shared ones")
    dealer.set_defaults(run=_dealer)
    base = whats.add_parser("base", parents=[common], help="what happens to the ANTE and the BET of one player")
    base.add_argument("game", metavar="GAME", help=", ".join(GAMES))
    base.add_argument("--dealer", nargs="+", default=[], metavar="CARD")
    base.add_argument("--player", nargs="+", required=True, metavar="CARD")
    base.add_argument("--board", nargs="+", default=[], metavar="CARD", help="all shared cards")
    base.add_argument("--ante", required=True, metavar="AMOUNT", help="plain digits, such as 1000 or 12.50")
    base.add_argument("--config", type=Path, metavar="TABLE.toml", help="for its currency and its base pay table")
    base.set_defaults(run=_base)
    return parser


Answer = tuple[dict[str, object], list[str]]
"""What ``--json`` prints, and the lines for people."""


# --- the three questions ---------------------------------------------------------------------------------


def _rank(args: argparse.Namespace, tell: Translator) -> Answer:
    cards = _cards(args.cards)
    if not 5 <= len(cards) <= MOST_CARDS:
        raise HandError(msg("{count} cards are no hand: write five, six or seven."), count=len(cards))
    best = shown(cards)
    return {"hand": best.hand, "cards": _names(best.cards)}, [_told(best, tell)]


def _dealer(args: argparse.Namespace, tell: Translator) -> Answer:
    game, cards = _game(args.game), _cards(args.cards)
    if game.opens is None:
        raise HandError(msg("The dealer of {game} has no hand."), game=game.name)
    _count(msg("The dealer's hand needs {wanted} cards, the shared ones included; there are {count}."),
           cards, game.dealer_cards + game.board_cards)  # fmt: skip
    best, open_ = shown(cards), opens(game, cards)
    draw = game.draw(cards) if game.draw is not None else None
    change = _names(draw.change) if draw is not None else []
    lines = [_told(best, tell)]
    if draw is not None:
        lines.append(tell.text(draw.rule) + (f" → {' '.join(change)}" if change else ""))
    verdict = msg("The dealer opens.") if open_ else msg("The dealer does not open.")
    if change and not open_:
        verdict = msg("As it stands the dealer does not open; the draw decides.")
    answer = {"opens": open_, "change": change, "clause": "7.2" if draw is not None else "7"}
    return answer, [*lines, tell.text(verdict)]


def _base(args: argparse.Namespace, tell: Translator) -> Answer:
    game = _game(args.game)
    player, dealer, board = _cards(args.player), _cards(args.dealer), _cards(args.board)
    _count(msg("A player of this game has {wanted} cards, not {count}."), player, game.own_cards)
    _count(msg("The dealer of this game has {wanted} cards, not {count}."), dealer, game.dealer_cards)
    _count(msg("This game has {wanted} shared cards, not {count}."), board, game.board_cards)
    _all_differ((*player, *dealer, *board))
    base, digits = _base_rules(game, args.config, tell)
    ante, digits = _amount(args.ante, digits)
    end = showdown(game, base, ante, player, dealer, board)
    stakes = {"ante": (ante, end.ante), "bet": (Minor(BET_OF_ANTE * ante), end.bet)}
    answer: dict[str, object] = {
        name: None if stake is None else {"result": stake.result, "pays": format_minor(stake.pays, digits)}
        for name, (_, stake) in stakes.items()
    }
    results = [
        _result(name.upper(), amount, stake, digits, tell)
        for name, (amount, stake) in stakes.items()
        if stake is not None
    ]
    return answer, [*_showdown(end, tell), *results]


# --- reading what was given ------------------------------------------------------------------------------


def _game(name: str) -> Game:
    if name not in GAMES:
        if near := nearest(name, tuple(GAMES)):
            raise HandError(msg("{name} is no game of this house. Did you mean {nearest}?"), name=name, nearest=near)
        raise HandError(msg("{name} is no game of this house; there are {known}."), name=name, known=", ".join(GAMES))
    return GAMES[name]


def _cards(words: Sequence[str]) -> tuple[Card, ...]:
    cards = []
    for word in " ".join(words).replace(",", " ").split():
        if word.lower().startswith("jo"):
            raise HandError(msg("{card}: there is no joker in these games."), card=word)
        try:
            cards.append(parse_card(word))
        except CardError:
            text = msg("{card} is not a card: write rank and suit, such as As, Kh, Td or 9c.")
            raise HandError(text, card=word) from None
    _all_differ(tuple(cards))
    return tuple(cards)


def _all_differ(cards: tuple[Card, ...]) -> None:
    for card in cards:
        if cards.count(card) > 1:
            raise HandError(msg("{card} is there twice."), card=card_name(card))


def _count(text: str, cards: tuple[Card, ...], wanted: int) -> None:
    if len(cards) != wanted:
        raise HandError(text, wanted=wanted, count=len(cards))


def _base_rules(game: Game, file: Path | None, tell: Translator) -> tuple[Base, int | None]:
    """What the base game pays, and the currency's decimals where a configuration names it."""
    if file is None:
        if game.base is None:
            note = msg("No source says what {game} pays; this is an example. Your table's own: --config TABLE.toml")
            print(tell.text(note, game=game.name), file=sys.stderr)
        base, digits = game.base or game.example, None
    else:
        from controller.config import ConfigError, load

        try:
            config = load(file)
        except ConfigError as error:
            raise HandError("{report}", report=error.report(tell.language)) from error
        if config.setup.game != game.name:
            raise HandError(msg("{file} is a table of {game}."), file=file, game=config.setup.game)
        base, digits = config.base, config.setup.digits
    if base is None:
        raise HandError(msg("{file} does not say what {game} pays: add a section [base]."), file=file, game=game.name)
    return base, digits


def _amount(text: str, digits: int | None) -> tuple[Minor, int]:
    """An amount above zero and its decimals; without a currency, as many as were written."""
    most = MOST_DIGITS if digits is None else digits
    digits = min(len(text.partition(".")[2]), most) if digits is None else digits
    try:
        amount = parse_amount(text, digits)
    except AmountError:
        amount = Minor(0)
    if not amount:
        note = msg("{amount} is not an amount: write plain digits above zero, with at most {digits} decimals.")
        raise HandError(note, amount=re.sub(r"\s+", " ", text), digits=most)
    return amount, digits


# --- telling it ------------------------------------------------------------------------------------------


def _names(cards: tuple[Card, ...]) -> list[str]:
    return [card_name(card) for card in cards]


def _told(hand: Shown, tell: Translator) -> str:
    """The hand's name, and its cards by their weight: pairs before kickers, the ace of a low straight last."""
    ranks = [card >> 2 for card in hand.cards]
    low = sorted(ranks) == [0, 1, 2, 3, 12]
    weight = {card: (ranks.count(card >> 2), -1 if low and card >> 2 == 12 else card) for card in hand.cards}
    in_order = sorted(hand.cards, key=lambda card: weight[card], reverse=True)
    return f"{tell.text(HANDS[hand.hand])}: {' '.join(_names(tuple(in_order)))}"


def _showdown(end: Showdown, tell: Translator) -> list[str]:
    lines = [tell.text(msg("Player: {hand}"), hand=_told(end.player, tell))]
    if end.dealer is not None:
        lines.append(tell.text(msg("Dealer: {hand}"), hand=_told(end.dealer, tell)))
    lines.append(f"{tell.text(end.why)} [{end.clause}]")
    if end.line is not None:
        text = msg("The line for {hand}: ANTE {ante} to 1, BET {bet} to 1.")
        if end.bet is None:
            text = msg("The line for {hand}: ANTE {ante} to 1.")
        hand = tell.text(HANDS[end.player.hand])
        lines.append(tell.text(text, hand=hand, ante=end.line.ante, bet=end.line.bet))
    return lines


def _result(name: str, amount: Minor, stake: Stake, digits: int, tell: Translator) -> str:
    texts = {
        "win": msg("{name} of {amount}: wins {pays}, and keeps its stake."),
        "lose": msg("{name} of {amount}: is lost."),
        "return": msg("{name} of {amount}: goes back."),
    }
    figures = {"amount": format_minor(amount, digits), "pays": format_minor(stake.pays, digits)}
    return tell.text(texts[stake.result], name=name, **figures)
