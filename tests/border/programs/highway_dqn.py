"""Train SB3's DQN on highway-env, and check one of its goal environments."""

import gymnasium
import highway_env
from stable_baselines3 import DQN

import gymkernel as gym

env = gym.make("highway-fast-v0", config={"vehicles_count": 3, "duration": 5})
model = DQN("MlpPolicy", env, learning_starts=5, batch_size=4, buffer_size=50).learn(12)
assert model.replay_buffer.size() == 12
parking = gym.make("parking-v0")
assert isinstance(parking.observation_space, gym.spaces.Dict)
assert isinstance(parking.observation_space, gymnasium.spaces.Dict)
obs, _ = parking.reset(seed=0)
assert set(obs) == {"observation", "achieved_goal", "desired_goal"}
flat = gymnasium.wrappers.FlattenObservation(parking)
assert flat.reset(seed=0)[0].shape == (18,)
