"""Check that the results and generators of a vectorised environment equal those of single environments exactly."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from gymkernel.vector import AutoresetMode

if TYPE_CHECKING:
    from collections.abc import Iterable


def same(mine: Any, theirs: Any) -> bool:
    """Return whether values, types and dtypes are equal. Ignore `TimeLimit`'s key, which vectorised classes omit."""
    if type(mine) is not type(theirs):
        return False
    if isinstance(mine, dict):
        theirs = {key: value for key, value in theirs.items() if key.removeprefix("_") != "TimeLimit.truncated"}
        return mine.keys() == theirs.keys() and all(same(mine[key], theirs[key]) for key in mine)
    if isinstance(mine, tuple | list):
        return len(mine) == len(theirs) and all(map(same, mine, theirs))
    if isinstance(mine, np.ndarray):
        if mine.dtype != theirs.dtype or mine.shape != theirs.shape:
            return False
        return all(map(same, mine, theirs)) if mine.dtype == object else bool((mine == theirs).all())
    return bool(mine == theirs)


def assert_alike(own: Any, singles: Any, seed: Any, rows: Iterable[Any], *, some: bool = False) -> int:
    """Compare resets and steps of two vector environments, with masks if `some` is true, and count the episodes."""
    draw, ended = np.random.default_rng(9), 0
    assert same(own.reset(seed=seed), singles.reset(seed=seed))
    for k, row in enumerate(rows):
        if some and k % 5:
            mask = draw.random(own.num_envs) < (0.6 if k % 3 else 0.2)
            step, expected = own.step_masked(row, mask), singles.step_masked(row, mask)
        else:
            step, expected = own.step(row), singles.step(row)
        assert same(step, expected)
        done = step[2] | step[3]
        ended += int(done.sum())
        if own.autoreset_mode is AutoresetMode.DISABLED and done.any():
            options = {"reset_mask": done}
            assert same(own.reset(options=options), singles.reset(options=options))
    for mine, their in zip(own.np_random, singles.np_random, strict=True):
        assert mine.bit_generator.state == their.bit_generator.state
    return ended
