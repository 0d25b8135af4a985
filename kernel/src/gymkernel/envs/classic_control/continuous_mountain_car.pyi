# stamped by tools/sync.py

from gymkernel_env_classic_control.continuous_mountain_car import *
