"""The single-environment version of MountainCarContinuous, which emulates float32 arithmetic with Python floats."""

from __future__ import annotations

import struct
from array import array
from collections.abc import Callable
from math import cos, inf
from typing import Any

import numpy as np
from numpy import empty, ndarray
from numpy.typing import NDArray

from gymkernel_env_classic_control.actions import single_number
from gymkernel_env_classic_control.single import FLOAT32, ClassicEnv, StepResult
from gymkernel_env_classic_control.valley import GRAVITY, Engine, move_car

__all__ = ["Continuous_MountainCarEnv"]

NEAR = 1e-3
"""The distance from a limit within which a float32 result and a float64 result may lie on different sides of the
limit."""
write_floats: Callable[..., None] = struct.Struct("2f").pack_into


class Continuous_MountainCarEnv(Engine, ClassicEnv[NDArray[np.float32]]):  # noqa: N801 - Gymnasium uses this name
    """An environment in which a car with a weak engine must drive out of a valley with as little fuel as possible.

    The valley is the same as in `MountainCarEnv` (Moore, "Efficient memory-based learning for robot control", PhD
    thesis, University of Cambridge, 1990), but the force u is continuous. In units of the valley, a step computes:

        v ← v + 0.0015 u - 0.0025 cos(3x), within ±0.07
        x ← x + v, within -1.2 and 0.6

    The left end is a wall that stops the car.

    Action, `Box(-1, 1, (1,))` of float32: the force u, which is clipped to the bounds.

    Observation, `Box` of 2 float32. The attribute `state` contains the same quantities, as float64 after a reset and as
    float32 after a step.

    | part | quantity | unit | bounds |
    |---|---|---|---|
    | 0 | position x | unit of the valley | -1.2 to 0.6 |
    | 1 | velocity | unit per step | ±0.07 |

    Reward: -0.1 u² for every step, where u is not clipped, plus 100 for the step that reaches the goal.

    Termination: the car is at 0.45 or beyond, with at least `goal_velocity`. `TimeLimit`, which `make` adds, truncates
    episodes after 999 steps.

    Reset: the car stands still at a position that is sampled uniformly between -0.6 and -0.4, or between
    `options["low"]` and `options["high"]`.

    Args:
        render_mode: "rgb_array", "human" (a window) or None.
        goal_velocity: the minimum velocity that the car must have at the goal.

    Raises:
        UnsupportedMode: if the render mode is not supported.

    >>> import gymkernel as gym
    >>> env = gym.make("MountainCarContinuous-v0")
    >>> observation, info = env.reset(seed=123, options={"low": -0.7, "high": -0.5})
    >>> observation
    array([-0.5635296,  0.       ], dtype=float32)
    >>> observation, reward, terminated, truncated, info = env.step(np.array([0.5], np.float32))
    >>> reward, terminated
    (-0.025, False)
    """

    metadata: dict[str, Any] = {"render_modes": ["human", "rgb_array"], "render_fps": 30}  # noqa: RUF012 - Env declares it without ClassVar

    def __init__(self, render_mode: str | None = None, goal_velocity: float = 0) -> None:
        Engine.__init__(self, goal_velocity)
        self._initialize(render_mode)
        self._cell = array("f", [0.0])
        self.action_space = self.forces()
        self.observation_space = self.observation_bounds()
        bounds = self.observation_space
        self.low_state, self.high_state = bounds.low.copy(), bounds.high.copy()

    def _set_state(self, value: Any) -> None:
        super()._set_state(value)
        self._narrow = getattr(value, "dtype", None) == FLOAT32
        if self._narrow and self._array is not None:
            self._array = self._array.astype(FLOAT32)

    def step(self, action: NDArray[np.float32]) -> StepResult:
        """Apply the force for one step, and raise the same exceptions as the base class."""
        try:
            place, velocity = self._state
        except TypeError:
            place, velocity = self._numbers()
        float32 = type(action) is ndarray and action.dtype is FLOAT32 and action.shape == (1,)
        force = action.item() if float32 else inf
        if self._narrow and self.min_action <= force <= self.max_action:
            position, velocity, terminated = self._move_float32(place, velocity, force)
        else:
            given = single_number(action, "a force")
            force = float(given)
            kind = np.float32 if self._narrow else np.float64
            number: Any = given if isinstance(action, ndarray) and action.dtype.kind != "O" else force
            position, velocity, terminated = self.move(kind(place), kind(velocity), number)
            self._narrow = True
        observation = empty(2, FLOAT32)
        write_floats(observation, 0, position, velocity)
        self._state = tuple(observation.tolist())
        reward = (100.0 if terminated else 0.0) - force**2 * 0.1
        if self._shown:
            self.render()
        return observation, reward, terminated, False, {}

    def _move_float32(self, position: float, velocity: float, force: float) -> tuple[Any, Any, bool]:
        """Compute the result of `move` for a float32 state and force. Every operation is rounded to float32.

        `accelerate` cannot be used, because it does not round after each operation. NumPy scalars would round, but take
        three times as long.
        """
        cell = self._cell
        cell[0] = self.power
        cell[0] *= force
        change = cell[0]
        cell[0] = 3 * position
        cell[0] = GRAVITY * cos(cell[0])
        cell[0] = change - cell[0]
        cell[0] += velocity
        velocity = cell[0]
        limit = self.max_speed
        if not -limit < velocity < limit:
            cell[0] = limit if velocity > 0 else -limit
            velocity = cell[0]
        cell[0] += position
        if self.min_position + NEAR < cell[0] < self.goal_position - NEAR and cell[0] < self.max_position - NEAR:
            return cell[0], velocity, False
        edges = self.max_speed, self.min_position, self.max_position
        position, velocity = move_car(np.float32(position), np.float32(velocity), *edges)
        return position, velocity, bool(position >= self.goal_position and velocity >= self.goal_velocity)

    def _start(self, low: Any, high: Any) -> NDArray[np.float32]:
        self._state, self._narrow = (self.np_random.uniform(low, high), 0.0), False
        return np.array(self._state, FLOAT32)
