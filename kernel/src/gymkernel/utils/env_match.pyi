# stamped by tools/sync.py

from gymkernel_util_compatibility.env_match import *
