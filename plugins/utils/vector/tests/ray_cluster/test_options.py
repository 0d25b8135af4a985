"""Test that invalid options raise clear errors before Ray is imported."""

from __future__ import annotations

import sys
from typing import Any

import pytest

from gymkernel_util_vector.ray_cluster.options import check_options

NONE: dict[str, Any] = dict.fromkeys(("address", "resources", "runtime_env"))
NONE |= {"placement": "spread", "placements": ("spread", "pack")}


class AcmeSchedulingStrategy:
    """A scheduling strategy whose class name ends like those of Ray's strategies."""


MEANT: list[dict[str, Any]] = [
    {},
    {"address": "10.0.0.1:6379"},
    {"resources": {}},
    {"resources": {"CPU": 2, "GPU": 0.25, "licence": 1}},
    {"runtime_env": {"uv": ["minigrid"]}},
    {"placement": "pack"},
    {"placement": AcmeSchedulingStrategy()},
]
WRONG: list[tuple[dict[str, Any], type[Exception], str]] = [
    ({"address": 6379}, TypeError, r"address to be a cluster's address .*, got 6379"),
    ({"address": " "}, ValueError, r"'auto', 'local' or None, got ' '"),
    ({"resources": ["CPU"]}, TypeError, "resources to be a mapping from names to amounts"),
    ({"resources": {"CPU": "1"}}, TypeError, "resources to map names to numbers, got 'CPU': '1'"),
    ({"resources": {"CPU": True}}, TypeError, "resources to map names to numbers, got 'CPU': True"),
    ({"resources": {1: 1}}, TypeError, "resources to map names to numbers, got 1: 1"),
    ({"resources": {"CPU": -1}}, ValueError, "the resources of each shard to be at least 0, got CPU: -1"),
    ({"resources": {"CPU": float("nan")}}, ValueError, "resources of each shard to be at least 0, got CPU: nan"),
    ({"resources": {"CPU": float("inf")}}, ValueError, "resources of each shard to be at least 0, got CPU: inf"),
    ({"resources": {"object_store_memory": 1}}, ValueError, "object_store_memory, which Ray cannot reserve"),
    ({"runtime_env": "uv"}, TypeError, "runtime_env to be a mapping with a Ray runtime environment"),
    ({"placement": "SPREAD"}, ValueError, r"'spread', 'pack' or a scheduling strategy of Ray .*, got 'SPREAD'"),
    ({"placement": None}, TypeError, r"'spread', 'pack' or a scheduling strategy of Ray .*, got None"),
]


@pytest.mark.parametrize("options", MEANT, ids=range(len(MEANT)))
def test_valid_options_pass_without_ray(options: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    check_options(**{**NONE, **options})


@pytest.mark.parametrize(
    "wrong, error, text", WRONG, ids=[f"{k}-{next(iter(item[0]))}" for k, item in enumerate(WRONG)]
)
def test_invalid_options_are_rejected_with_an_explanation(
    wrong: dict[str, Any], error: type[Exception], text: str
) -> None:
    with pytest.raises(error, match=text):
        check_options(**{**NONE, **wrong}, each="shard")
