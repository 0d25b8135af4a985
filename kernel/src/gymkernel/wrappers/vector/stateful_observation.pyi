"""What plugins provide, for type checkers; stamped by tools/sync.py."""

from gymkernel_wrapper_normalize_observation.vector import *
