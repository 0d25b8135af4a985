"""Run the loop of a single-file PPO with random weights: SyncVectorEnv, episode statistics, storage, advantages."""

import random

import gymnasium as gym
import numpy as np
from gymnasium.vector import AutoresetMode


def make_env(env_id, index, capture, seed):
    def thunk():
        if capture and index == 0:
            env = gym.make(env_id, render_mode="rgb_array")
            env = gym.wrappers.RenderCollection(env)
        else:
            env = gym.make(env_id)
        env = gym.wrappers.RecordEpisodeStatistics(env)
        env.action_space.seed(seed + index)
        env.observation_space.seed(seed + index)
        return env

    return thunk


random.seed(1)
np.random.seed(1)
num_envs, num_steps = 4, 64
for mode in (AutoresetMode.SAME_STEP, AutoresetMode.NEXT_STEP):
    envs = gym.vector.SyncVectorEnv(
        [make_env("CartPole-v1", i, True, 1) for i in range(num_envs)], autoreset_mode=mode
    )
    assert isinstance(envs.single_action_space, gym.spaces.Discrete), "only discrete action space is supported"
    print(envs.single_observation_space.shape, envs.single_action_space.n, envs.num_envs)
    weights = np.random.randn(int(np.prod(envs.single_observation_space.shape)), envs.single_action_space.n)
    obs = np.zeros((num_steps, num_envs, *envs.single_observation_space.shape), dtype=np.float32)
    rewards = np.zeros((num_steps, num_envs))
    dones = np.zeros((num_steps, num_envs))
    next_obs, _ = envs.reset(seed=1)
    next_done = np.zeros(num_envs)
    for step in range(num_steps):
        obs[step], dones[step] = next_obs, next_done
        action = (next_obs @ weights).argmax(1)
        next_obs, reward, terminations, truncations, infos = envs.step(action)
        next_done = np.logical_or(terminations, truncations)
        rewards[step] = reward
        if "final_info" in infos:
            ended = infos["final_info"]
            for index in np.flatnonzero(infos["_final_info"]):
                print("final", step, index, float(ended["episode"]["r"][index]), int(ended["episode"]["l"][index]))
            print(sorted(ended), sorted(ended["episode"]), [o is not None and o.round(4).tolist() for o in infos["final_obs"]])
        if "episode" in infos:
            print("next", step, infos["_episode"].tolist(), infos["episode"]["r"].tolist(), infos["episode"]["l"].tolist())
    advantages = np.zeros_like(rewards)
    last = 0
    for t in reversed(range(num_steps)):
        after = next_done if t == num_steps - 1 else dones[t + 1]
        last = rewards[t] + 0.99 * 0.95 * (1 - after) * last
        advantages[t] = last
    print(advantages.sum(0).tolist(), obs.sum((0, 1)).tolist(), rewards.dtype, next_obs.dtype)
    envs.close()
