"""Functions that determine the number of actors, and that describe or warn about a lack of resources."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from gymkernel import logger
from gymkernel_util_vector.ray_cluster.capacity import alive_nodes, capacity, describe_resources
from gymkernel_util_vector.ray_cluster.options import requested_resources

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["PLACEMENTS", "no_room_text", "warn_of_small_store", "worker_count"]

PLACEMENTS: Final = {"spread": "SPREAD", "pack": "DEFAULT"}
"""The names of Ray's scheduling strategies, keyed by the placements of `RayVectorEnv`."""


def worker_count(num_workers: int | None, max_concurrency: int | None, num_envs: int, options: Any) -> int:
    """Return how many actors to start.

    Args:
        num_workers: the number that the caller requested; None for as many actors as fit into the idle cluster.
        max_concurrency: the maximum number of environments that are stepped at the same time; None for no limit.
        num_envs: the number of environments.
        options: the options of each actor.
    """
    if num_workers is None:
        num_workers = capacity(requested_resources(options), options["scheduling_strategy"])
    count = min(num_workers, num_envs)
    return count if max_concurrency is None else min(count, max_concurrency)


def no_room_text(options: Mapping[str, Any], workers: int, environments: str, seconds: float) -> str:
    """Return the error message for actors that did not start in time.

    Args:
        options: the options of each actor.
        workers: the number of these actors.
        environments: the text that names their environments.
        seconds: how long the caller waited.
    """
    import ray

    requested, free = requested_resources(options), ray.available_resources()
    resources, places = describe_resources(requested, options["scheduling_strategy"])
    available = ", ".join(f"{name}: {free.get(name, 0):g}" for name in requested or {"CPU": 0})
    packages = ", which includes the installation of the packages in runtime_env" if "runtime_env" in options else ""
    return (
        f"Ray did not start {workers} worker{'s' if workers > 1 else ''} within {seconds:g} s{packages}, for "
        f"{environments}. Each worker requests {resources}. The cluster has: {places}. Free in the whole "
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
