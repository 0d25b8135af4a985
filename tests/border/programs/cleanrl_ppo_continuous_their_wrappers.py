"""Wrap our environment in Gymnasium's wrappers, inside Gymnasium's vector environment."""

import gymnasium as gym
import numpy as np

import gymkernel


def make_env(gamma):
    def thunk():
        env = gymkernel.make("MountainCarContinuous-v0")
        env = gym.wrappers.FlattenObservation(env)
        env = gym.wrappers.RecordEpisodeStatistics(env)
        env = gym.wrappers.ClipAction(env)
        env = gym.wrappers.NormalizeObservation(env)
        env = gym.wrappers.TransformObservation(env, lambda obs: np.clip(obs, -10, 10), None)
        env = gym.wrappers.NormalizeReward(env, gamma=gamma)
        return gym.wrappers.TransformReward(env, lambda reward: float(np.clip(reward, -10, 10)))

    return thunk


envs = gym.vector.SyncVectorEnv([make_env(0.99) for _ in range(2)])
assert isinstance(envs.single_action_space, gym.spaces.Box), "only continuous action space is supported"
obs, _ = envs.reset(seed=1)
for _ in range(20):
    obs, reward, terminations, truncations, infos = envs.step(3 * envs.action_space.sample())
assert obs.shape == (2, 2)
assert np.isfinite(reward).all()
assert envs.envs[0].unwrapped.spec.id == "MountainCarContinuous-v0"
