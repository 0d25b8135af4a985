"""Tests that wrappers record numbers of user-defined classes."""

from __future__ import annotations

from typing import Any

import pytest

import gymkernel
from gymkernel.utils import RecordConstructorArgs


class Whole(int):
    """A user-defined class of integers."""


class Real(float):
    """A user-defined class of floats."""


class Limit:
    """An object that can be converted to a float but is not plain data."""

    def __float__(self) -> float:
        return 1.0


GIVEN: dict[str, dict[str, Any]] = {
    "DelayObservation": {"delay": Whole(2)},
    "NormalizeObservation": {"epsilon": Real(1e-6)},
    "MaxAndSkipObservation": {"skip": Whole(2)},
    "RepeatAction": {"num_repeats": Whole(3)},
    "ClipReward": {"min_reward": Real(-1), "max_reward": Real(1)},
    "NormalizeReward": {"gamma": Real(0.9), "epsilon": Real(1e-6)},
    "TimeAwareObservation": {"flatten": Whole(1), "normalize_time": Whole(0), "dict_time_key": "time"},
    "RenderCollection": {"pop_frames": Whole(0), "reset_clean": Whole(1)},
    "AddWhiteNoise": {"probability_of_noise_per_pixel": Real(0.1), "is_noise_grayscale": Whole(0)},
}


@pytest.mark.parametrize("name", GIVEN)
def test_spec_recreates_the_wrapper(name: str) -> None:
    env = gymkernel.make("CartPole-v1", render_mode="rgb_array")
    wrapped: Any = getattr(gymkernel.wrappers, name)(env, **GIVEN[name])

    again: Any = gymkernel.make(wrapped.spec)

    assert isinstance(wrapped, RecordConstructorArgs)
    assert wrapped._saved_kwargs == GIVEN[name]
    assert type(again) is type(wrapped)
    assert again._saved_kwargs == wrapped._saved_kwargs


def test_subclass_is_recreated_with_its_own_arguments() -> None:
    class Narrow(gymkernel.wrappers.ClipReward):
        def __init__(self, env: Any, limit: Any) -> None:
            super().__init__(env, -float(limit), float(limit))

    recorded, unknown = (Narrow(gymkernel.make("CartPole-v1"), limit) for limit in (1.0, Limit()))

    assert recorded._saved_kwargs == {"limit": 1.0}
    assert not hasattr(unknown, "_saved_kwargs")
