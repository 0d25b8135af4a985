"""The wrapper holds a lambda, so neither it nor its environment can be sent to another process."""

from gymkernel import Wrapper
from gymkernel.utils import RecordConstructorArgs


class Base(Wrapper, RecordConstructorArgs):
    def __init__(self, env):
        RecordConstructorArgs.__init__(self)
        Wrapper.__init__(self, env)


class Wrong(Base):
    def __init__(self, env):
        super().__init__(env)
        self.filter = lambda info: info


class Right(Base):
    def filter(self, info):
        return info
