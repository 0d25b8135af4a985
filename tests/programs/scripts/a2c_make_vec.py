"""Run an actor-critic loop on vector environments from `make_vec`, with episode statistics and varied parameters."""

import gymnasium as gym
import numpy as np

envs = gym.make_vec("Acrobot-v1", num_envs=3, vectorization_mode="sync", max_episode_steps=40)
wrapped = gym.wrappers.vector.RecordEpisodeStatistics(envs, buffer_length=12)
rng = np.random.default_rng(0)
for phase in range(2):
    states, infos = wrapped.reset(seed=42) if phase == 0 else wrapped.reset()
    for step in range(60):
        actions = rng.integers(0, 3, size=3)
        states, rewards, terminated, truncated, infos = wrapped.step(actions)
        if "episode" in infos:
            print(phase, step, {key: infos["episode"][key].tolist() for key in ("r", "l")}, infos["_episode"].tolist())
    masks = np.logical_not(terminated | truncated)
    print(states.sum().round(6), masks.tolist(), rewards.tolist())
print(np.array(wrapped.return_queue).flatten().tolist(), list(wrapped.length_queue))
print(wrapped.unwrapped.num_envs, wrapped.single_action_space, wrapped.observation_space.shape)
wrapped.close()

randomized = gym.vector.SyncVectorEnv(
    [
        lambda gravity=gravity: gym.make("Pendulum-v1", g=gravity, max_episode_steps=20)
        for gravity in (9.0, 10.0, 11.5)
    ]
)
print(randomized.get_attr("spec")[0].kwargs, [env.unwrapped.g for env in randomized.envs])
observations, _ = randomized.reset(seed=9)
for _ in range(25):
    observations, rewards, *_ = randomized.step(np.full((3, 1), 0.5, dtype=np.float32))
print(observations.tolist(), rewards.tolist())
print(gym.spec("CartPole-v1").vector_entry_point is not None)
fast = gym.make_vec("CartPole-v1", num_envs=2, vectorization_mode="vector_entry_point")
observation, _ = fast.reset(seed=3)
print(observation.shape, observation.dtype, type(fast).__name__)
fast.close()
