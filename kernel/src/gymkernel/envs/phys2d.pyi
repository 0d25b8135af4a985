"""What plugins provide, for type checkers; stamped by tools/sync.py."""

from gymnasium.envs.phys2d import *
