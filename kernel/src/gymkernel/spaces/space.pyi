# stamped by tools/sync.py

from gymkernel.space import *
