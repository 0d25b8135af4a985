# stamped by tools/sync.py

from gymkernel_env_box2d import *
