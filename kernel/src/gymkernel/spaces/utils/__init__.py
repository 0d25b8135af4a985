"""Operations on elements of spaces, and functions that convert spaces to descriptions and back."""

from gymkernel.ops import T, flatdim, flatten, flatten_space, is_space_dtype_shape_equiv, unflatten
from gymkernel.plugins import facade
from gymkernel.protocols import FlatType

__getattr__, __dir__ = facade(__name__, "utils", globals())
