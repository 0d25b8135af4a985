"""The `ActorPool` class, which manages the actors of a vector environment and exchanges messages with them."""

from __future__ import annotations

import pickle
import time
from itertools import count
from typing import TYPE_CHECKING, Any, Final

from gymkernel.error import ClosedEnvironmentError
from gymkernel_util_vector.columns import RESULTS, column_plan
from gymkernel_util_vector.processes.pickling import dumps
from gymkernel_util_vector.shards.requests import remaining
from gymkernel_vector_ray._actor_handle import ActorHandle, fetch
from gymkernel_vector_ray._resources import warn_of_small_store
from gymkernel_vector_ray._starting import ActorStarter

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from gymkernel_util_spaces.batches import BatchPlan
    from gymkernel_util_vector.ray_cluster.connection import ClusterConnection
    from gymkernel_util_vector.shards.messages import Failure, ShardSettings, SideMessage
    from gymkernel_util_vector.shards.pending_steps import PendingSteps
    from gymkernel_util_vector.shards.shard_pool import Answers

__all__ = ["ActorPool"]

CLOSE_TIMEOUT: Final = 10.0
"""How many seconds the environments may take to close."""
GRACE_PERIOD: Final = 1.0
"""How many seconds the environments may take to close if their actor is still busy."""


class ActorPool(ActorStarter):
    """A pool of Ray actors that step the environments of a vector environment.

    Args:
        env_fns: functions that create the environments.
        settings: the settings of all shards.
        num_workers: the number of actors.
        cluster: the connection to the cluster in which the actors run.
        options: the options with which Ray creates each actor.
        start_timeout: how many seconds Ray may take to place and start the actors.
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
    ) -> None:
        workers = [ActorHandle(share, options) for share in self.shares(env_fns, num_workers, settings)]
        super().__init__(workers, len(env_fns), settings)
        self._cluster, self._options, self._seconds = cluster, options, start_timeout
        self._step_numbers = count(1)
        self._calls: dict[Any, tuple[ActorHandle, list[int]]] = {}
        """The pending single steps: maps Ray's reference to each response to the actor and its environments."""
        self._together = False
        """Whether the caller waits for all pending steps, so that one Ray call may step several environments."""
        self._closed = False
        self._arrays: dict[str, Any] = {}
        self._observations: list[list[Any]] = []

    def attach(self, plan: BatchPlan, action_plan: BatchPlan, ring: int) -> tuple[dict[str, Any], list[list[Any]]]:
        """Create the arrays of the batch, in this process and in the actors. See `ShardPool.attach`."""
        n = self.num_envs
        results = column_plan(**RESULTS)
        self._arrays = {**results.nested(results.arrays(n)), "actions": action_plan.arrays(n)}
        self._observations = [plan.arrays(n) for _ in range(ring)]
        self._plans = dumps((plan, action_plan))
        size = sum(leaf.nbytes for leaf in self._observations[0])
        shares = [(worker.place, size * len(worker.indices) // n) for worker in self.workers]
        warn_of_small_store(size, [(place.node_id, share) for place, share in shares if place is not None])
        for worker in self.workers:
            worker.attach(self._plans)
        return self._arrays, self._observations

    # Requests and answers

    def assert_connected(self) -> None:
        """Raise an error if Ray has been shut down."""
        if not self._cluster.is_connected():
            raise ClosedEnvironmentError("Ray was shut down, which ended the environments; create a new RayVectorEnv")

    def submit_step(self, actions: Sequence[Any] | None, buffer: int) -> None:
        """Ask the actors to step all environments.

        Args:
            actions: the actions; None to use the actions in the arrays.
            buffer: the index of the observation buffer in the ring.
        """
        self._waiting, number = self.workers, next(self._step_numbers)
        try:
            self._post_step(number, actions, buffer)
        except BaseException:  # some actors may not have received the request; the others ignore the repetition
            self._post_step(number, actions, buffer)
            raise

    def _post_step(self, number: int, actions: Sequence[Any] | None, buffer: int) -> None:
        for worker in self.workers:
            rows = slice(worker.indices.start, worker.indices.stop)
            if actions is None:
                worker.step(number, [leaf[rows] for leaf in self._arrays["actions"]], None, buffer)
            else:
                worker.step(number, [], actions[rows], buffer)

    def wait(self, deadline: float | None) -> Answers:
        """Wait for the responses to the latest request.

        Args:
            deadline: when to stop waiting, as a time on the monotonic clock; None for no limit.

        Returns:
            The messages, the actors that have not answered in time, and the actors that have died.
        """
        return self._answers(self._waiting, deadline)

    def wait_for(self, worker: ActorHandle, deadline: float | None) -> Answers:
        """Wait for one actor's response to its latest request. The result is the same as for `wait`.

        An actor that was restarted always has enough time to start, even if the deadline is earlier.
        """
        return self._answers([worker], None if deadline is None else max(deadline, self._deadline_after_restart))

    def _answers(self, workers: Sequence[ActorHandle], deadline: float | None) -> Answers:
        # Without this check, waiting would start Ray.
        self.assert_connected()
        answers, late, dead = fetch(workers, deadline, first_death=not self._restart)
        messages = [self._write(answer, worker.rows, worker.buffer) for worker, answer in answers]
        return [message for message in messages if message is not None], list(late), list(dead)

    def _write(self, answer: Any, rows: Any, buffer: int) -> SideMessage | None:
        """Write a response's arrays into the batch, and return its message.

        Args:
            answer: an `Answer`, which contains arrays and a pickled message.
            rows: the rows of the batch; None if the response has no arrays.
            buffer: the index of the observation buffer in the ring.
        """
        columns, data = answer
        if columns:
            for name, column in zip(RESULTS, columns, strict=False):
                self._arrays[name][rows] = column
            for leaf, column in zip(self._observations[buffer], columns[3:], strict=True):
                leaf[rows] = column
        return None if data is None else pickle.loads(data)  # noqa: S301 - the actor is trusted

    # Steps of individual environments

    def may_write_actions(self) -> bool:
        """Return False, because the actions for individual steps are sent in the requests instead of in arrays."""
        return False

    def submit_steps(
        self, pending: PendingSteps, env_ids: NDArray[np.int64], actions: Sequence[Any] | None, *, together: bool
    ) -> None:
        """Ask the actors to step each of the given environments once.

        Args:
            pending: the record of pending steps, which already includes these steps.
            env_ids: the indices of the environments.
            actions: one action per environment.
            together: whether the caller waits for all results. If so, there is one Ray call per actor; otherwise, there
                is one per environment.
        """
        self._calls = {ref: call for ref, call in self._calls.items() if pending.awaited_of(call[1])}
        self._together = together
        action_of = dict(zip(env_ids.tolist(), actions or [], strict=True))
        for worker in self.workers:
            own = [i for i in action_of if i in worker.indices]
            for ids in [own] if together and own else [[i] for i in own]:
                self._calls[worker.step_some(ids, [action_of[i] for i in ids])] = worker, ids

    def wait_steps(self, pending: PendingSteps, wanted: int, deadline: float | None) -> list[ActorHandle]:
        """Collect results until enough results are ready or the deadline has passed.

        Args:
            pending: the record of pending steps, in which the results are stored.
            wanted: the number of results to wait for.
            deadline: when to stop waiting, as a time on the monotonic clock; None for no limit.

        Returns:
            The actors that died during the wait.
        """
        import ray

        self._calls = {ref: call for ref, call in self._calls.items() if pending.awaited_of(call[1])}
        while len(pending.ready) < wanted:
            # Without this check, waiting would start Ray.
            self.assert_connected()
            calls = 1 if self._together else min(wanted - len(pending.ready), len(self._calls))
            refs, _ = ray.wait(list(self._calls), num_returns=calls, timeout=remaining(deadline))
            dead = self._collect(pending, refs)
            if dead or not refs:
                return dead
        return []

    def _collect(self, pending: PendingSteps, refs: list[Any]) -> list[ActorHandle]:
        """Record the results of completed Ray calls. Return the actors that have died, whose calls stay pending."""
        import ray

        dead: dict[int, ActorHandle] = {}
        for ref in refs:
            worker, ids = self._calls[ref]
            try:
                message = self._write(ray.get(ref), ids, 0)
            except ray.exceptions.RayError as exc:
                worker.death = exc
                dead[worker.number] = worker
                continue
            del self._calls[ref]
            pending.note_answer(ids, message)
        return list(dead.values())

    def poll_steps(self, pending: PendingSteps, deadline: float | None) -> bool:
        """Sleep until a result is ready or an actor has died. Return False if the deadline passes before that.

        Args:
            pending: the record of pending steps.
            deadline: when to stop waiting, as a time on the monotonic clock; None for no limit.
        """
        import ray

        self.assert_connected()
        return bool(pending.ready or ray.wait(list(self._calls), num_returns=1, timeout=remaining(deadline))[0])

    def drop_steps(self) -> None:
        """Abandon all pending steps of individual environments."""
        self._calls = {}

    # Shutdown

    def stop(self, *, timeout: float | None, terminate: bool) -> list[Failure]:
        """Stop all actors and release all resources. Return the failures of environments that could not be closed.

        Args:
            timeout: how many seconds the environments may take to close; None for the default.
            terminate: whether to kill the actors without closing their environments.
        """
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
        """Ask the actors to close their environments, and return the failures."""
        import ray

        refs = [worker.ref for worker in self.workers]
        idle = set(ray.wait(refs, num_returns=len(refs), timeout=0)[0])
        closing = {worker.ask_to_close(): worker.ref in idle for worker in self.workers}
        now, failures = time.monotonic(), list[Any]()
        for idle_first, seconds in ((True, CLOSE_TIMEOUT), (False, GRACE_PERIOD)):
            deadline = now + (seconds if timeout is None else timeout)
            for ref in (ref for ref, was_idle in closing.items() if was_idle is idle_first):
                try:
                    data = ray.get(ref, timeout=remaining(deadline))
                except ray.exceptions.RayError:  # the actor is late or has died
                    continue
                failures += pickle.loads(data)  # noqa: S301 - the actor is trusted
        return failures
