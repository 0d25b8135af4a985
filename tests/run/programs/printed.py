"""Print classes, specs, infos and normalized observations, as programs do while they are developed."""

import gymnasium as gym
import numpy as np

for name in ("CartPole-v1", "Pendulum-v1", "Blackjack-v1", "LunarLander-v3", "FrozenLake-v1"):
    env = gym.make(name)
    print(type(env), type(env.unwrapped), type(env.observation_space), type(env.action_space))
    print(env.spec, env.spec.to_json())
    wrapped = gym.wrappers.RecordEpisodeStatistics(gym.wrappers.RepeatAction(env, 2), buffer_length=5)
    print(type(wrapped), wrapped.spec.additional_wrappers)
    env.action_space.seed(3)
    print(repr(env.reset(seed=3)), repr(env.step(env.action_space.sample())))

    envs = gym.make_vec(name, num_envs=2)
    print(envs, hasattr(envs, "envs"))
    envs.close()

for name in ("Pendulum-v1", "MountainCarContinuous-v0", "CartPole-v1", "FrozenLake-v1", "LunarLander-v3"):
    env = gym.wrappers.NormalizeObservation(gym.make(name, max_episode_steps=30))
    env.action_space.seed(1)
    env.reset(seed=1)
    for _ in range(100):
        observation, _, terminated, truncated, info = env.step(env.action_space.sample())
        if terminated or truncated:
            print(info)
            env.reset()
    print(observation, env.obs_rms.mean, env.obs_rms.var, env.obs_rms.mean.dtype, env.spec)

envs = gym.wrappers.vector.NormalizeObservation(gym.make_vec("Pendulum-v1", num_envs=3, max_episode_steps=20))
envs.action_space.seed(2)
envs.reset(seed=2)
for _ in range(50):
    observations, _, _, truncations, infos = envs.step(envs.action_space.sample())
    if truncations.any():
        print(infos)
print(np.asarray(observations), envs.obs_rms.mean, envs.obs_rms.mean.dtype, type(envs))
