"""A painter that draws a blackjack table."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from gymkernel_env_toy_text.blackjack_rules import SUITS, total

if TYPE_CHECKING:
    from gymkernel_env_toy_text.screen import Brush

__all__ = ["BlackjackPainter"]

WIDTH, HEIGHT = 74, 104
MARGIN = 24
FELT, EDGE, LINE = "#2d6a4f", "#1f4d39", "#4f8f72"
PAPER, RIM, SHADOW, BLACK, RED = "#fdfdfb", "#b9bdb6", "#1b4332", "#22262c", "#c8323e"
BACK, PATTERN = "#2d4f7c", "#5f86b8"
WORDS, FAINT, GOLD = "#ffffff", "#b7d8c8", "#f4c95d"
RANKS = ("A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K")


@dataclass(frozen=True, slots=True)
class BlackjackPainter:
    """A painter that draws a blackjack table with both hands."""

    size: tuple[int, int] = (384, 376)
    title: str = "Blackjack"

    def board(self, brush: Brush) -> None:
        """Draw the felt of the table."""
        width, height = self.size
        brush.rectangle(EDGE, 0, 0, width, height)
        brush.rectangle(LINE, 6, 6, width - 12, height - 12, 14)
        brush.rectangle(FELT, 8, 8, width - 16, height - 16, 12)
        brush.line(LINE, (MARGIN, height / 2), (width - MARGIN, height / 2), 2)
        brush.text(FAINT, "DEALER", MARGIN, 29, 13, align=0)
        brush.text(FAINT, "PLAYER", MARGIN, height / 2 + 21, 13, align=0)

    def sprites(self, brush: Brush) -> dict[Any, Any]:
        """Draw all cards, the back of a card, the sums, and the badge for a usable ace."""
        cards = {
            rank + suit: brush.fine(WIDTH, HEIGHT, partial(_card, rank=rank, suit=suit))
            for rank in RANKS
            for suit in SUITS
        }
        sums = {points: brush.fine(60, 30, partial(_sum, points=str(points))) for points in range(1, 32)}
        return {
            **cards,
            **sums,
            "back": brush.fine(WIDTH, HEIGHT, _back),
            "?": brush.fine(60, 30, partial(_sum, points="?")),
            "usable": brush.fine(110, 22, _badge),
            "bust": brush.fine(110, 22, _bust),
        }

    def pieces(self, brush: Brush, sprites: dict[Any, Any], *scene: Any) -> None:
        """Place the cards of both hands on the table. After the player has stuck, the dealer's cards are face up."""
        player, dealer, top, stuck = scene
        middle = self.size[1] / 2
        dealt = [top, *_card_names(dealer[1:], 1)] if stuck else [top, "back"]
        self.place_hand(brush, sprites, dealt, 46)
        self.place_hand(brush, sprites, _card_names(player, 3), middle + 38)
        points, usable = total(player)
        dealer_sum = total(dealer)[0]
        self.place_sum(brush, sprites, dealer_sum if stuck else "?", 14)
        self.place_sum(brush, sprites, points, middle + 6)
        if usable:
            brush.put(sprites["usable"], 140, middle + 10)
        if points > 21:
            brush.put(sprites["bust"], 140, middle + 10)
        if stuck and dealer_sum > 21:
            brush.put(sprites["bust"], 140, 18)

    def place_sum(self, brush: Brush, sprites: dict[Any, Any], points: Any, y: float) -> None:
        """Place the sum of a hand, or a question mark."""
        brush.put(sprites.get(points, sprites["?"]), self.size[0] - MARGIN - 58, y)

    def place_hand(self, brush: Brush, sprites: dict[Any, Any], cards: list[str], y: float) -> None:
        """Place cards side by side. If there are many cards, they overlap."""
        room = self.size[0] - 2 * MARGIN - WIDTH
        step = min(WIDTH + 10, room / max(len(cards) - 1, 1))
        for i, card in enumerate(cards):
            brush.put(sprites[card], MARGIN + i * step, y)


def _card_names(values: list[int], first: int) -> list[str]:
    """Return an arbitrary but fixed rank and suit for each card, because the environment stores only values."""
    return [RANKS[value - 1] + SUITS[(first + i + value) % 4] for i, value in enumerate(values)]


def _card(brush: Brush, rank: str, suit: str) -> None:
    color = RED if suit in "DH" else BLACK
    brush.rectangle(SHADOW, 2, 3, WIDTH - 3, HEIGHT - 4, 8)
    brush.rectangle(RIM, 0, 0, WIDTH - 3, HEIGHT - 4, 8)
    brush.rectangle(PAPER, 1, 1, WIDTH - 5, HEIGHT - 6, 7)
    brush.text(color, rank, 15, 18, 19)
    _suit(brush, suit, color, 15, 39, 8)
    _suit(brush, suit, color, 44, 66, 22)


def _sum(brush: Brush, points: str) -> None:
    brush.text(FAINT if points == "?" else WORDS, points, 58, 15, 26, align=1)


def _suit(brush: Brush, suit: str, color: str, x: float, y: float, size: float) -> None:
    """Draw the symbol of a suit around a point. `size` is half the height and width of the symbol."""

    def at(*points: tuple[float, float]) -> list[tuple[float, float]]:
        return [(x + px * size, y + py * size) for px, py in points]

    def discs(radius: float, *points: tuple[float, float]) -> None:
        for px, py in at(*points):
            brush.circle(color, px, py, radius * size)

    if suit == "D":
        brush.polygon(color, *at((0, -1), (0.72, 0), (0, 1), (-0.72, 0)))
        return
    if suit == "H":
        discs(0.46, (-0.42, -0.38), (0.42, -0.38))
        brush.polygon(color, *at((-0.84, -0.2), (0, -0.42), (0.84, -0.2), (0, 0.92)))
        return
    if suit == "S":
        discs(0.46, (-0.42, 0.18), (0.42, 0.18))
        brush.polygon(color, *at((-0.84, 0.0), (0, -0.98), (0.84, 0.0), (0, 0.3)))
    else:
        discs(0.43, (0, -0.5), (-0.47, 0.2), (0.47, 0.2))
        brush.polygon(color, *at((-0.2, 0), (0, -0.3), (0.2, 0), (0, 0.3)))
    brush.polygon(color, *at((-0.1, 0.1), (0.1, 0.1), (0.36, 0.95), (-0.36, 0.95)))


def _back(brush: Brush) -> None:
    brush.rectangle(SHADOW, 2, 3, WIDTH - 3, HEIGHT - 4, 8)
    brush.rectangle(PAPER, 0, 0, WIDTH - 3, HEIGHT - 4, 8)
    brush.rectangle(BACK, 5, 5, WIDTH - 13, HEIGHT - 14, 5)
    for row in range(6):
        for column in range(4):
            x, y = 13.5 + 14.5 * column, 14 + 14.4 * row
            brush.polygon(PATTERN, (x, y - 5), (x + 4, y), (x, y + 5), (x - 4, y))


def _badge(brush: Brush) -> None:
    brush.rectangle(GOLD, 0, 0, 110, 22, 11)
    brush.text(SHADOW, "ACE AS 11", 55, 11, 12)


def _bust(brush: Brush) -> None:
    brush.rectangle(RED, 0, 0, 110, 22, 11)
    brush.text(WORDS, "OVER 21", 55, 11, 12)
