"""Wrap our environments in each of Gymnasium's observation wrappers."""

import gymnasium
import gymnasium.wrappers as w
import numpy as np

import gymkernel as gym


def cartpole():
    return gym.make("CartPole-v1", render_mode="rgb_array")


made = {
    "DelayObservation": w.DelayObservation(cartpole(), 2),
    "DtypeObservation": w.DtypeObservation(cartpole(), np.float64),
    "FlattenObservation": w.FlattenObservation(cartpole()),
    "FrameStackObservation": w.FrameStackObservation(cartpole(), 3),
    "AddRenderObservation": w.AddRenderObservation(cartpole()),
    "MaxAndSkipObservation": w.MaxAndSkipObservation(cartpole(), 2),
    "NormalizeObservation": w.NormalizeObservation(cartpole()),
    "ReshapeObservation": w.ReshapeObservation(cartpole(), (2, 2)),
    "RescaleObservation": w.RescaleObservation(gym.make("MountainCar-v0"), 0, 1),
    "TimeAwareObservation": w.TimeAwareObservation(cartpole()),
    "TransformObservation": w.TransformObservation(cartpole(), lambda obs: obs + 1, None),
    "DiscretizeObservation": w.DiscretizeObservation(gym.make("MountainCar-v0"), 5),
}
for name, env in made.items():
    obs, _ = env.reset(seed=1)
    assert obs in env.observation_space or name == "TransformObservation", name
    assert isinstance(env.observation_space, gymnasium.spaces.Space), name
    obs, *_ = env.step(env.action_space.sample())
assert made["FrameStackObservation"].observation_space.shape == (3, 4)
