"""`gymkernel.wrappers.vector.dict_info_to_list`: what plugins provide, for type checkers; stamped by tools/sync.py."""

from gymkernel_wrapper_dict_info_to_list import *
