# stamped by tools/sync.py

from gymkernel_wrapper_passive_env_checker.helpers import *
