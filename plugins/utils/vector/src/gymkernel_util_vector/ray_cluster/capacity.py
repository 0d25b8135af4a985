"""Determine how many processes fit into a Ray cluster, and where they can be placed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from gymkernel import logger

__all__ = ["alive_nodes", "capacity", "placement_targets", "warn_of_no_room"]

ROUNDING: Final = 1e-9
"""The tolerance of divisions: 0.1 fits three times into 0.3, although 0.3 / 0.1 is a little less than 3."""


def capacity(resources: Mapping[str, float], strategy: Any) -> int:
    """Return how many processes the cluster can hold when it is idle, or 1 if it cannot hold any.

    Args:
        resources: the resources of each process, keyed by their names in the cluster. If empty, a process needs one
            CPU.
        strategy: the placement of processes: the name of a strategy, or an object from
            `ray.util.scheduling_strategies`.
    """
    return max(1, sum(_room(resources, has) for _, has in placement_targets(strategy)))


def _room(resources: Mapping[str, float], has: Mapping[str, float]) -> int:
    """Return how many processes fit on a node or into a bundle."""
    requested = {name: amount for name, amount in resources.items() if amount} or {"CPU": 1}
    return min(int(has.get(name, 0) / amount + ROUNDING) for name, amount in requested.items())


def warn_of_no_room(
    resources: Mapping[str, float], strategy: Any, processes: int, seconds: float, each: str = "worker"
) -> None:
    """Warn if the processes do not fit into the cluster even when the cluster is idle.

    This is not an error, because nodes may be added later, for example by an autoscaler.

    Args:
        resources: the resources of each process, keyed by their names in the cluster.
        strategy: the placement of processes, as for `capacity`.
        processes: the number of processes.
        seconds: how long the caller waits for free resources.
        each: the word that the message uses for a process.
    """
    targets = placement_targets(strategy)
    rooms = sum(_room(resources, has) for _, has in targets)
    if rooms >= processes or not any(resources.values()):
        return
    requested = ", ".join(f"{name}: {amount:g}" for name, amount in resources.items() if amount)
    places = [
        f"{name} has " + ", ".join(f"{resource}: {has.get(resource, 0):g}" for resource in resources)
        for name, has in targets
    ] or ["no node with this id"]
    logger.warn(
        f"The idle cluster has room for {rooms} of {processes} {each}s: each {each} requests {requested}, and the "
        f"cluster has: {'; '.join(places)}. The start waits {seconds:g} s, in case nodes are added. Request less, use "
        f"fewer {each}s, or add nodes",
        stacklevel=5,
    )


def placement_targets(strategy: Any) -> list[tuple[str, dict[str, float]]]:
    """Return the name and the resources of each possible place for a process: a node, or a bundle of a placement group.

    Args:
        strategy: the placement of processes.
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
    """Return Ray's descriptions of the running nodes of the cluster."""
    import ray

    return [node for node in ray.nodes() if node["Alive"]]
