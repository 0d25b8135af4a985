"""Check the types of environments and spaces without our base classes. This file is only read by mypy and never run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, SupportsFloat, assert_type

import gymnasium
import numpy as np
from gymnasium.envs.classic_control import CartPoleEnv
from numpy.typing import NDArray

from gymkernel import Wrapper
from gymkernel.vector import SyncVectorEnv
from gymkernel.wrappers import OrderEnforcing, PassiveEnvChecker, TimeLimit

if TYPE_CHECKING:
    from gymkernel.protocols import EnvLike, SpaceLike, VectorEnvLike

Info = dict[str, Any]


class Theirs:
    """A third-party environment."""

    observation_space: Any = None
    action_space: Any = None
    metadata: Info = {}  # noqa: RUF012 - third-party code declares it in this way
    render_mode: str | None = None

    def reset(self, *, seed: int | None = None, options: Info | None = None) -> tuple[float, Info]:
        return 0.0, {}

    def step(self, action: str) -> tuple[float, int, bool, bool, Info]:
        return 0.0, 1, False, False, {}

    def render(self) -> None: ...

    def close(self) -> None: ...


class Unfinished:
    """An environment without `step`."""

    def reset(self) -> tuple[float, Info]:
        return 0.0, {}


def first(env: EnvLike[float, str]) -> float:
    observation, info = env.reset(seed=1)
    assert_type(info, Info)
    return observation


# An object that behaves like an environment has the type of an environment.
first(Theirs())
assert_type(TimeLimit(Theirs(), 5), TimeLimit[float, str])
assert_type(OrderEnforcing(Theirs()).step("left"), tuple[float, SupportsFloat, bool, bool, Info])
assert_type(Wrapper[float, str, float, str](Theirs()).reset(), tuple[float, Info])
SyncVectorEnv([Theirs, Theirs])
first(Unfinished())  # type: ignore[arg-type]
TimeLimit(Unfinished(), 5)  # type: ignore[arg-type]
first(3)  # type: ignore[arg-type]


def wrapped(env: gymnasium.Env[NDArray[np.float32], int]) -> None:
    """Check that a function for gymkernel's environments accepts Gymnasium's."""
    assert_type(TimeLimit(env, 5), TimeLimit[NDArray[np.float32], int])
    assert_type(PassiveEnvChecker(TimeLimit(env, 5)).reset(), tuple[NDArray[np.float32], Info])


def batched(envs: gymnasium.vector.VectorEnv[Any, Any, Any]) -> VectorEnvLike[Any, Any]:
    return envs


cart_pole: EnvLike[NDArray[np.float32], int] = CartPoleEnv()
space: SpaceLike[NDArray[Any]] = gymnasium.spaces.Box(0, 1)
SyncVectorEnv([CartPoleEnv])
