"""Wrap one of our environments in Gymnasium's wrappers for images and dictionary keys."""

import gymnasium.wrappers as w
import numpy as np

import gymkernel as gym


class Camera(gym.Env):
    action_space = gym.spaces.Discrete(2)
    observation_space = gym.spaces.Dict(
        {"image": gym.spaces.Box(0, 255, (20, 30, 3), np.uint8), "speed": gym.spaces.Box(-1, 1, (1,))}
    )

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        return self.observation_space.sample(), {}

    def step(self, action):
        return self.observation_space.sample(), 0.0, False, False, {}


env = w.FilterObservation(Camera(), ["image"])
assert list(env.reset()[0]) == ["image"]
assert list(env.observation_space.spaces) == ["image"]
picture = w.TransformObservation(env, lambda obs: obs["image"], env.observation_space["image"])
assert w.GrayscaleObservation(picture, keep_dim=True).reset()[0].shape == (20, 30, 1)
assert w.ResizeObservation(picture, (10, 8)).reset()[0].shape == (10, 8, 3)
assert w.FlattenObservation(Camera()).reset()[0].shape == (1801,)
assert w.TimeAwareObservation(w.TimeLimit(Camera(), 9), flatten=False).reset()[0]["time"] == 0
