"""Names from plugins; stamped by tools/sync.py."""

from gymkernel_wrapper_array_conversion.vector import *
