"""Check that Sample Factory accepts and wraps our environments in the same way as Gymnasium's."""

import gymnasium
from sample_factory.algo.utils.gymnasium_utils import patch_non_gymnasium_env
from sample_factory.envs.env_wrappers import PixelFormatChwWrapper, TimeLimitWrapper

import gymkernel

env = gymkernel.make("CartPole-v1")
assert patch_non_gymnasium_env(env) is env
env = TimeLimitWrapper(env, limit=5)
env.reset(seed=1)
for _ in range(5):
    obs, reward, terminated, truncated, info = env.step(env.action_space.sample())
assert truncated and reward == 1
pixels = gymkernel.wrappers.AddRenderObservation(gymkernel.make("CartPole-v1", render_mode="rgb_array"))
pixels = PixelFormatChwWrapper(pixels)
assert pixels.reset(seed=1)[0].shape == (3, 400, 600)
assert isinstance(pixels.observation_space, gymnasium.spaces.Box)
