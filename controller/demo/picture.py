"""A scene as lines of a terminal: pure, so that a test can look at it. `rich` only colours and measures."""

from __future__ import annotations

from textwrap import wrap

from rich.text import Text

from controller.core.cards import RANKS
from controller.core.games.catalogue import GAMES
from controller.core.messages import msg
from controller.core.money import format_rate
from controller.deal import Cards
from controller.demo.digits import big
from controller.demo.scene import Scene
from controller.story import CAUSES, HANDS
from hal.port import Banner, SeatPanel, SeatText

GOLD = "bold #ffd75f"
FAINT = "grey58"
RED = "#ff5f5f"

SIDE = 34
"""Columns of what a wide screen shows beside the seats."""

WIDE = 80 + SIDE + 2

_BANNERS: dict[Banner, tuple[str, str]] = {
    "open": (msg("BETTING IS OPEN"), "bold white on #00702c"),
    "locked": (msg("LOCKED"), "bold white on #a02020"),
    "pending": (msg("LOCKED, waiting for the pot"), "bold white on #a02020"),
    "paying": (msg("PAYING"), "bold black on #ffd75f"),
    "idle": (msg("between two rounds"), "white on #303a4a"),
    "out-of-service": (msg("OUT OF SERVICE"), "bold white on #d00000"),
}
_DARK = msg("POWER CUT")

_TEXTS: dict[SeatText, str] = {
    "closed": msg("closed"),
    "no-credits": msg("no credits"),
    "late": msg("late chip"),
    "excess": msg("chip too many"),
    "returned": msg("bet returned"),
}


def picture(scene: Scene, width: int, height: int) -> list[Text]:
    """The scene in exactly `height` lines of `width` columns at most, the most important first."""
    wide = width >= WIDE
    digits = 5 if height >= 28 else 3 if height >= 18 else 1
    main = width - SIDE - 2 if wide else width
    top = [_title(scene, width), *_pot(scene, width, digits), _banner(scene, width)]
    seats = _seats(scene, main)
    below = [_meters(scene, width), _line(scene.footer, width, FAINT)]
    room = max(0, height - len(top) - len(below))
    middle = [*seats, *_felt(scene, main), _rule(scene.speak.text(msg("what happened")), main)]
    middle += _story(scene, main, room - len(middle))
    if wide:
        middle = _beside(middle, _side(scene, room), main)
    lines = [*top, *middle[:room], *below]
    return [_cut(line, width) for line in lines[:height]]


# --- above -----------------------------------------------------------------------------------------------


def _title(scene: Scene, width: int) -> Text:
    setup = scene.table.setup
    left = Text.assemble(
        (" pozo ", "bold black on #ffd75f"), f" {setup.table} · {scene.speak.text(GAMES[setup.game].title)}"
    )
    right = Text(scene.speak.text(msg("round {round}"), round=scene.table.rounds) + " ", "bold")
    return _ends(left, right, width)


def _pot(scene: Scene, width: int, digits: int) -> list[Text]:
    """The main pot, as large as it goes; dark as the sign is."""
    money = scene.money
    style = GOLD
    amount = money.text(scene.pot)
    lines = big(amount, width - 2, digits)
    if scene.display is None:
        lines, style = ("",) * len(lines), FAINT
    label = scene.speak.text(msg("main pot in {currency}"), currency=money.currency)
    reserve = scene.speak.text(msg("reserve {amount}"), amount=money.of_units(scene.table.pot.reserve))
    left = Text(f" {label}", FAINT)
    if scene.change and scene.display is not None:
        sign, colour = ("▲ +", "bold #5fd75f") if scene.change > 0 else ("▼ ", RED)
        left.append(f"   {sign}{money.text(scene.change)}", colour)
    heading = _ends(left, Text(f"{reserve} ", FAINT), width)
    return [heading, *(Text(line.center(width), style) for line in lines), *([Text()] if digits > 1 else [])]


