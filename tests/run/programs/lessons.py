"""Train small agents as tutorials do, in own, built-in and simulated environments, and print their learning curves."""

import zlib
from pathlib import Path

import gymnasium as gym
import numpy as np
import torch
from gymnasium import spaces
from gymnasium.envs.mujoco import MujocoEnv
from gymnasium.utils.env_checker import check_env
from torch import nn
from torch.distributions import Categorical, Normal

torch.set_num_threads(1)
SWING = """
<mujoco>
  <option timestep="0.02"/>
  <worldbody>
    <body pos="0 0 1">
      <joint name="top" type="hinge" axis="0 1 0" damping="0.05"/>
      <geom type="capsule" fromto="0 0 0 0 0 -0.5" size="0.03"/>
    </body>
  </worldbody>
  <actuator><motor joint="top" ctrlrange="-1 1" gear="0.3"/></actuator>
</mujoco>
"""


class House(gym.Env):
    """A house that is heated or cooled for some hours while the weather changes."""

    metadata = {"render_modes": ["ansi"], "render_fps": 2}

    def __init__(self, target=20.0, render_mode=None):
        self.target, self.render_mode = target, render_mode
        self.observation_space = spaces.Dict(hour=spaces.Discrete(24), inside=spaces.Box(-30, 60, (1,), np.float32))
        self.action_space = spaces.Discrete(3)

    def observe(self):
        return {"hour": self.hour % 24, "inside": np.array([self.inside], np.float32)}

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.hour, self.inside = int(self.np_random.integers(24)), float(self.np_random.uniform(10, 30))
        return self.observe(), {"outside": self.outside()}

    def outside(self):
        return 10 - 8 * float(np.cos(self.hour * np.pi / 12)) + float(self.np_random.normal())

    def step(self, action):
        outside = self.outside()
        self.inside = float(np.clip(self.inside + 0.1 * (outside - self.inside) + 3 * (int(action) - 1), -30, 60))
        self.hour += 1
        error = abs(self.inside - self.target)
        return self.observe(), -error, bool(error > 25), False, {"outside": outside, "power": abs(int(action) - 1)}

    def render(self):
        return f"{self.hour % 24:02}:00 {self.inside:.3f}"


class Bins(gym.ObservationWrapper):
    """Combine the difference from the target temperature and the part of the day in one number."""

    def __init__(self, env, width):
        super().__init__(env)
        self.width, self.observation_space = width, spaces.Discrete(4 * 21)

    def observation(self, observation):
        difference = (observation["inside"][0] - self.get_wrapper_attr("target")) / self.width
        return int(observation["hour"]) // 6 * 21 + int(np.clip(difference, -10, 10)) + 10


class Bill(gym.Wrapper):
    """Subtract the price of the power from the reward."""

    def __init__(self, env, price):
        super().__init__(env)
        self.price = price

    def step(self, action):
        observation, reward, terminated, truncated, info = self.env.step(action)
        return observation, reward - self.price * info["power"], terminated, truncated, info


class Scale(gym.RewardWrapper):
    """Divide each reward by a number."""

    def __init__(self, env, divisor):
        super().__init__(env)
        self.divisor = divisor

    def reward(self, reward):
        return reward / self.divisor


class Swing(MujocoEnv):
    """A swing that should move fast."""

    metadata = {"render_modes": ["human", "rgb_array", "depth_array", "rgbd_tuple"], "render_fps": 25}

    def __init__(self, path, **options):
        space = spaces.Box(-np.inf, np.inf, (2,), np.float64)
        super().__init__(str(path), 2, observation_space=space, **options)

    def observe(self):
        return np.concatenate([self.data.qpos, self.data.qvel])

    def reset_model(self):
        start = self.np_random.uniform(-0.1, 0.1, 2)
        self.set_state(self.init_qpos + start[:1], self.init_qvel + start[1:])
        return self.observe()

    def step(self, action):
        self.do_simulation(action, self.frame_skip)
        return self.observe(), abs(float(self.data.qvel[0])), False, False, {}


