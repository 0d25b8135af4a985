"""The `Fragment` class, a mapping of collected arrays, and the `Outcome` class, a shard's response to a request."""

from __future__ import annotations

import copy
import pickle
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from gymkernel.ops import concatenate, create_empty_array
from gymkernel_tool_rollout.collecting.fitting import batch_of_one
from gymkernel_tool_rollout.collecting.tables import ALIGNMENT, ExtrasTable, Table
from gymkernel_util_vector.columns import RESULTS, column_plan

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from gymkernel_tool_rollout.collecting.errors import Failure
    from gymkernel_util_spaces.batches import BatchPlan

__all__ = ["Fragment", "FragmentArrays", "FragmentShape", "Outcome", "final_batch", "fragment_of"]

COLUMNS: Final = column_plan(**RESULTS, mask=np.bool_)
"""The array plan for the numbers of each environment in each time step."""
HEADER: Final = ALIGNMENT
"""The size of the header of shared memory in bytes. The header contains the shard's current time step."""


@dataclass(frozen=True, slots=True)
class FragmentShape:
    """A description of a fragment's arrays, from which all processes compute the same offsets in shared memory."""

    rows: int
    """The number of time steps."""
    n: int
    """The number of environments."""
    observations: BatchPlan
    """The array plan for observations."""
    actions: BatchPlan
    """The array plan for actions."""
    extras: BatchPlan | None
    """The array plan for extras. None if the policy returns no extras."""

    def __reduce__(self) -> Any:  # the pickled shapes are cached because the same shapes are sent repeatedly
        return _read_shape, (_pickle_shape(self),)

    def plans(self) -> dict[str, tuple[BatchPlan, int]]:
        """Return the array plan and the number of time steps of each table, in the order of the tables in memory."""
        plans = {
            "columns": (COLUMNS, self.rows),
            "observations": (self.observations, self.rows),
            "last_observations": (self.observations, 1),
            "actions": (self.actions, self.rows),
        }
        return plans if self.extras is None else {**plans, "extras": (self.extras, self.rows)}

    def size(self) -> int:
        """Return the size of the shared memory in bytes."""
        end = HEADER
        for plan, rows in self.plans().values():
            end = plan.place(rows * self.n, end, ALIGNMENT)[1]
        return end


def _pickle_shape(shape: FragmentShape) -> bytes:
    for known, data in _pickled_shapes:
        if known is shape or known == shape:
            return data
    data = pickle.dumps((shape.rows, shape.n, shape.observations, shape.actions, shape.extras))
    _pickled_shapes.appendleft((shape, data))
    return data


_pickled_shapes: deque[tuple[FragmentShape, bytes]] = deque(maxlen=8)


@lru_cache(maxsize=64)
def _read_shape(data: bytes) -> FragmentShape:
    return FragmentShape(*pickle.loads(data))  # noqa: S301 - the worker process is trusted


class FragmentArrays:
    """The arrays that store a fragment's data.

    Args:
        shape: the description of the arrays.
        memory: the buffer in which the arrays are placed; None to allocate new arrays.
    """

    def __init__(self, shape: FragmentShape, memory: Any = None) -> None:
        self.shape, end = shape, HEADER
        self.tables: dict[str, Table] = {}
        for name, (plan, rows) in shape.plans().items():
            kind = ExtrasTable if name == "extras" else Table
            self.tables[name] = kind(plan, rows, shape.n, memory, end, what=name)
            end = self.tables[name].end

    def cut(self, rows: int) -> None:
        """Keep only the first `rows` time steps."""
        for name, table in self.tables.items():
            if name != "last_observations":
                table.cut(rows)

    def objects(self) -> dict[str, list[Any]]:
        """Return the values that cannot be stored in numeric arrays, keyed by table."""
        return {name: table.objects for name, table in self.tables.items() if table.objects}


@dataclass(slots=True)
class Outcome:
    """A shard's response to a request: either a fragment or a failure.

    Attributes:
        serial: the fragment's sequence number within its shard.
        version: the version of the policy that chose the actions.
        shape: the description of the fragment's arrays.
        rows: the number of time steps that were collected.
        arrays: the fragment's arrays; None if they are in shared memory.
        objects: the values that cannot be stored in numeric arrays, keyed by table.
        ends: the fragment's arrays with one item for each episode that ended, keyed by name.
        seconds: how long the shard took to collect the fragment, in seconds.
        failure: a record of the failure, or None on success. After a failure, only `serial`, `generation` and this
            attribute are set.
        generation: how many times the shard had been restarted when the request was made; None if the engine does not
            track this.
    """

    serial: int
    version: int = 0
    shape: FragmentShape | None = None
    rows: int = 0
    arrays: Any = None
    objects: dict[str, list[Any]] = field(default_factory=dict)
    ends: dict[str, Any] = field(default_factory=dict)
    seconds: float = 0.0
    failure: Failure | None = None
    generation: int | None = None

    def __reduce__(self) -> Any:
        # This method is ten times as fast as the default method of a slotted dataclass.
        return Outcome, tuple(getattr(self, name) for name in self.__slots__)


