"""Operations on single elements of spaces, and descriptions of spaces."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np

from gymkernel.ops import flatdim, flatten, flatten_space, is_space_dtype_shape_equiv, unflatten
from gymkernel.spaces._spec import space_from_spec, space_to_spec

__all__ = ["FlatType", "flatdim", "flatten", "flatten_space", "is_space_dtype_shape_equiv", "unflatten"]
__all__ += ["space_from_spec", "space_to_spec"]

FlatType: TypeAlias = np.ndarray[Any, Any] | dict[str, Any] | tuple[Any, ...]
"""What `flatten` returns: an array, or containers of arrays where a space has parts that are no arrays."""
