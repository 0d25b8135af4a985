"""The rules of Taxi as tables: what may happen, where episodes begin, and which actions do anything."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from gymkernel_env_toy_text.tabular import Outcomes, Transitions

__all__ = ["DEPOTS", "MAP", "decode", "encode", "first_states", "masks", "transitions"]

MAP = (
    "+---------+",
    "|R: | : :G|",
    "| : | : : |",
    "| : : : : |",
    "| | : | : |",
    "|Y| : |B: |",
    "+---------+",
)
DEPOTS = ((0, 0), (0, 4), (4, 0), (4, 3))
"""(row, column) of the red, the green, the yellow and the blue one."""
SIZE, STATES, IN_TAXI = 5, 500, 4
MOVES = ((1, 0), (-1, 0), (0, 1), (0, -1))
SIDES = ((2, 3), (3, 2), (1, 0), (0, 1))
"""Left and right of south, north, east, west."""


def encode(taxi_row: int, taxi_col: int, pass_loc: int, dest_idx: int) -> int:
    """The number of a state.

    Args:
        taxi_row: from 0, the upper edge of the map, to 4.
        taxi_col: from 0, the left edge, to 4.
        pass_loc: the depot where the passenger waits, 0 to 3, or 4 in the taxi.
        dest_idx: the depot that is the destination, 0 to 3.

    Returns:
        From 0 to 499.

    >>> encode(3, 1, 2, 0)
    328
    """
    return ((taxi_row * SIZE + taxi_col) * 5 + pass_loc) * 4 + dest_idx


def decode(state: int) -> tuple[int, int, int, int]:
    """Row and column of the taxi, where the passenger is (4: in the taxi), and which depot is the destination.

    Args:
        state: a number from 0 to 499, such as an observation.

    Raises:
        ValueError: there is no such state.

    >>> decode(328)
    (3, 1, 2, 0)
    """
    rest, destination = divmod(int(state), 4)
    rest, passenger = divmod(rest, 5)
    row, column = divmod(rest, SIZE)
    if not 0 <= row < SIZE:
        raise ValueError(f"Expected a state from 0 to {STATES - 1}, got {state!r}")
    return row, column, passenger, destination


def _moved(row: int, column: int, direction: int) -> tuple[int, int]:
    """Where a move leads; into a wall it leads nowhere."""
    if direction == 2 and MAP[1 + row][2 * column + 2] != ":":
        return row, column
    if direction == 3 and MAP[1 + row][2 * column] != ":":
        return row, column
    down, right = MOVES[direction]
    return min(max(row + down, 0), SIZE - 1), column + right


def _served(state: int, action: int) -> tuple[float, int, float, bool]:
    """What comes of picking up (4) or dropping off (5)."""
    row, column, passenger, destination = decode(state)
    here = DEPOTS.index((row, column)) if (row, column) in DEPOTS else None
    if action == 4 and here is not None and passenger == here:
        return 1.0, encode(row, column, IN_TAXI, destination), -1, False
    if action == 5 and here is not None and passenger == IN_TAXI:
        there = here == destination
        return 1.0, encode(row, column, here, destination), 20 if there else -1, there
    return 1.0, state, -10, False


def _outcomes(state: int, action: int, straight: float | None) -> Outcomes:
    if action >= 4:
        return [_served(state, action)]
    row, column, *rest = decode(state)
    ahead = _moved(row, column, action)
    if straight is None:
        return [(1.0, encode(*ahead, *rest), -1, False)]
    places = [ahead, *(_moved(row, column, side) for side in SIDES[action])]
    if ahead == (row, column):  # a taxi that stands before a wall does not slide along it
        places = [ahead] * 3
    astray = (1.0 - straight) / 2.0
    return [
        (prob, encode(*place, *rest), -1, False) for prob, place in zip((straight, astray, astray), places, strict=True)
    ]


@cache
def _transitions(straight: float | None) -> Transitions:
    return {state: {action: _outcomes(state, action, straight) for action in range(6)} for state in range(STATES)}


def transitions(straight: float | None) -> Transitions:
    """The table, a copy of one's own.

    Args:
        straight: probability that a move in the rain goes where it should; None where it is dry.
    """
    return {
        state: {action: list(outcomes) for action, outcomes in row.items()}
        for state, row in _transitions(straight).items()
    }


def first_states() -> NDArray[np.float64]:
    """The distribution of first states: the taxi is anywhere, the passenger at a depot that is not the destination."""
    state = np.arange(STATES)
    passenger, destination = state // 4 % 5, state % 4
    first: NDArray[np.float64] = ((passenger < IN_TAXI) & (passenger != destination)).astype(np.float64)
    first /= first.sum()
    return first


@cache
def masks() -> NDArray[np.int8]:
    """For every state (500 rows) a 1 for each of the 6 actions that changes it; not to be written."""
    table = np.zeros((STATES, 6), np.int8)
    for state in range(STATES):
        for action in range(6):
            table[state, action] = _transitions(None)[state][action][0][1] != state
    table.flags.writeable = False
    return table
