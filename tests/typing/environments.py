"""Check the types of generic environments and wrappers. This file is only read by mypy and never run."""

from __future__ import annotations

from typing import Any, SupportsFloat, assert_type

import numpy as np
from numpy.typing import NDArray

import gymkernel as gym
from gymkernel import ActionWrapper, Env, ObservationWrapper, RewardWrapper, Space, Wrapper
from gymkernel.envs.registration import EnvSpec
from gymkernel.wrappers import OrderEnforcing, PassiveEnvChecker, TimeLimit

Info = dict[str, Any]
Vector = NDArray[np.float32]


class Walk(Env[Vector, int]):
    def reset(self, *, seed: int | None = None, options: Info | None = None) -> tuple[Vector, Info]:
        super().reset(seed=seed)
        return np.zeros(1, np.float32), {}

    def step(self, action: int) -> tuple[Vector, float, bool, bool, Info]:
        return np.full(1, action, np.float32), 1.0, False, False, {}


class Wrong(Env[Vector, int]):
    def step(self, action: str) -> tuple[Vector, float, bool, bool, Info]:  # type: ignore[override]
        return np.zeros(1, np.float32), 0.0, False, False, {}


class Unspecified(Env):
    """An environment without type parameters, so that all its types are `Any`."""


walk = Walk()
assert_type(walk.reset(), tuple[Vector, Info])
assert_type(walk.step(1), tuple[Vector, float, bool, bool, Info])
assert_type(walk.observation_space, Space[Vector])
assert_type(walk.action_space.sample(), int)
assert_type(walk.np_random, np.random.Generator)
assert_type(Unspecified().action_space, Space[Any])
assert_type(walk.spec, EnvSpec | None)
with walk as entered:
    assert_type(entered, Walk)
walk.step("left")  # type: ignore[arg-type]


def partly_specified(env: Env[Vector]) -> None:
    """Check that omitted types are `Any`."""
    assert_type(env, Env[Vector, Any])


# Wrappers that do not change types keep those of the inner environment.
limited = TimeLimit(walk, 5)
assert_type(limited, TimeLimit[Vector, int])
assert_type(OrderEnforcing(limited), OrderEnforcing[Vector, int])
assert_type(PassiveEnvChecker(walk).step(1), tuple[Vector, SupportsFloat, bool, bool, Info])
TimeLimit(walk, 5).step("left")  # type: ignore[arg-type]
TimeLimit(walk, "5")  # type: ignore[arg-type]


class Doubled(ObservationWrapper[float, int, Vector]):
    def observation(self, observation: Vector) -> float:
        return float(observation[0]) * 2


class Named(ActionWrapper[Vector, str, int]):
    def action(self, action: str) -> int:
        return len(action)


class Halved(RewardWrapper[Vector, int]):
    def reward(self, reward: SupportsFloat) -> float:
        return float(reward) / 2


class Misread(ObservationWrapper[float, int, Vector]):
    def observation(self, observation: Vector) -> str:  # type: ignore[override]
        return str(observation)


assert_type(Doubled(walk).step(1), tuple[float, SupportsFloat, bool, bool, Info])
assert_type(Named(walk).step("left"), tuple[Vector, SupportsFloat, bool, bool, Info])
assert_type(Halved(walk).reset(), tuple[Vector, Info])
assert_type(Doubled(walk).env, Env[Vector, int])
doubled = Doubled(walk)
assert_type(TimeLimit(doubled, 5), TimeLimit[float, int])
Named(walk).step(1)  # type: ignore[arg-type]
Doubled(Doubled(walk))  # type: ignore[arg-type]


class Both(Wrapper[str, str, Vector, int]):
    def step(self, action: str) -> tuple[str, SupportsFloat, bool, bool, Info]:
        observation, *rest = self.env.step(len(action))
        assert_type(observation, Vector)
        return (str(observation), *rest)  # type: ignore[return-value] # a starred list has lost its length


assert_type(Both(walk).reset(), tuple[str, Info])

# Which environment an id refers to is known only at run time.
assert_type(gym.make("CartPole-v1"), Env[Any, Any])
assert_type(gym.make("CartPole-v1").unwrapped, Env[Any, Any])
assert_type(gym.spec("CartPole-v1"), EnvSpec)
annotated: Env[Vector, int] = gym.make("CartPole-v1")
gym.make(3)  # type: ignore[arg-type]
gym.make("CartPole-v1", max_episode_steps="many")  # type: ignore[arg-type]

gym.make("CartPole-v1", render_mode="rgb_array", gravity=9.8)
gym.make("CartPole-v1", render_mode=3)  # type: ignore[arg-type]
gym.make_vec("CartPole-v1", 2, render_mode=b"rgb_array")  # type: ignore[arg-type]
