"""What each actor asks of the cluster, how many actors have room, and what is said where there is none."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from gymkernel import logger
from gymkernel_util_vector.ray_cluster.capacity import alive_nodes, capacity, placement_targets, warn_of_no_room

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["PLACEMENTS", "actor_options", "no_room_text", "warn_of_small_cluster", "warn_of_small_store"]
__all__ += ["worker_count"]

OWN_NAMES: Final = {"CPU": "num_cpus", "GPU": "num_gpus", "memory": "memory"}
"""Resources that Ray has arguments for."""
PLACEMENTS: Final = {"spread": "SPREAD", "pack": "DEFAULT"}


def actor_options(resources: Mapping[str, float] | None, runtime_env: Any, placement: Any) -> dict[str, Any]:
    """The options of an actor, for Ray.

    >>> actor_options({"CPU": 2, "licence": 1}, None, "spread")["resources"]
    {'licence': 1}
    """
    asked = {"CPU": 1, **(resources or {})}
    options: dict[str, Any] = {OWN_NAMES[name]: asked.pop(name) for name in OWN_NAMES if name in asked}
    options |= {"max_restarts": 0, "max_task_retries": 0}
    options["scheduling_strategy"] = PLACEMENTS[placement] if isinstance(placement, str) else placement
    if asked:
        options["resources"] = asked
    if runtime_env is not None:
        options["runtime_env"] = dict(runtime_env)
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
    if num_workers is None:
        num_workers = capacity(_asked(options), options["scheduling_strategy"])
    found = min(num_workers, num_envs)
    return found if max_concurrency is None else min(found, max_concurrency)


def warn_of_small_cluster(options: Mapping[str, Any], workers: int, seconds: float) -> None:
    """Warn if the cluster, where it is idle, has no room for some workers.

    Args:
        options: of each actor.
        workers: number of actors.
        seconds: for them to be placed.
    """
    warn_of_no_room(_asked(options), options["scheduling_strategy"], workers, seconds)


def no_room_text(options: Mapping[str, Any], workers: int, environments: str, seconds: float) -> str:
    """What is said where actors do not start in time."""
    import ray

    asked = _asked(options)
    free = ray.available_resources()
    there = [
        f"{name} has " + ", ".join(f"{resource}: {has.get(resource, 0):g}" for resource in asked or {"CPU": 0})
        for name, has in placement_targets(options["scheduling_strategy"])
    ] or ["no node of that id"]
    of_each = ", ".join(f"{name}: {amount:g}" for name, amount in asked.items()) or "nothing"
    left = ", ".join(f"{name}: {free.get(name, 0):g}" for name in asked or {"CPU": 0})
    packages = ", which has to install the packages of runtime_env first" if "runtime_env" in options else ""
    return (
        f"Ray did not start {workers} worker{'s' if workers > 1 else ''} within {seconds:g} s{packages}, for "
        f"{environments}. Each asks for {of_each}. There is: {'; '.join(there)}. Free in the whole cluster: {left}. "
        "Ask for less with num_workers or resources, end what uses the rest, add nodes, change the placement, or pass "
        "a longer start_timeout, which is the timeout of the vector environment by default"
    )


def warn_of_small_store(size: int, shares: list[tuple[str, int]]) -> None:
    """Say so where the observations of a step fill the store of a node, which then writes them to its disk.

    Args:
        size: bytes of all observations, which come together where the program is.
        shares: node id and bytes of each actor.
    """
    import ray

    if size < 1 << 20:
        return
    here = ray.get_runtime_context().get_node_id()
    wanted = {here: size}
    for node_id, own in shares:
        if node_id != here:
            wanted[node_id] = wanted.get(node_id, 0) + own
    for node in alive_nodes():
        store, needed = node["Resources"].get("object_store_memory", 0), wanted.get(node["NodeID"], 0)
        if needed > store / 2:
            logger.warn(
                f"The observations of a step take {needed / 1e6:.0f} MB on node {node['NodeManagerAddress']} "
                f"({node['NodeID'][:8]}), whose object store has {store / 1e6:.0f} MB: Ray will write them to "
                "disk, which is slow. Start Ray there with a larger object_store_memory, or step fewer of them",
                stacklevel=5,
            )
