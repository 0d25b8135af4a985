"""Learn CartPole with REINFORCE, with NumPy only and 32 environments at once."""

from __future__ import annotations

from typing import Any

import numpy as np

import gymkernel as gym


def chances(weights: np.ndarray, observations: np.ndarray) -> np.ndarray:
    """Return the probability of a push to the right for each row."""
    return 1 / (1 + np.exp(-(observations @ weights[:4] + weights[4])))


def play(
    envs: gym.vector.VectorEnv, weights: np.ndarray, rng: np.random.Generator, seed: int | None
) -> list[np.ndarray]:
    """Play one episode in each environment, and return observations, actions and rewards with one row per step.

    Steps after the end of an environment's episode have a reward of 0, so `update` ignores them.
    """
    seen, acted, earned = [], [], []
    observations, _ = envs.reset(seed=seed)
    alive = np.ones(envs.num_envs, bool)
    while alive.any():
        actions = (rng.random(envs.num_envs) < chances(weights, observations)).astype(np.int64)
        after, rewards, terminations, truncations, _ = envs.step(actions)
        seen.append(observations)
        acted.append(actions)
        earned.append(rewards * alive)
        alive &= ~(terminations | truncations)
        observations = after
    return [np.array(seen), np.array(acted), np.array(earned)]


def update(weights: np.ndarray, seen: np.ndarray, acted: np.ndarray, earned: np.ndarray, rate: float) -> np.ndarray:
    """Increase the probability of actions that were followed by more reward than usual."""
    lived = earned > 0
    to_go = np.zeros_like(earned)
    after = np.zeros(earned.shape[1])
    for step in range(len(earned) - 1, -1, -1):
        after = to_go[step] = earned[step] + 0.99 * after
    better = (to_go - to_go[lived].mean()) / (to_go[lived].std() + 1e-8)
    surprise = (acted - chances(weights, seen)) * better * lived
    gradient = np.append(np.einsum("te,tei->i", surprise, seen), surprise.sum()) / lived.sum()
    return weights + rate * gradient


def learn(updates: int, num_envs: int = 32, seed: int = 0, rate: float = 50.0) -> tuple[np.ndarray, list[float]]:
    """Alternate between playing and learning.

    Args:
        updates: the number of updates.
        num_envs: the number of environments.
        seed: the seed of the environments and of the policy.
        rate: the size of an update.

    Returns:
        weights: the weights of the policy: four for the observation and a bias.
        returns: the mean return before each update.
    """
    rng = np.random.default_rng(seed)
    weights, returns = np.zeros(5), []
    envs = gym.make_vec("CartPole-v1", num_envs=num_envs, autoreset_mode="SameStep")
    for round_ in range(updates):
        seen, acted, earned = play(envs, weights, rng, seed if round_ == 0 else None)
        weights = update(weights, seen, acted, earned, rate)
        returns.append(float(earned.sum(axis=0).mean()))
    envs.close()
    return weights, returns


class Trained:
    """The trained policy for `gymkernel rollout` and `gymkernel render`. It takes the more probable action."""

    def __init__(self, env: Any) -> None:
        self.weights, _ = learn(100)

    def __call__(self, observation: np.ndarray) -> int:
        """Return the more probable action."""
        return int(chances(self.weights, observation[None])[0] > 0.5)


if __name__ == "__main__":
    learned, history = learn(100)
    for i in range(0, len(history), 10):
        print(f"update {i:3}: mean return {history[i]:6.1f}")
    print(f"update {len(history) - 1:3}: mean return {history[-1]:6.1f}")
    print("weights:", learned.round(2))
