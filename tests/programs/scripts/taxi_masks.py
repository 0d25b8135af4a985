"""Use action masks from infos, and the transition table of Taxi."""

import gymnasium as gym
import numpy as np

env = gym.make("Taxi-v4")
env.action_space.seed(0)
table = np.zeros((env.observation_space.n, env.action_space.n))
returns = []
for episode in range(25):
    state, info = env.reset(seed=episode)
    total, done = 0, False
    while not done:
        action = env.action_space.sample(info["action_mask"])
        following, reward, terminated, truncated, info = env.step(action)
        legal = np.flatnonzero(info["action_mask"])
        target = reward + 0.9 * (0 if terminated else table[following, legal].max())
        table[state, action] += 0.1 * (target - table[state, action])
        state, total, done = following, total + reward, terminated or truncated
    returns.append(total)
print(returns, table.sum(), sorted(info), info["prob"])
print(list(env.unwrapped.decode(state)), env.unwrapped.P[0][0])
walking = gym.make("CliffWalking-v1", is_slippery=True)
print(walking.reset(seed=1), [walking.step(action) for action in (0, 1, 1, 2)])
