# stamped by tools/sync.py

from typing import TYPE_CHECKING
from gymkernel.ops import T as T
from gymkernel.ops import flatdim as flatdim
from gymkernel.ops import flatten as flatten
from gymkernel.ops import flatten_space as flatten_space
from gymkernel.ops import is_space_dtype_shape_equiv as is_space_dtype_shape_equiv
from gymkernel.ops import unflatten as unflatten
from gymkernel.protocols import FlatType as FlatType

if TYPE_CHECKING:
    from gymkernel_util_spaces.descriptions import space_from_spec as space_from_spec
    from gymkernel_util_spaces.descriptions import space_to_spec as space_to_spec

__all__ = [
    "FlatType",
    "T",
    "flatdim",
    "flatten",
    "flatten_space",
    "is_space_dtype_shape_equiv",
    "space_from_spec",
    "space_to_spec",
    "unflatten",
]
