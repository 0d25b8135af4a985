"""CartPole, many environments at once, as NumPy arrays."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from gymkernel import logger
from gymkernel.error import InvalidAction, ResetNeeded, UnsupportedMode
from gymkernel.spaces import Discrete
from gymkernel.utils import seeding
from gymkernel.vector import AutoresetMode, VectorEnv
from gymkernel.vector.utils import batch_infos, batch_space, reset_mask, seeds
from gymkernel_env_classic_control.mechanics import START, Mechanics, checked_state, reset_bounds

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike

    from gymkernel_env_classic_control.cartpole_render import Renderer

__all__ = ["CartPoleVectorEnv"]

Mask = NDArray[np.bool_]
Step = tuple[NDArray[np.float32], NDArray[np.float32], Mask, Mask, dict[str, Any]]


class CartPoleVectorEnv(Mechanics, VectorEnv[NDArray[np.float32], NDArray[np.integer[Any]], NDArray[Any]]):
    """`CartPoleEnv`, `num_envs` of them in one set of arrays; every operation is on all of them at once.

    Seeding: with one seed, one generator draws the starts of all environments, in batches. With a sequence of seeds,
    each environment has a generator of its own, and its episodes are those of a `CartPoleEnv` with that seed. In such a
    sequence, None lets a generator run on.

    Rewards are float32; in the step of NEXT_STEP that begins an episode they are 0.

    Args:
        num_envs: number of environments.
        max_episode_steps: steps after which an episode is truncated; None or -1 for no limit.
        render_mode: "rgb_array" or None.
        sutton_barto_reward: 0 for every step and -1 for the one that ends an episode, in place of 1.
        autoreset_mode: when the next episode of an environment begins.

    Raises:
        ValueError: num_envs or max_episode_steps is not a positive integer.
        UnsupportedMode: another render mode.

    >>> import gymkernel as gym
    >>> envs = gym.make_vec("CartPole-v1", num_envs=3)
    >>> envs
    CartPoleVectorEnv(CartPole-v1, num_envs=3)
    >>> observations, infos = envs.reset(seed=[1, 2, 3])
    >>> single, info = gym.make("CartPole-v1").reset(seed=2)
    >>> bool((observations[1] == single).all())
    True
    >>> observations, rewards, terminations, truncations, infos = envs.step(np.array([1, 0, 1]))
    >>> rewards
    array([1., 1., 1.], dtype=float32)
    """

    metadata: dict[str, Any] = {  # noqa: RUF012 - as in VectorEnv
        "render_modes": ["rgb_array"],
        "render_fps": 50,
        "autoreset_mode": AutoresetMode.NEXT_STEP,
    }

    def __init__(
        self,
        num_envs: int = 1,
        max_episode_steps: int | None = 500,
        render_mode: str | None = None,
        sutton_barto_reward: bool = False,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
    ) -> None:
        Mechanics.__init__(self)
        if render_mode not in {None, "rgb_array"}:
            raise UnsupportedMode(f"Expected render_mode to be 'rgb_array' or None, got {render_mode!r}")
        self.num_envs = _positive("num_envs", num_envs)
        if max_episode_steps in {None, -1}:
            max_episode_steps = np.iinfo(np.int32).max
        self.max_episode_steps = _positive("max_episode_steps", max_episode_steps)
        self.autoreset_mode = AutoresetMode(autoreset_mode)
        self.metadata = {**self.metadata, "autoreset_mode": self.autoreset_mode}
        self.render_mode = render_mode
        self.low, self.high = -START, START
        self.single_action_space = Discrete(2)
        self.single_observation_space = self.observation_bounds()
        self.action_space = batch_space(self.single_action_space, num_envs)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.steps = np.zeros(num_envs, np.int32)
        self._sutton_barto_reward = sutton_barto_reward
        self._rewards = np.full(num_envs, 0.0 if sutton_barto_reward else 1.0, np.float32)
        self._state: NDArray[np.float64] | None = None
        self._unstarted: NDArray[np.intp] = np.arange(num_envs)
        self._done: NDArray[np.intp] = self._unstarted[:0]
        """Which environments wait for their next episode."""
        self._generators: list[np.random.Generator] | None = None
        self._renderer: Renderer | None = None

    @property
    def state(self) -> NDArray[np.float64] | None:
        """Rows x (m), x_dot (m/s), theta (rad), theta_dot (rad/s), a column for each environment; None before a reset.

        The next step starts from this array: writing into it moves carts and poles.
        """
        return self._state

    @state.setter
    def state(self, value: Any) -> None:
        self._state = checked_state(value, (4, self.num_envs))

    def reset(
        self, *, seed: int | Sequence[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[NDArray[np.float32], dict[str, Any]]:
        """Begin an episode in every environment, or in those of `options["reset_mask"]`.

        Args:
            seed: one integer for one generator; or one integer or None for each environment's own.
            options: "low" and "high", between which this and the automatic resets after it draw; "reset_mask".

        Raises:
            ValueError: bounds that are crossed or no finite numbers.
        """
        mask, options = reset_mask(options, self.num_envs)
        low, high = reset_bounds(options)
        if seed is None or not hasattr(seed, "__len__"):
            super().reset(seed=seed)
            self._generators = self._generators if seed is None else None
        else:
            self._seed_each(seeds(seed, self.num_envs), mask)
        self.low, self.high = low, high
        if mask is None or self._state is None:
            self._state = np.zeros((4, self.num_envs))
        begun = np.arange(self.num_envs) if mask is None else np.flatnonzero(mask)
        self._begin(self._state, begun)
        self._unstarted = np.setdiff1d(self._unstarted, begun)
        self._done = np.setdiff1d(self._done, begun)
        return self._state.T.astype(np.float32), {}

    def _seed_each(self, given: list[int | None], mask: Mask | None) -> None:
        """Give environments generators of their own, by their seeds; those outside of the mask keep theirs."""
        old = self._generators or [self.np_random.spawn(1)[0] for _ in given]
        meant = [True] * self.num_envs if mask is None else mask.tolist()
        self._generators = [
            seeding.np_random(one)[0] if one is not None and here else generator
            for one, here, generator in zip(given, meant, old, strict=True)
        ]

    def _begin(self, state: NDArray[np.float64], begun: NDArray[np.intp]) -> None:
        """Draw the starts of episodes, and count their steps from 0."""
        if self._generators is None:
            state[:, begun] = self.np_random.uniform(self.low, self.high, (4, begun.size))
        else:
            for i in begun.tolist():
                state[:, i] = self._generators[i].uniform(self.low, self.high, 4)
        self.steps[begun] = 0

    def step(self, actions: ArrayLike) -> Step:
        """Push every cart for 0.02 s.

        Args:
            actions: `num_envs` integers: 0 to the left, 1 to the right.

        Raises:
            InvalidAction: anything else.
            ResetNeeded: before the first reset; with DISABLED, when an environment is done and was not reset.
        """
        force = self._forces(actions)
        state, begun = self._state, self._done
        if state is None or self._unstarted.size or (begun.size and self.autoreset_mode is AutoresetMode.DISABLED):
            raise self._reset_needed()
        self._state = state = self._moved(state, force)
        terminated = (np.abs(state[0]) > self.x_threshold) | (np.abs(state[2]) > self.theta_threshold_radians)
        self.steps += 1
        truncated = self.steps >= self.max_episode_steps
        rewards = self._rewards.copy()
        if self._sutton_barto_reward:
            rewards -= terminated
        if begun.size:
            self._begin(state, begun)
            rewards[begun], terminated[begun], truncated[begun] = 0.0, False, False
        (self._done,) = (terminated | truncated).nonzero()
        observations = state.T.astype(np.float32)
        infos: dict[str, Any] = {}
        if self._done.size and self.autoreset_mode is AutoresetMode.SAME_STEP:
            infos = self._begin_at_once(state, observations)
        return observations, rewards, terminated, truncated, infos

    def _begin_at_once(self, state: NDArray[np.float64], observations: NDArray[np.float32]) -> dict[str, Any]:
        """Under SAME_STEP, put the next episode's first observation in the place of the last, which the infos keep."""
        done, self._done = self._done, self._done[:0]
        final = [(i, {"final_obs": observations[i].copy(), "final_info": {}}) for i in done.tolist()]
        self._begin(state, done)
        observations[done] = state.T[done]
        return batch_infos(final, self.num_envs)

    def _forces(self, actions: ArrayLike) -> NDArray[np.float64]:
        """The push on each cart in N."""
        chosen = np.asarray(actions)
        if (
            chosen.shape != (self.num_envs,)
            or chosen.dtype.kind not in "iub"
            or np.bitwise_or.reduce(chosen) not in (0, 1)  # a negative or a larger integer has other bits
        ):
            raise InvalidAction(f"Expected {self.num_envs} actions that are 0 or 1, got {actions!r}")
        return np.array((-self.force_mag, self.force_mag))[chosen.astype(np.intp, copy=False)]

    def _moved(self, state: NDArray[np.float64], force: NDArray[np.float64]) -> NDArray[np.float64]:
        """The state 0.02 s later; the operations and their order are those of `CartPoleEnv`."""
        x, x_dot, theta, theta_dot = state
        sine, cosine = np.sin(theta), np.cos(theta)
        total, moment = self.total_mass, self.polemass_length
        push = moment * (theta_dot * theta_dot)
        push *= sine
        push += force
        push /= total
        theta_acc = self.gravity * sine
        theta_acc -= cosine * push
        inertia = self.masspole * (cosine * cosine)
        inertia /= total
        inertia = 4.0 / 3.0 - inertia
        inertia *= self.length
        theta_acc /= inertia
        x_acc = moment * theta_acc
        x_acc *= cosine
        x_acc /= total
        x_acc = push - x_acc
        moved = np.empty_like(state)
        if self.kinematics_integrator == "euler":
            moved[0], moved[1], moved[2], moved[3] = x_dot, x_acc, theta_dot, theta_acc
            moved *= self.tau
            moved += state
        else:
            moved[1] = x_dot + self.tau * x_acc
            moved[0] = x + self.tau * moved[1]
            moved[3] = theta_dot + self.tau * theta_acc
            moved[2] = theta + self.tau * moved[3]
        return moved

    def _reset_needed(self) -> ResetNeeded:
        if self._unstarted.size:
            return ResetNeeded(f"Expected reset before step; environments {self._unstarted.tolist()} were never reset")
        return ResetNeeded(
            f"Environments {self._done.tolist()} are done, and autoreset_mode is DISABLED: call "
            'reset(options={"reset_mask": terminations | truncations}) before the next step'
        )

    def render(self) -> tuple[NDArray[np.uint8], ...] | None:
        """Draw every environment: uint8 pictures of (400, 600, 3).

        Raises:
            DependencyNotInstalled: without pygame-ce.
        """
        if self.render_mode is None:
            logger.warn('render does nothing without a render_mode; pass render_mode="rgb_array" to make_vec')
            return None
        if self._state is None:
            raise ResetNeeded("render was called before reset; there is no state to draw yet")
        if self._renderer is None:
            from gymkernel_env_classic_control.cartpole_render import Renderer

            self._renderer = Renderer(self.screen_width, self.screen_height)
        return tuple([self._renderer.picture(self, x, theta) for x, _, theta, _ in self._state.T.tolist()])

    def close_extras(self, **kwargs: Any) -> None:
        """Give back what drawing took."""
        if self._renderer is not None:
            self._renderer.close()
            self._renderer = None


def _positive(name: str, value: Any) -> int:
    if isinstance(value, bool) or not hasattr(value, "__index__") or value < 1:
        raise ValueError(f"Expected {name} to be an integer of at least 1, got {value!r}")
    return int(value)
