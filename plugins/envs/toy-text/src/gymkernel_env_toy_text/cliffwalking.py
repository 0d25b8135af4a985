"""The single-environment version of CliffWalking, and the rules that define the grid and the outcomes of moves."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from gymkernel_env_toy_text.tabular import ARROW_DOWN, ARROW_LEFT, ARROW_RIGHT, ARROW_UP, TabularEnv

if TYPE_CHECKING:
    from gymkernel_env_toy_text.screen import Painter

__all__ = ["DOWN", "LEFT", "POSITION_MAPPING", "RIGHT", "UP", "CliffWalkingEnv"]

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
    KEYS = (
        (ARROW_UP, "move up"),
        (ARROW_RIGHT, "move right"),
        (ARROW_DOWN, "move down"),
        (ARROW_LEFT, "move left"),
    )

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
        self.window_size = 64 * COLUMNS, 64 * ROWS

    def _text(self) -> str:
        letters = ["C" if START < place < GOAL else "o" for place in range(self.nS)]
        letters[GOAL] = "T"
        letters[self.s or 0] = "x"
        rows = ("  ".join(letters[first : first + COLUMNS]) for first in range(0, self.nS, COLUMNS))
        return "\n".join(rows) + "\n\n"

    def _painter(self) -> Painter:
        from gymkernel_env_toy_text.cliff_walking_render import CliffWalkingPainter

        return CliffWalkingPainter(self.window_size)
