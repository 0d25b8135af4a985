"""`gymkernel.wrappers.array_conversion`: names that plugins provide, where these are installed."""

# stamped by tools/sync.py
from __future__ import annotations

from typing import TYPE_CHECKING

from gymkernel.plugins import facade

if TYPE_CHECKING:
    from gymkernel_util_array_conversion import Converted as Converted
    from gymkernel_util_array_conversion import VectorConverted as VectorConverted
    from gymkernel_util_array_conversion import array_conversion as array_conversion
    from gymkernel_util_array_conversion import module_name_to_namespace as module_name_to_namespace
    from gymkernel_util_array_conversion import module_namespace as module_namespace
    from gymkernel_wrapper_array_conversion import ArrayConversion as ArrayConversion

    __all__: list[str] = []
else:
    __getattr__, __dir__ = facade(__name__, "utils", globals())
# end of stamp
