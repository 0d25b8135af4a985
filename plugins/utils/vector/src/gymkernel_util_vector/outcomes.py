"""Functions that check the values returned by `step` and `reset`."""

from __future__ import annotations

from collections.abc import Mapping
from numbers import Number
from typing import Any

import numpy as np

from gymkernel_util_compatibility.other_apis import explain_result
from gymkernel_util_spaces.texts import text_of

__all__ = ["check_reset", "check_step"]

Info = dict[str, Any]


def check_step(result: Any, i: int) -> tuple[Any, float, bool, bool, Info]:
    """Check the result of `step`, and convert its values to Python types.

    The reward must be a number, and each flag must be a bool, a number or None. Arrays with one element are also
    accepted. The info must be a mapping.

    Args:
        result: the five values that `step` returned.
        i: the index of the environment, for error messages.

    Raises:
        TypeError: if the result is invalid.

    >>> check_step((7, np.array([2]), np.array([True]), 0, {}), 0)
    (7, 2.0, True, False, {})
    >>> check_step((7, 2, "no", False, {}), 3)
    Traceback (most recent call last):
    TypeError: Expected terminated of environment 3 to be a bool, got 'no' (str)
    """
    if not isinstance(result, tuple | list) or len(result) != 5:
        raise TypeError(
            f"Expected step of environment {i} to return (observation, reward, terminated, truncated, info), "
            f"got {_values(result)}{_explained(result)}"
        )
    observation, reward, terminated, truncated, info = result
    flags = _flag(terminated, "terminated", i), _flag(truncated, "truncated", i)
    return observation, _reward(reward, i), *flags, _info(info, i)


def check_reset(result: Any, i: int) -> tuple[Any, Info]:
    """Check the result of `reset`, and return it unchanged.

    Args:
        result: the observation and the info that `reset` returned.
        i: the index of the environment, for error messages.

    Raises:
        TypeError: if the result is invalid.

    >>> check_reset(7, 3)
    Traceback (most recent call last):
    TypeError: Expected reset of environment 3 to return (observation, info), got 7 (int)
    """
    if not isinstance(result, tuple | list) or len(result) != 2:
        expected = f"Expected reset of environment {i} to return (observation, info)"
        raise TypeError(f"{expected}, got {_values(result)}{_explained(result)}")
    observation, info = result
    return observation, info if type(info) is dict else _info(info, i)


def _values(result: Any) -> str:
    return f"{len(result)} values" if isinstance(result, tuple | list) else _seen(result)


def _explained(result: Any) -> str:
    explained = explain_result(result)
    return f": {explained}" if explained else ""


def _seen(value: Any) -> str:
    try:
        return f"{text_of(value)} ({type(value).__name__})"
    except Exception:  # noqa: BLE001 - the repr of a third-party object may raise any exception
        return f"a {type(value).__name__}"


def _scalar(value: Any) -> Any:
    """Return a number, or the only item of an array with one element. Return None for any other value."""
    try:
        array = np.asarray(value)
    except (TypeError, ValueError):
        return None
    item = array.item() if array.size == 1 and array.dtype.kind in "biufcO" else None
    return item if isinstance(item, Number) else None


def _reward(reward: Any, i: int) -> float:
    number = _scalar(reward)
    try:
        if number is not None:
            return float(number)
    except (TypeError, ValueError, OverflowError):
        pass
    message = f"Expected the reward of environment {i} to be a number, got {_seen(reward)}"
    if isinstance(reward, np.ndarray | list | tuple) and np.size(reward) > 1:
        message += (
            "; a wrapper such as TransformReward or MO-Gymnasium's LinearReward combines several numbers into one, and "
            "MO-Gymnasium's MOSyncVectorEnv supports several numbers"
        )
    raise TypeError(message)


def _flag(flag: Any, name: str, i: int) -> bool:
    value = False if flag is None else _scalar(flag)
    if value is None:
        raise TypeError(f"Expected {name} of environment {i} to be a bool, got {_seen(flag)}")
    return bool(value)


def _info(info: Any, i: int) -> Info:
    if not isinstance(info, Mapping):
        raise TypeError(f"Expected the info of environment {i} to be a dictionary, got {_seen(info)}")
    return info if isinstance(info, dict) else dict(info)
