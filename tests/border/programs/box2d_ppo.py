"""Train and evaluate PPO on LunarLander, and run the heuristic policy from Gymnasium's module."""

from stable_baselines3 import PPO
from stable_baselines3.common.evaluation import evaluate_policy
from stable_baselines3.common.monitor import Monitor

import gymkernel as gym

env = gym.make("LunarLander-v3", continuous=True, enable_wind=False)
model = PPO("MlpPolicy", env, n_steps=32, batch_size=32).learn(64)
mean, std = evaluate_policy(model, Monitor(gym.make("LunarLander-v3", continuous=True)), n_eval_episodes=2)
assert -2000 < mean < 400
assert env.action_space.shape == (2,)
