"""The space is not equivalent to a copy of itself, so no two environments can share a batch."""

from gymkernel import ops
from gymkernel.spaces import Box


class Wrong(Box):
    pass


@ops.is_space_dtype_shape_equiv.register(Wrong)
def _is_equivalent(space_1, space_2):
    return type(space_2) is Box and space_1.shape == space_2.shape


class Right(Box):
    pass
