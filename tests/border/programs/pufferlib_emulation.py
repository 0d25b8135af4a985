"""Flatten our spaces and step our environments with PufferLib's emulation layer."""

import numpy as np
import pufferlib.emulation

import gymkernel


class Room(gymkernel.Env):
    observation_space = gymkernel.spaces.Dict(
        {"light": gymkernel.spaces.Discrete(3), "place": gymkernel.spaces.Box(-1, 1, (2,), np.float32)}
    )
    action_space = gymkernel.spaces.Tuple((gymkernel.spaces.Discrete(2), gymkernel.spaces.Discrete(3)))

    def reset(self, seed=None, options=None):
        super().reset(seed=seed)
        return self.observation_space.sample(), {}

    def step(self, action):
        assert action in self.action_space
        return self.observation_space.sample(), 1.0, False, False, {}


env = pufferlib.emulation.GymnasiumPufferEnv(env_creator=lambda: gymkernel.make("CartPole-v1"))
obs, info = env.reset(seed=1)
assert obs.shape == (4,)
assert env.step(1)[1] == 1
env = pufferlib.emulation.GymnasiumPufferEnv(env_creator=Room)
obs, info = env.reset(seed=1)
assert obs in env.observation_space
obs, reward, *_ = env.step(np.array([1, 2]))
assert reward == 1
