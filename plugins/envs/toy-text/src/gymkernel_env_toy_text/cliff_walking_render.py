"""A painter that draws a hiker on a meadow beside a cliff."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from gymkernel_env_toy_text.cliffwalking import COLUMNS, GOAL, ROWS, START

if TYPE_CHECKING:
    from gymkernel_env_toy_text.screen import Brush

__all__ = ["CliffWalkingPainter"]

CELL = 64
GRASS, LIGHT, SEAM, BLADE = "#a8c97f", "#b3d28b", "#98bb6f", "#86a95f"
ROCK, SHADE, SEA, FOAM = "#8a7a66", "#6d5f4f", "#2f6690", "#9cc5dd"
PATH, INK, RED, POLE = "#d9c79b", "#3a3226", "#c8453b", "#6b4a2c"
SKIN, HAIR, COAT, PACK, BOOT = "#f0c7a0", "#5a3d28", "#d9772b", "#2d5f8b", "#3a2f28"


@dataclass(frozen=True, slots=True)
class CliffWalkingPainter:
    """A painter that draws the meadow, the cliff and the hiker."""

    size: tuple[int, int]
    title: str = "Cliff Walking"

    def board(self, brush: Brush) -> None:
        """Draw the meadow, with the cliff at its lower edge."""
        brush.rectangle(SEAM, 0, 0, *self.size)
        for place in range(ROWS * COLUMNS):
            row, column = divmod(place, COLUMNS)
            x, y = column * CELL, row * CELL
            if START < place < GOAL:
                continue
            brush.rectangle(LIGHT if (row + column) % 2 else GRASS, x + 1, y + 1, CELL - 2, CELL - 2, 5)
            if place not in {START, GOAL}:
                _blades(brush, x + 12 + 11 * ((3 * row + column) % 4), y + 20 + 9 * ((row + 2 * column) % 4))
        _abyss(brush, CELL, (ROWS - 1) * CELL, (COLUMNS - 2) * CELL)
        middle = (ROWS - 0.5) * CELL
        brush.ellipse(PATH, CELL / 2, middle, 25, 22)
        brush.text(INK, "START", CELL / 2, middle, 11)
        brush.flag((PATH, POLE, RED), (COLUMNS - 0.5) * CELL, middle)

    def sprites(self, brush: Brush) -> dict[Any, Any]:
        """Draw the hiker."""
        return {"hiker": brush.fine(CELL, CELL, _hiker)}

    def pieces(self, brush: Brush, sprites: dict[Any, Any], *scene: Any) -> None:
        """Place the hiker on the board."""
        row, column = divmod(scene[0], COLUMNS)
        brush.put(sprites["hiker"], column * CELL, row * CELL)


def _blades(brush: Brush, x: float, y: float) -> None:
    for lean in (-4, 0, 4):
        brush.line(BLADE, (x, y), (x + lean, y - 7 + abs(lean) / 2), 1.6)


def _abyss(brush: Brush, x: float, y: float, width: float) -> None:
    """Draw the ragged edge of the cliff, the rock below it, and the sea."""
    brush.rectangle(SEA, x, y, width, CELL)
    teeth = [(x + i * CELL / 4, y + 30 + 7 * (i * 5 % 3)) for i in range(int(width / CELL) * 4 + 1)]
    brush.polygon(SHADE, (x, y), *[(px, py + 7) for px, py in teeth], (x + width, y))
    brush.polygon(ROCK, (x, y), *teeth, (x + width, y))
    brush.rectangle(BLADE, x, y, width, 4)
    for i in range(int(width / CELL)):
        left = x + i * CELL
        brush.line(SHADE, (left + 18, y + 10), (left + 14, y + 24), 2)
        brush.line(SHADE, (left + 45, y + 12), (left + 49, y + 22), 2)
        brush.line(FOAM, (left + 8 + 5 * (i % 3), y + 57), (left + 26 + 5 * (i % 3), y + 57), 2)


def _hiker(brush: Brush) -> None:
    brush.rectangle(PACK, 16, 26, 15, 20, 5)
    for x in (27, 36):
        brush.line(BOOT, (x, 44), (x, 54), 6)
        brush.line(BOOT, (x, 55), (x + 3, 55), 5)
    brush.rectangle(COAT, 22, 25, 20, 23, 7)
    brush.line(SKIN, (40, 31), (46, 37), 5)
    brush.line(POLE, (47, 30), (47, 56), 2)
    brush.circle(SKIN, 33, 16, 9)
    brush.ellipse(HAIR, 32, 10, 9.5, 5)
    brush.line(RED, (23, 13), (46, 13), 3.5)
    brush.circle(INK, 37, 17, 1.4)
