# stamped by tools/sync.py

from gymkernel_tool_check.testing import *
