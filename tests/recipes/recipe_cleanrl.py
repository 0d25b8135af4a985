"""Run a single-file PPO in the style of CleanRL, using gymkernel's AsyncVectorEnv instead of Gymnasium's."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
import torch
from torch import nn
from torch.distributions import Categorical

import gymkernel


class Agent(nn.Module):  # type: ignore[misc,unused-ignore]
    """A policy network and a separate value network."""

    def __init__(self, envs: Any) -> None:
        super().__init__()
        width = int(np.prod(envs.single_observation_space.shape))
        self.value = nn.Sequential(nn.Linear(width, 64), nn.Tanh(), nn.Linear(64, 64), nn.Tanh(), nn.Linear(64, 1))
        actions = int(envs.single_action_space.n)
        self.policy = nn.Sequential(
            nn.Linear(width, 64), nn.Tanh(), nn.Linear(64, 64), nn.Tanh(), nn.Linear(64, actions)
        )


def make() -> Any:
    """Create one environment that has episode returns in its infos."""
    return gymkernel.make("CartPole-v1")


def train(total: int = 25_000, num_envs: int = 8, length: int = 64, seed: int = 1) -> list[float]:
    """Train the agent, and return the episode returns in order."""
    torch.manual_seed(seed)
    torch.set_num_threads(1)  # the networks are small, and the workers need the other cores
    envs = gymkernel.make_vec("CartPole-v1", num_envs, "async", {"autoreset_mode": "SameStep"})
    assert isinstance(envs.single_action_space, gymnasium.spaces.Discrete)
    agent = Agent(envs)
    optimizer = torch.optim.Adam(agent.parameters(), lr=2.5e-3)
    seen = torch.as_tensor(envs.reset(seed=seed)[0])
    running, returns = np.zeros(num_envs), []
    for _ in range(total // (num_envs * length)):
        batch: list[Any] = []
        for _ in range(length):
            with torch.no_grad():
                choice = Categorical(logits=agent.policy(seen))
                action = choice.sample()
                value = agent.value(seen).squeeze(-1)
            observations, rewards, terminations, truncations, infos = envs.step(action.numpy())
            running += rewards
            rewards = torch.as_tensor(rewards, dtype=torch.float32)
            done = terminations | truncations
            for i in np.flatnonzero(done):
                returns.append(float(running[i]))
                running[i] = 0
                if (
                    truncations[i] and not terminations[i]
                ):  # after a truncation, the value of the next observation is added
                    with torch.no_grad():
                        rewards[i] += 0.99 * agent.value(torch.as_tensor(infos["final_obs"][i])).item()
            batch.append((seen, action, choice.log_prob(action), value, rewards, torch.as_tensor(done).float()))
            seen = torch.as_tensor(observations)
        learn(agent, optimizer, batch, seen)
    envs.close()
    return returns


def collected(envs: Any, steps: int = 100) -> int:
    """Count the episodes that end while actions are random, by reading the infos as CleanRL's scripts do."""
    assert isinstance(envs.single_observation_space, gymnasium.spaces.Box)
    assert isinstance(envs.single_action_space, gymnasium.spaces.Discrete)
    envs.reset(seed=1)
    ends = 0
    for _ in range(steps):
        infos = envs.step(envs.action_space.sample())[4]
        ends += int(infos["_episode"].sum()) if "episode" in infos else 0
    envs.close()
    return ends


def learn(agent: Any, optimizer: Any, batch: list[Any], last: Any) -> None:
    seen, actions, before, values, rewards, dones = (torch.stack(column) for column in zip(*batch, strict=True))
    advantages, behind = torch.zeros_like(rewards), torch.zeros(rewards.shape[1])
    with torch.no_grad():
        ahead = agent.value(last).squeeze(-1)
    for t in reversed(range(len(rewards))):
        error = rewards[t] + 0.99 * ahead * (1 - dones[t]) - values[t]
        advantages[t] = behind = error + 0.99 * 0.95 * (1 - dones[t]) * behind
        ahead = values[t]
    wanted = (advantages + values).flatten()
    flat = seen.flatten(0, 1), actions.flatten(), before.flatten(), advantages.flatten()
    for _ in range(4):
        for part in torch.randperm(len(wanted)).split(256):
            observed, action, old, advantage = (column[part] for column in flat)
            choice = Categorical(logits=agent.policy(observed))
            ratio = (choice.log_prob(action) - old).exp()
            scaled = (advantage - advantage.mean()) / (advantage.std() + 1e-8)
            gain = torch.min(ratio * scaled, ratio.clamp(0.8, 1.2) * scaled).mean()
            loss = (agent.value(observed).squeeze(-1) - wanted[part]).pow(2).mean()
            optimizer.zero_grad()
            (loss * 0.5 - gain - 0.01 * choice.entropy().mean()).backward()
            nn.utils.clip_grad_norm_(agent.parameters(), 0.5)
            optimizer.step()


if __name__ == "__main__":
    thunks = [lambda: gymnasium.wrappers.RecordEpisodeStatistics(make())] * 4
    assert collected(gymnasium.vector.SyncVectorEnv(thunks)) > 0
    assert collected(gymkernel.vector.SyncVectorEnv(thunks)) > 0
    envs: Any = gymkernel.make_vec("CartPole-v1", 4)
    assert collected(gymnasium.wrappers.vector.RecordEpisodeStatistics(envs)) > 0

    episodes = train()
    first, last = np.mean(episodes[:50]), np.mean(episodes[-20:])
    print(f"mean return {first:.0f} at the beginning, {last:.0f} at the end")
    assert last > 3 * first
