"""Keep `from gymnasium import spaces` in a program whose environments and wrappers inherit from our classes."""

import numpy as np
from gymnasium import spaces

import gymkernel as gym


class Walk(gym.Env):
    def __init__(self, size=5):
        self.size = size
        self.observation_space = spaces.Dict(
            place=spaces.Box(0, size - 1, (2,), np.int64),
            doors=gym.spaces.Tuple([spaces.Discrete(2), spaces.Discrete(2)]),
        )
        self.action_space = spaces.Discrete(4)

    def observe(self):
        return {"place": self.place.copy(), "doors": (0, 1)}

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.place = self.np_random.integers(0, self.size, 2)
        return self.observe(), {}

    def step(self, action):
        self.place[action // 2] = np.clip(self.place[action // 2] + 2 * (action % 2) - 1, 0, self.size - 1)
        return self.observe(), 1.0, False, False, {}


class Place(gym.ObservationWrapper):
    def __init__(self, env):
        super().__init__(env)
        self.observation_space = spaces.Box(0, 4, (2,), np.int64)

    def observation(self, observation):
        return observation["place"]


gym.register("Walk-v0", entry_point=Walk, max_episode_steps=10)
env = gym.make("Walk-v0")
assert isinstance(env.action_space, gym.spaces.Discrete) and isinstance(env.action_space, spaces.Discrete)
assert isinstance(env.observation_space, gym.spaces.Dict)
assert isinstance(env.observation_space["place"], gym.spaces.Box)
assert all(isinstance(door, gym.spaces.Discrete) for door in env.observation_space["doors"])
placed = Place(env)
assert isinstance(placed.observation_space, gym.spaces.Box)
obs, _ = placed.reset(seed=1)
assert obs in placed.observation_space
for envs in (gym.make_vec("Walk-v0", num_envs=2), gym.vector.SyncVectorEnv([lambda: Place(Walk())] * 2)):
    assert isinstance(envs.single_action_space, gym.spaces.Discrete), "only discrete action spaces are supported"
    assert isinstance(envs.action_space, gym.spaces.MultiDiscrete)
    envs.reset(seed=1)
    envs.step(envs.action_space.sample())
    envs.close()
