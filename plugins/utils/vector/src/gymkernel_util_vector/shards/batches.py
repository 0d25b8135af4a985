"""`BatchState`: the batches of a vector environment, and which environments must be reset before they step."""

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
    """The spaces of a vector environment, and how observations and actions become arrays."""

    observation_space: Any
    """Of a batch."""
    single_observation_space: Any
    """Of one environment."""
    action_space: Any
    """Of a batch."""
    single_action_space: Any
    """Of one environment."""
    plan: BatchPlan
    """Of observations."""
    action_plan: BatchPlan
    """Of actions."""

    @classmethod
    def of(cls, spaces: Sequence[tuple[Any, Any]], observation_mode: Any) -> CommonSpaces:
        """The common spaces of environments.

        Args:
            spaces: (observation space, action space) of each.
            observation_mode: as of AsyncVectorEnv.

        Raises:
            RuntimeError: they do not go together.
        """
        observed, acted = [pair[0] for pair in spaces], [pair[1] for pair in spaces]
        observation_space, single = common_spaces(observed, observation_mode)
        action_space, single_action = common_spaces(acted, kind="action")
        plan = BatchPlan.of(single)
        # parts are encoded only where every environment's own space has them, too
        different = {id(space): space for space in observed}.values()
        if plan.encoded and any(BatchPlan.of(space) != plan for space in different):
            plan = BatchPlan.of(single, encode=False)
        return cls(
            observation_space, single, action_space, single_action, plan, BatchPlan.of(single_action, encode=False)
        )


