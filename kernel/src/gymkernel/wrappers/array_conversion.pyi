"""Names from plugins; stamped by tools/sync.py."""

from gymkernel.wrappers._installed import ArrayConversion as ArrayConversion
from gymkernel_util_array_conversion.conversion import Device as Device
from gymkernel_util_array_conversion.conversion import array_conversion as array_conversion
from gymkernel_util_array_conversion.conversion import module_name_to_namespace as module_name_to_namespace
from gymkernel_util_array_conversion.conversion import module_namespace as module_namespace
