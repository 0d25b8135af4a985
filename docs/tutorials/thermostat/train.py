"""Learn the thermostat with Q-learning, with 15 bins for the temperature and 3 for the wind."""

from __future__ import annotations

import numpy as np
from thermostat import THERMOSTAT

import gymkernel as gym

BINS = (np.linspace(-6, 6, 14), np.array([1 / 3, 2 / 3]))


def cell(observation: np.ndarray) -> tuple[int, ...]:
    """Return the index of an observation in the table."""
    return tuple(int(np.digitize(number, edges)) for number, edges in zip(observation, BINS, strict=True))


def learn(episodes: int, seed: int = 0) -> tuple[np.ndarray, list[float]]:
    """Learn for a number of days, and return the table of values and the return of each day."""
    env = gym.make(THERMOSTAT)
    rng = np.random.default_rng(seed)
    values, returns = np.zeros((15, 3, 3)), []
    for episode in range(episodes):
        observation, _ = env.reset(seed=seed + episode)
        place, total, over = cell(observation), 0.0, False
        while not over:
            explore = rng.random() < max(0.02, 1 - 2 * episode / episodes)
            action = int(rng.integers(3)) if explore else int(values[place].argmax())
            observation, reward, terminated, truncated, _ = env.step(action)
            over = terminated or truncated
            after = cell(observation)
            best = 0.0 if terminated else values[after].max()
            values[place][action] += 0.1 * (float(reward) + 0.95 * best - values[place][action])
            place = after
            total += float(reward)
        returns.append(total)
    env.close()
    return values, returns


if __name__ == "__main__":
    _, history = learn(1000)
    print(f"first 100 days: {np.mean(history[:100]):.1f} of 96; last 100 days: {np.mean(history[-100:]):.1f} of 96")
