"""The wrapper has a generator of its own, which hides the wrapped environment's seeded generator."""

import numpy as np

from gymkernel import Wrapper
from gymkernel.utils import RecordConstructorArgs


class Base(Wrapper, RecordConstructorArgs):
    def __init__(self, env):
        RecordConstructorArgs.__init__(self)
        Wrapper.__init__(self, env)


class Wrong(Base):
    np_random = np.random.default_rng(0)


class Right(Base):
    pass
