"""The single-environment version of FrozenLake, its fixed maps, and a function that generates random maps."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from gymkernel.utils import seeding
from gymkernel.utils.colorize import colorize
from gymkernel_env_toy_text.tabular import ARROW_DOWN, ARROW_LEFT, ARROW_RIGHT, ARROW_UP, Outcomes, TabularEnv

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from gymkernel_env_toy_text.screen import Painter

__all__ = ["DOWN", "LEFT", "MAPS", "RIGHT", "UP", "FrozenLakeEnv", "generate_random_map", "is_valid"]

LEFT, DOWN, RIGHT, UP = range(4)
MOVES = ((0, -1), (1, 0), (0, 1), (-1, 0))
MAPS = {
    "4x4": ["SFFF", "FHFH", "FFFH", "HFFG"],
    "8x8": ["SFFFFFFF", "FFFFFFFF", "FFFHFFFF", "FFFFFHFF", "FFFHFFFF", "FHHFFFHF", "FHFFHFHF", "FFFHFFFG"],
}
"""The fixed maps, keyed by name. Each letter is a tile: S (start), F (frozen), H (hole) or G (goal)."""


class FrozenLakeEnv(TabularEnv):
    """An environment in which an agent crosses a slippery frozen lake without falling into a hole.

    The lake is a grid of tiles, in which S is the start, F is ice, H is a hole and G is the goal. Any other letter is
    also ice. A move off the grid leaves the agent in place. On slippery ice, the agent moves in the chosen direction
    with probability `success_rate`, and to the left or right of that direction with half of the remaining probability
    each.

    The episode ends when the agent reaches the goal or falls into a hole. (The problem is from OpenAI Gym, Brockman et
    al., 2016. Grid worlds with uncertain moves are described by Russell and Norvig, "Artificial Intelligence", 1995,
    section 17.1.)

    Action, `Discrete(4)`: 0 left, 1 down, 2 right, 3 up.

    Observation, `Discrete(rows * columns)`: row * columns + column, counted from the top left.

    Reward: `reward_schedule` contains the rewards for reaching the goal, a hole and any other tile, by default 1, 0 and
    0.

    Info: "prob", the probability of the outcome, which is 1 after a reset.

    `TimeLimit`, which `make` adds, truncates episodes after 100 steps in FrozenLake-v1 and 200 steps in
    FrozenLake8x8-v1.

    Args:
        render_mode: "human" (a window), "ansi" (text), "rgb_array" or None.
        desc: the map as rows of letters, for example from `generate_random_map`, or None to use `map_name`.
        map_name: "4x4" or "8x8". If both `map_name` and `desc` are None, a random 8x8 map is generated.
        is_slippery: whether the ice is slippery, so that the agent may move to the side.
        success_rate: the probability that the agent moves in the intended direction.
        reward_schedule: the rewards for reaching the goal, a hole and any other tile.

    Raises:
        ValueError: if the map has no start, if its rows have different lengths, if the map name is unknown, if
            `success_rate` is not a probability, or if `reward_schedule` does not contain three rewards.
        UnsupportedMode: if the render mode is not supported.

    >>> import gymkernel as gym
    >>> env = gym.make("FrozenLake-v1", is_slippery=False)
    >>> observation, info = env.reset(seed=1)
    >>> [env.step(action)[0] for action in (1, 1, 2, 1, 2)]
    [4, 8, 9, 13, 14]
    >>> env.step(2)
    (15, 1, True, False, {'prob': 1.0})
    """

    metadata: dict[str, Any] = {"render_modes": ["human", "ansi", "rgb_array"], "render_fps": 4}  # noqa: RUF012
    ACTIONS = ("Left", "Down", "Right", "Up")
    KEYS = (ARROW_LEFT, ARROW_DOWN, ARROW_RIGHT, ARROW_UP)

    def __init__(
        self,
        render_mode: str | None = None,
        desc: Sequence[str] | NDArray[Any] | None = None,
        map_name: str | None = "4x4",
        is_slippery: bool = True,
        success_rate: float = 1 / 3,
        reward_schedule: Sequence[float] = (1, 0, 0),
    ) -> None:
        self.desc = _letters(desc, map_name)
        self.nrow, self.ncol = self.desc.shape
        if not 0 <= success_rate <= 1:
            raise ValueError(f"Expected success_rate to be a probability between 0 and 1, got {success_rate!r}")
        if len(reward_schedule) != 3:
            raise ValueError(
                f"Expected reward_schedule to contain the rewards for the goal, a hole and ice, got {reward_schedule!r}"
            )
        self.reward_range = min(reward_schedule), max(reward_schedule)
        start = (self.desc == b"S").ravel().astype(np.float64)
        aside = (1 - success_rate) / 2
        turns = ((-1, aside), (0, success_rate), (1, aside)) if is_slippery else ((0, 1.0),)
        transitions = {
            state: {action: self._outcomes(state, action, turns, reward_schedule) for action in range(4)}
            for state in range(self.desc.size)
        }
        super().__init__(transitions, start / start.sum(), render_mode)
        self.window_size = min(64 * self.ncol, 512), min(64 * self.nrow, 512)

    def _outcomes(self, state: int, action: int, turns: Any, rewards: Sequence[float]) -> Outcomes:
        """Return the possible outcomes of an action. Each turn is a change of direction and its probability."""
        if self.desc.flat[state] in b"GH":
            return [(1.0, state, 0, True)]
        return [(prob, *self._arrival(state, (action + turn) % 4, rewards)) for turn, prob in turns]

    def _arrival(self, state: int, direction: int, rewards: Sequence[float]) -> tuple[int, float, bool]:
        row, column = divmod(state, self.ncol)
        down, right = MOVES[direction]
        row = min(max(row + down, 0), self.nrow - 1)
        column = min(max(column + right, 0), self.ncol - 1)
        letter = self.desc[row, column]
        which = b"GH".find(letter)
        return row * self.ncol + column, rewards[which], which >= 0

    def _text(self) -> str:
        assert self.s is not None  # noqa: S101 - `render` has already checked this
        rows = [[letter.decode() for letter in row] for row in self.desc.tolist()]
        row, column = divmod(self.s, self.ncol)
        rows[row][column] = colorize(rows[row][column], "red", highlight=True)
        last = "" if self.lastaction is None else f"  ({self.ACTIONS[self.lastaction]})"
        return "\n".join([last, *("".join(row) for row in rows)]) + "\n"

    def _painter(self) -> Painter:
        from gymkernel_env_toy_text.frozen_lake_render import FrozenLakePainter

        return FrozenLakePainter(self.window_size, tuple(row.tobytes().decode() for row in self.desc))


def _letters(desc: Any, map_name: str | None) -> NDArray[np.bytes_]:
    """Return the map as an array that contains one byte for each tile."""
    if desc is None:
        if map_name is not None and map_name not in MAPS:
            raise ValueError(f"Expected map_name to be one of {', '.join(MAPS)}, got {map_name!r}; or pass desc")
        desc = generate_random_map() if map_name is None else MAPS[map_name]
    try:
        letters = np.asarray(desc, dtype="c")
    except ValueError:
        letters = np.zeros(0, "c")
    if letters.ndim != 2 or not letters.size:
        raise ValueError(f"Expected desc to be rows of letters that all have the same length, got {desc!r}")
    if not (letters == b"S").any():
        raise ValueError(f"Expected desc to contain a start (the letter S), got {desc!r}")
    return letters


def is_valid(board: Sequence[Sequence[str]], max_size: int) -> bool:
    """Return whether the goal can be reached from the top left tile without falling into a hole.

    Args:
        board: the rows of the map, which consist of letters.
        max_size: the number of rows and columns.

    >>> is_valid(["SH", "FG"], 2), is_valid(["SH", "HG"], 2)
    (True, False)
    """
    reached, waiting = {(0, 0)}, [(0, 0)]
    while waiting:
        row, column = waiting.pop()
        for place in ((row + 1, column), (row, column + 1), (row - 1, column), (row, column - 1)):
            if place in reached or not (0 <= place[0] < max_size and 0 <= place[1] < max_size):
                continue
            letter = board[place[0]][place[1]]
            if letter == "G":
                return True
            if letter != "H":
                reached.add(place)
                waiting.append(place)
    return False


def generate_random_map(size: int = 8, p: float = 0.8, seed: int | None = None) -> list[str]:
    """Generate a random map that has a path from the start (top left) to the goal (bottom right).

    Args:
        size: the number of rows and columns, at least 2.
        p: the probability that a tile is frozen, greater than 0. The smaller the probability, the longer it takes to
            find a valid map.
        seed: the seed, or None for a random seed. The same seed produces the same map as in Gymnasium.

    Returns:
        The rows of the map, which can be passed to `FrozenLakeEnv` as `desc`.

    Raises:
        ValueError: if `size` or `p` is out of range, so that no map has a path.

    >>> generate_random_map(4, seed=6)
    ['SFHF', 'FFFF', 'FFFH', 'FFFG']
    """
    if isinstance(size, bool) or not hasattr(size, "__index__") or size < 2:
        raise ValueError(f"Expected size to be an integer of at least 2, for a start and a goal, got {size!r}")
    if not p > 0:
        raise ValueError(f"Expected p, the probability of a frozen tile, to be greater than 0, got {p!r}")
    share = min(1, p)
    generator, _ = seeding.np_random(seed)
    board: Any = None
    while board is None or not is_valid(board, size):
        board = generator.choice(["F", "H"], (size, size), p=[share, 1 - share])
        board[0][0], board[-1][-1] = "S", "G"
    return ["".join(row) for row in board]
