"""What plugins provide, for type checkers; stamped by tools/sync.py."""

from gymnasium.envs.tabular import *
