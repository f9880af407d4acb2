"""The games that this version plays, by the name that configuration and journal use."""

from __future__ import annotations

from controller.core.games.caribbean_poker import CARIBBEAN_POKER
from controller.core.games.draw_poker import DRAW_POKER
from controller.core.games.game import Game
from controller.core.games.go_poker import GO_POKER
from controller.core.games.texas_holdem_plus import TEXAS_HOLDEM_PLUS

GAMES: dict[str, Game] = {game.name: game for game in (DRAW_POKER, TEXAS_HOLDEM_PLUS, CARIBBEAN_POKER, GO_POKER)}
