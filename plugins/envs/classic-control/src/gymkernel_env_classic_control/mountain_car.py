"""The single-environment version of MountainCar."""

from __future__ import annotations

import struct
from collections.abc import Callable
from math import cos
from operator import index
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy import empty

from gymkernel_env_classic_control.actions import LEFT, RIGHT, invalid_choice
from gymkernel_env_classic_control.single import FLOAT32, ClassicEnv, StepResult
from gymkernel_env_classic_control.valley import Valley, accelerate, move_car
from gymkernel_space_discrete import Discrete

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["MountainCarEnv"]

write_floats: Callable[..., None] = struct.Struct("2f").pack_into


class MountainCarEnv(Valley, ClassicEnv["int | np.integer[Any]"]):
    """An environment in which a car with a weak engine must rock back and forth to gain speed and leave a valley.

    A car stands in a valley whose floor has the height sin(3x). The goal is a flag on the right hill. (Moore,
    "Efficient memory-based learning for robot control", PhD thesis, University of Cambridge, 1990; this version:
    Sutton, "Generalization in reinforcement learning: successful examples using sparse coarse coding", NIPS 8, 1996.)

    With the action a, the engine's force f = 0.001 and gravity g = 0.0025, all in units of the valley, a step computes:

        v ← v + (a - 1) f - g cos(3x), within ±0.07
        x ← x + v, within -1.2 and 0.6

    The left end is a wall that stops the car.

    Action, `Discrete(3)`: 0 accelerates to the left, 1 does not accelerate, 2 accelerates to the right.

    Observation, `Box` of 2 float32. The attribute `state` contains the unrounded float64 values.

    | part | quantity | unit | bounds |
    |---|---|---|---|
    | 0 | position x | unit of the valley | -1.2 to 0.6 |
    | 1 | velocity | unit per step | ±0.07 |

    Reward: -1 for every step.

    Termination: the car is at 0.5 or beyond, with at least `goal_velocity`. `TimeLimit`, which `make` adds, truncates
    episodes after 200 steps.

    Reset: the car stands still at a position that is sampled uniformly between -0.6 and -0.4, or between
    `options["low"]` and `options["high"]`.

    Args:
        render_mode: "rgb_array", "human" (a window) or None.
        goal_velocity: the minimum velocity that the car must have at the goal.

    Raises:
        UnsupportedMode: if the render mode is not supported.

    >>> import gymkernel as gym
    >>> env = gym.make("MountainCar-v0")
    >>> observation, info = env.reset(seed=123, options={"low": -0.7, "high": -0.5})
    >>> observation
    array([-0.5635296,  0.       ], dtype=float32)
    >>> observation, reward, terminated, truncated, info = env.step(2)
    >>> reward, terminated
    (-1.0, False)
    """

    metadata: dict[str, Any] = {"render_modes": ["human", "rgb_array"], "render_fps": 30}  # noqa: RUF012 - Env declares it without ClassVar

    def __init__(self, render_mode: str | None = None, goal_velocity: float = 0) -> None:
        Valley.__init__(self, goal_position=0.5, goal_velocity=goal_velocity)
        self._initialize(render_mode)
        self.action_space = Discrete(3)
        self.observation_space = self.observation_bounds()
        self.low, self.high = self.observation_space.low.copy(), self.observation_space.high.copy()

    def step(self, action: int | np.integer[Any]) -> StepResult:
        """Accelerate for one step, and raise the same exceptions as the base class."""
        try:
            pedal = index(action) - 1
        except TypeError:
            pedal = 9
        if not -1 <= pedal <= 1:
            raise invalid_choice(action, 3)
        try:
            position, velocity = self._state
        except TypeError:
            position, velocity = self._numbers()
        velocity = accelerate(velocity, pedal * self.force, self.gravity * cos(3 * position))
        limit, left, right = self.max_speed, self.min_position, self.max_position
        if -limit <= velocity <= limit and left < position + velocity <= right:
            position += velocity
        else:
            position, velocity = move_car(position, velocity, limit, left, right)
        self._state = (position, velocity)
        observation = empty(2, FLOAT32)
        write_floats(observation, 0, position, velocity)
        terminated = True if position >= self.goal_position and velocity >= self.goal_velocity else False  # noqa: SIM210 - this is three times as fast as bool()
        if self._shown:
            self.render()
        return observation, -1.0, terminated, False, {}

    def _start(self, low: Any, high: Any) -> NDArray[np.float32]:
        self._state = (self.np_random.uniform(low, high), 0.0)
        return np.array(self._state, FLOAT32)

    def get_keys_to_action(self) -> dict[tuple[int, ...], int]:
        """Return the action for each combination of arrow keys in `play`. If no key is pressed, the engine is off."""
        return {(): 1, (LEFT,): 0, (RIGHT,): 2, (RIGHT, LEFT): 1}

    def get_action_meanings(self) -> list[str]:
        """Return a description of each action."""
        return ["accelerate to the left", "do not accelerate", "accelerate to the right"]
