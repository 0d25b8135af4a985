"""Record a video as CleanRL's scripts do when `capture_video` is set."""

import glob
import tempfile

import numpy as np

import gymkernel as gym

run_name = tempfile.mkdtemp()


def make_env(env_id, idx, capture_video):
    def thunk():
        if capture_video and idx == 0:
            env = gym.make(env_id, render_mode="rgb_array")
            env = gym.wrappers.RecordVideo(env, f"{run_name}/videos")
        else:
            env = gym.make(env_id)
        return gym.wrappers.RecordEpisodeStatistics(env)

    return thunk


envs = gym.vector.SyncVectorEnv([make_env("CartPole-v1", i, True) for i in range(2)])
envs.reset(seed=1)
for _ in range(30):
    envs.step(np.zeros(2, np.int64))
envs.close()
assert len(glob.glob(f"{run_name}/videos/*.mp4")) >= 2
