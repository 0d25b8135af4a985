"""Step several games in separate processes, with frames stacked by each library's wrapper."""

import ale_py
import gymnasium
import numpy as np

import gymkernel as gym

gymnasium.register_envs(ale_py)
if __name__ == "__main__":
    wrappers = [
        lambda env: gym.wrappers.AtariPreprocessing(env, frame_skip=4),
        lambda env: gymnasium.wrappers.FrameStackObservation(env, 2),
    ]
    for mode in ("sync", "async"):
        envs = gym.make_vec(
            "ALE/Pong-v5", num_envs=2, vectorization_mode=mode, wrappers=wrappers, frameskip=1
        )
        envs = gymnasium.wrappers.vector.RecordEpisodeStatistics(envs)
        obs, _ = envs.reset(seed=1)
        obs, rewards, *_ = envs.step(np.array([2, 3]))
        assert obs.shape == (2, 2, 84, 84)
        assert isinstance(envs.single_observation_space, gymnasium.spaces.Box)
        envs.close()
