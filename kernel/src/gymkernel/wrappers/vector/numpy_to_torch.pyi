"""Names from plugins; stamped by tools/sync.py."""

from gymkernel_wrapper_numpy_to_torch.vector import *