class BatchState:
    """The arrays that results are written into, and what of them the caller has seen.

    Args:
        spaces: of the environments.
        arrays: by name, for all environments.
        observations: arrays for each buffer of the ring, for each leaf.
        autoreset_mode: of the vector environment.
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
        """Whether an environment whose episode has ended waits for the caller to reset it."""
        self.buffer = 0
        """Index of the buffer of the ring with the last observations."""
        self.ready = False
        """Whether no environment waits for a reset."""
        self._spaces, self._buffers = spaces, observations
        self._rewards, self._terminations, self._truncations = (
            arrays[name] for name in ("rewards", "terminations", "truncations")
        )
        self._actions: list[NDArray[Any]] = arrays["actions"]
        """For each leaf of the action space; empty where actions go by message."""
        self.num_envs = n = len(self._rewards)
        self._started = np.zeros(n, np.bool_)
        """Which environments were reset since they were made, or failed."""
        self._saved: list[NDArray[Any]] = []
        """For each leaf, observations of environments that now write into the same buffer."""
        self._iterate = iterate.dispatch(type(spaces.action_space))
        self._reader = BatchReader(spaces.plan, spaces.single_observation_space, n)
        self._action_reader = BatchReader(spaces.action_plan, spaces.single_action_space, n)
        writer = BatchWriter(spaces.plan, self._buffers[0], n, spaces.single_observation_space, check=False)
        with contextlib.suppress(NotImplementedError):  # a space of which nobody knows a zero: None stands for it
            zero = create_zero_array(spaces.single_observation_space)
            for i in range(n):
                writer.put(i, zero)
        self._reader.object_parts = [list(parts) for parts in writer.object_parts]

    # Buffers and actions

    def next_buffer(self, *, keep: bool) -> int:
        """Go to the next buffer of the ring, with the observations of the last one where `keep`.

        Args:
            keep: whether the observations of the last buffer are copied, since not all environments will write theirs.
        """
        return self.use_buffer((self.buffer + 1) % len(self._buffers), keep=keep)

    def use_buffer(self, buffer: int, *, keep: bool) -> int:
        """Go to a buffer of the ring, with the observations of the last one where `keep`.

        Args:
            buffer: its index in the ring.
            keep: as of `next_buffer`.
        """
        if keep and buffer != self.buffer:
            for here, there in zip(self._buffers[buffer], self._buffers[self.buffer], strict=True):
                here[...] = there
        self.buffer = buffer
        return buffer

    def write_actions(self, actions: Any, env_ids: Any = ..., n: int = -1) -> bool:
        """Write actions into shared memory; False where they do not just fit, and must go by message.

        Args:
            actions: a batch, an element of the action space.
            env_ids: whose actions these are; all by default.
            n: number of environments that act; -1 for all.
        """
        return bool(self._actions) and self._action_reader.write(self._actions, actions, env_ids, n)

    def split_actions(self, actions: Any, n: int) -> list[Any]:
        """The action of each environment; their number is checked before any environment acts.

        Args:
            actions: a batch, an element of the action space.
            n: number of environments that act.
        """
        return split_actions(self._iterate, self._spaces.action_space, actions, n)

    def written_actions(self, env_ids: NDArray[np.int64]) -> list[Any]:
        """The actions of some environments that `write_actions` has written.

        Args:
            env_ids: indices, in the order in which their actions are wanted.
        """
        rows = [leaf[env_ids] for leaf in self._actions]
        return self.split_actions(self._action_reader.nested(rows), len(env_ids))

    def choose_actions(self, actions: Any, env_ids: NDArray[np.int64]) -> Any:
        """A batch of the actions of some environments, out of one for all.

        Args:
            actions: a batch for all environments.
            env_ids: indices, in the order in which their actions are wanted.
        """
        if type(actions) is np.ndarray and actions.shape[:1] == (self.num_envs,):
            return actions[env_ids]
        items, single = self.split_actions(actions, self.num_envs), self._spaces.single_action_space
        chosen = [items[i] for i in env_ids.tolist()]
        if isinstance(self._spaces.action_plan.tree, int):  # an action of another dtype is handed on as it is
            with contextlib.suppress(ValueError):
                joined = np.asarray(chosen)
                return joined if joined.dtype == single.dtype else chosen
            return chosen
        return concatenate(single, chosen, create_empty_array(single, len(chosen)))

    # Batches

    def observations(self, *, copy: bool) -> Any:
        """The batch of all observations.

        Args:
            copy: whether they are arrays of their own, and no views of the buffer.
        """
        return self._reader.batch(self._buffers[self.buffer], copy=copy)

    def reset_batch(self, env_ids: Sequence[int], messages: Sequence[SideMessage], *, copy: bool) -> Any:
        """(observations, infos) after a reset of some environments.

        Args:
            env_ids: indices of those that were reset.
            messages: that came with the answers.
            copy: as of `batch`.
        """
        self._terminations[env_ids] = self._truncations[env_ids] = False
        self._started[env_ids] = True
        self._note_ready()
        self.apply(messages)
        return self.observations(copy=copy), self._infos(messages)

    def batch(self, messages: Sequence[SideMessage], *, copy: bool) -> Any:
        """What a step of all environments returns.

        Args:
            messages: that came with the answers.
            copy: whether observations are arrays of their own, and no views of the buffer.
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
        """What a step of the environments of a mask returns, once `apply` has had the messages.

        Args:
            mask: bool, of shape (num_envs,): which environments acted.
            messages: that came with the answers.
            copy: as of `batch`.
        """
        rewards = np.where(mask, self._rewards, 0.0)
        terminations, truncations = self._terminations & mask, self._truncations & mask
        if self._is_reset_manual:
            self._note_ready()
        infos = self._infos(messages) if messages else {}
        return self.observations(copy=copy), rewards, terminations, truncations, infos

    def partial_batch(self, env_ids: list[int], messages: Sequence[SideMessage]) -> Any:
        """What `recv` returns for some environments, in this order, once `apply` has had the messages.

        Args:
            env_ids: indices, in the order of the results.
            messages: that came with the answers.
        """
        rows = np.array(env_ids, np.int64)
        terminations, truncations = self._terminations[rows], self._truncations[rows]
        if self._is_reset_manual:
            self._note_ready()
        infos = self._infos(messages, env_ids) if messages else {}
        observations = self._reader.some(self._buffers[0], rows)
        return observations, self._rewards[rows], terminations, truncations, infos, rows

    def apply(self, messages: Iterable[SideMessage]) -> None:
        """Take in what of observations came by message.

        Args:
            messages: of the workers, in any order.
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
        """The infos of a step, batched; of some environments, in this order, where they are given."""
        n = self.num_envs if env_ids is None else len(env_ids)
        pairs = [pair for message in messages for pair in message.infos]
        if env_ids is not None:
            position = {i: k for k, i in enumerate(env_ids)}
            pairs = [(position[i], info) for i, info in pairs]
        pairs.sort(key=itemgetter(0))
        return batch_infos(pairs, n)

    # Which environments may step

    def _note_ready(self) -> None:
        self.ready = bool(self._started.all()) and not (self._is_reset_manual and self._ended().any())

    def _ended(self) -> NDArray[np.bool_]:
        """Return the environments whose episode ended in their last step."""
        return self._terminations | self._truncations

    def require_reset(self, env_ids: Sequence[int]) -> None:
        """Note that environments failed, and cannot step before they are reset.

        Args:
            env_ids: indices of the environments.
        """
        self._started[env_ids] = False
        self.ready = False

    def drop(self, messages: Iterable[SideMessage]) -> None:
        """Note that the caller does not get the results of a step or a reset.

        The environments have acted nevertheless: `messages` bring the observations up to date, and the next step
        looks again which environments wait for a reset.

        Args:
            messages: of the results that arrived.
        """
        self.apply(messages)
        self.ready = self.ready and not self._is_reset_manual

    def assert_ready(self, env_ids: Any = ...) -> None:
        """Refuse to step environments that wait for a reset.

        Args:
            env_ids: indices, or a mask; all by default.
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

    # Workers that ended

    def in_episode(self, env_id: int) -> bool:
        """Return whether an environment, of which no result is awaited, is in the middle of an episode.

        Args:
            env_id: its index.
        """
        over = bool(self._terminations[env_id] or self._truncations[env_id])
        return bool(self._started[env_id]) and (self.autoreset_mode is AutoresetMode.SAME_STEP or not over)

    def save_rows(self, env_ids: NDArray[np.int64]) -> None:
        """Keep the observations of environments that are about to write into the same buffer.

        Args:
            env_ids: indices of these environments.
        """
        if not self._saved:
            self._saved = [np.empty_like(leaf) for leaf in self._buffers[self.buffer]]
        for saved, leaf in zip(self._saved, self._buffers[self.buffer], strict=True):
            saved[env_ids] = leaf[env_ids]

    def restore_rows(self, env_ids: Sequence[int]) -> None:
        """Put back what `save_rows` kept of environments that wrote nothing, or only a part, before they were lost.

        Args:
            env_ids: indices of these environments.
        """
        for saved, leaf in zip(self._saved, self._buffers[self.buffer], strict=False):
            leaf[env_ids] = saved[env_ids]

    def last_observations(self, *, previous: bool) -> list[Any]:
        """Return the last observation of each environment; None if no environment has one.

        Args:
            previous: whether the environments were writing into the buffer of the ring, so that the last complete
                observations are in the buffer before.
        """
        if not self._started.any():
            return [None] * self.num_envs
        batch = self._reader.batch(self._buffers[self.buffer - previous], copy=True)
        found = list(iterate(self._spaces.observation_space, batch))
        if len(found) < self.num_envs:  # a space without parts, such as an empty Tuple, has one element
            found = [create_zero_array(self._spaces.single_observation_space)] * self.num_envs
        return found
