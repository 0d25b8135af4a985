"""Run a Tianshou policy and collector on Tianshou's vector environments, which contain gymkernel environments."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from tianshou.algorithm.random import MARLRandomDiscreteMaskedOffPolicyAlgorithm
from tianshou.data import Collector, VectorReplayBuffer
from tianshou.env import DummyVectorEnv, ShmemVectorEnv, SubprocVectorEnv
from tianshou.utils.space_info import SpaceInfo

import gymkernel


def make() -> Any:
    """Create one environment. The collector examines its spaces and classes."""
    return gymkernel.make("CartPole-v1")


if __name__ == "__main__":
    space = SpaceInfo.from_env(make())
    assert (space.action_info.action_dim, space.observation_info.obs_dim) == (2, 4)
    for kind in (DummyVectorEnv, SubprocVectorEnv, ShmemVectorEnv):
        envs = kind([make] * 4)
        algorithm = MARLRandomDiscreteMaskedOffPolicyAlgorithm(make().action_space)
        collector = Collector(algorithm.policy, envs, VectorReplayBuffer(1000, 4))
        envs.seed(1)
        collector.reset()
        result = collector.collect(n_step=400, random=True)
        envs.close()
        print(f"{kind.__name__}: {result.n_collected_episodes} episodes in {result.n_collected_steps} steps")
        assert result.n_collected_steps == 400
        assert np.mean(result.returns) > 5
    alone = Collector(algorithm.policy, make(), VectorReplayBuffer(1000, 1))
    alone.reset()
    assert alone.collect(n_step=100, random=True).n_collected_steps == 100
    with pytest.raises(
        TypeError, match="has no len"
    ):  # Gymnasium's vector environments fail in the same way, because Tianshou requires its own
        Collector(algorithm.policy, gymkernel.make_vec("CartPole-v1", 4), VectorReplayBuffer(1000, 4))
