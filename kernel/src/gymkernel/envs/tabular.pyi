# stamped by tools/sync.py

from gymnasium.envs.tabular import *
