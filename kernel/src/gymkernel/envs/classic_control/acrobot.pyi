# stamped by tools/sync.py

from gymkernel_env_classic_control.acrobot import *
