"""Arrays of one library as those of another, and the bases of wrappers that convert them."""

from gymkernel_util_array_conversion.conversion import (
    Device,
    array_conversion,
    module_name_to_namespace,
    module_namespace,
)
from gymkernel_util_array_conversion.wrappers import Converted, VectorConverted

__all__ = ["Converted", "Device", "VectorConverted", "array_conversion", "module_name_to_namespace", "module_namespace"]
