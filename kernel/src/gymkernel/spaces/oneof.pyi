# stamped by tools/sync.py

from gymkernel_space_one_of import *
