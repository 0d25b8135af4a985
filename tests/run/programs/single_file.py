"""Train with single-file versions of PPO, DQN and SAC in the style of CleanRL, and print their learning curves."""

import random
import zlib

import gymnasium as gym
import numpy as np
import torch
from gymnasium.vector import AutoresetMode
from stable_baselines3.common.buffers import ReplayBuffer
from torch import nn
from torch.distributions import Categorical, Normal

torch.set_num_threads(1)


def make_env(env_id, seed, normalize=False):
    def thunk():
        env = gym.wrappers.RecordEpisodeStatistics(gym.make(env_id))
        if normalize:
            env = gym.wrappers.NormalizeObservation(env)
            env = gym.wrappers.NormalizeReward(env, gamma=0.99)
            env = gym.wrappers.TransformReward(env, lambda reward: float(np.clip(reward, -10, 10)))
        env.action_space.seed(seed)
        return env

    return thunk


def start(env_id, count, **options):
    random.seed(1)
    np.random.seed(1)
    torch.manual_seed(1)
    makers = [make_env(env_id, 1 + index, **options) for index in range(count)]
    envs = gym.vector.SyncVectorEnv(makers, autoreset_mode=AutoresetMode.SAME_STEP)
    envs.action_space.seed(1)
    return envs


def network(inputs, outputs):
    return nn.Sequential(nn.Linear(inputs, 32), nn.Tanh(), nn.Linear(32, 32), nn.Tanh(), nn.Linear(32, outputs))


def returns(infos):
    """Return the returns of the episodes that ended in a step."""
    if "final_info" not in infos:
        return []
    return [round(float(r), 4) for r, done in zip(infos["final_info"]["episode"]["r"], infos["_final_info"]) if done]


def show(name, curve, *networks):
    weights = b"".join(p.detach().numpy().tobytes() for network in networks for p in network.parameters())
    print(name, zlib.crc32(weights), len(curve))
    print(name, curve[-8:])


def ppo():
    envs = start("CartPole-v1", 4)
    assert isinstance(envs.single_action_space, gym.spaces.Discrete), "only discrete action space is supported"
    actor = network(int(np.prod(envs.single_observation_space.shape)), envs.single_action_space.n)
    critic = network(int(np.prod(envs.single_observation_space.shape)), 1)
    optimizer = torch.optim.Adam([*actor.parameters(), *critic.parameters()], lr=2.5e-3, eps=1e-5)
    curve = []
    obs, done = torch.Tensor(envs.reset(seed=1)[0]), torch.zeros(4)
    for _ in range(12):
        steps = []
        for _ in range(64):
            with torch.no_grad():
                policy = Categorical(logits=actor(obs))
                action = policy.sample()
                value = critic(obs).flatten()
            new, reward, terminations, truncations, infos = envs.step(action.numpy())
            steps.append((obs, action, policy.log_prob(action), value, done, torch.tensor(reward).float()))
            obs, done = torch.Tensor(new), torch.Tensor(np.logical_or(terminations, truncations))
            curve += returns(infos)
        all_obs, actions, logs, values, dones, rewards = map(torch.stack, zip(*steps))
        following = torch.cat([values[1:], critic(obs).detach().flatten()[None]])
        going = 1 - torch.cat([dones[1:], done[None]])
        advantages, last = torch.zeros_like(rewards), 0
        for t in reversed(range(64)):
            last = rewards[t] + 0.99 * following[t] * going[t] - values[t] + 0.99 * 0.95 * going[t] * last
            advantages[t] = last
        targets = advantages + values
        for _ in range(4):
            for batch in np.array_split(np.random.permutation(256), 4):
                policy = Categorical(logits=actor(all_obs.flatten(0, 1)[batch]))
                ratio = (policy.log_prob(actions.flatten()[batch]) - logs.flatten()[batch]).exp()
                chosen = advantages.flatten()[batch]
                chosen = (chosen - chosen.mean()) / (chosen.std() + 1e-8)
                loss = torch.max(-chosen * ratio, -chosen * ratio.clamp(0.8, 1.2)).mean()
                loss = loss + (critic(all_obs.flatten(0, 1)[batch]).flatten() - targets.flatten()[batch]).pow(2).mean() / 4
                loss = loss - 0.01 * policy.entropy().mean()
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
    envs.close()
    show("PPO", curve, actor, critic)


