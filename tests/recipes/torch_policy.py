"""Define a torch module as a policy for `gymkernel.rollouts`."""

from __future__ import annotations

from typing import Any

import torch
from torch import nn


class ActorCritic(nn.Module):  # type: ignore[misc,unused-ignore]
    """Two small networks: one computes the scores of the actions, and the other computes the value."""

    def __init__(self, inputs: int = 4, actions: int = 2, hidden: int = 32) -> None:
        super().__init__()
        self.scores = nn.Sequential(nn.Linear(inputs, hidden), nn.Tanh(), nn.Linear(hidden, actions))
        self.values = nn.Sequential(nn.Linear(inputs, hidden), nn.Tanh(), nn.Linear(hidden, 1))

    def forward(self, observations: Any) -> Any:
        """Return the scores of the actions, and the values."""
        return self.scores(observations), self.values(observations)


class TorchPolicy:
    """A policy whose module returns scores for the actions, and values."""

    def __init__(self, module: nn.Module) -> None:
        self.module = module

    def start(self, envs: Any, seed: int) -> None:
        """Prepare the policy in a shard: use a single thread and the shard's seed."""
        torch.set_num_threads(1)
        self.generator = torch.Generator().manual_seed(seed)

    def __call__(self, observations: Any) -> Any:
        """Sample an action for each environment, and return the log-probabilities and the values as extras."""
        with torch.no_grad():
            scores, values = self.module(torch.from_numpy(observations))
        log_probs = scores.log_softmax(1)
        actions = log_probs.exp().multinomial(1, generator=self.generator)
        chosen = log_probs.gather(1, actions)
        return actions[:, 0].numpy(), {"log_probs": chosen[:, 0].numpy(), "values": values[:, 0].numpy()}
