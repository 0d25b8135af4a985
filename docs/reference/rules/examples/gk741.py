"""Flattening sets the first number to 0, so unflattening cannot restore the element."""

import numpy as np

from gymkernel import ops
from gymkernel.spaces import Box


class Wrong(Box):
    pass


@ops.flatten.register(Wrong)
def _flatten(space, x):
    flat = np.asarray(x, space.dtype).reshape(-1).copy()
    flat[:1] = 0
    return flat


class Right(Box):
    pass
