"""Derive wrappers from either library's base classes, and wrap environments of either library."""

import gymnasium
import numpy as np

import gymkernel


def wrappers_of(library):
    class Half(library.ObservationWrapper):
        def observation(self, observation):
            return observation / 2

    class Flip(library.ActionWrapper):
        def action(self, action):
            return 1 - action

    class Double(library.RewardWrapper):
        def reward(self, reward):
            return 2 * reward

    class Count(library.Wrapper):
        def __init__(self, env, start=0):
            super().__init__(env)
            self.steps = start

        def step(self, action):
            self.steps += 1
            return super().step(action)

    return Half, Flip, Double, Count


for outer in (gymkernel, gymnasium):
    for inner in (gymkernel, gymnasium):
        env = inner.make("CartPole-v1")
        for wrapper in wrappers_of(outer):
            env = wrapper(env)
            assert isinstance(env, gymnasium.Wrapper)
        assert isinstance(env, outer.Wrapper)
        env.reset(seed=1)
        assert env.step(1)[1] == 2.0
        assert env.steps == 1 and env.get_wrapper_attr("steps") == 1
        env.set_wrapper_attr("gravity", 5.0)
        assert env.unwrapped.gravity == 5.0
        assert str(env).count("<") >= 5