def real_next(new, infos):
    """Return the next observations, with the final observation of each episode that ended in this step."""
    real = new.copy()
    for index in np.flatnonzero(infos.get("_final_obs", [])):
        real[index] = infos["final_obs"][index]
    return real


def dqn():
    envs = start("LunarLander-v3", 1)
    q, target = (network(8, envs.single_action_space.n) for _ in range(2))
    target.load_state_dict(q.state_dict())
    optimizer = torch.optim.Adam(q.parameters(), lr=1e-3)
    spaces = envs.single_observation_space, envs.single_action_space
    buffer = ReplayBuffer(2000, *spaces, "cpu", handle_timeout_termination=False)
    curve = []
    obs, _ = envs.reset(seed=1)
    for step in range(1500):
        if random.random() < max(1 - step / 800, 0.05):
            actions = np.array([envs.single_action_space.sample()])
        else:
            actions = torch.argmax(q(torch.Tensor(obs)), dim=1).numpy()
        new, rewards, terminations, _, infos = envs.step(actions)
        buffer.add(obs, real_next(new, infos), actions, rewards, terminations, infos)
        obs = new
        curve += returns(infos)
        if step > 200 and step % 4 == 0:
            data = buffer.sample(64)
            with torch.no_grad():
                best, _ = target(data.next_observations).max(dim=1)
                goal = data.rewards.flatten() + 0.99 * best * (1 - data.dones.flatten())
            loss = nn.functional.mse_loss(goal, q(data.observations).gather(1, data.actions).squeeze())
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        if step % 200 == 0:
            target.load_state_dict(q.state_dict())
    envs.close()
    show("DQN", curve, q)


def sac():
    envs = start("Pendulum-v1", 2, normalize=True)
    high = torch.tensor(envs.single_action_space.high)
    actor, q, target = network(3, 2), network(4, 1), network(4, 1)
    target.load_state_dict(q.state_dict())
    actor_optimizer = torch.optim.Adam(actor.parameters(), lr=3e-4)
    q_optimizer = torch.optim.Adam(q.parameters(), lr=1e-3)
    envs.single_observation_space.dtype = np.float32
    spaces = envs.single_observation_space, envs.single_action_space
    buffer = ReplayBuffer(2000, *spaces, "cpu", n_envs=2, handle_timeout_termination=False)
    curve = []
    obs, _ = envs.reset(seed=1)

    def act(obs):
        mean, log_std = actor(obs).chunk(2, dim=-1)
        policy = Normal(mean, log_std.clamp(-5, 2).exp())
        raw = policy.rsample()
        log = policy.log_prob(raw) - torch.log(high * (1 - torch.tanh(raw).pow(2)) + 1e-6)
        return torch.tanh(raw) * high, log.sum(1)

    for step in range(500):
        if step < 50:
            actions = np.array([envs.single_action_space.sample() for _ in range(2)])
        else:
            actions = act(torch.Tensor(obs))[0].detach().numpy()
        new, rewards, terminations, _, infos = envs.step(actions)
        buffer.add(obs, real_next(new, infos), actions, rewards, terminations, infos)
        obs = new
        curve += returns(infos)
        if step > 50:
            data = buffer.sample(64)
            with torch.no_grad():
                chosen, log = act(data.next_observations)
                best = target(torch.cat([data.next_observations, chosen], 1)).flatten() - 0.2 * log
                goal = data.rewards.flatten() + 0.99 * best * (1 - data.dones.flatten())
            loss = nn.functional.mse_loss(goal, q(torch.cat([data.observations, data.actions], 1)).flatten())
            q_optimizer.zero_grad()
            loss.backward()
            q_optimizer.step()
            chosen, log = act(data.observations)
            loss = (0.2 * log - q(torch.cat([data.observations, chosen], 1)).flatten()).mean()
            actor_optimizer.zero_grad()
            loss.backward()
            actor_optimizer.step()
            for mine, theirs in zip(target.parameters(), q.parameters()):
                mine.data.lerp_(theirs.data, 0.01)
    envs.close()
    show("SAC", curve, actor, q)


ppo()
dqn()
sac()
