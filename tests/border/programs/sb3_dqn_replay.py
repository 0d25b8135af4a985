"""Fill the replay buffer of DQN from an environment with discrete observations."""

import gymnasium
from stable_baselines3 import DQN

import gymkernel

env = gymkernel.make("MountainCar-v0")
model = DQN("MlpPolicy", env, learning_starts=50, train_freq=4, buffer_size=1000, verbose=0)
model.learn(200)
assert model.replay_buffer.size() == 200
assert isinstance(model.action_space, gymnasium.spaces.Discrete)
assert isinstance(model.action_space, gymkernel.spaces.Discrete)
action, _ = model.predict(env.reset(seed=3)[0])
assert env.action_space.contains(int(action))
