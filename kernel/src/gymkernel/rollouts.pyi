"""What plugins provide, for type checkers; stamped by tools/sync.py."""

from gymkernel_tool_rollout.collecting import *
