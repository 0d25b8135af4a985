"""The single-environment version of CartPole, which uses Python floats (six times as fast as NumPy scalars)."""

from __future__ import annotations

import struct
from collections.abc import Callable
from math import cos, sin
from operator import index
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy import empty

from gymkernel import logger
from gymkernel_env_classic_control.actions import LEFT, RIGHT, invalid_choice
from gymkernel_env_classic_control.cartpole_mechanics import Mechanics, accelerations
from gymkernel_env_classic_control.single import FLOAT32, ClassicEnv, StepResult
from gymkernel_space_discrete import Discrete

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from gymkernel_env_classic_control.cartpole_vector import CartPoleVectorEnv
else:

    def __getattr__(name: str) -> Any:
        if name != "CartPoleVectorEnv":
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        from gymkernel_env_classic_control.cartpole_vector import CartPoleVectorEnv

        return CartPoleVectorEnv


__all__ = ["CartPoleEnv", "CartPoleVectorEnv"]

write_floats: Callable[..., None] = struct.Struct(
    "4f"
).pack_into  # this takes a third less time than np.array((x, ...), np.float32)


class CartPoleEnv(Mechanics, ClassicEnv["int | np.integer[Any]"]):
    """An environment in which an agent pushes a cart to the left and right to keep a pole on the cart upright.

    A pole is attached to a cart by a hinge without a motor, and the cart moves along a track without friction. Every
    0.02 s, the agent pushes the cart to the left or to the right with 10 N. (Barto, Sutton and Anderson, "Neuronlike
    adaptive elements that can solve difficult learning control problems", IEEE Transactions on Systems, Man, and
    Cybernetics 13, 1983.)

    Let F be the push, M the mass of the cart, m the mass of the pole, l half the length of the pole, and θ the angle of
    the pole from upright. The equations

        θ'' = (g sin θ - cos θ (F + m l θ'² sin θ) / (M + m)) / (l (4/3 - m cos² θ / (M + m)))
        x'' = (F + m l (θ'² sin θ - θ'' cos θ)) / (M + m)

    are integrated with the explicit Euler method, or with the semi-implicit Euler method if `kinematics_integrator` is
    "semi-implicit".

    Action, `Discrete(2)`: 0 pushes to the left, 1 to the right.

    Observation, `Box` of 4 float32. The attribute `state` contains the unrounded float64 values.

    | part | quantity | unit | an episode ends beyond | bound of the space |
    |---|---|---|---|---|
    | 0 | position x of the cart | m | ±2.4 | ±4.8 |
    | 1 | velocity of the cart | m/s | | none |
    | 2 | angle θ of the pole, clockwise from upright | rad | ±0.2095 (12°) | ±0.4189 (24°) |
    | 3 | angular velocity of the pole | rad/s | | none |

    Reward: 1 for every step, including the last step. With `sutton_barto_reward`, the reward is -1 for the step that
    ends the episode, and otherwise 0. A step after the end of an episode has the reward 0 (or -1), and the first such
    step logs a warning.

    Reset: the four components of the state are sampled uniformly between -0.05 and 0.05, or between `options["low"]`
    and `options["high"]`.

    `TimeLimit`, which `make` adds, truncates episodes after 200 steps in CartPole-v0 and 500 steps in CartPole-v1.

    Args:
        sutton_barto_reward: whether to use the reward from the paper.
        render_mode: "rgb_array", "human" (a window) or None.

    Raises:
        UnsupportedMode: if the render mode is not supported.

    >>> import gymkernel as gym
    >>> env = gym.make("CartPole-v1")
    >>> observation, info = env.reset(seed=123, options={"low": -0.1, "high": 0.1})
    >>> observation
    array([ 0.03647037, -0.0892358 , -0.05592803, -0.06312564], dtype=float32)
    >>> observation, reward, terminated, truncated, info = env.step(1)
    >>> reward, terminated
    (1.0, False)
    """

    metadata: dict[str, Any] = {"render_modes": ["human", "rgb_array"], "render_fps": 50}  # noqa: RUF012 - Env declares it without ClassVar

    def __init__(self, sutton_barto_reward: bool = False, render_mode: str | None = None) -> None:
        Mechanics.__init__(self)
        self._initialize(render_mode)
        self.action_space = Discrete(2)
        self.observation_space = self.observation_bounds()
        self.steps_beyond_terminated: int | None = None
        self._sutton_barto_reward = sutton_barto_reward
        self._step_reward = 0.0 if sutton_barto_reward else 1.0

    def step(self, action: int | np.integer[Any]) -> StepResult:
        """Push the cart for 0.02 s, and raise the same exceptions as the base class."""
        try:
            pushed = index(action)
        except TypeError:
            pushed = -1
        if pushed == 1:
            force = self.force_mag
        elif pushed == 0:
            force = -self.force_mag
        else:
            raise invalid_choice(action, 2)
        try:
            x, x_dot, theta, theta_dot = self._state
        except TypeError:
            x, x_dot, theta, theta_dot = self._numbers()
        x_acc, theta_acc = accelerations(self, force, sin(theta), cos(theta), theta_dot)
        tau = self.tau
        if self.kinematics_integrator == "euler":
            x += tau * x_dot
            x_dot += tau * x_acc
            theta += tau * theta_dot
            theta_dot += tau * theta_acc
        else:
            x_dot += tau * x_acc
            x += tau * x_dot
            theta_dot += tau * theta_acc
            theta += tau * theta_dot
        self._state = (x, x_dot, theta, theta_dot)
        observation = empty(4, FLOAT32)
        write_floats(observation, 0, x, x_dot, theta, theta_dot)
        limit, tilt = self.x_threshold, self.theta_threshold_radians
        if -limit <= x <= limit and -tilt <= theta <= tilt:
            terminated, reward = False, self._step_reward
        else:
            terminated, reward = True, self._last_reward()
        if self._shown:
            self.render()
        return observation, reward, terminated, False, {}

    def _last_reward(self) -> float:
        """Return the reward of a step that ends an episode or that is performed after its end."""
        beyond = self.steps_beyond_terminated
        self.steps_beyond_terminated = 0 if beyond is None else beyond + 1
        if beyond == 0:
            logger.warn(
                "the episode has terminated, so results of further steps are meaningless; call reset", stacklevel=3
            )
        if self._sutton_barto_reward:
            return -1.0
        return 1.0 if beyond is None else 0.0

    def _start(self, low: Any, high: Any) -> NDArray[np.float32]:
        state = self.np_random.uniform(low, high, 4)
        self._state, self.steps_beyond_terminated = tuple(state.tolist()), None
        return state.astype(np.float32)

    def get_keys_to_action(self) -> dict[tuple[int, ...], int]:
        """Return the action for each arrow key in `play`."""
        return {(LEFT,): 0, (RIGHT,): 1}

    def get_action_meanings(self) -> list[str]:
        """Return a description of each action."""
        return ["push left", "push right"]
