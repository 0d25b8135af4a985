"""Wrap our environments in Gymnasium's action wrappers."""

import gymnasium.wrappers as w
import numpy as np

import gymkernel as gym

pendulum = w.ClipAction(gym.make("Pendulum-v1"))
assert pendulum.action_space.high[0] == np.inf
pendulum = w.RescaleAction(gym.make("Pendulum-v1"), -1.0, 1.0)
pendulum.reset(seed=1)
pendulum.step(np.array([0.5], np.float32))
assert pendulum.action_space == gym.spaces.Box(-1.0, 1.0, (1,), np.float32)
doubled = w.TransformAction(gym.make("CartPole-v1"), lambda action: 1 - action, gym.spaces.Discrete(2))
doubled.reset(seed=1)
assert doubled.step(0)[1] == 1
assert isinstance(doubled.action_space, gym.spaces.Discrete)
sticky = w.StickyAction(gym.make("CartPole-v1"), 0.5)
sticky.reset(seed=1)
assert len(sticky.step(1)) == 5
repeat = w.RepeatAction(gym.make("MountainCar-v0"), 3)
repeat.reset(seed=1)
assert repeat.step(1)[1] == -3
few = w.DiscretizeAction(gym.make("Pendulum-v1"), 5)
assert few.action_space == gym.spaces.Discrete(5)
few.reset(seed=1)
few.step(4)
