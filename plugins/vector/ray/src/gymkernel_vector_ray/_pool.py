"""`ActorPool`: the actors of a vector environment: what they are asked, what they answer, and how they are stopped."""

from __future__ import annotations

import pickle
import time
from itertools import count
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from gymkernel.error import ClosedEnvironmentError
from gymkernel_util_vector.processes.pickling import dumps
from gymkernel_util_vector.shards.shard_pool import ShardPool
from gymkernel_vector_ray._actor_handle import ActorHandle
from gymkernel_vector_ray._errors import BEGUN_ANEW, LIMIT_REACHED, STATE_LOST, death_error, late_error
from gymkernel_vector_ray._resources import warn_of_small_store
from gymkernel_vector_ray._starting import ActorStarter
from gymkernel_vector_ray._waiting import fetch, remaining

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from gymkernel_util_spaces.batches import BatchPlan
    from gymkernel_util_vector.ray_cluster.connection import ClusterConnection
    from gymkernel_util_vector.shards.errors import WorkerError, WorkerTimeoutError
    from gymkernel_util_vector.shards.messages import Failure, ShardSettings, SideMessage
    from gymkernel_util_vector.shards.pending_steps import PendingSteps
    from gymkernel_util_vector.shards.pool import Answers

__all__ = ["ActorPool"]

CLOSE_TIMEOUT: Final = 10.0
"""Seconds for environments to close."""
GRACE_PERIOD: Final = 1.0
"""Seconds for that where an actor is busy with something else."""


