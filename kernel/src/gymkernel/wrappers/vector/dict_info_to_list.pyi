"""Names from plugins; stamped by tools/sync.py."""

from gymkernel_wrapper_dict_info_to_list import *