class Words(gym.Space):
    """The words of one to three letters from an alphabet."""

    def __init__(self, letters):
        super().__init__()
        self.letters = letters

    def contains(self, x):
        return isinstance(x, str) and 1 <= len(x) <= 3 and set(x) <= set(self.letters)

    def sample(self, mask=None, probability=None):
        return "".join(self.np_random.choice(list(self.letters), self.np_random.integers(1, 4)))

    def __eq__(self, other):
        return isinstance(other, Words) and self.letters == other.letters


class Speller(gym.Env):
    """A word whose last letter is replaced in each step."""

    observation_space, action_space = Words("abc"), spaces.Discrete(3)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.word = "abc"[: self.np_random.integers(1, 4)]
        return self.word, {}

    def step(self, action):
        self.word = self.word[:-1] + self.observation_space.letters[action]
        return self.word, float(self.word.count("a")), self.word == "aaa", False, {}


gym.register("lessons/House-v0", House, max_episode_steps=36, kwargs={"target": 19.0})
gym.register("Swing-v0", "__main__:Swing", max_episode_steps=50)


def show(name, curve, *arrays):
    digest = zlib.crc32(b"".join(np.ascontiguousarray(array).tobytes() for array in arrays))
    print(name, digest, len(curve), [round(float(value), 6) for value in list(curve)[-6:]])


def parameters(*networks):
    return [parameter.detach().numpy() for network in networks for parameter in network.parameters()]


def tabular(name, env, episodes, masked=False):
    """Learn a table of action values in an environment with numbered observations."""
    env = gym.wrappers.RecordEpisodeStatistics(env, buffer_length=episodes)
    values, rng = np.zeros((env.observation_space.n, env.action_space.n)), np.random.default_rng(4)
    env.action_space.seed(4)
    for episode in range(episodes):
        state, info = env.reset(seed=4 if episode == 0 else None)
        ended = False
        while not ended:
            allowed = np.flatnonzero(info["action_mask"]) if masked else np.arange(env.action_space.n)
            if rng.random() < max(1 - 2 * episode / episodes, 0.05):
                action = env.action_space.sample(info["action_mask"] if masked else None)
            else:
                action = allowed[np.argmax(values[state, allowed])]
            following, reward, terminated, truncated, info = env.step(action)
            goal = reward + 0.95 * values[following].max() * (not terminated)
            values[state, action] += 0.2 * (goal - values[state, action])
            state, ended = following, terminated or truncated
    show(name, env.return_queue, values, list(env.length_queue))
    env.close()


def reinforce(name, env, episodes):
    """Learn a Gaussian policy from complete episodes."""
    torch.manual_seed(4)
    env = gym.wrappers.RecordEpisodeStatistics(env)
    policy = nn.Sequential(nn.Linear(env.observation_space.shape[0], 16), nn.Tanh(), nn.Linear(16, 2))
    optimizer, curve = torch.optim.Adam(policy.parameters(), lr=0.01), []
    for episode in range(episodes):
        observation, _ = env.reset(seed=episode)
        logs, rewards, ended = [], [], False
        while not ended:
            mean, deviation = policy(torch.tensor(observation, dtype=torch.float32)).chunk(2)
            distribution = Normal(mean, nn.functional.softplus(deviation) + 0.01)
            action = distribution.sample()
            observation, reward, terminated, truncated, info = env.step(action.numpy())
            logs.append(distribution.log_prob(action).sum())
            rewards.append(float(reward))
            ended = terminated or truncated
        later = torch.tensor(rewards).flip(0).cumsum(0).flip(0)
        optimizer.zero_grad()
        (-(torch.stack(logs) * (later - later.mean())).sum()).backward()
        optimizer.step()
        curve.append(info["episode"]["r"])
    show(name, curve, *parameters(policy))
    env.close()


