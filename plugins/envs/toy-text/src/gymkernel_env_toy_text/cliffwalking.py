"""The single-environment version of CliffWalking, its rules, and the painter that draws it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from gymkernel_env_toy_text.tabular import ARROW_DOWN, ARROW_LEFT, ARROW_RIGHT, ARROW_UP, TabularEnv

if TYPE_CHECKING:
    from gymkernel_env_toy_text.screen import Brush, Painter

__all__ = ["DOWN", "LEFT", "POSITION_MAPPING", "RIGHT", "UP", "CliffWalkingEnv"]

ROWS, COLUMNS = 4, 12
START, GOAL = 36, 47
UP, RIGHT, DOWN, LEFT = range(4)
POSITION_MAPPING = {UP: [-1, 0], RIGHT: [0, 1], DOWN: [1, 0], LEFT: [0, -1]}
"""The change in (row, column) for each action. Rows are counted from the top, and columns from the left."""
CELL = 64
GRASS, LIGHT, SEAM, BLADE = "#a8c97f", "#b3d28b", "#98bb6f", "#86a95f"
ROCK, SHADE, SEA, FOAM = "#8a7a66", "#6d5f4f", "#2f6690", "#9cc5dd"
PATH, INK, RED, POLE = "#d9c79b", "#3a3226", "#c8453b", "#6b4a2c"
SKIN, HAIR, COAT, PACK, BOOT = "#f0c7a0", "#5a3d28", "#d9772b", "#2d5f8b", "#3a2f28"


def arrival(state: int, direction: int, ways: int) -> tuple[float, int, float, bool]:
    """Return the outcome of a move. Its probability is 1 / `ways`, because that many moves are equally probable."""
    row, column = divmod(state, COLUMNS)
    down, right = POSITION_MAPPING[direction]
    row, column = min(max(row + down, 0), ROWS - 1), min(max(column + right, 0), COLUMNS - 1)
    place = row * COLUMNS + column
    if START < place < GOAL:
        return 1 / ways, START, -100, False
    return 1 / ways, place, -1, place == GOAL


class CliffWalkingEnv(TabularEnv):
    """An environment in which an agent walks along a cliff to the goal without stepping over the edge.

    The grid has 4 rows and 12 columns. The start is at the bottom left and the goal is at the bottom right. The cliff
    is between the start and the goal in the bottom row. A step into the cliff costs 100 and returns the agent to the
    start, and the episode continues. A move off the grid leaves the agent in place. (Sutton and Barto, "Reinforcement
    Learning: An Introduction", 2nd edition, 2018, example 6.6, which compares the safe path learned by Sarsa with the
    short path learned by Q-learning.)

    If the ground is slippery, the agent moves in the intended direction, to the left of it, or to the right of it, each
    with probability 1/3.

    Action, `Discrete(4)`: 0 up, 1 right, 2 down, 3 left.

    Observation, `Discrete(48)`: 12 * row + column, counted from the top left. The start is 36. The ten tiles of the
    cliff are never observed.

    Reward: -1 for a step, and -100 for a step into the cliff.

    Info: "prob", the probability of the outcome, which is 1 after a reset.

    An episode ends only when the agent reaches the goal. There is no step limit.

    Args:
        render_mode: "human" (a window), "rgb_array", "ansi" (text) or None.
        is_slippery: whether the ground is slippery, so that the agent may move to the side, as in
            CliffWalkingSlippery-v1.

    Raises:
        UnsupportedMode: if the render mode is not supported.

    >>> import gymkernel as gym
    >>> env = gym.make("CliffWalking-v1")
    >>> observation, info = env.reset(seed=1)
    >>> observation
    36
    >>> env.step(1)  # over the edge
    (36, -100, False, False, {'prob': 1.0})
    >>> _ = env.step(0)
    >>> [env.step(1)[0] for _ in range(11)][-1]
    35
    >>> env.step(2)
    (47, -1, True, False, {'prob': 1.0})
    """

    metadata: dict[str, Any] = {"render_modes": ["human", "rgb_array", "ansi"], "render_fps": 4}  # noqa: RUF012
    ACTIONS = ("Up", "Right", "Down", "Left")
    KEYS = (ARROW_UP, ARROW_RIGHT, ARROW_DOWN, ARROW_LEFT)

    def __init__(self, render_mode: str | None = None, is_slippery: bool = False) -> None:
        self.shape = ROWS, COLUMNS
        self.start_state_index = START
        self.nS, self.nA = ROWS * COLUMNS, 4
        self.is_slippery = is_slippery
        start = np.zeros(self.nS)
        start[START] = 1.0
        turns = (-1, 0, 1) if is_slippery else (0,)
        transitions = {
            state: {action: [arrival(state, (action + turn) % 4, len(turns)) for turn in turns] for action in range(4)}
            for state in range(self.nS)
        }
        super().__init__(transitions, start, render_mode)
        self.window_size = CELL * COLUMNS, CELL * ROWS

    def _text(self) -> str:
        letters = ["C" if START < place < GOAL else "o" for place in range(self.nS)]
        letters[GOAL] = "T"
        letters[self.s or 0] = "x"
        rows = ("  ".join(letters[first : first + COLUMNS]) for first in range(0, self.nS, COLUMNS))
        return "\n".join(rows) + "\n\n"

    def _painter(self) -> Painter:
        return CliffWalkingPainter(self.window_size)


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
