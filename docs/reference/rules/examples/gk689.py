"""The noise comes from the random module, which the environment's seed does not affect."""

import random

from gymkernel import Wrapper
from gymkernel.utils import RecordConstructorArgs


class Base(Wrapper, RecordConstructorArgs):
    def __init__(self, env):
        RecordConstructorArgs.__init__(self)
        Wrapper.__init__(self, env)


class Wrong(Base):
    def step(self, action):
        observation, reward, *rest = super().step(action)
        return observation, reward + random.gauss(0, 1), *rest


class Right(Base):
    def step(self, action):
        observation, reward, *rest = super().step(action)
        return observation, reward + float(self.np_random.normal()), *rest