class ActorPool(ShardPool):
    """The actors that step environments.

    Args:
        env_fns: functions that make the environments.
        settings: how they are stepped.
        num_workers: number of actors.
        cluster: where they run.
        options: for Ray, of each actor.
        start_timeout: seconds for actors to be placed and started.
        deadline: for the environments to be made.
    """

    single_steps = True

    def __init__(
        self,
        env_fns: Sequence[Callable[[], Any]],
        settings: ShardSettings,
        num_workers: int,
        *,
        cluster: ClusterConnection,
        options: dict[str, Any],
        start_timeout: float,
        deadline: float | None,
    ) -> None:
        self._settings, self._cluster = settings, cluster
        self._starter = ActorStarter(options, start_timeout)
        workers = [
            ActorHandle(number, first, functions, settings, options)
            for number, (first, functions) in enumerate(self.shares(env_fns, num_workers))
        ]
        super().__init__(workers, len(env_fns), settings.max_restarts)
        self._step_numbers = count(1)
        self._calls: dict[Any, tuple[ActorHandle, list[int]]] = {}
        """Single steps under way: the actor and its environments, by the reference of the answer."""
        self._together = False
        """Whether all of these steps are waited for, so that each call may be one of several environments."""
        self._deadline_after_restart = 0.0
        self._closed = False
        self._plans = b""
        self._arrays: dict[str, Any] = {}
        self._observations: list[list[Any]] = []
        try:
            self.describe(self._starter.start(self.workers, deadline))
        except BaseException:
            self.stop(timeout=None, terminate=True)
            raise

    def attach(self, plan: BatchPlan, action_plan: BatchPlan, ring: int) -> tuple[dict[str, Any], list[list[Any]]]:
        """Make the arrays of the batch, here and in the actors; those by name, and those of observations.

        Args:
            plan: of observations.
            action_plan: of actions.
            ring: number of buffers for observations.
        """
        n = self.num_envs
        self._arrays = {
            "rewards": np.zeros(n),
            "terminations": np.zeros(n, np.bool_),
            "truncations": np.zeros(n, np.bool_),
            "actions": [] if action_plan.object_parts else action_plan.arrays(n),
        }
        self._observations = [plan.arrays(n) for _ in range(ring)]
        if action_plan.object_parts:
            action_plan = type(action_plan)((), (), action_plan.object_parts, action_plan.tree)
        self._plans = dumps((plan, action_plan))
        size = sum(leaf.nbytes for leaf in self._observations[0])
        shares = [(worker.place, size * len(worker.indices) // n) for worker in self.workers]
        warn_of_small_store(size, [(place.node_id, share) for place, share in shares if place is not None])
        for worker in self.workers:
            worker.attach(self._plans)
        return self._arrays, self._observations

    # Requests and answers

    def assert_connected(self) -> None:
        """Refuse to go on once Ray was shut down."""
        if not self._cluster.is_connected():
            raise ClosedEnvironmentError("Ray was shut down, and the environments with it; make a new RayVectorEnv")

    def submit_step(self, actions: Sequence[Any] | None, buffer: int) -> None:
        """Step every environment with these actions, or with those in the arrays."""
        self.assert_connected()
        self._waiting, number = self.workers, next(self._step_numbers)
        try:
            self._post_step(number, actions, buffer)
        except BaseException:  # Ctrl-C: some of the actors have no request; for the others it is the same step
            self._post_step(number, actions, buffer)
            raise

    def _post_step(self, number: int, actions: Sequence[Any] | None, buffer: int) -> None:
        for worker in self.workers:
            rows = slice(worker.indices.start, worker.indices.stop)
            if actions is None:
                worker.step(number, [leaf[rows] for leaf in self._arrays["actions"]], None, buffer)
            else:
                worker.step(number, [], actions[rows], buffer)

    def submit_reset(self, seeds: list[tuple[int, int | None]], options: dict[str, Any] | None, buffer: int) -> None:
        """Begin episodes in some environments, each (index, seed)."""
        self.assert_connected()
        super().submit_reset(seeds, options, buffer)

    def submit_call(self, kind: str, name: str, args: Any, kwargs: Any) -> None:
        """Call something of every environment; arguments as of `EnvShard.call`."""
        self.assert_connected()
        super().submit_call(kind, name, args, kwargs)

    def wait(self, deadline: float | None) -> Answers:
        """Wait for the answers to the last request: messages, the actors that are late, those that have ended."""
        return self._answers(self._waiting, deadline)

    def wait_for(self, worker: ActorHandle, deadline: float | None) -> Answers:
        """Wait for the answer to the last request to one actor, which may have been started again late; as `wait`."""
        return self._answers([worker], None if deadline is None else max(deadline, self._deadline_after_restart))

    def _answers(self, workers: Sequence[ActorHandle], deadline: float | None) -> Answers:
        self.assert_connected()  # otherwise Ray would start here, to wait
        found, late, dead = fetch(workers, deadline, first_death=not self._settings.restart)
        messages = [self._take(answer, worker.rows, worker.buffer, worker.with_rewards) for worker, answer in found]
        return [message for message in messages if message is not None], list(late), list(dead)

    def _take(self, answer: Any, rows: Any, buffer: int, with_rewards: bool) -> SideMessage | None:
        """Write the arrays of an answer into the batch, and return its message.

        Args:
            answer: rewards, terminations, truncations and the leaves of observations; and the pickled message.
            rows: of the batch; None if the answer has no arrays.
            buffer: for the observations.
            with_rewards: whether the first three arrays are written, too.
        """
        columns, data = answer
        if columns and rows is not None:
            if with_rewards:
                for name, column in zip(("rewards", "terminations", "truncations"), columns, strict=False):
                    self._arrays[name][rows] = column
            for leaf, column in zip(self._observations[buffer], columns[3:], strict=True):
                leaf[rows] = column
        return None if data is None else pickle.loads(data)  # noqa: S301 - of our actor

    # Single steps

    def may_write_actions(self) -> bool:
        """Return False: the actions of single steps travel with the request of each actor."""
        return False

    def submit_steps(
        self,
        pending: PendingSteps,
        env_ids: NDArray[np.int64],
        actions: Sequence[Any] | None,
        buffer: int,
        *,
        together: bool,
    ) -> None:
        """Step some environments, each by a call of its own, or by one call for each actor if all are waited for."""
        self._calls = {ref: call for ref, call in self._calls.items() if pending.awaited_of(call[1])}
        self._together = together
        given = dict(zip(env_ids.tolist(), actions or [], strict=True))
        self.assert_connected()
        for worker in self.workers:
            own = [i for i in given if i in worker.indices]
            for ids in [own] if together and own else [[i] for i in own]:
                self._calls[worker.step_some(ids, [given[i] for i in ids])] = worker, ids

    def wait_steps(self, pending: PendingSteps, wanted: int, deadline: float | None) -> list[ActorHandle]:
        """Note results until so many are ready, or the deadline has passed; return actors that ended before."""
        import ray

        self._calls = {ref: call for ref, call in self._calls.items() if pending.awaited_of(call[1])}
        while len(pending.ready) < wanted:
            self.assert_connected()  # otherwise Ray would start here, to wait
            calls = 1 if self._together else min(wanted - len(pending.ready), len(self._calls))
            refs, _ = ray.wait(list(self._calls), num_returns=calls, timeout=remaining(deadline))
            dead = self._collect(pending, refs)
            if dead or not refs:
                return dead
        return []

    def _collect(self, pending: PendingSteps, refs: list[Any]) -> list[ActorHandle]:
        """Note results that are ready, and return the actors that have ended, whose calls stay."""
        import ray

        dead: dict[int, ActorHandle] = {}
        for ref in refs:
            worker, ids = self._calls[ref]
            try:
                message = self._take(ray.get(ref), ids, 0, True)
            except ray.exceptions.RayError as exc:
                worker.death = exc
                dead[worker.number] = worker
                continue
            del self._calls[ref]
            pending.note_answer(ids, message)
        return list(dead.values())

    def poll_steps(self, pending: PendingSteps, deadline: float | None) -> bool:
        """Sleep until a result is ready or an actor has ended; return False if the deadline passes before."""
        import ray

        self.assert_connected()
        return bool(pending.ready or ray.wait(list(self._calls), num_returns=1, timeout=remaining(deadline))[0])

    def drop_steps(self) -> None:
        """Forget the single steps that are under way."""
        self._calls = {}

    # Failure and end

    def late_error(
        self, late: Sequence[ActorHandle], phase: str, timeout: float | None, indices: Sequence[int] | None = None
    ) -> WorkerTimeoutError:
        """What to raise for actors that are late, with these of their environments; None for all."""
        return late_error(late, phase, timeout, indices)

    def error_of(self, dead: Sequence[ActorHandle], phase: str) -> WorkerError:
        """What to raise for actors that have ended."""
        restarted = BEGUN_ANEW if all(map(self.may_restart, dead)) else LIMIT_REACHED
        return death_error(dead, phase, restarted if self._settings.restart else STATE_LOST)

    def start_again(self, worker: ActorHandle, deadline: float | None) -> None:
        """Start an actor that has ended again, with new environments.

        The cluster may take a while to notice that a node is lost, and to place an actor on another one: for that there
        is the time of a start, whatever the deadline.
        """
        seconds = max(self._starter.seconds, (remaining(deadline) or 0))
        try:
            self._starter.start_again(worker, seconds)
            worker.attach(self._plans)
        except BaseException:
            worker.end()
            raise
        self._deadline_after_restart = time.monotonic() + seconds

    def stop(self, *, timeout: float | None, terminate: bool) -> list[Failure]:
        """End all actors and give everything back; failures of environments that could not close."""
        if self._closed:
            return []
        self._closed = True
        failures: list[Failure] = []
        try:
            if self._cluster.is_connected():
                if not terminate:
                    failures = self._close_envs(timeout)
                for worker in self.workers:
                    worker.kill()
        finally:
            self._waiting = self.workers = []
            self._cluster.close()
        return failures

    def _close_envs(self, timeout: float | None) -> list[Failure]:
        """Ask actors to close their environments; what failed."""
        import ray

        refs = [worker.ref for worker in self.workers]
        idle = set(ray.wait(refs, num_returns=len(refs), timeout=0)[0])
        closing = {worker.ask_to_close(): worker.ref in idle for worker in self.workers}
        now, failures = time.monotonic(), list[Any]()
        for of_idle, seconds in ((True, CLOSE_TIMEOUT), (False, GRACE_PERIOD)):
            deadline = now + (seconds if timeout is None else timeout)
            for ref in (ref for ref, was_idle in closing.items() if was_idle is of_idle):
                try:
                    failures += pickle.loads(ray.get(ref, timeout=remaining(deadline)))  # noqa: S301 - as above
                except ray.exceptions.RayError:  # late, or gone
                    continue
        return failures
