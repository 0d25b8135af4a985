# stamped by tools/sync.py

from gymkernel_tool_check.checks import *
