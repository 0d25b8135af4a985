# stamped by tools/sync.py

from gymkernel_tool_play import *
