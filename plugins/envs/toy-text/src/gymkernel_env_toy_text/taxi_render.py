"""A painter that draws a taxi in a town, and a panel with the passenger's position and destination."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from gymkernel_env_toy_text.taxi_rules import DEPOTS, IN_TAXI, MAP, SIZE

if TYPE_CHECKING:
    from gymkernel_env_toy_text.screen import Brush

__all__ = ["TaxiPainter"]

CELL, LEFT, TOP = 80, 18, 28
SIDE = LEFT + SIZE * CELL + 12
PAPER, STREET, KERB, DASH = "#eef1f4", "#5c636d", "#49505a", "#9aa2ad"
WALL, BRICK, INK, FAINT = "#8c4a3a", "#b4695a", "#20262e", "#7b8490"
COLORS = ("#e0524d", "#4caf6d", "#e8c13a", "#4a86d8")
LETTERS = "RGYB"
NAMES = ("Red", "Green", "Yellow", "Blue")
ACTIONS = ("South", "North", "East", "West", "Pick up", "Drop off")
TAXI, TRIM, GLASS, TYRE, LAMP = "#f7c325", "#d99e0b", "#3c5166", "#1d2126", "#fff6d6"
SKIN, HAIR, COAT = "#f0c7a0", "#4b3325", "#8457c2"


@dataclass(frozen=True, slots=True)
class TaxiPainter:
    """A painter that draws the town, the taxi and the panel."""

    size: tuple[int, int] = (536, 456)
    title: str = "Taxi"

    def board(self, brush: Brush) -> None:
        """Draw the streets, the walls, the depots and the frame of the panel."""
        brush.rectangle(PAPER, 0, 0, *self.size)
        brush.rectangle(KERB, LEFT - 6, TOP - 6, SIZE * CELL + 12, SIZE * CELL + 12, 8)
        for row in range(SIZE):
            for column in range(SIZE):
                x, y = _corner(row, column)
                brush.rectangle(STREET, x + 1, y + 1, CELL - 2, CELL - 2, 4)
                brush.circle(DASH, x + CELL / 2, y + CELL / 2, 2)
        for (row, column), color, letter in zip(DEPOTS, COLORS, LETTERS, strict=True):
            x, y = _corner(row, column)
            brush.rectangle(color, x + 5, y + 5, CELL - 10, CELL - 10, 10)
            brush.text("#ffffff", letter, x + 18, y + 19, 18)
        for row in range(SIZE):
            for column in range(SIZE - 1):
                if MAP[1 + row][2 * column + 2] == "|":
                    x, y = _corner(row, column + 1)
                    brush.rectangle(WALL, x - 5, y - 1, 10, CELL + 2, 2)
                    for step in range(4):
                        brush.rectangle(BRICK, x - 3, y + 3 + 20 * step, 6, 14, 1)
        for y, words in ((44, "PASSENGER"), (168, "TO"), (292, "LAST ACTION")):
            brush.text(FAINT, words, SIDE, y, 11, align=0)

    def sprites(self, brush: Brush) -> dict[Any, Any]:
        """Draw the taxi in every direction (empty and occupied), the passenger, the markers and the panel's words."""
        words = {("at", i): _words(brush, name) for i, name in enumerate((*NAMES, "in the taxi"))}
        words |= {("did", i): _words(brush, name) for i, name in enumerate(ACTIONS)}
        swatches = {("to", i): brush.fine(44, 44, partial(_swatch, depot=i)) for i in range(4)}
        taxis = {
            (direction, taken): brush.fine(CELL, CELL, partial(_taxi, direction=direction, taken=taken))
            for direction in range(4)
            for taken in (False, True)
        }
        return {
            **words,
            **swatches,
            **taxis,
            "passenger": brush.fine(CELL, CELL, _passenger),
            "flag": brush.fine(CELL, CELL, _flag),
        }

    def pieces(self, brush: Brush, sprites: dict[Any, Any], *scene: Any) -> None:
        """Place the taxi, passenger and destination on the board, and write the names of the depots on the panel."""
        row, column, passenger, destination, direction, last = scene
        brush.put(sprites["flag"], *_corner(*DEPOTS[destination]))
        brush.put(sprites[direction, passenger == IN_TAXI], *_corner(row, column))
        if passenger != IN_TAXI:
            brush.put(sprites["passenger"], *_corner(*DEPOTS[passenger]))
        brush.put(sprites["passenger"], SIDE - 6, 68)
        brush.put(sprites["at", passenger], SIDE, 54)
        brush.put(sprites["to", destination], SIDE, 204)
        brush.put(sprites["at", destination], SIDE, 178)
        if last is not None:
            brush.put(sprites["did", last], SIDE, 302)


