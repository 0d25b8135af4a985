"""Tests of `TransformReward`, in particular the function and the spec."""

from __future__ import annotations

from typing import Any

import pytest

from gymkernel import Env
from gymkernel.envs.registration import EnvSpec
from gymkernel.wrappers import TransformReward


class Echo(Env[int, float]):
    """An environment whose reward is the action."""

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[int, dict[str, Any]]:
        return 0, {}

    def step(self, action: float) -> tuple[int, float, bool, bool, dict[str, Any]]:
        return 0, action, False, False, {"reward": action}


def double(reward: Any) -> Any:
    return 2 * reward


def test_only_rewards_are_transformed() -> None:
    assert TransformReward(Echo(), double).step(4.0) == (0, 8.0, False, False, {"reward": 4.0})


def test_non_function_is_rejected() -> None:
    with pytest.raises(TypeError, match=r"^TransformReward expects func to be a function of the reward, got 3$"):
        TransformReward(Echo(), 3)  # type: ignore[arg-type]


def test_f_is_an_alias_of_func() -> None:
    assert TransformReward(Echo(), f=double).step(4.0)[1] == 8.0
    with pytest.raises(
        TypeError, match=r"^TransformReward expects func to be a function of the reward, got both func and f"
    ):
        TransformReward(Echo(), double, f=double)
    with pytest.raises(TypeError, match=r"got None$"):
        TransformReward(Echo())


def test_function_is_in_the_spec() -> None:
    env = Echo()
    env.spec = EnvSpec("Echo-v0", entry_point=Echo)
    spec = TransformReward(env, double).spec

    assert spec is not None
    assert spec.additional_wrappers[-1].kwargs == {"func": double}
