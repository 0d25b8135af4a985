"""Call `evaluate_policy` with a monitored environment and with a vector environment."""

from stable_baselines3 import PPO
from stable_baselines3.common.evaluation import evaluate_policy
from stable_baselines3.common.monitor import Monitor
from stable_baselines3.common.vec_env import DummyVecEnv

import gymkernel

model = PPO("MlpPolicy", gymkernel.make("CartPole-v1"), n_steps=32, batch_size=32)
mean_reward, std_reward = evaluate_policy(model, Monitor(gymkernel.make("CartPole-v1")), n_eval_episodes=5)
assert 1 <= mean_reward <= 500
rewards, lengths = evaluate_policy(
    model, DummyVecEnv([lambda: Monitor(gymkernel.make("CartPole-v1"))] * 2), 4, return_episode_rewards=True
)
assert rewards == lengths
assert len(rewards) == 4
