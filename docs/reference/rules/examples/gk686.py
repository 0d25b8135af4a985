"""The wrapper does not record its factor, so the wrapper cannot be created again from the spec."""

from gymkernel import RewardWrapper
from gymkernel.utils import RecordConstructorArgs


class Wrong(RewardWrapper, RecordConstructorArgs):
    def __init__(self, env, factor: float):
        RecordConstructorArgs.__init__(self)
        RewardWrapper.__init__(self, env)
        self.factor = factor

    def reward(self, reward):
        return self.factor * reward


class Right(Wrong):
    def __init__(self, env, factor: float):
        RecordConstructorArgs.__init__(self, factor=factor)
        Wrong.__init__(self, env, factor)
