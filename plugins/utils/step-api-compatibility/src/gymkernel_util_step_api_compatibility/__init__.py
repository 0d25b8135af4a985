"""One flag `done`, as `step` returned it before 0.26, and two, `terminated` and `truncated`; infos stay as they are."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

__all__ = ["convert_to_done_step_api", "convert_to_terminated_truncated_step_api", "step_api_compatibility"]

KEY: Final = "TimeLimit.truncated"
"""Under which the old API told in the info that a time limit ended the episode."""


def convert_to_terminated_truncated_step_api(step_returns: tuple[Any, ...], is_vector_env: bool = False) -> Any:
    """What `step` returned as five values.

    An episode that is done is truncated where its info says so under "TimeLimit.truncated", which is taken out, else
    terminated.

    Args:
        step_returns: four values with `done`, or five, which are returned as they are.
        is_vector_env: whether they are of several environments: arrays of flags, and infos as a list or a dictionary.

    Raises:
        ValueError: another number of values.
        TypeError: infos of another kind.

    >>> convert_to_terminated_truncated_step_api((0, 1.0, True, {}))
    (0, 1.0, True, False, {})
    """
    if _length(step_returns) == 5:
        return step_returns
    observation, reward, done, info = step_returns
    if not is_vector_env:
        rest = {key: value for key, value in info.items() if key != KEY}
        truncated = bool(done and info.get(KEY, False))
        return observation, reward, bool(done and not truncated), truncated, rest
    if isinstance(info, list):
        cut = np.array([one.get(KEY, False) for one in info], np.bool_)
        rest_of_all: Any = [{key: value for key, value in one.items() if key != KEY} for one in info]
    else:
        _check_infos(info)
        cut = np.array(info.get(KEY, np.zeros(len(done))), np.bool_)
        rest_of_all = {key: value for key, value in info.items() if key not in {KEY, f"_{KEY}"}}
    return observation, reward, np.logical_and(done, ~cut), np.logical_and(done, cut), rest_of_all


def convert_to_done_step_api(step_returns: tuple[Any, ...], is_vector_env: bool = False) -> Any:
    """What `step` returned as four values.

    Where an episode ends, its info says under "TimeLimit.truncated" whether it was truncated and not terminated.

    Args:
        step_returns: five values, or four, which are returned as they are.
        is_vector_env: whether they are of several environments: arrays of flags, and infos as a list or a dictionary.

    Raises:
        ValueError: another number of values.
        TypeError: infos of another kind.

    >>> convert_to_done_step_api((0, 1.0, True, False, {}))
    (0, 1.0, True, {'TimeLimit.truncated': False})
    """
    if _length(step_returns) == 4:
        return step_returns
    observation, reward, terminated, truncated, info = step_returns
    if not is_vector_env:
        told = {KEY: bool(truncated and not terminated)} if terminated or truncated else {}
        return observation, reward, bool(terminated or truncated), {**info, **told}
    done, cut = np.logical_or(terminated, truncated), np.logical_and(truncated, np.logical_not(terminated))
    if isinstance(info, list):
        each = zip(info, done, cut, strict=True)
        return observation, reward, done, [{**one, KEY: bool(c)} if d else dict(one) for one, d, c in each]
    _check_infos(info)
    return observation, reward, done, {**info, KEY: cut} if done.any() else dict(info)


def step_api_compatibility(
    step_returns: tuple[Any, ...], output_truncation_bool: bool = True, is_vector_env: bool = False
) -> Any:
    """What `step` returned in the API that is asked for.

    Args:
        step_returns: four or five values.
        output_truncation_bool: five values are wanted; else four.
        is_vector_env: whether they are of several environments.

    Raises:
        ValueError: another number of values.
        TypeError: infos of another kind.
    """
    convert = convert_to_terminated_truncated_step_api if output_truncation_bool else convert_to_done_step_api
    return convert(step_returns, is_vector_env)


def _length(step_returns: tuple[Any, ...]) -> int:
    if len(step_returns) not in {4, 5}:
        message = f"Expected what step returned: four values with done, or five, got {len(step_returns)}"
        raise ValueError(message)
    return len(step_returns)


def _check_infos(infos: Any) -> None:
    if not isinstance(infos, dict):
        message = f"Expected the infos of a vector environment to be a dictionary or a list, got {type(infos).__name__}"
        raise TypeError(message)
