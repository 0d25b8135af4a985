"""Tests that step results are converted between one and two flags as in Gymnasium, for all kinds of infos."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
import pytest
from gymnasium.utils.step_api_compatibility import step_api_compatibility as theirs

from gymkernel.utils.step_api_compatibility import step_api_compatibility as ours

KEY = "TimeLimit.truncated"


def infos(rng: np.random.Generator, n: int) -> Any:
    """Return a list of infos, or a dictionary of arrays with or without masks."""
    mask = rng.random(n) < 0.5
    more = {"x": rng.random(n), "_x": mask} if rng.random() < 0.5 else {}
    info = {KEY: bool(rng.random() < 0.5)}
    dictionaries: list[Any] = [
        more,
        {KEY: rng.random(n) < 0.5, **more},
        {KEY: (rng.random(n) < 0.5) & mask, f"_{KEY}": mask, **more},
        {KEY: mask.astype(np.int64), **more},
        [{**(info if rng.random() < 0.5 else {}), "x": i} for i in range(n)],
    ]
    return dictionaries[rng.integers(len(dictionaries))]


def plain(value: Any) -> Any:
    """Convert flags and numbers to Python types, because Gymnasium returns NumPy types only sometimes."""
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, tuple | list):
        return type(value)(map(plain, value))
    return value.tolist() if isinstance(value, np.ndarray | np.generic) else value


@pytest.mark.parametrize("flags", [1, 2])
@pytest.mark.parametrize("wanted", [1, 2])
@pytest.mark.parametrize("n", [None, 1, 3])
def test_steps_are_converted_alike(n: int | None, wanted: int, flags: int) -> None:
    rng = np.random.default_rng(3)
    for _ in range(100):
        drawn = [rng.random(n) < 0.4 for _ in range(flags)]
        info = infos(rng, n) if n else ({KEY: bool(rng.random() < 0.5)} if rng.random() < 0.5 else {})
        step: Any = (np.zeros(n or 1), np.ones(n or 1), *drawn, info)

        converted = [item(copy.deepcopy(step), wanted == 2, n is not None) for item in (ours, theirs)]

        assert plain(converted[0]) == plain(converted[1])
