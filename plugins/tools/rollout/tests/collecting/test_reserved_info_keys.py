"""Test that a rollout counts episodes only by terminations and truncations, whatever keys the infos contain."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from gymkernel_tool_rollout.collecting import collect

KEYS = (
    "final_obs",
    "_final_obs",
    "final_info",
    "_final_info",
    "env_restarted",
    "env_error",
    "episode",
    "_episode",
    "_",
)
VALUES: dict[str, Any] = {
    "bool": True,
    "none": None,
    "text": "mine",
    "array": np.zeros(3),
    "dict": {"x": 1},
    "empty": {},
}
PLACES = ["everywhere", "reset", "step", "some", "last"]


def speaking(toys: Any, kind: str, place: str) -> Any:
    """Return functions that create environments whose infos contain reserved keys."""

    def add(env: Any, info: Any, *, over: bool = False) -> Any:
        here = {
            "everywhere": True,
            "reset": env.steps == 0,
            "step": env.steps > 0,
            "some": (env.number + env.steps) % 3 == 0,
            "last": over,
        }[place]
        return info | dict.fromkeys(KEYS, VALUES[kind]) if here and kind else info

    def spoken(base: Any) -> Any:
        class Speaking(base):  # type: ignore[misc]
            def reset(self, **kwargs: Any) -> Any:
                observation, info = super().reset(**kwargs)
                return observation, add(self, info)

            def step(self, action: Any) -> Any:
                *values, info = super().step(action)
                return *values, add(self, info, over=values[2] or values[3])

        return Speaking

    return [lambda cls=cls, i=i: spoken(cls)(i) for i, cls in enumerate([toys.Walk, toys.Nested])]


def fragments(toys: Any, kind: str, place: str, nested: bool, **arguments: Any) -> list[Any]:
    make = speaking(toys, kind, place)[nested]
    given = {"num_envs": 3, "num_shards": 1, "fragment_length": 9, "seed": 4, **arguments}
    return list(collect(make, lambda seen: np.arange(3), **given))


@pytest.mark.parametrize(
    "nested, limit", [(False, {"num_episodes": 7}), (True, {"num_steps": 54})], ids=["array-episodes", "nested-steps"]
)
@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("kind", VALUES)
@pytest.mark.parametrize("engine", ["sync", pytest.param("async", marks=pytest.mark.slow)])
def test_reserved_keys_change_nothing(
    toys: Any, engine: str, kind: str, place: str, nested: bool, limit: dict[str, int]
) -> None:
    found = fragments(toys, kind, place, nested, engine=engine, **limit)
    expected = fragments(toys, "", place, nested, engine="sync", **limit)
    assert [toys.same(dict(item), dict(other)) for item, other in zip(found, expected, strict=True)] == [True] * len(
        found
    )
    ended = sum(int((item["terminations"] | item["truncations"]).sum()) for item in found)
    assert sum(item.num_episodes for item in found) == ended > 0
