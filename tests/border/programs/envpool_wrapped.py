"""Wrap EnvPool's environments in a user's vector wrapper and in one of ours."""

import envpool
import numpy as np

import gymkernel as gym


class RecordReturns(gym.vector.VectorWrapper):
    def reset(self, **kwargs):
        self.returns = np.zeros(self.num_envs, dtype=np.float32)
        return self.env.reset(**kwargs)

    def step(self, actions):
        obs, rewards, terminated, truncated, infos = self.env.step(actions)
        self.returns += rewards
        infos["r"] = self.returns.copy()
        self.returns *= 1 - (terminated | truncated)
        return obs, rewards, terminated, truncated, infos


envs = envpool.make("CartPole-v1", env_type="gymnasium", num_envs=3, seed=1)
envs = RecordReturns(envs)
envs = gym.wrappers.vector.TransformReward(envs, lambda rewards: 2 * rewards)
obs, infos = envs.reset()
obs, rewards, terminated, truncated, infos = envs.step(np.array([0, 1, 0]))
assert obs.shape == (3, 4)
assert rewards.tolist() == [2, 2, 2] and infos["r"].tolist() == [1, 1, 1]
envs.close()
