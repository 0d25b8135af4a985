# stamped by tools/sync.py

from gymkernel_vector_sync import *
