# stamped by tools/sync.py

from gymkernel_wrapper_dict_info_to_list import *
from gymkernel.wrappers.vector._installed import DictInfoToList as DictInfoToList
from gymkernel.wrappers.vector._installed import VectorListInfo as VectorListInfo
