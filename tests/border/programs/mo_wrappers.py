"""Apply MO-Gymnasium's wrappers to environments that are already wrapped in ours."""

import mo_gymnasium
import numpy as np
from mo_gymnasium.wrappers import MOClipReward, MOMaxAndSkipObservation, MONormalizeReward, MORecordEpisodeStatistics

import gymkernel as gym

env = gym.wrappers.TimeLimit(gym.make("deep-sea-treasure-v0"), 10)
env = MORecordEpisodeStatistics(env, gamma=0.97)
env = MONormalizeReward(env, idx=0)
env = MOClipReward(env, idx=1, min_r=-1, max_r=1)
obs, info = env.reset(seed=1)
done = False
while not done:
    obs, reward, terminated, truncated, info = env.step(0)
    done = terminated or truncated
assert reward.shape == (2,)
assert info["episode"]["l"] == 10
assert info["episode"]["r"].shape == (2,)
env = MOMaxAndSkipObservation(gym.make("mo-mountaincar-v0"))
assert env.reset(seed=1)[0].shape == (2,)
