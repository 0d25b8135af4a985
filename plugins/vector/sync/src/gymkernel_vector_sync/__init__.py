"""The `SyncVectorEnv` backend, which steps environments one after the other in the program's own process."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from gymkernel.error import ClosedEnvironmentError, ResetNeeded
from gymkernel.infos import batch_infos
from gymkernel.ops import create_empty_array, create_zero_array, iterate
from gymkernel.protocols import ActType, ArrayType, EnvLike, Info, Mask, ObsType, Options, Seed
from gymkernel.vector_env import AutoresetMode, VectorEnv, check_mask, episodes_over, reset_mask, seeds
from gymkernel_util_spaces.arrays import rows
from gymkernel_util_spaces.texts import add_note, suppress_all
from gymkernel_util_vector.arguments import check_attr_name, check_flags, check_values, env_functions, to_autoreset_mode
from gymkernel_util_vector.attributes import get_attribute
from gymkernel_util_vector.buffer import Buffer
from gymkernel_util_vector.loop import EnvLoop, batch_steps
from gymkernel_util_vector.spaces import check_observation_mode, common_spaces, split_actions

if TYPE_CHECKING:
    from gymkernel.space import Space

__all__ = ["SyncVectorEnv"]

SPACES = ("observation_space", "action_space")


class _Never:
    """A placeholder for the observation of an environment that has not been reset yet.

    The class itself is the placeholder, because copying a vector environment does not copy classes.
    """


class SyncVectorEnv(VectorEnv[ObsType, ActType, ArrayType]):
    """A vector environment that steps its environments one after the other in the program's own process.

    This is the fastest backend for environments whose steps take only a few microseconds.

    Args:
        env_fns: functions that create one environment each.
        copy: whether to copy observations before returning them. If not, the next call overwrites them.
        observation_mode: "same" if all observation spaces are equal, "different" if only their bounds differ, or a
            tuple (batched space, single space).
        autoreset_mode: when to reset an environment whose episode has ended.
        list_infos: whether to return infos as a list with one dict per environment, as `DictInfoToList` does, instead
            of a dict of arrays. This is faster if the program reads only a few infos, because batching them takes time.

    Raises:
        RuntimeError: if the environments' spaces do not match.
        TypeError, ValueError: if an argument is invalid, or a function does not return an environment.

    >>> import gymkernel as gym
    >>> envs = SyncVectorEnv([lambda: gym.make("CartPole-v1")] * 3)  # doctest: +SKIP
    >>> observations, infos = envs.reset(seed=1)  # doctest: +SKIP
    >>> observations, rewards, terminations, truncations, infos = envs.step(np.array([1, 0, 1]))  # doctest: +SKIP
    """

    def __init__(
        self,
        env_fns: Sequence[Callable[[], EnvLike[Any, Any]]],
        copy: bool = True,
        observation_mode: str | tuple[Space[Any], Space[Any]] = "same",
        autoreset_mode: str | AutoresetMode = AutoresetMode.NEXT_STEP,
        *,
        list_infos: bool = False,
    ) -> None:
        check_flags(copy=copy, list_infos=list_infos)
        check_observation_mode(observation_mode)
        self.env_fns = env_functions(env_fns, "SyncVectorEnv")
        self.copy, self.list_infos = copy, list_infos
        self.observation_mode = observation_mode
        self.autoreset_mode = to_autoreset_mode(autoreset_mode)
        self._loop = EnvLoop(self.autoreset_mode, len(self.env_fns))
        try:
            self._make_envs()
            # This code uses map because Python 3.12 and 3.13 cannot catch Ctrl-C in a list comprehension here.
            observation_spaces, action_spaces = (list(map(operator.attrgetter(name), self.envs)) for name in SPACES)
            self.observation_space, self.single_observation_space = common_spaces(observation_spaces, observation_mode)
            self.action_space, self.single_action_space = common_spaces(action_spaces, kind="action")
            self.num_envs = len(self.envs)
            self.metadata = {**self.envs[0].metadata, "autoreset_mode": self.autoreset_mode}
            self.render_mode = self.envs[0].render_mode
            self._buffer = Buffer(self.single_observation_space, self.num_envs)
            self._iterate = iterate.dispatch(type(self.action_space))
            self._waiting = True
            """Whether at least one environment has not been reset yet."""
            # Subclasses that override `step` use these attributes, which therefore have the same names as in Gymnasium.
            self._env_obs: Sequence[Any] = [_Never] * self.num_envs
            self._rewards: Any = np.zeros(self.num_envs)
            self._terminations, self._truncations = np.zeros((2, self.num_envs), np.bool_)
            self._batch: Any = None
        except BaseException:
            for env in self.envs:
                with suppress_all():  # an error in `close` must not hide the original error
                    env.close()
            raise

    def _make_envs(self) -> None:
        """Create the environments.

        This code is in a separate method because Python 3.12 cannot catch Ctrl-C between nested `try` blocks.
        """
        for i, make in enumerate(self.env_fns):
            try:
                self._loop.make(i, make)
            except (TypeError, ValueError) as exc:
                add_note(exc, f"It comes from env_fns[{i}].")
                raise

    @property
    def envs(self) -> list[Any]:
        """The environments."""
        return self._loop.envs

    @envs.setter
    def envs(self, envs: list[Any]) -> None:
        self._loop.envs = envs

    @property  # type: ignore[misc]
    def np_random(self) -> tuple[np.random.Generator, ...]:  # type: ignore[override]
        """The random number generators of the environments."""
        return self.get_attr("np_random")

    @property
    def np_random_seed(self) -> tuple[int, ...]:  # type: ignore[override]
        """The seeds of the environments' random number generators."""
        return self.get_attr("np_random_seed")

    @property
    def _observations(self) -> Any:
        """The batch of the latest observations. Subclasses that override `step` may modify or replace the batch."""
        if self._batch is None:
            if self._waiting:
                return create_empty_array(self.single_observation_space, self.num_envs)
            self._batch = self._buffer.gather(self._env_obs, fresh=True)
        return self._batch

    @_observations.setter
    def _observations(self, batch: Any) -> None:
        self._batch = batch

    @property
    def _autoreset_envs(self) -> Any:
        """A mask of environments that are done and have not been reset yet. Subclasses may read and set this mask."""
        return self._loop.done_mask()

    @_autoreset_envs.setter
    def _autoreset_envs(self, done: Any) -> None:
        self._loop.done[:] = np.asarray(done, np.bool_).tobytes()
        self._loop.update()

    def reset(self, *, seed: Seed = None, options: Options = None) -> tuple[ObsType, Info]:
        """Start an episode in every environment, or in those that `options["reset_mask"]` selects.

        Args:
            seed: a sequence with one seed per environment, or a single seed s, so that environment i uses s + i.
            options: options that are passed to every environment, except for the key "reset_mask".
        """
        self._assert_open()
        seed_of = seeds(seed, self.num_envs)
        mask, options = reset_mask(options, self.num_envs)
        infos = []
        observations = list(self._env_obs)
        for i in range(self.num_envs) if mask is None else np.flatnonzero(mask).tolist():
            observations[i], info = self._loop.reset(i, seed=seed_of[i], options=options)
            infos.append((i, info))
        self._loop.update()
        not_reset = np.False_ if mask is None else ~mask
        self._terminations, self._truncations = self._terminations & not_reset, self._truncations & not_reset
        waiting = any(observation is _Never for observation in observations)
        if waiting:
            blank = self._blank(observations)
            visible = [blank if observation is _Never else observation for observation in observations]
        else:
            visible = observations
        batch = self._buffer.gather(visible, fresh=self.copy)
        self._env_obs, self._waiting, self._batch = observations, waiting, None
        if self.list_infos:
            each: list[Info] = [{} for _ in range(self.num_envs)]
            for i, info in infos:
                each[i] = info
            return batch, each  # type: ignore[return-value]
        return batch, batch_infos(infos, self.num_envs)

    def step(self, actions: ActType) -> tuple[ObsType, ArrayType, ArrayType, ArrayType, Info]:
        """Step every environment. In NEXT_STEP mode, environments that are done are reset instead.

        Args:
            actions: a batch of actions.
        """
        if self.closed or self._waiting or self._loop.any_done:
            self._assert_open()
            self._assert_ready()
        items = self._split(actions)
        try:
            results = self._loop.act(items)
        except (Exception, SystemExit) as exc:
            self._note_env(exc)
            raise
        return self._outcome(results)

    def step_masked(self, actions: ActType, mask: Mask) -> tuple[ObsType, ArrayType, ArrayType, ArrayType, Info]:
        """Step the environments that a mask selects. For the others, return the last observation, reward 0 and no info.

        Args:
            actions: a batch with one action per environment; actions for environments that are not stepped are ignored.
            mask: a Boolean array of shape (num_envs,) that is True for each environment to step.
        """
        self._assert_open()
        check_mask(mask, self.num_envs)
        self._assert_ready(mask)
        results: list[Any] = [(last, 0.0, False, False, {}) for last in self._env_obs]
        items, chosen = self._split(actions), np.flatnonzero(mask).tolist()
        try:
            for i in chosen:
                results[i] = self._loop.act_in(i, items[i])
        except (Exception, SystemExit) as exc:
            self._note_env(exc)
            raise
        return self._outcome(results)

    def _split(self, actions: Any) -> list[Any]:
        """Split a batch of actions, and check the number of actions before any environment is stepped."""
        if self._iterate is rows and type(actions) is np.ndarray and actions.shape[:1] == (self.num_envs,):
            return list(actions)
        return split_actions(self._iterate, self.action_space, actions, self.num_envs)

    def _note_env(self, exc: BaseException) -> None:
        """Add a note to an exception that says which environment raised it."""
        add_note(exc, f"It comes from environment {self._loop.at_work[0]} of {self}.")

    def _outcome(self, results: list[Any]) -> tuple[ObsType, ArrayType, ArrayType, ArrayType, Info]:
        """Combine the environments' results into a batch."""
        loop = self._loop
        observations, rewards, terminations, truncations, infos, done, has_infos = batch_steps(results)
        if done:
            loop.note_done(terminations, truncations)
        elif loop.any_done:
            loop.update()
        if done and loop.resets_at_once:
            observations, infos, has_infos = list(observations), list(infos), True
            for i in np.flatnonzero(loop.done_mask()).tolist():
                self._buffer.check(i, observations[i])
                observations[i], infos[i] = loop.reset_done(i, observations[i], infos[i])
            loop.any_done = False
        try:
            batch = self._buffer.join(observations) if self.copy else None
        except Exception:  # noqa: BLE001 - `place` raises an error that describes the observation
            batch = None
        if batch is None:
            batch = self._buffer.place(observations, fresh=self.copy)
        self._env_obs, self._batch = observations, None
        self._rewards, self._terminations, self._truncations = rewards, terminations, truncations
        if self.list_infos:
            return batch, rewards, terminations, truncations, list(infos)  # type: ignore[return-value]
        combined = batch_infos(enumerate(infos), self.num_envs) if has_infos else {}
        return batch, rewards, terminations, truncations, combined  # type: ignore[return-value]

    def write_into(self, arrays: Sequence[Any] | None) -> None:
        """Make `reset` and `step` write observations into the given arrays and return these arrays.

        Programs that store every observation, for example to collect rollouts, can use this method to avoid one copy
        per observation.

        Args:
            arrays: contiguous arrays with num_envs rows, one for each array that
                `gymkernel.arrays.plan_of(single_observation_space).batch()` creates, in the same order. None to use the
                vector environment's own arrays again.

        Raises:
            ValueError: if this vector environment was created with `copy=True`, if part of an observation is not an
                array, or if an array has the wrong shape or dtype.

        >>> import gymkernel as gym
        >>> envs = gym.make_vec("CartPole-v1", 2, "sync", vector_kwargs={"copy": False})  # doctest: +SKIP
        >>> kept = np.zeros((10, 2, 4), np.float32)
        >>> envs.write_into([kept[0]])  # doctest: +SKIP
        >>> observations, infos = envs.reset(seed=1)  # doctest: +SKIP
        >>> observations.base is kept  # doctest: +SKIP
        True
        """
        if self.copy:
            raise ValueError("Expected a vector environment with copy=False, got a vector environment with copy=True")
        self._buffer.move(arrays)

    def _blank(self, observations: list[Any]) -> Any:
        """Return a placeholder observation for environments that have not been reset yet.

        The placeholder is the space's zero element or, if there is none, an observation from another environment.
        """
        try:
            return create_zero_array(self.single_observation_space)
        except NotImplementedError:
            return next(observation for observation in observations if observation is not _Never)

    def _assert_open(self) -> None:
        if self.closed:
            raise ClosedEnvironmentError(f"{self} is closed; make a new one")

    def _assert_ready(self, mask: Mask | None = None) -> None:
        if self._waiting:
            missing = [i for i, observation in enumerate(self._env_obs) if observation is _Never]
            raise ResetNeeded(f"Expected reset before step; environments {missing} were never reset")
        if self._loop.any_done and self.autoreset_mode is AutoresetMode.DISABLED:
            done = np.flatnonzero(self._autoreset_envs & (True if mask is None else mask)).tolist()
            if done:
                raise episodes_over(f"Environments {done}")

    def render(self) -> tuple[Any, ...]:
        """Render every environment and return the frames."""
        self._assert_open()
        return tuple(env.render() for env in self.envs)

    def call(self, name: str, *args: Any, **kwargs: Any) -> tuple[Any, ...]:
        """Call a method on every environment and return the results.

        If an attribute is not a method, return its values.

        Args:
            name: the name of the method or attribute, which may belong to any wrapper or to the innermost environment.
            *args: positional arguments of the method.
            **kwargs: keyword arguments of the method.
        """
        return tuple(value(*args, **kwargs) if callable(value) else value for value in self.get_attr(name))

    def call_masked(self, mask: Mask, name: str, *args: Any, **kwargs: Any) -> tuple[Any, ...]:
        """Call a method on the environments that a mask selects. The result for every other environment is None.

        Args:
            mask: a Boolean array of shape (num_envs,) that is True for each environment on which to call the method.
            name: the method's name, which may be a dotted path such as "np_random.random".
            *args: positional arguments of the method.
            **kwargs: keyword arguments of the method.
        """
        self._assert_open()
        check_attr_name(name)
        check_mask(mask, self.num_envs)
        pairs = enumerate(zip(self.envs, mask.tolist(), strict=True))
        return tuple(_lookup(env, name, i)(*args, **kwargs) if is_in_mask else None for i, (env, is_in_mask) in pairs)

    def get_attr(self, name: str) -> tuple[Any, ...]:
        """Return an attribute of every environment, which may belong to any wrapper or to the innermost environment.

        Args:
            name: the attribute's name, which may be a dotted path such as "np_random.bit_generator".

        Returns:
            One value per environment, in the order of the environments.
        """
        self._assert_open()
        check_attr_name(name)
        return tuple(_lookup(env, name, i) for i, env in enumerate(self.envs))

    def set_attr(self, name: str, values: Any) -> None:
        """Set an attribute of every environment.

        Args:
            name: the name of the attribute, without dots.
            values: a list or tuple with one value per environment, or one value for all environments.

        Raises:
            TypeError: if the name is not a string.
            ValueError: if the number of values is wrong, or the name contains a dot.
        """
        self._assert_open()
        check_attr_name(name, dots=False)
        for env, value in zip(self.envs, check_values(values, self.num_envs), strict=True):
            env.set_wrapper_attr(name, value)

    def close_extras(self, **kwargs: Any) -> None:
        """Close every environment, even if some cannot be closed, and then raise the first error.

        Args:
            **kwargs: ignored. Other backends accept `timeout` and `terminate`.
        """
        errors: list[BaseException] = []
        for i, env in enumerate(self.envs):
            try:
                env.close()
            except (Exception, SystemExit) as exc:  # noqa: BLE001 - it is raised after the loop
                add_note(exc, f"It comes from environment {i} of {self}.")
                errors.append(exc)
        if errors:
            self.closed = True
            raise errors[0]


def _lookup(env: Any, name: str, i: int) -> Any:
    try:
        return get_attribute(env, name)
    except AttributeError as exc:
        add_note(exc, f"It comes from environment {i}.")
        raise
