"""Wrap Pong in the usual Atari wrappers from both libraries, in either order."""

import ale_py
import gymnasium
import numpy as np

import gymkernel

gymnasium.register_envs(ale_py)
for first in (gymkernel, gymnasium):
    for second in (gymkernel, gymnasium):
        env = gymkernel.make("ALE/Pong-v5", frameskip=1)
        env = first.wrappers.AtariPreprocessing(env, frame_skip=4, screen_size=84)
        env = second.wrappers.FrameStackObservation(env, stack_size=4)
        assert env.observation_space == gymnasium.spaces.Box(0, 255, (4, 84, 84), np.uint8)
        assert isinstance(env.action_space, gymnasium.spaces.Discrete)
        assert isinstance(env.action_space, gymkernel.spaces.Discrete)
        obs, info = env.reset(seed=1)
        obs, reward, terminated, truncated, info = env.step(2)
        assert np.asarray(obs).shape == (4, 84, 84)
        assert "lives" in info
        env.close()
