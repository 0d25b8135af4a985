# stamped by tools/sync.py

from gymkernel_space_box import *
