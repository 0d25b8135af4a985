# stamped by tools/sync.py

from gymnasium.envs.phys2d import *
