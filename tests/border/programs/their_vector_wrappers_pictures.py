"""Wrap our vector environments in Gymnasium's vector wrappers for images and in its video recorder."""

import glob
import os
import tempfile

os.environ["SDL_VIDEODRIVER"] = "dummy"
import gymnasium.wrappers.vector as wv
import numpy as np

import gymkernel as gym


class Camera(gym.Env):
    metadata = {"render_modes": ["rgb_array"], "render_fps": 10}
    observation_space = gym.spaces.Box(0, 255, (12, 16, 3), np.uint8)
    action_space = gym.spaces.Discrete(2)

    def __init__(self, render_mode="rgb_array"):
        self.render_mode = render_mode

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        return self.observation_space.sample(), {}

    def step(self, action):
        return self.observation_space.sample(), 0.0, False, False, {}

    def render(self):
        return np.zeros((32, 32, 3), np.uint8)


gym.register("Camera-v0", entry_point=Camera)


def cameras():
    return gym.make_vec("Camera-v0", 2, vectorization_mode="sync", render_mode="rgb_array")


assert wv.GrayscaleObservation(cameras()).reset()[0].shape == (2, 12, 16)
assert wv.ResizeObservation(cameras(), (6, 8)).reset()[0].shape == (2, 6, 8, 3)
folder = tempfile.mkdtemp()
envs = wv.RecordVideo(cameras(), folder, episode_trigger=lambda episode: True)
envs.reset(seed=1)
for _ in range(4):
    envs.step(np.array([0, 1]))
envs.close()
assert glob.glob(folder + "/*.mp4")
