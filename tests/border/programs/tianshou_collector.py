"""Collect data from one environment with Tianshou, using a network built from the environment's spaces."""

from tianshou.algorithm.modelfree.dqn import DQN, DiscreteQLearningPolicy
from tianshou.algorithm.optim import AdamOptimizerFactory
from tianshou.data import Collector, VectorReplayBuffer
from tianshou.env import DummyVectorEnv
from tianshou.utils.net.common import Net

import gymkernel as gym

env = gym.make("CartPole-v1")
net = Net(state_shape=env.observation_space.shape, action_shape=env.action_space.n, hidden_sizes=[16])
policy = DiscreteQLearningPolicy(model=net, action_space=env.action_space, eps_training=0.1)
algorithm = DQN(policy=policy, optim=AdamOptimizerFactory(lr=1e-3), gamma=0.9)
envs = DummyVectorEnv([lambda: gym.make("CartPole-v1") for _ in range(2)])
collector = Collector(algorithm, envs, VectorReplayBuffer(200, 2))
collector.reset()
result = collector.collect(n_step=100)
assert result.n_collected_steps == 100
assert len(collector.buffer) == 100
alone = Collector(algorithm, gym.make("CartPole-v1"))
alone.reset()
assert alone.collect(n_episode=1).n_collected_episodes == 1
