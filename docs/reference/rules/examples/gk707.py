"""The pickled data does not contain the generator, so a worker's copy of the space returns different samples."""

from gymkernel.spaces import Discrete


class Wrong(Discrete):
    def __getstate__(self):
        return {**self.__dict__, "_np_random": None}


class Right(Discrete):
    pass
