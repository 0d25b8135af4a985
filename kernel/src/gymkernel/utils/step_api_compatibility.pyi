"""Names from plugins; stamped by tools/sync.py."""

from gymkernel_util_compatibility.step_api_compatibility import *
