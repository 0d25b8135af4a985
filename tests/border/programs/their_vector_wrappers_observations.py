"""Wrap our vector environments in each of Gymnasium's vector wrappers for observations."""

import gymnasium
import gymnasium.wrappers.vector as wv
import numpy as np

import gymkernel as gym


def cartpoles(mode="sync"):
    return gym.make_vec("CartPole-v1", num_envs=2, vectorization_mode=mode)


def cars():
    return gym.make_vec("MountainCar-v0", num_envs=2, vectorization_mode="sync")


box = gym.spaces.Box(-9, 9, (4,))
made = [
    (wv.NormalizeObservation(cartpoles()), (2, 4)),
    (wv.FlattenObservation(cartpoles()), (2, 4)),
    (wv.DtypeObservation(cartpoles(), np.float64), (2, 4)),
    (wv.ReshapeObservation(cartpoles(), (2, 2)), (2, 2, 2)),
    (wv.RescaleObservation(cars(), 0, 1), (2, 2)),
    (wv.TransformObservation(cartpoles(), lambda obs: obs * 2), (2, 4)),
    (wv.VectorizeTransformObservation(cartpoles(), gym.wrappers.TransformObservation, func=abs, observation_space=box), (2, 4)),
]
for envs, shape in made:
    obs, _ = envs.reset(seed=1)
    assert obs.shape == shape == envs.observation_space.shape
    obs, *_ = envs.step(envs.action_space.sample())
    assert obs.shape == shape
    assert isinstance(envs.single_observation_space, gymnasium.spaces.Box)
    envs.close()
