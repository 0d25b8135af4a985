# stamped by tools/sync.py

from gymkernel_bridge_pettingzoo import *
