"""Of plugins; stamped by tools/sync.py."""

from gymkernel.checks import compare as compare
from gymkernel.checks import membership as membership
from gymkernel_tool_check import *
