# stamped by tools/sync.py

from gymkernel_util_compatibility.id_families import *
