"""Derive vector wrappers from either library's base classes, and wrap vector environments of either library."""

import gymnasium
import numpy as np

import gymkernel


def wrappers_of(vector):
    class Half(vector.VectorObservationWrapper):
        def observations(self, observations):
            return observations / 2

    class Flip(vector.VectorActionWrapper):
        def actions(self, actions):
            return 1 - actions

    class Double(vector.VectorRewardWrapper):
        def rewards(self, rewards):
            return 2 * rewards

    class Count(vector.VectorWrapper):
        count = 0

        def step(self, actions):
            self.count += 1
            return super().step(actions)

    return Half, Flip, Double, Count


for outer in (gymkernel, gymnasium):
    for inner in (gymkernel, gymnasium):
        envs = inner.make_vec("CartPole-v1", num_envs=2, vectorization_mode="sync")
        for wrapper in wrappers_of(outer.vector):
            envs = wrapper(envs)
            assert isinstance(envs, gymnasium.vector.VectorEnv)
        assert isinstance(envs, gymnasium.vector.VectorWrapper)
        obs, _ = envs.reset(seed=1)
        assert np.abs(obs).max() <= 0.025
        obs, rewards, *_ = envs.step(np.array([0, 1]))
        assert rewards.tolist() == [2, 2] and envs.count == 1
        envs.close()
