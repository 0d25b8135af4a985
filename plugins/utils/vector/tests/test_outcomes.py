"""Test the functions that check what environments return."""

from __future__ import annotations

from collections import OrderedDict, UserDict
from typing import Any

import numpy as np
import pytest

from gymkernel_util_vector.loop import batch_steps
from gymkernel_util_vector.outcomes import check_reset, check_step

GOOD: tuple[Any, ...] = (7, 1.0, False, False, {})


def changed(**parts: Any) -> tuple[Any, ...]:
    names = ("observation", "reward", "terminated", "truncated", "info")
    return tuple((dict(zip(names, GOOD, strict=True)) | parts).values())


@pytest.mark.parametrize("reward", [1, 1.0, True, np.float32(1), np.array(1), np.array([[1.0]]), [1]], ids=repr)
@pytest.mark.parametrize("others", [0, 2])
def test_reward_is_one_number(reward: Any, others: int) -> None:
    _, rewards, *_ = batch_steps([changed(reward=reward)] + [GOOD] * others)

    assert rewards.dtype == np.float64
    assert rewards.tolist() == [1.0] * (1 + others)


@pytest.mark.parametrize(
    "flag", [1, 1.0, True, np.bool_(True), np.array(True), np.array([[True]]), [True], 2], ids=repr
)
@pytest.mark.parametrize("name", ["terminated", "truncated"])
def test_flag_is_a_bool_or_a_number(flag: Any, name: str) -> None:
    _, _, ended, cut, _, done, _ = batch_steps([GOOD, changed(**{name: flag})])

    assert ended.dtype == cut.dtype == np.bool_
    assert (ended if name == "terminated" else cut).tolist() == [False, True]
    assert (cut if name == "terminated" else ended).tolist() == [False, False]
    assert done is True


@pytest.mark.parametrize("flag", [0, 0.0, None, np.bool_(False), np.array([False]), [False], (0,)], ids=repr)
def test_invalid_flags_and_rewards_are_rejected(flag: Any) -> None:
    _, _, ended, _, _, done, _ = batch_steps([GOOD, changed(terminated=flag)])

    assert ended.tolist() == [False, False]
    assert done is False


@pytest.mark.parametrize("info", [{"a": 1}, OrderedDict(a=1), UserDict(a=1)], ids=lambda info: type(info).__name__)
def test_info_is_a_mapping(info: Any) -> None:
    *_, infos, _, has_infos = batch_steps([GOOD, changed(info=info)])

    assert list(infos) == [{}, {"a": 1}]
    assert all(isinstance(item, dict) for item in infos)
    assert has_infos is True


@pytest.mark.parametrize(
    "result,text",
    [
        (changed(reward=None), "the reward of environment 5 to be a number, got None"),
        (changed(reward="1"), "the reward of environment 5 to be a number, got '1' .str"),
        (changed(reward=np.zeros(2)), "a wrapper such as TransformReward"),
        (changed(terminated="no"), "terminated of environment 5 to be a bool, got 'no'"),
        (changed(truncated=np.zeros(2)), "truncated of environment 5 to be a bool"),
        (changed(info=None), "the info of environment 5 to be a dictionary, got None"),
        (GOOD[:4], "step of environment 5 to return .observation, .* got 4 values"),
        ("abcde", "got 'abcde' .str"),
        (iter(GOOD), "got <tuple_iterator"),
    ],
    ids=lambda value: value if isinstance(value, str) else type(value).__name__,
)
def test_invalid_result_error_shows_the_index(result: Any, text: str) -> None:
    with pytest.raises(TypeError, match=text):
        batch_steps([GOOD, result, GOOD], first=4)


@pytest.mark.parametrize("result", [7, (7,), (7, {}, 0), (7, None), (7, [])], ids=repr)
def test_reset_returns_observation_and_info(result: Any) -> None:
    with pytest.raises(TypeError, match="of environment 3 to"):
        check_reset(result, 3)


def test_lists_and_mappings_are_accepted() -> None:
    assert check_reset([7, UserDict(a=1)], 0) == (7, {"a": 1})
    assert check_step(list(GOOD), 0) == GOOD


def test_unprintable_object_is_shown_by_its_class() -> None:
    class Shy:
        def __repr__(self) -> str:
            raise RuntimeError

    with pytest.raises(TypeError, match="got a Shy"):
        check_step(changed(reward=Shy()), 0)
