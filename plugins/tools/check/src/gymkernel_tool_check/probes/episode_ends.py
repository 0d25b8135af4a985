"""Functions that detect whether all episodes have the same length and whether observations reveal an episode's end."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

import numpy as np

from gymkernel_tool_check.introspect import is_a
from gymkernel_tool_check.probes.trace import Call, Trace

__all__ = ["common_length", "end_is_foreseeable"]

ENOUGH: Final = 3
"""If at least this many episodes have the same length, it is not a coincidence."""
MOST: Final = 4096
"""The maximum number of array elements to examine."""
CALLS: Final = 2000
"""The maximum number of observations to compare with each other."""


def common_length(runs: Sequence[Trace]) -> int | None:
    """Return the number of steps after which every episode terminates.

    Return None if the lengths differ or if an episode is truncated.

    Args:
        runs: recorded runs of several episodes with random actions.
    """
    ends = [call for run in runs for call in run.steps if call.well_formed and call.ended]
    lengths = {call.step for call in ends}
    truncated = any(is_a(call.truncated, bool | np.bool_) and call.truncated for call in ends)
    if len(ends) < ENOUGH or len(lengths) != 1 or truncated:
        return None
    longest = max(call.step for run in runs for call in run.steps)
    return lengths.pop() if lengths == {longest} else None


def end_is_foreseeable(runs: Sequence[Trace], length: int) -> bool:
    """Return whether an agent can see from one of the last two observations that the episode is about to end.

    The end is foreseeable if these observations differ from all earlier ones, for example because a number, a sum, a
    count or a length in them is larger or smaller than ever before, or because the observation is new although most
    observations occur repeatedly. The end is also foreseeable if a number in the observations changes steadily, like a
    clock.

    Args:
        runs: recorded runs of several episodes, all of which terminate after `length` steps.
        length: the number of steps in each episode.
    """
    if any(_has_clock(run) for run in runs):
        return True
    calls = [call for run in runs for call in _whole_episodes(run, length)]
    calls = calls[: max(ENOUGH, CALLS // (length + 1)) * (length + 1)]
    steps = np.array([call.step for call in calls])
    columns, keys = [*_columns(calls)], [_key(call.kept) for call in calls]
    for last in (length, length - 1):
        at_end, before = steps == last, steps < last
        if any(_differs_at_end(values, at_end, before) for _, values in columns):
            return True
        if _is_another_value(keys, at_end, before):
            return True
    return False


def _columns(calls: Sequence[Call]) -> Iterator[tuple[str, np.ndarray[Any, Any]]]:
    """Yield each feature that all observations have with the same shape, and its values in one array."""
    features = [dict(_features(call.kept)) for call in calls]
    for name in set.intersection(*(set(column) for column in features)):
        values = [column[name] for column in features]
        if len({value.shape for value in values}) == 1:
            yield name, np.stack(values)


def _whole_episodes(run: Trace, length: int) -> Iterator[Call]:
    """Yield the calls of each complete episode."""
    whole = {call.episode for call in run.steps if call.well_formed and call.ended}
    kept = [call for call in run.good if call.well_formed and call.episode in whole]
    complete = {number for number in whole if sum(call.episode == number for call in kept) == length + 1}
    yield from (call for call in kept if call.episode in complete)


def _differs_at_end(values: np.ndarray[Any, Any], at_end: Any, before: Any) -> bool:
    """Return whether the values at the end of episodes differ from all values at earlier steps."""
    last, earlier = values[at_end], values[before]
    if not last.size or not earlier.size:
        return False
    above, below = last.min(0) > earlier.max(0), last.max(0) < earlier.min(0)
    constant = (last == last[:1]).all(0) & (earlier != last[:1]).all(0)
    return bool((above | below | constant).any())


def _is_another_value(keys: list[bytes | None], at_end: Any, before: Any) -> bool:
    """Return whether the final observations are new, although most earlier observations occur repeatedly."""
    last = {key for key, use in zip(keys, at_end, strict=True) if use}
    earlier = [key for key, use in zip(keys, before, strict=True) if use]
    if None in last or None in earlier or len(set(earlier)) > len(earlier) / 2:
        return False
    return not last & set(earlier)


def _key(x: Any) -> bytes | None:
    """Return a hashable key for an observation, or None if it is neither an array nor a number nor a string."""
    if is_a(x, np.ndarray | np.generic | bool | int | float | str):
        value = np.asarray(x)
        return None if value.dtype == object else value.tobytes()
    return None


def _features(x: Any, path: str = "") -> Iterator[tuple[str, np.ndarray[Any, Any]]]:
    """Yield the numbers in an observation, their sums and their counts as (name, array) pairs."""
    if is_a(x, dict):
        for key, part in x.items():
            yield from _features(part, f"{path}[{key!r}]")
    elif is_a(x, tuple | list):
        yield f"{path} length", np.array([float(len(x))])
        for i, part in enumerate(x):
            yield from _features(part, f"{path}[{i}]")
    elif is_a(x, str):
        yield f"{path} length", np.array([float(len(x))])
    else:
        yield from _features_of_array(x, path)


def _features_of_array(x: Any, path: str) -> Iterator[tuple[str, np.ndarray[Any, Any]]]:
    try:
        array = np.nan_to_num(np.asarray(x, np.float64))
    except (TypeError, ValueError):
        return
    yield f"{path} values", array.ravel()[:MOST]
    if array.size > 1:
        yield f"{path} summary", np.array([array.sum(), np.count_nonzero(array), float(array.size)])
    for axis in range(array.ndim if 1 < array.ndim <= 4 else 0):
        others = tuple(i for i in range(array.ndim) if i != axis)
        yield f"{path} along {axis}", array.sum(others)


def _has_clock(trace: Trace) -> bool:
    """Return whether an element of the observation changes by the same amount in every step of the first episode."""
    first = [call for call in trace.good if call.episode == 1 and call.well_formed]
    for name, values in _columns(first) if len(first) >= 3 else ():
        if name.endswith("values"):
            moves = np.diff(values, axis=0)
            if (np.isclose(moves, moves[:1]) & (moves[:1] != 0)).all(axis=0).any():
                return True
    return False
