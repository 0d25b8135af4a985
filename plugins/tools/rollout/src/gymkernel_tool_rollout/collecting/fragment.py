"""`Fragment`, time steps of a shard's environments as a mapping of arrays, and `Outcome`, the answer of a shard."""

from __future__ import annotations

import pickle
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from gymkernel.ops import concatenate, create_empty_array
from gymkernel_tool_rollout.collecting.extras import ExtrasTable
from gymkernel_tool_rollout.collecting.fitting import batch_of_one
from gymkernel_tool_rollout.collecting.tables import ALIGNMENT, Table

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from gymkernel_tool_rollout.collecting.errors import Failure
    from gymkernel_util_spaces.batches import BatchPlan

__all__ = ["Ends", "Fragment", "FragmentArrays", "FragmentShape", "Outcome", "final_batch", "fragment_of"]

COLUMNS: Final = {"rewards": np.float64, "terminations": np.bool_, "truncations": np.bool_, "mask": np.bool_}
HEADER: Final = ALIGNMENT
"""The size in bytes of the header of shared memory, which contains the current time step of the shard."""


@dataclass(frozen=True, slots=True)
class FragmentShape:
    """The description of a fragment's arrays, from which two processes compute the same offsets in shared memory."""

    rows: int
    """The number of time steps."""
    n: int
    """The number of environments."""
    observations: BatchPlan
    """The plan of observations."""
    actions: BatchPlan
    """The plan of actions."""
    extras: BatchPlan | None
    """The plan of extras, or None if the policy returns no extras."""

    def __reduce__(self) -> Any:  # shapes are cached in pickled form, because the same shapes are sent repeatedly
        return _read_shape, (_pickle_shape(self),)

    def size(self) -> int:
        """Return the size of the shared memory in bytes."""
        return FragmentArrays(self, measure=True).end


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
    return FragmentShape(*pickle.loads(data))  # noqa: S301 - from this program's own worker


