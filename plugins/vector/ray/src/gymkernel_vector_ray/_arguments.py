"""What `RayVectorEnv` refuses before it looks for a cluster: arguments of its own that cannot be meant."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from gymkernel.vector.shards import is_number

__all__ = ["check_cluster", "check_resources"]


def check_cluster(runtime_env: Any, address: Any) -> None:
    """Refuse what says neither where actors run nor what they have there.

    Args:
        runtime_env: a mapping, or None.
        address: a string that is not empty, or None.
    """
    if runtime_env is not None and not isinstance(runtime_env, Mapping):
        raise TypeError(
            'Expected runtime_env to be a mapping as Ray takes it, for example {"uv": ["minigrid"]}, '
            f"got {runtime_env!r}"
        )
    if address is not None and not (isinstance(address, str) and address.strip()):
        error = ValueError if isinstance(address, str) else TypeError
        raise error(
            f"Expected address to be that of a cluster ('10.0.0.1:6379'), 'auto', 'local' or None, got {address!r}"
        )


def check_resources(resources: Any) -> None:
    """Refuse what are no amounts by name.

    Args:
        resources: as they were given; None for those of default.
    """
    if resources is None:
        return
    if not isinstance(resources, Mapping):
        raise TypeError(
            f'Expected resources to be amounts by name, for example {{"CPU": 2, "GPU": 0.5}}, got {resources!r}'
        )
    for name, amount in resources.items():
        if not isinstance(name, str) or not is_number(amount):
            raise TypeError(f"Expected resources to be numbers by name, got {name!r}: {amount!r}")
        if not 0 <= amount < math.inf:
            raise ValueError(f"Expected resources of 0 or more for each worker, got {name}: {amount}")
    if "object_store_memory" in resources:
        raise ValueError(
            "Expected resources that Ray keeps for an actor, got object_store_memory, which it does not; ask for "
            "memory, or start Ray with a larger object_store_memory"
        )
