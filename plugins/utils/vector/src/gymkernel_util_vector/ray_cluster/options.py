"""Functions that check the options for a Ray cluster, and that convert them to the options of an actor."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any, Final

__all__ = ["actor_options", "check_options", "requested_resources"]

OWN_NAMES: Final = {"CPU": "num_cpus", "GPU": "num_gpus", "memory": "memory"}
"""The resources that Ray accepts as separate arguments."""


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
    is_word = isinstance(placement, str)
    if not (placement in words if is_word else type(placement).__name__.endswith("SchedulingStrategy")):
        error = ValueError if is_word else TypeError
        raise error(
            f"Expected placement to be {', '.join(map(repr, words))} or a scheduling strategy of Ray "
            f"(ray.util.scheduling_strategies), got {placement!r}"
        )
    if resources is not None:
        _check_resources(resources, each)


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


def actor_options(resources: Mapping[str, float] | None, runtime_env: Any, strategy: Any) -> dict[str, Any]:
    """Return the options with which Ray creates an actor.

    Args:
        resources: the resources of the actor. If they do not contain "CPU", the actor requests one CPU.
        runtime_env: the runtime environment of the actor, or None.
        strategy: a Ray scheduling strategy, or the name of a strategy.

    >>> actor_options({"CPU": 2, "licence": 1}, None, "SPREAD")["resources"]
    {'licence': 1}
    """
    custom = {"CPU": 1, **(resources or {})}
    options: dict[str, Any] = {OWN_NAMES[name]: custom.pop(name) for name in OWN_NAMES if name in custom}
    options |= {"max_restarts": 0, "max_task_retries": 0}
    options["scheduling_strategy"] = strategy
    if custom:
        options["resources"] = custom
    if runtime_env is not None:
        options["runtime_env"] = dict(runtime_env)
    return options


def requested_resources(options: Mapping[str, Any]) -> dict[str, float]:
    """Return an actor's resources, keyed by the names that the cluster uses.

    Args:
        options: the result of `actor_options`.
    """
    standard = {name: options[argument] for name, argument in OWN_NAMES.items() if options.get(argument)}
    return {**standard, **options.get("resources", {})}
