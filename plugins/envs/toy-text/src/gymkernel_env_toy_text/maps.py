"""Fixed maps of frozen lakes, and a function that generates random maps."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gymkernel.utils import seeding

__all__ = ["MAPS", "generate_random_map", "is_valid"]

MAPS = {
    "4x4": ["SFFF", "FHFH", "FFFH", "HFFG"],
    "8x8": ["SFFFFFFF", "FFFFFFFF", "FFFHFFFF", "FFFFFHFF", "FFFHFFFF", "FHHFFFHF", "FHFFHFHF", "FFFHFFFG"],
}
"""The fixed maps, keyed by name. Each letter is a tile: S (start), F (frozen), H (hole) or G (goal)."""


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
