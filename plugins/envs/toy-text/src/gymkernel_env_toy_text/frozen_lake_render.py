"""A painter that draws a penguin on a frozen lake."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from gymkernel_env_toy_text.screen import Brush

__all__ = ["FrozenLakePainter"]

GAP, ICE, SHINE, CRACK = "#a9c7e0", "#d8eaf7", "#f1f8fd", "#b9d6ea"
RIM, WATER, DEEP = "#8db4d3", "#2a5f8f", "#1c4468"
SNOW, INK, RED, POLE = "#ffffff", "#20262e", "#d1495b", "#7a5230"
BACK, BELLY, BEAK = "#26313d", "#fafbfc", "#f2a541"


@dataclass(frozen=True, slots=True)
class FrozenLakePainter:
    """A painter that draws a frozen lake. The argument for the map contains one string for each row of tiles."""

    size: tuple[int, int]
    rows: tuple[str, ...]
    title: str = "Frozen Lake"

    @property
    def _cell(self) -> tuple[float, float]:
        return self.size[0] / len(self.rows[0]), self.size[1] / len(self.rows)

    def board(self, brush: Brush) -> None:
        """Draw the tiles of the lake."""
        brush.rectangle(GAP, 0, 0, *self.size)
        width, height = self._cell
        unit = min(width, height) / 64
        for row, letters in enumerate(self.rows):
            for column, letter in enumerate(letters):
                x, y = column * width, row * height
                brush.rectangle(ICE, x + unit, y + unit, width - 2 * unit, height - 2 * unit, 7 * unit)
                middle = x + width / 2, y + height / 2
                if letter == "H":
                    _hole(brush, *middle, unit)
                elif letter == "G":
                    brush.flag((SNOW, POLE, RED), *middle, unit)
                elif letter == "S":
                    brush.ellipse(SNOW, *middle, 23 * unit, 23 * unit)
                    brush.text(RIM, "START", middle[0], middle[1], 11 * unit)
                else:
                    _scratches(brush, *middle, unit, (5 * row + 3 * column) % 4)

    def sprites(self, brush: Brush) -> dict[Any, Any]:
        """Draw the penguin, once on the ice and once in the water."""
        side = max(1, round(min(self._cell)))
        unit = side / 64
        return {
            "on ice": brush.fine(side, side, lambda fine: _penguin(fine, 32 * unit, 33 * unit, unit)),
            "in water": brush.fine(side, side, lambda fine: _swimmer(fine, unit)),
        }

    def pieces(self, brush: Brush, sprites: dict[Any, Any], *scene: Any) -> None:
        """Place the penguin on the board."""
        width, height = self._cell
        row, column = divmod(scene[0], len(self.rows[0]))
        sprite = sprites["in water" if self.rows[row][column] == "H" else "on ice"]
        side = max(1, round(min(self._cell)))
        brush.put(sprite, column * width + (width - side) / 2, row * height + (height - side) / 2)


def _hole(brush: Brush, x: float, y: float, unit: float) -> None:
    brush.ellipse(RIM, x, y, 27 * unit, 25 * unit)
    brush.ellipse(WATER, x, y + unit, 25 * unit, 22.5 * unit)
    brush.ellipse(DEEP, x, y + 4 * unit, 20 * unit, 16 * unit)
    for dx, dy, length in ((-8, -1, 7), (4, 8, 9)):
        start = x + dx * unit, y + dy * unit
        brush.line(WATER, start, (start[0] + length * unit, start[1]), 2 * unit)


def _scratches(brush: Brush, x: float, y: float, unit: float, kind: int) -> None:
    """Draw reflections on some tiles and cracks on others."""
    if kind in {0, 2}:
        for shift in (0, 7):
            place = x + (-16 + shift + 9 * kind) * unit, y + (-8 + 5 * kind) * unit
            brush.line(SHINE, place, (place[0] + 9 * unit, place[1] - 9 * unit), 2.5 * unit)
    if kind == 1:
        path = [(-20, 4), (-9, 9), (-2, 5), (8, 14), (15, 12)]
        points = [(x + dx * unit, y + dy * unit) for dx, dy in path]
        for start, end in pairwise(points):
            brush.line(CRACK, start, end, 1.5 * unit)


def _penguin(brush: Brush, x: float, y: float, unit: float) -> None:
    def ellipse(color: str, dx: float, dy: float, width: float, height: float) -> None:
        brush.ellipse(color, x + dx * unit, y + dy * unit, width * unit, height * unit)

    for side in (-1, 1):
        ellipse(BEAK, 6.5 * side, 20, 6, 3)
        brush.line(
            BACK,
            (x + 12 * side * unit, y - unit),
            (x + 17 * side * unit, y + 9 * unit),
            6 * unit,
        )
    ellipse(BACK, 0, 3, 15, 18)
    ellipse(BACK, 0, -11, 11.5, 11)
    ellipse(BELLY, 0, 6, 10.5, 13)
    for side in (-1, 1):
        ellipse(BELLY, 4 * side, -10, 4.8, 5.2)
        ellipse(INK, 3.6 * side, -10.5, 1.8, 2.2)
    tip = (x, y - 1.5 * unit)
    brush.polygon(BEAK, (x - 3.6 * unit, y - 6.5 * unit), (x + 3.6 * unit, y - 6.5 * unit), tip)


def _swimmer(brush: Brush, unit: float) -> None:
    """Draw the penguin's head above the water."""
    brush.ellipse(RIM, 32 * unit, 30 * unit, 13 * unit, 12.5 * unit)
    _penguin(brush, 32 * unit, 41 * unit, unit)
    brush.rectangle("#00000000", 0, 40 * unit, 64 * unit, 24 * unit)
    brush.ellipse(WATER, 32 * unit, 40 * unit, 18 * unit, 4 * unit)
    for dx in (-1, 1):
        brush.line(ICE, ((32 + 13 * dx) * unit, 37 * unit), ((32 + 16 * dx) * unit, 33 * unit), 2 * unit)
