"""Check the types of vector environments. This file is only read by mypy and never run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, assert_type

import numpy as np
from numpy.typing import NDArray

import gymkernel as gym
from gymkernel.vector import (
    AutoresetMode,
    SyncVectorEnv,
    VectorEnv,
    VectorObservationWrapper,
    VectorWrapper,
)

if TYPE_CHECKING:
    from gymkernel.protocols import VectorEnvLike
    from gymkernel.vector import (
        VectorActionWrapper,
        VectorRewardWrapper,
    )

Info = dict[str, Any]
Batch = NDArray[np.float32]
Rewards = NDArray[Any]
Envs = VectorEnv[Batch, NDArray[np.int64], Rewards]


def use(envs: Envs) -> None:
    assert_type(envs.reset(seed=[1, None]), tuple[Batch, Info])
    assert_type(envs.step(np.zeros(2, np.int64)), tuple[Batch, Rewards, Rewards, Rewards, Info])
    assert_type(envs.num_envs, int)
    envs.reset(seed="1")  # type: ignore[arg-type]
    envs.step("left")  # type: ignore[arg-type]
    behaves: VectorEnvLike[Batch, NDArray[np.int64]] = envs  # noqa: F841 - mypy checks the assignment


def synchronous(envs: SyncVectorEnv[Batch, NDArray[np.int64], Rewards]) -> None:
    use(envs)
    assert_type(envs.step(np.zeros(2, np.int64))[1], Rewards)
    assert_type(envs.np_random, tuple[np.random.Generator, ...])
    assert_type(envs.get_attr("gravity"), tuple[Any, ...])
    assert_type(envs.autoreset_mode, AutoresetMode)


class Scaled(VectorObservationWrapper[NDArray[np.float64], NDArray[np.int64], Batch, Rewards]):
    def observations(self, observations: Batch) -> NDArray[np.float64]:
        return observations.astype(np.float64)


def wrap(envs: Envs) -> None:
    assert_type(VectorWrapper(envs).unwrapped, VectorEnv[Any, Any, Any])
    assert_type(Scaled(envs).reset(), tuple[NDArray[np.float64], Info])


def wrappers_of_each_kind(
    actions: VectorActionWrapper[Batch, str, NDArray[np.int64], Rewards],
    rewards: VectorRewardWrapper[Batch, str, Rewards],
) -> None:
    assert_type(actions.step("left")[0], Batch)
    assert_type(rewards.reset()[0], Batch)


def vectorized(envs: Envs) -> None:
    clipped = gym.wrappers.vector.ClipReward(envs, -1.0, max_reward=1.0)
    assert_type(clipped.step(np.zeros(2, np.int64)), tuple[Batch, Rewards, Rewards, Rewards, Info])
    gym.wrappers.vector.ClipReward(envs, "low")  # type: ignore[arg-type]
    gym.wrappers.vector.ClipReward(envs, lowest=-1.0)  # type: ignore[call-arg]
    gym.wrappers.vector.DiscretizeObservation(envs)  # type: ignore[call-arg]
    gym.wrappers.vector.ClipReward(3)  # type: ignore[arg-type]
    assert isinstance(clipped, gym.wrappers.vector.ClipReward)


class Bounded(gym.wrappers.vector.ClipReward[Batch, NDArray[np.int64], Rewards]):
    """A class that inherits from a generic vector wrapper."""


assert_type(gym.make_vec("CartPole-v1", num_envs=2), VectorEnv[Any, Any, Any])
assert_type(gym.vector.make("CartPole-v1"), VectorEnv[Any, Any, Any])
gym.make_vec("CartPole-v1", num_envs="two")  # type: ignore[arg-type]
SyncVectorEnv([3])  # type: ignore[list-item]