def _corner(row: int, column: int) -> tuple[int, int]:
    return LEFT + column * CELL, TOP + row * CELL


def _words(brush: Brush, words: str) -> Any:
    return brush.fine(100, 20, lambda fine: fine.text(INK, words, 0, 10, 15, align=0))


def _swatch(brush: Brush, depot: int) -> None:
    brush.rectangle(COLORS[depot], 0, 0, 44, 44, 9)
    brush.text("#ffffff", LETTERS[depot], 22, 22, 24)


def _passenger(brush: Brush) -> None:
    """Draw a person on the left of a square."""
    brush.rectangle(COAT, 9, 47, 20, 24, 7)
    brush.circle(SKIN, 19, 39, 8.5)
    brush.ellipse(HAIR, 19, 33.5, 8.8, 4.6)
    for x in (16, 22):
        brush.circle(INK, x, 40, 1.2)


def _flag(brush: Brush) -> None:
    """Draw a chequered flag on the right of a square."""
    brush.line(INK, (52, 64), (52, 14), 3)
    for i in range(4):
        for j in range(3):
            color = "#ffffff" if (i + j) % 2 else INK
            brush.rectangle(color, 53 + 5 * i, 14 + 6 * j, 5, 6)


def _taxi(brush: Brush, direction: int, *, taken: bool) -> None:
    """Draw a taxi from above. The directions 0 to 3 are south, north, east and west."""

    def at(along: float, across: float) -> tuple[float, float]:
        """Return the point that is `along` pixels ahead of the taxi's centre and `across` pixels to its right."""
        x, y = ((-across, along), (across, -along), (along, across), (-along, -across))[direction]
        return CELL / 2 + x, CELL / 2 + y

    def block(color: str, along: float, across: float, length: float, width: float, radius: float) -> None:
        (x, y), (u, v) = at(along - length / 2, across - width / 2), at(along + length / 2, across + width / 2)
        brush.rectangle(color, min(x, u), min(y, v), abs(x - u), abs(y - v), radius)

    for along in (-17, 17):
        for across in (-15, 15):
            block(TYRE, along, across, 13, 6, 2)
    block(TRIM, 0, 0, 62, 32, 9)
    block(TAXI, 0, 0, 60, 28, 8)
    block(GLASS, 11, 0, 9, 24, 3)
    block(GLASS, -20, 0, 6, 22, 3)
    block(TAXI, -4, 0, 22, 26, 4)
    for across in (-9, 9):
        block(LAMP, 28, across, 3, 6, 1)
    for step in range(5):
        for side in (-1, 1):
            block(INK if (step + side) % 2 else LAMP, -14 + 5 * step, 11.5 * side, 5, 2.5, 0)
    if taken:
        brush.circle(LAMP, *at(-4, 0), 9.5)
        brush.circle(COAT, *at(-4, 0), 8.5)
        brush.circle(SKIN, *at(-4, 0), 6.5)
        brush.circle(HAIR, *at(-6, 0), 4.5)
    else:
        block(LAMP, -4, 0, 8, 16, 2)
        block(TRIM, -4, 0, 4, 10, 1)
