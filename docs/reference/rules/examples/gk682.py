"""The wrapper changes the observations, but its observation space still describes the original ones."""

import numpy as np

from gymkernel import ObservationWrapper
from gymkernel.spaces import Box
from gymkernel.utils import RecordConstructorArgs


class Wrong(ObservationWrapper, RecordConstructorArgs):
    def __init__(self, env):
        RecordConstructorArgs.__init__(self)
        ObservationWrapper.__init__(self, env)
        if not isinstance(env.observation_space, Box):
            raise TypeError("Wrong expects a Box as observation space")

    def observation(self, observation):
        return np.asarray(observation, np.float32).ravel()[:2]


class Right(Wrong):
    def __init__(self, env):
        super().__init__(env)
        low, high = (
            bound.ravel()[:2].astype(np.float32) for bound in (env.observation_space.low, env.observation_space.high)
        )
        self.observation_space = Box(low, high)
