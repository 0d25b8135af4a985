"""The wrapper closes what it has, and the window inside stays open."""

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
