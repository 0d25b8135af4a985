# stamped by tools/sync.py

from gymkernel_util_vector.arguments import *
