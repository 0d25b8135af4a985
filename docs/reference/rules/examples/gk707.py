"""The pickle leaves out the generator, so a worker draws other samples than the space that was sent to it."""

from gymkernel.spaces import Discrete


class Wrong(Discrete):
    def __getstate__(self):
        return {**self.__dict__, "_np_random": None}


class Right(Discrete):
    pass
