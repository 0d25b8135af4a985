"""The class `BatchState`, which creates the batches of a vector environment from the results of its workers."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from operator import itemgetter
from typing import TYPE_CHECKING, Any

import numpy as np

from gymkernel.error import ResetNeeded
from gymkernel.infos import batch_infos
from gymkernel.ops import concatenate, create_empty_array, create_zero_array, iterate
from gymkernel.vector_env import AutoresetMode, episodes_over
from gymkernel_util_spaces.batches import BatchPlan
from gymkernel_util_vector.reading import BatchReader
from gymkernel_util_vector.shards.errors import env_names
from gymkernel_util_vector.spaces import common_spaces, split_actions
from gymkernel_util_vector.writing import BatchWriter

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from gymkernel.protocols import Mask
    from gymkernel_util_vector.shards.messages import SideMessage

__all__ = ["BatchState", "CommonSpaces"]


@dataclass(frozen=True, slots=True)
class CommonSpaces:
    """The spaces of a vector environment, and the array plans for its observations and actions."""

    observation_space: Any
    """The space of the batch of observations."""
    single_observation_space: Any
    """The observation space of a single environment."""
    action_space: Any
    """The space of the batch of actions."""
    single_action_space: Any
    """The action space of a single environment."""
    plan: BatchPlan
    """The array plan for observations."""
    action_plan: BatchPlan
    """The array plan for actions. It has no arrays if a part of an action is an object, because messages then contain
    the whole actions."""

    @classmethod
    def of(cls, spaces: Sequence[tuple[Any, Any]], observation_mode: Any) -> CommonSpaces:
        """Determine the common spaces of several environments.

        Args:
            spaces: an (observation space, action space) pair for each environment.
            observation_mode: the argument `observation_mode` of `AsyncVectorEnv`.

        Raises:
            RuntimeError: if the spaces are not compatible.
        """
        observation_spaces, action_spaces = [pair[0] for pair in spaces], [pair[1] for pair in spaces]
        observation_space, single = common_spaces(observation_spaces, observation_mode)
        action_space, single_action = common_spaces(action_spaces, kind="action")
        plan = BatchPlan.of(single)
        # Parts are encoded only if the spaces of all environments have the same plan.
        different = {id(space): space for space in observation_spaces}.values()
        if plan.encoded and any(BatchPlan.of(space) != plan for space in different):
            plan = BatchPlan.of(single, encode=False)
        action_plan = BatchPlan.of(single_action, encode=False)
        if action_plan.object_parts:
            action_plan = action_plan._replace(leaves=())
        return cls(observation_space, single, action_space, single_action, plan, action_plan)


class BatchState:
    """The arrays that workers write results into, together with a record of which environments must be reset.

    Args:
        spaces: the common spaces of the environments.
        arrays: the arrays of the rewards, flags and actions of all environments, keyed by name.
        observations: one list of observation arrays for each buffer in the ring.
        autoreset_mode: the autoreset mode of the vector environment.
    """

    def __init__(
        self,
        spaces: CommonSpaces,
        arrays: dict[str, Any],
        observations: list[list[NDArray[Any]]],
        autoreset_mode: AutoresetMode,
    ) -> None:
        self.autoreset_mode = autoreset_mode
        self._is_reset_manual = autoreset_mode is AutoresetMode.DISABLED
        """Whether the mode is DISABLED, so that the caller must reset environments whose episodes have ended."""
        self.buffer = 0
        """The index of the buffer with the latest observations."""
        self.ready = False
        """Whether no environment has to be reset before its next step."""
        self._spaces, self._buffers = spaces, observations
        self._rewards, self._terminations, self._truncations = (
            arrays[name] for name in ("rewards", "terminations", "truncations")
        )
        self._actions: list[NDArray[Any]] = arrays["actions"]
        """The arrays of the action space. The list is empty if actions are sent in messages."""
        self.num_envs = n = len(self._rewards)
        self._started = np.zeros(n, np.bool_)
        """A mask of the environments that have been reset since they were created and since their last failure."""
        self._saved: list[NDArray[Any]] = []
        """The previous observations of environments that are writing into the current buffer."""
        self._iterate = iterate.dispatch(type(spaces.action_space))
        self._reader = BatchReader(spaces.plan, spaces.single_observation_space, n)
        self._action_reader = BatchReader(spaces.action_plan, spaces.single_action_space, n)
        writer = BatchWriter(spaces.plan, self._buffers[0], n, spaces.single_observation_space, check=False)
        with contextlib.suppress(NotImplementedError):  # a space without a zero element keeps the value None
            zero = create_zero_array(spaces.single_observation_space)
            for i in range(n):
                writer.put(i, zero)
        self._reader.object_parts = [list(parts) for parts in writer.object_parts]

    # Buffers and actions

    def next_buffer(self, *, keep: bool) -> int:
        """Switch to the next buffer of the ring, and return its index.

        Args:
            keep: whether to copy the last observations into the buffer, because some environments will not write new
                ones.
        """
        return self.use_buffer((self.buffer + 1) % len(self._buffers), keep=keep)

    def use_buffer(self, buffer: int, *, keep: bool) -> int:
        """Switch to a buffer of the ring, and return its index.

        Args:
            buffer: the index of the buffer.
            keep: whether to copy the last observations into the buffer, because some environments will not write new
                ones.
        """
        if keep and buffer != self.buffer:
            for target, source in zip(self._buffers[buffer], self._buffers[self.buffer], strict=True):
                target[...] = source
        self.buffer = buffer
        return buffer

    def write_actions(self, actions: Any, env_ids: Any = ..., n: int = -1) -> bool:
        """Write actions into shared memory. If they cannot be stored there and must be sent in messages, return False.

        Args:
            actions: a batch of actions.
            env_ids: the indices of the environments to which the actions belong. The default is all environments.
            n: the number of actions, or -1 for all environments.
        """
        return bool(self._actions) and self._action_reader.write(self._actions, actions, env_ids, n)

    def split_actions(self, actions: Any, n: int) -> list[Any]:
        """Check the number of actions in a batch, and split it into one action for each environment.

        Args:
            actions: a batch of actions.
            n: the expected number of actions.
        """
        return split_actions(self._iterate, self._spaces.action_space, actions, n)

    def choose_actions(self, actions: Any, env_ids: NDArray[np.int64]) -> Any:
        """Select the actions for some environments from a batch of actions for all environments.

        Args:
            actions: a batch of actions for all environments.
            env_ids: the indices of the environments, in the order of the result.
        """
        if type(actions) is np.ndarray and actions.shape[:1] == (self.num_envs,):
            return actions[env_ids]
        items, single = self.split_actions(actions, self.num_envs), self._spaces.single_action_space
        chosen = [items[i] for i in env_ids.tolist()]
        if isinstance(self._spaces.action_plan.tree, int):  # actions of another dtype are not converted
            with contextlib.suppress(ValueError):
                joined = np.asarray(chosen)
                return joined if joined.dtype == single.dtype else chosen
            return chosen
        return concatenate(single, chosen, create_empty_array(single, len(chosen)))

    # Batches

    def observations(self, *, copy: bool) -> Any:
        """Return the latest observations of all environments as a batch.

        Args:
            copy: whether to copy the arrays of the buffer.
        """
        return self._reader.batch(self._buffers[self.buffer], copy=copy)

    def reset_batch(self, env_ids: Sequence[int], messages: Sequence[SideMessage], *, copy: bool) -> Any:
        """Return the observations and the infos after a reset of some environments.

        Args:
            env_ids: the indices of the environments that were reset.
            messages: the side messages that the workers sent.
            copy: whether to copy the observations.
        """
        self._terminations[env_ids] = self._truncations[env_ids] = False
        self._started[env_ids] = True
        self._note_ready()
        self.apply(messages)
        return self.observations(copy=copy), self._infos(messages)

    def batch(self, messages: Sequence[SideMessage], *, copy: bool) -> Any:
        """Return the results of a step in which all environments were stepped.

        Args:
            messages: the side messages that the workers sent.
            copy: whether to copy the observations.
        """
        rewards, terminations, truncations = self._rewards.copy(), self._terminations.copy(), self._truncations.copy()
        infos: dict[str, Any] = {}
        if messages:
            self.apply(messages)
            infos = self._infos(messages)
        if self._is_reset_manual:
            self._note_ready()
        return self.observations(copy=copy), rewards, terminations, truncations, infos

    def masked_batch(self, mask: Mask, messages: Sequence[SideMessage], *, copy: bool) -> Any:
        """Return the results of a step of the masked environments. Call `apply` with the messages first.

        Args:
            mask: a Boolean array of shape (num_envs,) that is True for each environment that was stepped.
            messages: the side messages that the workers sent.
            copy: whether to copy the observations.
        """
        rewards = np.where(mask, self._rewards, 0.0)
        terminations, truncations = self._terminations & mask, self._truncations & mask
        if self._is_reset_manual:
            self._note_ready()
        infos = self._infos(messages) if messages else {}
        return self.observations(copy=copy), rewards, terminations, truncations, infos

    def partial_batch(self, env_ids: list[int], messages: Sequence[SideMessage]) -> Any:
        """Return the results of individual steps as `recv` returns them. Call `apply` with the messages first.

        Args:
            env_ids: the indices of the environments, in the order of the results.
            messages: the side messages that the workers sent.
        """
        rows = np.array(env_ids, np.int64)
        terminations, truncations = self._terminations[rows], self._truncations[rows]
        if self._is_reset_manual:
            self._note_ready()
        infos = self._infos(messages, env_ids) if messages else {}
        observations = self._reader.some(self._buffers[0], rows)
        return observations, self._rewards[rows], terminations, truncations, infos, rows

    def apply(self, messages: Iterable[SideMessage]) -> None:
        """Store the observations, or parts of observations, that were sent in messages.

        Args:
            messages: the side messages that the workers sent, in any order.
        """
        for message in messages:
            for i, parts in message.object_parts:
                for column, part in zip(self._reader.object_parts, parts, strict=True):
                    column[i] = part
            if message.rows is not None:
                env_ids, rows = message.rows
                for array, part in zip(self._buffers[self.buffer], rows, strict=True):
                    array[env_ids] = part

    def _infos(self, messages: Sequence[SideMessage], env_ids: Sequence[int] | None = None) -> dict[str, Any]:
        """Combine infos into a batch, for all environments or for the given environments in the given order."""
        n = self.num_envs if env_ids is None else len(env_ids)
        pairs = [pair for message in messages for pair in message.infos]
        if env_ids is not None:
            position = {i: k for k, i in enumerate(env_ids)}
            pairs = [(position[i], info) for i, info in pairs]
        pairs.sort(key=itemgetter(0))
        return batch_infos(pairs, n)

    # Environments that must be reset

    def _note_ready(self) -> None:
        self.ready = bool(self._started.all()) and not (self._is_reset_manual and self._ended().any())

    def _ended(self) -> NDArray[np.bool_]:
        """Return a mask of the environments whose episodes ended in their last step."""
        return self._terminations | self._truncations  # type: ignore[no-any-return]

    def require_reset(self, env_ids: Sequence[int]) -> None:
        """Record that environments have failed and must be reset before their next step.

        Args:
            env_ids: the indices of the environments.
        """
        self._started[env_ids] = False
        self.ready = False

    def drop(self, messages: Iterable[SideMessage]) -> None:
        """Record that the results of a step or a reset will not be returned to the caller.

        The environments have been stepped nevertheless. Therefore, the observations in the messages are stored, and the
        next step checks again which environments have to be reset.

        Args:
            messages: the side messages of the results that have arrived.
        """
        self.apply(messages)
        self.ready = self.ready and not self._is_reset_manual

    def assert_ready(self, env_ids: Any = ...) -> None:
        """Raise an error if an environment has to be reset before its next step.

        Args:
            env_ids: the indices or a mask of the environments to step. The default is all environments.
        """
        if self.ready:
            return
        chosen = np.zeros(self.num_envs, np.bool_)
        chosen[env_ids] = True
        missing = np.flatnonzero(chosen & ~self._started).tolist()
        if missing:
            were = "was" if len(missing) == 1 else "were"
            raise ResetNeeded(f"Expected reset before step; {env_names(missing)} {were} never reset, or failed since")
        ended = np.flatnonzero(chosen & self._ended()).tolist() if self._is_reset_manual else []
        if ended:
            raise episodes_over(env_names(ended))

    # Restarts of workers

    def in_episode(self, env_id: int) -> bool:
        """Return whether an environment is in the middle of an episode. The environment must not have a pending step.

        Args:
            env_id: the index of the environment.
        """
        has_ended = bool(self._terminations[env_id] or self._truncations[env_id])
        return bool(self._started[env_id]) and (self.autoreset_mode is AutoresetMode.SAME_STEP or not has_ended)

    def save_rows(self, env_ids: NDArray[np.int64]) -> None:
        """Save the observations of environments that are about to write into the current buffer.

        Args:
            env_ids: the indices of the environments.
        """
        if not self._saved:
            self._saved = [np.empty_like(leaf) for leaf in self._buffers[self.buffer]]
        for saved, leaf in zip(self._saved, self._buffers[self.buffer], strict=True):
            saved[env_ids] = leaf[env_ids]

    def restore_rows(self, env_ids: Sequence[int]) -> None:
        """Restore the saved observations of environments whose worker died before it had written new ones.

        Args:
            env_ids: the indices of the environments.
        """
        for saved, leaf in zip(self._saved, self._buffers[self.buffer], strict=False):
            leaf[env_ids] = saved[env_ids]

    def last_observations(self, *, previous: bool) -> list[Any]:
        """Return the last complete observation of each environment. If no environment was reset, return None for each.

        Args:
            previous: whether workers were writing into the current buffer, so that the last complete observations are
                in the previous buffer.
        """
        if not self._started.any():
            return [None] * self.num_envs
        batch = self._reader.batch(self._buffers[self.buffer - previous], copy=True)
        observations = list(iterate(self._spaces.observation_space, batch))
        if len(observations) < self.num_envs:  # the batch of an empty space, such as `Tuple(())`, has no rows
            observations = [create_zero_array(self._spaces.single_observation_space)] * self.num_envs
        return observations
