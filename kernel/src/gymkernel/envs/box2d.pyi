"""Names from plugins; stamped by tools/sync.py."""

from gymnasium.envs.box2d import *
