"""Test that invalid arguments of backends raise errors that contain the argument's name and value."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from gymkernel_util_vector.shards.arguments import check_count, check_seconds, check_worker_arguments, is_number
from gymkernel_util_vector.shards.vector_env import ShardedVectorEnv

NAN, INF = float("nan"), float("inf")
NO_COUNTS = [1.5, 2.0, "2", True, NAN, INF, [1], None, np.float64(2), np.True_, np.array([2]), np.array(2.0), 1j]
COUNTS = [1, 7, 10**30, np.int8(1), np.uint64(7), np.array(3)]
NO_TIMES = ["1", True, np.True_, [1], {}, 1j, np.array([1.0]), np.array(True)]
TIMES = [None, 1, 0.5, INF, 10**30, np.int64(1), np.float32(0.5), np.array(2.0), Fraction(1, 2)]


@pytest.mark.parametrize("value", NO_COUNTS, ids=range(len(NO_COUNTS)))
def test_non_integer_raises_type_error(value: Any) -> None:
    with pytest.raises(TypeError, match=r"^Expected ring to be a whole number of at least 2, or 'all', got ") as raised:
        check_count("ring", value, 2, or_else="'all'")
    assert str(raised.value).endswith(f"got {value!r}")


@pytest.mark.parametrize("value", COUNTS, ids=range(len(COUNTS)))
def test_integer_above_the_minimum_is_accepted(value: Any) -> None:
    check_count("ring", value)
    with pytest.raises(ValueError, match=r"^Expected ring to be a whole number of at least 10{40}, got ") as raised:
        check_count("ring", value, 10**40)
    assert str(raised.value).endswith(f"got {value!r}")


@pytest.mark.parametrize("value", NO_TIMES, ids=range(len(NO_TIMES)))
def test_invalid_timeout_raises_type_error(value: Any) -> None:
    assert not is_number(value)
    with pytest.raises(
        TypeError, match=r"^Expected timeout to be a number of seconds above 0, or None, got "
    ) as raised:
        check_seconds("timeout", value)
    assert str(raised.value).endswith(f"got {value!r}")


@pytest.mark.parametrize("value", TIMES, ids=range(len(TIMES)))
def test_numeric_timeout_is_accepted(value: Any) -> None:
    assert is_number(value) is (value is not None)
    check_seconds("timeout", value)
    check_seconds("timeout", value, zero=True)


@pytest.mark.parametrize("value", [-1, -0.5, NAN, -INF, np.float32(-1)], ids=range(5))
@pytest.mark.parametrize("zero, expected", [(False, "above 0"), (True, "of at least 0")])
def test_negative_timeout_raises_value_error(value: Any, zero: bool, expected: str) -> None:
    with pytest.raises(
        ValueError, match=f"^Expected pause to be a number of seconds {expected}, or None, got "
    ) as raised:
        check_seconds("pause", value, zero=zero)
    assert str(raised.value).endswith(f"got {value!r}")


def test_zero_timeout_is_accepted_only_if_allowed() -> None:
    for zero in (0, 0.0, np.int64(0)):
        check_seconds("timeout", zero, zero=True)
        with pytest.raises(ValueError, match="above 0"):
            check_seconds("timeout", zero)


def test_worker_backends_share_argument_validation() -> None:
    right: dict[str, Any] = {"num_workers": None, "max_concurrency": None, "ring": 1, "on_error": "raise"}
    right["max_restarts"] = None
    check_worker_arguments(**right)
    check_worker_arguments(**right | {"num_workers": "auto", "max_restarts": 0, "on_error": "restart"}, auto=True)
    for name, value in (("num_workers", "auto"), ("max_concurrency", 0), ("ring", None), ("on_error", ["raise"])):
        with pytest.raises((TypeError, ValueError), match=f"^Expected {name} to be ") as raised:
            check_worker_arguments(**right | {name: value})
        assert str(raised.value).endswith(f"got {value!r}")


@pytest.mark.parametrize("value", [*NO_TIMES, 0, -1, NAN], ids=range(len(NO_TIMES) + 3))
def test_timeout_is_validated_when_set(value: Any) -> None:
    envs: Any = object.__new__(ShardedVectorEnv)
    envs.timeout = np.float32(0.5)

    with pytest.raises((TypeError, ValueError), match=r"^Expected timeout to be a number of seconds above 0, or None"):
        envs.timeout = value

    assert envs.timeout == 0.5
