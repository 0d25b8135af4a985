"""What AsyncVectorEnv is called with: refused where it makes no sense, and the number of processes that follows."""

from __future__ import annotations

import math
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["check_arguments", "cores", "workers"]


def check_arguments(env_fns: Sequence[Any], worker: Any, ring: int, on_error: str) -> None:
    """Refuse arguments of AsyncVectorEnv that cannot be meant."""
    if not env_fns:
        message = "AsyncVectorEnv expects at least one function that makes an environment, got none"
        raise ValueError(message)
    for i, make in enumerate(env_fns):
        if not callable(make):
            message = f"Expected functions that make environments, got {make!r:.200} at index {i}"
            raise TypeError(message)
    if worker is not None:
        message = (
            "worker= is not supported: a worker here steps several environments and shares memory with its parent. "
            "Wrap the environment in env_fns, or derive a backend of your own from VectorEnv"
        )
        raise ValueError(message)
    if ring < 1:
        message = f"Expected ring to be at least 1, got {ring}"
        raise ValueError(message)
    if on_error not in {"raise", "restart"}:
        message = f"Expected on_error to be 'raise' or 'restart', got {on_error!r}"
        raise ValueError(message)


def workers(asked: int | None, most: int | None, n: int, *, parent_steps: bool) -> int:
    """The number of processes for n environments.

    Args:
        asked: for so many; None for one each core.
        most: environments that may step at a time.
        n: number of environments.
        parent_steps: whether the parent steps a share of them.
    """
    for name, value in (("num_workers", asked), ("max_concurrency", most)):
        if value is not None and value < 1:
            message = f"Expected {name} to be at least 1, got {value}"
            raise ValueError(message)
    if most is not None:
        most -= parent_steps
    if asked is None:
        found = max(0 if parent_steps else 1, min(n - parent_steps, cores() - parent_steps))
    else:
        found = min(asked, n - parent_steps) if n else asked
    return found if most is None else min(found, most)


def cores() -> int:
    """Processors that this process may use, by its affinity and its control group's quota."""
    count = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    try:
        quota, period = Path("/sys/fs/cgroup/cpu.max").read_text(encoding="ascii").split()
        if quota != "max":
            count = min(count, max(1, math.ceil(int(quota) / int(period))))
    except (OSError, ValueError):
        pass
    return count