def _banner(scene: Scene, width: int) -> Text:
    speak = scene.speak.text
    if scene.display is None:
        return Text(speak(_DARK).center(width), "bold white on black")
    text, style = _BANNERS[scene.display.banner]
    said = speak(text)
    if scene.display.banner == "out-of-service":
        said = f"{said}: {scene.display.reason}"
    elif scene.display.banner in ("open", "locked"):
        said = f"{said} · " + speak(msg("bets: {count}"), count=scene.display.bets)
    elif scene.waits_for_approval:
        said = f"{said} · " + speak(msg("the supervisor looks at the prize"))
    return Text(said.center(width), style)


# --- seats -----------------------------------------------------------------------------------------------


def _seats(scene: Scene, width: int) -> list[Text]:
    """A heading and a line for each seat."""
    speak = scene.speak.text
    chips = scene.table.setup.acceptor == "chips"
    heads = (msg("seat"), msg("lamp"), msg("bet"), "" if chips else msg("credits"), msg("cards"))
    seat, lamp, bet, credits, cards = (speak(head) for head in heads)
    heading = Text(f" {seat:<12.12}{lamp:^6.6}{bet:>9.9}{credits:>10.10}   {cards:<16}", FAINT)
    return [_cut(heading, width), *(_seat(scene, index) for index in range(len(scene.table.seats)))]


def _seat(scene: Scene, index: int) -> Text:
    number = index + 1
    shown = scene.display.seats[index] if scene.display is not None else None
    lit = scene.lamps[index]
    name = scene.names.get(number, "")
    winner = shown is not None and (shown.tells("winner") or shown.tells("approval"))
    style = GOLD if winner else "" if lit or number in scene.felt.own else FAINT
    line = Text(f" {number} {name:<10.10}", style)
    line.append("   ●  " if lit else "   ○  ", "bold #ffff5f" if lit else "grey35")
    if shown is None:
        return line
    line.append(f"{scene.money.text(shown.bet) if shown.bet else '–':>9}", style)
    line.append(f"{'' if shown.credits is None else shown.credits:>10}   ", style)
    line.append_text(_cards(scene.felt.own.get(number, ()), 15))
    line.append("  ")
    return line.append_text(_status(scene, number, shown))


def _cards(cards: Cards, width: int = 0, covered: int = 0) -> Text:
    """Cards, three columns each, hearts and diamonds red; so many of them `covered`, first."""
    line = Text("░░ " * covered, FAINT)
    for card in cards:
        line.append(RANKS[card >> 2] + "♣♦♥♠"[card & 3], RED if card & 3 in (1, 2) else "bold")
        line.append(" ")
    line.pad_right(max(0, width - len(line)))
    return line


def _felt(scene: Scene, width: int) -> list[Text]:
    """The dealer's cards and the shared ones, where the game has them."""
    speak, felt, game = scene.speak.text, scene.felt, GAMES[scene.table.setup.game]
    line = Text(" ")
    if game.dealer_cards:
        line.append(speak(msg("dealer")) + "  ", FAINT)
        line.append_text(_cards(felt.dealer, 3 * game.dealer_cards + 3, felt.covered))
    if game.boards:
        line.append(speak(msg("shared cards")) + "  ", FAINT)
        line.append_text(_cards(felt.board))
    return [_cut(line, width)]


def _status(scene: Scene, seat: int, shown: SeatPanel) -> Text:
    """Why the seat is as it is, in a few words."""
    speak, state, money = scene.speak.text, scene.table.seats[seat - 1], scene.money
    back = "".join(f"{speak(_TEXTS[said.text])} {money.text(said.amount)}" for said in shown.says if said.amount)
    if (prize := scene.prize(seat)) is not None and prize.status != "denied":
        mark = {"paid": " ✓", "unapproved": " ?"}.get(prize.status, "")
        return Text(f"{money.text(prize.amount)}{mark} · {back or speak(HANDS[prize.hand])}", GOLD)
    if state.closed is not None:
        why = f"{speak(_TEXTS['closed'])}: {speak(CAUSES.get(state.closed, state.closed))}"
        return Text(f"{back} · {why}" if back else why, RED)
    if back:
        return Text(back, RED)
    if shown.text in _TEXTS:
        return Text(speak(_TEXTS[shown.text]), FAINT)
    return _base_game(scene, seat)


