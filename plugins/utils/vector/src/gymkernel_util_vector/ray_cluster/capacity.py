"""Functions that determine how many processes fit into a Ray cluster and where they can be placed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from gymkernel import logger

__all__ = ["alive_nodes", "capacity", "describe_resources", "placement_targets", "warn_of_no_room"]

ROUNDING: Final = 1e-9
"""The tolerance for divisions of resources, because 0.3 / 0.1 is a little less than 3 in floating-point arithmetic."""


def capacity(resources: Mapping[str, float], strategy: Any) -> int:
    """Return how many processes fit into the idle cluster, but at least 1.

    Args:
        resources: the resources that each process requires, keyed by Ray's names for them. If empty, a process requires
            one CPU.
        strategy: the placement strategy: its name, or an object from `ray.util.scheduling_strategies`.
    """
    return max(1, sum(_room(resources, has) for _, has in placement_targets(strategy)))


def _room(resources: Mapping[str, float], has: Mapping[str, float]) -> int:
    """Return how many processes fit on a node or in a bundle."""
    requested = {name: amount for name, amount in resources.items() if amount} or {"CPU": 1}
    return min(int(has.get(name, 0) / amount + ROUNDING) for name, amount in requested.items())


def warn_of_no_room(
    resources: Mapping[str, float], strategy: Any, processes: int, seconds: float, each: str = "worker"
) -> None:
    """Log a warning if the processes do not fit into the cluster, even if the cluster is idle.

    This is not an error, because nodes may be added later, for example by an autoscaler.

    Args:
        resources: the resources that each process requires, keyed by Ray's names for them.
        strategy: the placement strategy, as for `capacity`.
        processes: the number of processes.
        seconds: how many seconds the caller waits for free resources.
        each: the word that the message uses for a process.
    """
    rooms = sum(_room(resources, has) for _, has in placement_targets(strategy))
    if rooms >= processes or not any(resources.values()):
        return
    requested, places = describe_resources(resources, strategy)
    logger.warn(
        f"The idle cluster has room for {rooms} of {processes} {each}s: each {each} requests {requested}, and the "
        f"cluster has: {places}. The program waits {seconds:g} s, in case nodes are added. Request fewer "
        f"resources, use fewer {each}s, or add nodes",
        stacklevel=5,
    )


def describe_resources(resources: Mapping[str, float], strategy: Any) -> tuple[str, str]:
    """Describe the resources that a process requests, and the resources of the nodes or bundles, for a message.

    Args:
        resources: the resources that the process requires, keyed by Ray's names for them.
        strategy: the placement strategy, as for `capacity`.
    """
    requested = ", ".join(f"{name}: {amount:g}" for name, amount in resources.items() if amount)
    places = [
        f"{name} has " + ", ".join(f"{resource}: {has.get(resource, 0):g}" for resource in resources or {"CPU": 0})
        for name, has in placement_targets(strategy)
    ]
    return requested or "nothing", "; ".join(places or ["no node with this id"])


def placement_targets(strategy: Any) -> list[tuple[str, dict[str, float]]]:
    """Return the name and the resources of each node (or bundle of a placement group) on which a process may run.

    Args:
        strategy: the placement strategy, as for `capacity`.
    """
    group = getattr(strategy, "placement_group", None)
    if group is not None:
        import ray

        state = ray.util.placement_group_table(group).get("state", "UNKNOWN")
        owner = f"of the placement group, which is {state.lower()}," if state != "CREATED" else "of the placement group"
        bundles = [(f"bundle {k} {owner}", has) for k, has in enumerate(group.bundle_specs)]
        index = strategy.placement_group_bundle_index
        return bundles if index < 0 else bundles[index : index + 1]
    only = None if getattr(strategy, "soft", True) else getattr(strategy, "node_id", None)
    return [
        (f"{node['NodeManagerAddress']} ({node['NodeID'][:8]})", node["Resources"])
        for node in alive_nodes()
        if only in {None, node["NodeID"]}
    ]


def alive_nodes() -> list[dict[str, Any]]:
    """Return Ray's descriptions of the nodes that are alive."""
    import ray

    return [node for node in ray.nodes() if node["Alive"]]
