"""What each actor asks of the cluster, how many actors have room, and what is said where there is none."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from gymkernel_vector_ray._cluster import alive_nodes

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["actor_options", "no_room_text", "worker_count"]

OWN_NAMES: Final = {"CPU": "num_cpus", "GPU": "num_gpus", "memory": "memory"}
"""Resources that Ray has arguments for."""
PLACEMENTS: Final = {"spread": "SPREAD", "pack": "DEFAULT"}


def actor_options(resources: Mapping[str, float] | None, runtime_env: Any, placement: Any) -> dict[str, Any]:
    """The options of an actor, for Ray.

    >>> actor_options({"CPU": 2, "licence": 1}, None, "spread")["resources"]
    {'licence': 1}
    """
    asked = {"CPU": 1, **(resources or {})}
    for name, amount in asked.items():
        if amount < 0:
            raise ValueError(f"Expected resources of 0 or more for each worker, got {name}: {amount}")
    if isinstance(placement, str) and placement not in PLACEMENTS:
        raise ValueError(
            f"Expected placement to be 'spread', 'pack' or a scheduling strategy of Ray, got {placement!r}"
        )
    options: dict[str, Any] = {OWN_NAMES[name]: asked.pop(name) for name in OWN_NAMES if name in asked}
    options |= {"max_restarts": 0, "max_task_retries": 0}
    options["scheduling_strategy"] = PLACEMENTS[placement] if isinstance(placement, str) else placement
    if asked:
        options["resources"] = asked
    if runtime_env is not None:
        options["runtime_env"] = runtime_env
    return options


def _asked(options: Mapping[str, Any]) -> dict[str, float]:
    """What is asked, by the names that resources have in the cluster."""
    found = {name: options[argument] for name, argument in OWN_NAMES.items() if options.get(argument)}
    return {**found, **options.get("resources", {})}


def worker_count(num_workers: int | None, max_concurrency: int | None, num_envs: int, options: Any) -> int:
    """The number of actors.

    Args:
        num_workers: that are asked for; None for as many as the cluster has room for when it is idle.
        max_concurrency: environments that may step at a time.
        num_envs: number of environments.
        options: of each actor.
    """
    for name, value in (("num_workers", num_workers), ("max_concurrency", max_concurrency)):
        if value is not None and value < 1:
            raise ValueError(f"Expected {name} to be at least 1, got {value}")
    if num_workers is None:
        asked = _asked(options) or {"CPU": 1}
        num_workers = sum(
            int(min(node["Resources"].get(name, 0) // amount for name, amount in asked.items() if amount))
            for node in alive_nodes()
        )
    found = max(1, min(num_workers, num_envs))
    return found if max_concurrency is None else min(found, max_concurrency)


def no_room_text(options: Mapping[str, Any], workers: int, environments: str, seconds: float) -> str:
    """What is said where actors do not start in time."""
    import ray

    asked = _asked(options)
    free = ray.available_resources()
    there = [
        f"{node['NodeManagerAddress']} ({node['NodeID'][:8]}) has "
        + ", ".join(f"{name}: {node['Resources'].get(name, 0):g}" for name in asked or {"CPU": 0})
        for node in alive_nodes()
    ]
    of_each = ", ".join(f"{name}: {amount:g}" for name, amount in asked.items()) or "nothing"
    left = ", ".join(f"{name}: {free.get(name, 0):g}" for name in asked or {"CPU": 0})
    packages = ", which has to install the packages of runtime_env first" if "runtime_env" in options else ""
    return (
        f"Ray did not start {workers} worker{'s' if workers > 1 else ''} within {seconds:g} s{packages}, for "
        f"{environments}. Each asks for {of_each}. There is: {'; '.join(there)}. Free in the whole cluster: {left}. "
        "Ask for less with num_workers or resources, end what uses the rest, add nodes, or pass a longer start_timeout"
    )