def _base_game(scene: Scene, seat: int) -> Text:
    """What the player holds, or why not, and what ANTE and BET have won."""
    speak, felt, round = scene.speak.text, scene.felt, scene.table.round
    line = Text(style=FAINT)
    if (result := felt.results.get(seat)) is not None:
        line.append(f"{scene.money.signed(result)} ", "#5fd75f" if result > 0 else "")
    if (hand := felt.hand(seat)) is not None:
        line.append(speak(HANDS[hand]))
    elif round is not None and (forfeit := round.bets[seat - 1].forfeit) is not None:
        line.append(speak(CAUSES[forfeit]))
    return line


# --- below and beside ------------------------------------------------------------------------------------


def _story(scene: Scene, width: int, room: int) -> list[Text]:
    """The last lines that fit, the newest brightest."""
    told: list[Text] = []
    for age, line in enumerate(reversed(scene.lines)):
        style = "bold" if age == 0 else "" if age < 3 else FAINT
        folded = [_line(part, width, style) for part in wrap(line, max(12, width - 2), subsequent_indent="  ")]
        if len(told) + len(folded) > room:
            break
        told = folded + told
    return told + [Text()] * max(0, room - len(told))


def _meters(scene: Scene, width: int) -> Text:
    """Where every bet went since the pot opened (3.3)."""
    meters, money = scene.table.pot.meters, scene.money.of_units
    said = scene.speak.text(
        msg("bets {bets} = house {commission} + reserve {reserve} + pot {pot} · prizes {prizes}"),
        bets=money(meters.bets),
        commission=money(meters.commission),
        reserve=money(meters.to_reserve),
        pot=money(meters.to_main),
        prizes=money(meters.fixed_prizes + meters.share_prizes),
    )
    return _line(said, width, "white on #303a4a", fill=True)


def _side(scene: Scene, room: int) -> list[Text]:
    """The posted prizes and the last hits, for a screen that has room for them."""
    speak, params = scene.speak.text, scene.table.pot.params
    lines = [_rule(speak(msg("prizes")), SIDE)]
    for rule in reversed(params.prizes):
        worth = speak(msg("{times} × bet"), times=rule.times)
        if rule.share is not None:
            worth = speak(msg("{share} of the pot"), share=format_rate(rule.share))
        lines.append(_ends(Text(" " + speak(HANDS[rule.hand])), Text(worth, GOLD), SIDE))
    lines += [Text(), _rule(speak(msg("last hits")), SIDE)]
    for hit in reversed(scene.table.hits[-max(0, room - len(lines)) :]):
        left = Text(f" {hit.round}·{hit.seat} {speak(HANDS[hit.hand])}", FAINT)
        lines.append(_ends(left, Text(scene.money.text(hit.amount)), SIDE))
    return lines


def _beside(left: list[Text], right: list[Text], width: int) -> list[Text]:
    joined = []
    for n, line in enumerate(left):
        both = _cut(line, width)
        both.pad_right(width - both.cell_len)
        both.append("  ")
        joined.append(both.append_text(right[n]) if n < len(right) else both)
    return joined


# --- lines -----------------------------------------------------------------------------------------------


def _line(text: str, width: int, style: str, *, fill: bool = False) -> Text:
    line = _cut(Text(f" {text}", style), width)
    if fill:
        line.pad_right(width - line.cell_len)
    return line


def _rule(title: str, width: int) -> Text:
    return Text(f"── {title} ".ljust(width, "─"), FAINT)


def _ends(left: Text, right: Text, width: int) -> Text:
    """`left` and `right` at the two ends of a line; `left` gives way."""
    line = left.copy()
    line.truncate(max(0, width - right.cell_len - 1), overflow="ellipsis", pad=True)
    return line.append(" ").append_text(right)


def _cut(line: Text, width: int) -> Text:
    cut = line.copy()
    cut.no_wrap = True
    cut.truncate(width, overflow="ellipsis")
    return cut
