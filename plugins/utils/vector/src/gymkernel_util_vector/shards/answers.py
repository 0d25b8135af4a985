"""What workers answered: their messages, or an error, or the answer of a worker that was started again."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gymkernel_util_vector.shards.errors import raise_failures
from gymkernel_util_vector.shards.messages import SideMessage

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gymkernel_util_vector.shards.batches import BatchState
    from gymkernel_util_vector.shards.pool import Answers, Pool, PoolWorker

__all__ = ["check_answers", "restart_worker"]


def check_answers(
    answers: Answers,
    pool: Pool,
    state: BatchState,
    phase: str,
    deadline: float | None,
    timeout: float | None,
    *,
    restart: bool,
) -> list[SideMessage]:
    """The messages of answers; raise for workers that are late or have ended, and for environments that failed.

    Args:
        answers: to what was submitted.
        pool: of the workers.
        state: of the vector environment.
        phase: what was submitted.
        deadline: for workers that are started again.
        timeout: in seconds, for the message of the error.
        restart: whether workers that have ended are started again.
    """
    messages, late, dead = answers
    if late and (restart or not dead):
        raise pool.late_error(late, phase, timeout)
    if dead and not restart:
        state.require_reset([i for worker in dead for i in worker.indices])
        raise pool.error_of(dead, phase)
    for worker in dead:
        messages.append(restart_worker(pool, state, worker, phase, deadline))
    failures = [failure for message in messages for failure in message.failures]
    if failures:
        state.require_reset([failure.index for failure in failures if phase in {"reset", "step"}])
        raise_failures(failures)
    return messages


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
