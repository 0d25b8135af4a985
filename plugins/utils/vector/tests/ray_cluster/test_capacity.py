"""Test how many processes fit on the nodes or in the bundles of a cluster."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from gymkernel_util_vector.ray_cluster.capacity import capacity, placement_targets, warn_of_no_room

ASKED: list[tuple[dict[str, float], int]] = [
    ({}, 6),
    ({"CPU": 1}, 6),
    ({"CPU": 3}, 1),
    ({"CPU": 0.1}, 60),
    ({"CPU": 1, "GPU": 0.5}, 2),
    ({"CPU": 0, "GPU": 1}, 1),
    ({"CPU": 0, "moon": 0}, 6),
    ({"moon": 1}, 1),
]


@pytest.mark.parametrize("asked, room", ASKED)
def test_running_nodes_provide_capacity_for_all_resources(ray: Any, asked: dict[str, float], room: int) -> None:
    assert capacity(asked, "SPREAD") == room


def test_strategy_can_name_one_node(ray: Any) -> None:
    only = SimpleNamespace(node_id=ray.alive[1]["NodeID"], soft=False)
    assert capacity({"CPU": 1}, only) == 2
    assert capacity({"CPU": 1}, SimpleNamespace(node_id=ray.alive[1]["NodeID"], soft=True)) == 6
    assert [name for name, _ in placement_targets(only)] == ["10.0.0.2 (10002100)"]


def group(index: int, state: str = "CREATED", bundles: Any = ({"CPU": 1.0}, {"CPU": 2.0})) -> Any:
    return SimpleNamespace(
        placement_group=SimpleNamespace(bundle_specs=list(bundles), state=state), placement_group_bundle_index=index
    )


def test_placement_group_has_the_capacity_of_its_bundles(ray: Any) -> None:
    assert [capacity({"CPU": 1}, group(index)) for index in (-1, 0, 1)] == [3, 1, 2]
    assert [name for name, _ in placement_targets(group(1))] == ["bundle 1 of the placement group"]
    removed = placement_targets(group(0, "REMOVED"))
    assert removed == [("bundle 0 of the placement group, which is removed,", {"CPU": 1.0})]


def test_fractional_resources_are_counted_exactly(ray: Any) -> None:
    assert capacity({"CPU": 0.1}, group(-1, bundles=[{"CPU": 0.3}, {"CPU": 1.0}])) == 13


@pytest.mark.parametrize(
    "asked, processes, rooms",
    [({"CPU": 1}, 7, 6), ({"CPU": 3}, 2, 1), ({"moon": 1}, 1, 0), ({"CPU": 1, "GPU": 0.5}, 3, 2)],
)
def test_too_small_cluster_is_reported_immediately(
    ray: Any, asked: dict[str, float], processes: int, rooms: int
) -> None:
    with pytest.warns(UserWarning, match=f"room for {rooms} of {processes} workers.* The program waits 15 s") as caught:
        warn_of_no_room(asked, "SPREAD", processes, 15.0)
    assert "10.0.0.2 (10002100) has " in str(caught[0].message)


@pytest.mark.parametrize("asked, processes", [({"CPU": 1}, 6), ({"CPU": 3}, 1), ({}, 100), ({"CPU": 0}, 100)])
def test_busy_cluster_with_enough_capacity_does_not_warn(ray: Any, asked: dict[str, float], processes: int) -> None:
    warn_of_no_room(asked, "SPREAD", processes, 15.0)


def test_missing_node_has_no_capacity(ray: Any) -> None:
    with pytest.warns(UserWarning, match="room for 0 of 1 shards.* the cluster has: no node with this id"):
        warn_of_no_room({"CPU": 1}, SimpleNamespace(node_id="nowhere", soft=False), 1, 15.0, "shard")
