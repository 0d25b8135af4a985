"""Tests of `DictInfoToList`, with masks, with nested infos and without masks."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import gymkernel.wrappers
from gymkernel.vector import VectorEnv
from gymkernel.vector.utils import batch_infos
from gymkernel.wrappers.vector import DictInfoToList, VectorListInfo


class Telling(VectorEnv[Any, Any, Any]):
    """A vector environment with two environments that returns the given infos."""

    num_envs = 2

    def __init__(self, infos: dict[str, Any]) -> None:
        self.infos = infos

    def reset(self, *, seed: Any = None, options: Any = None) -> Any:
        return np.zeros(2), self.infos

    def step(self, actions: Any) -> Any:
        none = np.zeros(2, np.bool_)
        return np.zeros(2), np.zeros(2), none, none, self.infos

    def step_masked(self, actions: Any, mask: Any) -> Any:
        return self.step(actions)


def convert(infos: dict[str, Any]) -> list[dict[str, Any]]:
    """Convert infos in a step, and check that a reset and a masked step return the same result."""
    envs = DictInfoToList(Telling(infos))
    reset, step, masked = envs.reset()[1], envs.step(0)[4], envs.step_masked(0, np.ones(2, np.bool_))[4]
    assert reset == step == masked
    return step


def test_each_environment_gets_the_keys_of_its_mask() -> None:
    assert convert(batch_infos([(0, {"x": 1}), (1, {"y": 2.5, "x": 3})], 2)) == [{"x": 1}, {"x": 3, "y": 2.5}]


def test_vector_list_info_is_the_same() -> None:
    infos = batch_infos([(0, {"x": 1}), (1, {"y": 2.5, "x": 3})], 2)

    assert VectorListInfo(Telling(infos)).reset()[1] == convert(infos)
    assert gymkernel.wrappers.VectorListInfo is VectorListInfo


def test_nested_dictionaries_are_converted() -> None:
    infos: list[tuple[int, dict[str, Any]]] = [(0, {"x": {"a": 1, "deeper": {"b": True}}}), (1, {"x": {"c": 2}})]

    assert convert(batch_infos(infos, 2)) == [info for _, info in infos]


MASK = np.array([True, False])
UNEQUAL = [
    {"x": np.arange(3)},
    {"x": np.arange(1), "_x": MASK},
    {"x": np.arange(2), "_x": np.ones(3, np.bool_)},
    {"x": {"a": np.arange(3)}},
    {"x": {"a": np.arange(2), "_a": MASK[:1]}},
    {"x": {"a": np.arange(2)}, "_x": MASK[:1]},
    {"x": {"a": {"b": []}}},
]


@pytest.mark.parametrize("infos", UNEQUAL)
@pytest.mark.parametrize("kind", [ValueError, AssertionError, gymkernel.error.Error])
def test_entries_with_wrong_length_are_rejected(infos: Any, kind: type[Exception]) -> None:
    with pytest.raises(kind, match=r"DictInfoToList expects 2 entries in the infos under '_?[xab]', got [013]"):
        DictInfoToList(Telling(infos)).reset()


def test_entry_without_a_mask_is_given_to_all() -> None:
    assert convert({"x": np.array([1, 2]), "y": {"z": np.array([3, 4])}}) == [
        {"x": 1, "y": {"z": 3}},
        {"x": 2, "y": {"z": 4}},
    ]


def test_underscore_key_is_kept_unless_it_is_a_mask() -> None:
    assert convert(batch_infos([(0, {"_x": 1}), (1, {})], 2)) == [{"_x": 1}, {}]


def test_final_observations_are_kept_whole() -> None:
    last = np.arange(3)

    assert convert(batch_infos([(0, {"final_obs": last})], 2))[0]["final_obs"] is last


def test_empty_infos_give_empty_dictionaries() -> None:
    assert convert({}) == [{}, {}]
