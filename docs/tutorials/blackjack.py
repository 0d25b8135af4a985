"""Learn Blackjack with Q-learning, which stores the values of actions in a table."""

from __future__ import annotations

from typing import Any

import numpy as np

import gymkernel as gym


def act(env: gym.Env[Any, Any], values: np.ndarray, hand: tuple[int, int, int], explore: float) -> int:
    """Return the action with the higher value, or a random action with the probability `explore`."""
    if env.np_random.random() < explore:
        return int(env.np_random.integers(2))
    return int(values[hand].argmax())


def learn(episodes: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Learn the values of actions by playing games.

    Args:
        episodes: the number of games.
        seed: the seed of the cards and of the exploration.

    Returns:
        values: the expected return of each sum, open card, usable ace and action.
        returns: the return of each game.
    """
    env = gym.make("Blackjack-v1")
    values = np.zeros((32, 11, 2, 2))
    visits = np.zeros((32, 11, 2, 2))
    returns = np.zeros(episodes)
    env.reset(seed=seed)
    for episode in range(episodes):
        hand, _ = env.reset()
        explore = max(0.05, 1 - 2 * episode / episodes)
        over = False
        while not over:
            action = act(env.unwrapped, values, hand, explore)
            after, reward, terminated, truncated, _ = env.step(action)
            over = terminated or truncated
            best = 0.0 if terminated else values[after].max()
            visits[hand][action] += 1
            step = 1 / (1 + 0.02 * visits[hand][action])
            values[hand][action] += step * (float(reward) + best - values[hand][action])
            hand = after
            returns[episode] += float(reward)
    env.close()
    return values, returns


def play(values: np.ndarray, episodes: int, seed: int = 1) -> float:
    """Return the mean return of games without exploration."""
    env = gym.make("Blackjack-v1")
    env.reset(seed=seed)
    total = 0.0
    for _ in range(episodes):
        hand, _ = env.reset()
        over = False
        while not over:
            hand, reward, terminated, truncated, _ = env.step(act(env.unwrapped, values, hand, explore=0.0))
            over = terminated or truncated
            total += float(reward)
    env.close()
    return total / episodes


def strategy(values: np.ndarray, usable: int) -> str:
    """Return the decisions as text, in which H means hit and a dot means stick."""
    rows = ["sum  dealer: A 2 3 4 5 6 7 8 9 10"]
    for total in range(21, 11, -1):
        letters = [".H"[values[total, card, usable].argmax()] for card in range(1, 11)]
        rows.append(f"{total:3}          {' '.join(letters)}")
    return "\n".join(rows)


if __name__ == "__main__":
    learned, history = learn(300_000)
    for part in np.array_split(history, 10):
        print(f"{part.mean():+.3f}")
    print(f"mean return of 100,000 games without exploration: {play(learned, 100_000):+.3f}")
    print(strategy(learned, usable=0))
