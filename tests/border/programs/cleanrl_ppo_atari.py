"""Combine the Atari wrappers of SB3 and Gymnasium, as CleanRL's Atari PPO does."""

import ale_py
import gymnasium
import numpy as np
from stable_baselines3.common.atari_wrappers import ClipRewardEnv, EpisodicLifeEnv, FireResetEnv
from stable_baselines3.common.atari_wrappers import MaxAndSkipEnv, NoopResetEnv

import gymkernel as gym

gymnasium.register_envs(ale_py)


def make_env(env_id):
    def thunk():
        env = gym.make(env_id)
        env = gym.wrappers.RecordEpisodeStatistics(env)
        env = NoopResetEnv(env, noop_max=30)
        env = MaxAndSkipEnv(env, skip=4)
        env = EpisodicLifeEnv(env)
        if "FIRE" in env.unwrapped.get_action_meanings():
            env = FireResetEnv(env)
        env = ClipRewardEnv(env)
        env = gym.wrappers.ResizeObservation(env, (84, 84))
        env = gym.wrappers.GrayscaleObservation(env)
        return gym.wrappers.FrameStackObservation(env, 4)

    return thunk


envs = gym.vector.SyncVectorEnv([make_env("BreakoutNoFrameskip-v4") for _ in range(2)])
assert isinstance(envs.single_action_space, gym.spaces.Discrete), "only discrete action space is supported"
obs, _ = envs.reset(seed=1)
obs, reward, *_ = envs.step(np.array([1, 2]))
assert obs.shape == (2, 4, 84, 84) and obs.dtype == np.uint8
