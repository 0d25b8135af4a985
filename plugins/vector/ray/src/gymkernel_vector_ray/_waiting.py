"""How answers of actors are waited for: until a deadline, and with those that are late or have ended told apart."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gymkernel_vector_ray._actor_handle import ActorHandle

__all__ = ["fetch", "remaining"]


def fetch(
    workers: Sequence[ActorHandle], deadline: float | None, *, first_death: bool = True
) -> tuple[list[tuple[ActorHandle, Any]], list[ActorHandle], list[ActorHandle]]:
    """Wait for the answers of actors: what they returned, who is late, who has ended.

    Args:
        workers: that were asked.
        deadline: for all.
        first_death: whether the first actor that has ended is all that is waited for.
    """
    import ray

    refs = [worker.ref for worker in workers]
    try:
        return list(zip(workers, ray.get(refs, timeout=remaining(deadline)), strict=True)), [], []
    except ray.exceptions.RayError:
        pass
    if not first_death:
        ray.wait(refs, num_returns=len(refs), timeout=remaining(deadline))
    found, late, dead = [], [], []
    for worker, ref in zip(workers, refs, strict=True):
        try:
            found.append((worker, ray.get(ref, timeout=0)))
        except ray.exceptions.GetTimeoutError:
            late.append(worker)
        except ray.exceptions.RayError as exc:
            worker.death = exc
            dead.append(worker)
    return found, late, dead


def remaining(deadline: float | None) -> float | None:
    """Seconds until a deadline, none below 0; None for no deadline."""
    return None if deadline is None else max(0.0, deadline - time.monotonic())
