"""Check that LunarLander's spaces are instances of both libraries' classes and equal each other in either order."""

import copy
import pickle

import gymnasium
import numpy as np

import gymkernel

env = gymkernel.make("LunarLander-v3")
assert isinstance(env.action_space, gymkernel.spaces.Discrete)
assert isinstance(env.action_space, gymnasium.spaces.Discrete)
assert env.action_space == gymkernel.spaces.Discrete(4)
assert gymkernel.spaces.Discrete(4) == env.action_space
assert env.action_space == gymnasium.spaces.Discrete(4)
assert gymnasium.spaces.Discrete(4) == env.action_space
assert not env.action_space != gymkernel.spaces.Discrete(4)
assert env.action_space != gymkernel.spaces.Discrete(5)
for space in (env.action_space, env.observation_space):
    assert copy.copy(space) == copy.deepcopy(space) == pickle.loads(pickle.dumps(space)) == space
assert isinstance(env.observation_space, gymkernel.spaces.Box)
assert isinstance(env.observation_space, gymnasium.spaces.Box)
assert env.observation_space.dtype == np.float32
assert isinstance(env, gymkernel.Env) and isinstance(env, gymnasium.Env)
assert isinstance(env, gymnasium.Wrapper)
obs, _ = env.reset(seed=1)
assert obs in env.observation_space
assert env.unwrapped.lander is not None
