"""Wrap our environments in Gymnasium's reward wrappers."""

import gymnasium
import gymnasium.wrappers as w

import gymkernel as gym

env = w.ClipReward(gym.make("Pendulum-v1"), -1, 1)
env = w.TransformReward(env, lambda reward: 3 * reward)
env.reset(seed=1)
assert -3 <= env.step(env.action_space.sample())[1] <= 3
env = w.NormalizeReward(gym.make("CartPole-v1"))
env.reset(seed=1)
total = sum(env.step(i % 2)[1] for i in range(8))
assert 0 < total < 100
assert isinstance(env, gymnasium.Wrapper) and isinstance(env.unwrapped, gymnasium.Env)
