"""`Fragment`: some time steps of some environments, as a mapping of arrays; and what a shard hands over of one."""

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
"""Bytes at the start of shared memory: the time step at which the shard is."""


@dataclass(frozen=True, slots=True)
class FragmentShape:
    """Of what a fragment consists, so that two processes find the same arrays in the memory that they share."""

    rows: int
    n: int
    observations: BatchPlan
    actions: BatchPlan
    extras: BatchPlan | None

    def __reduce__(self) -> Any:  # the same ones again and again
        return _read_shape, (_pickled_shape(self),)

    def size(self) -> int:
        """Bytes of shared memory."""
        return FragmentArrays(self, measure=True).end


def _pickled_shape(shape: FragmentShape) -> bytes:
    for known, data in _pickled_shapes:
        if known is shape or known == shape:
            return data
    data = pickle.dumps((shape.rows, shape.n, shape.observations, shape.actions, shape.extras))
    _pickled_shapes.appendleft((shape, data))
    return data


_pickled_shapes: deque[tuple[FragmentShape, bytes]] = deque(maxlen=8)


@lru_cache(maxsize=64)
def _read_shape(data: bytes) -> FragmentShape:
    return FragmentShape(*pickle.loads(data))  # noqa: S301 - of this program's own worker


class FragmentArrays:
    """The arrays of a fragment.

    Args:
        shape: of it.
        memory: where they are; None makes them.
        measure: whether only `end` is wanted, the number of bytes.
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
        """Leave out the time steps from `rows` on."""
        self.columns = {name: column[:rows] for name, column in self.columns.items()}
        for name, table in self.tables.items():
            if name != "last_observations":
                table.cut(rows)

    def objects(self) -> dict[str, list[Any]]:
        """The parts that are in no array, by table."""
        return {name: table.objects for name, table in self.tables.items() if table.objects}


@dataclass(slots=True)
class Ends:
    """The episodes that ended in a fragment, in the order of time."""

    times: list[int] = field(default_factory=list)
    """Time step of the last step of each."""
    indices: list[int] = field(default_factory=list)
    """The environment."""
    returns: list[float] = field(default_factory=list)
    lengths: list[int] = field(default_factory=list)
    observations: Any = None
    """A batch of the final observations."""

    def __reduce__(self) -> Any:  # numbers as bytes: reading them one by one takes the program's time
        return _ends, (*(column.tobytes() for column in self.columns()), self.observations)

    def columns(self) -> list[Any]:
        """Times, indices, returns and lengths as arrays."""
        columns = (self.times, np.int64), (self.indices, np.int64), (self.returns, np.float64), (self.lengths, np.int64)
        return [np.array(column, dtype) for column, dtype in columns]


def _ends(times: bytes, indices: bytes, returns: bytes, lengths: bytes, observations: Any) -> Ends:
    columns = zip((times, indices, returns, lengths), (np.int64, np.int64, np.float64, np.int64), strict=True)
    each: list[Any] = [np.frombuffer(data, dtype) for data, dtype in columns]
    return Ends(each[0], each[1], each[2], each[3], observations)


@dataclass(slots=True)
class Outcome:
    """What a shard hands over: a fragment, or a failure.

    Attributes:
        serial: number of the fragment in its shard.
        version: of the policy.
        shape: of its arrays.
        rows: time steps that are filled.
        arrays: None where they are in shared memory.
        objects: parts that are in no array, by table.
        ends: the episodes that ended.
        seconds: that it took.
        failure: what went wrong; then there is nothing else.
        generation: of the request; None from an engine that does not say it.
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

    def __reduce__(self) -> Any:  # in a tenth of the time that a dataclass with slots takes
        return Outcome, tuple(getattr(self, name) for name in self.__slots__)


class Fragment(Mapping[str, Any]):
    """Some time steps of the environments of one shard, as a mapping of arrays.

    With T time steps, n environments and E episodes that ended:

    * `observations`: what the policy saw, (T, n, ...); nested as the observation space is.
    * `actions`: what it chose, (T, n, ...).
    * `rewards`, `terminations`, `truncations`: (T, n), of float64 and bool.
    * `mask`: (T, n), False where an environment did not act, because its episodes were enough (`num_episodes`).
    * `last_observations`: after the last step, (n, ...); of the next episode where one ended there.
    * `episode_ends`: (E, 2), time and environment of the last steps of episodes, in the order of time.
    * `episode_returns`, `episode_lengths`: (E,), also of what came before in earlier fragments.
    * `final_observations`: the last ones of these episodes, (E, ...).
    * `extras`: what the policy returned beside actions, by name, (T, n, ...).

    Parts of observations for which there are no arrays (of `Graph`, `Sequence`, `Text`) are arrays of objects.

    Args:
        values: the arrays by name.
        outcome: what else is known of it; the attributes below.

    Attributes:
        shard: the number of the shard.
        number: of the fragment in its shard.
        indices: of its environments, among all.
        policy_version: which policy made it: 0 for the first, one more for each update.
        seconds: that it took where it was made.
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
        """Steps of single environments."""
        return int(np.count_nonzero(self._values["mask"]))

    @property
    def num_episodes(self) -> int:
        """Episodes that ended."""
        return len(self._values["episode_ends"])

    def copy(self) -> Fragment:
        """The same in arrays of its own, that may be written to, whatever memory these are in."""
        other = object.__new__(type(self))
        vars(other).update(vars(self))
        other._values = _copied(self._values)
        return other

    def __repr__(self) -> str:
        rows, n = self._values["rewards"].shape
        return (
            f"Fragment(shard={self.shard}, number={self.number}, {rows} steps of {n} environments, "
            f"policy_version={self.policy_version})"
        )


def _copied(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _copied(part) for key, part in value.items()}
    if isinstance(value, tuple):
        parts = [_copied(part) for part in value]
        return type(value)._make(parts) if hasattr(value, "_make") else tuple(parts)
    return value.copy() if isinstance(value, np.ndarray) else value


def fragment_of(outcome: Outcome, shard: int, indices: range, memory: Any = None) -> Fragment:
    """The fragment that a shard handed over, in arrays of this process or of shared memory."""
    arrays: FragmentArrays = outcome.arrays
    if arrays is None:
        assert outcome.shape is not None  # noqa: S101 - for type checkers: there was no failure
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
    """Observations of episodes that ended as one batch, in the structure that those of a fragment have."""
    n = len(elements)
    if plan.dense and n:
        return concatenate(space, elements, create_empty_array(space, n))
    table = Table(plan, n, 1, what="final observations")
    table.keep_objects(space)
    for k, element in enumerate(elements):
        table.put(k, batch_of_one(plan.tree, element))
    return table.nested((slice(None), 0))
