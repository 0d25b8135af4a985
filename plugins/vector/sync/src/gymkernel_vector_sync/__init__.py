"""`SyncVectorEnv`: step several environments one after another in this process."""

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
    """Stands for the observation of an environment that was never reset; a class, since that survives copies."""


class SyncVectorEnv(VectorEnv[ObsType, ActType, ArrayType]):
    """Several environments, stepped one after another: the fastest way for environments of a few microseconds a step.

    Args:
        env_fns: functions that make one environment each.
        copy: whether observations are arrays of their own; False hands out the arrays that the next call overwrites.
        observation_mode: "same" where all observation spaces are equal, "different" where they differ in their bounds
            alone, or a tuple (batched space, single space).
        autoreset_mode: when an environment that is done begins its next episode.
        list_infos: whether infos are a list with the dictionary of each environment, as `DictInfoToList` gives them,
            and no dictionary of arrays: for those who look at few of them, since to batch them takes time.

    Raises:
        RuntimeError: spaces of the environments do not go together.
        TypeError, ValueError: an argument that cannot be meant, or a function that makes no environment.

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
            # Not by comprehensions: in Python 3.12 and 3.13, Ctrl-C inside of them is not caught here.
            observed, acted = (list(map(operator.attrgetter(name), self.envs)) for name in SPACES)
            self.observation_space, self.single_observation_space = common_spaces(observed, observation_mode)
            self.action_space, self.single_action_space = common_spaces(acted, kind="action")
            self.num_envs = len(self.envs)
            self.metadata = {**self.envs[0].metadata, "autoreset_mode": self.autoreset_mode}
            self.render_mode = self.envs[0].render_mode
            self._buffer = Buffer(self.single_observation_space, self.num_envs)
            self._iterate = iterate.dispatch(type(self.action_space))
            self._waiting = True
            """Whether some environment was never reset."""
            # Gymnasium's names, which subclasses with a `step` of their own use.
            self._env_obs: Sequence[Any] = [_Never] * self.num_envs
            self._rewards: Any = np.zeros(self.num_envs)
            self._terminations, self._truncations = np.zeros((2, self.num_envs), np.bool_)
            self._batch: Any = None
        except BaseException:
            for env in self.envs:
                with suppress_all():  # the first error is the one to see
                    env.close()
            raise

    def _make_envs(self) -> None:
        """Make the environments; in a method, because Python 3.12 does not catch Ctrl-C between nested `try` blocks."""
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
        """The generator of each environment."""
        return self.get_attr("np_random")

    @property
    def np_random_seed(self) -> tuple[int, ...]:  # type: ignore[override]
        """The seed of each environment."""
        return self.get_attr("np_random_seed")

    @property
    def _observations(self) -> Any:
        """The batch of the last observations: for subclasses, whose `step` writes into it and sets it."""
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
        """Which environments are done and have not been reset since: for subclasses."""
        return self._loop.done_mask()

    @_autoreset_envs.setter
    def _autoreset_envs(self, done: Any) -> None:
        self._loop.done[:] = np.asarray(done, np.bool_).tobytes()
        self._loop.update()

    def reset(self, *, seed: Seed = None, options: Options = None) -> tuple[ObsType, Info]:
        """Begin an episode in every environment, or in those of `options["reset_mask"]`, which they are not given."""
        self._assert_open()
        seed_of = seeds(seed, self.num_envs)
        mask, options = reset_mask(options, self.num_envs)
        infos = []
        observed = list(self._env_obs)
        for i in range(self.num_envs) if mask is None else np.flatnonzero(mask).tolist():
            observed[i], info = self._loop.reset(i, seed=seed_of[i], options=options)
            infos.append((i, info))
        self._loop.update()
        goes_on = np.False_ if mask is None else ~mask
        self._terminations, self._truncations = self._terminations & goes_on, self._truncations & goes_on
        waiting = any(one is _Never for one in observed)
        if waiting:
            blank = self._blank(observed)
            shown = [blank if one is _Never else one for one in observed]
        else:
            shown = observed
        batch = self._buffer.gather(shown, fresh=self.copy)
        self._env_obs, self._waiting, self._batch = observed, waiting, None
        if self.list_infos:
            each: list[Info] = [{} for _ in range(self.num_envs)]
            for i, info in infos:
                each[i] = info
            return batch, each  # type: ignore[return-value]
        return batch, batch_infos(infos, self.num_envs)

    def step(self, actions: ActType) -> tuple[ObsType, ArrayType, ArrayType, ArrayType, Info]:
        """Act once in every environment, but for those that reset instead under NEXT_STEP."""
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
        """Act in the environments of a mask; the others have their last observations, rewards of 0, and no infos."""
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
        """Return the action of each environment; their number is checked before any environment acts."""
        if self._iterate is rows and type(actions) is np.ndarray and actions.shape[:1] == (self.num_envs,):
            return list(actions)
        return split_actions(self._iterate, self.action_space, actions, self.num_envs)

    def _note_env(self, exc: BaseException) -> None:
        """Note in an exception which environment has raised it."""
        add_note(exc, f"It comes from environment {self._loop.at_work[0]} of {self}.")

    def _outcome(self, results: list[Any]) -> tuple[ObsType, ArrayType, ArrayType, ArrayType, Info]:
        """Combine the results of all environments."""
        loop = self._loop
        observations, rewards, ended, cut, infos, done, has_infos = batch_steps(results)
        if done:
            loop.note_done(ended, cut)
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
        except Exception:  # noqa: BLE001 - `place` names the observation that does not fit
            batch = None
        if batch is None:
            batch = self._buffer.place(observations, fresh=self.copy)
        self._env_obs, self._batch = observations, None
        self._rewards, self._terminations, self._truncations = rewards, ended, cut
        if self.list_infos:
            return batch, rewards, ended, cut, list(infos)  # type: ignore[return-value]
        return batch, rewards, ended, cut, batch_infos(enumerate(infos), self.num_envs) if has_infos else {}  # type: ignore[return-value]

    def write_into(self, arrays: Sequence[Any] | None) -> None:
        """Have the observations of the next calls written into these arrays, in which `step` returns them then.

        So whoever keeps every observation, as a rollout does, has it where it is to be without another copy.

        Args:
            arrays: one for each array of an observation, in the order of the leaves of
                `gymkernel.arrays.plan_of(single_observation_space).batch()`: contiguous, with num_envs rows. None for
                those of this vector environment.

        Raises:
            ValueError: with `copy=True`, which makes arrays of its own; for a space of which not everything is in
                arrays; or where shapes or dtypes are others.

        >>> import gymkernel as gym
        >>> envs = gym.make_vec("CartPole-v1", 2, "sync", vector_kwargs={"copy": False})  # doctest: +SKIP
        >>> kept = np.zeros((10, 2, 4), np.float32)
        >>> envs.write_into([kept[0]])  # doctest: +SKIP
        >>> observations, infos = envs.reset(seed=1)  # doctest: +SKIP
        >>> observations.base is kept  # doctest: +SKIP
        True
        """
        if self.copy:
            raise ValueError("Expected a vector environment with copy=False, got one whose observations are copies")
        self._buffer.move(arrays)

    def _blank(self, observed: list[Any]) -> Any:
        """What stands for the observations of environments that were never reset: zeros, or else another's."""
        try:
            return create_zero_array(self.single_observation_space)
        except NotImplementedError:
            return next(one for one in observed if one is not _Never)

    def _assert_open(self) -> None:
        if self.closed:
            raise ClosedEnvironmentError(f"{self} is closed; make a new one")

    def _assert_ready(self, mask: Mask | None = None) -> None:
        if self._waiting:
            missing = [i for i, one in enumerate(self._env_obs) if one is _Never]
            raise ResetNeeded(f"Expected reset before step; environments {missing} were never reset")
        if self._loop.any_done and self.autoreset_mode is AutoresetMode.DISABLED:
            done = np.flatnonzero(self._autoreset_envs & (True if mask is None else mask)).tolist()
            if done:
                raise episodes_over(f"Environments {done}")

    def render(self) -> tuple[Any, ...]:
        """Return the frame of each environment."""
        self._assert_open()
        return tuple(env.render() for env in self.envs)

    def call(self, name: str, *args: Any, **kwargs: Any) -> tuple[Any, ...]:
        """Call a method of every environment, or read an attribute that is none, and return the results.

        Args:
            name: looked up through the wrappers of each environment.
            *args: for the method.
            **kwargs: for the method.
        """
        return tuple(one(*args, **kwargs) if callable(one) else one for one in self.get_attr(name))

    def call_masked(self, mask: Mask, name: str, *args: Any, **kwargs: Any) -> tuple[Any, ...]:
        """Call a method of the environments of a mask; for the others there is None in its place.

        Args:
            mask: bool, of shape (num_envs,).
            name: of the method, also one of an attribute: "np_random.random".
            *args: for the method.
            **kwargs: for the method.
        """
        self._assert_open()
        check_attr_name(name)
        check_mask(mask, self.num_envs)
        chosen = enumerate(zip(self.envs, mask.tolist(), strict=True))
        return tuple(_lookup(env, name, i)(*args, **kwargs) if here else None for i, (env, here) in chosen)

    def get_attr(self, name: str) -> tuple[Any, ...]:
        """Read an attribute of every environment, through its wrappers; "np_random.bit_generator" is one, too.

        Args:
            name: of the attribute, which may have dots.

        Returns:
            Its value for each environment in order.
        """
        self._assert_open()
        check_attr_name(name)
        return tuple(_lookup(env, name, i) for i, env in enumerate(self.envs))

    def set_attr(self, name: str, values: Any) -> None:
        """Set an attribute of every environment: a list or tuple has a value for each, anything else is for all.

        Args:
            name: of the attribute, without dots.
            values: a list or tuple of num_envs values, or one value.

        Raises:
            TypeError: the name is no text.
            ValueError: there is another number of values, or the name has dots.
        """
        self._assert_open()
        check_attr_name(name, dots=False)
        each = check_values(values, self.num_envs)
        for env, value in zip(self.envs, each, strict=True):
            env.set_wrapper_attr(name, value)

    def close_extras(self, **kwargs: Any) -> None:
        """Close every environment, also where one of them raises; the first error is raised at the end."""
        errors: list[BaseException] = []
        for i, env in enumerate(self.envs):
            try:
                env.close()
            except (Exception, SystemExit) as exc:  # noqa: BLE001 - the others are closed first
                add_note(exc, f"It comes from environment {i} of {self}.")
                errors.append(exc)
        if errors:
            self.closed = True
            raise errors[0]


def _lookup(env: Any, name: str, i: int) -> Any:
    try:
        return get_attribute(env, name)
    except AttributeError as exc:
        add_note(exc, f"It was asked of environment {i}.")
        raise
