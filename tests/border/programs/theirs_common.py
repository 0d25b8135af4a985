"""Wrap our environments in the Gymnasium wrappers that do not change any values."""

import gymnasium
import numpy as np
from gymnasium.wrappers import Autoreset, OrderEnforcing, PassiveEnvChecker, RecordEpisodeStatistics, TimeLimit

import gymkernel

env = gymkernel.make("CartPole-v1", disable_env_checker=True).unwrapped
for wrapper in (PassiveEnvChecker, OrderEnforcing, RecordEpisodeStatistics, Autoreset):
    env = wrapper(env)
    assert isinstance(env, gymnasium.Env)
env = TimeLimit(env, 6)
env.reset(seed=1)
for _ in range(6):
    obs, reward, terminated, truncated, info = env.step(0)
assert truncated
assert env.has_wrapper_attr("theta_threshold_radians")
assert env.get_wrapper_attr("gravity") == 9.8
assert env.spec is None or env.spec.id == "CartPole-v1"
assert env.unwrapped.observation_space.contains(np.zeros(4, np.float32))
