"""Train TQC, QR-DQN and recurrent PPO from sb3-contrib."""

from sb3_contrib import QRDQN, TQC, RecurrentPPO

import gymkernel as gym

env = gym.make("Pendulum-v1")
assert TQC("MlpPolicy", env, learning_starts=10, batch_size=8, buffer_size=100).learn(30).num_timesteps == 30
env = gym.make("CartPole-v1")
assert QRDQN("MlpPolicy", env, learning_starts=10, batch_size=8, buffer_size=100).learn(32).num_timesteps == 32
model = RecurrentPPO("MlpLstmPolicy", env, n_steps=16, batch_size=16, n_epochs=1).learn(16)
action, states = model.predict(env.reset(seed=1)[0])
assert len(states) == 2
assert int(action) in env.action_space
