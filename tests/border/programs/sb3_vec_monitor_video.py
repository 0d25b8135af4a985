"""Wrap several environments in VecMonitor and VecVideoRecorder."""

import glob
import tempfile

import numpy as np
from stable_baselines3.common.vec_env import DummyVecEnv, VecMonitor, VecVideoRecorder

import gymkernel as gym

folder = tempfile.mkdtemp()
envs = VecMonitor(DummyVecEnv([lambda: gym.make("CartPole-v1", render_mode="rgb_array")]))
envs = VecVideoRecorder(envs, folder, record_video_trigger=lambda step: step == 0, video_length=10)
envs.reset()
episodes = 0
for _ in range(60):
    _, _, dones, infos = envs.step(np.array([1]))
    episodes += "episode" in infos[0]
envs.close()
assert episodes >= 4
assert len(glob.glob(f"{folder}/*.mp4")) == 1
