"""Train with hindsight replay on SB3's goal environment inside our time limit."""

from stable_baselines3 import DQN, HerReplayBuffer
from stable_baselines3.common.envs import BitFlippingEnv

import gymnasium
import gymkernel

env = gymkernel.wrappers.TimeLimit(BitFlippingEnv(n_bits=4, continuous=False, max_steps=4), max_episode_steps=4)
assert isinstance(env, gymnasium.Env)
model = DQN(
    "MultiInputPolicy",
    env,
    replay_buffer_class=HerReplayBuffer,
    replay_buffer_kwargs={"n_sampled_goal": 2, "goal_selection_strategy": "future"},
    learning_starts=20,
    batch_size=8,
    buffer_size=200,
)
model.learn(60)
assert model.replay_buffer.size() == 60
