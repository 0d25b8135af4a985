"""The function `check_options`, which checks the options for a Ray cluster before a connection is made."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any

__all__ = ["check_options"]


def check_options(
    *, address: Any, resources: Any, runtime_env: Any, placement: Any, placements: Iterable[str], each: str = "worker"
) -> None:
    """Check the options that a user has passed for a Ray cluster.

    Args:
        address: the address of the cluster, or None.
        resources: the resources of each process, keyed by name, or None for the default.
        runtime_env: a mapping with a Ray runtime environment, or None.
        placement: one of the names in `placements`, or a Ray scheduling strategy.
        placements: the valid names for `placement`.
        each: the word that error messages use for a process.

    Raises:
        TypeError, ValueError: if an option is invalid.

    >>> check_options(address="", resources=None, runtime_env=None, placement="spread", placements=["spread"])
    Traceback (most recent call last):
    ValueError: Expected address to be a cluster's address ('10.0.0.1:6379'), 'auto', 'local' or None, got ''
    """
    if address is not None and not (isinstance(address, str) and address.strip()):
        error = ValueError if isinstance(address, str) else TypeError
        raise error(
            f"Expected address to be a cluster's address ('10.0.0.1:6379'), 'auto', 'local' or None, got {address!r}"
        )
    if runtime_env is not None and not isinstance(runtime_env, Mapping):
        raise TypeError(
            'Expected runtime_env to be a mapping with a Ray runtime environment, such as {"uv": ["minigrid"]}, '
            f"got {runtime_env!r}"
        )
    words = tuple(placements)
    known = placement in words if isinstance(placement, str) else _is_strategy(placement)
    if not known:
        error = ValueError if isinstance(placement, str) else TypeError
        raise error(
            f"Expected placement to be {', '.join(map(repr, words))} or a scheduling strategy of Ray "
            f"(ray.util.scheduling_strategies), got {placement!r}"
        )
    if resources is not None:
        _check_resources(resources, each)


def _is_strategy(placement: Any) -> bool:
    return type(placement).__name__.endswith("SchedulingStrategy")


def _check_resources(resources: Any, each: str) -> None:
    if not isinstance(resources, Mapping):
        raise TypeError(
            'Expected resources to be a mapping from names to amounts, such as {"CPU": 2, "GPU": 0.5}, '
            f"got {resources!r}"
        )
    for name, amount in resources.items():
        if not isinstance(name, str) or isinstance(amount, bool) or not hasattr(amount, "__float__"):
            raise TypeError(f"Expected resources to map names to numbers, got {name!r}: {amount!r}")
        if not 0 <= amount < math.inf:
            raise ValueError(f"Expected the resources of each {each} to be at least 0, got {name}: {amount}")
    if "object_store_memory" in resources:
        raise ValueError(
            "Expected resources that Ray can reserve for a process, got object_store_memory, which Ray cannot reserve; "
            "request memory, or start Ray with a larger object_store_memory"
        )
