"""The rules of CliffWalking, which define the grid and the outcomes of moves."""

from __future__ import annotations

__all__ = ["COLUMNS", "DOWN", "GOAL", "LEFT", "POSITION_MAPPING", "RIGHT", "ROWS", "START", "UP", "arrival"]

ROWS, COLUMNS = 4, 12
START, GOAL = 36, 47
UP, RIGHT, DOWN, LEFT = range(4)
POSITION_MAPPING = {UP: [-1, 0], RIGHT: [0, 1], DOWN: [1, 0], LEFT: [0, -1]}
"""The change in (row, column) for each action. Rows are counted from the top, and columns from the left."""


def arrival(state: int, direction: int, ways: int) -> tuple[float, int, float, bool]:
    """Return the outcome of a move. Its probability is 1 / `ways`, because that many moves are equally probable."""
    row, column = divmod(state, COLUMNS)
    down, right = POSITION_MAPPING[direction]
    row, column = min(max(row + down, 0), ROWS - 1), min(max(column + right, 0), COLUMNS - 1)
    place = row * COLUMNS + column
    if START < place < GOAL:
        return 1 / ways, START, -100, False
    return 1 / ways, place, -1, place == GOAL
