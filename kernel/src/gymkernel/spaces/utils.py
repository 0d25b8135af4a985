"""Operations on single elements of spaces, and descriptions of spaces."""

from gymkernel.ops import flatdim, flatten, flatten_space, is_space_dtype_shape_equiv, unflatten
from gymkernel.spaces._spec import space_from_spec, space_to_spec

__all__ = ["flatdim", "flatten", "flatten_space", "is_space_dtype_shape_equiv", "unflatten"]
__all__ += ["space_from_spec", "space_to_spec"]
