# stamped by tools/sync.py

from gymnasium.envs.mujoco import *
