"""What workers answered: their messages, or an error, or what stands for the answer of a worker that was restarted."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gymkernel.vector import AutoresetMode
from gymkernel_util_workers.shards.errors import raise_failures
from gymkernel_util_workers.shards.messages import SideMessage, restart_info

if TYPE_CHECKING:
    from gymkernel_util_workers.shards.batches import BatchState
    from gymkernel_util_workers.shards.pool import Answers, Pool, PoolWorker

__all__ = ["check_answers"]


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
    messages += [_restart_worker(pool, state, worker, phase, deadline) for worker in dead]
    failures = [failure for message in messages for failure in message.failures]
    if failures:
        state.require_reset([failure.index for failure in failures if phase in {"reset", "step"}])
        raise_failures(failures)
    return messages


def _restart_worker(
    pool: Pool, state: BatchState, worker: PoolWorker, phase: str, deadline: float | None
) -> SideMessage:
    """Start a worker that ended again, and the message that stands for its answer: its episodes are truncated.

    Args:
        pool: of the worker.
        state: of the vector environment.
        worker: that ended.
        phase: what it was doing; after anything but "step" and "reset", the error is raised.
        deadline: for its environments to be made, and reset.
    """
    error, indices = pool.restart(worker, phase, deadline), worker.indices
    info = restart_info(str(error).partition("\n")[0])
    final_infos: list[tuple[int, dict[str, Any]]] = []
    if phase == "reset":
        seeds, options = pool.last_reset(worker)
    elif phase == "step":
        rows = slice(indices.start, indices.stop)
        state.restore_observations(rows)
        state.truncate(rows)
        if state.autoreset_mode is not AutoresetMode.SAME_STEP:
            pool.wait_for(worker, deadline)
            return SideMessage(infos=[(i, dict(info)) for i in indices])
        last = state.last_observations()
        final_infos = [(i, {"final_obs": last[i], "final_info": dict(info)}) for i in indices]
        seeds, options = [(k, None) for k in range(len(indices))], None
    else:
        state.require_reset(indices)
        raise error
    worker.request("reset", seeds, options, state.buffer)
    messages, late, dead = pool.wait_for(worker, deadline)
    if late:
        raise pool.late_error(late, phase, None)
    if dead:
        return _restart_worker(pool, state, worker, phase, deadline)
    message: SideMessage = messages[0] if messages else SideMessage()
    infos = dict(message.infos)
    message.infos = [(i, {**infos.get(i, {}), **info}) for i in (indices.start + k for k, _ in seeds)]
    message.final_infos = final_infos
    return message
