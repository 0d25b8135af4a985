# stamped by tools/sync.py

from gymkernel_env_toy_text.cliffwalking import *
