"""Learn Q-tables on generated lakes of several sizes, and render them as images and text."""

import gymnasium as gym
import numpy as np
from gymnasium.envs.toy_text.frozen_lake import generate_random_map

for size in (4, 7):
    lake = generate_random_map(size=size, p=0.9, seed=11)
    print(lake)
    env = gym.make("FrozenLake-v1", is_slippery=False, render_mode="rgb_array", desc=lake)
    env.action_space.seed(1)
    rng = np.random.default_rng(5)
    table = np.zeros((env.observation_space.n, env.action_space.n))
    steps = []
    for episode in range(60):
        state, info = env.reset(seed=episode)
        count, done = 0, False
        while not done:
            if rng.uniform() < 0.3 or np.all(table[state] == table[state][0]):
                action = env.action_space.sample()
            else:
                action = int(np.argmax(table[state]))
            following, reward, terminated, truncated, info = env.step(action)
            done = terminated or truncated
            table[state, action] += 0.8 * (reward + 0.95 * np.max(table[following]) - table[state, action])
            state = following
            count += 1
        steps.append(count)
    print(steps, info, table.round(6).tolist()[:4])
    frame = env.render()
    print(frame.shape, frame.dtype)
    env.close()

text = gym.make("FrozenLake-v1", map_name="4x4", render_mode="ansi")
text.reset(seed=0)
text.step(2)
print(text.render())
print(text.unwrapped.desc.shape, text.unwrapped.s, sorted(text.unwrapped.P[0]))
