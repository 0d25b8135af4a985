"""What plugins provide, for type checkers; stamped by tools/sync.py."""

from gymkernel_wrapper_dict_info_to_list import *
