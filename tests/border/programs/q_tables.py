"""Learn Q-tables for Blackjack and FrozenLake with Gymnasium's episode statistics, as the tutorials do."""

from collections import defaultdict

import gymnasium
import numpy as np

import gymkernel

env = gymkernel.make("Blackjack-v1", sab=True)
env = gymnasium.wrappers.RecordEpisodeStatistics(env, buffer_length=20)
values = defaultdict(lambda: np.zeros(env.action_space.n))
for episode in range(20):
    obs, info = env.reset(seed=episode)
    done = False
    while not done:
        action = env.action_space.sample() if np.random.random() < 0.1 else int(np.argmax(values[obs]))
        next_obs, reward, terminated, truncated, info = env.step(action)
        values[obs][action] += 0.1 * (reward + (not terminated) * values[next_obs].max() - values[obs][action])
        done, obs = terminated or truncated, next_obs
assert len(env.return_queue) == 20
assert isinstance(env.observation_space, gymnasium.spaces.Tuple)
lake = gymkernel.make("FrozenLake-v1", is_slippery=False)
table = np.zeros([lake.observation_space.n, lake.action_space.n])
assert table.shape == (16, 4) and lake.unwrapped.P[0][2][0][1] == 1
