# stamped by tools/sync.py

from gymkernel_wrapper_array_conversion.vector import *
from gymkernel.wrappers.vector._installed import ArrayConversion as ArrayConversion
