"""Functions that determine the number of actors and their resources, and that warn about small clusters."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from gymkernel import logger
from gymkernel_util_vector.ray_cluster.capacity import alive_nodes, capacity, placement_targets, warn_of_no_room

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["PLACEMENTS", "actor_options", "no_room_text", "warn_of_small_cluster", "warn_of_small_store"]
__all__ += ["worker_count"]

OWN_NAMES: Final = {"CPU": "num_cpus", "GPU": "num_gpus", "memory": "memory"}
"""The resources that Ray accepts as separate arguments."""
PLACEMENTS: Final = {"spread": "SPREAD", "pack": "DEFAULT"}


def actor_options(resources: Mapping[str, float] | None, runtime_env: Any, placement: Any) -> dict[str, Any]:
    """Return the options with which Ray creates an actor.

    Args:
        resources: the resources of the actor. If they do not contain "CPU", the actor requests one CPU.
        runtime_env: the runtime environment of the actor, or None.
        placement: "spread", "pack", or a Ray scheduling strategy.

    >>> actor_options({"CPU": 2, "licence": 1}, None, "spread")["resources"]
    {'licence': 1}
    """
    custom = {"CPU": 1, **(resources or {})}
    options: dict[str, Any] = {OWN_NAMES[name]: custom.pop(name) for name in OWN_NAMES if name in custom}
    options |= {"max_restarts": 0, "max_task_retries": 0}
    options["scheduling_strategy"] = PLACEMENTS[placement] if isinstance(placement, str) else placement
    if custom:
        options["resources"] = custom
    if runtime_env is not None:
        options["runtime_env"] = dict(runtime_env)
    return options


def _requested_resources(options: Mapping[str, Any]) -> dict[str, float]:
    """Return an actor's resources, keyed by the names that the cluster uses."""
    standard = {name: options[argument] for name, argument in OWN_NAMES.items() if options.get(argument)}
    return {**standard, **options.get("resources", {})}


def worker_count(num_workers: int | None, max_concurrency: int | None, num_envs: int, options: Any) -> int:
    """Return how many actors to start.

    Args:
        num_workers: the number that the caller requested; None for as many actors as fit into the idle cluster.
        max_concurrency: the maximum number of environments that are stepped at the same time; None for no limit.
        num_envs: the number of environments.
        options: the options of each actor.
    """
    if num_workers is None:
        num_workers = capacity(_requested_resources(options), options["scheduling_strategy"])
    count = min(num_workers, num_envs)
    return count if max_concurrency is None else min(count, max_concurrency)


def warn_of_small_cluster(options: Mapping[str, Any], workers: int, seconds: float) -> None:
    """Warn if the actors would not fit into the cluster even if the cluster were idle.

    Args:
        options: the options of each actor.
        workers: the number of actors.
        seconds: how long the caller waits for free resources.
    """
    warn_of_no_room(_requested_resources(options), options["scheduling_strategy"], workers, seconds)


def no_room_text(options: Mapping[str, Any], workers: int, environments: str, seconds: float) -> str:
    """Return the error message for actors that did not start in time.

    Args:
        options: the options of each actor.
        workers: the number of these actors.
        environments: the text that names their environments.
        seconds: how long the caller waited.
    """
    import ray

    requested = _requested_resources(options)
    free = ray.available_resources()
    targets = [
        f"{name} has " + ", ".join(f"{resource}: {has.get(resource, 0):g}" for resource in requested or {"CPU": 0})
        for name, has in placement_targets(options["scheduling_strategy"])
    ] or ["no node with this id"]
    resources = ", ".join(f"{name}: {amount:g}" for name, amount in requested.items()) or "nothing"
    available = ", ".join(f"{name}: {free.get(name, 0):g}" for name in requested or {"CPU": 0})
    packages = ", which includes the installation of the packages in runtime_env" if "runtime_env" in options else ""
    return (
        f"Ray did not start {workers} worker{'s' if workers > 1 else ''} within {seconds:g} s{packages}, for "
        f"{environments}. Each worker requests {resources}. The cluster has: {'; '.join(targets)}. Free in the whole "
        f"cluster: {available}. Request less with num_workers or resources, end other programs in the cluster, add "
        "nodes, change the placement, or pass a longer start_timeout, which is the timeout of the vector environment "
        "by default"
    )


def warn_of_small_store(size: int, shares: list[tuple[str, int]]) -> None:
    """Warn if a step's observations exceed a node's object store, because Ray then writes them to disk.

    Args:
        size: the total size of the observations in bytes, all of which are stored on the program's own node.
        shares: pairs of an actor's node id and the size of the actor's observations in bytes.
    """
    import ray

    if size < 1 << 20:
        return
    own_node = ray.get_runtime_context().get_node_id()
    sizes = {own_node: size}
    for node_id, share in shares:
        if node_id != own_node:
            sizes[node_id] = sizes.get(node_id, 0) + share
    for node in alive_nodes():
        store, needed = node["Resources"].get("object_store_memory", 0), sizes.get(node["NodeID"], 0)
        if needed > store / 2:
            logger.warn(
                f"A step's observations take up {needed / 1e6:.0f} MB on node {node['NodeManagerAddress']} "
                f"({node['NodeID'][:8]}), whose object store has {store / 1e6:.0f} MB. Ray will write them to "
                "disk, which is slow. Start Ray there with a larger object_store_memory, or use fewer environments",
                stacklevel=5,
            )
