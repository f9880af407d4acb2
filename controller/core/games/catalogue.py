"""The games that this version plays, by the name that configuration and journal use."""

from __future__ import annotations

from controller.core.games.draw_poker import DRAW_POKER
from controller.core.games.game import Game

GAMES: dict[str, Game] = {game.name: game for game in (DRAW_POKER,)}