def actor_critic(name, envs, updates):
    """Learn a policy and a value function in a vector environment."""
    torch.manual_seed(4)
    envs = gym.wrappers.vector.RecordEpisodeStatistics(envs, buffer_length=50)
    inputs, actions = envs.single_observation_space.shape[0], int(envs.single_action_space.n)
    actor = nn.Sequential(nn.Linear(inputs, 32), nn.ReLU(), nn.Linear(32, actions))
    critic = nn.Sequential(nn.Linear(inputs, 32), nn.ReLU(), nn.Linear(32, 1))
    optimizer = torch.optim.RMSprop([*actor.parameters(), *critic.parameters()], lr=0.003)
    observations, _ = envs.reset(seed=4)
    for _ in range(updates):
        losses = []
        for _ in range(16):
            tensor = torch.tensor(observations)
            distribution, value = Categorical(logits=actor(tensor)), critic(tensor).squeeze(1)
            action = distribution.sample()
            observations, rewards, terminated, _, _ = envs.step(action.numpy())
            with torch.no_grad():
                later = critic(torch.tensor(observations)).squeeze(1) * torch.tensor(~terminated)
            advantage = torch.tensor(rewards, dtype=torch.float32) / 100 + 0.99 * later - value
            losses.append((advantage**2 - advantage.detach() * distribution.log_prob(action)).mean())
        optimizer.zero_grad()
        torch.stack(losses).mean().backward()
        optimizer.step()
    show(name, envs.return_queue, *parameters(actor, critic))
    envs.close()


def varied():
    """Create an environment whose parameters come from NumPy's global generator."""
    gravity, power = np.clip(np.random.normal(-10, 1), -11.9, -1), np.random.uniform(5, 15)
    return gym.make("LunarLander-v3", gravity=gravity, enable_wind=True, wind_power=power, max_episode_steps=120)


def record(folder):
    """Record two of three episodes, and print the names of the files and a digest of the last image."""
    env = gym.make("LunarLander-v3", render_mode="rgb_array", max_episode_steps=30)
    env = gym.wrappers.RecordVideo(env, folder, lambda episode: episode != 1, name_prefix="lesson")
    env.action_space.seed(4)
    for episode in range(3):
        env.reset(seed=episode)
        while not any(env.step(env.action_space.sample())[2:4]):
            pass
    image = env.render()
    env.close()
    show("LunarLander video", [], image)
    print(*sorted(path.name for path in Path(folder).glob("*.mp4")))


if __name__ == "__main__":
    check_env(gym.make("lessons/House-v0").unwrapped)
    house = Scale(Bill(Bins(gym.make("lessons/House-v0", render_mode="ansi"), width=2), price=0.5), divisor=10)
    print(house, house.observation_space, house.spec.max_episode_steps, house.spec.kwargs)
    house.reset(seed=2)
    house.step(2)
    print(house.render(), house.unwrapped.target, gym.make("lessons/House-v0", target=23.5).unwrapped.target)
    flat = gym.wrappers.FlattenObservation(gym.make("lessons/House-v0"))
    print(flat.observation_space.shape, flat.reset(seed=3)[0].tolist()[-2:])
    tabular("House", house, 150)
    tabular("Taxi", gym.make("Taxi-v4"), 40, masked=True)
    tabular("FrozenLake", gym.make("FrozenLake-v1", desc=["SFF", "FHF", "FFG"], is_slippery=True), 150)
    reinforce("InvertedPendulum", gym.make("InvertedPendulum-v5"), 30)
    model = Path("swing.xml")
    model.write_text(SWING, encoding="utf-8")
    reinforce("Swing", gym.make("Swing-v0", path=model.absolute()), 12)
    actor_critic("LunarLander", gym.make_vec("LunarLander-v3", num_envs=4, max_episode_steps=120), 30)
    np.random.seed(4)
    landers = gym.vector.AsyncVectorEnv([varied] * 3)
    print([round(float(gravity), 6) for gravity in landers.get_attr("gravity")], round(np.random.uniform(), 6))
    actor_critic("varied LunarLander", landers, 25)
    for backend, options in ((gym.vector.SyncVectorEnv, {}), (gym.vector.AsyncVectorEnv, {"shared_memory": False})):
        spellers = backend([Speller] * 3, **options)
        first, _ = spellers.reset(seed=4)
        print(first, *spellers.step(np.array([0, 2, 1]))[:2], spellers.single_observation_space == Words("abc"))
        spellers.close()
    record("videos")
