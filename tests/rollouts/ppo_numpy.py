"""Train proximal policy optimization (PPO) in NumPy on fragments of `gymkernel.rollouts`: CartPole in half a minute.

python tests/rollouts/ppo_numpy.py            in two processes of this machine
python tests/rollouts/ppo_numpy.py sync       in this process, with exactly the same returns
python tests/rollouts/ppo_numpy.py ray        in the Ray cluster of RAY_ADDRESS, or in a new one on this machine
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import numpy as np

from gymkernel.rollouts import collect

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gymkernel.rollouts import Fragment

DISCOUNT, TRACE, CLIP, EPOCHS, BATCH, RATE = 0.99, 0.95, 0.2, 4, 256, 3e-3


class Agent:
    """Two small networks, for scores and for values: four inputs, 32 hidden units, and two scores or one value."""

    def __init__(self, seed: int = 0) -> None:
        random = np.random.default_rng(seed)
        self.weights = [
            random.normal(scale=0.5, size=(4, 32)),
            np.zeros(32),
            random.normal(scale=0.01, size=(32, 2)),
            np.zeros(2),
            random.normal(scale=0.5, size=(4, 32)),
            np.zeros(32),
            random.normal(scale=0.1, size=(32, 1)),
            np.zeros(1),
        ]
        self.moments = [[np.zeros_like(weight), np.zeros_like(weight)] for weight in self.weights]
        self.steps = 0

    def start(self, envs: Any, seed: int) -> None:
        """Create the agent's random number generator from the shard's seed."""
        self.random = np.random.default_rng(seed)

    def __call__(self, observations: Any) -> Any:
        """Sample an action for each environment, and return the log-probabilities and the values as extras."""
        log_probs = self.log_probs(observations)
        actions = (self.random.gumbel(size=log_probs.shape) + log_probs).argmax(1)
        return actions, {"log_probs": log_probs[np.arange(len(actions)), actions], "values": self.values(observations)}

    def log_probs(self, observations: Any) -> Any:
        """Return the logarithms of the probabilities of both actions."""
        w, b, out, c = self.weights[:4]
        scores = np.tanh(observations @ w + b) @ out + c
        scores = scores - scores.max(1, keepdims=True)
        return scores - np.log(np.exp(scores).sum(1, keepdims=True))

    def values(self, observations: Any) -> Any:
        w, b, out, c = self.weights[4:]
        return (np.tanh(observations @ w + b) @ out + c)[:, 0]

    def learn(self, observations: Any, actions: Any, old: Any, advantages: Any, returns: Any) -> None:
        """Perform one step of the Adam optimizer."""
        n, rows = len(actions), np.arange(len(actions))
        log_probs = self.log_probs(observations)
        ratio = np.exp(log_probs[rows, actions] - old)
        held = np.where(
            advantages > 0, ratio < 1 + CLIP, ratio > 1 - CLIP
        )  # the samples for which the gradient of the clipped objective is not zero
        by_scores = np.exp(log_probs) * (held * ratio * advantages / n)[:, None]
        by_scores[rows, actions] -= held * ratio * advantages / n
        by_values = ((self.values(observations) - returns) / n)[:, None]
        gradients = [*_backward(self.weights[:4], observations, by_scores)]
        gradients += _backward(self.weights[4:], observations, by_values)
        self.steps += 1
        for weight, gradient, (first, second) in zip(self.weights, gradients, self.moments, strict=True):
            first[...] = 0.9 * first + 0.1 * gradient
            second[...] = 0.999 * second + 0.001 * gradient**2
            size = np.sqrt(second / (1 - 0.999**self.steps)) + 1e-8
            weight[...] = weight - RATE * first / (1 - 0.9**self.steps) / size


def _backward(weights: Any, observations: Any, by_output: Any) -> list[Any]:
    """Return the gradients of one network."""
    w, b, out, _ = weights
    hidden = np.tanh(observations @ w + b)
    inner = by_output @ out.T * (1 - hidden**2)
    return [observations.T @ inner, inner.sum(0), hidden.T @ by_output, by_output.sum(0)]


def advantages_of(fragment: Fragment, agent: Agent) -> Any:
    """Return the generalized advantage estimates with the shape (time, environment)."""
    values = fragment["extras"]["values"]
    following = np.concatenate([values[1:], agent.values(fragment["last_observations"])[None]])
    times, envs = fragment["episode_ends"].T
    following[times, envs] = agent.values(fragment["final_observations"])
    following[fragment["terminations"]] = 0.0
    errors = fragment["rewards"] + DISCOUNT * following - values
    goes_on = ~(fragment["terminations"] | fragment["truncations"])
    found, last = np.empty_like(errors), np.zeros(errors.shape[1])
    for t in reversed(range(len(errors))):
        last = found[t] = errors[t] + DISCOUNT * TRACE * goes_on[t] * last
    return found


def train(
    engine: str = "async", rounds: int = 40, shards: int = 2, agent: Agent | None = None, **options: Any
) -> Iterator[tuple[float, list[Fragment]]]:
    """Train the agent. For each round, yield the mean return of the finished episodes and the fragments."""
    agent, random = agent or Agent(), np.random.default_rng(0)
    with collect(
        "CartPole-v1", agent, num_envs=16, num_shards=shards, fragment_length=128, seed=1, engine=engine, **options
    ) as fragments:
        for _ in range(rounds):
            ready = [next(fragments) for _ in range(shards)]
            advantages = np.concatenate([advantages_of(item, agent).ravel() for item in ready])
            columns = [np.concatenate([item["observations"].reshape(-1, 4) for item in ready])]
            columns += [np.concatenate([item["actions"].ravel() for item in ready])]
            columns += [np.concatenate([item["extras"]["log_probs"].ravel() for item in ready])]
            returns = advantages + np.concatenate([item["extras"]["values"].ravel() for item in ready])
            columns += [(advantages - advantages.mean()) / advantages.std(), returns]
            for _ in range(EPOCHS):
                for chosen in np.array_split(random.permutation(len(advantages)), len(advantages) // BATCH):
                    agent.learn(*(column[chosen] for column in columns))
            fragments.update(agent)
            ended = np.concatenate([item["episode_returns"] for item in ready])
            yield float(ended.mean()) if len(ended) else float("nan"), ready


if __name__ == "__main__":
    for number, (mean, _) in enumerate(train(sys.argv[1] if len(sys.argv) > 1 else "async")):
        print(f"round {number:2}: mean return {mean:.1f}")
