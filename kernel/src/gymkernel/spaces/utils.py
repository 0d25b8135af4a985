"""Operations on single elements of spaces."""

from gymkernel.ops import flatdim, flatten, flatten_space, is_space_dtype_shape_equiv, unflatten

__all__ = ["flatdim", "flatten", "flatten_space", "is_space_dtype_shape_equiv", "unflatten"]
