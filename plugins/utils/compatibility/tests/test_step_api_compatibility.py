"""Tests that flags and infos are converted between step results with four and five values."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gymkernel.utils.step_api_compatibility import (
    convert_to_done_step_api,
    convert_to_terminated_truncated_step_api,
    step_api_compatibility,
)

KEY = "TimeLimit.truncated"
FLAGS = st.lists(st.tuples(st.booleans(), st.booleans()), min_size=1, max_size=5)


@pytest.mark.parametrize(
    "done, info, terminated, truncated",
    [
        (False, {}, False, False),
        (True, {}, True, False),
        (True, {KEY: True}, False, True),
        (True, {KEY: False}, True, False),
        (False, {KEY: True}, False, False),
    ],
)
def test_done_becomes_terminated_and_truncated(
    done: bool, info: dict[str, bool], terminated: bool, truncated: bool
) -> None:
    given_info = {**info, "x": 1}
    result = convert_to_terminated_truncated_step_api(("o", 1.0, done, given_info))
    assert result == ("o", 1.0, terminated, truncated, {"x": 1})
    assert result[-1] is given_info


INFOS = [(False, {"x": 1}), (True, [{"x": 1}, {}]), (True, {"x": np.arange(2), "_x": np.ones(2, np.bool_)})]


@pytest.mark.parametrize("ends", [False, True])
@pytest.mark.parametrize("several, info", INFOS)
def test_info_is_modified_and_returned(several: bool, info: Any, ends: bool) -> None:
    info, before = copy.deepcopy(info), copy.deepcopy(info)
    flags: Any = np.array([False, ends]) if several else ends

    old = convert_to_done_step_api((None, None, flags, flags, info), is_vector_env=several)
    assert old[-1] is info
    assert (KEY in str(info)) == ends
    new = convert_to_terminated_truncated_step_api(old, is_vector_env=several)

    assert new[-1] is info
    assert str(info) == str(before)


@given(st.booleans(), st.booleans())
def test_flags_survive_a_round_trip_unless_both_are_set(terminated: bool, truncated: bool) -> None:
    old = convert_to_done_step_api(("o", 1.0, terminated, truncated, {}))
    assert old[2] is (terminated or truncated)
    assert convert_to_terminated_truncated_step_api(old)[2:4] == (terminated, truncated and not terminated)


@given(FLAGS, st.booleans())
def test_vector_flags_are_converted_elementwise(flags: list[tuple[bool, bool]], listed: bool) -> None:
    terminated, truncated = (np.array(part) for part in zip(*flags, strict=True))
    infos: Any = [{} for _ in flags] if listed else {}

    old = convert_to_done_step_api((None, None, terminated, truncated, infos), is_vector_env=True)
    new = convert_to_terminated_truncated_step_api(old, is_vector_env=True)

    single = [convert_to_done_step_api((None, None, *pair, {})) for pair in flags]
    assert old[2].tolist() == [item[2] for item in single]
    assert new[2].tolist() == [t for t, _ in flags]
    assert new[3].tolist() == [u and not t for t, u in flags]
    assert new[4] is infos
    assert infos == ([{} for _ in flags] if listed else {})


@pytest.mark.parametrize("values", [("o", 1.0, True, {}), ("o", 1.0, True, False, {})])
def test_requested_api_is_returned(values: tuple[Any, ...]) -> None:
    assert len(step_api_compatibility(copy.deepcopy(values))) == 5
    assert len(step_api_compatibility(copy.deepcopy(values), output_truncation_bool=False)) == 4


def test_invalid_step_result_is_rejected() -> None:
    with pytest.raises(ValueError, match=r"four values \(including done\) or five, got 3"):
        step_api_compatibility((0, 1.0, {}))
    with pytest.raises(TypeError, match="a dictionary or a list, got str"):
        step_api_compatibility((0, 1.0, np.array([True]), "info"), is_vector_env=True)
    with pytest.raises(TypeError, match="a dictionary or a list, got str"):
        step_api_compatibility((0, 1.0, np.array([True]), np.array([True]), "info"), False, is_vector_env=True)
