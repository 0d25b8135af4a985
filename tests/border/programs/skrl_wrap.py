"""Check that skrl recognises single, vector, wrapped and user-defined environments."""

import gymnasium
import torch
from skrl.envs.wrappers.torch import wrap_env

import gymkernel as gym


class Own(gym.Env):
    observation_space = gym.spaces.Box(-1, 1, (2,))
    action_space = gym.spaces.Discrete(2)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        return self.observation_space.sample(), {}

    def step(self, action):
        return self.observation_space.sample(), 1.0, False, False, {}


gym.register("Own-v0", entry_point=Own)
for env in (gym.make("Pendulum-v1"), gym.wrappers.ClipReward(gym.make("Pendulum-v1"), -1, 1), gym.make("Own-v0")):
    wrapped = wrap_env(env)
    assert wrapped.num_envs == 1
    obs, _ = wrapped.reset()
    assert obs.shape == (1, *env.observation_space.shape)
assert wrap_env(Own()).reset()[0].shape == (1, 2)
envs = wrap_env(gym.make_vec("CartPole-v1", num_envs=4, vectorization_mode="sync"))
obs, _ = envs.reset()
obs, rewards, terminated, truncated, infos = envs.step(torch.randint(0, 2, (4, 1)))
assert obs.shape == (4, 4) and rewards.shape == (4, 1)
assert isinstance(envs.action_space, gymnasium.spaces.Discrete)
