"""`ShardPool`, the base class of pools: it sends requests to the right workers and counts restarts."""

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
    """The base class of the pools of backends. A subclass adds the methods of `Pool` that wait for workers.

    Args:
        workers: the workers. Each worker is a `PoolWorker` that also has a `number` and a method
            `spaces(position, data, by_name)`, which returns the spaces that the worker pickled as `data`, or the spaces
            of the environment at this position of the worker's shard if `data` cannot be unpickled.
        num_envs: the number of environments.
        max_restarts: the largest number of restarts of an environment; None for no limit.
    """

    single_steps = False
    """Whether the pool has `submit_steps`, `wait_steps` and `poll_steps`, for `send`, `recv` and `step_masked`."""
    spaces: list[tuple[Any, Any]]
    """The observation space and the action space of each environment, set by `describe`."""
    metadata: dict[str, Any]
    """The metadata of environment 0."""
    render_mode: str | None
    """The render mode of environment 0."""

    def __init__(self, workers: Sequence[Any], num_envs: int, max_restarts: int | None) -> None:
        self.workers, self.num_envs = workers, num_envs
        self._max_restarts, self._restarts = max_restarts, [0] * num_envs
        self._waiting: Sequence[Any] = []
        """The workers that have not answered the last request yet."""
        self._last_reset: tuple[Seeds, dict[str, Any] | None] = [], None

    @staticmethod
    def shares(env_fns: Sequence[Callable[[], Any]], n: int) -> list[tuple[int, Sequence[Callable[[], Any]]]]:
        """Divide the environments into shards of nearly equal size.

        Args:
            env_fns: the functions that create the environments.
            n: the number of shards.

        Returns:
            For each shard, the index of the first environment, and the functions.
        """
        bounds = [len(env_fns) * k // n for k in range(n + 1)]
        return [(first, env_fns[first:stop]) for first, stop in pairwise(bounds)]

    def describe(self, descriptions: Iterable[tuple[Any, Any]]) -> None:
        """Set the spaces, metadata and render mode from the descriptions that the workers sent.

        Args:
            descriptions: each worker, in order, with the result of `pickle_spaces` for its shard, the index into this
                result for each environment, and the pickled metadata and render mode.
        """
        known: dict[bytes, tuple[Any, Any]] = {}
        self.spaces = []
        for worker, (pickled_pairs, indices, metadata) in descriptions:
            pairs = []
            for j, (by_name, data) in enumerate(pickled_pairs):
                pair = known.get(data)
                if pair is None:
                    pair = worker.spaces(indices.index(j), data, by_name=by_name)
                    if data:  # spaces that cannot be pickled have no data and are not shared between workers
                        known[data] = pair
                pairs.append(pair)
            self.spaces += [pairs[j] for j in indices]
            if worker.number == 0:
                self.metadata, self.render_mode = pickle.loads(metadata)  # noqa: S301 - from this program's own worker

    def submit_reset(self, seeds: Seeds, options: dict[str, Any] | None, buffer: int) -> None:
        """Request a reset of the given environments.

        Args:
            seeds: a pair (index, seed or None) for each environment to reset.
            options: the options for all of these environments.
            buffer: the buffer of the ring for the observations.
        """
        self._last_reset = seeds, options
        requests = [(worker, _seeds_within(seeds, worker.indices)) for worker in self.workers]
        self._waiting = [worker for worker, own_seeds in requests if own_seeds]
        for worker, own_seeds in requests:
            if own_seeds:
                worker.request("reset", own_seeds, options, buffer)

    def last_reset(self, worker: Any) -> tuple[Seeds, dict[str, Any] | None]:
        """Return the seeds and options of the last `submit_reset` for one worker.

        Args:
            worker: the worker.

        Returns:
            A pair (position in the shard, seed) for each environment that was reset, and the options.
        """
        seeds, options = self._last_reset
        return _seeds_within(seeds, worker.indices), options

    def submit_call(self, kind: str, name: str, args: Any, kwargs: Any) -> None:
        """Request a call in every environment. The arguments are those of `EnvShard.call`.

        Args:
            kind: the kind of the call.
            name: the name of the method or attribute.
            args: the positional arguments for all environments.
            kwargs: the keyword arguments.
        """
        self._waiting = self.workers
        for worker in self.workers:
            worker.request("call", kind, name, self.own_arguments(kind, args, worker.indices), kwargs)

    @staticmethod
    def own_arguments(kind: str, args: Any, indices: range) -> Any:
        """Return the positional arguments of a call for some of the environments.

        Args:
            kind: the kind of the call; "set" and "masked" have one argument per environment.
            args: the positional arguments for all environments.
            indices: the indices of the environments.
        """
        return args[indices.start : indices.stop] if kind in {"set", "masked"} else args

    def is_idle(self) -> bool:
        """Return whether no worker reads actions in arrays for an earlier step."""
        return True

    def drop_steps(self) -> None:
        """Abandon the single steps that are under way."""

    def worker_of(self, env_id: int) -> Any:
        """Return the worker that steps an environment.

        Args:
            env_id: the index of the environment.
        """
        return next(worker for worker in self.workers if env_id in worker.indices)

    def may_restart(self, worker: Any) -> bool:
        """Return whether a worker that has ended may be restarted, because the limit of restarts is not reached.

        Args:
            worker: the worker.
        """
        return self._max_restarts is None or all(self._restarts[i] < self._max_restarts for i in worker.indices)

    def count_restart(self, worker: Any, error: WorkerError) -> None:
        """Count a restart of a worker that has ended, or raise an error if the limit of restarts is reached.

        Args:
            worker: the worker.
            error: the error with which the worker ended. It is raised if the limit is reached.

        Raises:
            WorkerError: the worker was restarted too often.
        """
        if not self.may_restart(worker):
            error.add_note(f"It was restarted {self._max_restarts} times, which is the limit (max_restarts).")
            raise error
        for i in worker.indices:
            self._restarts[i] += 1


def _seeds_within(seeds: Seeds, indices: range) -> Seeds:
    return [(i - indices.start, seed) for i, seed in seeds if i in indices]
