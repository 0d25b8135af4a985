"""Tianshou: its own vector environments over gymkernel's single ones, a policy, and a collector."""

from __future__ import annotations

from typing import Any

import numpy as np
from tianshou.algorithm.random import MARLRandomDiscreteMaskedOffPolicyAlgorithm
from tianshou.data import Collector, VectorReplayBuffer
from tianshou.env import DummyVectorEnv, ShmemVectorEnv, SubprocVectorEnv
from tianshou.utils.space_info import SpaceInfo

import gymkernel
from gymkernel.utils.gymnasium import to_gymnasium


def make() -> Any:
    """One environment, as one of Gymnasium's: the collector looks at spaces and classes."""
    return to_gymnasium(gymkernel.make("CartPole-v1"))


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
