"""The wrapper does not pass the seed to the wrapped environment."""

from gymkernel import Wrapper
from gymkernel.utils import RecordConstructorArgs


class Base(Wrapper, RecordConstructorArgs):
    def __init__(self, env):
        RecordConstructorArgs.__init__(self)
        Wrapper.__init__(self, env)


class Wrong(Base):
    def reset(self, *, seed=None, options=None):
        return self.env.reset(options=options)


class Right(Base):
    def reset(self, *, seed=None, options=None):
        return self.env.reset(seed=seed, options=options)
