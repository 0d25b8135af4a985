"""Tests that `check_environments_match` distinguishes the same pairs of environments as Gymnasium's function."""

from __future__ import annotations

import itertools
from typing import Any

import gymnasium
import gymnasium.utils.env_match
import numpy as np
import pytest

from gymkernel.utils.env_match import check_environments_match

INFOS: list[dict[str, Any]] = [{}, {"a": 1}, {"a": 2}, {"a": 1, "b": 2}, {"b": 2}]


class Countdown(gymnasium.Env[Any, Any]):
    """An environment that counts down from a number that depends on the seed."""

    observation_space = gymnasium.spaces.Discrete(9)
    action_space = gymnasium.spaces.Discrete(2)
    render_mode = None

    def __init__(self, info: dict[str, Any], lasts: int = 3, unseeded: int = 3) -> None:
        self.info, self.lasts, self.unseeded = info, lasts, unseeded

    def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[Any, dict[str, Any]]:
        self.left = self.lasts if seed is not None else self.unseeded
        return np.int64(self.left), dict(self.info)

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        self.left -= 1
        return np.int64(max(self.left, 0)), 1.0, self.left <= 0, False, dict(self.info)


def accepts(check: Any, *args: Any, **kwargs: Any) -> bool:
    try:
        check(*args, **kwargs)
    except (AssertionError, KeyError):  # Gymnasium raises KeyError for a missing key
        return False
    return True


@pytest.mark.parametrize("comparison", ["equivalence", "superset", "keys-equivalence", "keys-superset", "skip"])
def test_infos_are_compared(comparison: str) -> None:
    found = set()
    for item, other in itertools.product(INFOS, repeat=2):
        checks = check_environments_match, gymnasium.utils.env_match.check_environments_match
        here, there = (
            accepts(check, Countdown(item), Countdown(other), num_steps=4, info_comparison=comparison)
            for check in checks
        )
        assert here == there, (item, other)
        found.add(here)
    assert found == ({True} if comparison == "skip" else {True, False})


@pytest.mark.parametrize(
    "arguments",
    [{"unseeded": 5}, {"lasts": 4}, {"lasts": 4, "skip_terminal": True}],
    ids=["resets are seeded", "lengths differ", "either end begins a new episode"],
)
def test_ends_are_compared(arguments: dict[str, Any]) -> None:
    options = {name: value for name, value in arguments.items() if name.startswith("skip")}
    other = {name: value for name, value in arguments.items() if not name.startswith("skip")}
    here, there = (
        accepts(check, Countdown({}), Countdown({}, **other), num_steps=9, skip_obs=True, **options)
        for check in (check_environments_match, gymnasium.utils.env_match.check_environments_match)
    )
    assert here == there
