"""Define an environment, and register, make, render, wrap, check and vectorise it."""

from enum import Enum
from typing import Optional

import gymnasium as gym
import numpy as np
from gymnasium import spaces
from gymnasium.utils.env_checker import check_env
from gymnasium.wrappers import FlattenObservation


class Move(Enum):
    RIGHT = 0
    UP = 1
    LEFT = 2
    DOWN = 3


class Hunt(gym.Env):
    metadata = {"render_modes": ["ansi", "rgb_array"], "render_fps": 4}

    def __init__(self, render_mode: Optional[str] = None, size: int = 5):
        self.size = size
        self.observation_space = spaces.Dict(
            {
                "hunter": spaces.Box(0, size - 1, shape=(2,), dtype=int),
                "prey": spaces.Box(0, size - 1, shape=(2,), dtype=int),
            }
        )
        self.action_space = spaces.Discrete(4)
        self._moves = {
            Move.RIGHT.value: np.array([1, 0]),
            Move.UP.value: np.array([0, 1]),
            Move.LEFT.value: np.array([-1, 0]),
            Move.DOWN.value: np.array([0, -1]),
        }
        assert render_mode is None or render_mode in self.metadata["render_modes"]
        self.render_mode = render_mode

    def _observe(self):
        return {"hunter": self._hunter.copy(), "prey": self._prey.copy()}

    def _inform(self):
        return {"distance": np.linalg.norm(self._hunter - self._prey, ord=1)}

    def reset(self, seed=None, options=None):
        super().reset(seed=seed)
        self._hunter = self.np_random.integers(0, self.size, size=2, dtype=int)
        self._prey = self._hunter
        while np.array_equal(self._prey, self._hunter):
            self._prey = self.np_random.integers(0, self.size, size=2, dtype=int)
        return self._observe(), self._inform()

    def step(self, action):
        self._hunter = np.clip(self._hunter + self._moves[int(action)], 0, self.size - 1)
        caught = bool(np.array_equal(self._hunter, self._prey))
        return self._observe(), 1 if caught else -0.01, caught, False, self._inform()

    def render(self):
        if self.render_mode == "ansi":
            return f"{self._hunter.tolist()} -> {self._prey.tolist()}"
        if self.render_mode == "rgb_array":
            return np.zeros((self.size, self.size, 3), dtype=np.uint8)


class Relative(gym.ObservationWrapper):
    def __init__(self, env):
        super().__init__(env)
        self.observation_space = spaces.Box(shape=(2,), low=-np.inf, high=np.inf)

    def observation(self, observation):
        return (observation["prey"] - observation["hunter"]).astype(np.float32)


class Discretised(gym.ActionWrapper):
    def __init__(self, env, order):
        super().__init__(env)
        self.order = order
        self.action_space = spaces.Discrete(len(order))

    def action(self, action):
        return self.order[action]


class Scaled(gym.RewardWrapper):
    def reward(self, reward):
        return reward * 10


gym.register(id="programs/Hunt-v0", entry_point=Hunt, max_episode_steps=30)
print(gym.spec("programs/Hunt-v0").max_episode_steps, gym.envs.registry["programs/Hunt-v0"].namespace)
env = gym.make("programs/Hunt-v0", size=6, render_mode="ansi")
check_env(gym.make("programs/Hunt-v0").unwrapped)
print(env.observation_space, env.unwrapped.size, env.metadata)
print(env.reset(seed=4)[1], env.render())
flat = FlattenObservation(env)
print(flat.observation_space, flat.reset(seed=4)[0])
wrapped = Scaled(Discretised(Relative(gym.make("programs/Hunt-v0")), [3, 2, 1, 0]))
print(wrapped, wrapped.reset(seed=8))
wrapped.action_space.seed(1)
for _ in range(35):
    result = wrapped.step(wrapped.action_space.sample())
    if result[2] or result[3]:
        break
print(result[0].tolist(), *result[1:4], result[4]["distance"])
print(wrapped.spec.additional_wrappers and [w.name for w in wrapped.spec.additional_wrappers])
print([type(layer).__name__ for layer in (wrapped, wrapped.env, wrapped.env.env)], wrapped.get_wrapper_attr("order"))
envs = gym.make_vec("programs/Hunt-v0", num_envs=3, size=4)
observations, infos = envs.reset(seed=5)
print({key: value.tolist() for key, value in observations.items()}, infos["distance"].tolist(), infos["_distance"].tolist())
for _ in range(8):
    observations, rewards, terminations, truncations, infos = envs.step(np.array([0, 1, 2]))
print({key: value.tolist() for key, value in observations.items()}, rewards.tolist(), terminations.tolist())
envs.close()
