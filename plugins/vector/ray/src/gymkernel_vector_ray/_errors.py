"""Functions that create errors for late and dead actors, which name the affected environments and nodes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from gymkernel_util_vector.shards.errors import WorkerError, WorkerTimeoutError, env_names

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gymkernel_vector_ray._actor_handle import ActorHandle

__all__ = ["MISSING", "death_error", "late_error"]

MISSING: Final = (
    "Packages that its environments need may be missing there: `gymkernel-vector-ray` must be installed on every node, "
    'or in runtime_env={"uv": ["gymkernel-vector-ray", ...]}'
)


def late_error(
    late: Sequence[ActorHandle], phase: str, timeout: float | None, indices: Sequence[int] | None = None
) -> WorkerTimeoutError:
    """Create the error for actors that did not respond in time.

    Args:
        late: the actors that did not respond.
        phase: the request that they did not answer, such as "step".
        timeout: the timeout in seconds; None if there is no timeout.
        indices: the indices of the environments without a result; None for all environments of the actors.
    """
    seconds = "" if timeout is None else f" within {timeout:g} s"
    lines = []
    for worker in late:
        own = [i for i in worker.indices if indices is None or i in indices]
        lines.append(f"{env_names(own)}{'' if worker.place is None else f' on {worker.place}'}")
    later = "No result is lost: call recv again" if phase == "recv" else "Answers that arrive later are dropped"
    message = (
        f"{phase} did not end{seconds} for {', and for '.join(lines)}. {later}; pass a longer timeout if the "
        "environments need more time, or close this vector environment and create a new RayVectorEnv"
    )
    named = [i for worker in late for i in worker.indices if indices is None or i in indices]
    return WorkerTimeoutError(message, named, phase)


def death_error(dead: Sequence[ActorHandle], phase: str, remedy: str) -> WorkerError:
    """Create the error for actors that have died.

    Args:
        dead: the actors that have died.
        phase: the request that they did not answer, such as "step".
        remedy: what happens to the environments, or what the user can do about the error.
    """
    indices = [i for worker in dead for i in worker.indices]
    lines = [f"{worker}, with {env_names(worker.indices)}, {worker.why_it_ended()} during {phase}" for worker in dead]
    error = WorkerError(".\n".join(lines) + ". " + remedy, indices, phase, dict.fromkeys(w.number for w in dead))
    error.__cause__ = dead[0].death
    return error
