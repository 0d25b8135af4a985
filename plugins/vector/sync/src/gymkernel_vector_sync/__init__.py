"""`SyncVectorEnv`: step several environments one after another in this process."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any

import numpy as np

from gymkernel.error import ClosedEnvironmentError, ResetNeeded
from gymkernel.protocols import ActType, ArrayType, Info, ObsType
from gymkernel.vector import AutoresetMode, VectorEnv
from gymkernel.vector.utils import Buffer, batch_infos, batch_space, iterate, reset_mask, seeds
from gymkernel.wrappers.utils import create_zero_array
from gymkernel_vector_sync.spaces import observation_spaces

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from gymkernel import Env, Space

__all__ = ["SyncVectorEnv"]


class SyncVectorEnv(VectorEnv[ObsType, ActType, ArrayType]):
    """Several environments, stepped one after another: the fastest way for environments of a few microseconds a step.

    Args:
        env_fns: functions that make one environment each.
        copy: whether observations are arrays of their own; False hands out the arrays that the next call overwrites.
        observation_mode: "same" where all observation spaces are equal, "different" where they differ in their bounds
            alone, or a tuple (batched space, single space).
        autoreset_mode: when an environment that is done begins its next episode.

    Raises:
        RuntimeError: spaces of the environments do not go together.
        ValueError: no environment, or an unknown mode.

    >>> from gymkernel import Env
    >>> from gymkernel.spaces import Box, Discrete
    >>> class Walk(Env):
    ...     observation_space, action_space = Box(-9, 9, dtype=np.int64), Discrete(3, start=-1)
    ...
    ...     def reset(self, *, seed=None, options=None):
    ...         self.place = np.zeros(1, np.int64)
    ...         return self.place.copy(), {}
    ...
    ...     def step(self, action):
    ...         self.place += action
    ...         return self.place.copy(), float(action), bool(abs(self.place) == 9), False, {}
    >>> envs = SyncVectorEnv([Walk, Walk, Walk])
    >>> observations, infos = envs.reset(seed=1)
    >>> observations, rewards, terminations, truncations, infos = envs.step(np.array([1, 0, -1]))
    >>> observations.T, rewards
    (array([[ 1,  0, -1]]), array([ 1.,  0., -1.]))
    """

    def __init__(
        self,
        env_fns: Sequence[Callable[[], Env[Any, Any]]],
        copy: bool = True,
        observation_mode: str | tuple[Space[Any], Space[Any]] = "same",
        autoreset_mode: str | AutoresetMode = AutoresetMode.NEXT_STEP,
    ) -> None:
        self.env_fns = env_fns
        self.copy = copy
        self.observation_mode = observation_mode
        self.autoreset_mode = AutoresetMode(autoreset_mode)
        self.envs = [make() for make in env_fns]
        if not self.envs:
            message = "SyncVectorEnv expects at least one function that makes an environment, got none"
            raise ValueError(message)
        self.num_envs = len(self.envs)
        self.metadata = {**self.envs[0].metadata, "autoreset_mode": self.autoreset_mode}
        self.render_mode = self.envs[0].render_mode
        self.observation_space, self.single_observation_space = observation_spaces(self.envs, observation_mode)
        self.single_action_space = self.envs[0].action_space
        for i, env in enumerate(self.envs):
            if env.action_space != self.single_action_space:
                message = (
                    f"SyncVectorEnv expects one action space, got {self.single_action_space} from environment 0 and "
                    f"{env.action_space} from environment {i}"
                )
                raise RuntimeError(message)
        self.action_space = batch_space(self.single_action_space, self.num_envs)
        self._buffer = Buffer(self.single_observation_space, self.num_envs)
        self._iterate = iterate.dispatch(type(self.action_space))
        self._done: list[bool] = [False] * self.num_envs
        self._any_done = False
        self._waiting = True
        """Whether some environment was never reset."""
        self._observations: list[Any] = [None] * self.num_envs

    @property
    def np_random(self) -> tuple[np.random.Generator, ...]:  # type: ignore[override]
        """The generator of each environment."""
        return self.get_attr("np_random")

    @property
    def np_random_seed(self) -> tuple[int, ...]:  # type: ignore[override]
        """The seed of each environment."""
        return self.get_attr("np_random_seed")

    def reset(
        self, *, seed: int | Sequence[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[ObsType, Info]:
        """Begin an episode in every environment, or in those of `options["reset_mask"]`.

        Args:
            seed: an integer for seed, seed + 1, ...; or one integer or None for each environment.
            options: for every environment, without the "reset_mask".
        """
        self._assert_open()
        seed_of = seeds(seed, self.num_envs)
        mask, options = reset_mask(options, self.num_envs)
        infos = []
        for i in range(self.num_envs) if mask is None else np.flatnonzero(mask).tolist():
            observation, info = self.envs[i].reset(seed=seed_of[i], options=options)
            self._observations[i], self._done[i] = observation, False
            infos.append((i, info))
        self._any_done = any(self._done)
        self._waiting = any(one is None for one in self._observations)
        shown = [self._blank() if one is None else one for one in self._observations]
        return self._buffer.gather(shown, fresh=self.copy), batch_infos(infos, self.num_envs)

    def step(self, actions: ActType) -> tuple[ObsType, ArrayType, ArrayType, ArrayType, Info]:
        """Act once in every environment, but for those that reset instead under NEXT_STEP.

        Args:
            actions: an element of `action_space`.
        """
        self._assert_open()
        self._assert_ready()
        todo = self._split(actions)
        if self._any_done:
            results = [self._step_or_reset(i, action) for i, action in enumerate(todo)]
        else:
            results = [env.step(action) for env, action in zip(self.envs, todo, strict=True)]
        observations, rewards, terminations, truncations, infos = map(list, zip(*results, strict=True))
        batched: Info = {}
        self._any_done = True in terminations or True in truncations
        if self._any_done:
            self._done = [bool(t or u) for t, u in zip(terminations, truncations, strict=True)]
            if self.autoreset_mode is AutoresetMode.SAME_STEP:
                batched = self._reset_done(observations, infos)
        self._observations = observations
        if any(infos):
            batched.update(batch_infos(enumerate(infos), self.num_envs))
        return (
            self._buffer.gather(observations, fresh=self.copy),
            _rewards(rewards),
            np.array(terminations, np.bool_),
            np.array(truncations, np.bool_),
            batched,
        )  # type: ignore[return-value]

    def _step_or_reset(self, i: int, action: Any) -> tuple[Any, ...]:
        """Under NEXT_STEP, an environment that is done begins its next episode in place of a step."""
        if not self._done[i]:
            return self.envs[i].step(action)
        observation, info = self.envs[i].reset()
        self._done[i] = False
        return observation, 0.0, False, False, info

    def _reset_done(self, observations: list[Any], infos: list[Info]) -> Info:
        """Under SAME_STEP, begin the next episode at once; what the last step returned goes into the infos."""
        final = []
        for i, done in enumerate(self._done):
            if done:
                last = copy.deepcopy(observations[i])  # of an environment that may use its arrays again
                final.append((i, {"final_obs": last, "final_info": infos[i]}))
                observations[i], infos[i] = self.envs[i].reset()
        self._done, self._any_done = [False] * self.num_envs, False
        return batch_infos(final, self.num_envs)

    def _split(self, actions: Any) -> list[Any]:
        """The action of each environment; their number is checked before any environment acts."""
        items = list(self._iterate(self.action_space, actions))
        if len(items) != self.num_envs:
            message = f"Expected {self.num_envs} actions, one for each environment, got {len(items)}"
            raise ValueError(message)
        return items

    def _blank(self) -> Any:
        """What stands for the observation of an environment that was never reset."""
        return create_zero_array(self.single_observation_space)

    def _assert_open(self) -> None:
        if self.closed:
            message = f"{self} is closed; make a new one"
            raise ClosedEnvironmentError(message)

    def _assert_ready(self) -> None:
        if self._waiting:
            missing = [i for i, one in enumerate(self._observations) if one is None]
            message = f"Expected reset before step; environments {missing} were never reset"
            raise ResetNeeded(message)
        if self.autoreset_mode is AutoresetMode.DISABLED and True in self._done:
            done = [i for i, one in enumerate(self._done) if one]
            message = (
                f"Environments {done} are done, and autoreset_mode is DISABLED: call "
                'reset(options={"reset_mask": terminations | truncations}) before the next step'
            )
            raise ResetNeeded(message)

    def render(self) -> tuple[Any, ...]:
        """Return the frame of each environment."""
        return tuple(env.render() for env in self.envs)

    def call(self, name: str, *args: Any, **kwargs: Any) -> tuple[Any, ...]:
        """Call a method of every environment, or read an attribute that is none, and return the results.

        Args:
            name: looked up through the wrappers of each environment.
            *args: for the method.
            **kwargs: for the method.
        """
        found = [_lookup(env, name, i) for i, env in enumerate(self.envs)]
        return tuple(one(*args, **kwargs) if callable(one) else one for one in found)

    def get_attr(self, name: str) -> tuple[Any, ...]:
        """Read an attribute of every environment, through its wrappers."""
        return tuple(_lookup(env, name, i) for i, env in enumerate(self.envs))

    def set_attr(self, name: str, values: Any) -> None:
        """Set an attribute of every environment: a list or tuple has a value for each, anything else is for all."""
        each = values if isinstance(values, list | tuple) else [values] * self.num_envs
        if len(each) != self.num_envs:
            message = f"Expected a value for each of the {self.num_envs} environments, got {len(each)}"
            raise ValueError(message)
        for env, value in zip(self.envs, each, strict=True):
            env.set_wrapper_attr(name, value)

    def close_extras(self, **kwargs: Any) -> None:
        """Close every environment, also where one of them raises; the first error is raised at the end."""
        errors = []
        for env in getattr(self, "envs", ()):
            try:
                env.close()
            except Exception as exc:  # noqa: BLE001 - the others are closed first
                errors.append(exc)
        if errors:
            self.closed = True
            raise errors[0]


def _lookup(env: Any, name: str, i: int) -> Any:
    try:
        return env.get_wrapper_attr(name)
    except AttributeError as exc:
        exc.add_note(f"It was asked of environment {i}.")
        raise


def _rewards(rewards: list[Any]) -> NDArray[np.float64]:
    try:
        array = np.array(rewards, np.float64)
    except (TypeError, ValueError):
        array = np.empty(0)
    if array.shape == (len(rewards),):
        return array
    for i, reward in enumerate(rewards):
        if np.shape(reward) != () and np.size(reward) == 1:
            rewards[i] = np.asarray(reward).item()
        elif np.shape(reward) != () or not np.isreal(reward):
            message = f"Expected the reward of environment {i} to be a number, got {reward!r} ({type(reward).__name__})"
            raise TypeError(message)
    return np.array(rewards, np.float64)
