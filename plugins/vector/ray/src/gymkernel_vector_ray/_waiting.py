"""Functions that wait for the responses of actors, and find actors that are late or have died."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gymkernel_util_vector.shards.shard_pool import remaining

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gymkernel_vector_ray._actor_handle import ActorHandle

__all__ = ["fetch"]


def fetch(
    workers: Sequence[ActorHandle], deadline: float | None, *, first_death: bool = True
) -> tuple[list[tuple[ActorHandle, Any]], list[ActorHandle], list[ActorHandle]]:
    """Wait for the actors' responses to their latest requests.

    Args:
        workers: the actors to wait for.
        deadline: when to stop waiting, as a time on the monotonic clock; None for no limit.
        first_death: whether to stop waiting as soon as one actor has died.

    Returns:
        Pairs of an actor and its response, the actors that have not answered in time, and the actors that have died.
    """
    import ray

    refs = [worker.ref for worker in workers]
    try:
        return list(zip(workers, ray.get(refs, timeout=remaining(deadline)), strict=True)), [], []
    except ray.exceptions.RayError:
        pass
    if not first_death:
        ray.wait(refs, num_returns=len(refs), timeout=remaining(deadline))
    answers, late, dead = [], [], []
    for worker, ref in zip(workers, refs, strict=True):
        try:
            answers.append((worker, ray.get(ref, timeout=0)))
        except ray.exceptions.GetTimeoutError:
            late.append(worker)
        except ray.exceptions.RayError as exc:
            worker.death = exc
            dead.append(worker)
    return answers, late, dead
