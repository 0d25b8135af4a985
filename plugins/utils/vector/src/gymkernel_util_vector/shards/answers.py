"""The function `restart_worker`, which restarts a worker that has died and gets its response to the pending request."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from gymkernel_util_spaces.texts import add_note
from gymkernel_util_vector.shards.errors import WorkerError
from gymkernel_util_vector.shards.messages import SideMessage

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gymkernel_util_vector.shards.batches import BatchState
    from gymkernel_util_vector.shards.shard_pool import PoolWorker, ShardPool

__all__ = ["restart_worker"]

STARTS: Final = 10
"""The maximum number of attempts to start a worker in one restart."""


def restart_worker(
    pool: ShardPool,
    state: BatchState,
    worker: PoolWorker,
    phase: str,
    deadline: float | None,
    awaited: Sequence[int] | None = None,
) -> SideMessage:
    """Restart a worker that has died, and return its response to the pending request.

    If a step of an environment was requested, the response truncates the environment's episode. The episodes of the
    worker's other environments end in their next step. If the worker cannot respond, it is stopped, and the next
    request restarts it again.

    Args:
        pool: the pool that contains the worker.
        state: the state of the vector environment.
        worker: the worker that has died.
        phase: the pending request. If it is neither "step" nor "reset", an error is raised instead.
        deadline: the time by which the new environments must have been created and reset.
        awaited: the indices of the environments whose individual steps are pending, or None if the request was sent to
            all environments.
    """
    first, seeds = worker.indices.start, pool.last_reset(worker)[0]
    steps = worker.indices if awaited is None else awaited
    asked = {first + k for k, _ in seeds} if phase == "reset" else set(steps)
    lost = [i - first for i in worker.indices if i in asked or state.in_episode(i)]
    done = [i - first for i in worker.indices if i - first not in lost]
    last = state.last_observations(previous=awaited is None)[first : worker.indices.stop]
    while True:
        error = _start_again(pool, worker, phase, deadline)
        if phase not in {"reset", "step"}:
            state.require_reset(worker.indices)
            raise error
        try:
            worker.request("resume", last, done, lost, str(error).partition("\n")[0])
            if phase == "reset":
                worker.request("reset", *pool.last_reset(worker), state.buffer)
            else:
                worker.request("report_lost", [i - first for i in steps], state.buffer)
            messages, late, dead = pool.wait_for(worker, deadline)
        except BaseException:
            worker.end()
            raise
        if late:
            worker.end()
            raise pool.late_error(late, phase, None)
        if not dead:
            return messages[0] if messages else SideMessage()


def _start_again(pool: ShardPool, worker: PoolWorker, phase: str, deadline: float | None) -> WorkerError:
    """Restart a worker that has died, and return the error that reports its death.

    If the worker dies while it is starting, or if one of its environments cannot be created, the worker is restarted
    again. Each start counts as a restart. After `STARTS` failed starts, the last failure is raised, because the
    environments probably cannot be created at all.
    """
    ended = failure = pool.error_of([worker], phase)
    for _ in range(STARTS):
        pool.count_restart(worker, failure)
        try:
            pool.start_again(worker, deadline)
        except WorkerError as exc:
            failure = exc
        else:
            return ended
    add_note(failure, f"The worker was started {STARTS} times in a row, and failed each time.")
    raise failure
