"""Draw Poker Progresivo (S0): five own cards, two may be exchanged, and then the side bet is forfeited (5.3)."""

from __future__ import annotations

from controller.core.games.game import Game

DRAW_POKER = Game(
    name="draw-poker",
    max_seats=6,
    own_cards=5,
    shared_cards=0,
    exchange_forfeits=True,
    straight_flush_cap=5_000,
    irregular={
        "exposed": "burn",
        "player-card": "go-on",
        "player-cards": "void-round",
        "dealer-card": "void-round",
        "stuck": "choose",
        "wrong-count": "void-seat",
        "dealer-count": "void-round",
        "information": "house-rules",
        "no-ante": "return-bet",
    },
)
