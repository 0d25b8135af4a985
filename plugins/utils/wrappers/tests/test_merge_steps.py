"""Tests of the functions that merge the results of partial steps."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from gymkernel import Space
from gymkernel.error import UnsupportedMode
from gymkernel.vector.utils import batch_infos, concatenate, create_empty_array, iterate
from gymkernel_util_wrappers.merge_steps import merge_infos, merge_observations, merge_results, step_part

MASK = np.array([True, False, True])


class Words(Space[str]):
    """A space whose elements are not arrays and whose batches are lists."""


@iterate.register(Words)
def _(space: Words, items: Any) -> Any:
    return iter(items)


@create_empty_array.register(Words)
def _(space: Words, n: int = 1, fn: Any = None) -> Any:
    return [None] * n


@concatenate.register(Words)
def _(space: Words, items: Any, out: Any) -> Any:
    return list(items)


def infos(**columns: list[Any]) -> dict[str, Any]:
    return batch_infos(
        [(i, {key: values[i] for key, values in columns.items() if values[i] is not None}) for i in range(3)], 3
    )


def test_arrays_are_merged_rowwise_into_new_memory() -> None:
    new, old = np.arange(6.0).reshape(3, 2), np.full((3, 2), -1.0)

    merged = merge_observations(None, MASK, new, old)

    assert merged.tolist() == [[0, 1], [-1, -1], [4, 5]]
    assert old.tolist() == [[-1, -1]] * 3
    assert not np.shares_memory(merged, new)


def test_elements_without_arrays_are_merged() -> None:
    envs = SimpleNamespace(observation_space=Words(), single_observation_space=Words())

    assert merge_observations(envs, MASK, ["a", "b", "c"], ["x", "y", "z"]) == ["a", "y", "c"]


def test_infos_are_merged_from_both_steps() -> None:
    merged = merge_infos(MASK, infos(x=[1, 2, 3]), infos(x=[7, 8, 9], y=[4, 5, None]))

    assert merged["x"].tolist() == [1, 8, 3]
    assert merged["y"][1] == 5
    assert merged["_y"].tolist() == [False, True, False]


def test_infos_with_different_types_are_kept() -> None:
    assert merge_infos(MASK, infos(x=[1, 2, 3]), infos(x=[0.5, 1.5, 2.5]))["x"].tolist() == [1, 1.5, 3]


def test_nested_infos_and_final_observations_keep_their_type() -> None:
    last = np.arange(2)
    new = infos(final_obs=[last, None, None], final_info=[{"a": 1}, None, None])

    merged = merge_infos(MASK, new, {})

    assert merged["final_obs"][0] is last
    assert merged["_final_info"].tolist() == [True, False, False]
    assert merged["final_info"]["a"].tolist() == [1, 0, 0]


def test_empty_infos_stay_empty() -> None:
    assert merge_infos(MASK, {}, {}) == {}


def test_every_part_of_a_step_is_merged() -> None:
    yes, no = np.ones(3, np.bool_), np.zeros(3, np.bool_)

    _, rewards, terminations, truncations, merged = merge_results(
        None, MASK, (np.ones(3), np.ones(3), yes, no, infos(x=[1, 1, 1])), (np.zeros(3), np.zeros(3), no, yes, {})
    )

    assert rewards.tolist() == [1, 0, 1]
    assert terminations.tolist() == [True, False, True]
    assert truncations.tolist() == [False, True, False]
    assert merged["_x"].tolist() == [True, False, True]


def test_step_masked_is_used_if_available() -> None:
    envs = SimpleNamespace(step_masked=lambda actions, mask: (actions, mask))
    stepped: Any = step_part(envs, 3, MASK)

    assert stepped == (3, MASK)


def test_missing_step_masked_error_names_alternatives() -> None:
    with pytest.raises(UnsupportedMode, match=r"^namespace\(\) cannot step only some of its environments, because it"):
        step_part(SimpleNamespace(), 3, MASK)
