"""Check that skrl recognises a user's wrapper, vector wrapper and vectorised environment."""

import torch
from skrl.envs.wrappers.torch import wrap_env

import gymkernel as gym


class Doubled(gym.RewardWrapper):
    def reward(self, reward):
        return 2 * reward


class DoubledVector(gym.vector.VectorRewardWrapper):
    def rewards(self, reward):
        return 2 * reward


wrapped = wrap_env(Doubled(gym.make("CartPole-v1")), verbose=False)
obs, _ = wrapped.reset()
obs, reward, *_ = wrapped.step(torch.zeros((1, 1), dtype=torch.int64))
assert obs.shape == (1, 4) and reward.item() == 2
for envs in (
    gym.make_vec("CartPole-v1", num_envs=3),
    gym.make_vec("CartPole-v1", num_envs=3, vectorization_mode="vector_entry_point"),
    DoubledVector(gym.make_vec("CartPole-v1", num_envs=3, vectorization_mode="sync")),
):
    wrapped = wrap_env(envs, verbose=False)
    obs, _ = wrapped.reset()
    obs, reward, *_ = wrapped.step(torch.zeros((3, 1), dtype=torch.int64))
    assert wrapped.num_envs == 3 and obs.shape == (3, 4) and reward.shape == (3, 1)
    wrapped.close()
