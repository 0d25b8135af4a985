"""`ShardPool`: what pools of workers have in common, whatever a worker is: whom a request concerns, and restarts."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from gymkernel_util_vector.shards.errors import WorkerError

__all__ = ["ShardPool"]

Seeds = list[tuple[int, int | None]]


class ShardPool:
    """What the pool of a backend is derived from: a `Pool` by what it adds, which is how workers are waited for.

    Args:
        workers: each a `PoolWorker` that also has a `number`, and `spaces(position, data, by_name)`: those that it
            pickled as `data`, or where that cannot be loaded, those of the environment at that position of its shard.
        num_envs: number of environments.
        max_restarts: how often one environment may be made anew; None for no limit.
    """

    single_steps = False
    """Whether the pool has `submit_steps`, `wait_steps` and `poll_steps`, for `send`, `recv` and `step_masked`."""
    spaces: list[tuple[Any, Any]]
    """(observation space, action space) of each environment, once `describe` has them."""
    metadata: dict[str, Any]
    """Of environment 0."""
    render_mode: str | None
    """Of environment 0."""

    def __init__(self, workers: Sequence[Any], num_envs: int, max_restarts: int | None) -> None:
        self.workers, self.num_envs = workers, num_envs
        self._max_restarts, self._restarts = max_restarts, [0] * num_envs
        self._waiting: Sequence[Any] = []
        """Those of which an answer is awaited."""
        self._last_reset: tuple[Seeds, dict[str, Any] | None] = [], None

    @staticmethod
    def shares(env_fns: Sequence[Callable[[], Any]], n: int) -> list[tuple[int, Sequence[Callable[[], Any]]]]:
        """The environments in n parts that are as equal as can be: the index of the first one, and the functions.

        Args:
            env_fns: of all environments.
            n: number of parts.
        """
        bounds = [len(env_fns) * k // n for k in range(n + 1)]
        return [(first, env_fns[first:stop]) for first, stop in pairwise(bounds)]

    def describe(self, descriptions: Iterable[tuple[Any, Any]]) -> None:
        """Take in the spaces, metadata and render mode of all environments.

        Args:
            descriptions: each worker, in order, with what `pickle_spaces` made of the spaces of its shard, which of
                them each environment has, and the pickled metadata and render mode.
        """
        known: dict[bytes, tuple[Any, Any]] = {}
        self.spaces = []
        for worker, (pickled_pairs, indices, metadata) in descriptions:
            pairs = []
            for j, (by_name, data) in enumerate(pickled_pairs):
                pair = known.get(data)
                if pair is None:
                    pair = worker.spaces(indices.index(j), data, by_name=by_name)
                    if data:  # there is none where spaces cannot be pickled, and these are of this worker alone
                        known[data] = pair
                pairs.append(pair)
            self.spaces += [pairs[j] for j in indices]
            if worker.number == 0:
                self.metadata, self.render_mode = pickle.loads(metadata)  # noqa: S301 - of this program's own worker

    def submit_reset(self, seeds: Seeds, options: dict[str, Any] | None, buffer: int) -> None:
        """Have episodes begun in some environments.

        Args:
            seeds: (index, seed or None) of each.
            options: for all of them.
            buffer: of the ring, for the observations.
        """
        self._last_reset = seeds, options
        asked = [(worker, _within(seeds, worker.indices)) for worker in self.workers]
        self._waiting = [worker for worker, mine in asked if mine]
        for worker, mine in asked:
            if mine:
                worker.request("reset", mine, options, buffer)

    def last_reset(self, worker: Any) -> tuple[Seeds, dict[str, Any] | None]:
        """What the last `submit_reset` asked of a worker: (position in its shard, seed), and the options.

        Args:
            worker: one of them.
        """
        seeds, options = self._last_reset
        return _within(seeds, worker.indices), options

    def submit_call(self, kind: str, name: str, args: Any, kwargs: Any) -> None:
        """Have something asked of every environment.

        Args:
            kind: as of `EnvShard.call`, as are the others.
            name: of the method or attribute.
            args: for all environments.
            kwargs: arguments by name.
        """
        self._waiting = self.workers
        for worker in self.workers:
            worker.request("call", kind, name, self.own_arguments(kind, args, worker.indices), kwargs)

    @staticmethod
    def own_arguments(kind: str, args: Any, indices: range) -> Any:
        """The arguments of a call for some environments: "set" and "masked" have one for each.

        Args:
            kind: of the call.
            args: for all environments.
            indices: of those that are meant.
        """
        return args[indices.start : indices.stop] if kind in {"set", "masked"} else args

    def is_idle(self) -> bool:
        """Return whether no worker reads actions in arrays for an earlier step."""
        return True

    def drop_steps(self) -> None:
        """Forget the single steps that are under way."""

    def worker_of(self, env_id: int) -> Any:
        """The worker that steps an environment.

        Args:
            env_id: its index.
        """
        return next(worker for worker in self.workers if env_id in worker.indices)

    def may_restart(self, worker: Any) -> bool:
        """Whether a worker that has ended may be started again, by how often its environments were made anew.

        Args:
            worker: that has ended.
        """
        return self._max_restarts is None or all(self._restarts[i] < self._max_restarts for i in worker.indices)

    def count_restart(self, worker: Any, error: WorkerError) -> None:
        """Count that a worker is started again; raise where that may not be.

        Args:
            worker: that has ended.
            error: what it ended with, which is raised.

        Raises:
            WorkerError: it was started again too often.
        """
        if not self.may_restart(worker):
            error.add_note(f"It was started again {self._max_restarts} times, which is the limit (max_restarts).")
            raise error
        for i in worker.indices:
            self._restarts[i] += 1


def _within(seeds: Seeds, indices: range) -> Seeds:
    return [(i - indices.start, seed) for i, seed in seeds if i in indices]
