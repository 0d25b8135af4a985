"""Use vector wrappers: those of the library, user-defined ones, and single wrappers that are vectorised."""

import gymnasium as gym
import numpy as np
from gymnasium.vector import VectorActionWrapper, VectorObservationWrapper, VectorRewardWrapper, VectorWrapper
from gymnasium.wrappers.vector import (
    ClipReward,
    DtypeObservation,
    DictInfoToList,
    FlattenObservation,
    NormalizeObservation,
    RescaleAction,
    TransformObservation,
    VectorizeTransformObservation,
)


class Doubled(VectorObservationWrapper):
    def observations(self, observations):
        return observations * 2


class Negated(VectorActionWrapper):
    def actions(self, actions):
        return -actions


class Shifted(VectorRewardWrapper):
    def rewards(self, rewards):
        return rewards + 1


class Counting(VectorWrapper):
    def __init__(self, env):
        super().__init__(env)
        self.steps = 0

    def step(self, actions):
        self.steps += 1
        return super().step(actions)


def make():
    return gym.make_vec("Pendulum-v1", 3, vectorization_mode="sync", max_episode_steps=6)


for build in (
    lambda: Shifted(Negated(Doubled(make()))),
    lambda: NormalizeObservation(DtypeObservation(make(), np.float64)),
    lambda: ClipReward(make(), -1.0, 0.0),
    lambda: RescaleAction(make(), 0.0, 1.0),
    lambda: TransformObservation(make(), lambda obs: obs - 1),
    lambda: VectorizeTransformObservation(make(), gym.wrappers.TransformObservation, func=lambda o: o + 1, observation_space=None),
    lambda: FlattenObservation(make()),
    lambda: DictInfoToList(gym.wrappers.vector.RecordEpisodeStatistics(make())),
):
    envs = Counting(build())
    observations, infos = envs.reset(seed=21)
    print(envs, observations.tolist(), infos)
    for _ in range(9):
        observations, rewards, terminations, truncations, infos = envs.step(np.full((3, 1), 0.25, dtype=np.float32))
    print(observations.tolist(), rewards.tolist(), truncations.tolist(), envs.steps, envs.single_observation_space)
    envs.close()
