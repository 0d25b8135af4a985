"""Use the wrappers of agents that learn from images: rendered observations, greyscale, resizing, stacking."""

import gymnasium as gym
import numpy as np
from gymnasium.wrappers import (
    AddRenderObservation,
    FrameStackObservation,
    GrayscaleObservation,
    MaxAndSkipObservation,
    ResizeObservation,
)

env = gym.make("CartPole-v1", render_mode="rgb_array")
env = AddRenderObservation(env, render_only=True)
env = ResizeObservation(env, (84, 84))
env = GrayscaleObservation(env)
env = MaxAndSkipObservation(env, skip=2)
env = FrameStackObservation(env, 4)
print(env.observation_space.shape, env.observation_space.dtype)
observation, info = env.reset(seed=2)
print(np.asarray(observation).shape, np.asarray(observation).dtype, info)
env.action_space.seed(2)
done = False
total, count = 0.0, 0
while not done:
    observation, reward, terminated, truncated, info = env.step(env.action_space.sample())
    total, count, done = total + reward, count + 1, terminated or truncated
print(total, count, observation.shape, bool(np.all(observation[-1] == observation[0])))
env.close()

both = AddRenderObservation(gym.make("CartPole-v1", render_mode="rgb_array"), render_only=False, render_key="picture", obs_key="state")
observation, _ = both.reset(seed=1)
print(sorted(observation), observation["picture"].shape, observation["state"].tolist())
both.close()