class FragmentArrays:
    """The arrays of a fragment.

    Args:
        shape: the shape of the fragment.
        memory: the memory of the arrays; None to allocate new arrays.
        measure: whether to compute only `end`, the size in bytes, without creating arrays.
    """

    def __init__(self, shape: FragmentShape, memory: Any = None, *, measure: bool = False) -> None:
        self.shape, end = shape, HEADER
        rows, n = shape.rows, shape.n
        self.columns: dict[str, Any] = {}
        for name, dtype in COLUMNS.items():
            start, end = end, end + -(-rows * n * np.dtype(dtype).itemsize // ALIGNMENT) * ALIGNMENT
            if not measure:
                cells = (rows, n)
                self.columns[name] = (
                    np.zeros(cells, dtype) if memory is None else np.ndarray(cells, dtype, memory, start)
                )
        plans = {
            "observations": (shape.observations, rows),
            "last_observations": (shape.observations, 1),
            "actions": (shape.actions, rows),
        }
        if shape.extras is not None:
            plans["extras"] = shape.extras, rows
        self.tables: dict[str, Table] = {}
        for name, (plan, count) in plans.items():
            if measure:
                end = Table.size(plan, count * n, end)
            else:
                kind = ExtrasTable if name == "extras" else Table
                self.tables[name] = kind(plan, count, n, memory, end, what=name)
                end = self.tables[name].end
        self.end = end

    def cut(self, rows: int) -> None:
        """Remove the time steps from `rows` on."""
        self.columns = {name: column[:rows] for name, column in self.columns.items()}
        for name, table in self.tables.items():
            if name != "last_observations":
                table.cut(rows)

    def objects(self) -> dict[str, list[Any]]:
        """Return the parts that do not fit into arrays, by table."""
        return {name: table.objects for name, table in self.tables.items() if table.objects}


@dataclass(slots=True)
class Ends:
    """The episodes that ended in a fragment, in the order of time."""

    times: list[int] = field(default_factory=list)
    """The time step at which each episode ended."""
    indices: list[int] = field(default_factory=list)
    """The position of each episode's environment in the shard."""
    returns: list[float] = field(default_factory=list)
    """The return of each episode."""
    lengths: list[int] = field(default_factory=list)
    """The length of each episode in steps."""
    observations: Any = None
    """A batch of the final observations."""

    def __reduce__(self) -> Any:  # numbers are sent as bytes, because unpickling single numbers takes longer
        return _read_ends, (*(column.tobytes() for column in self.columns()), self.observations)

    def columns(self) -> list[Any]:
        """Return the times, indices, returns and lengths as arrays."""
        columns = (self.times, np.int64), (self.indices, np.int64), (self.returns, np.float64), (self.lengths, np.int64)
        return [np.array(column, dtype) for column, dtype in columns]


def _read_ends(times: bytes, indices: bytes, returns: bytes, lengths: bytes, observations: Any) -> Ends:
    columns = zip((times, indices, returns, lengths), (np.int64, np.int64, np.float64, np.int64), strict=True)
    each: list[Any] = [np.frombuffer(data, dtype) for data, dtype in columns]
    return Ends(each[0], each[1], each[2], each[3], observations)


@dataclass(slots=True)
class Outcome:
    """The answer of a shard to a request: a fragment or a failure.

    Attributes:
        serial: the number of the fragment in its shard.
        version: the version of the policy.
        shape: the shape of the fragment.
        rows: the number of time steps that were collected.
        arrays: the arrays of the fragment; None if they are in shared memory.
        objects: the parts that do not fit into arrays, by table.
        ends: the episodes that ended.
        seconds: the duration of the collection.
        failure: the failure, or None. With a failure, the other attributes except `serial` and `generation` are unset.
        generation: the generation of the request; None if the engine does not set it.
    """

    serial: int
    version: int = 0
    shape: FragmentShape | None = None
    rows: int = 0
    arrays: Any = None
    objects: dict[str, list[Any]] = field(default_factory=dict)
    ends: Ends = field(default_factory=Ends)
    seconds: float = 0.0
    failure: Failure | None = None
    generation: int | None = None

    def __reduce__(self) -> Any:  # ten times as fast as the method of a dataclass with slots
        return Outcome, tuple(getattr(self, name) for name in self.__slots__)


class Fragment(Mapping[str, Any]):
    """Time steps of the environments of one shard, as a mapping of arrays.

    With T time steps, n environments and E episodes that ended, the items are:

    * `observations`: the observations that the policy received, of shape (T, n, ...), nested like the observation
      space.
    * `actions`: the actions that the policy chose, of shape (T, n, ...).
    * `rewards`, `terminations`, `truncations`: arrays of float64, bool and bool, of shape (T, n).
    * `mask`: bool, of shape (T, n); False if an environment did not act, because it had completed its episodes
      (`num_episodes`).
    * `last_observations`: the observations after the last step, of shape (n, ...). If an episode ended in this step,
      the observation belongs to the next episode.
    * `episode_ends`: the time step and the environment of each episode's last step, of shape (E, 2), in the order of
      time.
    * `episode_returns`, `episode_lengths`: the returns and lengths of these episodes, of shape (E,), including their
      steps in earlier fragments.
    * `final_observations`: the final observations of these episodes, of shape (E, ...).
    * `extras`: the additional arrays that the policy returned, by name, of shape (T, n, ...).

    Parts of observations that do not fit into arrays (of `Graph`, `Sequence` and `Text`) are arrays of objects.

    Args:
        values: the arrays by name.
        shard: the number of the shard.
        indices: the indices of the shard's environments.
        outcome: the answer of the shard, which has the number, the policy version and the duration.

    Attributes:
        shard: the number of the shard.
        number: the number of the fragment in its shard.
        indices: the indices of the shard's environments among all environments.
        policy_version: the version of the policy: 0 for the first policy, and one more after each update.
        seconds: the time that the shard needed to collect the fragment.
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
        """The number of steps of single environments."""
        return int(np.count_nonzero(self._values["mask"]))

    @property
    def num_episodes(self) -> int:
        """The number of episodes that ended."""
        return len(self._values["episode_ends"])

    def copy(self) -> Fragment:
        """Return a copy of the fragment in new, writeable arrays."""
        other = object.__new__(type(self))
        vars(other).update(vars(self))
        other._values = _copy(self._values)
        return other

    def __repr__(self) -> str:
        rows, n = self._values["rewards"].shape
        return (
            f"Fragment(shard={self.shard}, number={self.number}, {rows} steps of {n} environments, "
            f"policy_version={self.policy_version})"
        )


def _copy(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _copy(part) for key, part in value.items()}
    if isinstance(value, tuple):
        parts = [_copy(part) for part in value]
        return type(value)._make(parts) if hasattr(value, "_make") else tuple(parts)
    return value.copy() if isinstance(value, np.ndarray) else value


def fragment_of(outcome: Outcome, shard: int, indices: range, memory: Any = None) -> Fragment:
    """Return the fragment of an outcome.

    Args:
        outcome: the answer of a shard.
        shard: the number of the shard.
        indices: the indices of the shard's environments.
        memory: the shared memory that contains the arrays, if the outcome has no arrays.
    """
    arrays: FragmentArrays = outcome.arrays
    if arrays is None:
        assert outcome.shape is not None  # noqa: S101 - for type checkers: an outcome without a failure has a shape
        arrays = FragmentArrays(outcome.shape, memory)
        arrays.cut(outcome.rows)
        for name, objects in outcome.objects.items():
            arrays.tables[name].objects = objects
    tables, ends = arrays.tables, outcome.ends
    times, indices_of_ends, returns, lengths = ends.columns()
    values = {
        "observations": tables["observations"].nested(),
        "actions": tables["actions"].nested(),
        **arrays.columns,
        "last_observations": tables["last_observations"].nested(0),
        "episode_ends": np.stack((times, indices_of_ends), 1),
        "episode_returns": returns,
        "episode_lengths": lengths,
        "final_observations": ends.observations,
        "extras": tables["extras"].nested() if "extras" in tables else {},
    }
    return Fragment(values, shard, indices, outcome)


def final_batch(plan: BatchPlan, space: Any, elements: Sequence[Any]) -> Any:
    """Return the final observations of episodes as one batch, in the structure of a fragment's observations.

    Args:
        plan: the plan of observations.
        space: the observation space of one environment.
        elements: the final observations.
    """
    n = len(elements)
    if plan.dense and n:
        return concatenate(space, elements, create_empty_array(space, n))
    table = Table(plan, n, 1, what="final observations")
    table.keep_objects(space)
    for k, element in enumerate(elements):
        table.put(k, batch_of_one(plan.tree, element))
    return table.nested((slice(None), 0))
