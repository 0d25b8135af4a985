"""What is raised for actors that are late or have ended: which environments, on which node, and what mends it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from gymkernel_util_vector.shards.errors import WorkerError, WorkerTimeoutError, env_names

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gymkernel_vector_ray._actor_handle import ActorHandle

__all__ = ["BEGUN_ANEW", "LIMIT_REACHED", "MISSING", "STATE_LOST", "death_error", "late_error"]

STATE_LOST: Final = (
    'Its state is lost: make a new RayVectorEnv, or pass on_error="restart" to have actors started again'
)
BEGUN_ANEW: Final = "Its state is lost; its environments were made anew in another actor, for new episodes"
LIMIT_REACHED: Final = "Its state is lost: make a new RayVectorEnv"
MISSING: Final = (
    "What its environments or its packages need may be missing there: `gymkernel-vector-ray` has to be installed on "
    'every node, or in runtime_env={"uv": ["gymkernel-vector-ray", ...]}'
)


def late_error(
    late: Sequence[ActorHandle], phase: str, timeout: float | None, indices: Sequence[int] | None = None
) -> WorkerTimeoutError:
    """What to raise for actors that are late.

    Args:
        late: the actors.
        phase: what was asked of them.
        timeout: in seconds, where one was given.
        indices: those of their environments that are meant; None for all.
    """
    seconds = "" if timeout is None else f" within {timeout:g} s"
    lines = []
    for worker in late:
        own = [i for i in worker.indices if indices is None or i in indices]
        lines.append(f"{env_names(own)}{'' if worker.place is None else f' on {worker.place}'}")
    later = "Nothing is lost, call recv again" if phase == "recv" else "What they answer later is dropped"
    message = (
        f"{phase} did not end{seconds} for {', and for '.join(lines)}. {later}; pass a longer timeout where that is "
        "how long they take, or close this and make a new RayVectorEnv"
    )
    named = [i for worker in late for i in worker.indices if indices is None or i in indices]
    return WorkerTimeoutError(message, named, phase)


def death_error(dead: Sequence[ActorHandle], phase: str, mend: str) -> WorkerError:
    """What to raise for actors that have ended.

    Args:
        dead: the actors.
        phase: what they were doing.
        mend: what becomes of it, or what can be done.
    """
    indices = [i for worker in dead for i in worker.indices]
    lines = [f"{worker}, with {env_names(worker.indices)}, {worker.why_it_ended()} during {phase}" for worker in dead]
    error = WorkerError(".\n".join(lines) + ". " + mend, indices, phase, dict.fromkeys(w.number for w in dead))
    error.__cause__ = dead[0].death
    return error
