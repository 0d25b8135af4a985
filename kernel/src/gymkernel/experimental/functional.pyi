# stamped by tools/sync.py

from gymkernel_env_functional import *
