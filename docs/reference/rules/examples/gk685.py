"""The wrapper releases its own resources, but leaves the wrapped environment's window open."""

from gymkernel import Wrapper
from gymkernel.utils import RecordConstructorArgs


class Base(Wrapper, RecordConstructorArgs):
    def __init__(self, env):
        RecordConstructorArgs.__init__(self)
        Wrapper.__init__(self, env)


class Wrong(Base):
    def close(self):
        self.film = []


class Right(Base):
    def close(self):
        self.film = []
        super().close()
