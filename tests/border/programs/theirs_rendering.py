"""Wrap our environments in Gymnasium's wrappers for rendering and recording."""

import glob
import os
import tempfile

os.environ["SDL_VIDEODRIVER"] = "dummy"
import gymnasium.wrappers as w
import numpy as np

import gymkernel as gym

folder = tempfile.mkdtemp()
env = w.RecordVideo(gym.make("CartPole-v1", render_mode="rgb_array"), folder, episode_trigger=lambda e: True)
env = w.AddWhiteNoise(w.ObstructView(env, 0.1, 8), 0.1)
env.reset(seed=1)
for _ in range(12):
    env.step(1)
assert env.render().shape == (400, 600, 3)
env.close()
assert len(glob.glob(folder + "/*.mp4")) >= 1
env = w.RenderCollection(gym.make("MountainCar-v0", render_mode="rgb_array"))
env.reset(seed=1)
env.step(0)
assert len(env.render()) == 2
env = w.HumanRendering(gym.make("CartPole-v1", render_mode="rgb_array"))
env.reset(seed=1)
assert env.step(0)[1] == 1
env.close()
