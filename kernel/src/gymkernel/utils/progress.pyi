# stamped by tools/sync.py

from gymkernel_util_tools.progress import *
