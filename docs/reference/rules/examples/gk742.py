"""A network is built for three inputs, and is given as many as the space has."""

from gymkernel import ops
from gymkernel.spaces import Box


class Wrong(Box):
    pass


@ops.flatdim.register(Wrong)
def _flatdim(space):
    return 3


class Right(Box):
    pass
