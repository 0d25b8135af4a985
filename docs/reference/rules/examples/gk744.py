"""The batch is iterated backwards, so the first environment receives the last environment's action."""

import numpy as np

from gymkernel import ops
from gymkernel.spaces import Box


class Backwards(Box):
    pass


@ops.iterate.register(Backwards)
def _iterate(space, items):
    return iter(items[::-1])


class Wrong(Box):
    pass


@ops.batch_space.register(Wrong)
def _batch_space(space, n=1):
    low, high = (np.repeat(bound[None], n, axis=0) for bound in (space.low, space.high))
    return Backwards(low, high, dtype=space.dtype)


class Right(Box):
    pass
