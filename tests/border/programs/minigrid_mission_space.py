"""Check that MiniGrid's mission space is an instance of both libraries' base classes."""

import copy
import pickle

import gymnasium
import minigrid
from minigrid.core.mission import MissionSpace

import gymkernel as gym

env = gym.make("MiniGrid-Fetch-5x5-N2-v0")
mission = env.observation_space["mission"]
assert isinstance(mission, MissionSpace)
assert isinstance(mission, gym.Space) and isinstance(mission, gym.spaces.Space)
assert isinstance(mission, gymnasium.Space)
assert isinstance(env.observation_space, gym.spaces.Dict)
obs, _ = env.reset(seed=4)
assert obs["mission"] in mission
assert obs in env.observation_space
assert mission == copy.deepcopy(mission) == pickle.loads(pickle.dumps(mission))
assert isinstance(mission.sample(), str)
