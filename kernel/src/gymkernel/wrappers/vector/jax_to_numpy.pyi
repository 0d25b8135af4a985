"""Names from plugins; stamped by tools/sync.py."""

from gymkernel_wrapper_jax_to_numpy.vector import *
