"""The answer of a worker that was started again."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gymkernel_util_vector.shards.messages import SideMessage

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gymkernel_util_vector.shards.batches import BatchState
    from gymkernel_util_vector.shards.pool import Pool, PoolWorker

__all__ = ["restart_worker"]


def restart_worker(
    pool: Pool,
    state: BatchState,
    worker: PoolWorker,
    phase: str,
    deadline: float | None,
    awaited: Sequence[int] | None = None,
) -> SideMessage:
    """Start a worker that has ended again, and return its answer to the request that it did not answer.

    The episodes of the environments that were asked for a step end in this answer, truncated. Those of the others end
    in their next step, whichever request brings it. If the worker cannot answer, it is ended, so that the next request
    starts it again.

    Args:
        pool: of the worker.
        state: of the vector environment.
        worker: that ended.
        phase: what it was doing: "step" or "reset"; after anything else, the error is raised.
        deadline: for its environments to be made, and reset.
        awaited: indices of the environments of which `recv` awaits a step; None for a request to all environments.
    """
    first, seeds = worker.indices.start, pool.last_reset(worker)[0]
    steps = worker.indices if awaited is None else awaited
    asked = {first + k for k, _ in seeds} if phase == "reset" else set(steps)
    lost = [i - first for i in worker.indices if i in asked or state.in_episode(i)]
    done = [i - first for i in worker.indices if i - first not in lost]
    last = state.last_observations(previous=awaited is None)[first : worker.indices.stop]
    while True:
        error = pool.restart(worker, phase, deadline)
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
