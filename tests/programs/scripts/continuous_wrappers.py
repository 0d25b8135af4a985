"""Use the wrappers of continuous-control scripts: flattening, clipping, normalising, transforming."""

import gymnasium as gym
import numpy as np


def make_env(index, gamma=0.99):
    def thunk():
        env = gym.wrappers.DtypeObservation(gym.make("Pendulum-v1", max_episode_steps=50), np.float64)
        env = gym.wrappers.FlattenObservation(env)
        env = gym.wrappers.RecordEpisodeStatistics(env)
        env = gym.wrappers.ClipAction(env)
        env = gym.wrappers.NormalizeObservation(env)
        env = gym.wrappers.TransformObservation(env, lambda obs: np.clip(obs, -10, 10), env.observation_space)
        env = gym.wrappers.NormalizeReward(env, gamma=gamma)
        return gym.wrappers.TransformReward(env, lambda reward: np.clip(reward, -10, 10))

    return thunk


envs = gym.vector.SyncVectorEnv([make_env(i) for i in range(3)])
assert isinstance(envs.single_action_space, gym.spaces.Box), "only continuous action space is supported"
rng = np.random.default_rng(4)
observations, infos = envs.reset(seed=[1, 2, 3])
total = np.zeros(3)
for step in range(130):
    actions = rng.normal(size=(3, *envs.single_action_space.shape)) * 3
    observations, rewards, terminations, truncations, infos = envs.step(actions)
    total += rewards
    if "episode" in infos:
        print(step, infos["episode"]["r"].tolist(), infos["_episode"].tolist(), truncations.tolist())
print(total.tolist(), observations.tolist(), observations.dtype, rewards.dtype)
print(envs.single_observation_space, envs.single_action_space)
normalizer = envs.envs[0].env.env.env
print(type(normalizer).__name__, normalizer.obs_rms.mean.round(9).tolist(), normalizer.obs_rms.var.round(9).tolist(), normalizer.obs_rms.count)
envs.close()
