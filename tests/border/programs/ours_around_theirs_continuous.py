"""Wrap environments from `gymnasium.make` in our action and space wrappers, inside Gymnasium's vector environment."""

import gymnasium
import numpy as np

import gymkernel.wrappers as w


def make():
    env = gymnasium.make("Pendulum-v1")
    env = w.RescaleAction(env, -1.0, 1.0)
    env = w.ClipAction(env)
    env = w.RescaleObservation(env, np.float32(0), np.float32(1))
    env = w.DtypeObservation(env, np.float64)
    env = w.ReshapeObservation(env, (3, 1))
    env = w.ClipReward(env, -2, 2)
    return w.NormalizeReward(env)


envs = gymnasium.vector.SyncVectorEnv([make, make])
assert envs.single_observation_space.shape == (3, 1)
obs, _ = envs.reset(seed=1)
assert obs.min() >= -1e-6 and obs.max() <= 1 + 1e-6
obs, rewards, *_ = envs.step(np.array([[3.0], [-3.0]], np.float32))
assert obs.dtype == np.float64 and obs.shape == (2, 3, 1)
assert np.isfinite(rewards).all()
few = w.DiscretizeAction(gymnasium.make("Pendulum-v1"), 3)
assert few.action_space == gymnasium.spaces.Discrete(3)
few.reset(seed=1)
few.step(2)
