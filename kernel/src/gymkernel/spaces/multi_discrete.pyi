# stamped by tools/sync.py

from gymkernel_space_multi_discrete import *
