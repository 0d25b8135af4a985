"""Test the errors of the `ray` engine if Ray is not installed or options are invalid."""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Any

import pytest

from gymkernel import plugins
from gymkernel.error import DependencyNotInstalled
from gymkernel_tool_rollout.collecting import collect

either = pytest.mark.parametrize("shards", [1, None])
WRONG: list[tuple[dict[str, Any], type[Exception], str]] = [
    ({"address": ""}, ValueError, "address to be a cluster's address"),
    ({"resources": {"CPU": -1}}, ValueError, "the resources of each shard to be at least 0, got CPU: -1"),
    ({"runtime_env": "uv"}, TypeError, "runtime_env to be a mapping with a Ray runtime environment"),
    ({"placement": "spread"}, ValueError, r"'SPREAD', 'DEFAULT' or a scheduling strategy of Ray .*, got 'spread'"),
    ({"start_timeout": True}, ValueError, "start_timeout to be a number of seconds above 0, got True"),
    ({"start_timeout": float("nan")}, ValueError, "start_timeout to be a number of seconds above 0, got nan"),
    ({"bogus": 1}, TypeError, "no option bogus; it has address, resources"),
]


@either
def test_missing_ray_error_names_the_pip_command(toys: Any, shards: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(DependencyNotInstalled, match=r"needs Ray; run: pip install 'gymkernel-tool-rollout\[ray\]'"):
        collect(toys.walks(2), toys.odd, engine="ray", num_shards=shards)


@either
@pytest.mark.parametrize(
    "wrong, error, text", WRONG, ids=[f"{k}-{next(iter(item[0]))}" for k, item in enumerate(WRONG)]
)
def test_invalid_option_is_rejected_before_connecting(
    toys: Any,
    shards: Any,
    wrong: dict[str, Any],
    error: type[Exception],
    text: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    if "vector.ray_cluster" not in plugins.names("modules"):
        pytest.skip("the extra ray")
    monkeypatch.setitem(sys.modules, "ray", ModuleType("ray"))
    with pytest.raises(error, match=text):
        collect(toys.walks(2), toys.odd, engine="ray", num_shards=shards, **wrong)
