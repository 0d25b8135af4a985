"""Tests of `TransformAction`, in particular the function, the action space and the spec."""

from __future__ import annotations

from typing import Any

import pytest

from gymkernel import Env, Space
from gymkernel.envs.registration import EnvSpec
from gymkernel.wrappers import TransformAction


class Echo(Env[Any, Any]):
    """An environment whose observation is the action."""

    action_space = Space((2,))

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        return None, {}

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        return action, 0.0, False, False, {}


def double(action: int) -> int:
    return 2 * action


def test_environment_gets_the_functions_result() -> None:
    assert TransformAction(Echo(), double, None).step(4)[0] == 8


def test_default_space_is_that_of_the_environment() -> None:
    env = Echo()

    assert TransformAction(env, double, None).action_space is env.action_space


def test_given_space_is_used() -> None:
    space: Space[int] = Space((3,))

    assert TransformAction(Echo(), double, space).action_space is space


def test_non_function_is_rejected() -> None:
    with pytest.raises(TypeError, match=r"^TransformAction expects func to be a function of the action, got 3$"):
        TransformAction(Echo(), 3, None)  # type: ignore[arg-type]


def test_function_is_in_the_spec() -> None:
    env = Echo()
    env.spec = EnvSpec("Echo-v0", entry_point=Echo)
    spec = TransformAction(env, double, None).spec

    assert spec is not None
    assert spec.additional_wrappers[-1].kwargs == {"func": double, "action_space": None}