class Fragment(Mapping[str, Any]):
    """A mapping of arrays that contain consecutive time steps of one shard's environments.

    For T time steps, n environments and E episodes that ended, the mapping contains:

    * `observations`: the observations that the policy received, of shape (T, n, ...), nested like the observation
      space.
    * `actions`: the actions that the policy chose, of shape (T, n, ...).
    * `rewards`, `terminations`, `truncations`: arrays of float64, bool and bool, of shape (T, n).
    * `mask`: a Boolean array of shape (T, n) that is False where an environment did not act because it had already
      completed its share of `num_episodes`.
    * `last_observations`: the observations after the last step, of shape (n, ...). If an episode ended in that step,
      the observation belongs to the next episode.
    * `episode_ends`: the time step and the environment of each episode's last step, of shape (E, 2), in chronological
      order.
    * `episode_returns`, `episode_lengths`: the returns and lengths of these episodes, including steps in earlier
      fragments, of shape (E,).
    * `final_observations`: the final observations of these episodes, of shape (E, ...).
    * `extras`: the additional arrays that the policy returned, keyed by name, of shape (T, n, ...).

    Values that cannot be stored in numeric arrays (elements of `Graph`, `Sequence` and `Text`) are in object arrays.

    Args:
        values: the arrays, keyed by name.
        shard: the index of the shard.
        indices: the indices of the shard's environments among all environments.
        outcome: the shard's response, which contains the fragment's number, policy version and duration.

    Attributes:
        shard: the index of the shard.
        number: the fragment's sequence number within its shard.
        indices: the indices of the shard's environments among all environments.
        policy_version: the version of the policy that chose the actions. The initial policy has version 0, and each
            update increases the version by one.
        seconds: how long the shard took to collect the fragment, in seconds.
    """

    def __init__(self, values: dict[str, Any], shard: int, indices: range, outcome: Outcome) -> None:
        self._values = values
        self.shard, self.number, self.indices = shard, outcome.serial, indices
        self.policy_version, self.seconds = outcome.version, outcome.seconds

    def __getitem__(self, name: str) -> Any:
        return self._values[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    @property
    def num_steps(self) -> int:
        """The number of steps, summed over all environments."""
        return int(np.count_nonzero(self._values["mask"]))

    @property
    def num_episodes(self) -> int:
        """The number of episodes that ended."""
        return len(self._values["episode_ends"])

    def copy(self) -> Fragment:
        """Copy the fragment into new, writable arrays."""
        return copy.deepcopy(self)

    def __repr__(self) -> str:
        rows, n = self._values["rewards"].shape
        return (
            f"Fragment(shard={self.shard}, number={self.number}, {rows} steps of {n} environments, "
            f"policy_version={self.policy_version})"
        )


def fragment_of(outcome: Outcome, shard: int, indices: range, memory: Any = None) -> Fragment:
    """Create the fragment that an outcome describes.

    Args:
        outcome: the shard's response, which must not be a failure.
        shard: the index of the shard.
        indices: the indices of the shard's environments among all environments.
        memory: the shared memory that contains the arrays; None if the outcome contains them.
    """
    arrays: FragmentArrays = outcome.arrays
    if arrays is None:
        assert outcome.shape is not None  # noqa: S101 - tells type checkers that the outcome has a shape
        arrays = FragmentArrays(outcome.shape, memory)
        arrays.cut(outcome.rows)
        for name, objects in outcome.objects.items():
            arrays.tables[name].objects = objects
    tables = arrays.tables
    values = {
        "observations": tables["observations"].nested(),
        "actions": tables["actions"].nested(),
        **tables["columns"].nested(),
        "last_observations": tables["last_observations"].nested(0),
        **outcome.ends,
        "extras": tables["extras"].nested() if "extras" in tables else {},
    }
    return Fragment(values, shard, indices, outcome)


def final_batch(plan: BatchPlan, space: Any, elements: Sequence[Any]) -> Any:
    """Batch the final observations of episodes, with the same structure as a fragment's observations.

    Args:
        plan: the array plan for observations.
        space: the observation space of one environment.
        elements: the final observation of each episode.
    """
    n = len(elements)
    if plan.dense and n:
        return concatenate(space, elements, create_empty_array(space, n))
    table = Table(plan, n, 1, what="final observations")
    table.keep_objects(space)
    for k, element in enumerate(elements):
        table.put(k, batch_of_one(plan.tree, element))
    return table.nested((slice(None), 0))
