"""`SyncVectorEnv`: step several environments one after another in this process."""

from __future__ import annotations

import copy
import operator
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from gymkernel.error import ClosedEnvironmentError, ResetNeeded
from gymkernel.infos import batch_infos
from gymkernel.ops import create_empty_array, create_zero_array, iterate
from gymkernel.protocols import ActType, ArrayType, EnvLike, Info, Mask, ObsType, Options, Seed
from gymkernel.vector_env import AutoresetMode, VectorEnv, check_mask, episodes_over, reset_mask, seeds
from gymkernel_util_spaces.texts import add_note, suppress_all, text_of
from gymkernel_util_vector.arguments import (
    check_attr_name,
    check_flags,
    check_made,
    check_process_limit,
    check_values,
    env_functions,
    to_autoreset_mode,
)
from gymkernel_util_vector.attributes import get_attribute
from gymkernel_util_vector.buffer import Buffer
from gymkernel_util_vector.outcomes import batch_steps, check_reset
from gymkernel_util_vector.spaces import check_observation_mode, common_spaces

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
        self.envs: list[Any] = []
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
            self._any_done = False
            self._waiting = True
            """Whether some environment was never reset."""
            # The names of Gymnasium, on which subclasses with a `step` of their own rest.
            self._env_obs: Sequence[Any] = [_Never] * self.num_envs
            self._rewards: Any = np.zeros(self.num_envs)
            self._terminations, self._truncations, self._autoreset_envs = np.zeros((3, self.num_envs), np.bool_)
            self._batch: Any = None
        except BaseException:
            for env in self.envs:
                with suppress_all():  # the first error is the one to see
                    env.close()
            raise

    def _make_envs(self) -> None:
        """Make the environments; those that were made are in `envs`, whatever interrupts this method."""
        made: set[int] = set()
        for i, make in enumerate(self.env_fns):
            self.envs.extend(map(operator.call, (make,)))  # in C, so that Ctrl-C does not lose what was made
            try:
                check_made(self.envs[i], made)
            except (TypeError, ValueError) as exc:
                add_note(exc, f"It comes from env_fns[{i}].")
                raise
            check_process_limit(self.envs[i], len(self.env_fns))

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

    def reset(self, *, seed: Seed = None, options: Options = None) -> tuple[ObsType, Info]:
        """Begin an episode in every environment, or in those of `options["reset_mask"]`, which they are not given."""
        self._assert_open()
        seed_of = seeds(seed, self.num_envs)
        mask, options = reset_mask(options, self.num_envs)
        infos = []
        observed = list(self._env_obs)
        for i in range(self.num_envs) if mask is None else np.flatnonzero(mask).tolist():
            observed[i], info = self._begin(i, seed=seed_of[i], options=options)
            infos.append((i, info))
        self._any_done = bool(self._autoreset_envs.any())
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
        if self.closed or self._waiting or self._any_done:
            self._assert_open()
            self._assert_ready()
        return self._outcome(self._act(self._split(actions)))

    def step_masked(self, actions: ActType, mask: Mask) -> tuple[ObsType, ArrayType, ArrayType, ArrayType, Info]:
        """Act in the environments of a mask; the others have their last observations, rewards of 0, and no infos."""
        self._assert_open()
        check_mask(mask, self.num_envs)
        self._assert_ready(mask)
        chosen, waiting = mask.tolist(), self._autoreset_envs.copy()
        results: list[Any] = [(last, 0.0, False, False, {}) for last in self._env_obs]
        for i, action in enumerate(self._split(actions)):
            if chosen[i]:
                results[i] = self._act_in(i, action)
        outcome = self._outcome(results)
        self._autoreset_envs = np.where(mask, self._autoreset_envs, waiting)
        self._any_done = bool(self._autoreset_envs.any())
        return outcome

    def _outcome(self, results: list[Any]) -> tuple[ObsType, ArrayType, ArrayType, ArrayType, Info]:
        """What the results of all environments are together."""
        observations, rewards, ended, cut, infos, self._any_done, told = batch_steps(results)
        if self._any_done:
            self._autoreset_envs = ended | cut
            if self.autoreset_mode is AutoresetMode.SAME_STEP:
                observations, infos = self._reset_done(list(observations), list(infos))
                told = True
        batch = self._buffer.gather(observations, fresh=self.copy)
        self._env_obs, self._batch = observations, None
        self._rewards, self._terminations, self._truncations = rewards, ended, cut
        if self.list_infos:
            return batch, rewards, ended, cut, list(infos)  # type: ignore[return-value]
        return batch, rewards, ended, cut, batch_infos(enumerate(infos), self.num_envs) if told else {}  # type: ignore[return-value]

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

    def _split(self, actions: Any) -> list[Any]:
        """The action of each environment; their number is checked before any environment acts."""
        try:
            items = list(self._iterate(self.action_space, actions))
        except (TypeError, ValueError, IndexError) as exc:
            kind = TypeError if isinstance(exc, TypeError) else ValueError
            message = (
                f"Expected actions for {self.num_envs} environments, of {self.action_space}, got {text_of(actions)}"
            )
            raise kind(message) from exc
        if len(items) != self.num_envs:
            message = (
                f"Expected {self.num_envs} actions, one for each environment, got {len(items)}: {text_of(actions)}"
            )
            raise ValueError(message)
        return items

    def _act(self, todo: list[Any]) -> list[Any]:
        """What each step returns; under NEXT_STEP, an environment that is done begins its next episode instead."""
        done = self._autoreset_envs.tolist() if self._any_done else ()
        results: list[Any] = []
        try:
            for env, action in zip(self.envs, todo, strict=True):
                if done and done[len(results)]:
                    observation, info = self._begin(len(results))
                    results.append((observation, 0.0, False, False, info))
                else:
                    results.append(env.step(action))
        except (Exception, SystemExit) as exc:
            add_note(exc, f"It comes from environment {len(results)} of {self}.")
            raise
        return results

    def _act_in(self, i: int, action: Any) -> Any:
        """What the step of environment i returns, or, under NEXT_STEP, the reset in its place."""
        if self._autoreset_envs[i]:
            observation, info = self._begin(i)
            return observation, 0.0, False, False, info
        try:
            return self.envs[i].step(action)
        except (Exception, SystemExit) as exc:
            add_note(exc, f"It comes from environment {i} of {self}.")
            raise

    def _begin(self, i: int, **arguments: Any) -> tuple[Any, Info]:
        """Begin an episode of environment i."""
        try:
            observation, info = check_reset(self.envs[i].reset(**arguments), i)
        except (Exception, SystemExit) as exc:
            add_note(exc, f"It comes from the reset of environment {i}.")
            raise
        self._autoreset_envs[i] = False
        return observation, info

    def _reset_done(self, observations: list[Any], infos: list[Info]) -> tuple[list[Any], list[Info]]:
        """Under SAME_STEP, begin the next episode at once; what the last step returned goes into the infos."""
        for i in np.flatnonzero(self._autoreset_envs).tolist():
            self._buffer.check(i, observations[i])
            last = copy.deepcopy(observations[i])  # of an environment that may use its arrays again
            final = {"final_obs": last, "final_info": infos[i]}
            observations[i], info = self._begin(i)
            infos[i] = final | info | final  # the two of this vector environment win over keys of these names
        self._any_done = False
        return observations, infos

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
        if self._any_done and self.autoreset_mode is AutoresetMode.DISABLED:
            done = [i for i, one in enumerate(self._autoreset_envs) if one and (mask is None or mask[i])]
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
