# stamped by tools/sync.py

from gymkernel.ops import *
