"""Spaces of different sizes are equal, so a vector environment accepts both and fails in the middle of a run."""

from gymkernel.spaces import Discrete


class Wrong(Discrete):
    def __eq__(self, other):
        return isinstance(other, Discrete)

    __hash__ = None


class Right(Discrete):
    pass
