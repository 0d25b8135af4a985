"""The rules of Taxi, as tables of outcomes, initial states and action masks."""

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
"""The (row, column) of the red, green, yellow and blue depots."""
SIZE, STATES, IN_TAXI = 5, 500, 4
MOVES = ((1, 0), (-1, 0), (0, 1), (0, -1))
SIDES = ((2, 3), (3, 2), (1, 0), (0, 1))
"""For each of the directions south, north, east and west, the directions to the left and right of it."""


def encode(taxi_row: int, taxi_col: int, pass_loc: int, dest_idx: int) -> int:
    """Encode a state as a number.

    Args:
        taxi_row: the row of the taxi, from 0 at the upper edge of the map to 4.
        taxi_col: the column of the taxi, from 0 at the left edge to 4.
        pass_loc: the depot at which the passenger waits, from 0 to 3, or 4 if the passenger is in the taxi.
        dest_idx: the depot that is the destination, from 0 to 3.

    Returns:
        A number from 0 to 499.

    >>> encode(3, 1, 2, 0)
    328
    """
    return ((taxi_row * SIZE + taxi_col) * 5 + pass_loc) * 4 + dest_idx


def decode(state: int) -> tuple[int, int, int, int]:
    """Decode a number into the row and the column of the taxi, the passenger's position and the destination.

    Args:
        state: a number from 0 to 499, such as an observation.

    Raises:
        ValueError: if `state` is not an integer from 0 to 499.

    >>> decode(328)
    (3, 1, 2, 0)
    """
    rest, destination = divmod(int(state), 4)
    rest, passenger = divmod(rest, 5)
    row, column = divmod(rest, SIZE)
    if not 0 <= row < SIZE:
        raise ValueError(f"Expected a state from 0 to {STATES - 1}, got {state!r}")
    return row, column, passenger, destination


def _move(row: int, column: int, direction: int) -> tuple[int, int]:
    """Return the position of the taxi after a move. A move into a wall leaves the taxi in place."""
    if direction == 2 and MAP[1 + row][2 * column + 2] != ":":
        return row, column
    if direction == 3 and MAP[1 + row][2 * column] != ":":
        return row, column
    down, right = MOVES[direction]
    return min(max(row + down, 0), SIZE - 1), column + right


def _serve(state: int, action: int) -> tuple[float, int, float, bool]:
    """Return the outcome of picking up (action 4) or dropping off (action 5) the passenger."""
    row, column, passenger, destination = decode(state)
    depot = DEPOTS.index((row, column)) if (row, column) in DEPOTS else None
    if action == 4 and depot is not None and passenger == depot:
        return 1.0, encode(row, column, IN_TAXI, destination), -1, False
    if action == 5 and depot is not None and passenger == IN_TAXI:
        arrived = depot == destination
        return 1.0, encode(row, column, depot, destination), 20 if arrived else -1, arrived
    return 1.0, state, -10, False


def _outcomes(state: int, action: int, straight: float | None) -> Outcomes:
    if action >= 4:
        return [_serve(state, action)]
    row, column, *rest = decode(state)
    ahead = _move(row, column, action)
    if straight is None:
        return [(1.0, encode(*ahead, *rest), -1, False)]
    places = [ahead, *(_move(row, column, side) for side in SIDES[action])]
    if ahead == (row, column):  # if a wall blocks the intended direction, the taxi does not move to the side either
        places = [ahead] * 3
    aside = (1.0 - straight) / 2.0
    return [
        (prob, encode(*place, *rest), -1, False) for prob, place in zip((straight, aside, aside), places, strict=True)
    ]


@cache
def _transitions(straight: float | None) -> Transitions:
    return {state: {action: _outcomes(state, action, straight) for action in range(6)} for state in range(STATES)}


def transitions(straight: float | None) -> Transitions:
    """Return a new table of transitions, in the format of `TabularEnv.P`.

    Args:
        straight: the probability that the taxi moves in the intended direction in the rain, or None if it does not
            rain.
    """
    return {
        state: {action: list(outcomes) for action, outcomes in row.items()}
        for state, row in _transitions(straight).items()
    }


def first_states() -> NDArray[np.float64]:
    """Return the probability of each state as the initial state, in which the passenger waits at a wrong depot."""
    state = np.arange(STATES)
    passenger, destination = state // 4 % 5, state % 4
    first: NDArray[np.float64] = ((passenger < IN_TAXI) & (passenger != destination)).astype(np.float64)
    first /= first.sum()
    return first


@cache
def masks() -> NDArray[np.int8]:
    """Return a read-only array of shape (500, 6) with 1 for each action that changes a state, and 0 elsewhere."""
    table = np.zeros((STATES, 6), np.int8)
    for state in range(STATES):
        for action in range(6):
            table[state, action] = _transitions(None)[state][action][0][1] != state
    table.flags.writeable = False
    return table
